"""Pattern tables fitted to labels, which deeper searches and the exact solver give to boards.

Stages are fitted from the end of the game backwards, each with labels that use the tables of the
next. Positions come from games of the tables against themselves, one ply ahead with some random
moves. The boards after all moves of a position are labelled, because a player compares them: with
tanh of the value of a search of some plies (as in learning by play), or with the winner if it is
known. A logistic regression of the labels then gives the entries of a stage, with the entries
learned before as the prior. Sources: Buro, "Improving heuristic mini-max
search by supervised learning" (2002); Veness et al., "Bootstrapping from game tree search" (2009).

The regression adds numbers in a fixed order and takes nothing from a library of linear algebra, so
the same labels give the same bits on every machine.

Reasons: docs/design/learning.md.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena import Schedule
from evoply.arena.schedule import play_in_kernel
from evoply.expressions import OTHELLO_PATTERNS, number, symmetric_copies
from evoply.expressions.square_sets import square_index
from evoply.games import GameRules, game_rules
from evoply.learning.pattern_config import LabelSettings, PatternConfig
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.processes import core_count
from evoply.protocols import Row

_FINISHED = 1e12
"""Values beyond this are those of finished games."""
_HELD_OUT = 10
"""Every tenth position is not learned from but decides when to stop."""
_GAMES_AT_ONCE = 2_000
_POSITIONS_AT_ONCE = 50

_PASSES_BETWEEN_TESTS = 5

Array = NDArray[np.float64]
Boards = tuple[NDArray[np.int32], Array]
"""The entries of boards, see `places`, and their labels."""
Fit = tuple[Array, float]
"""Parameters, and the remaining error."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Boards after the moves of some positions, and their values for the side to move."""

    rows: list[Row]
    labels: Array
    """From -1 to 1."""
    position: NDArray[np.int64]
    """The position of each, ascending."""


def refitted(
    config: PatternConfig,
    program: _native.Program,
    parameters: Array,
    *,
    stage: int,
    stream: Stream,
    threads: int = 0,
) -> Fit:
    """Return *parameters* with those of one *stage* fitted to labels, and the remaining error.

    The error is that of `fitted` on positions held out. *program* is the
    sum of the patterns of *config*, lowered with parameters kept; *threads*: 0 for all cores, which
    do not change the answer.
    """
    assert config.labels is not None, "the caller checks labels"
    boards = labelled_boards(
        config, program.with_parameters(parameters), stage=stage, stream=stream, threads=threads
    )
    if not boards.rows:
        return parameters, 0.0
    where = places(config, boards.rows, stage)
    test = boards.position % _HELD_OUT == _HELD_OUT - 1
    return fitted(
        parameters,
        (where[:, ~test], boards.labels[~test]),
        (where[:, test], boards.labels[test]),
        config.labels,
    )


def labelled_boards(
    config: PatternConfig,
    program: _native.Program,
    *,
    stage: int,
    stream: Stream,
    threads: int = 0,
) -> Labelled:
    """Return the boards of *stage* after all moves of positions from own games, with labels."""
    settings = config.labels
    assert settings is not None, "the caller checks labels"
    positions = _positions(config, program, settings, stage, stream, threads)
    search = search_of_tables(config, settings.depth + 1, endgame=settings.endgame)
    searcher = search.with_program(config.game, program)
    blocks = [
        positions[first : first + _POSITIONS_AT_ONCE]
        for first in range(0, len(positions), _POSITIONS_AT_ONCE)
    ]
    label = partial(_label, config, searcher, stage, stream.child("labels").key)
    workers = ThreadPoolExecutor(threads or core_count())
    try:
        answers = list(workers.map(label, blocks))
    finally:
        workers.shutdown(wait=True, cancel_futures=True)
    rows: list[Row] = []
    labels: list[float] = []
    position: list[int] = []
    for number_of_block, answer in enumerate(answers):
        for index, row, value in answer:
            rows.append(row)
            labels.append(value)
            position.append(number_of_block * _POSITIONS_AT_ONCE + index)
    return Labelled(rows, np.array(labels), np.array(position, dtype=np.int64))


def _label(
    config: PatternConfig, searcher: _native.Player, stage: int, key: int, block: Sequence[Row]
) -> list[tuple[int, Row, float]]:
    kernel = game_rules(config.game).kernel
    answer: list[tuple[int, Row, float]] = []
    for index, row in enumerate(block):
        analysis = _native.analyse(searcher, *row, key, every_move=True)
        known, is_solved = analysis[6], analysis[7]
        for code, value in known:
            after = _native.row_after(kernel, row, code)
            if _stage(config, after) != stage or not _native.legal_moves(kernel, after):
                continue  # a finished game needs no label
            is_same_side = after[3] == row[3]
            worth = value if is_same_side else -value
            is_certain = is_solved or abs(worth) >= _FINISHED
            label = float(np.sign(worth)) if is_certain else float(squashed(np.array(worth)))
            answer.append((index, after, label))
    return answer


def _positions(
    config: PatternConfig,
    program: _native.Program,
    settings: LabelSettings,
    stage: int,
    stream: Stream,
    threads: int,
) -> list[Row]:
    """Return positions of own games whose moves lead to boards of *stage*, in the order of games.

    Games begin with 0 to `random_plies` random plies, in turn. There are fewer positions than
    wanted if games hardly reach the stage.
    """
    rules = game_rules(config.game)
    start = rules.start().row
    player = search_of_tables(config, 1, epsilon=config.epsilon).with_program(config.game, program)
    rows: list[Row] = []
    most = 20 * settings.positions
    for part in range(-(-most // _GAMES_AT_ONCE)):
        opening = part % (config.random_plies + 1)
        of_part = stream.child("games", part)
        schedule = Schedule.pairs(
            np.zeros(_GAMES_AT_ONCE // 2, dtype=np.uint32),
            np.zeros(_GAMES_AT_ONCE // 2, dtype=np.uint32),
            stream=of_part,
            opening_plies=opening,
            start=start,
        )
        games = play_in_kernel(config.game, [player], schedule, threads=threads, record_moves=True)
        for game, codes in enumerate(games.moves or ()):
            along = _native.rows_along(rules.kernel, start, codes)[opening:]
            candidates = [row for row in along if _leads_to(config, row) == stage]
            draws = of_part.child("positions", game)
            for _ in range(min(settings.of_game, len(candidates))):
                row = candidates.pop(draws.below(len(candidates)))
                if len(_native.legal_moves(rules.kernel, row)) > 1:
                    rows.append(row)
            if len(rows) >= settings.positions:
                return rows[: settings.positions]
    return rows


def search_of_tables(
    config: PatternConfig, depth: int, *, endgame: int = 0, epsilon: float = 0.0
) -> AlphaBeta:
    """Return the player that searches for the tables; its evaluator is a placeholder."""
    rules = game_rules(config.game)
    return AlphaBeta(
        evaluator=ExpressionEvaluator(expression=number(0.0).to_dict()),
        view="turn",
        ties="random",
        depth=depth,
        quiescence=rules.has_captures and depth > 1,
        endgame=endgame if rules.solver else 0,
        epsilon=epsilon,
    )


def _pieces(row: Row) -> int:
    return (row[0] | row[1]).bit_count()


def _stage_of(config: PatternConfig, pieces: int) -> int:
    return sum(least <= pieces for least in config.stages)


def _stage(config: PatternConfig, row: Row) -> int:
    return _stage_of(config, _pieces(row))


def _leads_to(config: PatternConfig, row: Row) -> int:
    """Return the stage of the boards after most moves of a position."""
    return _stage_of(config, _pieces(row) + game_rules(config.game).pieces_added)


def places(config: PatternConfig, rows: Sequence[Row], stage: int) -> NDArray[np.int32]:
    """Return the entries whose sum is the value of each board: a row a copy, a column a board.

    They are indices of the parameters of the sum, which adds the entries in this order.
    """
    rules = game_rules(config.game)
    digits = _digits(rows, rules)
    radix = 5 if rules.has_kings else 3
    offset, lines = 0, []
    for pattern in config.patterns:
        names = OTHELLO_PATTERNS.get(pattern.squares, pattern.squares).split()
        entries = radix ** len(names)
        for copy in symmetric_copies(
            names,
            rules.shape,
            rules.symmetries if pattern.symmetries is None else pattern.symmetries,
        ):
            index = np.zeros(len(rows), dtype=np.int32)
            for name in copy:
                index = index * radix + digits[:, square_index(rules.shape, name)]
            lines.append(index + np.int32(offset + stage * entries))
        offset += entries * (len(config.stages) + 1)
    return np.array(lines, dtype=np.int32)


def _digits(rows: Sequence[Row], rules: GameRules) -> NDArray[np.int32]:
    """Return the contents of every square as the side to move sees it, a row a board."""
    squares = rules.shape.squares
    digits = np.zeros((len(rows), squares), dtype=np.int32)
    black, white, kings = (_bits([row[part] for row in rows], squares) for part in range(3))
    is_black = np.array([row[3] for row in rows], dtype=np.bool_)[:, None]
    own, opponent = np.where(is_black, black, white), np.where(is_black, white, black)
    if rules.has_kings:
        digits[own & ~kings], digits[own & kings] = 1, 2
        digits[opponent & ~kings], digits[opponent & kings] = 3, 4
    else:
        digits[own], digits[opponent] = 1, 2
    return np.where(is_black, digits, digits[:, ::-1]) if rules.turns_board else digits


def _bits(sets: Sequence[int], squares: int) -> NDArray[np.bool_]:
    """Return sets of squares as truths, a row a set."""
    raw = b"".join(mask.to_bytes(16, "little") for mask in sets)
    packed = np.frombuffer(raw, dtype=np.uint8).reshape(len(sets), 16)
    bits = np.unpackbits(packed, axis=1, bitorder="little")[:, :squares]
    return np.asarray(bits, dtype=np.bool_)


def squashed(values: Array) -> Array:
    """Return tanh of *values* as the kernel computes it: a fraction of exact operations."""
    square = values * values
    above = values * (135_135.0 + square * (17_325.0 + square * (378.0 + square)))
    below = 135_135.0 + square * (62_370.0 + square * (3_150.0 + square * 28.0))
    return np.clip(above / below, -1.0, 1.0)


def fitted(parameters: Array, learned: Boards, test: Boards, settings: LabelSettings) -> Fit:
    """Return *parameters* with entries moved towards labels, and the error left on *test* boards.

    Boards are their `places` and their labels. Accelerated gradient steps minimise the sum of the
    logistic losses of those *learned* from, and of the squared changes times `pull` / 2 (Nesterov
    1983; without a rate to choose: an entry moves by its slope divided by a bound of the curvature
    there, the boards that hold it times the entries of a board). Every fifth pass measures the
    error on the test boards, and the entries with the least error are kept, those before the first
    pass included. The error is the root of the mean square, 0 without boards.
    """
    (where, labels), (tested, _) = learned, test
    times = np.bincount(where.reshape(-1), minlength=len(parameters))
    used = np.flatnonzero(times)
    # Only entries that occur on some board are used, so that passes are short.
    compact = np.zeros(len(parameters), dtype=np.int32)
    compact[used] = np.arange(len(used), dtype=np.int32)
    where = compact[where]
    before = parameters[used]
    curvature = len(where) * times[used] + settings.pull
    values, ahead = before, before
    best, least = parameters, _error(parameters, test)
    for step in range(settings.passes):
        error = labels - squashed(_sums(ahead, where))
        slope = -settings.pull * (ahead - before)
        for copy in where:
            slope += np.bincount(copy, weights=error, minlength=len(used))
        moved = ahead + slope / curvature
        ahead = moved + (step / (step + 3)) * (moved - values)
        values = moved
        if (step + 1) % _PASSES_BETWEEN_TESTS == 0 or step + 1 == settings.passes:
            after = parameters.copy()
            after[used] = values
            left = _error(after, test)
            if left < least or not tested.size:
                best, least = after, left
    return best, least


def _error(parameters: Array, boards: Boards) -> float:
    where, labels = boards
    left = labels - squashed(_sums(parameters, where))
    # Added one after another, unlike some library sums.
    return float(np.add.accumulate(left * left)[-1] / len(left)) ** 0.5 if len(left) else 0.0


def _sums(parameters: Array, where: NDArray[np.int32]) -> Array:
    """Return the sum of the entries of each board, added in the order of copies."""
    total = np.zeros(where.shape[1])
    for copy in where:
        total += parameters[copy]
    return total
