"""Labelled choices: what a teacher says of every move of positions, and weights fitted to it.

Only the order of the boards after the moves of one position matters to a player. So weights of
features are fitted to what choices lose, not to values: a player that chooses each move with the
probability softmax(weights * features) loses some of the teacher's units (of `strong`: discs) a
move on average, and the weights make that as little as possible. The fit starts from the weights
whose softmax comes nearest to that of the teacher's values, where there is one minimum only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.expressions import Number, board, outputs_to_json
from evoply.games import game_rules
from evoply.players import AlphaBeta, PlayerKind, ValuingPlayer, model_of
from evoply.players.grammar import read_player_of
from evoply.players.kernel_seat import ALL_MOVES
from evoply.protocols import CERTAIN, Row

Array = NDArray[np.float64]
_AT_A_TIME = 500
"""Positions between two reports of progress, which also allow Ctrl-C."""
_MOST_LOST = 4.0
"""A move loses at most so many times what a worse move usually (in the median) loses: about 30
discs of `strong`."""
_SOFTNESS = 0.5
"""The temperature of the choices that a fit starts from, in the same unit: about 4 discs."""
_PENALTY = 1e-4
"""Penalty of the squares of weights, for columns of equal size and losses of usual size."""

_EXACT = 1e-7
"""A fit ends when a step lessens the loss by a smaller share."""
_HALVINGS = 30
_KEPT = 1e-4
"""The share of the promised descent that a step must keep."""
_NOTHING = 1e-9
"""A share of a variance that rounding may leave of nothing."""


@dataclass(frozen=True, slots=True)
class DecisionPositions:
    """Positions of games, with two legal moves or more."""

    rows: list[Row]
    games: NDArray[np.int64]
    """The game of each."""
    points: Array
    """Points of the side to move at the end of that game: 1, 0.5 or 0."""


@dataclass(frozen=True, slots=True)
class Choices:
    """The boards after every move of some positions, and what a teacher says of them.

    Each position has two boards or more. Of all that is by board, those of a position are together.
    """

    rows: list[Row]
    """The boards, each seen by the side that chose: own is that side, as the kernel evaluates."""
    values: Array
    """The teacher's value of each; greater is better for the side that chooses."""
    position: NDArray[np.int64]
    """The position of each, from 0 upwards without a gap."""
    games: NDArray[np.int64]
    """The game of each."""
    clock: Array
    """The clock of the position of each, from 0 to 1."""

    def __len__(self) -> int:
        """Return the number of positions."""
        return int(self.position[-1]) + 1 if len(self.position) else 0

    def part(self, chosen: NDArray[np.bool_]) -> Choices:
        """Return some of the boards: all of a position, or none."""
        _, position = np.unique(self.position[chosen], return_inverse=True)
        return Choices(
            [self.rows[index] for index in np.flatnonzero(chosen)],
            self.values[chosen],
            position.astype(np.int64),
            self.games[chosen],
            self.clock[chosen],
        )

    def sample(self, most: int) -> Choices:
        """Return at most *most* positions, from all games alike."""
        if len(self) <= most:
            return self
        return self.part(np.isin(self.position, np.arange(most) * len(self) // most))

    @property
    def begins(self) -> NDArray[np.int64]:
        """The first board of each position."""
        return np.searchsorted(self.position, np.arange(len(self)))

    @property
    def lost(self) -> Array:
        """What each move loses against the best of its position, in the teacher's units."""
        if not len(self):
            return np.zeros(0)
        lost: Array = np.maximum.reduceat(self.values, self.begins)[self.position] - self.values
        return lost

    @property
    def usual_loss(self) -> float:
        """What a move that is not the best usually loses: the unit of a fit."""
        return _usual(self.lost)

    @property
    def chances(self) -> Array:
        """The probability to see a board when a position and a move of it are drawn."""
        sizes = np.bincount(self.position)[self.position]
        return 1 / (sizes * max(len(self), 1))

    def spread(self, columns: Array) -> Array:
        """Return the standard deviation of each of *columns* among the boards of a position."""
        if not len(self):
            return np.zeros(columns.shape[1])
        sizes = np.diff(np.append(self.begins, len(self.rows)))
        sums = np.add.reduceat(columns, self.begins)
        squares = (columns**2).sum(axis=0) - (sums**2 / sizes[:, np.newaxis]).sum(axis=0)
        spread: Array = np.sqrt(np.maximum(squares, 0) / len(columns))
        return spread

    def best(self, values: Array) -> NDArray[np.int64]:
        """Return the board of the first greatest of *values* in each position."""
        if not len(self):
            return np.zeros(0, dtype=np.int64)
        most = np.maximum.reduceat(values, self.begins)[self.position]
        places = np.where(values == most, np.arange(len(values)), len(values))
        best: NDArray[np.int64] = np.minimum.reduceat(places, self.begins)
        return best


def choices_of(
    teacher: object,
    game: str,
    *,
    games: int,
    seed: int,
    random_moves: float = 0.1,
    opening_plies: int = 4,
    players: Sequence[object] = (),
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Choices:
    """Return *teacher*'s values of the moves in positions of *games* games.

    The teacher plays with itself; with *players*, all of them and the teacher play against each
    other. Each game begins with *opening_plies* random plies, and a later move is random with the
    probability *random_moves*. All players are texts, trees or players as data. *progress* gets the
    share that is done. The answer is the same for any number of *threads*. Raises `ValueError` for
    a teacher that does not value boards.
    """
    models = [model_of(read_player_of(player, game)) for player in (teacher, *players)]
    valuing = models[0].valuing()
    if valuing is None:
        raise ValueError(f"{models[0].label}: this player has no values of boards")
    met = boards_met(
        # The search inside `strong` can err, `strong` itself cannot.
        [model.valuing() or model for model in models],
        game,
        games=games,
        seed=seed,
        random_moves=random_moves,
        opening_plies=opening_plies,
        threads=threads,
    )
    return choices_in(valuing, game, met, seed=seed, threads=threads, progress=progress)


def boards_met(
    players: Sequence[PlayerKind],
    game: str,
    *,
    games: int,
    seed: int,
    random_moves: float,
    opening_plies: int,
    threads: int = 0,
) -> DecisionPositions:
    """Return the positions of *games* games of *players* with each other, who err now and then.

    One player plays with itself.
    """
    erring = [player.erring(random_moves) for player in players]
    rules = game_rules(game)
    start = rules.start().row
    pairs = np.arange((games + 1) // 2)
    schedule = Schedule.pairs(
        (pairs % len(erring)).astype(np.uint32),
        (pairs // len(erring) % len(erring)).astype(np.uint32),
        stream=Stream(seed, "boards"),
        opening_plies=opening_plies,
        start=start,
    )
    results = play(game, erring, schedule, threads=threads, record_moves=True)
    rows: list[Row] = []
    of_game: list[int] = []
    points: list[float] = []
    for number, (codes, black) in enumerate(
        zip(results.moves or [], results.black_points.tolist(), strict=True)
    ):
        along = _native.rows_along(rules.kernel, start, codes)
        for row in along[opening_plies:]:
            if len(_native.legal_moves(rules.kernel, row)) > 1:
                rows.append(row)
                of_game.append(number)
                points.append(black if row[3] else 1 - black)
    return DecisionPositions(rows, np.array(of_game, dtype=np.int64), np.array(points))


def choices_in(
    teacher: ValuingPlayer,
    game: str,
    met: DecisionPositions,
    *,
    seed: int,
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Choices:
    """Return *teacher*'s values of the moves in the positions *met*.

    Positions are left out where a move ends the game, which every player sees by itself, and where
    the best value is the end of the game, because this is no opinion on a board. So the exact
    solver is not asked. Where only worse moves lose for certain, seen by a search or by a guard,
    they lose as much as a move can: a few times what worse moves usually lose.
    """
    rules = game_rules(game)
    kernel = rules.kernel
    if isinstance(teacher, AlphaBeta):
        teacher = teacher.model_copy(update={"endgame": 0})
    keys = Stream(seed, "values").keys(len(met.rows))
    clocks = values_at([board.t], game, met.rows)[:, 0]
    rows: list[Row] = []
    values: list[float] = []
    kept: list[int] = []
    sizes: list[int] = []
    value_all = _values_of_moves(teacher, game)
    for first in range(0, len(met.rows), _AT_A_TIME):
        if progress is not None:
            progress(first / len(met.rows))
        batch: list[_Decision] = []
        for number in range(first, min(first + _AT_A_TIME, len(met.rows))):
            row = met.rows[number]
            codes = _native.legal_moves(kernel, row)
            after = [_native.row_after(kernel, row, code) for code in codes]
            if all(_native.legal_moves(kernel, next_row) for next_row in after):
                batch.append(_Decision(number, row, codes, after, int(keys[number])))
        for decision, known in zip(batch, value_all(batch, threads), strict=True):
            if known is None or abs(max(known)) >= CERTAIN:
                continue
            side = decision.row[3]
            rows += [(*next_row[:3], side, *next_row[4:]) for next_row in decision.after]
            values += known
            kept.append(decision.number)
            sizes.append(len(known))
    numbers = np.repeat(np.array(kept, dtype=np.int64), sizes)
    position = np.repeat(np.arange(len(kept)), sizes)
    return Choices(
        rows, _clipped(np.array(values), sizes), position, met.games[numbers], clocks[numbers]
    )


def _clipped(values: Array, sizes: Sequence[int]) -> Array:
    """Return *values*, of positions with *sizes*, none of them much below the best there."""
    if not sizes:
        return values
    best = np.repeat(np.maximum.reduceat(values, np.cumsum([0, *sizes[:-1]])), sizes)
    return np.maximum(values, best - _MOST_LOST * _usual(best - values))


def _usual(lost: Array) -> float:
    some = lost[(lost > 0) & (lost < CERTAIN)]
    return float(np.median(some)) if len(some) else 1.0


@dataclass(frozen=True, slots=True)
class _Decision:
    """A position, and the positions after its moves."""

    number: int
    row: Row
    codes: list[int]
    after: list[Row]
    key: int


_Values = Callable[[Sequence[_Decision], int], Iterator[list[float] | None]]
"""Yields the values of all moves of each decision, or None if a search saw the ends of all."""


def _values_of_moves(teacher: ValuingPlayer, game: str) -> _Values:
    rules = game_rules(game)
    native = teacher.native(game)

    def analysed(decisions: Sequence[_Decision], _: int) -> Iterator[list[float] | None]:
        for decision in decisions:
            answer = _native.analyse(native, *decision.row, decision.key, best=ALL_MOVES)
            known = {code: value for code, value, _ in answer[6]}
            is_seen = _is_to_the_end(decision, answer[4])
            yield None if is_seen else [known[code] for code in decision.codes]

    def searched(decisions: Sequence[_Decision], threads: int) -> Iterator[list[float] | None]:
        unsolved = [decision for decision in decisions if not _is_to_the_end(decision, depth)]
        after = [row for decision in unsolved for row in decision.after]
        keys = np.array([each.key for each in unsolved for _ in each.after], dtype=np.uint64)
        found = _native.Positions(rules.kernel, after).choose(replies, keys, threads=threads)[1]
        scores = iter(found.tolist())
        for decision in decisions:
            yield (
                None
                if _is_to_the_end(decision, depth)
                else [score_of(next(scores), row, decision) for row in decision.after]
            )

    def score_of(score: float, row: Row, decision: _Decision) -> float:
        if np.isnan(score):  # there is one reply only, which was not searched
            score = _native.analyse(replies, *row, decision.key, best=1)[6][0][1]
        return score if row[3] == decision.row[3] else -score

    def _is_to_the_end(decision: _Decision, depth: int) -> bool:
        row = decision.row
        left = rules.moves_left((row[0] | row[1]).bit_count())
        return left is not None and depth >= left

    if not (
        isinstance(teacher, AlphaBeta)
        and teacher.depth > 1
        and teacher.view == "turn"
        and teacher.temperature is None
        and not (teacher.is_limited or teacher.draws_leaves)
    ):
        return analysed
    # Many searches in one call, each for the best reply, are faster than values of all moves.
    depth = teacher.depth
    shallower = {"depth": depth - 1, "epsilon": 0.0, "ties": "first"}
    replies = teacher.model_copy(update=shallower).native(game)
    return searched


def values_at(expressions: Sequence[Number], game: str, rows: Sequence[Row]) -> Array:
    """Return the values of *expressions*, a column each, at each of *rows*."""
    rules = game_rules(game)
    program = _native.Program(rules.kernel, outputs_to_json(list(expressions), rules.shape))
    return program.evaluate(_native.Positions(rules.kernel, rows))


# The fit. A position's boards stand together, so sums of positions are taken by `reduceat`.


def expected_loss(choices: Choices, counted: Array, weights: Array) -> float:
    """Return what a player loses a move on average, in the teacher's units.

    It chooses a move with the probability softmax(*counted* @ *weights*) among those of a position;
    *counted* has the features of each board.
    """
    return loss_and_slope(choices, counted, weights)[0]


def loss_and_slope(choices: Choices, counted: Array, weights: Array) -> tuple[float, Array]:
    """Return `expected_loss` and its slope, an entry for each of *weights*."""
    return LossFit(choices).loss(np.ascontiguousarray(counted.T), weights)


def slope_by_board(choices: Choices, values: Array) -> Array:
    """Return the slope of `expected_loss` with the value of each board, where they are *values*."""
    return LossFit(choices).slope_by_board(values)


def fitted_weights(choices: Choices, counted: Array, start: Array | None = None) -> Array:
    """Return the weights of the columns of *counted* with the least `expected_loss`.

    The search begins at *start*, or else at the weights whose softmax comes nearest to that of the
    teacher's values; a small penalty keeps the weights finite. A column that is equal on the boards
    of each position decides nothing and gets 0. The same input gives the same weights.
    """
    return LossFit(choices).fitted(np.ascontiguousarray(counted.T), start)[0]


_Loss = Callable[[Array, Array], tuple[float, Array]]


class LossFit:
    """The choices as a fit needs them; columns are rows of its matrices, which is fast."""

    def __init__(self, choices: Choices) -> None:
        self.position = choices.position
        self.begins = choices.begins
        self.count = len(choices)
        self.sizes = np.diff(np.append(self.begins, len(choices.rows)))
        self.lost = choices.lost
        self.usual = _usual(self.lost)
        self.target = self._softmax(-self.lost / (_SOFTNESS * self.usual))

    def loss(self, columns: Array, weights: Array) -> tuple[float, Array]:
        """Return the expected loss and its slope."""
        if not self.count:
            return 0.0, np.zeros(len(weights))
        share = self._softmax(np.einsum("i,ij->j", weights, columns))
        loss = np.einsum("i,i->", share, self.lost) / self.count
        return float(loss), np.einsum("ij,j->i", columns, self._pull(share))

    def slope_by_board(self, values: Array) -> Array:
        """Return the slope of the loss for a column that is 1 on one board and 0 elsewhere."""
        return self._pull(self._softmax(values))

    def _pull(self, share: Array) -> Array:
        mean = np.add.reduceat(share * self.lost, self.begins)
        pull: Array = share * (self.lost - mean[self.position]) / self.count
        return pull

    def distance(self, columns: Array, weights: Array) -> tuple[float, Array]:
        """Return how far the choices are from the soft ones (cross entropy), and its slope."""
        values = np.einsum("i,ij->j", weights, columns)
        share, logarithm = self._softmax(values), self._logarithms(values)
        slope = np.einsum("ij,j->i", columns, share - self.target) / self.count
        return float(-np.einsum("i,i->", self.target, logarithm) / self.count), slope

    def fitted(
        self, columns: Array, start: Array | None = None, rounds: int = 200
    ) -> tuple[Array, float]:
        """Return the weights with the least loss, and that loss."""
        whitening = self.whitening(columns) if self.count else columns.T
        if not len(whitening):
            weights = np.zeros(len(columns))
            return weights, self.loss(columns, weights)[0]

        def least(loss: _Loss, unit: float, start: Array) -> Array:
            def penalised(white: Array) -> tuple[float, Array]:
                value, slope = loss(columns, white @ whitening)
                penalty = _PENALTY * float(white @ white)
                return value / unit + penalty, whitening @ slope / unit + 2 * _PENALTY * white

            return _minimum(penalised, start, rounds)

        if start is None:
            white = least(self.distance, 1.0, np.zeros(len(whitening)))
        else:
            white = np.asarray(np.linalg.lstsq(whitening.T, start)[0], dtype=np.float64)
        weights = least(self.loss, self.usual, white) @ whitening
        return weights, self.loss(columns, weights)[0]

    def seen(self, column: Array) -> float:
        """Return the share of positions in which *column* tells moves apart."""
        most = np.maximum.reduceat(column, self.begins)
        least = np.minimum.reduceat(column, self.begins)
        return float((most > least).mean())

    def whitening(self, columns: Array) -> Array:
        """Return sums of columns that do not go together among the boards of a position.

        Each has the standard deviation 1 there; in these a fit takes a tenth of the steps. There
        are fewer than columns if some are constant in each position, or sums of others.
        """
        sums = np.add.reduceat(columns, self.begins, axis=1)
        together = np.einsum("ij,kj->ik", columns, columns) - np.einsum(
            "ij,kj->ik", sums, sums / self.sizes
        )
        scale = np.sqrt(np.maximum(np.diagonal(together), 0) / len(self.lost))
        scale = np.where(scale > _NOTHING * np.abs(columns).max(axis=1, initial=0.0), scale, np.inf)
        squares, vectors = np.linalg.eigh(together / len(self.lost) / np.outer(scale, scale))
        is_there = squares > _NOTHING
        whitening: Array = (vectors / scale[:, np.newaxis])[:, is_there] / np.sqrt(
            squares[is_there]
        )
        return whitening.T

    def _softmax(self, values: Array) -> Array:
        """Return the probability of each board in its position."""
        return np.exp(self._logarithms(values))

    def _logarithms(self, values: Array) -> Array:
        """Return the logarithms of the probabilities of softmax in each position."""
        if not self.count:
            return values
        below = values - np.maximum.reduceat(values, self.begins)[self.position]
        whole = np.log(np.add.reduceat(np.exp(below), self.begins))
        logarithms: Array = below - whole[self.position]
        return logarithms


def _minimum(loss: Callable[[Array], tuple[float, Array]], start: Array, rounds: int) -> Array:
    """Return where *loss*, given with its slope, is least; by BFGS, downhill from *start*.

    A step is halved until it keeps some of what the slope promises (Nocedal & Wright, "Numerical
    optimization", 2006, algorithms 3.1 and 6.1). For few weights this is faster than a library's,
    whose threads wait for each other.
    """
    point, (value, slope) = start, loss(start)
    inverse = np.eye(len(start))
    for number in range(rounds):
        step = -inverse @ slope
        promise = float(slope @ step)
        size = 1.0 if number else 1.0 / max(1.0, float(np.sqrt(slope @ slope)))
        for _ in range(_HALVINGS):
            there, slope_there = loss(point + size * step)
            if there <= value + _KEPT * size * promise:
                break
            size /= 2
        else:
            break
        moved, turned = size * step, slope_there - slope
        bend = float(moved @ turned)
        if bend > 0:
            if not number:
                inverse *= bend / float(turned @ turned)
            left = np.eye(len(start)) - np.outer(moved, turned) / bend
            inverse = left @ inverse @ left.T + np.outer(moved, moved) / bend
        gain = value - there
        point, value, slope = point + moved, there, slope_there
        if gain <= _EXACT * max(abs(value), 1.0):
            break
    return point
