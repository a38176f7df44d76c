"""The fit of a selective search: how well shallow searches foretell the values of deep ones.

Positions come from games of the evaluator against itself, one ply ahead with some random moves.
Each is searched to every depth, exactly; deep values are then regressed on shallow ones, for every
pair of depths and stage. Source: Buro (1997), see `evoply.players.selectivity`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players import AlphaBeta
from evoply.players.selectivity import Cut, Foretelling
from evoply.protocols import CERTAIN, Position

PAIRS: Mapping[int, int] = MappingProxyType(
    {3: 1, 4: 2, 5: 1, 6: 2, 7: 3, 8: 4, 9: 3, 10: 4, 11: 5, 12: 4}
)
"""Depths, and the shallow ones that foretell them: an even number of plies less, because the side
that moves last matters to a value."""

_AT_ONCE = 32
"""Positions that are searched side by side, on all cores."""
_RANDOM_MOVES = 0.1
_OPENING = (4, 12)
_MOST_PLIES = 200
"""Most plies of a game from which positions are taken: where pieces move, it need not end."""


@dataclass(frozen=True)
class ValuesByDepth:
    """The values of positions by depth, for the side to move."""

    pieces: NDArray[np.int64]
    """Number of pieces on the board of each position."""
    values: Mapping[int, NDArray[np.float64]]
    """One value a position for each depth."""


def measured_values(
    player: AlphaBeta,
    program: _native.Program,
    game: str,
    *,
    stages: Sequence[int],
    positions: int,
    depth: int,
    seed: int,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> ValuesByDepth:
    """Return the values of *positions* positions of every stage at the depths of `PAIRS`.

    No depth is greater than *depth*. *player* decides how leaves are seen; *program* is its lowered
    evaluator. *progress* gets the number of searched positions, and that of all.
    """
    stream = Stream(seed, "fitting")
    chosen = _positions(player, program, game, stages, positions, stream)
    depths = sorted({ply for deep, low in PAIRS.items() if deep <= depth for ply in (deep, low)})
    searches = [_searcher(player, program, game, depth) for depth in depths]
    values: dict[int, list[float]] = {depth: [] for depth in depths}
    for first in range(0, len(chosen), _AT_ONCE):
        rows = [position.row for position in chosen[first : first + _AT_ONCE]]
        batch = _native.Positions(game_rules(game).kernel, rows)
        keys = np.full(len(rows), stream.key, dtype=np.uint64)
        for plies, search in zip(depths, searches, strict=True):
            _, scores = batch.choose(search, keys, threads=0)
            values[plies] += scores.tolist()
        progress(first + len(rows), len(chosen))
    pieces = np.array([_pieces(position) for position in chosen], dtype=np.int64)
    return ValuesByDepth(pieces, {plies: np.array(column) for plies, column in values.items()})


def fitted_cuts(measured: ValuesByDepth, game: str, stages: Sequence[int]) -> tuple[Cut, ...]:
    """Return how shallow values foretell deep ones in each stage, by least squares.

    A depth is left out if a stage has fewer than three positions from which neither search
    reaches the end of the game, or if deep values do not rise with shallow ones.
    """
    rules = game_rules(game)
    # A search of all moves that are left ends the game.
    left = [rules.moves_left(int(pieces)) for pieces in measured.pieces]
    longest = np.array([np.inf if moves is None else moves for moves in left])
    stage_of = np.searchsorted(np.array(stages), measured.pieces, side="right")
    cuts = []
    for deep, shallow in PAIRS.items():
        if deep not in measured.values:
            continue
        x, y = measured.values[shallow], measured.values[deep]
        is_open = (np.abs(x) < CERTAIN) & (np.abs(y) < CERTAIN)
        is_open &= deep < longest
        lines: list[Foretelling] = []
        for stage in range(len(stages) + 1):
            here = is_open & (stage_of == stage)
            line = _line(x[here], y[here])
            if line is None and lines:
                # No search of this depth ends within such a stage, so its line is never used.
                line = lines[-1]
            if line is not None:
                lines.append(line)
        if len(lines) == len(stages) + 1:
            cuts.append(Cut(depth=deep, shallow=shallow, lines=tuple(lines)))
    return tuple(cuts)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> Foretelling | None:
    if len(x) < 3 or np.ptp(x) == 0:
        return None
    centred = x - x.mean()
    slope = float(centred @ (y - y.mean()) / (centred @ centred))
    offset = float(y.mean() - slope * x.mean())
    sigma = float(np.sqrt(np.sum((y - slope * x - offset) ** 2) / (len(x) - 2)))
    # Rounded, so that a file does not depend on how a library adds.
    line = (round(slope, 4), round(offset, 4), round(sigma, 4))
    return line if line[0] > 0 else None


def _searcher(player: AlphaBeta, program: _native.Program, game: str, depth: int) -> _native.Player:
    exact = {"selective": None, "temperature": None, "endgame": 0, "epsilon": 0.0}
    table = 16 if depth > 4 else 0
    return player.model_copy(
        update={**exact, "depth": depth, "table": table, "ties": "first"}
    ).with_program(game, program)


def _positions(
    player: AlphaBeta,
    program: _native.Program,
    game: str,
    stages: Sequence[int],
    wanted: int,
    stream: Stream,
) -> list[Position]:
    """Return *wanted* positions of every stage, in the order of games and plies.

    A stage that games hardly reach has fewer.
    """
    mover = player.model_copy(update={"depth": 1, "epsilon": _RANDOM_MOVES, "selective": None})
    native, rules = mover.with_program(game, program), game_rules(game)
    of_stage: list[list[Position]] = [[] for _ in range(len(stages) + 1)]
    for number in range(50 * max(wanted, 1)):
        if all(len(stage) >= wanted for stage in of_stage):
            break
        key = stream.child(number)
        opening = _native.Positions.random(rules.kernel, 1, key.child(0).key, *_OPENING)
        position = rules.position_from_row(opening[0])
        in_game: list[list[Position]] = [[] for _ in of_stage]
        while position.outcome() is None and position.row[4] < _MOST_PLIES:
            stage = int(np.searchsorted(np.array(stages), _pieces(position), side="right"))
            if len(position.legal_moves) > 1:
                in_game[stage].append(position)
            code = _native.analyse(native, *position.row, key.key)[0]
            position = position.play(rules.move_from_code(code))
        # One of each stage, because positions of a game are alike.
        for positions, candidates in zip(of_stage, in_game, strict=True):
            if candidates and len(positions) < wanted:
                positions.append(candidates[key.child(1).below(len(candidates))])
    return [position for stage in of_stage for position in stage]


def _pieces(position: Position) -> int:
    black, white, *_ = position.row
    return (black | white).bit_count()
