"""Games as environments of gymnasium, by its own check and by what is promised."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("gymnasium")
pytest.importorskip("pettingzoo")
import gymnasium as theirs
from gymnasium.utils.env_checker import check_env

import evoply as ep
from evoply._native import Stream
from evoply.field import gymnasium
from evoply.players.searcher import move_stream
from evoply.protocols import Clock, Color, ForfeitError

TESTED = ("othello", "checkers", "breakthrough", "connect-four", "hex-9")


@pytest.fixture(scope="module", autouse=True)
def registered() -> None:
    """What a user writes once, so that `gymnasium.make` knows evoply."""
    theirs.register("evoply/board", entry_point="evoply.field.gymnasium:env")


@pytest.mark.parametrize("game", TESTED)
def test_gymnasium_accepts_it(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = {"game": game, "opponent": "greedy", "seed": 1}
    check_env(theirs.make("evoply/board", **options).unwrapped)


def played(env: Any, stream: Stream) -> tuple[str, float]:
    """Return the record of a game of random actions, and the agent's reward."""
    seen, info = env.reset()
    rewards = [0.0]
    while True:
        legal = np.flatnonzero(seen["action_mask"])
        seen, reward, terminated, truncated, info = env.step(legal[stream.below(len(legal))])
        assert (truncated, info) == (False, {})
        assert not any(rewards)
        rewards.append(reward)
        if terminated:
            return str(env.point.record), reward


@pytest.mark.parametrize("game", TESTED)
def test_the_same_seed_gives_the_same_games(game: str) -> None:
    env = gymnasium.env(game, "random", seed=5, opening_plies=2)
    draws = Stream(1, "actions")
    games = [played(env, draws.child(number)) for number in range(4)]
    assert len(set(games)) == 4
    env.reset(seed=5)
    again = gymnasium.env(game, "random", seed=5, opening_plies=2)
    assert [played(again, draws.child(number)) for number in range(4)] == games


def test_the_opponent_plays_as_it_does_elsewhere() -> None:
    player = ep.parse_player("mobility:depth=2")
    env = gymnasium.env("othello", player, color="white")
    env.reset(seed=3)
    for _ in range(5):
        env.step(int(np.flatnonzero(env.point.mask())[0]))
    record, seat = env.point.record, player.seat("othello")
    for ply in range(0, len(record), 2):
        game = record.first(ply)
        if len(game.position.legal_moves) > 1:
            choice = seat.choose(game, move_stream(Stream(0, "any"), game), Clock())
            assert choice.move == record.moves[ply]


def test_rewards_are_those_of_the_agents_side() -> None:
    sides = set()
    env = gymnasium.env("tic-tac-toe", "random", seed=1)
    for number in range(60):
        _, reward = played(env, Stream(2, number))
        outcome = env.point.record.outcome()
        assert outcome is not None
        assert reward == 2 * outcome.points(env.color) - 1
        sides.add((env.color, reward))
    assert len({color for color, _ in sides}) == 2
    assert {reward for _, reward in sides} == {-1, 0, 1}


def test_an_illegal_action_loses_and_says_so() -> None:
    env = gymnasium.env("othello", color="black")
    env.reset()
    _, reward, terminated, _, info = env.step(0)
    assert (reward, terminated) == (-1.0, True)
    assert "0 (a1) - is not legal for Black" in info["illegal_move"]
    with pytest.raises(RuntimeError, match="call reset first"):
        env.step(37)


class GivesUp:
    """Loses every game when it is asked."""

    def choose(self, game: Any, stream: Any, clock: Any) -> Any:
        raise ForfeitError("it went home")


def test_an_opponent_that_gives_up_has_lost() -> None:
    env = gymnasium.env("othello", GivesUp(), color="black")
    env.reset()
    _, reward, terminated, _, info = env.step(37)
    assert (reward, terminated, info) == (1.0, True, {"forfeit": "it went home"})
    env.close()


def test_a_side_is_drawn_unless_it_is_named() -> None:
    env = gymnasium.env("othello", "greedy", seed=2)
    drawn = [env.reset() and env.color for _ in range(20)]
    assert set(drawn) == set(Color)
    white = gymnasium.env("othello", "greedy", color="white")
    seen, _ = white.reset()
    assert (white.color, len(white.point.record)) == (Color.WHITE, 1)
    assert not seen["observation"][-2].any()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponent": "nobody"}, "nobody"),
        ({"color": "red"}, "color: 'red' - is no side - give black, white or None"),
        ({"opening_plies": -1}, "opening_plies: -1 is not a whole number from 0 to 100"),
        ({"opening_plies": 1.5}, "opening_plies: 1.5 is not a whole number"),
        ({"seed": -1}, "seed: -1 is not a whole number from 0"),
        ({"game": "checkers", "opponent": "swh"}, "'swh' cannot play checkers"),
    ],
)
def test_wrong_arguments_are_refused_in_words(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        gymnasium.env(**{"game": "othello", **options})


def test_openings_that_end_the_game_are_refused() -> None:
    env = gymnasium.env("tic-tac-toe", opening_plies=9)
    with pytest.raises(ValueError, match="games end before the agent moves - give fewer"):
        env.reset()


def test_without_the_libraries_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, package in (("pettingzoo", "pettingzoo"), ("openspiel", "open_spiel")):
        monkeypatch.delitem(sys.modules, f"evoply.field.{name}", raising=False)
        monkeypatch.setitem(sys.modules, "pyspiel" if package == "open_spiel" else package, None)
        with pytest.raises(ModuleNotFoundError, match=rf"the package {package} - is not installed"):
            __import__(f"evoply.field.{name}")
