"""Tuning as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.learning import Tuning, TuningConfig, TuningStep
from evoply.protocols import Cluster, RunError
from evoply.runs.games_kind import without_reached_limit
from evoply.runs.kind import ChampionFacts, LiveFacts
from evoply.runs.outside_kind import OutsideKind

__all__ = ["TuningKind"]


class TuningKind(OutsideKind):
    """See `evoply.runs.kind.Kind`: steps are kept as the learner's own data."""

    is_built_in = True
    learner_type = Tuning
    counted = frozenset({"games"})

    def __init__(self, learner: Tuning | None = None) -> None:
        super().__init__(learner or Tuning())
        self.name = "tuning"

    def with_limits(
        self, config: TuningConfig, limits: Mapping[str, Any], last: Any, /
    ) -> TuningConfig:
        if not limits:
            return config
        changed = TuningConfig(**{**config.model_dump(), **limits})
        lifted: TuningConfig = without_reached_limit(Tuning(), changed, self.limits, limits, last)
        return lifted

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Tuning:
        super().learner(parts=parts, cluster=cluster)  # which refuses what tuning cannot use
        return Tuning(threads)

    def check_sendable(self, config: Any, /) -> None:
        raise RunError("cluster: tuning plays on the cores of this machine - leave the cluster out")

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        return {}

    def champion_facts(self, champion: Any, last: TuningStep, /) -> ChampionFacts:
        about = {"generation": last.number, "score": last.best_score}
        title = (
            f"{len(last.best)} numbers, {100 * last.best_score:.1f} % in their test, after "
            f"{last.statistics['games']:,.0f} games"
        )
        return ChampionFacts(title, about, {"player": champion.label, "generation": last.number})

    def live(self, config: TuningConfig, step: TuningStep, /) -> LiveFacts:
        values = step.statistics
        return LiveFacts(
            line=f"generation {step.number}: mean {values['mean']:.1%}, best in tests "
            f"{values['best']:.1%}, {values['games']:,.0f} games, spread {values['spread']:.3f}",
            facts=(
                ("best in tests", f"{values['best']:.1%}"),
                ("mean of a generation", f"{values['mean']:.1%}"),
                ("games", f"{values['games']:,.0f}"),
                ("spread", f"{values['spread']:.3f}"),
            ),
            points={"best in tests": values["best"], "mean": values["mean"]},
            champion=str(step.champions[0].label),
            newest={"mean": f"{values['mean']:.1%}"},
            last_number=None if config.generations is None else config.generations - 1,
        )
