"""Forms of new runs: what they ask for as they are, what changes, and where they are wrong."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_server import client

from evoply.evolution import load_config
from evoply.expressions import PrimitiveSet
from evoply.games import GAMES
from evoply.kinds import KINDS
from evoply.protocols import ConfigError
from evoply.runs.presets import PRESETS
from evoply.web import ServerLimits
from evoply.web.run_forms import config_asked, form_of
from evoply.web.run_messages import StartRun


@pytest.mark.parametrize("preset", PRESETS)
def test_a_form_has_the_values_of_its_preset(preset: str) -> None:
    form = form_of(preset, ServerLimits())
    config = KINDS[PRESETS[preset].learner].configs.load(preset)
    assert set(form.values) == set(form.config_schema["properties"])
    assert config_asked(StartRun(preset=preset), ServerLimits()) == config
    assert type(config)(**form.values) == config


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_in_the_list_has_the_game_of_its_config(preset: str) -> None:
    assert PRESETS[preset].game == KINDS[PRESETS[preset].learner].configs.load(preset).game


_FIRST_LIST = """
import sys, time
from pathlib import Path
from web_server import client
with client(Path(sys.argv[1])) as api:
    api.get("/api/health")
    began = time.process_time()
    assert len(api.get("/api/presets").json()["presets"]) > 10
    print(time.process_time() - began, "evoply.kinds" in sys.modules)
"""


def test_the_first_list_of_presets_reads_no_config(tmp_path: Path) -> None:
    path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", _FIRST_LIST, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    seconds, knows_learners = done.stdout.split()
    assert knows_learners == "False"
    assert float(seconds) < 0.1


def test_a_table_of_another_kind_takes_the_place_of_the_one_before() -> None:
    def asked(**settings: Any) -> Any:
        values = {path.replace("__", "."): value for path, value in settings.items()}
        return config_asked(StartRun(preset="quick", settings=values), ServerLimits())

    expected = {"selection": {"kind": "roulette", "scale": "adjusted"}}
    # Whatever is said first.
    found = asked(selection__scale="adjusted", selection__kind="roulette", parsimony__kind=None)
    assert found == load_config("quick", settings=expected)
    usual = load_config("quick")
    assert asked(parsimony__kind=None, selection__kind="tournament") == usual
    assert asked(parsimony__kind="tarpeian").parsimony.kind == "tarpeian"
    with pytest.raises(ConfigError, match="must be"):
        asked(selection__kind="best")


def test_lists_are_changed_whole() -> None:
    def asked(preset: str, **values: Any) -> Any:
        settings = {path.replace("__", "."): value for path, value in values.items()}
        return config_asked(StartRun(preset=preset, settings=settings), ServerLimits())

    rows = [{"player": "greedy", "pairs": 2, "games": None}, {"player": "( + white 1 )"}]
    opponents = asked("quick", fitness__opponents=rows).fitness.opponents
    assert [(one.player, one.pairs) for one in opponents] == [("greedy", 2), ("( + white 1 )", 5)]
    shape = asked("quick", individual__kind="phases", individual__percents=[60, 40]).individual
    assert shape.percents == (60, 40)
    with pytest.raises(ConfigError) as told:
        asked("quick", individual__kind="phases", individual__percents=[60, None])
    assert [path for path, _ in told.value.errors] == ["individual.percents.1"]
    patterns = [{"squares": "a1 b1 a2", "symmetries": [0, 1]}, {"squares": "row_1"}]
    found = asked("patterns-8", patterns=patterns).patterns
    assert [one.symmetries for one in found] == [(0, 1), None]


@pytest.mark.parametrize(
    ("settings", "field", "word"),
    [
        ({"population_size": 1}, "population_size", "2"),
        ({"population_size": 6000}, "population_size", "5,000"),
        ({"fitness.opponents.0.pairs": 90_000}, "fitness", "1,000,000"),
        ({"fitness.opponents.0.player": "greedy:depth=99"}, "fitness.opponents.0.player", "depth"),
        ({"fitness.opponents.0.player": "x.py"}, "fitness.opponents.0.player", "files"),
        ({"fitness.opponents.0.player": "/etc/x.toml"}, "fitness.opponents.0.player", "files"),
        ({"fitness.opponents.0.player": "engine:gtp:x"}, "fitness.opponents.0.player", "files"),
        ({"fitness.opponents.0.player": "champion@/etc"}, "fitness.opponents.0.player", "run"),
        ({"fitness.opponents": "[{player = 'x.py'}]"}, "fitness.opponents", ""),
        ({"seed": "7"}, "seed", "whole number"),
        ({"sead": 7}, "sead", "seed"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said_at_its_field(
    settings: dict[str, Any], field: str, word: str, home: Path
) -> None:
    with client(home) as api:
        answer = api.post("/api/runs", json={"preset": "quick", "settings": settings})
        assert answer.status_code == 422
        found = {one["field"]: one["error"] for one in answer.json()["errors"]}
        assert word in found[field]
        assert api.get("/api/runs").json()["runs"] == []


def test_a_table_that_a_preset_has_not_comes_of_its_values() -> None:
    empty = dict.fromkeys(("tuning.generations", "tuning.population_size", "tuning.pairs"))
    assert config_asked(StartRun(preset="quick", settings=empty), ServerLimits()).tuning is None
    asked = StartRun(preset="quick", settings={**empty, "tuning.pairs": 3})
    config = config_asked(asked, ServerLimits())
    assert config == load_config("quick", settings={"tuning": {"pairs": 3}})


GUIDES = [{"player": "random", "rounds": 10_000}]


@pytest.mark.parametrize(
    ("path", "rows", "field", "word"),
    [
        ("fitness.opponents", [{"player": "greedy"}, {"player": "x.py"}], ".1.player", "files"),
        ("fitness.opponents", [{"player": "greedy"}, {"pairs": 3}], ".1.player", "missing"),
        ("fitness.opponents", [{"player": "greedy", "pairs": 0}], ".0.pairs", "1"),
        ("fitness.opponents", [], "", "at least one"),
        ("initialisation.seeds", ["engine:gtp:x"], ".0", "files"),
        ("fitness.measure.guides", GUIDES, "fitness", "1,000,000"),
    ],
)
def test_what_is_wrong_in_a_list_is_said_at_its_row(
    path: str, rows: list[Any], field: str, word: str
) -> None:
    settings = {"fitness.measure.kind": "guides", path: rows}
    with pytest.raises(ConfigError) as told:
        config_asked(StartRun(preset="quick", settings=settings), ServerLimits())
    found = dict(told.value.errors)
    assert word in found[field if field == "fitness" else path + field]


def test_everything_that_is_wrong_is_said_in_one_round(home: Path) -> None:
    (home / "taken").mkdir()
    rows = [{"player": "x.py"}, {"player": "greedy:depth=99"}, {"player": "greedy", "pairs": 0}]
    settings = {
        "population_size": 1,  # of one field
        "elitism": 501,  # this does not fit together with the size, which nobody knows yet
        "initialisation.max_depth": 9,  # nor this with limits.max_depth
        "selection.kind": "best",
        "selection.size": 3,  # of the kind that there is, if it had been given
        "fitness.opponents": rows,
        "primitives": "nothing",
    }
    with client(home) as api:
        for name, word in (("taken", "already"), ("no name", "letters"), ("n" * 200, "100")):
            body = {"preset": "quick", "name": name, "settings": settings}
            answer = api.post("/api/runs", json=body)
            assert answer.status_code == 422
            found = {one["field"]: one["error"] for one in answer.json()["errors"]}
            assert set(found) == {
                "name", "population_size", "selection.kind", "primitives",
                "fitness.opponents.0.player", "fitness.opponents.1.player",
                "fitness.opponents.2.pairs", "initialisation.max_depth",
            }  # fmt: skip
            assert word in found["name"]
        assert [one["name"] for one in api.get("/api/runs").json()["runs"]] == ["taken"]


@pytest.mark.parametrize(
    ("settings", "field", "word"),
    [
        ({"population_size": 2000}, "population_size", "8,000"),
        ({"islands.changes": [{"population_size": 4000}]}, "population_size", "5,200"),
        ({"islands.test_pairs": 90_000}, "islands.test_pairs", "1,080,000"),
        ({"islands.changes": [{"elitism": 401}]}, "islands.changes.0.elitism", "401"),
    ],
)
def test_all_islands_together_have_limits(settings: dict[str, Any], field: str, word: str) -> None:
    form = form_of("islands", ServerLimits())
    assert (form.values["islands"]["count"], form.values["population_size"]) == (4, 400)
    with pytest.raises(ConfigError) as told:
        config_asked(StartRun(preset="islands", settings=settings), ServerLimits())
    assert word in dict(told.value.errors)[field]


def test_a_value_that_was_wrong_is_blamed_for_nothing_else() -> None:
    with pytest.raises(ConfigError) as told:
        config_asked(
            StartRun(preset="quick", settings={"population_size": 9_999_999, "elitism": 200}),
            ServerLimits(),
        )
    assert [path for path, _ in told.value.errors] == ["population_size"]


@pytest.mark.parametrize("game", GAMES)
def test_a_preset_is_made_to_fit_every_game(game: str) -> None:
    form = form_of("quick", ServerLimits(), game)
    asked = StartRun(preset="quick", settings=form.fitting)
    config = config_asked(asked, ServerLimits())
    assert config.game == game
    assert [one.name for one in form.games] == list(GAMES)
    assert config.primitives in [one.name for one in form.sets]
    for one in form.sets:
        assert PrimitiveSet.from_dict(one.definition).name == one.name
        changed = {**form.fitting, "primitives": one.name}
        assert config_asked(StartRun(preset="quick", settings=changed), ServerLimits())
    (opponents,) = form.ticks
    assert {one.player for one in config.fitness.opponents} <= {
        one.value for one in opponents.options
    }
    rows = [{"player": one.value, **opponents.new_row} for one in opponents.options]
    changed = {**form.fitting, "fitness.opponents": rows}
    assert len(
        config_asked(StartRun(preset="quick", settings=changed), ServerLimits()).fitness.opponents
    ) == len(rows)


@pytest.mark.parametrize("preset", PRESETS)
def test_what_a_preset_has_is_among_the_ticks(preset: str) -> None:
    form = form_of(preset, ServerLimits())
    config = KINDS[PRESETS[preset].learner].configs.load(preset)
    assert form.fitting == {}
    if form.sets:
        assert config.primitives in [one.name for one in form.sets]
    for ticks in form.ticks:
        rows: Any = config
        for part in ticks.path.split("."):
            rows = getattr(rows, part)
        options = [one.value for one in ticks.options]
        assert {getattr(row, ticks.column) for row in rows} <= set(options)
        assert len(set(options)) == len(options)
    assert getattr(config, form.counts) or config.time_limit


def test_only_presets_that_can_be_made_to_fit_take_another_game(home: Path) -> None:
    with client(home) as api:
        presets = {one["name"]: one for one in api.get("/api/presets").json()["presets"]}
        assert presets["quick"]["games"] == list(GAMES)
        assert presets["demo"]["games"] == ["othello"]
        assert api.get("/api/presets/quick?game=checkers").json()["fitting"]["game"] == "checkers"
        assert "checkers" in api.get("/api/presets/demo?game=checkers").json()["error"]
        assert api.get("/api/presets/quick?game=chess").status_code == 404
        assert not [one for one in presets.values() if one["title"].startswith("its ")]


def descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("description"), str):
            yield schema["description"]
        schema = [*schema.values()]
    for one in schema if isinstance(schema, list) else ():
        yield from descriptions(one)


@pytest.mark.parametrize("preset", ["quick", "firebrand-8", "patterns-8", "tuples"])
def test_no_description_speaks_python(preset: str) -> None:
    found = [*descriptions(form_of(preset, ServerLimits()).config_schema)]
    assert any("empty: no limit" in one for one in found)
    assert [one for one in found if "None" in one.split("`")[0]] == []
