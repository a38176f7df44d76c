"""What of a player is tuned: the numbers by which it weighs what it sees.

Numbers that say *what* it sees stay: those inside what has a name, and those of comparisons that
look at no pieces, such as the border of a stage.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evoply.expressions import (
    Expression,
    Number,
    build,
    number,
    parameters_of,
    with_parameters,
)
from evoply.expressions.functions import parameter_count
from evoply.expressions.written_form import FormulaNames, children, in_order
from evoply.gp.algebra import simplify
from evoply.gp.algebra.decisions import Common
from evoply.learning.staged_sums import depends_on_pieces
from evoply.players import (
    ExpressionEvaluator,
    PlayerKind,
    ValuingPlayer,
    parse_player,
)
from evoply.players.grammar import read_player
from evoply.wording import shorten

Array = NDArray[np.float64]
MOST_PARAMETERS = 100
"""The most numbers that CMA-ES can tune by games: learning is for more."""
Parameters = Literal["terms", "constants"]
_COMPARISONS = ("less", "less_equal", "equal")
_ALL, _NONE = slice(None), slice(0)
_OF_TERMS = {"add": _ALL, "subtract": _ALL, "multiply": _ALL, "select": slice(1, None)}
"""The operands of an operation that are terms or factors of its value."""


@dataclass(frozen=True, slots=True)
class Tunable:
    """A player, and its value as an expression of whose parameters some can be tuned."""

    player: ValuingPlayer
    expression: Number
    places: NDArray[np.int64]
    """Where the tuned numbers are among the parameters of *expression*."""
    names: FormulaNames

    @property
    def weights(self) -> Array:
        """The tuned numbers as they are."""
        return parameters_of(self.expression)[self.places]

    def parameters(self, weights: Array) -> Array:
        """Return all parameters of the expression, with *weights* for the tuned ones."""
        every = parameters_of(self.expression)
        every[self.places] = weights
        return every

    def tuned(self, weights: Array) -> ValuingPlayer:
        """Return the player with other *weights*; its features keep their names."""
        expression = with_parameters(self.expression, self.parameters(weights))
        return self.player.with_evaluator(ExpressionEvaluator.of(expression, self.names))


def player_from(text: str, game: str) -> PlayerKind:
    """Return the player that *text* is, as JSON or as a player's text; `ValueError` if neither."""
    if not text.startswith('{"'):
        return parse_player(text, game=game)
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{shorten(text)} is not a player: {error}") from None
    player = read_player(data)
    player.check_fits(game)
    return player


def tunable(text: str, game: str, parameters: Parameters) -> Tunable:
    """Return the tunable form of the player *text*; `ValueError` has the reason if it has none."""
    whole = player_from(text, game)
    player = whole.valuing()
    if player is None:
        raise ValueError(f"{whole.label}: this player has no numbers to tune")
    if player.draws_leaves:
        raise ValueError(f"{player.label}: leaves are worth chance values: tune a player without")
    player, expression = player.by_value(), player.evaluator.value
    if not isinstance(expression, Number):
        raise ValueError(f"{player.label}: only the numbers of a value that is a number are tuned")
    names = player.evaluator.names_in(game)
    alike = player.alike(game)
    common = None if alike is None else Common(alike, names)
    if parameters == "terms" and len(_weights(expression, names, parameters)) <= MOST_PARAMETERS:
        simple = simplify(expression, names, alike=alike)
        if common is not None and simple.constant is not None and not simple.exceptions:
            raise ValueError(
                f"{player.label}: all its moves have one value: there is nothing to tune"
            )
        if not simple.exceptions and isinstance(simple.expression, Number):
            expression = simple.expression
        expression = _with_factors(expression, names)
    expression = _with_own_numbers(expression)
    places = _weights(expression, names, parameters, common)
    if not len(places):
        raise ValueError(
            f"{player.label}: it has no numbers: set parameters=terms, which gives each "
            "term a factor"
        )
    if len(places) > MOST_PARAMETERS:
        raise ValueError(
            f"{player.label}: {len(places):,} numbers, and at most {MOST_PARAMETERS} are tuned by "
            "games: learn them with `evoply learn`"
        )
    return Tunable(player, expression, places, names)


def _with_factors(expression: Number, names: FormulaNames, factor: float = 1.0) -> Number:
    """Return *factor* times *expression*, with one number before every term of its sums.

    A number before a sum moves into its terms, so that no term has two factors. What has a name is
    one term.
    """
    op, arguments = expression.op, expression.arguments
    if op == "number":
        return number(factor * arguments[0])
    if not _is_whole(expression, names):
        if op in ("add", "subtract"):
            return _number(
                build(op, *(_with_factors(argument, names, factor) for argument in arguments))
            )
        if op == "select":
            condition, *ways = arguments
            return _number(
                build(op, condition, *(_with_factors(way, names, factor) for way in ways))
            )
        if op == "multiply":
            first, second = arguments
            for constant, term in ((first, second), (second, first)):
                if constant.op == "number":
                    return _with_factors(term, names, factor * constant.arguments[0])
    return number(factor) * expression


def _is_whole(expression: Expression, names: FormulaNames) -> bool:
    """Return whether *expression* is what a name stands for, and not a choice of its operands."""
    if expression in names.known or _is_indicator(expression):
        return True
    called = names.call(expression)
    return called is not None and not (
        expression.op == "select" and all(way in called[1] for way in expression.arguments[1:])
    )


def _is_indicator(expression: Expression) -> bool:
    """Return whether *expression* is one of two numbers, by what stands on the board."""
    if expression.op != "select":
        return False
    condition, *ways = expression.arguments
    return all(way.op == "number" for way in ways) and depends_on_pieces(condition)


def _weights(
    expression: Expression,
    names: FormulaNames,
    parameters: Parameters,
    common: Common | None = None,
) -> NDArray[np.int64]:
    """Return the places of the numbers that are weights among the parameters of *expression*.

    A number that is the same addend of all boards that a choice compares is none.
    """
    ordered = in_order([expression])
    idle: set[int] = set()
    waiting = [expression] if common is not None else []
    while waiting:
        node = waiting.pop()
        if node.op == "number":
            idle.add(id(node))
        elif node not in names.known:
            is_choice = common is not None and common.chooses(node)
            if is_choice or node.op in ("add", "subtract"):
                waiting += node.arguments[is_choice:]
    reached = {id(expression)}
    for node in reversed(ordered):  # each before its operands
        if id(node) in reached:
            reached.update(map(id, _looked_into(node, names, parameters)))
    places: list[int] = []
    at = 0
    for node in ordered:
        count = parameter_count(node)
        is_looked_at = id(node) in reached and id(node) not in idle
        if is_looked_at and (node.op == "number" or node not in names.known):
            places += range(at, at + count)
        at += count
    return np.array(places, dtype=np.int64)


def _looked_into(
    node: Expression, names: FormulaNames, parameters: Parameters
) -> Sequence[Expression]:
    """Return the operands of *node* in which numbers are weights."""
    if node.op in _COMPARISONS and not depends_on_pieces(node):
        return ()
    if node in names.known or (parameters == "terms" and _is_indicator(node)):
        return ()
    called = names.call(node)
    parts: list[Any] = children(node) if called is None else called[1]
    if called is not None:
        return parts
    return parts if parameters == "constants" else parts[_OF_TERMS.get(node.op, _NONE)]


def _with_own_numbers(expression: Number) -> Number:
    """Return *expression* with a number of its own in each place, which can change alone."""
    copies: dict[int, Expression] = {}
    for node in in_order([expression]):
        arguments = [
            number(argument.arguments[0])
            if getattr(argument, "op", "") == "number"
            else copies[id(argument)]
            if isinstance(argument, Expression)
            else argument
            for argument in node.arguments
        ]
        copies[id(node)] = build(node.op, *arguments)
    return _number(copies[id(expression)])


def _number(expression: Expression) -> Number:
    assert isinstance(expression, Number)  # made of the same operation as a number
    return expression
