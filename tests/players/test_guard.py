"""Players that look at replies which take their last pieces."""

import pytest

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.games import game_rules
from evoply.players import analyse, load_player, parse_player, save_player

FEW = 8
WON = 1e15


def boards(game, count, least, most, seed=5):
    """Return positions after random games."""
    batch = _native.Positions.random(game_rules(game).kernel, count, seed, least, most)
    return [game_rules(game).position_from_row(batch[index]) for index in range(count)]


def ends_at_once(position):
    """Return whether a move ends the game and wins it."""
    after = [position.play(move).outcome() for move in position.legal_moves]
    return any(outcome is not None and outcome.winner == position.turn for outcome in after)


def value(position, depth, guard):
    """The oracle: minimax that counts pieces, and sees replies that end the game."""
    outcome = position.outcome()
    if outcome is not None:
        return 0 if outcome.winner is None else WON if outcome.winner == position.turn else -WON
    own, other = position.pieces(position.turn), position.pieces(position.turn.opposite)
    if depth == 0:
        return WON if guard and other <= FEW and ends_at_once(position) else own - other
    worth = []
    for move in position.legal_moves:
        after = position.play(move)
        worth.append(-value(after, depth - 1, guard))
    return max(worth)


@pytest.mark.parametrize(("game", "depth"), [("othello-4", 1), ("othello-4", 2), ("othello", 1)])
def test_values_are_those_of_minimax(game, depth):
    player = parse_player(f"material:depth={depth},view=turn,guard=yes", game=game)
    differing = 0
    for position in boards(game, 300, 2, 9):
        if len(position.legal_moves) < 2:
            continue
        expected = value(position, depth, guard=True)
        assert analyse(player, position, stream=Stream(1)).score == expected
        differing += expected != value(position, depth, guard=False)
    assert differing > 0 or game == "othello"


def test_no_move_is_chosen_after_which_a_reply_takes_all():
    careless, careful = (parse_player(f"strong:depth=1,guard={word}") for word in ("no", "yes"))
    assert parse_player("strong:depth=1").identity() == careful.identity()
    swh, fell = parse_player("swh"), 0
    for number, start in enumerate(boards("othello", 12, 4, 8)):
        position, side = start, start.turn
        while position.outcome() is None:
            mover = careless if position.turn == side else swh
            after = position.play(analyse(mover, position, stream=Stream(number)).move)
            if mover is careless and after.outcome() is None and ends_at_once(after):
                fell += 1
                saved = position.play(analyse(careful, position, stream=Stream(number)).move)
                is_lost = all(ends_at_once(position.play(move)) for move in position.legal_moves)
                assert is_lost or not ends_at_once(saved)
            position = after
    assert fell > 0


def test_a_player_is_written_and_read(tmp_path):
    player = parse_player("material:depth=2,guard=yes")
    bare = player.model_copy(update={"name": None})
    assert "guard=yes" in bare.label
    assert any("replies that win the game" in habit for habit in player.habits)
    save_player(tmp_path / "careful.json", player, game="othello")
    assert load_player(tmp_path / "careful.json").guard
    assert parse_player("strong:guard=no,level=3").label == "strong:level=3,guard=no"


@pytest.mark.parametrize("game", ["checkers", "connect-four"])
def test_it_helps_in_games_without_a_wipe_out_too(game):
    plain = "mobility:depth=1,ties=random"
    result = ep.match(f"{plain},guard=yes", plain, game=game, games=1000, seed=1)
    assert result.interval[0] > 0.5


def test_digests_of_players_without_it_are_what_they_were():
    plain, careful = (parse_player(f"material:depth=2{more}") for more in ("", ",guard=yes"))
    assert "guard" not in plain.identity()
    assert careful.identity() == {**plain.identity(), "guard": True}
