"""Portraits: sizes are those of the players as data, and every player has one."""

from typing import Literal

import numpy as np
import pytest

import evoply as ep
from evoply.experiments.leagues.portraits import Portrait, portrait
from evoply.expressions import PRIMITIVE_SETS, parameters_of, sum_of_patterns, with_parameters
from evoply.games import game_rules
from evoply.gp import parse_individual
from evoply.players import AlphaBeta, ExpressionEvaluator, PlayerKind, ValuingPlayer, player_of


def seen(text: str, game: str = "othello") -> Portrait:
    return portrait(ep.parse_player(text, game=game), game)


def test_a_tree_is_counted_simplified_and_drawn() -> None:
    found = seen("( + white ( + ( - black black ) ( * 10 white_corners ) ) )")
    assert (found.nodes, found.terms, found.weights, found.entries) == (9, 2, 0, 0)
    assert found.size == "9 nodes"
    assert found.needs == "a formula of 2 terms and 5 symbols"
    assert [picture.kind for picture in found.pictures] == ["tree", "map"]
    assert all(picture.svg.startswith("<svg") for picture in found.pictures)
    assert {part.text for part in found.parts} == {"white", "10 * white_corners"}
    assert "own corners" in found.sentence
    ranks = [part.rank for part in found.parts]
    assert ranks == sorted(ranks)


def test_stages_are_read_one_by_one() -> None:
    found = seen("( white ),50,( + white_corners white ),50:overlap=20")
    assert found.nodes == 4
    assert found.terms == 3
    assert found.needs == "2 formulas of 1 and 2 terms, one for each part of the game"
    assert "overlap" in found.sentence


def test_a_tree_that_orders_moves_is_told_from_the_value() -> None:
    tree = parse_individual("{ ordered ( white ) ( + white black ) }", PRIMITIVE_SETS["liao"])
    found = portrait(player_of(tree), "othello")
    assert "; and for the order of moves a formula of 2 terms" in found.needs


def test_weights_of_squares_are_counted_once_for_both_sides() -> None:
    assert seen("swh").needs == "64 weights"
    edgar = seen("edgar-like")
    assert (edgar.needs, edgar.weights) == ("60 tables of 64 weights", 3840)
    assert seen("swh").pictures[0].kind == "map"


def test_a_linear_evaluator_is_a_formula_of_its_terms() -> None:
    found = seen("firebrand")
    assert found.terms == len(found.parts) == 20
    assert found.needs.startswith("a formula of 20 terms")
    # A league gives a player its own depth, so that of the text is not said.
    assert "plies ahead" not in found.sentence


def patterns(game: str) -> AlphaBeta:
    """Tables of two patterns, three stages each, with drawn entries."""
    rules = game_rules(game)
    empty = sum_of_patterns([("a1 b1 a2", None), ("b2 c2", None)], rules.shape, stages=(20, 40))
    entries = np.random.default_rng(1).normal(size=len(parameters_of(empty)))
    filled = with_parameters(empty, entries)
    return AlphaBeta(evaluator=ExpressionEvaluator(expression=filled.to_dict()), depth=2)


def test_tables_of_patterns_are_counted_and_seen_by_region() -> None:
    found = portrait(patterns("othello"), "othello")
    assert found.entries == 3 * (3**3 + 3**2)
    assert (found.size, found.needs) == ("6 tables, 108 entries", "6 tables with 108 entries")
    assert sum(part.share for part in found.parts) == pytest.approx(1)
    assert any("corner a1" in part.text for part in found.parts)
    assert [picture.kind for picture in found.pictures] == ["map"]


def test_strong_has_the_tables_of_its_game() -> None:
    found = seen("strong", "checkers")
    assert found.entries == len(ep.players.strong_tables("checkers").values)
    assert f"tables with {found.entries:,} entries" in found.needs
    assert "men" in {part.text for part in found.parts}


def test_who_evolves_before_each_move_has_nothing_that_stays() -> None:
    found = seen("online")
    assert found.needs.startswith("nothing that stays")
    assert "21,000 games" in found.needs
    assert found.pictures == found.parts == ()


def test_a_coin_between_two_evaluators_needs_both() -> None:
    assert "; or by the toss of a coin a formula of 2 terms" in seen("material-alternating").needs


def test_what_does_not_depend_on_the_board_is_nothing_to_read() -> None:
    found = seen("random-leaf")
    assert found.needs == "nothing: all boards have the same value to it"
    assert "random draw" in found.sentence
    assert found.pictures == ()


def test_random_moves_need_a_sentence() -> None:
    found = seen("random")
    assert (found.needs, found.sentence) == (
        "a sentence",
        "It chooses uniformly among its legal moves.",
    )


class Silent(PlayerKind):
    """A kind that says nothing of itself."""

    kind: Literal["silent"] = "silent"


class Refusing(Silent):
    """A kind whose values cannot be had."""

    def valuing(self) -> ValuingPlayer | None:
        raise ValueError("not today")


class Choosing:
    """A player in Python."""

    def choose(self, game: object, stream: object, clock: object) -> object:
        return game.position.legal_moves[0]


@pytest.mark.parametrize("player", [Silent(), Refusing(), Silent(name="a <b>")])
def test_a_kind_that_nobody_knows_has_its_label_in_words(player: PlayerKind) -> None:
    found = portrait(player, "othello")
    assert found.label == player.label
    assert "no values of boards" in found.needs


def test_a_player_in_python_has_its_label() -> None:
    player = player_of(Choosing())
    found = portrait(player, "othello")
    assert found.label == player.label
    assert "Python" in found.needs


def test_a_player_of_another_game_is_no_error() -> None:
    assert portrait(ep.parse_player("strong"), "checkers").entries == 0
    assert portrait(ep.parse_player("swh"), "checkers").needs == "64 weights"


def test_a_formula_that_is_not_simplified_still_has_a_size() -> None:
    part = "( + ( + white black ) ( * 1 ( + white black ) ) )"
    found = seen(f"( + {part} ( * 1 {part} ) )")
    assert found.nodes == 21
    assert found.needs.startswith("a formula")
    assert found.pictures[0].kind == "tree"
