"""FIREBRAND's study: seven figures, two experiments without figures, and further questions.

Source: Almgren, Berglund & Milstein, "The Othello Champion FIREBRAND" (Stanford CS221, 2000). The
paper prints curves and describes them, with hardly a number, so most rows judge a claim.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

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
from evoply.studies.firebrand.training import BOARDS, Size
from evoply.studies.study import SCALES, PaperExperiment, Request, Result, Scale, Study

_BY_SCALE: Mapping[str, tuple[Any, Any, Any]] = {
    "runs": (3, 5, 10),
    "stage": (30, 250, 250),
    "rate_games": (180, 1500, 3000),
    "short_stage": (6, 60, 250),
    "changed_games": (20, 100, 200),
    "match_games": (10, 40, 100),
    "ordering_depths": ((4,), (4, 5), (4, 5, 6)),
    "ordering_games": (4, 10, 20),
    "ordering_training": (100, 1000, 5000),
    "long_training": (200, 5000, 5000),
    "long_games": (4, 200, 2000),
    "others": (2, 4, 5),
}
SIZES: dict[Scale, Size] = {
    scale: Size(**{name: values[index] for name, values in _BY_SCALE.items()})
    for index, scale in enumerate(SCALES)
}

Sized = Callable[[Request, Size], Result]
"""An experiment that takes its amount of work as a `Size`."""

_EXPERIMENTS: tuple[tuple[str, str, Sized, tuple[float, float, float]], ...] = (
    ("1", "Figure 1: training with time weights; feature 8's grows", figure_1, (3, 13, 27)),
    (
        "2",
        "Figure 2: seven learning rates, and two that shrink, beyond the paper",
        figure_2,
        (5, 17, 65),
    ),
    ("3", "Figure 3: weights by stages of the game", figure_3, (1, 2, 4)),
    ("4", "Figure 4: feature 8 by stages of the game", figure_4, (1, 3, 4)),
    ("5", "Figure 5: training with time weights and without", figure_5, (3, 13, 27)),
    ("6", "Figure 6: training at depths 2, 4 and 8", figure_6, (6, 75, 500)),
    ("7", "Figure 7: training with one colour only", figure_7, (4, 14, 28)),
    (
        "X6",
        "A weight changed by hand: what training and play make of it",
        manual_change,
        (2, 12, 25),
    ),
    ("X7", "Training from different first weights", convergence, (2, 12, 22)),
    ("ordering", "Which moves alpha-beta looks at first: nodes and times", ordering, (2, 10, 47)),
    (
        "orders",
        "Table 1, which has no figures: end, begin, or any positions first",
        orders,
        (2, 11, 33),
    ),
    (
        "rules",
        "Beyond the paper: other rules of learning, raw and scaled features",
        rules,
        (6, 53, 125),
    ),
    (
        "strength",
        "Four plies and learned weights against six plies and material",
        strength,
        (2, 20, 92),
    ),
)
"""The name, title and function of each experiment, and its seconds at each scale."""


def firebrand(sizes: Mapping[Scale, Size] = SIZES) -> Study:
    """Return the study, with the amounts of work of *sizes*."""
    experiments = (
        PaperExperiment(
            name,
            title,
            partial(_run_at_scale, run, sizes),
            dict(zip(SCALES, seconds, strict=True)),
            takes_opponent=run is strength,
            boards=BOARDS,
        )
        for name, title, run, seconds in _EXPERIMENTS
    )
    return replace(_STUDY, experiments=tuple(experiments))


def _run_at_scale(run: Sized, sizes: Mapping[Scale, Size], request: Request) -> Result:
    return run(request, sizes[request.scale])


_STUDY = Study(
    name="firebrand",
    title="Weights of features that games teach, and weights that change with the time",
    authors="Almgren, Berglund and Milstein",
    paper="The Othello Champion FIREBRAND (Stanford CS221, 2000)",
    groups={"X1": ("2",), "X2": ("3", "4"), "X3": ("1", "5"), "X4": ("6",), "X5": ("7",)},
    experiments=(),
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
)

FIREBRAND = firebrand()
