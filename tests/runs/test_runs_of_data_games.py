"""Runs of games whose rules are data: they keep the rules, and refuse others of the same name."""

import json
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.evolution import settings_of
from evoply.games import GAMES, game_added
from evoply.players import PlayerFileError, load_saved_player, save_player
from evoply.protocols import RunError
from evoply.rules import Rules, step
from evoply.runs.game_file import GAME


def dash(columns: int) -> Rules:
    return Rules(
        name="dash",
        rows=5,
        columns=columns,
        black="1",
        white="5",
        moves=step(ep.board.own, ["forward", "forward_left"], onto=~ep.board.own),
        wins=ep.board.own & ep.squares("farthest_rank"),
    )


def config(**changed: Any) -> ep.EvolutionConfig:
    facts: dict[str, Any] = {
        "game": "dash",
        "seed": 3,
        "population_size": 10,
        "generations": 2,
        "primitives": "any-game",
        "fitness": {"opponents": [{"player": "random", "pairs": 2}], "opening_plies": 1},
    }
    return ep.EvolutionConfig(**{**facts, **changed})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with its first generation; its game is no longer known."""
    path = tmp_path / "run"
    with game_added(dash(4)), ep.Run.create(path, config()) as run:
        next(iter(ep.advance(run)))
    assert "dash" not in GAMES
    return path


@pytest.fixture(autouse=True)
def _forget() -> Any:
    yield
    from evoply.games import _TABLE

    _TABLE.pop("dash", None)


def test_a_moved_run_knows_its_game_and_goes_on(folder: Path, tmp_path: Path) -> None:
    moved = folder.rename(tmp_path / "moved")
    with ep.Run.open(moved) as run:
        assert GAMES["dash"].shape.columns == 4
        list(ep.advance(run))
        resumed = run.digests()
    with ep.Run.create(tmp_path / "whole", config()) as whole:
        list(ep.advance(whole))
        assert whole.digests() == resumed


def test_damaged_rules_are_refused(folder: Path) -> None:
    file = folder / GAME
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "no_move": "wins"}))
    with pytest.raises(RunError, match=r"game.json: rules_digest - is not that of these rules"):
        ep.Run.open(folder)
    file.write_text("[")
    with pytest.raises(RunError, match="put the original back"):
        ep.Run.open(folder)


def test_other_rules_of_the_same_name_are_refused(folder: Path) -> None:
    with (
        game_added(dash(5)),
        pytest.raises(RunError, match="a game called dash with other rules"),
    ):
        ep.Run.open(folder)


def test_a_saved_player_knows_the_rules_that_it_plays(tmp_path: Path) -> None:
    file = tmp_path / "mine.json"
    with game_added(dash(4)):
        save_player(file, "material:depth=2", game="dash")
        assert load_saved_player(file).game == "dash"
    with pytest.raises(PlayerFileError, match="the game dash has rules of its own"):
        load_saved_player(file)
    with game_added(dash(5)), pytest.raises(PlayerFileError, match="other rules there than here"):
        load_saved_player(file)


def test_digests_are_those_of_the_rules() -> None:
    with game_added(dash(4)):
        four = settings_of(config())["game"]
    with game_added(dash(5)):
        assert settings_of(config())["game"] != four
    assert settings_of(config(game="othello-4", primitives="liao"))["game"] == "othello-4"
