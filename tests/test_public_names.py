"""The names of `import evoply`: all there, with the defaults of the command line."""

import dataclasses
import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Unpack

import pytest

import evoply as ep
from evoply import arena
from evoply.cli.shared_options import USUAL_TERMS
from evoply.cli.tournament import USUAL_ELIMINATION
from evoply.evolution import EvolutionConfig
from whole_runs import whole_run

UNIX_ONLY = ("grp", "pty", "pwd", "resource", "termios", "tty")
"""Modules that Windows lacks; fcntl, too, stands behind a question for the system."""


def test_every_name_is_there() -> None:
    assert len(set(ep.__all__)) == len(ep.__all__)
    for name in ep.__all__:
        assert getattr(ep, name) is not None
    assert ep.checkers.Position("checkers").legal_moves
    corners = ep.count(ep.board.own & ep.squares("corners"))
    chosen = ep.select(corners > 0, ep.count(ep.board.own), ep.count(ep.board.empty))
    assert chosen.evaluate(ep.othello.Position()) == 60
    assert issubclass(ep.RunError, Exception)
    assert ep.Forest.__name__ == "Forest"
    with pytest.raises(AttributeError, match="no attribute 'matsch'"):
        _ = ep.matsch


def test_every_name_is_there_whatever_was_imported_before() -> None:
    """A name must not depend on a module that something else happens to import."""
    for name, home in ep._home_of.items():
        module = importlib.import_module(home)
        table = getattr(module, "_home_of", None)
        if table is not None and not inspect.ismodule(getattr(ep, name)):
            assert name in table, home
    code = "import evoply; print(evoply.features.mobility('own'))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["number_of_moves(own)"], done.stderr


@pytest.mark.parametrize("name", ["match", "round_robin", "sprt_match", "tournament"])
def test_defaults_are_those_of_the_command_line(name: str) -> None:
    ours = inspect.signature(getattr(ep, name)).parameters
    assert ours == inspect.signature(getattr(arena, name)).parameters
    assert ours["terms"].annotation == Unpack[arena.PlayerTerms]
    if name == "tournament":
        assert ours["threshold"].default == USUAL_ELIMINATION.threshold
        assert ours["times"].default == USUAL_ELIMINATION.runs


def test_the_keywords_for_conditions_are_those_of_terms() -> None:
    """Editors and type checkers read `PlayerTerms`, all else is said in `Terms`."""
    keywords = {
        name: kind.__forward_arg__ for name, kind in arena.GameTerms.__annotations__.items()
    }
    assert keywords == {field.name: field.type for field in dataclasses.fields(arena.Terms)}
    assert USUAL_TERMS.keywords == arena.Terms().keywords


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    config = EvolutionConfig(
        game="othello-4", population_size=4, generations=1,
        fitness={"opponents": [{"player": "random", "pairs": 1}]},
    )  # fmt: skip
    with whole_run(tmp_path / "mine", config) as run:
        return str(run.champion.tree)


def test_champions_of_runs_need_no_telling(run: str) -> None:
    """Wherever a text names a player, at the top of the package."""
    text, game = "champion@mine", "othello-4"
    assert run in ep.parse_player(text, game=game).model_dump_json()
    assert ep.match(text, "random", game=game, games=20).to_dict() | {"first": ""} == (
        ep.match(run, "random", game=game, games=20).to_dict() | {"first": ""}
    )
    assert text in ep.round_robin([text, "random"], game=game, games=20).players
    assert {one.player for one in ep.tournament([text, "random"], game=game).stars} == {
        text,
        "random",
    }
    assert ep.sprt_match(text, "random", ep.Sprt(0, 100), game=game, games=20).first == text
    start = ep.othello.Position(4)
    assert ep.analyse(text, start).move == ep.analyse(run, start).move
    assert ep.explain(text, game=game).sentence == ep.explain(run, game=game).sentence


def test_another_way_to_find_champions_goes_first() -> None:
    mine = ep.parse_player("greedy")
    result = ep.match("champion@nowhere", "random", games=20, runs=lambda _: mine)
    assert result.first == "champion@nowhere"
    with pytest.raises(ep.RunError, match="nowhere"):
        ep.match("champion@nowhere", "random", games=20)


def test_everything_is_imported_where_modules_of_unix_are_missing() -> None:
    """Windows has none of them: bots and engines say so there, and all else works."""
    code = f"""
import sys
sys.modules.update(dict.fromkeys({UNIX_ONLY!r}))
import evoply
import evoply.cli.app
print(*(getattr(evoply, name) is not None for name in evoply.__all__))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert set(done.stdout.split()) == {"True"}
