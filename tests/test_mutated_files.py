"""Whatever stands in a file: it is read, or refused in the words of its reader, and soon.

`test_flipped_files` looks for damage that would go unnoticed. Here checksums are right, as in a
file that somebody wrote or sent.
"""

import json
import os
import time
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.cli.tournament import read_field
from evoply.environment import checksum, read_limited, with_checksum
from evoply.experiments import Experiment, ExperimentFolder
from evoply.experiments.leagues import league_folder, load_league
from evoply.experiments.leagues.machine import MachineLook, looks_of
from evoply.expressions import PrimitiveSet, find_primitive_set
from evoply.expressions.written_form import parse_json
from evoply.games import known_games as games
from evoply.games.formats import saved
from evoply.kinds import KINDS, Run
from evoply.learning import TuningConfig, TuplesConfig
from evoply.players import (
    PackedTables,
    load_saved_player,
    parse_player,
    read_engines,
    read_packed,
    save_player,
)
from evoply.players.grammar import load_toml_player
from evoply.players.packed import PackedPattern, rounded
from evoply.protocols import ConfigError, RunError, TimeControl
from evoply.rules import RulesError, read_rules
from evoply.runs import list_runs
from evoply.runs.summaries import UNFORESEEN
from evoply.server import Journal, JournalError, TournamentConditions
from evoply.server.journal import _FILES, _write_facts
from forging import sealed, sealed_experiment
from mutants import json_text, mutants, toml_text

METHODS = ("firebrand", "liao", "tuples")
COUNT = 1500 if "EVOPLY_LONG" in os.environ else 150
SEED = int(os.environ.get("EVOPLY_MUTANTS", "20261128"))
MOST_SECONDS = 5.0
"""Of computing, for one mutant; most take a thousandth."""


@dataclass(frozen=True)
class Door:
    """A file that evoply reads: its data, and what writes and reads a mutant of them."""

    data: Any
    write: Callable[[Any], object]
    read: Callable[[], object]
    error: type[Exception]
    share: int = 1
    """Of how many mutants one is read, where that takes long."""


def _json(file: Path) -> Callable[[Any], object]:
    return lambda data: file.write_text(json_text(data))


def _toml(file: Path) -> Callable[[Any], object]:
    return lambda data: file.write_text(toml_text(data), encoding="utf-8")


def rules(folder: Path) -> Door:
    file = folder / "rules.json"
    data = dict(ep.GAMES["breakthrough-6"].written)  # type: ignore[attr-defined]
    return Door(data, _json(file), lambda: read_rules(file).game(), RulesError)


def saved_player(folder: Path) -> Door:
    file = folder / "player.json"
    save_player(file, "( + white ( * 10 white_corners ) ):depth=2")
    return Door(_content(file), _summed(file), lambda: load_saved_player(file), ValueError)


def toml_player(folder: Path) -> Door:
    file = folder / "player.toml"
    data = parse_player("mcts:playouts=50,evaluator=material").model_dump(mode="json")
    return Door(data, _toml(file), lambda: load_toml_player(file), ValueError)


def packed_tables(folder: Path) -> Door:
    file = folder / "tables.json"
    tables = PackedTables(
        made={"seed": 5, "command": "evoply learn"},
        patterns=(PackedPattern(squares="a1 b1", symmetries=(0, 1)),),
        stages=(),
        cuts=(),
        entries=rounded([0.5 * entry for entry in range(9)]),
    )
    file.write_text(json.dumps(tables.to_data()))
    return Door(
        _content(file), _summed(file), lambda: read_packed(read_limited(file, 10**7)), ValueError
    )


def saved_games(folder: Path) -> Door:
    file = folder / "games.jsonl"
    record = ep.GAMES["othello"].record("f5d6c3d3c4")
    (line,) = saved.write([record])

    def read() -> None:
        with file.open(encoding="utf-8") as source:
            assert len(list(saved.read(source))) == 1

    file.write_text(line)
    return Door(_content(file), _summed(file), read, ValueError)


def field_of_a_tournament(folder: Path) -> Door:
    file = folder / "field.toml"
    data = {"player": [{"name": "one", "player": "greedy"}, {"name": "two", "player": "random"}]}
    return Door(data, _toml(file), lambda: read_field(file), ValueError)


def engines(folder: Path) -> Door:
    file = folder / "engines.toml"
    engine = {"name": "one", "protocol": "gtp", "command": ["one", "-x"], "options": {"a": "1"}}
    return Door({"engine": [engine]}, _toml(file), lambda: read_engines(file), ValueError)


def primitives(folder: Path) -> Door:
    file = folder / "primitives.json"
    data = find_primitive_set("any-game").to_dict()
    return Door(
        data, _json(file), lambda: PrimitiveSet.from_dict(parse_json(file.read_text())), ValueError
    )


def experiment(folder: Path) -> Door:
    path = folder / "experiment"
    config = ep.LearningConfig(game="othello-4", features=("corners",), games=20)
    (folder / "a.toml").write_text(KINDS["learning"].configs.write(config))
    ExperimentFolder.create(
        path,
        Experiment(configs=(str(folder / "a.toml"),), game="othello-4", seeds=1, games=2, points=0),
    )
    return _settings_of(path, lambda: ExperimentFolder.open(path))


def _settings_of(path: Path, read: Callable[[], object], share: int = 1) -> Door:
    """Return the door of the settings of an experiment, whose checksum is right."""
    file = path / "experiment.toml"
    texts = {setup.name: setup.read_text() for setup in sorted((path / "setups").iterdir())}
    data = tomllib.loads(file.read_text())
    del data["checksum"]

    def write(data: dict[str, Any]) -> None:
        try:
            sum_of_all = checksum([tomllib.loads(toml_text(data)), texts])
        except (TypeError, RecursionError):  # of values that have none
            sum_of_all = ""
        file.write_text(toml_text({"checksum": sum_of_all, **data}), encoding="utf-8")

    return Door(data, write, read, RunError, share)


def setup_of_an_experiment(folder: Path) -> Door:
    whole = experiment(folder)
    file = folder / "experiment" / "setups" / "1.toml"

    def write(data: dict[str, Any]) -> None:
        text = toml_text(data)
        file.write_text(text, encoding="utf-8")
        content = {"checksum": checksum([whole.data, {file.name: text}]), **whole.data}
        (folder / "experiment" / "experiment.toml").write_text(toml_text(content))

    return Door(tomllib.loads(file.read_text()), write, whole.read, RunError, share=2)


def league(folder: Path) -> Door:
    methods = ("firebrand", "liao", "found-features")
    path = league_folder(
        "league", game="othello", paces="reference", methods=methods, budget=0.05, seeds=1
    ).path
    return _settings_of(path, lambda: load_league(path), share=3)


def player_of_a_league(folder: Path) -> Door:
    path = league_folder(
        "league", game="othello", paces="reference", methods=METHODS, budget=0.05, seeds=1
    ).path
    file = path / "setups" / "player-1.json"

    def write(data: Any) -> None:
        file.write_text(json_text(data))
        sealed_experiment(path)

    return Door(json.loads(file.read_text()), write, lambda: load_league(path), RunError, share=3)


def machine_of_a_league(folder: Path) -> Door:
    looks = [
        MachineLook(when=when, speed=2500.5, free=0.97, cores=2).model_dump()
        for when in ("before the players", "after the games")
    ]
    return Door(
        {"looks": looks}, _summed(folder / "machine.json"), lambda: looks_of(folder), RunError
    )


def journal(folder: Path) -> Door:
    file = folder / "journal.db"
    conditions = TournamentConditions.of(
        "breakthrough-6", TimeControl(150, 0.5), players=3, games=10, seed=7
    )
    Journal.create(file, conditions).close()
    data = {"conditions": conditions.to_dict(), "address": ["localhost", 77]}
    data["rules"] = {**ep.GAMES["breakthrough-6"].written, "rules_digest": _digest()}

    def write(data: dict[str, Any]) -> None:
        database = _FILES.open(file)
        with database.transaction():
            _write_facts(database, {name: json_text(value) for name, value in data.items()})
        database.connection.close()

    return Door(data, write, lambda: Journal.open(file).close(), JournalError, share=5)


def _digest() -> str:
    return ep.GAMES["breakthrough-6"].rules_digest  # type: ignore[attr-defined,no-any-return]


def _content(file: Path) -> Any:
    """Return the data of a file without its checksum."""
    data = json.loads(file.read_text())
    del data["checksum"]
    return data


def _summed(file: Path) -> Callable[[Any], object]:
    """Return what writes data with their checksum, which is that of what will be read."""

    def write(data: Any) -> None:
        text = json_text(data)
        with suppress(RecursionError):  # refused before any checksum
            text = json.dumps(with_checksum(json.loads(text)))
        file.write_text(text)

    return write


DOORS: dict[str, Callable[[Path], Door]] = {
    made.__name__: made
    for made in (
        *(rules, saved_player, toml_player, packed_tables, saved_games, field_of_a_tournament),
        *(engines, primitives, experiment, setup_of_an_experiment, league, journal),
        *(player_of_a_league, machine_of_a_league),
    )
}


@pytest.fixture(autouse=True)
def games_as_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Forget games that mutants add, and find no file by chance."""
    monkeypatch.setattr(games, "_TABLE", dict(games._TABLE))
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("name", DOORS)
def test_a_mutant_is_read_or_refused(name: str, tmp_path: Path) -> None:
    door, refused = DOORS[name](tmp_path), 0
    door.write(door.data)
    door.read()
    count = COUNT // door.share
    for number, mutant in enumerate(mutants(door.data, name, count, SEED)):
        door.write(mutant)
        refused += _is_refused(door.read, door.error, (name, number))
    assert count / 4 < refused < count


def _is_refused(read: Callable[[], object], error: type[Exception], mutant: object) -> bool:
    """Return whether *read* raises its own *error*; any other one ends the test."""
    began = time.process_time()
    try:
        read()
    except error as refusal:
        return bool(str(refusal))
    except Exception as other:
        raise AssertionError(f"{mutant}: {type(other).__name__}: {other}") from other
    finally:
        assert time.process_time() - began < MOST_SECONDS, mutant
    return False


CONFIGS: dict[str, Callable[[], Any]] = {
    "evolution": lambda: ep.load_config("quick"),
    "islands": lambda: KINDS["islands"].configs.load("islands"),
    "learning": lambda: KINDS["learning"].configs.load("firebrand-8"),
    "patterns": lambda: KINDS["patterns"].configs.load("patterns-8"),
    "tuples": lambda: TuplesConfig(game="othello-4", generations=4, population_size=5, pairs=2),
    "tuning": lambda: TuningConfig.for_player("( * 2 white )", "othello-4", opponents=["greedy"]),
}


def test_there_is_a_config_of_every_learner() -> None:
    assert CONFIGS.keys() == KINDS.keys()


def listed(name: str) -> str:
    """Return what the list of runs says of a run; all others are whole in it."""
    lines = {run.name: run.error for run in list_runs(with_units=True)}
    said = lines.pop(name) or ""
    assert lines == {"whole": None}
    assert UNFORESEEN not in said
    assert "\n" not in said
    return said


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Return a folder of runs with one that is whole."""
    with Run.create(tmp_path / "runs" / "whole", ep.load_config("quick")):
        return tmp_path / "runs"


@pytest.mark.parametrize("learner", CONFIGS)
def test_a_run_of_a_mutated_config_is_listed(learner: str, runs: Path) -> None:
    if learner == "tuning":
        pytest.importorskip("cmaes")
    kind = KINDS[learner]
    with Run.create(runs / "run", CONFIGS[learner]()):
        file = runs / "run" / "config.toml"
    data, refused = tomllib.loads(file.read_text()), 0
    assert listed("run") == ""
    count = COUNT // 2
    for number, mutant in enumerate(mutants(data, learner, count, SEED)):
        file.write_text(toml_text(mutant), encoding="utf-8")
        sealed(file.parent)
        where = (learner, number)
        _is_refused(lambda: kind.configs.load(file), ConfigError, where)
        refused += _is_refused(lambda: Run.open(runs / "run").close(), RunError, where)
        listed("run")
    assert count / 4 < refused <= count


def test_a_run_of_mutated_rules_is_listed(runs: Path) -> None:
    written = dict(ep.GAMES["breakthrough-6"].written)  # type: ignore[attr-defined]
    with games.game_added(read_rules({**written, "name": "own"})):
        config = ep.load_config("quick", ["game=own", "primitives=any-game"])
        with Run.create(runs / "run", config):
            file = runs / "run" / "game.json"
    data, refused = json.loads(file.read_text()), 0
    assert listed("run") == ""
    for number, mutant in enumerate(mutants(data, "game.json", COUNT, SEED)):
        games._TABLE.pop("own", None)
        file.write_text(json_text(mutant))
        sealed(file.parent)
        refused += _is_refused(lambda: Run.open(runs / "run").close(), RunError, number)
        games._TABLE.pop("own", None)
        listed("run")
    assert COUNT / 4 < refused < COUNT
