"""Runs over the API: what is seen of them, and how they are begun, paused, resumed and stopped."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from web_server import client

from evoply import Run
from evoply.evolution import load_config
from evoply.gp import changes
from evoply.learning import load_learning_config
from evoply.protocols import ConfigError, RunError
from evoply.reports import run_charts
from evoply.reports.charts import charts_of
from evoply.reports.run_page import own_part
from evoply.runs import advance, champion_of, is_locked, leave_request, read_request
from evoply.runs.folder import clear_request
from evoply.runs.presets import PRESETS
from evoply.web import Rate, ServerLimits
from evoply.web.run_driving import RunDriver
from evoply.web.run_forms import config_asked
from evoply.web.run_messages import RunRequest, StartRun
from evoply.web.run_views import RunReader
from evoply.web.thinking import read_opponent
from waiting import until

SMALL = {
    "population_size": 12, "time_limit": None, "generations": 4, "hall_of_fame.final_pairs": 2,
    "machine.threads": 1,
}  # fmt: skip
OVERRIDES = [f"{key}={'none' if value is None else value}" for key, value in SMALL.items()]
ENDLESS = {**SMALL, "generations": 100_000}


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    learning = ["games=20", "games_per_step=5", "machine.threads=1"]
    for name, config in (
        ("evolved", load_config("quick", [*OVERRIDES, "survival.kind=pareto"])),
        ("learned", load_learning_config("firebrand-8", learning)),
    ):
        with Run.create(folder / name, config, command="evoply test") as run:
            for _ in advance(run, threads=1):
                pass
    (folder / "broken").mkdir()
    return folder


@pytest.fixture
def api(made: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    monkeypatch.setenv("EVOPLY_RUNS", str(made))
    with client(made) as one:
        yield one


def test_the_list_has_every_run(api: Any) -> None:
    runs = api.get("/api/runs").json()["runs"]
    assert {one["name"]: one["status"] for one in runs} == {
        "learned": "finished", "evolved": "finished", "broken": "unreadable",
    }  # fmt: skip
    assert "no config.toml" in next(one["trouble"] for one in runs if one["name"] == "broken")
    assert api.get("/api/runs/broken").status_code == 404


def test_a_damaged_folder_does_not_keep_the_others_from_the_list(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    shutil.copytree(made / "evolved", tmp_path / "whole")
    configs = {"list": "game = [1, 2]", "table": "game = {kind = []}", "learner": "learner = [{}]"}
    for name, config in configs.items():
        shutil.copytree(made / "evolved", tmp_path / name)
        (tmp_path / name / "config.toml").write_text(f"{config}\n")
    strange = {b"\xff": "\\udcff", b"x-\xfe": "x-\\udcfe"} if sys.platform == "linux" else {}
    for bytes_ in strange:
        shutil.copytree(made / "broken", os.fsdecode(os.fsencode(tmp_path) + b"/" + bytes_))
    with client(tmp_path) as api:
        runs = {one["name"]: one["status"] for one in api.get("/api/runs").json()["runs"]}
        assert runs.pop("whole") == "finished"
        assert {*runs} == {*configs, *strange.values()}
        assert {*runs.values()} == {"unreadable"}
        assert [one["name"] for one in api.get("/api/sides").json()["runs"]] == ["whole"]
        for name in configs:
            assert api.get(f"/api/runs/{name}").status_code == 409


@pytest.mark.parametrize("name", ["evolved", "learned"])
def test_a_run_is_seen_as_its_report_shows_it(name: str, made: Path, api: Any) -> None:
    answer = api.get(f"/api/runs/{name}")
    state = answer.json()
    with Run.open(made / name) as run:
        rows = run.rows()
        charts = [one for one in run_charts(run) if one.lines is not None]
        _, sections = own_part(run, rows)
        charts[1:1] = [chart for one in sections for chart in charts_of(one)]
        assert state["generations"] == run.count()
        facts = run.kind.display.live(run.config, run.last()).facts
    assert [tuple(one) for one in state["facts"]] == list(facts)
    assert [one["title"] for one in state["charts"]] == [one.title for one in charts]
    for shown, chart in zip(state["charts"], charts, strict=True):
        assert chart.lines is not None
        assert shown["x"] == list(chart.lines.x)
        for line, series in zip(shown["lines"], chart.lines.series, strict=True):
            known = [None if one is None else pytest.approx(one, abs=1e-6) for one in series.values]
            assert (line["name"], line["values"]) == (series.name, known)
    assert [one["title"] for one in state["tables"]] == [one.title for one in sections]
    assert not state["is_going_on"]
    again = api.get(f"/api/runs/{name}", headers={"if-none-match": answer.headers["etag"]})
    assert (again.status_code, again.text) == (304, "")


def test_every_champion_can_be_seen_and_played(made: Path, api: Any) -> None:
    with Run.open(made / "evolved") as run:
        champions = [champion_of(run, number) for number in range(run.count())]
        final = run.champion_player
    changed = api.get("/api/runs/evolved").json()["champions"]
    for number, champion in enumerate(champions):
        shown = api.get(f"/api/runs/evolved/champion?generation={number}").json()
        assert shown["formula"] == champion.evaluator.tree
        player = read_opponent(shown["player"], "othello-6", ServerLimits())
        assert player.evaluator == champion.evaluator  # type: ignore[union-attr]
        before = [one for one in changed if one <= number][:-1]
        assert (shown["before"] is None) == (not before)
        if before:
            last = champions[shown["before"]]
            assert last != champion
            found = changes(last.evaluator.parsed, champion.evaluator.parsed)
            assert shown["new_nodes"] == found.count
            assert shown["tree"].count("bold") == found.count
    now = api.get("/api/runs/evolved/champion").json()
    assert now["formula"] == final.evaluator.tree
    asked = {"game": "othello-6", "black": f"{now['player']}@0", "white": now["player"]}
    assert api.post("/api/games", json=asked).status_code == 201
    assert api.get("/api/runs/evolved/champion?generation=99").status_code == 409
    assert "weights" not in api.get("/api/runs/learned/champion").json()["title"]


@pytest.mark.parametrize(
    "name", ["..", "%2e%2e", "..%2f..%2fetc", "%2fetc", "nothing", "a%00", "."]
)
def test_no_name_leads_elsewhere(name: str, api: Any) -> None:
    for path in (f"/api/runs/{name}", f"/api/runs/{name}/champion"):
        assert api.get(path, follow_redirects=False).status_code in (200, 404, 307)
        assert "champion@" not in api.get(path).text
    answer = api.post(f"/api/runs/{name}/requests", json={"request": "stop"})
    assert answer.status_code in (404, 405)


def test_beginning_needs_a_name_a_preset_and_the_token(home: Path) -> None:
    with client(home) as api:
        for body in ({"preset": "nothing"}, {"preset": "quick", "name": "../x"}, {}, {"preset": 1}):
            assert api.post("/api/runs", json=body).status_code in (404, 422)
        no_token = {"authorization": ""}
        assert api.post("/api/runs", json={"preset": "quick"}, headers=no_token).status_code == 401
        stop = {"request": "stop"}
        assert api.post("/api/runs/x/requests", json=stop, headers=no_token).status_code == 401
        paths = api.get("/api/openapi.json").json()["paths"]
        assert {"/api/runs", "/api/runs/{name}", "/api/runs/{name}/requests"} <= set(paths)
        assert api.get("/api/runs").json()["runs"] == []


def test_a_run_is_begun_paused_resumed_and_stopped_and_outlives_the_server(home: Path) -> None:
    def state() -> dict[str, Any]:
        found: dict[str, Any] = api.get("/api/runs/it").json()
        return found

    def ask(request: str, **more: Any) -> Any:
        return api.post("/api/runs/it/requests", json={"request": request, **more})

    asked = {"preset": "quick", "name": "it", "settings": ENDLESS, "tests": False}
    few = ServerLimits(runs_at_once=1)
    try:
        with client(home, few) as api:
            assert api.post("/api/runs", json=asked).json() == {"name": "it"}
            assert state()["status"] in ("starting", "running")
            until(lambda: state()["generations"] > 2)
            again = api.post("/api/runs", json={**asked, "name": "other"})
            assert (again.status_code, "it" in again.json()["error"]) == (409, True)
            taken = api.post("/api/runs", json=asked)
            assert [one["field"] for one in taken.json()["errors"]] == ["name"]
            assert ask("pause").status_code == 202
            paused = until(lambda: (s := state())["status"] == "paused" and s)
            assert state()["generations"] == paused["generations"]
            ask("resume")
            until(lambda: state()["generations"] > paused["generations"])
            assert ask("stop").json()["request"] in ("stop", None)
            until(lambda: state()["status"] == "stopped")
            stopped = until(lambda: (s := state())["is_going_on"] is False and s)
            assert stopped["status"] == "stopped"
            assert stopped["trouble"] is None
            until(lambda: "still" in ask("stop").json()["error"])
            assert ask("resume", generations=1).status_code == 409
            until(lambda: ask("resume").status_code == 202)
            until(lambda: state()["generations"] > stopped["generations"])
        count = 0
        with Run.open(home / "it") as run:
            until(lambda: run.count() > stopped["generations"] + 2)
            count = run.count()
        with client(home) as api:  # another server, which did not begin it
            assert state()["is_going_on"]
            assert state()["generations"] >= count
            ask("stop")
            until(lambda: state()["status"] == "stopped")
    finally:
        leave_request(home / "it", "stop")
        until(lambda: not is_locked(home / "it"))


def test_a_run_that_has_ended_goes_on_for_longer_only_with_a_number(api: Any) -> None:
    answer = api.post("/api/runs/evolved/requests", json={"request": "resume"})
    assert (answer.status_code, "above 4" in answer.json()["error"]) == (409, True)
    answer = api.post("/api/runs/evolved/requests", json={"request": "pause"})
    assert answer.status_code == 409


def test_why_a_process_failed_is_said(home: Path) -> None:
    def start(folder: Path, **_: Any) -> "subprocess.Popen[bytes]":
        code = "import sys; print('there is no room', file=sys.stderr); sys.exit(1)"
        with (folder / "output.txt").open("wb") as output:
            return subprocess.Popen([sys.executable, "-c", code], stderr=output)

    driver = RunDriver(ServerLimits(), start=start)
    name = driver.begin(StartRun(preset="quick"))
    assert name == "othello-6-1"
    assert "there is no room" in until(lambda: driver.trouble(name))
    assert not driver.is_starting(name)


def test_a_process_that_has_let_go_of_its_run_is_not_starting_any_more(home: Path) -> None:
    def start(folder: Path, **_: Any) -> "subprocess.Popen[bytes]":
        return process

    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    driver = RunDriver(ServerLimits(), start=start)
    name = driver.begin(StartRun(preset="quick"))
    assert driver.is_starting(name)
    with Run.open(home / name) as run:
        with run.lock():
            assert driver.is_starting(name)  # it has the right to write, and makes checks
        run.record("started")
        run.set_meta(status="stopped")
    assert not driver.is_starting(name)  # though its process has not ended yet
    (home / name / "run.db").unlink()
    assert not driver.is_starting(name)
    process.communicate(b"\n")
    assert not driver.is_starting(name)


def test_a_request_to_a_run_that_is_starting_is_handed_over_when_it_has_begun(home: Path) -> None:
    def start(folder: Path, **_: Any) -> "subprocess.Popen[bytes]":
        return process

    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    driver = RunDriver(ServerLimits(), start=start)
    reader = RunReader(driver)
    name = driver.begin(StartRun(preset="quick"))
    leave_request(home / name, "stop")  # of another day: nobody asks for that now
    found = reader.read(name)
    assert (found.status, found.is_going_on, found.request) == ("starting", True, None)
    driver.ask(name, RunRequest(request="pause"))
    assert reader.read(name).request == "pause"
    driver.ask(name, RunRequest(request="resume"))
    assert reader.read(name).request == "resume"
    driver.ask(name, RunRequest(request="pause"))
    with Run.open(home / name) as run, run.lock():
        clear_request(home / name)  # as a run does that begins
        assert reader.read(name).status == "starting"
        run.set_meta(status="running")
        run.record("started")
        assert until(lambda: read_request(home / name)) == "pause"
        until(lambda: driver.wanted(name) is None)
        assert reader.read(name).request == "pause"
    process.communicate(b"\n")


def test_a_run_pauses_that_was_asked_to_before_it_began(home: Path) -> None:
    asked = {"preset": "quick", "name": "it", "settings": ENDLESS, "tests": False}
    try:
        with client(home) as api:
            assert api.post("/api/runs", json=asked).status_code == 201
            answer = api.post("/api/runs/it/requests", json={"request": "pause"})
            assert (answer.status_code, answer.json()["request"]) == (202, "pause")
            state = until(lambda: (s := api.get("/api/runs/it").json())["status"] == "paused" and s)
            assert 1 <= state["generations"] < 1000
    finally:
        leave_request(home / "it", "stop")
        until(lambda: not is_locked(home / "it"))


def test_runs_of_experiments_are_driven_by_their_whole_names(home: Path) -> None:
    def start(folder: Path, **_: Any) -> "subprocess.Popen[bytes]":
        begun.append(folder)
        return process

    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    begun: list[Path] = []
    config = load_config("quick")
    (home / "exp" / "runs").mkdir(parents=True)
    (home / "exp" / "experiment.toml").touch()
    for path in (home / "exp" / "runs" / "1-a", home / "1-a"):
        Run.create(path, config).close()
    driver = RunDriver(ServerLimits(), start=start)
    driver.ask("exp/1-a", RunRequest(request="resume"))
    assert (driver.is_starting("exp/1-a"), driver.is_starting("1-a")) == (True, False)
    with pytest.raises(RunError, match="exp/1-a is just beginning"):
        driver.ask("exp/1-a", RunRequest(request="resume"))
    driver.ask("1-a", RunRequest(request="resume"))
    assert begun == [home / "exp" / "runs" / "1-a", home / "1-a"]
    shutil.rmtree(home / "1-a")
    Run.create(home / "1-a", config).close()
    assert not driver.is_starting("1-a")  # it is another one
    process.communicate(b"\n")


def test_limits_of_learning_are_in_its_words(home: Path) -> None:
    asked = StartRun(preset="firebrand-8", settings={"games_per_step": 999_999})
    with pytest.raises(ConfigError, match="games_per_step"):
        config_asked(asked, ServerLimits(generation_games=1000))
    asked = StartRun(preset="patterns-8", settings={"games_per_step": 9_000_000})
    with pytest.raises(ConfigError) as wrong:
        config_asked(asked, ServerLimits())
    assert "a step" in str(wrong.value)
    assert "population" not in str(wrong.value)
    asked = StartRun(preset="tuples", settings={"lessons.games": 500_000})
    with pytest.raises(ConfigError, match=r"lessons\.games: 8,"):
        config_asked(asked, ServerLimits())


_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)


_PATHS = ("seed", "game", "primitives", "fitness.opponents.0.player", "fitness.opponents", "limits")


def test_no_request_about_runs_is_answered_with_a_failure(api: Any) -> None:
    asked = st.fixed_dictionaries(
        {"preset": st.sampled_from(tuple(PRESETS)) | st.text(max_size=5)},
        optional={
            "name": _VALUES,
            "tests": _VALUES,
            "settings": st.dictionaries(st.sampled_from(_PATHS) | st.text(max_size=9), _VALUES),
        },
    )
    quiet = ServerLimits(runs_at_once=0, requests=Rate(1e6, 1e6))

    @given(asked, st.text(min_size=1, max_size=300), st.dictionaries(st.text(max_size=9), _VALUES))
    def try_it(body: dict[str, Any], name: str, more: dict[str, Any]) -> None:
        path = f"/api/runs/{quote(name.encode('utf-8', 'replace'), safe='')}"
        for answer in (
            one.post("/api/runs", content=json.dumps(body)),
            one.get(path),
            one.get(f"{path}/champion"),
            one.post(f"{path}/requests", content=json.dumps({"request": "stop", **more})),
            one.get(f"/api/presets/{quote(name.encode('utf-8', 'replace'), safe='')}"),
        ):
            assert answer.status_code < 500, answer.text
            assert answer.status_code < 400 or answer.json()["error"]

    with client(Path(os.environ["EVOPLY_RUNS"]) / "broken", quiet) as one:
        try_it()
        assert len(one.get("/api/runs").json()["runs"]) == 3


@pytest.mark.parametrize(
    ("preset", "settings", "path"),
    [
        ("demo", {"tuning.population_size": 1000, "tuning.pairs": 100_000}, "tuning.pairs"),
        ("tuples", {"test_pairs": 100_000, "population_size": 4}, "test_pairs"),
        ("strong", {"labels.positions": 10_000_000}, "labels.positions"),
        ("demo", {"fitness.earlier_generations.pairs": 5000}, "fitness"),
    ],
)
def test_nobody_begins_a_run_beyond_the_limits(
    preset: str, settings: dict[str, Any], path: str
) -> None:
    with pytest.raises(ConfigError) as wrong:
        config_asked(
            StartRun(preset=preset, settings=settings), ServerLimits(generation_games=150_000)
        )
    assert path in [one for one, _ in wrong.value.errors]
