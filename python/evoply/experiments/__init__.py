"""Experiments: many runs of several setups, compared by a measure from outside."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.experiments.all_play_all import LeaguePairing
    from evoply.experiments.comparison import (
        Comparison,
        compare,
        compare_experiment,
        comparison_of,
        load_comparison,
        usual_name,
    )
    from evoply.experiments.design import (
        After,
        AllPlayAll,
        Budget,
        Entrant,
        Experiment,
        Measure,
        Score,
        Setup,
        experiment_of,
        load_experiment,
        setups_of,
    )
    from evoply.experiments.experiment_folder import (
        ExperimentFolder,
        UnitResult,
        find_experiment,
        folder_for,
    )
    from evoply.experiments.experiment_page import comparison_charts
    from evoply.experiments.running import (
        Cost,
        Status,
        check_experiment_sendable,
        estimated_cost,
        run_experiment,
    )
    from evoply.experiments.setup_statistics import (
        SetupDifference,
        Spread,
        compared,
        fewest_seeds,
        seeds_for,
        spread_of,
    )

__all__ = [
    "After",
    "AllPlayAll",
    "Budget",
    "Comparison",
    "Cost",
    "Entrant",
    "Experiment",
    "ExperimentFolder",
    "LeaguePairing",
    "Measure",
    "Score",
    "Setup",
    "SetupDifference",
    "Spread",
    "Status",
    "UnitResult",
    "check_experiment_sendable",
    "compare",
    "compare_experiment",
    "compared",
    "comparison_charts",
    "comparison_of",
    "estimated_cost",
    "experiment_of",
    "fewest_seeds",
    "find_experiment",
    "folder_for",
    "load_comparison",
    "load_experiment",
    "run_experiment",
    "seeds_for",
    "setups_of",
    "spread_of",
    "usual_name",
]

give_when_used(
    __name__,
    {
        "comparison": (
            "Comparison compare compare_experiment comparison_of load_comparison usual_name"
        ),
        "all_play_all": "LeaguePairing",
        "design": (
            "After AllPlayAll Budget Entrant Experiment Measure Score Setup experiment_of "
            "load_experiment setups_of"
        ),
        "experiment_folder": "ExperimentFolder UnitResult find_experiment folder_for",
        "experiment_page": "comparison_charts",
        "running": "Cost Status check_experiment_sendable estimated_cost run_experiment",
        "setup_statistics": "SetupDifference Spread compared fewest_seeds seeds_for spread_of",
    },
)
