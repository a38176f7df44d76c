"""Bellin and Gasperin's study: five experiments with weighed trees, and tournaments.

Source: Bellin & Gasperin, "Genetic Programming and Othello". The types of individuals are in
`types`, the experiments in `fitness` and `elimination`.
"""

from functools import partial

from evoply.studies.bellin.elimination import tournaments
from evoply.studies.bellin.fitness import experiment, fitness_ranges
from evoply.studies.bellin.types import EXPERIMENTS, TYPES
from evoply.studies.study import PaperExperiment, Study

BELLIN = Study(
    name="bellin",
    title="Weights from the position in the tree, and tournaments of players",
    authors="Bellin and Gasperin",
    paper="Genetic Programming and Othello (course project, Columbia University)",
    experiments=(
        *(
            PaperExperiment(
                name,
                f"{name}: {TYPES[name].title}",
                partial(experiment, name),
                {"smoke": 1.5, "small": 7, "paper": 30},
            )
            for name in EXPERIMENTS
        ),
        PaperExperiment(
            "fitness",
            "Fitness of the best trees of E1 to E5, side by side",
            fitness_ranges,
            {"smoke": 4, "small": 38, "paper": 195},
        ),
        PaperExperiment(
            "tournament",
            "Tournaments of 33 evolved trees in 7 brackets, and whether fitness foretells success",
            tournaments,
            {"smoke": 5, "small": 42, "paper": 240},
        ),
    ),
    contradictions=(
        "In the example of no-op nodes the bits 010010 are read as 19; they are 18.",
        "Siblings are said to differ in their weights, but both children of the root have weight "
        "1: the bits 0 and 1 are read as 0 and 1, and 0 counts as 1.",
        "One fitness is 69.20, more than the 64 discs of a board: the figures must be sums over "
        "games, not means.",
        "Seven types of individuals are said to have met, and five are described.",
        "The letters A and B are called probably unimportant, though in the natural lettering A "
        "is the corners.",
    ),
    choices=(
        "Edgar's table is lost: a table of the same shape was learned by self-play and stands in.",
        "The evolved tree plays White, one ply ahead, the first of equal moves; against Edgar once "
        "and against a random player twice.",
        "The bits of the root are empty, numbers are weighed as features are, and letters are "
        "counted from the corner.",
        "Settings are gpjpp's defaults, without its penalty for length; what the course changed is "
        "unknown.",
        "The two brackets that are not described are a weighted type whose constant 10 is not "
        "weighed, and one that is weighed by B0 and B1 only; they have four players each.",
        "A player schedules twenty games a round, ten of each colour, and a draw is not a win.",
    ),
)
