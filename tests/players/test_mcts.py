"""The player `mcts` against a slow one, as a player everywhere, and how it is told apart."""

import itertools
import os
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from slow_mcts import SlowMcts, answer

import evoply as ep
from evoply import _native
from evoply._native import Stream
from evoply.expressions import board, count, divide, features, number
from evoply.games import GAMES, game_rules
from evoply.players import Mcts, analyse, parse_player
from evoply.players.kernel_seat import ALL_MOVES
from evoply.protocols import Choice, Clock
from evoply.web import ServerLimits
from evoply.web.limits import LimitError
from evoply.web.thinking import read_opponent

VALUES = {
    "pieces": features.discs("own") - features.discs("opponent"),
    "moves": features.mobility("own") - 2.0 * features.mobility("opponent"),
    "nothing": number(0.0),
    "no number": divide(
        0.0 * features.discs("own"), features.discs("own") - features.discs("own"), when_zero="ieee"
    ),
    "large": 1e9 * (count(board.own) - 0.9 * count(board.opponent)),
}


def found(player: Mcts, game: str, row: Any, key: int) -> tuple[Any, ...]:
    """Return move, score, line and values of the kernel's search."""
    move, score, nodes, line, depth, _, values, is_exact = _native.analyse(
        player.native(game), *row, key, best=ALL_MOVES
    )
    assert (nodes, depth, is_exact) == (player.playouts or 1000, len(line), False)
    return move, score, line, [(code, value) for code, value, _ in values]


def position(game: str, seed: int) -> Any:
    """Return a position with several moves, any time in a game."""
    most = min(game_rules(game).late_ply, 45)
    rows = list(_native.Positions.random(game_rules(game).kernel, 50, seed, 0, most))
    return next(row for row in rows if len(_native.legal_moves(game_rules(game).kernel, row)) > 1)


@settings(max_examples=60, deadline=None)
@given(
    game=some.sampled_from(
        ["othello", "othello-6", "othello-10", "checkers", "connect-four", "breakthrough"]
    ),
    seed=some.integers(0, 2**32),
    playout=some.sampled_from(["random", "greedy", "none"]),
    value=some.sampled_from(sorted(VALUES)),
    view=some.sampled_from(["player", "turn"]),
    gather=some.sampled_from([1, 2, 8, 19]),
    exploration=some.sampled_from([0.0, 0.3, 1.0, 5.0]),
    playouts=some.integers(1, 120 if "EVOPLY_LONG" in os.environ else 60),
)
def test_it_is_the_plain_algorithm(
    game: str, seed: int, playout: Any, value: str, view: Any, gather: int, exploration: float,
    playouts: int,
) -> None:  # fmt: skip
    evaluator = ep.AfterState(evaluator=VALUES[value], view=view)
    own: dict[str, Any] = {"greedy": {"epsilon": 0.3}, "none": {"scale": 3.7}}.get(playout, {})
    player = Mcts(
        playouts=playouts,
        exploration=exploration,
        playout=playout,
        gather=gather,
        evaluator=None if playout == "random" else evaluator,
        **own,
    )
    row = position(game, seed)
    assert found(player, game, row, seed) == answer(SlowMcts(player, game, row, seed).run())


@pytest.mark.parametrize("gather", [1, 8])
@pytest.mark.parametrize("game", ["othello-6", "checkers", "connect-four"])
@pytest.mark.parametrize("text", ["mcts", "mcts:evaluator=greedy"])
def test_every_visit_is_that_of_the_plain_algorithm(text: str, game: str, gather: int) -> None:
    """The share of the points of a move tells every visit to it, one playout after the other."""
    row = position(game, 5)
    for playouts in range(1, 50):
        player = parse_player(f"{text},playouts={playouts},gather={gather}".replace(
            "mcts,", "mcts:"), game=game)  # fmt: skip
        assert isinstance(player, Mcts)
        assert found(player, game, row, 3) == answer(SlowMcts(player, game, row, 3).run())


def test_strong_is_an_evaluator_with_a_scale_of_its_own() -> None:
    row = position("othello", 11)
    player = parse_player("mcts:playouts=60,evaluator=strong")
    assert isinstance(player, Mcts)
    assert found(player, "othello", row, 2) == answer(SlowMcts(player, "othello", row, 2).run())
    wide = player.with_options({"scale": player.squash * 2})
    assert found(wide, "othello", row, 2) != found(player, "othello", row, 2)
    same = player.with_options({"scale": player.squash})
    assert found(same, "othello", row, 2) == found(player, "othello", row, 2)


def test_what_an_evaluator_asks_of_the_choice_is_that_of_the_root() -> None:
    row = position("othello-6", 4)
    ply, squash = row[4], 3.0

    def shares(value: Any) -> Any:
        player = Mcts(playouts=100, evaluator=value, scale=squash)
        return found(player, "othello-6", row, 1)

    assert shares(board.root_ply + 0.0) == shares(number(float(ply)))
    assert shares(board.root_ply + 0.0) != shares(number(float(ply + 2)))


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("text", ["mcts:playouts=20", "mcts:playouts=20,evaluator=greedy",
                                  "mcts:playouts=10,playout=greedy,evaluator=greedy"])  # fmt: skip
def test_it_plays_every_game_the_same_on_any_number_of_threads(game: str, text: str) -> None:
    one, two = (
        ep.match(text, "random", games=4, game=game, seed=3, threads=threads) for threads in (1, 2)
    )
    assert one.to_dict() == two.to_dict()


@pytest.mark.parametrize("gather", [1, 8])
def test_it_finds_the_win_that_is_there(gather: int) -> None:
    """Three in a row wait for a fourth, and it is the side's turn."""
    position: Any = game_rules("connect-four").start()
    for column in "dadbda":
        moves = position.legal_moves
        position = position.play(next(move for move in moves if str(move)[0] == column))
    choice = analyse(f"mcts:playouts=300,gather={gather}", position, every_move=True)
    assert choice.score is not None
    assert str(choice.move)[0] == "d"
    after = position.play(choice.move)
    assert after.outcome() is not None
    assert choice.moves[0] == (choice.move, choice.score)


def test_averages_prove_nothing_before_there_are_enough_playouts() -> None:
    # After b3 the reply a1 loses, but by one line of play only: a3, c3 (forced), b2 (forced), and
    # two squares win. Most of the other games from there are good, so few playouts go that way.
    # Nothing is lost on the way: the slow model, which knows no proofs either, counts the same.
    game, key = "tic-tac-toe", 2334582207761216666
    rules = game_rules(game)
    start, move = rules.start(), rules.move_from_code
    after = start.play(next(one for one in start.legal_moves if str(one) == "b3"))
    perfect, row = analyse("material:depth=9", after, every_move=True), after.row
    losing = {str(one) for one, value in perfect.moves if value < 0}
    assert losing == {"a1", "c1", "a2", "c2"}
    few, many = (Mcts(playouts=count, gather=1) for count in (5_000, 100_000))
    chosen, score, line, values = found(few, game, row, key)
    assert (str(move(chosen)), score > 0.5) == ("a1", True)
    assert answer(SlowMcts(few, game, row, key).run()) == (chosen, score, line, values)
    assert str(move(found(many, game, row, key)[0])) not in losing


def test_more_playouts_win() -> None:
    result = ep.match("mcts:playouts=200", "mcts:playouts=10", games=40, game="othello-6", seed=1)
    assert result.score > 0.7


def test_forced_moves_are_valued_and_cost_nothing() -> None:
    row = next(
        row
        for seed in itertools.count()
        for row in list(_native.Positions.random("checkers", 50, seed, 10, 40))
        if len(_native.legal_moves("checkers", row)) == 1
    )
    native = Mcts(playouts=30).native("checkers")
    assert _native.analyse(native, *row, 1)[2] == 0
    (value,) = _native.analyse(native, *row, 1, best=ALL_MOVES)[6]
    assert value[0] == _native.legal_moves("checkers", row)[0]
    assert 0 <= value[1] <= 1


def test_it_is_exact_near_the_end() -> None:
    rows = list(_native.Positions.random("othello", 20, 3, 52, 54))
    for row in rows:
        position: Any = game_rules("othello").position_from_row(row)
        if len(position.legal_moves) < 2:
            continue
        choice = analyse("mcts:endgame=12", position, every_move=True)
        solved = ep.solve(position)
        assert (choice.score, choice.notes) == (solved.score, {"exact": True})
        assert choice.moves == analyse("strong:endgame=12", position, every_move=True).moves


def test_under_a_clock_it_uses_its_share_and_answers_in_time() -> None:
    seat = parse_player("mcts").seat("othello")
    game = game_rules("othello").record("f5d6c3")
    key = Stream(3).child(1, 3)

    def best_of_some(clock: Clock, fewest: float, most: float) -> Choice:
        """Return a choice made in time; other processes may hold some of them up."""
        for _ in range(20):
            choice = seat.choose(game, key, clock)
            assert choice.seconds > fewest
            if choice.seconds < most:
                return choice
        raise AssertionError(f"never within {most} seconds")

    assert best_of_some(Clock(move_seconds=0.3), 0.2, 0.5).nodes > 100
    best_of_some(Clock(seconds_left=3.0), 0.01, 0.5)
    none = seat.choose(game, key, Clock(seconds_left=0.0001))
    assert none.move in game.position.legal_moves
    assert none.nodes >= 1
    few = parse_player("mcts:playouts=50").seat("othello")
    assert few.choose(game, key, Clock(move_seconds=30)).nodes == 50
    assert few.choose(game, key, Clock()).move == few.choose(game, key, Clock(move_seconds=30)).move


def test_a_limit_in_time_ends_a_move_and_is_not_reproducible() -> None:
    player = parse_player("mcts:time=0.05")
    assert not player.reproducible
    choice = analyse(player, game_rules("othello").start(), every_move=True)
    assert 0.04 < choice.seconds < 1.0
    assert choice.nodes > 200
    assert dict(choice.moves)[choice.move] == choice.score
    assert parse_player("mcts:time=5,playouts=9").seat("othello").choose(
        game_rules("othello").record(), Stream(1), Clock()
    ).nodes == 9  # fmt: skip


def test_it_does_not_ponder() -> None:
    seat = Mcts().seat("othello")
    assert seat.ponder(game_rules("othello").record(), 1, moves=0, depth=9) is None


def test_options_may_follow_the_evaluator() -> None:
    one = parse_player("mcts:evaluator=material:depth=2,ties=random,playouts=7,scale=3")
    other = parse_player("mcts:playouts=7,scale=3,evaluator=material:depth=2,ties=random")
    assert one == other
    tree = parse_player("mcts:evaluator=( white ),30,( black ),70,playouts=7")
    assert tree == parse_player("mcts:playouts=7,evaluator=( white ),30,( black ),70")


def test_what_does_not_fit_a_game_is_refused() -> None:
    with pytest.raises(ValueError, match="checkers has no exact solver: leave endgame out"):
        parse_player("mcts:endgame=8", game="checkers")
    with pytest.raises(ValueError, match="swh plays othello"):
        parse_player("mcts:evaluator=swh", game="checkers")
    with pytest.raises(ValueError, match="this is strong of othello"):
        Mcts(evaluator=parse_player("strong")).seat("checkers")
    with pytest.raises(ValueError, match="evaluator: give a player, as parse_player"):
        Mcts(evaluator="swh")
    with pytest.raises(ValueError, match="playouts"):
        _native.Player.mcts("othello", pieces_program(), playouts=0)


def pieces_program() -> _native.Program:
    return _native.Program("othello", VALUES["pieces"].to_json())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"exploration": -1.0}, "exploration -1 is no number from 0 on"),
        ({"scale": 0.0}, "scale 0 is no number above 0"),
        ({"gather": 0}, "gather 0 is not from 1 to 256"),
        ({"playout": "greedy", "epsilon": 2.0}, "epsilon 2 is not a probability"),
        ({"playout": "deep"}, 'unknown playout "deep": playouts are random, greedy, none'),
    ],
)
def test_the_kernel_refuses_what_makes_no_sense(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        _native.Player.mcts("othello", pieces_program(), **options)


def test_a_file_describes_its_evaluator(tmp_path: Any) -> None:
    (tmp_path / "tree.toml").write_text(
        'kind = "mcts"\nplayouts = 20\n[evaluator]\nkind = "strong"\n', encoding="utf-8"
    )
    from_toml = parse_player(str(tmp_path / "tree.toml"))
    assert from_toml.label == "mcts:playouts=20,evaluator=strong"


def test_identities_tell_what_decides_moves() -> None:
    texts = ["mcts", "mcts:gather=8", "mcts:evaluator=strong", "mcts:evaluator=swh"]
    identities = [parse_player(text).identity() for text in texts]
    assert all(one != other for one, other in itertools.combinations(identities, 2))
    usual = parse_player("mcts:scale=8,evaluator=swh").identity()
    assert usual == parse_player("mcts:evaluator=swh").identity()
    keys = np.array([1], dtype=np.uint64)
    batch = _native.Positions("othello", [game_rules("othello").start().row])
    chosen = batch.choose(parse_player("mcts").native("othello"), keys)
    assert 0 <= chosen[1][0] <= 1


@pytest.mark.parametrize(
    "text",
    [
        "mcts:evaluator=mine.json,playouts=3",
        "mcts:evaluator=mine.toml:depth=3",
        "mcts:evaluator= engine:gtp:rm",
        "mcts:playouts=3,evaluator=champion@../elsewhere",
        "mcts:evaluator=champion@../elsewhere,playouts=3",
    ],
)
def test_no_file_is_named_to_the_page_by_an_evaluator(text: str) -> None:
    with pytest.raises(ValueError, match=r"cannot be named here|no run is called|not a name"):
        read_opponent(text, "othello", ServerLimits())


def test_the_page_takes_a_tree_of_playouts_within_its_limits() -> None:
    limits = ServerLimits()
    player = read_opponent("mcts:playouts=500,evaluator=strong", "othello", limits)
    assert player.label == "mcts:playouts=500,evaluator=strong"
    with pytest.raises(LimitError, match="1,000,000"):
        read_opponent("mcts:playouts=1000000", "othello", limits)
