"""What the kernel says about a single position, and what streams say of where they come from."""

import pytest

import evoply as ep
from evoply import _native
from evoply.games import GAMES, game_rules
from evoply.players import parse_player
from evoply.players.kernel_seat import ALL_MOVES

Stream = _native.Stream


def test_a_stream_knows_the_key_it_was_made_from() -> None:
    root = Stream(7)
    assert root.parent is None
    assert Stream.from_key(3).parent is None
    assert root.child(2, "name").parent == root.key
    assert root.child(2).child("name").parent == root.child(2).key
    assert root.child(2).child("name").key == root.child(2, "name").key
    assert root.child().parent is None
    assert root.child(2).child().parent == root.key
    assert Stream(7, "test").parent == root.key
    move = Stream.from_key(99).child(1, 12)
    move.bits()
    assert move.parent == 99


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["greedy", "material:depth=3", "material:depth=2,ordering=killer"])
def test_values_of_moves_are_those_of_the_positions_after_them(game: str, text: str) -> None:
    """A move is worth what the best answer leaves: minus the best value one ply less deep."""
    rules, player = game_rules(game), parse_player(text, game=game)
    native = player.native(game)
    for row in list(_native.Positions.random(game, 8, 5, 4, 30)):
        plain = _native.analyse(native, *row, 1)
        whole = _native.analyse(native, *row, 1, best=ALL_MOVES)
        assert plain[6] == []
        assert (whole[:5], whole[5] > 0) == (plain[:5], True)
        position = rules.position_from_row(row)
        values = {code: value for code, value, _ in whole[6]}
        assert list(values) == [move.code(rules.shape) for move in position.legal_moves]
        if len(values) > 1:
            assert values[whole[0]] == max(values.values()) == whole[1]
        depth = getattr(player, "depth", 1)
        if depth > 1:
            nearer = player.model_copy(update={"depth": depth - 1, "view": "turn"}).native(game)
            deeper = player.model_copy(update={"view": "turn"}).native(game)
            for code, value, _ in _native.analyse(deeper, *row, 1, best=ALL_MOVES)[6]:
                after = position.play(rules.move_from_code(code))
                if after.outcome() is None:
                    answers = _native.analyse(nearer, *after.row, 1, best=ALL_MOVES)[6]
                    assert value == -max(answer for _, answer, _ in answers)


def test_random_moves_have_no_values() -> None:
    row = game_rules("othello").start().row
    assert (
        _native.analyse(parse_player("random").native("othello"), *row, 1, best=ALL_MOVES)[6] == []
    )
    late = parse_player("greedy").native("othello").with_random_moves(2)
    values = [_native.analyse(late, *row, 1, moves=n, best=ALL_MOVES)[6] for n in range(4)]
    assert [len(value) for value in values] == [0, 0, 4, 4]


@pytest.mark.parametrize(
    ("game", "text"),
    [
        ("othello", "material:depth=4"), ("othello", "strong:depth=3"), ("othello", "mobility"),
        ("checkers", "material:depth=3,quiescence=yes"), ("othello", "strong:level=2"),
    ],
)  # fmt: skip
def test_the_best_moves_have_the_values_that_all_have(game: str, text: str) -> None:
    batch = _native.Positions.random(game_rules(game).kernel, 12, 3, 10, 40)
    for index in range(len(batch)):
        position = game_rules(game).position_from_row(batch[index])
        whole = ep.analyse(text, position, every_move=True)
        for multi in (1, 2, 4):
            some = ep.analyse(text, position, multi=multi)
            assert some.moves == whole.moves[:multi]
            assert (some.move, some.score, some.nodes) == (whole.move, whole.score, whole.nodes)


def test_near_the_end_the_best_moves_are_solved() -> None:
    batch = _native.Positions.random("othello", 1, 3, 50, 50)
    position = game_rules("othello").position_from_row(batch[0])
    whole = ep.analyse("strong:endgame=12", position, every_move=True)
    assert whole.notes == {"exact": True}
    assert ep.analyse("strong:endgame=12", position, multi=2).moves == whole.moves[:2]


def test_a_searcher_and_wrong_numbers() -> None:
    position = ep.othello.Position().play("f5")
    with ep.Searcher("material:depth=3") as searcher:
        assert len(searcher.think(position, multi=2).moves) == 2
    for wrong in (-1, 2.0, True, 2**40):
        with pytest.raises(ValueError, match=r"multi: .* is not a number of moves"):
            ep.analyse("material:depth=3", position, multi=wrong)
    with pytest.raises(ValueError, match="give multi or every_move, not both"):
        ep.analyse("material:depth=3", position, multi=2, every_move=True)
