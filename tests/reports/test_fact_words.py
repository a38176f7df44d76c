"""Words for shapes of Othello and for what rules say: each feature has a noun phrase."""

import pytest

from evoply.expressions import facts_set, find_primitive_set
from evoply.expressions.features import SHAPES
from evoply.games import game_rules
from evoply.players import parse_player
from evoply.reports.feature_words import known_features, named_fact
from evoply.reports.part_words import Words

FROM_DATA = ["connect-four", "tic-tac-toe", "breakthrough-6", "hex-9", "clobber", "ataxx"]


def test_shapes_are_said_for_both_sides():
    known = known_features("disc")
    phrases = [
        known[shape(side)].things for shape in SHAPES.values() for side in ("own", "opponent")
    ]
    assert len(set(phrases)) == 2 * len(SHAPES)
    assert not any("{" in phrase for phrase in phrases)
    wedge = known[SHAPES["wedges"]("opponent")]
    assert (
        wedge.single == "a wedge of the opponent (one empty square between two discs on the edge)"
    )
    safe = known[SHAPES["no_safe_move"]("opponent")]
    assert safe.wanted(True).startswith("no safe move for the opponent")


@pytest.mark.parametrize("game", FROM_DATA)
def test_every_fact_of_a_game_is_said(game):
    chosen = facts_set(game)
    text = f"( + own_linked opponent_linked ):primitives={chosen.name}"
    names = parse_player(text, game=game).evaluator.names_in(game)
    assert set(names.known.values()) >= {"own_linked", "opponent_linked"}
    known = known_features(game_rules(game).piece)
    for primitive in chosen.terminals:
        if primitive.name != "clock":
            words = known.get(primitive.expression) or named_fact(primitive.name, "pawn")
            assert words is not None, primitive.name
            assert "{" not in words.things


def test_a_fact_is_known_by_its_name_in_an_evaluator():
    text = "( - own_wins_next opponent_wins_next ):primitives=facts-hex-9"
    names = parse_player(text, game="hex-9").evaluator.names_in("hex-9")
    wins = find_primitive_set("facts-hex-9")["opponent_wins_next"].expression
    said = Words("stone", names)
    assert said.phrase(wins) == "moves for the opponent that win at once"
    assert said.wanted(wins, "", False) == "few moves for the opponent that win at once"
    # A sum that has a name is not said as the sum of its parts.
    stones = find_primitive_set("facts-hex-9")["own_stones_to_go"].expression
    text = "( + own_stones_to_go own_linked ):primitives=facts-hex-9"
    said = Words("stone", parse_player(text, game="hex-9").evaluator.names_in("hex-9"))
    assert said.phrase(stones) == "stones that it still needs to join its borders"
    assert named_fact("white_wins_next", "stone") is None
    assert named_fact("own_thing", "stone") is None
