"""What people write wrongly in Python works, or the error says what to write instead."""

import re
from pathlib import Path
from typing import Any

import pytest

import evoply
from evoply.games import game_rules
from evoply.players import ExpressionEvaluator, TreeEvaluator, player_of

ep: Any = evoply  # types would refuse most of these uses

POSITION = ep.othello.Position()
GAME = ep.othello.Game.from_transcript("f5d6")
MOBILITY = ep.features.mobility("own")
TREE = ep.parse_tree("( white )")


def evolved(**parts: Any) -> list[Any]:
    return [*ep.evolve("quick", game="othello-4", population_size=6, generations=1, **parts)]


WRONG: list[tuple[Any, str]] = [
    # names that are nearly right
    (lambda: ep.mtach, "evoply has no attribute 'mtach'; did you mean 'match'?"),
    (lambda: ep.features.mobilty, "evoply.features has no attribute 'mobilty'; did you mean"),
    (lambda: ep.board.onw, "the board has no attribute 'onw'; did you mean 'own'?"),
    (lambda: ep.GAMES["othelo"], "did you mean 'othello'? The games are othello, othello-4"),
    (lambda: game_rules("othello-8"), "did you mean 'othello'?"),
    (lambda: ep.match("swh", "random", gmaes=2), "no argument is called 'gmaes'; did you mean"),
    (lambda: ep.with_options("swh", {"dept": 2}), "no option 'dept'; did you mean 'depth'?"),
    (lambda: ep.with_options("swhh", {"depth": 2}), "no player is called 'swhh'; did you mean"),
    (lambda: ep.parse_tree("( white )", "laio"), "did you mean 'liao'?"),
    # expressions
    (lambda: ep.board.own + ep.board.empty, "combine sets with |, &, - and ~, and calculate with"),
    (lambda: 3 * ep.board.own, "a set of squares is no number"),
    (lambda: ep.board.own < 3, "a set of squares is no number"),
    (lambda: len(ep.board.own), "a set of squares is no number"),
    (lambda: "d3" in ep.board.own, "contains(squares, 'd3') asks there"),
    (lambda: MOBILITY**2, "write x * x for x ** 2"),
    (lambda: MOBILITY & MOBILITY, "compare numbers before & and |"),
    (lambda: ep.count("corners"), "a set by its name is squares('corners')"),
    (lambda: ep.squares(3), "squares must be a name such as 'corners' or a list"),
    (lambda: MOBILITY.evaluate("f5d6"), "evaluated at a position or a record of a game"),
    (lambda: MOBILITY.evaluate_all(POSITION), "takes a list of positions"),
    (lambda: MOBILITY.evaluate(POSITION, own="red"), "'red' is not a valid Color"),
    # positions and games
    (lambda: POSITION["z9"], "'z9' is not a square: squares are a1 to h8"),
    (lambda: ep.checkers.Position()["d3"], "there is no square 'd3': squares are 1 to 32"),
    (lambda: ep.checkers.Position()[33], "there is no square 33 on 8x8: squares are 1 to 32"),
    (lambda: ep.othello.Position("f5d6"), "Game.from_transcript a game"),
    (lambda: ep.othello.Game("f5d6"), "start: 'f5d6' is no position of Othello"),
    (lambda: ep.othello.Game.from_transcript(3), "is read from a text, not from 3"),
    (lambda: ep.add_game("x"), "'x' is not the rules of a game"),
    (lambda: ep.analyse("swh", "f5d6"), "'f5d6' is neither a position nor a record"),
    (lambda: ep.why("swh", "f5d6"), "'f5d6' is neither a position nor a record"),
    (lambda: ep.xray("swh", "f5d6"), "'f5d6' is neither a position nor a record"),
    (lambda: ep.solve("f5d6"), "'f5d6' is not a position"),
    # trees and players
    (lambda: ep.parse_tree(3), "a tree is read from a text such as '( white )'"),
    (lambda: ep.simplify("( white )"), "parse_tree reads a text"),
    (lambda: ep.AlphaBeta(evaluator="swh"), "'swh' is a text: give a tree, an expression"),
    (lambda: ep.AlphaBeta("swh"), "by name, such as evaluator=: 'swh' has none"),
    (lambda: ep.RandomStart(player="swh", plies=4), "such as parse_player('swh'), not a text"),
    (lambda: ep.RandomStart("swh", 4), "by name, such as plies=, player=: 'swh' has none"),
    (lambda: ep.with_options("swh", 2), "options: give a dict such as {'depth': 2}, not 2"),
    (lambda: ep.round_robin("swh"), "players: give a list of players, not 'swh'"),
    (lambda: ep.tournament("swh"), "players: give a list of players, not 'swh'"),
    (lambda: ep.sprt_match("swh", "random", (0, 9)), "test: give an Sprt"),
    (lambda: ep.Sprt(0, "x"), "elo1: must be a number, not 'x'"),
    # runs
    (lambda: evolved(fitness=lambda tree: 1.0), "<lambda>(tree) cannot be asked: a fitness takes"),
    (lambda: evolved(fitness=lambda: 1.0), "<lambda>() cannot be asked: a fitness takes (tree,"),
    (lambda: evolved(fitness=int), "the fitness builtins.int(...) cannot be asked"),
    (lambda: evolved(fitness=lambda trees, streams: 1.0), "gave 1 numbers for"),
    (lambda: evolved(operators=[len]), "operators: give a dict of operators by the names"),
    (lambda: ep.Run.create("runs/x", "quick"), "such as evoply.load_config('quick')"),
    (lambda: ep.replay("x", generation=0, game=0), "'x' is not an open run: give evoply.find_run"),
]


@pytest.mark.parametrize(("use", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_wrong_use_says_what_to_do(
    use: Any, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises((ValueError, TypeError, KeyError, AttributeError)) as caught:
        use()
    assert re.search(re.escape(message), str(caught.value)), str(caught.value)


def test_a_feature_of_a_game_is_that_of_its_last_position() -> None:
    for there in (None, ep.Color.WHITE, "white"):
        assert MOBILITY.evaluate(GAME, there) == MOBILITY.evaluate(GAME.position, there)
    assert [*MOBILITY.evaluate_all([GAME, POSITION])] == [5, 4]
    later = ep.othello.Game.from_transcript("f5d6c3d3c4")
    assert [MOBILITY.evaluate(later, side) for side in ("black", "white")] == [9, 6]


def test_numbers_may_be_chosen_between() -> None:
    assert ep.select(ep.board.t < 0.5, 1, MOBILITY).evaluate(POSITION) == 1


def test_what_stands_on_a_square() -> None:
    assert [POSITION[square] for square in ("d4", "E4", "d3")] == [
        ep.Color.WHITE,
        ep.Color.BLACK,
        None,
    ]
    board = ep.checkers.Position.parse("B:W18,K27:B1,12")
    assert [board[square] for square in ("18", 27, 1, "2")] == [
        ep.Color.WHITE,
        ep.Color.WHITE,
        ep.Color.BLACK,
        None,
    ]
    assert [board.is_king(square) for square in (18, "27", 2)] == [False, True, False]
    with pytest.raises(TypeError, match="not iterable"):
        list(POSITION)
    for color in ep.Color:  # what each square says is what the board says
        found = [name for name in map(str, range(1, 33)) if board[name] is color]
        assert len(found) == board.pieces(color)


def test_texts_trees_and_expressions_are_players(tmp_path: Path) -> None:
    assert ep.with_options("swh", {"depth": 2}) == ep.with_options(
        ep.parse_player("swh"), {"depth": 2}
    )
    ep.save_player(tmp_path / "swh.json", "swh:depth=2")
    assert ep.load_player(tmp_path / "swh.json") == ep.parse_player("swh:depth=2")
    assert player_of(MOBILITY) == ep.AfterState(
        evaluator=ExpressionEvaluator(expression=MOBILITY.to_dict())
    )
    assert ep.AfterState(evaluator=MOBILITY) == player_of(MOBILITY)
    assert ep.AlphaBeta(evaluator=TREE).evaluator == TreeEvaluator(tree=TREE)
    result = ep.match(MOBILITY, "mobility", game="othello-6", games=20)
    assert result.first == "number_of_moves(own)"


def test_trees_are_read_in_the_usual_set() -> None:
    assert ep.parse_tree("( white )", ep.PRIMITIVE_SETS["liao+mobility"]) == TREE
    assert ep.parse_tree("( white )", "liao") == ep.parse_tree(
        "( white )", ep.PRIMITIVE_SETS["liao"]
    )
    assert ep.parse_individual("( white ),50,( white_mobility ),50").role == "stages"


def test_calculating_with_sets_leaves_sets_as_they_are() -> None:
    both = ep.board.own | ep.board.empty
    assert both == ep.board.own | ep.board.empty
    assert ep.count(both).evaluate(POSITION) == 62
