"""Influence, sentences and square effects."""

import json
import math
from dataclasses import replace

import pytest

from evoply.expressions import PRIMITIVE_SETS, board, count, liao, squares, weighted_sum
from evoply.learning.equivalence import AgainstWhole
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
from evoply.reports.explanation import PARTS
from evoply.reports.influences import TERM, columns_filled, influence_sentence, lost_text
from evoply.reports.open_evaluator import chosen_moves, positions_with_choice

GOLDEN = {
    "( * white_corners 10 )": (
        "It wants many own corners (without this it scores 46 % against itself) and nothing else."
    ),
    "( / black_mobility white )": (
        "It wants many legal moves for the opponent compared with own discs (without this it "
        "scores 80 % against itself) and nothing else."
    ),
    "( / ( * white_mobility black ) white_near_corners )": (
        "It wants a high product of own legal moves and discs of the opponent compared with own "
        "discs next to a corner (without this it scores 57 % against itself) and nothing else."
    ),
    "( / ( * white_mobility white_mobility ) black )": (
        "It wants many own legal moves, squared, compared with discs of the opponent (without "
        "this it scores 48 % against itself) and nothing else."
    ),
    "( - ( * 10 white_corners ) ( + black_mobility ( / white_edges black ) ) )": (
        "It wants few legal moves for the opponent (without this it scores 24 % against itself) "
        "and many own corners (33 %): these two parts hold it up. It also weighs own discs on "
        "the edge compared with discs of the opponent (46 %)."
    ),
    "( / ( - white_mobility black_mobility ) ( + white_edges 10 ) )": (
        "It wants few legal moves for the opponent (without this it scores 22 % against "
        "itself): this part holds it up. It plays better without this part against itself: many "
        "own legal moves (57 %). All of it is divided by the sum of own discs on the edge and "
        "10."
    ),
    "( - white white )": (
        "It gives every position the same value, so it always plays the first of its legal moves."
    ),
    "( - white white ):ties=random": (
        "It gives every position the same value, so it plays any legal move at random."
    ),
    "( - ( + aa ( * 10 bb ) ) ( + CC DD ) ):primitives=letters": (
        "It wants many own discs on the squares of class a (without this it scores 47 % against "
        "itself) and few discs of the opponent on the squares of class d (51 %). One part does "
        "nothing that 1,000 games show: few discs of the opponent on the squares of class c. It "
        "plays better without this part against itself: many own discs on the squares of class "
        "b (63 %)."
    ),
    "( / white ( - white black ) )": (
        "It wants many own discs compared with the difference of own discs and discs of the "
        "opponent (without this it scores 65 % against itself) and nothing else."
    ),
    "mobility": (
        "It wants few legal moves for the opponent (without this it scores 36 % against "
        "itself): this part holds it up. It also wants many own legal moves (48 %)."
    ),
    "greedy": (
        # With one disc more after every move, few discs of the opponent are many own ones.
        "It wants many own discs (without this it scores 48 % against itself) and nothing else."
    ),
    "swh": (
        "It wants own discs on squares of high weight (without this it scores 21 % against "
        "itself): this part holds it up. It also wants the opponent's discs on squares of low "
        "weight (52 %). The highest weight, 1, is on a1, h1, a8 and h8; the lowest, -0.25, on "
        "b1, g1, a2, b2, g2, h2, a7, b7, g7, h7, b8 and g8."
    ),
    "( - ( * white white ) ( / 10 white_mobility ) )": (
        "It weighs own legal moves (without this it scores 49 % against itself) and wants many "
        "own discs, squared (50 %)."
    ),
    "random": ("It chooses uniformly among its legal moves."),
}


@pytest.mark.parametrize("text", GOLDEN)
def test_golden_sentences(text: str) -> None:
    assert explain(text).sentence == GOLDEN[text]


def test_a_primitive_is_worded_by_what_it_counts_not_by_its_name() -> None:
    evaluator = TreeEvaluator(
        tree="( white_near_corners )", primitives=liao(near_corners="x").to_dict()
    )
    sentence = explain(AfterState(evaluator=evaluator)).sentence
    assert sentence.startswith("It wants many own discs diagonally next to a corner (without")


def test_a_term_that_does_nothing_has_no_influence() -> None:
    # All boards after a move have the same number of discs.
    sums = explain("( + ( + white black ) white_edges )")
    assert [part.text for part in sums.terms] == ["white_edges"]
    assert sums.terms[0].share > 0.4
    nothing = explain("( + white_mobility ( - 10 ( - black black ) ) )")
    assert [part.text for part in nothing.terms] == ["white_mobility"]
    with_ply = AfterState(
        evaluator=ExpressionEvaluator(
            expression=(count(board.own & squares("corners")) + count(board.empty)).to_dict()
        )
    )
    (corners,) = explain(with_ply).terms
    assert corners.share > 0.1


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


def test_games_without_parts_are_kept_and_not_played_again() -> None:
    text = "( - white_mobility ( * 10 black_corners ) )"
    kept: dict[str, AgainstWhole] = {}
    first = explain(text, positions=50, games=20, kept=kept)
    assert len(kept) == len(first.terms) == 2
    marked = {key: replace(played, points=0.25) for key, played in kept.items()}
    again = explain(text, positions=50, games=20, kept=marked)
    assert [part.lost for part in again.terms] == [25.0, 25.0]
    assert len(marked) == 2
    explain(text, positions=50, games=22, kept=marked)
    assert len(marked) == 4


def test_games_do_not_depend_on_threads_and_may_be_left_out() -> None:
    text = "( - white_mobility ( * 10 black_corners ) )"
    alone, together = (explain(text, positions=50, games=40, threads=count) for count in (1, 3))
    assert alone == together
    assert alone.games == 40
    without = explain(text, positions=50, games=0)
    assert without.games == 0
    assert "changes" in without.sentence


def test_who_looks_far_is_told_by_moves_alone() -> None:
    explained = explain("mobility:depth=6", positions=20)
    assert explained.games == 0
    assert "(leaving this out changes" in explained.sentence


def test_a_weight_that_play_does_not_show_is_no_wish() -> None:
    # It pays for discs and pays more for what goes with few of them.
    explained = explain(
        "( - ( + white white_frontier ) ( * 10 black_mobility ) ):primitives=othello-access",
        games=0,
    )
    verbs = {part.text: part.verb for part in explained.terms}
    assert verbs["-10 * black_mobility"] == "wants"
    assert verbs["white"] == "weighs"


def test_terms_about_one_feature_are_told_together() -> None:
    text = "( - ( - white_edges ( * white_risky_x black ) ) ( * 10 white_risky_x ) )"
    explained = explain(f"{text}:primitives=othello-access", games=40)
    told = {part.text: part for part in explained.terms}
    together = told["-10 * white_risky_x - white_risky_x * black"]
    assert together.verb.endswith("leaves")
    assert together.wants.startswith("an X disc (")
    assert together.preferred is not None
    assert together.preferred > 0.9


def test_a_product_reads_as_a_condition() -> None:
    text = "( - white_mobility ( * ( * 10 white_risky_c ) black_corner_moves ) )"
    explained = explain(f"{text}:primitives=othello-access", games=0)
    told = {part.text: f"{part.verb} {part.wants}" for part in explained.terms}
    assert told["-10 * white_risky_c * black_corner_moves"].endswith(
        "leaves a C disc (on the edge beside an empty corner) while the opponent can take a corner "
        "next"
    )


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


def part(
    wants: str, share: float, verb: str = "wants", played: AgainstWhole | None = None
) -> Influence:
    return Influence(wants, wants, share, verb, played=played)


def worth(wants: str, points: float, margin: float = 0.03, verb: str = "wants") -> Influence:
    return part(wants, 0.1, verb, AgainstWhole(points, points - margin, points + margin, 1000))


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        (
            [part("many a", 0.3), part("many b", 0.004), part("many c", 0.0)],
            "It mostly wants many a (leaving this out changes 30 % of its moves); "
            "the other 2 parts change under 1 % of moves.",
        ),
        (
            [part("a", 0.5, "weighs"), part("few b", 0.2)],
            "It mostly weighs a (leaving this out changes 50 % of its moves) and wants few b "
            "(20 %).",
        ),
        (
            [part(f"many {name}", 0.2) for name in "abcdef"],
            "It wants many a (leaving this out changes 20 % of its moves), many b (20 %), "
            "many c (20 %) and many d (20 %); the other 2 parts change at most 20 % of moves each.",
        ),
        (
            [part("many a", 0.004)],
            "It wants many a, but leaving this out changes under 1 % of its moves.",
        ),
        (
            [worth("few a", 0.44), worth("an x (a note)", 0.2, verb="hardly ever leaves")],
            "It hardly ever leaves an x (a note; without this it scores 20 % against itself): this "
            "part holds it up. It also wants few a (44 %).",
        ),
        (
            [worth("few a", 0.2), worth("b", 0.3, verb="weighs"), worth("many c", 0.4)],
            "It wants few a (without this it scores 20 % against itself), weighs b (30 %), and "
            "wants many c (40 %): these three parts hold it up.",
        ),
        (
            [worth("few a", 0.4), worth("few b", 0.5, 0.01), worth("few c", 0.6)],
            "It wants few a (without this it scores 40 % against itself): this part holds it up. "
            "One part does nothing that 1,000 games show: few b. It plays better without this part "
            "against itself: few c (60 %).",
        ),
        (
            [worth(f"few {name}", 0.48) for name in "abcdef"],
            "It wants few a (without this it scores 48 % against itself), few b (48 %), few c "
            "(48 %) and few d (48 %). Two other parts cost at most 5 points of 100 each.",
        ),
    ],
)
def test_sentences_from_influences(parts: list[Influence], sentence: str) -> None:
    assert influence_sentence(parts, TERM) == sentence


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


def test_what_is_lost_is_told_where_games_were_played() -> None:
    assert lost_text(part("x", 0.2, played=AgainstWhole(0.53, 0.5004, 0.56, 1000))) == (
        "-3.0 [-6.0, 0.0]"
    )
    played, unplayed = worth("x", 0.4), part("x", 0.2)
    assert [column.name for column in columns_filled(PARTS, [unplayed, played])] == [
        column.name for column in PARTS
    ]
    assert [column.name for column in columns_filled(PARTS, [unplayed])] == [
        "text", "wants", "share",
    ]  # fmt: skip
