"""Learning by play as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evoply.arena.elsewhere import check_game
from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.learning import (
    LEARNER,
    MOST_GAMES,
    Learning,
    LearningConfig,
    LearningStep,
    learning_config_to_toml,
    load_learning_config,
    model_of,
)
from evoply.protocols import Cluster, RunError
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Row
from evoply.runs.outside_kind import OutsideKind

__all__ = ["LearningKind"]

_MOST_WEIGHTS = 6
_FACTS = ("games", "stage", "error", "clipped", "black_points")


class LearningKind(OutsideKind):
    """See `evoply.runs.kind.Kind`: steps are kept as the learner's own data."""

    is_built_in = True
    learner_type = Learning
    limits = frozenset({"games", "time_limit", "machine"})
    counted = frozenset({"games"})

    def __init__(self, learner: Learning | None = None) -> None:
        self._learning = learner or Learning()
        super().__init__(self._learning)
        self.name = LEARNER

    def read_config(self, path: Path, /) -> LearningConfig:
        return load_learning_config(path)

    def load_config(self, source: str, overrides: Sequence[str], /) -> LearningConfig:
        return load_learning_config(source, overrides)

    def write_config(self, config: LearningConfig, /) -> str:
        return learning_config_to_toml(config)

    def fixed(self, config: LearningConfig, /) -> Any:
        return config.model_dump(exclude=set(self.limits))

    def with_limits(
        self, config: LearningConfig, limits: Mapping[str, Any], last: Any, /
    ) -> LearningConfig:
        """Return *config* with other limits; `generations` are steps, the first without games."""
        if not limits:
            return config
        given = dict(limits)
        if "generations" in given:
            steps = given.pop("generations")
            given["games"] = None if steps is None else _games_of(config, last, steps)
        changed = LearningConfig(**{**config.model_dump(), **given})
        if last is None or not self._learning.is_finished(changed, last):
            return changed
        others = {key: None for key in ("games", "time_limit") if key not in given}
        return LearningConfig(**{**changed.model_dump(), **others}) if len(others) == 1 else changed

    def endless(self, config: LearningConfig, /) -> LearningConfig:
        # A config without any limit is refused as one that never ends.
        return config.model_copy(update={"games": MOST_GAMES, "time_limit": None})

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> Learning:
        if parts is not None and (parts.fitness is not None or parts.operators):
            raise RunError("fitness and operators are for evolution: learning takes none")
        return replace(
            self._learning,
            threads=threads or self._learning.threads,
            cluster=cluster or self._learning.cluster,
        )

    def check_sendable(self, config: LearningConfig, /) -> None:
        check_game(config.game)

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        return {}

    def costs(self, step: LearningStep, previous: LearningStep | None, /) -> Mapping[str, float]:
        return {"games": step.games - (0 if previous is None else previous.games)}

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
        left = None
        if config.games is not None and done and step.total_seconds:
            left = (config.games - done) * step.total_seconds / done
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
            seconds_left=left,
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


def _games_of(config: LearningConfig, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps, if no step is shorter than usual."""
    if last is None:
        return max(1, (steps - 1) * config.games_per_step)
    games: int = last.games + (steps - 1 - last.number) * config.games_per_step
    return max(1, games)
