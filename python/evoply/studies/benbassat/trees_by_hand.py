"""What the paper's primitives can say: trees by hand, beside the scores of its evolved ones.

A tree that reaches the paper's range shows that evolution could have found it; a game in which no
tree does was played against another guide, or with other primitives. The trees of corners show why
evolution has a hard time: one corner is worth little, all four together a lot.
"""

from collections.abc import Iterator

from evoply import gp
from evoply.expressions import PRIMITIVE_SETS
from evoply.players import AlphaBeta, TreeEvaluator
from evoply.reports.charts import interval_chart
from evoply.studies.benbassat.evolved_players import PRINTED_GAMES, TABLES, PlayersTable
from evoply.studies.benbassat.guide_matches import TITLES, benchmark, guide, score_of, seed_of
from evoply.studies.study import Reproduction, Result, Row, row, series
from evoply.studies.verdicts import Figure


def trees_by_hand(request: Reproduction) -> Result:
    """Return the points of trees by hand against the guides of tables 4 to 6."""
    jobs = [
        (TABLES[table], name, primitives, text, depths, printed)
        for table in ("6", "5", "4")
        for primitives, trees in request.table.told[table].items()
        for name, text in trees.items()
        for depths, printed in _ranges(TABLES[table])
    ]
    rows: list[Row] = []
    figures: dict[str, Figure] = {}

    def result() -> Result:
        chart = interval_chart(
            "Trees by hand", list(figures), [series("here", figures.values())],
            "points per 1,000 games", note="with 95 % intervals", reference=PRINTED_GAMES / 2,
        )  # fmt: skip
        return request.result(rows, [chart], reading=request.rules)

    for table, name, primitives, text, (depth, other), printed in request.each(jobs, result):
        player = AlphaBeta(
            evaluator=TreeEvaluator(tree=gp.parse_tree(text, PRIMITIVE_SETS[primitives])),
            depth=depth, view="turn", ties="random", ordering="killer",
        )  # fmt: skip
        reading = request.rules if table.game == "checkers-10" else "corners"
        met = guide(table.game, other, reading)
        seed = seed_of(request, "by hand", name, depth, other)
        played = benchmark(player, met, table.game, request.size("games"), seed, request)
        what = f"{TITLES[table.game]}, {name}: ab{depth} against ab{other}"
        figures[what] = score_of(played, of=float(PRINTED_GAMES))
        rows.append(row(what, figures[what], printed, reference=PRINTED_GAMES / 2))
    return result()


def _ranges(table: PlayersTable) -> Iterator[tuple[tuple[int, int], tuple[float, float]]]:
    """Yield depths of evolved players and guides in a table, and the range of what it prints."""
    for depth, other in sorted(
        {(kind.depth, other) for kind in table.kinds for other in kind.printed}
    ):
        alike = [kind.printed for kind in table.kinds if kind.depth == depth]
        scores = [score for printed in alike for score in printed.get(other, ())]
        yield (depth, other), (min(scores), max(scores))
