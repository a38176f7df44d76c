"""Benbassat and Sipper's study: guides, and players evolved for three games."""

from evoply.studies.benbassat.coevolution import coevolution
from evoply.studies.benbassat.evolved_players import table_4, table_5, table_6
from evoply.studies.benbassat.guide_matches import GUIDES_OF_10X10, READINGS, calibration
from evoply.studies.benbassat.guide_readings import guide_readings
from evoply.studies.benbassat.other_settings import other_settings
from evoply.studies.benbassat.players_tables import RULES
from evoply.studies.benbassat.trees_by_hand import trees_by_hand
from evoply.studies.study import PaperExperiment, Study

BENBASSAT = Study(
    name="benbassat",
    title="Typed trees inside alpha-beta, for three games",
    authors="Benbassat and Sipper",
    paper="Evolving Board-Game Players with Genetic Programming (GECCO 2011)",
    experiments=(
        PaperExperiment(
            "3",
            "Table 3: matches between the guides of three games",
            calibration,
            {"smoke": 2, "small": 20, "paper": 300},
            READINGS,
        ),
        PaperExperiment(
            "readings",
            "Table 3, 10x10: which guide comes closest to both printed rows",
            guide_readings,
            {"smoke": 5, "small": 60, "paper": 1200},
        ),
        PaperExperiment(
            "hand",
            "Trees by hand beside tables 4 to 6: what the primitives can say",
            trees_by_hand,
            {"smoke": 5, "small": 60, "paper": 200},
            GUIDES_OF_10X10,
        ),
        PaperExperiment(
            "4",
            "Table 4: players of lose checkers that look 4 plies ahead, against 5",
            table_4,
            {"smoke": 5, "small": 100, "paper": 7200},  # paper: from its runs, one at a time
            RULES,
            keeps=True,
        ),
        PaperExperiment(
            "5",
            "Table 5: players of 10x10 checkers that look 2 or 3 plies ahead, against 3",
            table_5,
            {"smoke": 5, "small": 100, "paper": 7200},  # paper: from its runs, one at a time
            RULES,
            keeps=True,
        ),
        PaperExperiment(
            "6",
            "Table 6: players of Reversi that look 4 plies ahead, against 5 and 7",
            table_6,
            {"smoke": 5, "small": 100, "paper": 3600},
            RULES,
            keeps=True,
        ),
        PaperExperiment(
            "sensitivity",
            "What settings that the paper leaves open change, one at a time",
            other_settings,
            {"smoke": 15, "small": 3000, "paper": 100_000},
            keeps=True,
        ),
        PaperExperiment(
            "coevolution",
            "Ways to compete within a population at an equal budget of games (not in the paper)",
            coevolution,
            {"smoke": 5, "small": 60, "paper": 1200},
        ),
    ),
    contradictions=(
        "One-way crossover is said to be chosen at least half of the time; with a strictly fitter "
        "donor and an order drawn at random it is chosen at most half of the time.",
        "In Reversi the scores of 7 plies against 5 and of 5 against 3 have the same four digits: "
        "probably one was copied.",
        "In lose checkers 8 plies are hardly better than 3 and worse than 5. Under no reading "
        "that was tried does looking 8 plies ahead lose to looking 5.",
        "A player is said to become unpredictable by alternating between two ways to count "
        "pieces. At equal depth pure counts of discs rank the moves of Reversi alike.",
    ),
    choices=(
        "A value speaks for the side to move at the evaluated position; finished games count "
        "exactly; of equal moves one is drawn.",
        "Population 120, 100 generations, crossover of eight and mutation of two in ten, half of "
        "the mutations local: the paper refers to an earlier one that could not be consulted.",
        "Trees have at most 300 nodes and 17 levels. One draw says whether an offspring mutates. "
        "Games begin at the start position, in training and in the benchmark: what makes them "
        "differ is that one of equal moves is drawn, and the guide's chance.",
        "No elitism; a tie in a tournament goes to the smaller tree.",
        "Fit enough for another round of a guide are those with at least the mean of the points.",
    ),
)
