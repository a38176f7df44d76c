"""The evaluator of a player, taken apart once, and how much its parts influence moves.

So `explain`, `why`, `xray` and the pictures of squares speak of the same evaluator of a player.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.expressions import Expression, Squares, Truth, count, number, outputs_to_json, select
from evoply.expressions.written_form import FormulaNames
from evoply.games import GameRules, game_rules
from evoply.gp import Forest, Genotype, expression_of, node_expressions
from evoply.gp.algebra.terms import TIMES, Term, features, terms_of
from evoply.gp.lowering import CLOCKS
from evoply.players import PlayerKind, ValuingPlayer, model_of, steady_player
from evoply.players.grammar import Runs, read_player_of
from evoply.protocols import Color, Player, Position, Row
from evoply.reports.part_words import Words

_MOST_DRAWN = 400
"""The most nodes of a tree that is drawn."""
_BOUND = 1e12
"""Players take a value beyond this for the bound itself."""
_CLOSE = 1e-6
"""Terms are said to add up if they come as near to the value as this, relative to it."""
Value = float | bool | None


class Seen(NamedTuple):
    """What an evaluator sees on one board."""

    value: float
    features: Sequence[float]
    terms: Sequence[float]
    """What each term adds to the value; no number where a divisor is 0."""


@dataclass(frozen=True)
class Opened:
    """The evaluator of a player in a game and its parts, each lowered when first asked for."""

    model: ValuingPlayer
    """The player that moves by it, without a random start and without overlaps."""
    game: str
    branch: int | None = None
    """Which of its trees that take turns is looked at; None: whichever decides."""

    @property
    def rules(self) -> GameRules:
        """The rules of the game."""
        return game_rules(self.game)

    @property
    def tree(self) -> Genotype | None:
        """The individual of a player that is one."""
        return self.model.evaluator.individual

    @cached_property
    def expression(self) -> Expression:
        """The evaluator as one expression."""
        if self.tree is not None and self.branch is not None:
            return expression_of(self.tree.trees[self.branch])
        return self.model.evaluator.value

    @cached_property
    def names(self) -> FormulaNames:
        """What the parts are called."""
        return self.model.evaluator.names_in(self.game)

    @property
    def words(self) -> Words:
        """The words for its parts."""
        rules = self.rules
        return Words(rules.piece, self.names, rules.shape, has_kings=rules.has_kings)

    @cached_property
    def features(self) -> tuple[Expression, ...]:
        """What is measured on the board."""
        return tuple(features(self.expression, self.names))

    @cached_property
    def terms(self) -> tuple[Term, ...]:
        """The terms whose sum it is, where no divisor is 0."""
        return tuple(terms_of(self.expression, self.names))

    def lowered(self, *parts: Expression) -> _native.Program:
        """Return the kernel's form of *parts*, each one output."""
        return _native.Program(self.rules.kernel, outputs_to_json(parts, self.rules.shape))

    def outputs(self, program: _native.Program, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return the outputs of *program* at *rows*, shape (outputs, rows)."""
        values = program.evaluate(_native.Positions(self.rules.kernel, rows))
        return np.ascontiguousarray(values.T)

    def values(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return the player's value of each of *rows*, own being the side to move."""
        values: NDArray[np.float64] = self.outputs(self._value, rows)[0].clip(-_BOUND, _BOUND)
        return values

    @cached_property
    def _value(self) -> _native.Program:
        return self.lowered(self.expression)

    @cached_property
    def _parts(self) -> _native.Program:
        """The value, the features, then factors and divisors of each term."""
        products = [part for term in self.terms for part in (*term.factors, *term.divisors)]
        return self.lowered(self.expression, *self.features, *products)

    @cached_property
    def _nodes(self) -> Sequence[Sequence[Expression | None]]:
        """What the nodes of each branch compute, None for one that is never computed."""
        tree = self.tree
        return () if tree is None or not is_drawn(tree) else node_expressions(tree)

    @cached_property
    def _node_program(self) -> _native.Program:
        nodes = (node for branch in self._nodes for node in branch if node is not None)
        return self.lowered(*map(_as_number, nodes))

    def row(self, position: Position, color: Color) -> Row:
        """Return *position* as the player values it for *color*; its view decides who is own."""
        black, white, kings, is_black, ply, quiet = position.row
        own_is_black = color is Color.BLACK if self.model.view == "player" else is_black
        return black, white, kings, own_is_black, ply, quiet

    def seen(self, row: Row) -> Seen:
        """Return the value of a board, its features, and what each term adds to the value."""
        value, *rest = self.outputs(self._parts, [row])[:, 0].tolist()
        waiting = iter(rest[len(self.features) :])
        products = []
        for term in self.terms:
            product = term.coefficient
            for _ in term.factors:
                product *= next(waiting)
            for _ in term.divisors:
                divisor = next(waiting)
                product = product / divisor if divisor else math.nan
            products.append(product)
        return Seen(value, rest[: len(self.features)], products)

    def added(self, seen: Seen) -> tuple[list[float | None], float | None]:
        """Return what each feature alone adds, and what the other terms add.

        All are None if the terms do not add up to the value, as where a divisor is 0.
        """
        alone: dict[Expression, float] = {}
        left = 0.0
        for term, product in zip(self.terms, seen.terms, strict=True):
            factors = (*term.factors, *term.divisors)
            parts = {part for factor in factors for part in features(factor, self.names)}
            measured = [part for part in parts if part.op not in TIMES]
            if len(measured) == 1:
                alone[measured[0]] = alone.get(measured[0], 0.0) + product
            else:
                left += product
        if not alone or not is_sum([*alone.values(), left], seen.value):
            return [None] * len(self.features), None
        return [alone.get(part) for part in self.features], left

    def at(self, row: Row) -> Opened:
        """Return the same with the tree whose turn it is on a board, if its trees take turns."""
        turn = self._turn(row)
        return self if turn is None else _opened(self.model, self.game, turn)

    def node_values(self, row: Row) -> tuple[tuple[Value, ...] | None, ...]:
        """Return what each node comes to; None for a branch that is not in use."""
        if self.tree is None or not self._nodes:
            return ()
        values = iter(self.outputs(self._node_program, [row])[:, 0].tolist())
        branches: list[tuple[Value, ...] | None] = []
        turn = self._turn(row)
        for index, (tree, nodes) in enumerate(zip(self.tree.trees, self._nodes, strict=True)):
            numbers: list[Value] = [
                None if part is None else bool(value) if node.type == "truth" else value
                for node, part in zip(tree.nodes, nodes, strict=True)
                for value in [0.0 if part is None else next(values)]
            ]
            is_used = turn in (None, index) and any(part is not None for part in nodes)
            branches.append(tuple(numbers) if is_used else None)
        return tuple(branches)

    def _turn(self, row: Row) -> int | None:
        """Return which of the trees that take turns by a clock decides now; None if all do."""
        tree = self.tree
        if not isinstance(tree, Forest) or tree.role not in CLOCKS:
            return None
        ((now,),) = self.outputs(self.lowered(CLOCKS[tree.role]), [row])
        ends = tree.ends[:-1]
        return next((index for index, end in enumerate(ends) if now < end), len(ends))


_opened = lru_cache(maxsize=16)(Opened)


def opened(player: Player, game: str) -> Opened:
    """Return the evaluator of *player* in *game*; `ValueError` if its boards have no values."""
    return _opened(steady_player(player), game)


def read_opened(
    source: object, game: str, runs: Runs | None = None
) -> tuple[PlayerKind, Opened | None]:
    """Return the player that *source* is or names, which fits *game*, and its evaluator.

    The evaluator is None if the player does not value boards.
    """
    player = model_of(read_player_of(source, game, runs))
    player.check_fits(game)
    return player, None if player.valuing() is None else opened(player, game)


def tree_of(player: Player) -> Genotype | None:
    """Return the tree or trees that *player* judges by, None if it has none."""
    valuing = model_of(player).valuing()
    return None if valuing is None else valuing.evaluator.individual


def is_drawn(tree: Genotype) -> bool:
    """Return whether *tree* is not too large for a picture."""
    return len(tree) <= _MOST_DRAWN


def is_sum(values: Sequence[float], value: float) -> bool:
    """Return whether *values* add up to *value*, but for rounding."""
    return abs(sum(values) - value) <= _CLOSE * (1 + abs(value))


def _as_number(expression: Expression) -> Expression:
    """Return a set of squares as its number of squares, a truth as 1 or 0."""
    if isinstance(expression, Squares):
        return count(expression)
    if isinstance(expression, Truth):
        return select(expression, number(1.0), number(0.0))
    return expression


# What decides a player's moves: parts of its evaluator, and squares, measured on positions.
#
# The influence of a part is how often the player would choose another move if it were missing.
#
# Positions come from random games over all stages and leave a choice; the same seed gives the same
# positions. Chance in the player is the same for every variant, so only the part makes the change.


def positions_with_choice(game: str, count: int, seed: int) -> list[Row]:
    """Return *count* positions (as rows) with two legal moves or more, over all stages of *game*.

    Raises ValueError unless 1 <= count <= 1,000,000.
    """
    if not 1 <= count <= 1_000_000:
        raise ValueError(f"positions: {count} is not a number from 1 to 1,000,000")
    rules = game_rules(game)
    kernel, last = rules.kernel, rules.shape.squares - 5
    rows: list[Row] = []
    stream = _native.Stream(seed, "influence")
    attempt = 0
    while len(rows) < count:
        drawn = _native.Positions.random(
            kernel, count + count // 4 + 8, stream.child(attempt).key, 0, last
        )
        rows += [
            row for row in map(drawn.__getitem__, range(len(drawn))) if _has_choice(kernel, row)
        ]
        attempt += 1
    return rows[:count]


def _has_choice(kernel: str, row: Row) -> bool:
    return len(_native.legal_moves(kernel, row)) > 1


def chosen_moves(
    player: ValuingPlayer,
    programs: Sequence[_native.Program],
    rows: Sequence[Row],
    *,
    game: str,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Return the move codes, shape (programs, rows), of *player* with each evaluator.

    It plays as it is `measured`: without exploring moves, and not too deep.
    """
    batch = _native.Positions(game_rules(game).kernel, rows)
    keys = _native.Stream(seed, "influence", "game").keys(len(rows))
    measured = player.measured()
    return np.array(
        [batch.choose(measured.with_program(game, program), keys)[0] for program in programs]
    )


def shares_changed(
    parts: Opened, variants: Sequence[Expression], rows: Sequence[Row], *, seed: int
) -> list[float]:
    """Return for each of *variants* of an evaluator after the first how often its moves differ."""
    programs = [parts.lowered(variant) for variant in variants]
    moves = chosen_moves(parts.model, programs, rows, game=parts.game, seed=seed)
    return changed_moves(moves)


def changed_moves(moves: NDArray[np.int64]) -> list[float]:
    """Return for each row of *moves* after the first how often it differs from the first.

    >>> changed_moves(np.array([[1, 2, 3, 4], [1, 2, 3, 4], [1, 0, 3, 0]]))
    [0.0, 0.5]
    """
    return [float(share) for share in (moves[1:] != moves[0]).mean(axis=1)]


def square_effects(
    player: Player, game: str = "othello", *, positions: int = 1000, seed: int = 0
) -> tuple[float, ...] | None:
    """Return what a square adds if it holds an own disc instead of an opponent's, row by row.

    It is the mean change of the evaluator's value, own being the side to move, over those of
    *positions* random positions where the square is occupied; nan where it never is. For a
    weighted piece counter this is twice the weight. None for a player without evaluator.

    >>> from evoply.players import parse_player
    >>> [round(value, 2) for value in square_effects(parse_player("swh"), positions=50)[:3]]
    [2.0, -0.5, 0.2]
    """
    if model_of(player).valuing() is None:
        return None
    rows = positions_with_choice(game, positions, seed)
    held: list[Row] = []
    counts = []
    for square in range(game_rules(game).shape.squares):
        bit = 1 << square
        occupied = [row for row in rows if (row[0] | row[1]) & bit]
        pairs = [[_with_disc(row, bit, is_own=own) for own in (True, False)] for row in occupied]
        # In checkers a piece cannot always change its colour where it stands.
        pairs = [pair for pair in pairs if _are_possible(game, pair)]
        counts.append(len(pairs))
        held += [row for index in (0, 1) for row in (pair[index] for pair in pairs)]
    values = opened(player, game).values(held)
    effects: list[float] = []
    start = 0
    for boards in counts:
        own, opponent = values[start : start + 2 * boards].reshape(2, boards)
        effects.append(float(np.mean(own - opponent)) if boards else float("nan"))
        start += 2 * boards
    return tuple(effects)


class ValuesBoards(Protocol):
    """What says what boards are worth to their side to move."""

    @property
    def game(self) -> str:
        """The game."""

    @property
    def rules(self) -> GameRules:
        """Its rules."""

    def values(self, rows: Sequence[Row]) -> NDArray[np.float64]:
        """Return the value of each of *rows*."""


def square_values(parts: ValuesBoards, row: Row) -> tuple[float | None, ...]:
    """Return half of what an own piece on a square is worth more than an opponent's, row by row.

    It is what the value of the board *row* differs by, own being its side to move, with all else as
    it is; None where not both can be. For a weighted piece counter these are its weights, on empty
    squares too.
    """
    pairs: dict[int, list[Row]] = {}
    count = parts.rules.shape.squares
    for square in range(count):
        pair = [_with_disc(row, 1 << square, is_own=own) for own in (True, False)]
        if _are_possible(parts.game, pair):
            pairs[square] = pair
    values = parts.values([row for pair in pairs.values() for row in pair]).reshape(-1, 2)
    halves = dict(zip(pairs, (values[:, 0] - values[:, 1]).tolist(), strict=True))
    return tuple(halves[square] / 2 if square in halves else None for square in range(count))


def _with_disc(row: Row, bit: int, *, is_own: bool) -> Row:
    black, white, kings, is_black, ply, quiet_plies = row
    if is_own == is_black:
        return black | bit, white & ~bit, kings, is_black, ply, quiet_plies
    return black & ~bit, white | bit, kings, is_black, ply, quiet_plies


def _are_possible(game: str, rows: Sequence[Row]) -> bool:
    try:
        _native.Positions(game_rules(game).kernel, rows)
    except ValueError:
        return False
    return True
