"""Games as environments of PettingZoo, by its own tests and by records of evoply."""

import json
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("pettingzoo")

# Where its classic games are installed, too, it asks for them by an old way.
with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import api_test, render_test, seed_test
from pettingzoo.utils.wrappers import TerminateIllegalWrapper
from tiny_rules import TINY

from evoply._native import Stream
from evoply.field import pettingzoo
from evoply.field.board_images import SIDE, board_pixels
from evoply.games import GAMES, game_added
from evoply.games.drawing import COLORS
from evoply.protocols import IllegalMoveError

TESTED = ("othello", "checkers", "breakthrough", "connect-four", "hex-9")


@pytest.mark.parametrize("game", TESTED)
def test_pettingzoo_accepts_it(game: str, capsys: pytest.CaptureFixture[str]) -> None:
    with warnings.catch_warnings():
        # Its own games with masks are spared these by name.
        warnings.filterwarnings("ignore", "Observation is not a NumPy array")
        warnings.filterwarnings("ignore", "Observation space for each agent probably should be")
        api_test(pettingzoo.env(game), num_cycles=300)
    seed_test(lambda: pettingzoo.env(game), num_cycles=100)
    render_test(lambda **options: pettingzoo.env(game, **options))
    assert "Passed API test" in capsys.readouterr().out


@pytest.mark.parametrize("game", TESTED)
def test_a_game_is_one_of_evoply(game: str) -> None:
    stream, env = Stream(3, game), pettingzoo.env(game)
    env.reset(seed=1)
    total = dict.fromkeys(env.possible_agents, 0)
    for agent in env.agent_iter():
        seen, reward, termination, truncation, info = env.last()
        total[agent] += reward
        if termination:
            assert (truncation, info) == (False, {})
            env.step(None)
            continue
        assert reward == 0
        turn = env.point.position.turn.value
        assert turn == {"player_0": "black", "player_1": "white"}[agent]
        other = next(each for each in env.possible_agents if each != agent)
        assert not env.observe(other)["action_mask"].any()
        assert seen["observation"][-2].all() == (turn == "black")
        legal = np.flatnonzero(seen["action_mask"])
        env.step(legal[stream.below(len(legal))])
    record = env.point.record
    assert GAMES[game].record(str(record)).position == record.position
    outcome = record.outcome()
    assert outcome is not None
    black = 0 if outcome.winner is None else 1 if outcome.winner.value == "black" else -1
    assert total == {"player_0": black, "player_1": -black}
    assert env.agents == []


def test_an_illegal_action_changes_nothing() -> None:
    env = pettingzoo.env("othello")
    env.reset()
    with pytest.raises(IllegalMoveError, match=r"36 \(e5\) - is not legal for Black - give one"):
        env.step(36)
    assert (len(env.point.record), env.agent_selection) == (0, "player_0")
    env.step(37)
    assert env.agent_selection == "player_1"
    with pytest.raises(RuntimeError, match="call reset first"):
        pettingzoo.env("othello").step(37)


def test_their_wrapper_for_illegal_actions_works_on_it() -> None:
    env = TerminateIllegalWrapper(pettingzoo.env("othello"), illegal_reward=-1)
    env.reset()
    env.step(36)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards["player_0"] == -1


def test_rules_that_are_data(tmp_path: Path) -> None:
    file = tmp_path / "tiny.json"
    file.write_text(json.dumps(TINY.to_dict()), encoding="utf-8")
    with game_added(TINY):
        env = pettingzoo.env(str(file))
        assert (env.game, env.action_space("player_0").n) == ("tiny-breakthrough", 82)
        env.reset()
        env.step(0 * 9 + 3)
        assert env.point.record.transcript() == "a1-a2"
        assert pettingzoo.env("tiny-breakthrough").game == env.game


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("othelo", {}, "unknown game 'othelo'"),
        ("othello", {"render_mode": "svg"}, "render_mode: 'svg' - is no mode - give one of human"),
        ("missing.json", {}, "No such file"),
    ],
)
def test_wrong_arguments_are_refused_in_words(
    game: str, options: dict[str, Any], message: str
) -> None:
    with pytest.raises((ValueError, OSError), match=message):
        pettingzoo.env(game, **options)
    with pytest.raises(TypeError, match="is no name"):
        pettingzoo.env(GAMES["othello"])  # type: ignore[arg-type]


def test_pictures_show_pieces_in_the_colors_of_all_pictures() -> None:
    def color(name: str) -> list[int]:
        return list(bytes.fromhex(COLORS[name][1:]))

    position = GAMES["checkers"].parse("B:W18,K27:B1,K12")
    image = board_pixels(position)
    assert (image.shape, image.dtype) == ((8 * SIDE, 8 * SIDE, 3), np.uint8)
    for square, cell in enumerate(position.diagram().cells):
        row, column = divmod(square, 8)
        tile = image[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
        middle, beside = tile[SIDE // 2, SIDE // 2].tolist(), tile[SIDE // 2, SIDE // 2 + 8]
        ground = color("board" if cell.is_playable else "board-light")
        disc = ground if cell.color is None else color(f"{cell.color.value}-disc")
        assert beside.tolist() == disc
        assert middle == (color("crown") if cell.is_king else disc)
    moved = GAMES["othello"].start().play("f5")
    marked = board_pixels(moved, moved.at_start().parse_move("f5"))
    assert marked[4 * SIDE + SIDE // 2, 5 * SIDE + SIDE // 2].tolist() == color("last-move")
