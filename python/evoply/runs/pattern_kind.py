"""Learning of pattern tables as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoply.learning import (
    PATTERN_LEARNER,
    PatternConfig,
    PatternLearning,
    PatternStep,
    load_pattern_config,
)
from evoply.runs.games_kind import GamesKind
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Row

__all__ = ["PatternKind"]


class PatternKind(GamesKind):
    """See `evoply.runs.kind.Kind`: steps are kept as the learner's own data."""

    learner_type = PatternLearning
    takes_threads = True
    load = staticmethod(load_pattern_config)
    one_machine = (
        "cluster: tables are learned game after game, by one core - leave the cluster out; "
        "`evoply compare --cluster` makes several runs beside one another"
    )

    def __init__(self, learner: PatternLearning | None = None) -> None:
        super().__init__(learner or PatternLearning(), PATTERN_LEARNER)

    def champion_facts(self, champion: Any, last: PatternStep, /) -> ChampionFacts:
        about = {"generation": last.number, "games": last.games}
        entries = f"{len(last.entries) // 8:,} table entries"
        title = f"{entries}, {last.games:,} games, step {last.number}"
        return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})

    def live(self, config: PatternConfig, step: PatternStep, /) -> LiveFacts:
        values, done = step.statistics, step.games
        labels = f", {step.labelled} stages fitted to labels" if step.labelled else ""
        used = f"{100 * values['entries_used']:.1f} %"
        return LiveFacts(
            line=f"{done:,} games: error {values['error']:.3f}, {used} of the entries used{labels}",
            facts=(
                ("games", f"{done:,}"),
                ("error", f"{values['error']:.4f}"),
                ("entries used", used),
                ("largest entry", f"{values['largest_entry']:.3f}"),
                ("rate", f"{values['rate']:g}"),
            ),
            points=self.earlier_points(values),
            champion=f"tables of {len(config.patterns)} patterns",
            seconds_left=self.seconds_left(config, step),
        )

    def games_of_a_step(self, config: PatternConfig, /) -> Mapping[str, int]:
        labels = {} if config.labels is None else {"labels.positions": config.labels.positions}
        return {**super().games_of_a_step(config), **labels}

    def seconds_left(self, config: PatternConfig, step: PatternStep) -> float | None:
        """Return what `GamesKind` does; None where labels come after the games."""
        return super().seconds_left(config, step) if config.labels is None else None

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
