"""`evoply perft`: count the leaves of the tree of legal moves, to test rules and measure speed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.long_work import ending_early, give, say_estimate
from evoply.cli.output import Output, stderr
from evoply.cli.shared_options import (
    GAME_NAMES,
    USUAL_TERMS,
    Json,
    TimeLimit,
    Whole,
    WrittenTerms,
    only,
)

if TYPE_CHECKING:
    from evoply.protocols import Row

_SURVEY = 100_000
"""Leaves of the deepest count that an estimate of the whole is made from."""
_LARGEST = 1e300
_USUAL_TABLE = 9
"""The depth from which on a table is used by default."""


def perft(
    game: Annotated[str, Parameter(help=GAME_NAMES)],
    depth: Annotated[Whole, Parameter(validator=Number(gte=0, lte=100))],
    /,
    *,
    conditions: Annotated[WrittenTerms, only("start", "threads")] = USUAL_TERMS,
    time_limit: TimeLimit = None,
    table: bool | None = None,
    table_mib: Annotated[Whole, Parameter(validator=Number(gte=1, lte=1_000_000))] = 1024,
    json: Json = False,
) -> None:
    """Count the leaves of the tree of legal moves.

    A forced pass counts as a ply. A game that ends earlier counts as one leaf in
    Othello and as none in checkers, as in the published tables. Smaller depths are
    counted first, so that after Ctrl-C or --time-limit the deepest finished one is
    shown.

    Parameters
    ----------
    depth
        Plies to look ahead.
    table
        Count boards that are the same up to symmetry once: the same count, sooner. Default:
        from depth 9 on.
    table_mib
        Memory for these boards in MiB; where it is too little, counting takes longer.
    """
    from evoply.cli.player_texts import read_position

    start = read_position(game, conditions.start).position
    output = Output(json)
    count = partial(_count, start.kernel, start.row, conditions.threads, table, table_mib)
    survey = _survey(count, depth)
    result: dict[str, Any] = {
        "game": game,
        "depth": survey[-1][0],
        "leaves": survey[-1][1],
        "position": start.text(),
    }
    seconds = survey[-1][2]
    say_estimate(f"perft {game} {depth}", _estimate(survey, depth))
    with ending_early(time_limit) as early:
        # A count that will finish runs once; one that will not runs depth by depth.
        is_long = _estimate(survey, depth) >= _LONG
        for plies in range(survey[-1][0] + 1, depth + 1) if is_long else _last(survey, depth):
            leaves, seconds = count(plies)
            result |= {"depth": plies, "leaves": leaves}
            if is_long and plies < depth:
                stderr().print(f"depth {plies}: {leaves:,} leaves in {seconds:.3f} s")
    if early.is_stopped:
        message = f"stopped; depth {result['depth']} has {result['leaves']:,} leaves"
        give(output, {**result, "complete": False}, message)
    if early.is_late:
        output.say(f"The limit of {time_limit:g} s was reached before depth {depth} was counted.")
    output.say(
        f"{game}, depth {result['depth']}: {result['leaves']:,} leaves in {seconds:.3f} s, "
        f"{_rate(result['leaves'] / max(seconds, 1e-9))} leaves/s"
    )
    give(output, {**result, "complete": not early.is_late})


_LONG = 5.0
"""Seconds from which on every depth on the way is counted and shown."""

Count = tuple[int, int, float]
"""A depth, its leaves, and the seconds that counting took."""


def _survey(count: Callable[[int], tuple[int, float]], depth: int) -> list[Count]:
    """Return the counts of the first depths, which take no time, up to *depth*."""
    counts: list[Count] = []
    for plies in range(depth + 1):
        counts.append((plies, *count(plies)))
        if counts[-1][1] > _SURVEY:
            break
    return counts


def _last(survey: list[Count], depth: int) -> tuple[int, ...]:
    return () if survey[-1][0] == depth else (depth,)


def _count(
    kernel: str, row: Row, threads: int, table: bool | None, table_mib: int, depth: int
) -> tuple[int, float]:
    from evoply import _native

    began, has_table = perf_counter(), depth >= _USUAL_TABLE if table is None else table
    mib = table_mib if has_table else None
    leaves = _native.perft(kernel, row, depth, threads=threads, table_mib=mib)
    return leaves, perf_counter() - began


def _estimate(survey: list[Count], depth: int) -> float:
    """Return the seconds that *depth* will take if the tree goes on growing as it does."""
    plies, leaves, seconds = survey[-1]
    if plies >= depth or not leaves or len(survey) < 3:
        return 0.0
    growth = max(leaves / max(survey[-3][1], 1), 1.0) ** 0.5
    # Beyond that nobody waits, and floating-point numbers end.
    factor = min(growth ** min(depth - plies, 200), _LARGEST)
    return float(max(seconds, 1e-4) * factor)


def _rate(rate: float) -> str:
    for unit, name in ((1e9, " G"), (1e6, " M")):
        if rate >= unit:
            return f"{rate / unit:.2f}{name}"
    return f"{rate:,.0f}"
