"""Distillation: a player's knowledge as a formula of a few terms, which a person can play by.

The teacher plays itself and errs now and then; in the positions it meets it values the board after
every move. A few of many readable features are chosen, whose weighted sum comes nearest to these
values, in differences between the moves of a position, because nothing else decides a move; a
better move counts more than a bad one. Then the weights are fitted to the teacher's choices
(conditional logit: McFadden, 1974), rounded to whole numbers, and judged on games that were not
used before.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from evoply.expressions import Number, PrimitiveSet, board, less, number, select
from evoply.expressions.written_form import FormulaNames
from evoply.learning.choices import Choices, choices_of, values_at
from evoply.learning.found_features import (
    Candidate,
    candidates_of_sets,
    chosen_columns,
    usual_sets,
)
from evoply.players import AlphaBeta, ExpressionEvaluator, model_of
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown, item_of

Array = NDArray[np.float64]
MOST_TERMS = 100
MOST_STAGES = 10
_LARGEST_WEIGHT = 100.0
"""Weights are whole numbers up to this."""
_HELD_OUT = 5
"""Every fifth game is held out, to judge by."""
_LEAST_WEIGHT = 0.1
"""Weight of a row whose move is hopeless; the row of the best move has 1."""
_PENALTY = 1e-4
"""Penalty of the squares of weights in the fit to choices, for columns of equal size."""


@dataclass(frozen=True, slots=True)
class FormulaTerm(JsonData):
    """A term of the formula: its feature, and its weight in each stage of the game."""

    name: str
    weights: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Distilled(JsonData, Shown):
    """A formula that stands for a player, and how well it agrees."""

    teacher: str
    game: str
    terms: tuple[FormulaTerm, ...]
    """The largest weights first."""
    ends: tuple[float, ...]
    """Where each stage but the last ends, by the clock of the position, from 0 to 1."""
    player: AlphaBeta = field(metadata={"json": ""})
    """The formula one ply ahead; `with_options` gives it another depth."""
    explained: float
    """The share of the differences between the teacher's values of moves (their squares) that the
    terms explain where they were chosen."""
    agreement: float
    """How often it chooses the teacher's move, on the positions held out."""
    by_chance: float
    """How often a random move would be the teacher's there."""
    positions: int
    """Number of positions learned from."""
    held_out: int
    seed: int

    def __str__(self) -> str:
        parts = (
            f"{'/'.join(f'{weight:+g}' for weight in term.weights)} {term.name}"
            for term in self.terms
        )
        return f"{', '.join(parts)}: the move of {self.teacher} in {self.agreement:.1%}"

    def shown(self) -> Page:
        """Return the terms with their weights."""
        columns = (
            Column("name", "what is counted", str),
            *(
                Column("weights", stage, "{:+g}".format, read=item_of("weights", place))
                for place, stage in enumerate(self.stages)
            ),
        )
        return Page(f"{self.teacher}, distilled", [Section("", columns, self.terms)])

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages in words, as heads of columns."""
        if not self.ends:
            return ("worth",)
        return (*(f"to {end:.0%}" for end in self.ends), "to the end")


def distil(
    player: object,
    *,
    terms: int = 10,
    stages: int = 1,
    game: str = "othello",
    primitives: Sequence[PrimitiveSet | str] | None = None,
    games: int = 500,
    seed: int = 1,
    random_moves: float = 0.1,
    opening_plies: int = 4,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[float], object] | None = None,
) -> Distilled:
    """Return *player* as a formula of at most *terms* terms.

    *player* is a text, a tree, or a player as data that values boards. The game is cut into
    *stages* of equal length by the clock of the position, and each has its own weights.
    *primitives* are sets, or their names, whose features the formula may use; by default those
    that fit the game. The teacher plays *games* games, one in five of them to judge by, each after
    *opening_plies* random plies and with *random_moves* as the probability of a random move.
    *progress* gets the share that is done. *runs* gives the champion for `champion@RUN`;
    `evoply.distil` looks among your runs. Raises `ValueError` for players that do not value boards.

    >>> formula = distil("mobility", terms=2, games=20)
    >>> [term.name for term in formula.terms], formula.agreement
    (['white_mobility - black_mobility'], 1.0)
    """
    _check(terms, stages, games)
    model = model_of(read_player_of(player, game, runs))
    teacher = model.valuing()
    if teacher is None:
        raise ValueError(f"{model.label}: this player has no values of boards to distil")
    teacher.check_fits(game)
    candidates = candidates_of_sets(usual_sets(game) if primitives is None else primitives, game)
    boards = choices_of(
        teacher,
        game,
        games=games,
        seed=seed,
        random_moves=random_moves,
        opening_plies=opening_plies,
        threads=threads,
        progress=progress,
    )
    data = _Data(
        boards, values_at([candidate.expression for candidate in candidates], game, boards.rows)
    )
    is_held_out = boards.games % _HELD_OUT == 0
    learned, judged = data.part(~is_held_out), data.part(is_held_out)
    if not len(learned.begins):
        raise ValueError("games: no position was met that leaves a choice: play more games")
    ends = tuple(stage / stages for stage in range(1, stages))
    chosen = chosen_columns(learned.by_stage(ends, _near), terms)
    columns = list(chosen.columns)
    weights = np.array(
        [
            _whole(_fit_weights(part, columns, start))
            for part, start in zip(learned.stages(ends), chosen.weights, strict=True)
        ]
    )[_nearest_met(learned.stages(ends))]
    named = [candidates[column] for column in columns]
    names = FormulaNames(
        {each.expression: each.name for each in candidates if not each.is_difference}
    )
    order = sorted(range(len(columns)), key=lambda index: -float(np.abs(weights[:, index]).max()))
    parts = judged.stages(ends)
    hits = sum(part.hits(columns, row) for part, row in zip(parts, weights, strict=True))
    count = sum(len(part.begins) for part in parts)
    return Distilled(
        teacher=teacher.label if teacher.name is None else teacher.name,
        game=game,
        terms=tuple(
            FormulaTerm(named[index].name, tuple(weights[:, index].tolist())) for index in order
        ),
        ends=ends,
        player=_player(named, weights, ends, names),
        explained=chosen.share,
        agreement=hits / max(count, 1),
        by_chance=float(np.mean(1 / judged.sizes)) if count else 0.0,
        positions=len(learned.begins),
        held_out=count,
        seed=seed,
    )


class _Data:
    """Rows of boards after the moves of positions, and the candidates' values on them."""

    def __init__(self, boards: Choices, counted: Array) -> None:
        self.counted = counted
        self.values = boards.values
        _, self.begins, self.of, self.sizes = np.unique(
            boards.position, return_index=True, return_inverse=True, return_counts=True
        )
        self._boards = boards

    def part(self, chosen: NDArray[np.bool_]) -> _Data:
        """Return some rows, of whole positions."""
        return _Data(self._boards.part(chosen), self.counted[chosen])

    def stages(self, ends: Sequence[float]) -> list[_Data]:
        """Return the rows of each stage."""
        stage = np.searchsorted(np.array(ends), self._boards.clock, side="right")
        return [self.part(stage == number) for number in range(len(ends) + 1)]

    def by_stage(
        self, ends: Sequence[float], weigh: Callable[[_Data], Array]
    ) -> list[tuple[Array, Array, Array]]:
        """Return the parts for `chosen_columns`: differences to the mean of each position."""
        return [
            (part.centred(part.counted, weight), part.centred(part.values, weight), weight)
            for part in self.stages(ends)
            for weight in [weigh(part)]
        ]

    def centred(self, rows: Array, weight: Array) -> Array:
        """Return *rows* less their weighted mean in each position."""
        if not len(rows):
            return rows
        shaped = weight if rows.ndim == 1 else weight[:, np.newaxis]
        sums = np.add.reduceat(rows * shaped, self.begins, axis=0)
        whole = np.add.reduceat(weight, self.begins)
        means = sums / (whole if rows.ndim == 1 else whole[:, np.newaxis])
        centred: Array = rows - means[self.of]
        return centred

    def best(self, values: Array) -> NDArray[np.int64]:
        """Return the row of the first greatest value of each position."""
        most = np.maximum.reduceat(values, self.begins)[self.of]
        places = np.where(values == most, np.arange(len(values)), len(values))
        best: NDArray[np.int64] = np.minimum.reduceat(places, self.begins)
        return best

    def hits(self, columns: list[int], weights: Array) -> int:
        """Return the number of positions in which the formula chooses the teacher's move."""
        if not len(self.begins):
            return 0
        formula = self.counted[:, columns] @ weights
        return int((self.best(formula) == self.best(self.values)).sum())


def _nearest_met(stages: Sequence[_Data]) -> list[int]:
    """Return for each stage the nearest one from which positions were learned, often itself."""
    met = [number for number, part in enumerate(stages) if len(part.begins)]
    return [min(met, key=lambda other: abs(other - number)) for number in range(len(stages))]


def _near(data: _Data) -> Array:
    """Return a weight for each row: 1 for the best move of a position, less for worse ones."""
    if not len(data.values):
        return data.values
    below = np.maximum.reduceat(data.values, data.begins)[data.of] - data.values
    usual = float(np.median(below[below > 0])) if (below > 0).any() else 1.0
    weights: Array = np.maximum(np.exp(-below / usual), _LEAST_WEIGHT)
    return weights


def _fit_weights(data: _Data, columns: list[int], start: Array) -> Array:
    """Return the weights that make the teacher's choices likeliest, from *start*."""
    if not columns or not len(data.begins):
        return start
    counted = data.counted[:, columns]
    scale = counted.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    scaled = counted / scale
    best = data.best(data.values)

    def loss(weights: Array) -> tuple[float, Array]:
        values = scaled @ weights
        most = np.maximum.reduceat(values, data.begins)
        likely = np.exp(values - most[data.of])
        whole = np.add.reduceat(likely, data.begins)
        unlikely = (np.log(whole) + most - values[best]).mean()
        share = likely / whole[data.of]
        slope = (scaled.T @ share - scaled[best].sum(axis=0)) / len(best)
        return float(unlikely + _PENALTY * weights @ weights), slope + 2 * _PENALTY * weights

    from scipy.optimize import minimize  # slow to import, and rarely needed

    minimum = minimize(loss, start * scale, jac=True, method="L-BFGS-B")
    fitted: Array = np.asarray(minimum.x, dtype=np.float64) / scale
    return fitted


def _whole(weights: Array) -> Array:
    """Return *weights* in whole numbers, the largest of them `_LARGEST_WEIGHT`."""
    largest = np.abs(weights).max(initial=0.0)
    rounded: Array = np.rint(weights * (_LARGEST_WEIGHT / largest)) if largest else weights
    return rounded + 0.0  # what is rounded to nothing has no sign


def _player(
    named: Sequence[Candidate], weights: Array, ends: Sequence[float], names: FormulaNames
) -> AlphaBeta:
    sums = [_sum(named, row) for row in weights]
    value = sums.pop()
    for end, total in zip(reversed(ends), reversed(sums), strict=True):
        value = select(less(board.root_t, end), total, value)
    evaluator = ExpressionEvaluator.of(value, names)
    return AlphaBeta(evaluator=evaluator, view="player", depth=1)


def _sum(named: Sequence[Candidate], weights: Array) -> Number:
    total: Number | None = None
    for candidate, weight in zip(named, weights.tolist(), strict=True):
        if weight:
            term = number(weight) * candidate.expression
            total = term if total is None else total + term
    return number(0.0) if total is None else total


def _check(terms: int, stages: int, games: int) -> None:
    for name, value, most in (
        ("terms", terms, MOST_TERMS),
        ("stages", stages, MOST_STAGES),
        ("games", games, 100_000),
    ):
        if not 1 <= value <= most:
            raise ValueError(f"{name}: {value} is not a number from 1 to {most:,}")
