"""Influence, sentences and square effects."""

import json
import math

import pytest

from evoply.expressions import PRIMITIVE_SETS, board, count, liao, squares, weighted_sum
from evoply.players import (
    SWH_WEIGHTS,
    AfterState,
    AlphaBeta,
    ExpressionEvaluator,
    RandomPlayer,
    TreeEvaluator,
    parse_player,
)
from evoply.reports import Influence, explain, square_effects
from evoply.reports.open_evaluator import chosen_moves, positions_with_choice
from evoply.reports.terms import influence_sentence

GOLDEN = {
    "( * white_corners 10 )": "It wants many own corners and nothing else (leaving this out "
    "changes 24 % of its moves).",
    "( / black_mobility white )": "It wants many legal moves for the opponent compared with "
    "own discs and nothing else (leaving this out changes 84 % of its moves).",
    "( / ( * white_mobility black ) white_near_corners )": "It wants a high product of own legal "
    "moves and discs of the opponent compared with own discs next to a corner and nothing else "
    "(leaving this out changes 73 % of its moves).",
    "( / ( * white_mobility white_mobility ) black )": "It wants many own legal moves, squared, "
    "compared with discs of the opponent and nothing else (leaving this out changes 82 % of its "
    "moves).",
    "( - ( * 10 white_corners ) ( + black_mobility ( / white_edges black ) ) )": "It mostly wants "
    "few legal moves for the opponent (leaving this out changes 50 % of its moves), then many own "
    "corners (34 %) and few own discs on the edge compared with discs of the opponent (9 %).",
    "( / ( - white_mobility black_mobility ) ( + white_edges 10 ) )": "It wants few legal moves "
    "for the opponent (leaving this out changes 54 % of its moves), then many own legal moves "
    "(54 %). All of it is divided by the sum of own discs on the edge and 10.",
    "( - white white )": "It gives every position the same value, so it always plays the first of "
    "its legal moves.",
    "( - white white ):ties=random": "It gives every position the same value, so it plays any "
    "legal move at random.",
    "( - ( + aa ( * 10 bb ) ) ( + CC DD ) ):primitives=letters": "It mostly wants many own discs "
    "on the squares of class b (leaving this out changes 37 % of its moves), then many own discs "
    "on the squares of class a (6 %), few discs of the opponent on the squares of class c (5 %) "
    "and few discs of the opponent on the squares of class d (3 %).",
    "( / white ( - white black ) )": "It wants few own discs (holding this at its average changes "
    "41 % of its moves), then many discs of the opponent (40 %).",
    "mobility": "It wants few legal moves for the opponent (leaving this out changes 52 % of its "
    "moves), then many own legal moves (43 %).",
    "greedy": "It wants many own discs and few discs of the opponent, none of which decides "
    "alone: leaving any one of them out changes 0 % of its moves.",
    "swh": "It mostly wants own discs on squares of high weight (leaving this out changes 64 % of "
    "its moves), then the opponent's discs on squares of low weight (14 %). The highest weight, 1, "
    "is on a1, h1, a8 and h8; the lowest, -0.25, on b1, g1, a2, b2, g2, h2, a7, b7, g7, h7, b8 and "
    "g8.",
    "( - ( * white white ) ( / 10 white_mobility ) )": "It mostly wants many own discs, squared "
    "(leaving this out changes 76 % of its moves), then many own legal moves (18 %).",
    "random": "It chooses uniformly among its legal moves.",
}


@pytest.mark.parametrize("text", GOLDEN)
def test_golden_sentences(text: str) -> None:
    assert explain(text).sentence == GOLDEN[text]


def test_a_primitive_is_worded_by_what_it_counts_not_by_its_name() -> None:
    evaluator = TreeEvaluator(
        tree="( white_near_corners )", primitives=liao(near_corners="x").to_dict()
    )
    sentence = explain(AfterState(evaluator=evaluator)).sentence
    assert sentence.startswith("It wants many own discs diagonally next to a corner and nothing")


def test_a_term_that_does_nothing_has_no_influence() -> None:
    # All boards after a move have the same number of discs.
    parts = {part.text: part for part in explain("( + ( + white black ) white_edges )").terms}
    nothing = explain("( + white_mobility ( - 10 ( - black black ) ) )")
    assert [part.text for part in nothing.terms] == ["white_mobility"]
    assert parts["white_edges"].share > 0.4
    with_ply = AfterState(
        evaluator=ExpressionEvaluator(
            expression=(count(board.own & squares("corners")) + count(board.empty)).to_dict()
        )
    )
    shares = [part.share for part in explain(with_ply).terms]
    assert shares[0] > 0.1
    assert shares[1] == 0.0


def test_the_only_term_has_a_large_influence() -> None:
    (part,) = explain("( * white_mobility 10 )").terms
    assert part.share > 0.5


def test_influence_agrees_with_moves_chosen_one_by_one() -> None:
    rows = positions_with_choice("othello", 60, 3)
    full = parse_player("( + white_corners ( - white_edges black_mobility ) )")
    reduced = parse_player("( + white_corners ( - white_edges 0 ) )")
    assert isinstance(full, AfterState)
    assert isinstance(reduced, AfterState)
    programs = [player.evaluator.program("othello") for player in (full, reduced)]
    first, second = chosen_moves(full, programs, rows, game="othello", seed=3)
    explained = explain(full, positions=60, seed=3)
    share = {part.text: part.share for part in explained.terms}["-black_mobility"]
    assert share == pytest.approx(sum(first != second) / 60)


def test_protected_division_is_not_explained_by_an_unfaithful_formula() -> None:
    # The simplified form is 1, the tree is not: white_corners / white_corners is 1 at 0 as well,
    # but 10 times a quotient by zero is not.
    explained = explain("( / ( * 10 white_corners ) ( / white_corners black_corners ) )")
    assert explained.agreement is not None
    assert explained.agreement < 1
    assert explained.exceptions


def test_explanations_are_reproducible_and_ready_for_json() -> None:
    first = explain("( - white_mobility black_mobility )", game="othello-6", positions=50, seed=1)
    again = explain("( - white_mobility black_mobility )", game="othello-6", positions=50, seed=1)
    assert first == again
    assert json.loads(json.dumps(first.to_dict()))["positions"] == 50
    assert "white_mobility - black_mobility" in str(first)
    assert "few legal moves" in first._repr_html_()


def test_names_are_escaped_in_notebooks() -> None:
    evaluator = TreeEvaluator(tree="( white )")
    named = AfterState(evaluator=evaluator, name="<script>alert(1)</script>")
    assert "<script>" not in explain(named, positions=5)._repr_html_()


def test_values_beyond_all_bounds_are_no_influence() -> None:
    explained = explain("( * " * 25 + "white" + " ( + 10 black ) )" * 25, positions=50)
    assert explained.sentence.startswith("It gives all 50 positions tried the same value")


def test_depth_and_exploration_are_mentioned() -> None:
    searcher = AlphaBeta(evaluator=TreeEvaluator(tree="( white )"), depth=5, epsilon=0.25)
    sentence = explain(searcher, positions=20).sentence
    assert "It looks 5 plies ahead (measured at 3)" in sentence
    assert "With probability 0.25 it plays a random move instead." in sentence


def test_features_of_ones_own_are_named() -> None:
    stable = PRIMITIVE_SETS["liao"].with_primitive("stable_discs", count(board.own))
    player = AfterState(
        evaluator=TreeEvaluator(
            tree="( - stable_discs white_edges )", primitives=stable.renamed("mine").to_dict()
        )
    )
    assert "own discs" in explain(player, positions=50).sentence


@pytest.mark.parametrize("positions", [0, -1, 10_000_000])
def test_impossible_numbers_of_positions_are_refused(positions: int) -> None:
    with pytest.raises(ValueError, match="positions"):
        explain("greedy", positions=positions)


def test_positions_leave_a_choice_and_cover_all_stages() -> None:
    rows = positions_with_choice("othello", 300, 0)
    plies = [row[4] for row in rows]
    assert len(rows) == 300
    assert min(plies) < 5
    assert max(plies) > 50


def part(wants: str, share: float, *, depends: bool = False) -> Influence:
    return Influence(wants, wants, share, depends)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (
            [part("many a", 0.3), part("many b", 0.004), part("many c", 0.0)],
            "It mostly wants many a (leaving this out changes 30 % of its moves); "
            "the other 2 terms change under 1 % of moves.",
        ),
        (
            [part("a", 0.5, depends=True), part("few b", 0.2)],
            "It wants few b (leaving this out changes 20 % of its moves); it weighs a (50 %) for "
            "or against, depending on the rest of the board.",
        ),
        (
            [part("a", 0.5, depends=True)],
            "It weighs a (leaving this out changes 50 % of its moves) for or against, depending on "
            "the rest of the board.",
        ),
        (
            [part(f"many {name}", 0.2) for name in "abcdef"],
            "It wants many a (leaving this out changes 20 % of its moves), then many b (20 %), "
            "many c (20 %) and many d (20 %); the other 2 terms change at most 20 % of moves each.",
        ),
        (
            [part("many a", 0.004)],
            "It wants many a, but leaving this out changes under 1 % of its moves.",
        ),
        (
            [part("many a", 0.5), part("many b", 0.0)],
            "It mostly wants many a (leaving this out changes 50 % of its moves); "
            "the other term changes no move.",
        ),
    ],
)
def test_sentences_from_influences(parts: list[Influence], sentence: str) -> None:
    assert influence_sentence(parts, left_out="leaving this out", noun="term") == sentence


def test_square_effects_of_swh_are_twice_its_weights() -> None:
    effects = square_effects(parse_player("swh"))
    assert effects == pytest.approx([2 * weight for weight in SWH_WEIGHTS], abs=1e-12)


def test_square_effects_follow_any_table() -> None:
    table = [float(square) for square in range(36)]
    value = weighted_sum(board.own, [table]) - weighted_sum(board.opponent, [table])
    player = AfterState(evaluator=ExpressionEvaluator(expression=value.to_dict()))
    effects = square_effects(player, "othello-6", positions=200)
    assert effects == pytest.approx([2 * weight for weight in table])


def test_square_effects_of_corners() -> None:
    effects = square_effects(parse_player("( * 10 white_corners )"), positions=100)
    assert effects is not None
    assert {square for square, effect in enumerate(effects) if effect} == {0, 7, 56, 63}
    assert effects[0] == pytest.approx(10)


def test_squares_that_are_never_occupied_have_no_effect_to_tell() -> None:
    effects = square_effects(parse_player("greedy"), positions=1)
    assert effects is not None
    assert any(math.isnan(effect) for effect in effects)


def test_random_has_no_square_effects() -> None:
    assert square_effects(RandomPlayer()) is None
