"""Every feature has words, from shipped sets and from a user's own, for both sides."""

from pathlib import Path

import pytest

from evoply.expressions import (
    PRIMITIVE_SETS,
    Primitive,
    board,
    count,
    features,
    squares,
    weighted_sum,
)
from evoply.expressions.written_form import FormulaNames
from evoply.games import GAMES, SHAPES
from evoply.learning.tunable import tunable
from evoply.players import AfterState, ExpressionEvaluator, TreeEvaluator, load_player, save_player
from evoply.reports import explain
from evoply.reports.part_words import Words

CHECKERS = Words("piece", has_kings=True)


def words_for(name: str) -> Words:
    """Return words in the game of a set of primitives, whose names are known as in a player."""
    kept = {part.expression: part.name for part in PRIMITIVE_SETS[name].terminals}
    size = 10 if name.endswith("-10") else 6 if name.endswith("-6") else 8
    return Words("piece", FormulaNames(kept), SHAPES[size], has_kings="checkers" in name)


def measures(part: Primitive) -> bool:
    """Return whether a terminal measures a board, as numbers and constants do not."""
    is_square = part.parameter is not None
    return part.expression.type == "number" and part.expression.op != "number" and not is_square


@pytest.mark.parametrize("name", PRIMITIVE_SETS)
def test_no_primitive_is_said_by_its_name(name: str) -> None:
    words = words_for(name)
    unsaid = [
        part.name
        for part in PRIMITIVE_SETS[name].terminals
        if measures(part) and words.phrase(part.expression) is None
    ]
    assert unsaid == []


@pytest.mark.parametrize("name", PRIMITIVE_SETS)
def test_both_sides_are_said_apart(name: str) -> None:
    words = words_for(name)
    terminals = [part for part in PRIMITIVE_SETS[name].terminals if measures(part)]
    phrases = [words.phrase(part.expression) for part in terminals]
    distinct = {part.expression for part in terminals}
    assert len(set(phrases)) == len(distinct)


def test_what_is_attacked_is_said_from_both_sides() -> None:
    any_game = PRIMITIVE_SETS["any-game"]
    words = words_for("any-game")
    assert words.phrase(any_game["own_targets"].expression) == (
        "pieces of the opponent that it attacks"
    )
    assert words.wanted(any_game["opponent_targets"].expression, "", is_more=False) == (
        "few own pieces that the opponent attacks"
    )


def test_mobility_is_no_number_of_moves_where_captures_are_forced() -> None:
    mobility = features.mobility("opponent")
    assert Words().wanted(mobility, "", is_more=False) == "few legal moves for the opponent"
    assert CHECKERS.wanted(mobility, "", is_more=False) == (
        "the opponent to have a capture open or few moves"
    )
    assert "captures alone" in str(CHECKERS.phrase(mobility))
    assert GAMES["checkers"].has_kings


def test_squares_that_hold_no_pieces_have_no_highest_weight() -> None:
    # The light squares of checkers, whose weight is the highest.
    table = [99.0 if (square // 8 + square) % 2 == 0 else float(square) for square in range(64)]
    value = weighted_sum(board.own, [table])
    player = AfterState(evaluator=ExpressionEvaluator(expression=value.to_dict()))
    sentence = explain(player, game="checkers", positions=300, games=0).sentence
    assert "The highest weight, 62, is on g8" in sentence


def test_names_of_ones_own_are_kept_through_tuning_and_saving(tmp_path: Path) -> None:
    pillars = count((board.own & squares("corners")).fill(board.own & squares("edges"), ["n", "s"]))
    mine = PRIMITIVE_SETS["liao"].with_primitive("side_pillars", pillars).renamed("mine")
    tree = "( + ( * 10 side_pillars ) white_edges )"
    player = AfterState(evaluator=TreeEvaluator(tree=tree, primitives=mine.to_dict()))
    found = tunable(player.model_dump_json(), "othello", "terms")
    save_player(tmp_path / "tuned.json", found.tuned(found.weights * 1.5))
    sentence = explain(load_player(tmp_path / "tuned.json"), positions=200).sentence
    assert "a high value of side pillars" in sentence
    assert "count(" not in sentence
