"""What the paper's primitives can say: trees by hand, beside the scores of its evolved ones.

A tree that reaches the paper's range shows that evolution could have found it; a game in which no
tree does was played against another guide, or with other primitives. The trees of corners show why
evolution has a hard time: one corner is worth little, all four together a lot.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evoply import _native, gp
from evoply.arena import match
from evoply.expressions import PRIMITIVE_SETS
from evoply.players import AlphaBeta, TreeEvaluator
from evoply.reports.charts import interval_chart
from evoply.studies.benbassat.guide_matches import TITLES, guide, score_of
from evoply.studies.benbassat.players_tables import PRINTED_GAMES, TABLES
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure

_GAMES: dict[Scale, int] = {"smoke": 10, "small": 300, "paper": PRINTED_GAMES}
_CORNERS = ("a1", "h1", "a8", "h8")


def _with_corners(count: int) -> str:
    """Return mobility, plus 4.5 for each of the first *count* corners that is own, less if not."""
    tree = "Mobility"
    for corner in _CORNERS[:count]:
        theirs = f"( IfTrue IsEmptySquare[{corner}] 0 -4.5 )"
        tree = f"( Plus {tree} ( IfTrue IsFriendlyPiece[{corner}] 4.5 {theirs} ) )"
    return tree


@dataclass(frozen=True, slots=True)
class ByHand:
    """A tree written by hand, with the set of primitives that it needs."""

    name: str
    primitives: str
    tree: str


_REVERSI = tuple(
    ByHand(name, "benbassat", _with_corners(count))
    for count, name in enumerate(
        ("mobility", "and one corner", "and two corners", "and three corners", "and all corners")
    )
)
_TWICE = "( MultERC[2] {} )"
_CHECKERS_10 = (
    ByHand("men", "benbassat-checkers-10", "ManCount"),
    ByHand("own men", "benbassat-checkers-10", "FriendlyManCount"),
    ByHand("pieces", "benbassat-checkers-extended-10", "PieceCount"),
    ByHand(
        "twice the pieces, and kings", "benbassat-checkers-extended-10",
        f"( Plus {_TWICE.format('PieceCount')} KingCount )",
    ),
)  # fmt: skip
_LOSE = (
    ByHand("mobility", "benbassat-checkers", "Mobility"),
    ByHand(
        "mobility, and half of the own men", "benbassat-checkers",
        "( Plus Mobility ( MultERC[0.5] FriendlyManCount ) )",
    ),
)  # fmt: skip
TREES: Mapping[str, Sequence[ByHand]] = {"6": _REVERSI, "5": _CHECKERS_10, "4": _LOSE}
"""The trees beside each table of evolved players."""


def trees_by_hand(request: Request) -> Result:
    """Return the points of trees by hand against the guides of tables 4 to 6."""
    jobs = [(name, one, depth, other) for name in TREES for one in TREES[name]
            for depth, other in _depths(name)]  # fmt: skip
    rows: list[Row] = []
    figures: dict[str, Figure] = {}
    result = _result(request, rows, figures)
    for number, (name, one, depth, other) in enumerate(jobs):
        what = f"{TITLES[TABLES[name].game]}, {one.name}: ab{depth} against ab{other}"
        figures[what] = _played(request, name, one, depth, other)
        low, high = _printed(name, depth, other)
        rows.append(row(what, figures[what], (low, high), reference=PRINTED_GAMES / 2))
        result = _result(request, rows, figures)
        request.progress(number + 1, len(jobs))
        request.shown(result)
    return result


def _depths(name: str) -> Sequence[tuple[int, int]]:
    """Return the depths of evolved players and guides in one of the paper's tables."""
    found = {(kind.depth, other) for kind in TABLES[name].kinds for other in kind.printed}
    return sorted(found)


def _printed(name: str, depth: int, other: int) -> tuple[float, float]:
    """Return the range of what the table prints for these depths."""
    scores = [
        score
        for kind in TABLES[name].kinds
        for score in kind.printed.get(other, ())
        if kind.depth == depth
    ]
    return min(scores), max(scores)


def _played(request: Request, name: str, one: ByHand, depth: int, other: int) -> Figure:
    game = TABLES[name].game
    text = one.tree if one.tree.startswith("(") else f"( {one.tree} )"
    tree = gp.parse_tree(text, PRIMITIVE_SETS[one.primitives])
    player = AlphaBeta(
        evaluator=TreeEvaluator(tree=tree), depth=depth, view="turn", ties="random",
        ordering="killer",
    )  # fmt: skip
    result = match(
        player,
        guide(game, other, request.rules if game == "checkers-10" else "corners"),
        game=game,
        games=_GAMES[request.scale],
        openings=None,
        seed=_native.Stream(request.seed, "by hand", one.name, depth, other).below(2**32),
        threads=request.threads,
    )
    return score_of(result, of=float(PRINTED_GAMES))


def _result(request: Request, rows: list[Row], figures: Mapping[str, Figure]) -> Result:
    chart = interval_chart(
        "Trees by hand", list(figures), [series("here", figures.values())],
        "points per 1,000 games", note="with 95 % intervals", reference=PRINTED_GAMES / 2,
    )  # fmt: skip
    return request.result(
        "benbassat",
        "hand",
        "Trees by hand",
        rows,
        unit=f"points per 1,000 games, of {_GAMES[request.scale]:,} from the start position",
        notes=(
            "The paper's column is the range of its evolved players at the same depths. Pieces and "
            "kings are counted by the extended set alone, all else by the paper's own primitives.",
            f"The guide of 10x10 is that of the reading {request.rules}.",
        ),
        charts=(chart,) if figures else (),
    )
