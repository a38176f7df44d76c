"""Evolution of tuples as a kind of learner: what its runs have beside their steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from evoply.learning import (
    TUPLES_LEARNER,
    TupleEvolution,
    TuplesConfig,
    TuplesStep,
    load_tuples_config,
)
from evoply.runs.games_kind import GamesKind
from evoply.runs.kind import ChampionFacts, Listing, LiveFacts, Row

__all__ = ["TuplesKind"]


class TuplesKind(GamesKind):
    """See `evoply.runs.kind.Kind`: a step is a generation, and kept as the learner's own data."""

    learner_type = TupleEvolution
    takes_threads = True
    limits = TuplesConfig.limits()
    load = staticmethod(load_tuples_config)
    one_machine = (
        "cluster: tuples evolve on the cores of one machine - leave the cluster out; "
        "`evoply compare --cluster` makes several runs beside one another"
    )

    def __init__(self, learner: TupleEvolution | None = None) -> None:
        super().__init__(learner or TupleEvolution(), TUPLES_LEARNER)

    def endless(self, config: Any, /) -> Any:
        return config.model_copy(update=dict.fromkeys(self.limits))

    def games_of_a_step(self, config: TuplesConfig, /) -> Mapping[str, int]:
        size = config.population_size
        return {
            "lessons.games": size * (config.lessons.games + (size - 1) * config.pairs),
            "test_pairs": 2 * config.test_pairs,
        }

    def champion_facts(self, champion: Any, last: TuplesStep, /) -> ChampionFacts:
        about = {"generation": last.born, "tuples": list(last.champion)}
        title = f"{len(last.champion)} tuples, of generation {last.born}"
        return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})

    def live(self, config: TuplesConfig, step: TuplesStep, /) -> LiveFacts:
        values = step.statistics
        mean = f"{values['squares']:.1f} squares a tuple"
        return LiveFacts(
            line=f"generation {step.number}: best {values['best']:.1%} against the others, "
            f"{values['against_champion']:.1%} against the champion, now of generation "
            f"{step.born}; {mean}, {values['distinct_tuples']:.0f} distinct",
            facts=(
                ("best against the others", f"{values['best']:.1%}"),
                ("against the champion", f"{values['against_champion']:.1%}"),
                ("champion of generation", f"{step.born}"),
                ("squares a tuple", f"{values['squares']:.1f}"),
                ("distinct tuples", f"{values['distinct_tuples']:.0f}"),
                ("games", f"{values['games']:,.0f}"),
            ),
            points=self.earlier_points(values),
            champion=f"{len(step.champion)} tuples: {', '.join(step.champion)}",
            newest={"squares": f"{values['squares']:.1f}"},
            last_number=None if config.generations is None else config.generations - 1,
        )

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        """Return the curves of a run."""
        return {name: float(row[name]) for name in ("best", "against_champion")}

    def step_table(
        self, config: Any, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        cells: list[tuple[str, ...]] = [
            (
                f"{row['number']:,}",
                f"{row['games']:,.0f}",
                f"{row['best']:.1%}",
                f"{row['against_champion']:.1%}",
                f"{row['squares']:.1f}",
                f"{row['distinct_tuples']:,.0f}",
                f"{row['seconds']:.2f}",
                row["digest"][:8],
            )
            for row in rows
        ]
        head = (
            "generation", "games", "best", "against champion", "squares", "distinct tuples",
            "seconds", "digest",
        )  # fmt: skip
        return head, cells

    def listings(self, config: TuplesConfig, last: TuplesStep, /) -> list[Listing]:
        """Return the champion's tuples, which configs of patterns understand."""
        data = [{"squares": one} for one in last.champion]
        rows = [(one, str(len(one.split()))) for one in last.champion]
        title = "The champion's tuples"
        return [Listing("tuples", title, ("squares", "how many"), ("squares",), rows, data)]
