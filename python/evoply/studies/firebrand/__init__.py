"""Almgren, Berglund & Milstein, "The Othello Champion FIREBRAND" (Stanford CS221, 2000)."""

from evoply.studies.firebrand import convergence, figures, ordering, strength
from evoply.studies.study import study_of

FIREBRAND = study_of(
    "firebrand",
    {
        "1": figures.figure_1,
        "2": figures.figure_2,
        "3": figures.figure_3,
        "4": figures.figure_4,
        "5": figures.figure_5,
        "6": figures.figure_6,
        "7": figures.figure_7,
        "X6": convergence.manual_change,
        "X7": convergence.convergence,
        "feature-7": convergence.feature_7,
        "ordering": ordering.ordering,
        "orders": strength.orders,
        "rules": strength.rules,
        "strength": strength.strength,
    },
)
