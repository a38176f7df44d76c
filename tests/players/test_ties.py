"""Which of equally good moves a player takes, against a plain choice in Python."""

import pytest

from evoply import Stream, _native
from evoply.arena import match
from evoply.games import game_rules
from evoply.players import analyse, load_player, parse_player, save_player
from evoply.protocols import Color

GAMES = ("othello", "othello-6", "othello-10", "checkers", "lose-checkers", "checkers-10")


def slow_choice(position, moves, ties):
    """Return which of *moves*, in the order of legal moves, *ties* takes."""

    def column_and_row(move):
        square = move.path[-1] if hasattr(move, "captured") else move.square
        return square % position.shape.side, square // position.shape.side

    def rows_to_go(move):
        row = move.path[0] // position.shape.side
        return position.shape.side - 1 - row if position.turn is Color.BLACK else row

    match ties:
        case "last":
            return moves[-1]
        case "column":
            return min(moves, key=column_and_row)
        case "advanced":
            return min(moves, key=rows_to_go)
    return moves[0]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("ties", ["first", "last", "column", "advanced"])
@pytest.mark.parametrize(
    "options", ["depth=0", "depth=1", "depth=3", "depth=4,ordering=killer,table=10", "nodes=300"]
)
def test_the_taken_move_is_that_of_a_plain_choice(game, ties, options):
    if ties == "advanced" and not game_rules(game).moves_pieces:
        return
    player = parse_player(f"material:{options},ties={ties}", game=game)
    tied = different = 0
    for index, row in enumerate(_native.Positions.random(game, 40, 11, 2, 60)):
        position = game_rules(game).position_from_row(row)
        moves = list(position.legal_moves)
        if len(moves) < 2:
            continue
        choice = analyse(player, position, stream=Stream(index), every_move=True)
        best = max(value for _, value in choice.moves)
        values = dict(choice.moves)
        equals = [move for move in moves if values[move] == best]
        assert choice.move == slow_choice(position, equals, ties)
        tied += len(equals) > 1
        different += choice.move != equals[0]
    assert tied >= 5, "too few ties to prove anything"
    assert different or ties == "first"


def test_the_kernel_and_the_python_loop_take_the_same() -> None:
    for text in ("material:ties=column", "( white ),50,( black ),50:ties=column,overlap=20"):
        result = match(text, "random", games=20, seed=3)
        assert result.games == 20
        again = match(text, "random", games=20, seed=3, threads=1)
        assert result.score == again.score


def test_a_label_and_a_file_say_the_ties(tmp_path):
    for game, ties in (("othello", "column"), ("checkers", "advanced")):
        player = parse_player(f"( white ):ties={ties}", game=game)
        assert player.label == f"( white ):ties={ties}"
        save_player(tmp_path / "player.json", player, game=game)
        assert load_player(tmp_path / "player.json", game=game) == player.self_contained()


@pytest.mark.parametrize("text", ["( white ):ties=advanced", "material:depth=2,ties=advanced"])
def test_where_no_piece_moves_none_is_the_most_advanced(text):
    with pytest.raises(ValueError, match="pieces of othello stay where they are: ties=advanced is"):
        parse_player(text)
    with pytest.raises(ValueError, match="pieces of othello stay where they are"):
        parse_player("( white ),50,( black ),50:overlap=20,ties=advanced")
    program = parse_player("( white )").evaluator.program("othello")
    with pytest.raises(ValueError, match="no piece of the game moves"):
        _native.Player("othello", "after_state", program, ties="advanced")
    with pytest.raises(ValueError, match="tie rules are first, last, random, column, advanced"):
        _native.Player("othello", "after_state", program, ties="row")
