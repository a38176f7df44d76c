"""What decides no move is dropped: the shortened player plays as the whole one, in every game."""

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
    equal,
    less,
    maximum,
    minimum,
    number,
    number_of_moves,
    select,
    weighted_sum,
)
from evoply.expressions.written_form import FormulaNames
from evoply.games import GAMES, game_rules
from evoply.gp import expression_of, grow, parse_individual
from evoply.gp.algebra import simplify
from evoply.gp.algebra.ranges import Ranges

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
OWN, OTHER, EMPTY = count(board.own), count(board.opponent), count(board.empty)
PLAYED = [*sorted(GAMES), "breakthrough", "connect-four", "ataxx"]
few = settings(deadline=None, max_examples=15)


def drawn(primitives: PrimitiveSet, seed: int) -> Expression:
    """Return a sum of small trees, so that what decides and what does not stand side by side."""
    stream = Stream(seed, "tree")
    parts = [grow(primitives, 4, stream, function_probability=0.7) for _ in range(3)]
    return sum(map(expression_of, parts), number(0.0))


def positions(game: str, seed: int, number: int = 3) -> list[object]:
    rules = game_rules(game)
    batch = Positions.random(rules.kernel, number, seed, 1, rules.late_ply)
    return [rules.position_from_row(row) for row in batch]


def values(expression: Expression, position: object) -> dict[str, float]:
    answer = ep.analyse(ep.AfterState(evaluator=expression), position, every_move=True)
    return {str(move): value for move, value in answer.moves}


@pytest.mark.parametrize("game", PLAYED)
def test_what_is_said_to_be_alike_is_equal_after_all_moves(game: str) -> None:
    for op in ep.AfterState(evaluator=OWN).alike(game):
        fact = select(board.is_black, 1, 0) if op == "is_black" else getattr(board, op)
        for position in positions(game, 5, number=20):
            assert len({*values(fact, position).values()}) <= 1


@few
@given(st.sampled_from(PLAYED), seeds)
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


def assert_plays_alike(whole: Expression, game: str, boards: list[object]) -> None:
    short = simplify(whole, alike=ep.AfterState(evaluator=whole).alike(game)).expression
    for position in boards:
        for ties in ("first", "last"):
            chosen = [
                ep.analyse(ep.AfterState(evaluator=value, ties=ties), position).move
                for value in (whole, short)
            ]
            assert chosen[0] == chosen[1]


@few
@given(st.sampled_from(PLAYED), seeds)
def test_with_whole_numbers_every_choice_is_the_same(game: str, seed: int) -> None:
    assert_plays_alike(drawn(WHOLE, seed), game, positions(game, seed))


@pytest.mark.parametrize("game", PLAYED)
@pytest.mark.parametrize(
    "value",
    [
        # Nearly what may be left out: the way depends on the board, the factor may be negative or
        # 0, pieces are taken, a divisor may be 0.
        select(less(OWN, number_of_moves("opponent") + 8), OTHER + 3, OTHER - 3),
        OTHER * (board.root_ply - 16) + board.root_ply,
        OWN * (board.root_ply - board.root_ply) + OTHER * minimum(board.root_ply - 3, 1),
        OWN + 2 * board.pieces,
        3 * number_of_moves("opponent") + 128 * board.t,
        2 + divide(OWN, board.root_ply - 4, "one"),
        divide(OWN, number_of_moves("opponent"), "zero") + 7,
        (OWN + 3) * (number_of_moves("opponent") - 5),
        (OWN - 3) * (OTHER - 3) * (board.root_ply + 2) - 4,
        2 * OWN - OTHER + number_of_moves("opponent"),
        (OWN - OTHER) * (board.root_ply - 4) + EMPTY - 2 * OTHER,
    ],
)
def test_what_is_nearly_common_decides(value: Expression, game: str) -> None:
    assert_plays_alike(value, game, positions(game, 3, number=15))


@few
@given(st.sampled_from(PLAYED), seeds)
def test_the_plain_form_has_the_value_of_the_whole(game: str, seed: int) -> None:
    whole = drawn(WHOLE, seed)
    short = simplify(whole).expression
    low, high = Ranges().of(whole)
    for position in positions(game, seed):
        value = whole.evaluate(position)
        assert short.evaluate(position) == value
        assert low <= value <= high


# Formulas of champions as they were read, with the sides as they have them.
ACCESS = PRIMITIVE_SETS["othello-access"]
NAMES = FormulaNames({part.expression: part.name for part in ACCESS if not part.arity})
FEATURES = {name: part for part, name in NAMES.known.items()}
OTHELLO = ep.AfterState(evaluator=FEATURES["white"]).alike("othello")


@pytest.mark.parametrize(
    ("text", "short"),
    [
        (
            "( + 0.0115049 ( - white_corners ( * 6 white_risky_x ) ) )",
            "white_corners - 6 * white_risky_x",
        ),
        ("( + ( * 1.75399 clock ) ( - white black_safe_moves ) )", "white - black_safe_moves"),
        ("( - ( * 3 clock ) white_frontier )", "-white_frontier"),
        ("( + clock ( * white ( + clock 1 ) ) )", "white"),
        ("( + clock ( * white ( - clock 1 ) ) )", "white * clock - white"),  # 0 at the end
        (
            "( + 13.3244 ( * 4 ( - white_corners white_risky_x ) ) )",
            "white_corners - white_risky_x",
        ),
        ("( + 6 ( - ( * 2.5 white ) black_edges ) )", "2.5 * white - black_edges"),
        (
            "( + ( * ( - 7.33865 black_risky_x ) ( - 8.14714 black_corner_moves ) ) 4.27322 )",
            "black_risky_x * black_corner_moves - 8.147 * black_risky_x"
            " - 7.339 * black_corner_moves",
        ),
        (
            "{ phases ( + 3 ( * 2 white ) ) 40 ( - ( * 4 black ) clock ) 60 }",
            "board_until_40%(2 * white, 4 * black)",
        ),
        ("( * 3 ( - clock 7 ) )", "0"),
        # With one piece more after every move, a piece less for one side is one more for the other.
        ("( - white black )", "white"),
        ("( - ( - black_safe_moves white ) ( * 4 black ) )", "black_safe_moves + 3 * white"),
        ("( + ( + white black ) white_edges )", "white_edges"),
        ("( - ( * clock white ) ( * clock black ) )", "clock * white"),
        ("( - white_edges black )", "white_edges - black"),
    ],
)
def test_what_decides_nothing_is_left_out(text: str, short: str) -> None:
    simplified = simplify(parse_individual(text, ACCESS), alike=OTHELLO)
    assert simplified.formula == short
    assert simplified.constant == (0 if short == "0" else None)


def test_a_search_keeps_what_counts_beside_a_draw() -> None:
    text = "( + 3 ( - ( * 2 white_corners ) clock ) ):primitives=othello-access"
    assert ep.explain(text, positions=50).simplified == "white_corners"
    deeper = ep.explain(f"{text},depth=1", positions=50)
    assert deeper.simplified == "2 * white_corners + 3 - clock"


def test_a_player_by_the_clock_alone_has_one_value_for_all_moves() -> None:
    explained = ep.explain("( + clock 3 ):primitives=othello-access", positions=50)
    assert explained.sentence == (
        "It gives all moves of a position the same value, so it always plays the first of its legal"
        " moves."
    )


def test_a_clock_that_moves_change_decides() -> None:
    taken = {name: ep.AfterState(evaluator=board.t).alike(name) for name in GAMES}
    assert all(("t" in parts) == game_rules(name).fills_evenly for name, parts in taken.items())
    assert "t" in taken["othello"]
    assert "t" not in taken["checkers"]
    assert all({"ply", "root_t"} <= parts for parts in taken.values())
    value = 2 * count(board.own) + board.t
    assert simplify(value, alike=taken["checkers"]).formula == "t + 2 * count(own)"


def test_a_difference_that_terms_are_split_over_is_put_together() -> None:
    part = FEATURES.__getitem__
    anchored, white, moves = part("white_anchored"), part("white"), part("black_safe_moves")
    corner, frontier, risky = (
        part("black_corner_moves"),
        part("white_frontier"),
        part("white_risky_x"),
    )
    product = moves + corner * frontier + moves * risky * (risky + 1)
    whole = (anchored - white) * product + (anchored + (moves * (1 + risky) + corner * frontier))
    whole = whole + (part("white_mobility") - frontier) - white
    assert simplify(whole, NAMES, alike=OTHELLO).formula == (
        "black_safe_moves + white_mobility + black_safe_moves * white_risky_x"
        " + black_corner_moves * white_frontier"
        " + (black_safe_moves + black_corner_moves * white_frontier"
        " + black_safe_moves * white_risky_x * (white_risky_x + 1) + 1) * (white_anchored - white)"
        " - white_frontier"
    )


@pytest.mark.parametrize(
    ("value", "short"),
    [
        (
            select(less(board.t, -0.06374), OWN, select(less(board.t, 1.018), OTHER, EMPTY)),
            "count(opponent)",
        ),
        (select(less(board.t, 0.5), OWN, OTHER), "if(t < 0.5, count(own), count(opponent))"),
        (select(less(board.root_t, 0), OWN, OTHER), "count(opponent)"),
        (maximum(OWN, -3), "count(own)"),
        (minimum(OWN, OTHER + 200), "count(own)"),
        (minimum(OWN, 64), "min(count(own), 64)"),  # there are boards of 100 squares
        (maximum(OWN * OTHER + 1, 1), "count(own) * count(opponent) + 1"),
        (
            maximum((OWN - OTHER) * (OWN - OTHER), 0),
            "(count(own) - count(opponent)) * (count(own) - count(opponent))",
        ),
        (maximum(divide(OWN, OTHER + 1), 0), "count(own) / (count(opponent) + 1)"),
        (maximum(divide(OWN, OTHER - 1), 0), "max(count(own) / (count(opponent) - 1), 0)"),
        (maximum(divide(OWN, OTHER, "ieee"), 0), "max(count(own) / count(opponent), 0)"),
        (select(equal(board.ply, -1), OWN, OTHER), "count(opponent)"),
        (maximum(weighted_sum(board.own, [[-1.0] * 64]), 1), "1"),
    ],
)
def test_what_comes_out_the_same_on_every_board_is_decided(value: Expression, short: str) -> None:
    assert simplify(value).formula == short
