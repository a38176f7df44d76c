"""Runs of games whose rules are data: they keep the rules, and refuse others of the same name."""

import json
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.cluster import connect
from evoply.evolution import config_from_toml, config_to_toml
from evoply.games import GAMES, game_added
from evoply.players import PlayerFileError, load_saved_player, save_player
from evoply.protocols import ConfigError, RunError
from evoply.rules import Rules, RulesError, load_rules, step
from evoply.runs.folder import GAME
from forging import sealed


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
    from evoply.games.known_games import _TABLE

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
    with pytest.raises(RunError, match=r"game\.json was changed after the run began"):
        ep.Run.open(folder)
    sealed(folder)
    with pytest.raises(RunError, match=r"game.json: rules_digest - is not that of these rules"):
        ep.Run.open(folder)
    file.write_text("[")
    sealed(folder)
    with pytest.raises(RunError, match="put the original back"):
        ep.Run.open(folder)


def test_damaged_rules_are_refused_where_the_game_is_known(folder: Path) -> None:
    file = folder / GAME
    data = json.loads(file.read_text())
    with game_added(dash(4)):
        ep.Run.open(folder).close()
        file.write_text(json.dumps({**data, "no_move": "wins"}))
        sealed(folder)
        with pytest.raises(RunError, match=r"game.json: rules_digest - is not that of these rules"):
            ep.Run.open(folder)


def test_other_rules_of_the_same_name_are_refused(folder: Path) -> None:
    with game_added(dash(5)), pytest.raises(RunError, match="a game called dash with other rules"):
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
        four = config().resolved_settings()["rules_digest"]
        assert four == dash(4).digest
    with game_added(dash(5)):
        assert config().resolved_settings()["rules_digest"] != four
    assert "rules_digest" not in config(game="othello-4", primitives="liao").resolved_settings()


def written(folder: Path, columns: int = 4, **keys: str) -> Path:
    """Write a config whose game is a JSON file beside it."""
    (folder / "dash.json").write_text(json.dumps(dash(columns).to_dict()))
    file = folder / "mine.toml"
    named = "".join(f'{key} = "{value}"\n' for key, value in {"game": "dash.json", **keys}.items())
    rest = config_to_toml(config(game="othello-4", primitives="any-game"))
    file.write_text(named + rest.replace('game = "othello-4"\n', ""))
    return file


def test_a_config_names_the_file_of_its_game(tmp_path: Path) -> None:
    found = ep.load_config(written(tmp_path))
    assert (found.game, found.rules_digest) == ("dash", dash(4).digest)
    assert ep.load_config(found, ["game=othello-4"]).rules_digest is None
    assert ep.load_config(written(tmp_path, rules_digest=dash(4).digest)) == found


def test_a_config_names_the_rules_in_a_file_of_python(tmp_path: Path) -> None:
    code = tmp_path / "games.py"
    code.write_text(
        "from tests.runs.test_runs_of_data_games import dash\nSHORT, LONG = dash(4), dash(5)\n"
    )
    found = ep.load_config(written(tmp_path, game=f"python:{code}:SHORT"))
    assert (found.game, found.rules_digest) == ("dash", dash(4).digest)
    assert load_rules(f"python:{code}:LONG") == dash(5)
    with pytest.raises(RulesError, match=r"python:games\.py:WIDE: there is no 'WIDE'"):
        load_rules(f"python:{code}:WIDE")
    code.write_text("import evoply.rules\nevoply.rules.Rules(name='x')\n")
    with pytest.raises(RulesError, match=r"importing .*games\.py, line 2, raised"):
        load_rules(f"python:{code}:SHORT")


def test_wrong_files_of_games_in_configs(tmp_path: Path) -> None:
    for keys, says in (
        ({"game": "dash.py"}, r"game: dash.py is Python - name .* python:dash.py:NAME"),
        ({"game": "python:none.py:DASH"}, r"game: python:none.py:DASH: .*no such file"),
        ({"game": "python:json:dumps"}, "game: .*python:json:dumps - is no rules"),
        ({"game": "python:nonsense"}, "game: .*names no Python: write python:FILE.py:NAME"),
        ({"game": "none.json"}, "game: the file or its folder is gone"),
        ({"rules_digest": "0" * 64}, "rules_digest: dash has other rules here"),
        ({"game": "othello", "rules_digest": "0"}, "othello is no game from data here"),
    ):
        with pytest.raises(ConfigError, match=says):
            ep.load_config(written(tmp_path, **keys))
    (tmp_path / "dash.json").write_text("[")
    (tmp_path / "broken.toml").write_text('game = "dash.json"')
    with pytest.raises(ConfigError, match=r"game: dash\.json: dash\.json - is no JSON"):
        ep.load_config(tmp_path / "broken.toml")
    (tmp_path / "other.json").write_text(json.dumps(dash(5).to_dict()))
    (tmp_path / "other.toml").write_text('game = "other.json"')
    with pytest.raises(ConfigError, match="a game called dash with other rules"):
        ep.load_config(tmp_path / "other.toml")


def test_a_text_never_names_a_file(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"game: unknown game .dash\.json"):
        config_from_toml(written(tmp_path).read_text())
    assert "dash" not in GAMES


def test_an_experiment_of_any_game_keeps_its_rules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    tiny = config(game="othello-4", primitives="any-game")
    other = config(game="othello-4", primitives="any-game", population_size=12)
    with game_added(dash(4)):
        found = ep.compare(
            [tiny, other], game="dash", name="both", seeds=2, games=4, points=0, workers=2
        )
    assert "dash" not in GAMES
    assert ep.load_comparison("both").digest == found.digest
    assert GAMES["dash"].shape.columns == 4
    assert {path.name for path in tmp_path.glob("both/*.json")} == {GAME}


def test_workers_are_told_the_rules() -> None:
    terms: Any = {"game": "dash", "games": 200, "seed": 4}
    with game_added(dash(4)), connect("local:1") as cluster:
        here = ep.match("greedy", "random", **terms)
        there = ep.match("greedy", "random", cluster=cluster, **terms)
        assert (here.wins, here.draws, here.losses) == (there.wins, there.draws, there.losses)
        assert [step.digest for step in ep.evolve(config())] == [
            step.digest for step in ep.evolve(config(), cluster=cluster)
        ]
