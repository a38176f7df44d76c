"""Learning of pattern tables as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from evoply.arena.elsewhere import check_game
from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts
from evoply.learning import (
    MOST_GAMES,
    PATTERN_LEARNER,
    PatternConfig,
    PatternLearning,
    PatternStep,
    load_pattern_config,
    pattern_config_to_toml,
)
from evoply.protocols import Cluster, RunError
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Row
from evoply.runs.outside_kind import OutsideKind

__all__ = ["ONE_CORE", "PatternKind"]

ONE_CORE = (
    "cluster: tables are learned game after game, by one core - leave the cluster out; "
    "`evoply compare --cluster` makes several runs beside one another"
)


class PatternKind(OutsideKind):
    """See `evoply.runs.kind.Kind`: steps are kept as the learner's own data."""

    is_built_in = True
    learner_type = PatternLearning
    limits = frozenset({"games", "time_limit"})
    counted = frozenset({"games"})

    def __init__(self, learner: PatternLearning | None = None) -> None:
        self._learning = learner or PatternLearning()
        super().__init__(self._learning)
        self.name = PATTERN_LEARNER

    def read_config(self, path: Path, /) -> PatternConfig:
        return load_pattern_config(path)

    def load_config(self, source: str, overrides: Sequence[str], /) -> PatternConfig:
        return load_pattern_config(source, overrides)

    def write_config(self, config: PatternConfig, /) -> str:
        return pattern_config_to_toml(config)

    def fixed(self, config: PatternConfig, /) -> Any:
        return config.model_dump(exclude=set(self.limits))

    def with_limits(
        self, config: PatternConfig, limits: Mapping[str, Any], last: Any, /
    ) -> PatternConfig:
        """Return *config* with other limits; `generations` are steps, the first without games."""
        if not limits:
            return config
        given = dict(limits)
        if "generations" in given:
            steps = given.pop("generations")
            given["games"] = None if steps is None else _games_of(config, last, steps)
        changed = PatternConfig(**{**config.model_dump(), **given})
        if last is None or not self._learning.is_finished(changed, last):
            return changed
        others = {key: None for key in self.limits if key not in given}
        return PatternConfig(**{**changed.model_dump(), **others}) if len(others) == 1 else changed

    def endless(self, config: PatternConfig, /) -> PatternConfig:
        # A config without any limit is refused as one that never ends.
        return config.model_copy(update={"games": MOST_GAMES, "time_limit": None})

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> PatternLearning:
        if parts is not None and (parts.fitness is not None or parts.operators):
            raise RunError("fitness and operators are for evolution: learning takes none")
        if cluster is not None:
            raise RunError(ONE_CORE)
        return self._learning

    def check_sendable(self, config: PatternConfig, /) -> None:
        check_game(config.game)

    def identities(self, learner: Any, /) -> dict[str, dict[str, str]]:
        return {}

    def costs(self, step: PatternStep, previous: PatternStep | None, /) -> Mapping[str, float]:
        return {"games": step.games - (0 if previous is None else previous.games)}

    def champion_facts(self, champion: Any, last: PatternStep, /) -> ChampionFacts:
        about = {"generation": last.number, "games": last.games}
        entries = f"{len(last.entries) // 8:,} table entries"
        title = f"{entries}, {last.games:,} games, step {last.number}"
        return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})

    def live(self, config: PatternConfig, step: PatternStep, /) -> LiveFacts:
        values, done, left = step.statistics, step.games, None
        if config.games is not None and done and step.total_seconds:
            left = (config.games - done) * step.total_seconds / done
        used = f"{100 * values['entries_used']:.1f} %"
        return LiveFacts(
            line=f"{done:,} games: error {values['error']:.3f}, {used} of the entries used",
            facts=(
                ("games", f"{done:,}"),
                ("error", f"{values['error']:.4f}"),
                ("entries used", used),
                ("largest entry", f"{values['largest_entry']:.3f}"),
                ("rate", f"{values['rate']:g}"),
            ),
            points=self.earlier_points(values),
            champion=f"tables of {len(config.patterns)} patterns",
            seconds_left=left,
        )

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        """Return the curves of a run."""
        return {name: float(row[name]) for name in ("error", "entries_used")}

    def step_table(
        self, config: PatternConfig, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        cells: list[tuple[str, ...]] = [
            (
                f"{row['number']:,}",
                f"{row['games']:,.0f}",
                f"{row['error']:.4f}",
                f"{100 * row['entries_used']:.1f} %",
                f"{row['largest_entry']:.3f}",
                f"{row['seconds']:.2f}",
                row["digest"][:8],
            )
            for row in rows
        ]
        head = ("step", "games", "error", "used", "largest", "seconds", "digest")
        return head, cells

    def listings(self, config: PatternConfig, last: PatternStep, /) -> list[Listing]:
        """Return the patterns, with how many tables and entries each has."""
        tables = len(config.stages) + 1
        data = [{"squares": one.squares, "tables": tables} for one in config.patterns]
        rows = [(one.squares, str(tables)) for one in config.patterns]
        return [Listing("patterns", "Patterns", ("squares", "tables"), ("squares",), rows, data)]


def _games_of(config: PatternConfig, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps, if no step is shorter than usual."""
    if last is None:
        return max(1, (steps - 1) * config.games_per_step)
    games: int = last.games + (steps - 1 - last.number) * config.games_per_step
    return max(1, games)
