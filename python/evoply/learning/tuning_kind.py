"""Tuning as a kind of learner: how its runs are shown."""

from typing import Any

from evoply.learning.learned_kind import learned_kind
from evoply.learning.tuning import Tuning, TuningStep, check_installed
from evoply.learning.tuning_config import TUNING_LEARNER
from evoply.runs.kind import ChampionFacts, Kind
from evoply.runs.plain_display import PlainDisplay
from evoply.sections import Column, share


def tuning_kind(learner: Tuning) -> Kind:
    """Return the kind of *learner*."""
    return learned_kind(
        TUNING_LEARNER,
        learner,
        _Display(),
        one_machine="cluster: tuning plays on the cores of this machine - leave the cluster out",
        uses={"check_installed": lambda config: check_installed()},
    )


class _Display(PlainDisplay):
    """The display of tuned numbers."""

    word = "generation"

    table = (
        Column("best", "best in tests", share, "best in tests"),
        Column("mean", "mean of a generation", share, "mean"),
        Column("games", "games", "{:,.0f}".format),
        Column("spread", "spread", "{:.3f}".format),
    )

    def champion_facts(self, champion: Any, last: TuningStep, /) -> ChampionFacts:
        """Return the score of the numbers in their test."""
        about = {"generation": last.number, "score": last.best_score}
        title = (
            f"{len(last.best)} numbers, {100 * last.best_score:.1f} % in their test, after "
            f"{last.statistics['games']:,.0f} games"
        )
        return ChampionFacts(title, about, {"generation": last.number})
