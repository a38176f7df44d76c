"""The parts of a player's evaluator, lowered together, and what they come to on a board."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoply import _native
from evoply.algebra import names_of
from evoply.expressions import Expression, Squares, Truth, count, number, outputs_to_json, select
from evoply.expressions.differences import difference_names
from evoply.expressions.features import NAMED_FEATURES
from evoply.expressions.formula import Names
from evoply.expressions.written_form import in_order
from evoply.games import game_rules
from evoply.gp import Forest, Genotype, expression_of, node_expressions
from evoply.gp.lowering import CLOCKS
from evoply.players import PlayerKind, ValuingPlayer, model_of
from evoply.protocols import BoardShape, Color, Player, Position, Row
from evoply.reports.terms import TIMES, Term, features, terms_of

MOST_DRAWN = 400
"""Nodes of a tree that is still drawn."""
_CLOSE = 1e-6
"""Terms are said to add up if they come as near to the value as this, relative to it."""
Value = float | bool | None


@dataclass(frozen=True, slots=True)
class Opened:
    """What does not depend on the board: the parts of a player's evaluator, lowered."""

    model: ValuingPlayer
    names: Names
    features: tuple[Expression, ...]
    terms: tuple[Term, ...]
    program: _native.Program
    """Its outputs: the value, the features, then factors and divisors of each term."""
    tree: Genotype | None
    nodes: _native.Program | None
    """Its outputs: all nodes of all branches that are computed."""
    is_computed: tuple[tuple[bool, ...], ...]
    """Which nodes of each branch these are."""


@lru_cache(maxsize=16)
def opened(player: PlayerKind, game: str, branch: int | None = None) -> Opened | None:
    """Return the parts of *player*'s evaluator; None if it has none.

    With *branch*, features and terms are those of this one of its trees, which take turns.
    """
    model = player.valuing()
    if model is None:
        return None
    rules = game_rules(game)
    expression, names = evaluator_of(model, game)
    tree = model.evaluator.individual
    if tree is not None and branch is not None:
        expression = expression_of(tree.trees[branch])
    parts = tuple(features(expression, names))
    terms = tuple(terms_of(expression, names))
    outputs = [expression, *parts]
    for term in terms:
        outputs += [*term.factors, *term.divisors]
    program = _native.Program(rules.kernel, outputs_to_json(outputs, rules.shape))
    nodes = None
    of_nodes: list[list[Expression | None]] = []
    if tree is not None and len(tree) <= MOST_DRAWN:
        of_nodes = node_expressions(tree)
        shown = [_as_number(node) for one in of_nodes for node in one if node is not None]
        nodes = _native.Program(rules.kernel, outputs_to_json(shown, rules.shape))
    is_computed = tuple(tuple(node is not None for node in one) for one in of_nodes)
    return Opened(model, names, parts, terms, program, tree, nodes, is_computed)


def evaluator_of(player: ValuingPlayer, game: str) -> tuple[Expression, Names]:
    """Return the evaluator of *player* in *game* as one expression, and names of its parts."""
    value, individual = player.evaluator.value, player.evaluator.individual
    if individual is None:
        return value, _names_in(value, game_rules(game).shape)
    return value, names_of(individual)


def _names_in(expression: Expression, shape: BoardShape) -> Names:
    """Return the names of what evoply knows of the features in *expression*."""
    parts = set(in_order([expression]))
    known = {part: name for name, part in NAMED_FEATURES.items()} | dict(difference_names(shape))
    return Names({part: name for part, name in known.items() if part in parts})


def tree_of(player: Player) -> Genotype | None:
    """Return the tree or trees that *player* judges by, None if it is no such player."""
    valuing = model_of(player).valuing()
    return None if valuing is None else valuing.evaluator.individual


def _as_number(expression: Expression) -> Expression:
    """Return a set of squares as its number of squares, a truth as 1 or 0."""
    if isinstance(expression, Squares):
        return count(expression)
    if isinstance(expression, Truth):
        return select(expression, number(1.0), number(0.0))
    return expression


def outputs(program: _native.Program, row: Row, game: str) -> list[float]:
    """Return all outputs of *program* on one board."""
    found = program.evaluate(_native.Positions(game_rules(game).kernel, [row]))[0]
    return [float(value) for value in found]


def seen_by(player: ValuingPlayer, position: Position, color: Color) -> Row:
    """Return *position* as *player* values it when it plays *color*: own are whose it says."""
    black, white, kings, is_black, ply, quiet = position.row
    own_is_black = color is Color.BLACK if player.view == "player" else is_black
    return black, white, kings, own_is_black, ply, quiet


def seen_on(parts: Opened, row: Row, game: str) -> tuple[float, Sequence[float], Sequence[float]]:
    """Return the value of a board, its features, and what each term adds to the value.

    What a term adds is no number where a divisor is 0.
    """
    value, *rest = outputs(parts.program, row, game)
    waiting = iter(rest[len(parts.features) :])
    products = []
    for term in parts.terms:
        product = term.coefficient
        for _ in term.factors:
            product *= next(waiting)
        for _ in term.divisors:
            divisor = next(waiting)
            product = product / divisor if divisor else math.nan
        products.append(product)
    return value, rest[: len(parts.features)], products


def is_sum(values: Sequence[float], value: float) -> bool:
    """Return whether *values* add up to *value*, but for rounding."""
    return abs(sum(values) - value) <= _CLOSE * (1 + abs(value))


def added(
    parts: Opened, products: Sequence[float], value: float
) -> tuple[list[float | None], float | None]:
    """Return what each feature alone adds, and what the other terms add.

    Nothing but None if the *products* that the terms are do not add up to *value*, as where a
    divisor is 0.
    """
    alone: dict[Expression, float] = {}
    left = 0.0
    for term, product in zip(parts.terms, products, strict=True):
        measured = {
            part
            for factor in (*term.factors, *term.divisors)
            for part in features(factor, parts.names)
            if part.op not in TIMES
        }
        if len(measured) == 1:
            (part,) = measured
            alone[part] = alone.get(part, 0.0) + product
        else:
            left += product
    if not alone or not is_sum([*alone.values(), left], value):
        return [None] * len(parts.features), None
    return [alone.get(part) for part in parts.features], left


def tree_values(parts: Opened, row: Row, game: str) -> tuple[tuple[Value, ...] | None, ...]:
    """Return what each node comes to; None for a branch that is not in use."""
    tree = parts.tree
    if tree is None or parts.nodes is None:
        return ()
    values = iter(outputs(parts.nodes, row, game))
    turn = in_use(tree, row, game)
    found: list[tuple[Value, ...] | None] = []
    for place, (one, is_computed) in enumerate(zip(tree.trees, parts.is_computed, strict=True)):
        numbers: list[Value] = [next(values) if known else None for known in is_computed]
        for index, node in enumerate(one.nodes):
            if node.type == "truth" and numbers[index] is not None:
                numbers[index] = bool(numbers[index])
        is_used = turn in (None, place) and any(is_computed)
        found.append(tuple(numbers) if is_used else None)
    return tuple(found)


def in_use(individual: Genotype | None, row: Row, game: str) -> int | None:
    """Return which of the trees that take turns by a clock decides now; None if all do."""
    if not isinstance(individual, Forest) or individual.role not in CLOCKS:
        return None
    clock = CLOCKS[individual.role]
    rules = game_rules(game)
    program = _native.Program(rules.kernel, clock.to_json(rules.shape))
    (now,) = outputs(program, row, game)
    ends = individual.ends[:-1]
    return next((place for place, end in enumerate(ends) if now < end), len(ends))
