"""`evoply perft`: count the leaves of the tree of legal moves, to test rules and measure speed."""

from __future__ import annotations

from time import perf_counter
from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.options import GAME_NAMES, Json, Position, Threads, Whole
from evoply.cli.output import Output

__all__ = ["perft"]


def perft(
    game: Annotated[str, Parameter(help=GAME_NAMES)],
    depth: Annotated[Whole, Parameter(validator=Number(gte=0, lte=100))],
    /,
    *,
    position: Position = None,
    threads: Threads = 0,
    json: Json = False,
) -> None:
    """Count the leaves of the tree of legal moves.

    A forced pass counts as a ply. A game that ends earlier counts as one leaf in
    Othello and as none in checkers, as in the published tables.

    Parameters
    ----------
    depth
        Plies to look ahead.
    """
    from evoply import _native
    from evoply.cli.player_texts import read_position

    start = read_position(game, position).position
    output = Output(json)
    began = perf_counter()
    leaves = _native.perft(start.kernel, start.row, depth, threads=threads)
    seconds = perf_counter() - began
    output.say(
        f"{game}, depth {depth}: {leaves:,} leaves in {seconds:.3f} s, "
        f"{_rate(leaves / max(seconds, 1e-9))} leaves/s"
    )
    output.result({"game": game, "depth": depth, "leaves": leaves, "position": start.text()})


def _rate(rate: float) -> str:
    for unit, name in ((1e9, " G"), (1e6, " M")):
        if rate >= unit:
            return f"{rate / unit:.2f}{name}"
    return f"{rate:,.0f}"
