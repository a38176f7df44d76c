"""What decides no move is dropped: the shortened player plays as the whole one, in every game."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tree_strategies import seeds

import evoply as ep
from evoply._native import Positions, Stream
from evoply.expressions import (
    PRIMITIVE_SETS,
    Expression,
    PrimitiveSet,
    argument,
    board,
    count,
    divide,
    less,
    maximum,
    minimum,
    number,
    number_of_moves,
    select,
)
from evoply.expressions.written_form import FormulaNames
from evoply.games import GAMES, game_rules
from evoply.gp import expression_of, grow
from evoply.gp.algebra import simplify
from evoply.gp.algebra.ranges import Ranges
from evoply.gp.algebra.terms import terms_of

# Whole numbers only: sums and products of them are exact, so that equal values stay equal.
WHOLE = (
    PrimitiveSet("whole")
    .with_primitive("-1", number(-1.0))
    .with_primitive("2", number(2.0))
    .with_primitive("30", number(30.0))
    .with_primitive("+", argument(0) + argument(1))
    .with_primitive("-", argument(0) - argument(1))
    .with_primitive("*", argument(0) * argument(1))
    .with_primitive("own", count(board.own))
    .with_primitive("opponent", count(board.opponent))
    .with_primitive("moves", number_of_moves("opponent"))
    .with_primitive("ply", board.ply)
    .with_primitive("root_ply", board.root_ply)
    .with_primitive("pieces", board.pieces)
    .with_primitive("if", select(less(argument(0), argument(1)), argument(2), argument(3)))
    .with_primitive("side", select(board.is_black, argument(0), argument(1)))
    .with_primitive("max", maximum(argument(0), argument(1)))
    .with_primitive("min", minimum(argument(0), argument(1)))
)
ANY = (
    WHOLE.renamed("any")
    .with_primitive("t", board.t)
    .with_primitive("root_t", board.root_t)
    .with_primitive("/", divide(argument(0), argument(1), "one"))
    .with_constants(-3.0, 2.0)
)
few = settings(deadline=None, max_examples=60)


def drawn(primitives: PrimitiveSet, seed: int) -> Expression:
    return expression_of(grow(primitives, 6, Stream(seed, "tree"), function_probability=0.7))


def positions(game: str, seed: int, number: int = 3) -> list[object]:
    rules = game_rules(game)
    batch = Positions.random(rules.kernel, number, seed, 1, rules.late_ply)
    return [rules.position_from_row(row) for row in batch]


def values(expression: Expression, position: object) -> dict[str, float]:
    answer = ep.analyse(ep.AfterState(evaluator=expression), position, every_move=True)
    return {str(move): value for move, value in answer.moves}


@few
@given(st.sampled_from(sorted(GAMES)), seeds)
def test_the_short_form_has_the_order_of_the_whole(game: str, seed: int) -> None:
    whole = drawn(ANY, seed)
    player = ep.AfterState(evaluator=whole)
    short = simplify(whole, alike=player.alike(game))
    if short.exceptions:  # where a divisor is 0
        return
    for position in positions(game, seed):
        before, after = values(whole, position), values(short.expression, position)
        scale = 1e-9 * (1 + max(map(abs, [*before.values(), *after.values()]), default=0))
        for move, value in before.items():
            for other, less_value in before.items():
                if value > less_value + scale:
                    assert after[move] >= after[other] - scale


@few
@given(st.sampled_from(sorted(GAMES)), seeds)
def test_with_whole_numbers_every_choice_is_the_same(game: str, seed: int) -> None:
    whole = drawn(WHOLE, seed)
    short = simplify(whole, alike=ep.AfterState(evaluator=whole).alike(game)).expression
    for position in positions(game, seed):
        chosen = [
            ep.analyse(ep.AfterState(evaluator=value, ties=ties), position).move
            for ties in ("first", "last")
            for value in (whole, short)
        ]
        assert chosen[::2] == chosen[1::2]


@few
@given(st.sampled_from(sorted(GAMES)), seeds)
def test_the_plain_form_has_the_value_of_the_whole(game: str, seed: int) -> None:
    whole = drawn(WHOLE, seed)
    short = simplify(whole).expression
    low, high = Ranges().of(whole)
    for position in positions(game, seed):
        value = whole.evaluate(position)
        assert short.evaluate(position) == value
        assert low <= value <= high
