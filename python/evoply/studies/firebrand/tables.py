"""FIREBRAND's study: seven figures, two experiments without one, and what goes beyond them.

Source: Almgren, Berglund & Milstein, "The Othello Champion FIREBRAND" (Stanford CS221, 2000). It
prints curves and says what they show, but hardly a number, so most rows judge a claim.
"""

from __future__ import annotations

from evoply.studies.firebrand.convergence import convergence, manual_change
from evoply.studies.firebrand.depth_and_color import figure_6, figure_7
from evoply.studies.firebrand.ordering import ordering
from evoply.studies.firebrand.rates import figure_2
from evoply.studies.firebrand.stages_and_time import (
    figure_1,
    figure_3,
    figure_4,
    figure_5,
)
from evoply.studies.firebrand.strength import orders, rules, strength
from evoply.studies.firebrand.training import BOARDS
from evoply.studies.study import Experiment, Study

FIREBRAND = Study(
    name="firebrand",
    title="Weights of features that games teach, and weights that change with the time",
    authors="Almgren, Berglund and Milstein",
    paper="The Othello Champion FIREBRAND (Stanford CS221, 2000)",
    groups={"X1": ("2",), "X2": ("3", "4"), "X3": ("1", "5"), "X4": ("6",), "X5": ("7",)},
    experiments=(
        Experiment(
            "1", "Figure 1: training with time weights; feature 8's grows",
            figure_1, {"smoke": 3, "small": 13, "paper": 27}, boards=BOARDS,
        ),
        Experiment(
            "2", "Figure 2: seven learning rates, and two that shrink, beyond the paper",
            figure_2, {"smoke": 5, "small": 17, "paper": 65}, boards=BOARDS,
        ),
        Experiment(
            "3", "Figure 3: weights by stages of the game",
            figure_3, {"smoke": 1, "small": 2, "paper": 4}, boards=BOARDS,
        ),
        Experiment(
            "4", "Figure 4: feature 8 by stages of the game",
            figure_4, {"smoke": 1, "small": 3, "paper": 4}, boards=BOARDS,
        ),
        Experiment(
            "5", "Figure 5: training with time weights and without",
            figure_5, {"smoke": 3, "small": 13, "paper": 27}, boards=BOARDS,
        ),
        Experiment(
            "6", "Figure 6: training at depths 2, 4 and 8",
            figure_6, {"smoke": 6, "small": 75, "paper": 500}, boards=BOARDS,
        ),
        Experiment(
            "7", "Figure 7: training with one colour only",
            figure_7, {"smoke": 4, "small": 14, "paper": 28}, boards=BOARDS,
        ),
        Experiment(
            "X6", "A weight changed by hand: what training and play make of it",
            manual_change, {"smoke": 2, "small": 12, "paper": 25}, boards=BOARDS,
        ),
        Experiment(
            "X7", "Training from different first weights",
            convergence, {"smoke": 2, "small": 12, "paper": 22}, boards=BOARDS,
        ),
        Experiment(
            "ordering", "Which moves alpha-beta looks at first: nodes and times",
            ordering, {"smoke": 2, "small": 10, "paper": 47}, boards=BOARDS,
        ),
        Experiment(
            "orders", "Table 1, which has no figures: end, begin, or any positions first",
            orders, {"smoke": 2, "small": 11, "paper": 33}, boards=BOARDS,
        ),
        Experiment(
            "rules", "Beyond the paper: other rules of learning, raw and scaled features",
            rules, {"smoke": 6, "small": 53, "paper": 125}, boards=BOARDS,
        ),
        Experiment(
            "strength", "Four plies and learned weights against six plies and material",
            strength, {"smoke": 2, "small": 20, "paper": 92}, takes_opponent=True, boards=BOARDS,
        ),
    ),
    contradictions=(
        "The rules of learning are printed as assignments, not as increments: every step would "
        "overwrite the weight.",
        "Six learning rates are announced and seven are listed.",
        "Figure 6 is said to show two programs, and has three depths.",
        "A footnote says that the program crashed after 10 and 20 empty squares and began again; "
        "the caption of Figure 4 says after 10, 20 and 40.",
        "A board of 80 empty squares at depth 10 and one of 90 at depth 1 are said to look equally "
        "far; 70 and 89 empty squares remain. With the depths exchanged they nearly would.",
        "Training from the end was used, and called the first method; the first method in the list "
        "is the empty board, and Table 1 has no order that begins at the end.",
        "With time weights other weights are said to go further from zero (Figure 1), and to "
        "hardly move (Figure 5).",
        "The value of node ordering is counted among what was shown; every ordering took longer "
        "than none, and no number of nodes or seconds is printed.",
        "A time weight is said to make a feature less important in the end. Its factor there is 2 "
        "minus the time weight: above 2 the feature changes its sign.",
    ),
    choices=(
        "Features are divided by their greatest value and kept within -1 and 1; a won game is "
        "worth 1. The paper names no scale, so sizes of weights are not comparable.",
        "First weights lie within -0.1 and 0.1, one move in ten is random, and the rate is 0.01.",
        "The error is the value at the own next turn minus that of the board after the own move.",
        "Positions with few empty squares come from random play, ten for each number.",
        "Every claim is judged over runs with seeds of their own; the paper shows one.",
        "Alike means a correlation above 0.7 over the features; hardly changing means less than "
        "half the way of before; colour does not matter if it moves weights apart less than twice "
        "as far as chance.",
        "Way to rest and fluctuation are measured on whole games, which no change of stage moves.",
    ),
)  # fmt: skip
