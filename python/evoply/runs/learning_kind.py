"""Learning by play as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.learning import (
    LEARNER,
    Learning,
    LearningConfig,
    LearningStep,
    load_learning_config,
    model_of,
)
from evoply.protocols import Cluster
from evoply.runs.games_kind import GamesKind
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Row

__all__ = ["LearningKind"]

_MOST_WEIGHTS = 6
_FACTS = ("games", "stage", "error", "clipped", "black_points")


class LearningKind(GamesKind):
    """See `evoply.runs.kind.Kind`: steps are kept as the learner's own data."""

    learner_type = Learning
    limits = frozenset({"games", "time_limit", "machine"})
    load = staticmethod(load_learning_config)

    def __init__(self, learner: Learning | None = None) -> None:
        super().__init__(learner or Learning(), LEARNER)

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Learning:
        own: Learning = super().learner(parts=parts)
        return replace(own, threads=threads or own.threads, cluster=cluster or own.cluster)

    def champion_facts(self, champion: Any, last: LearningStep, /) -> ChampionFacts:
        about = {"generation": last.number, "games": last.games}
        title = f"{len(last.weights)} weights, after {last.games:,} games"
        identity = {"player": champion.label, "generation": last.number}
        return ChampionFacts(title, about, identity)

    def live(self, config: LearningConfig, step: LearningStep, /) -> LiveFacts:
        values = step.statistics
        names = [one.name for one in config.features]
        weights = ", ".join(f"{name} {values[name]:+.3f}" for name in names[:_MOST_WEIGHTS])
        seconds = max(step.seconds, 1e-9)
        done = step.games
        return LiveFacts(
            line=f"{done:,} games: error {values['error']:.3f}, {weights}",
            facts=(
                ("games", f"{done:,}"),
                ("stage", f"{int(values['stage']) + 1}"),
                ("error", f"{values['error']:.4f}"),
                ("clipped features", f"{100 * values['clipped']:.2f} %"),
                ("steps per second", f"{1 / seconds:,.1f}"),
                ("largest weight", f"{max(abs(values[name]) for name in names):.3f}"),
            ),
            points=self.earlier_points(values),
            champion=str(step.champions[0].label),
            newest={name: f"{values[name]:+.3f}" for name in names},
            seconds_left=self.seconds_left(config, step),
        )

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        """Return every weight and every time weight."""
        names = [name for name in row if name not in (*_FACTS, "number", "digest", "seconds")]
        return {name: float(row[name]) for name in names}

    def step_table(
        self, config: LearningConfig, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        names = [one.name for one in config.features][:_MOST_WEIGHTS]
        cells = [
            (
                f"{row['number']:,}",
                f"{row['games']:,.0f}",
                *(f"{row[name]:+.3f}" for name in names),
                f"{row['error']:.4f}",
                f"{row['seconds']:.2f}",
                row["digest"][:8],
            )
            for row in rows
        ]
        return ("step", "games", *names, "error", "seconds", "digest"), cells

    def listings(self, config: LearningConfig, last: LearningStep, /) -> list[Listing]:
        """Return the weights, the largest first."""
        model = model_of(config, last)
        degree = config.time_weights.degree
        table = []
        for index, feature in enumerate(model.features):
            times = model.time_weights[index][:degree]
            factors = [model.factor(index, clock) for clock in (0.0, 0.5, 1.0)]
            table.append((feature, model.weights[index], times, factors))
        table.sort(key=lambda row: -abs(row[1]))
        rows = [
            (
                feature.name,
                f"{weight:+.4f}",
                *(f"{time:+.4f}" for time in times),
                *([f"{weight * factor:+.3f}" for factor in factors] if degree else []),
                f"{feature.scale:g}",
            )
            for feature, weight, times, factors in table
        ]
        data = [
            {
                "feature": feature.name,
                "weight": weight,
                "time_weights": list(times),
                "scale": feature.scale,
            }
            for feature, weight, times, _ in table
        ]
        powers = ["time weight", *(f"of u^{power}" for power in range(2, degree + 1))][:degree]
        parts = ["at the start", "in the middle", "at the end"] if degree else []
        head = ("feature", "weight", *powers, *parts, "divided by")
        return [Listing("weights", "Weights, the largest first", head, ("feature",), rows, data)]
