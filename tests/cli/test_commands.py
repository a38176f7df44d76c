import io
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import Answer, call
from rich.console import Console

from evoply.arena import match
from evoply.cli.match import match_table
from evoply.evolution import load_config
from evoply.evolution.islands import load_islands_config
from evoply.kinds import find_run
from evoply.runs.presets import preset_text


@pytest.fixture
def small_run(capsys: pytest.CaptureFixture) -> Answer:
    """A run called small, of three generations, without tests."""
    answer = call(capsys, "evolve", "small.toml", "--name", "small", "--no-tests", "--json")
    assert answer.code == 0, answer.err
    return answer


def test_perft(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "perft", "othello", "5", "--json")
    assert {key: answer.data[key] for key in ("game", "depth", "leaves")} == {
        "game": "othello",
        "depth": 5,
        "leaves": 1396,
    }
    assert "leaves/s" in answer.err
    assert "1,396 leaves" in call(capsys, "perft", "othello", "5").out


def test_perft_with_a_table_counts_the_same(capsys: pytest.CaptureFixture) -> None:
    for options in (["--table"], ["--table", "--table-mib", "1"], ["--no-table"], []):
        answer = call(capsys, "perft", "othello", "9", *options, "--json")
        assert answer.data["leaves"] == 3_005_288
    for position in ([], ["--position", "W:W18,K24:B1,12"]):
        plain, boards = (
            call(capsys, "perft", "checkers", "6", *position, option, "--json").data["leaves"]
            for option in ("--no-table", "--table")
        )
        assert plain == boards


def test_hopeless_perft_says_what_it_costs_and_keeps_what_it_has(
    capsys: pytest.CaptureFixture,
) -> None:
    answer = call(capsys, "perft", "othello", "99", "--time-limit", "0.5", "--json")
    assert "perft othello 99: more than a million years" in answer.err
    assert answer.data["complete"] is False
    assert answer.data["depth"] >= 8
    whole = call(capsys, "perft", "othello", str(answer.data["depth"]), "--json")
    assert whole.data["leaves"] == answer.data["leaves"]
    assert whole.data["complete"] is True
    assert whole.err.count("years") == 0


def test_perft_of_a_position(capsys: pytest.CaptureFixture) -> None:
    after_f5 = call(capsys, "perft", "othello", "4", "--position", "f5", "--json").data
    assert 4 * after_f5["leaves"] == 1396
    board = call(capsys, "perft", "othello-4", "1", "--position", "---- -OX- -XO- ---- X")
    assert "4 leaves" in board.out


def test_match_is_the_match_of_the_library(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "match", "greedy", "random", "--games", "60", "--seed", "5", "--json")
    expected = match("greedy", "random", games=60, seed=5).to_dict()
    assert answer.data == {**expected, "made_by": answer.data["made_by"]}
    assert set(answer.data) >= {
        "wins", "draws", "losses", "score", "interval", "games", "distinct_games", "seed",
    }  # fmt: skip
    plain = call(capsys, "match", "greedy", "random", "--games", "60", "--seed", "5")
    row = next(line for line in plain.out.splitlines() if line.startswith("greedy"))
    counts = [str(answer.data[key]) for key in ("games", "wins", "draws", "losses")]
    assert row.split()[:6] == ["greedy", "random", *counts]
    assert plain.err == ""


def test_a_match_without_openings_has_two_games_and_no_interval(
    capsys: pytest.CaptureFixture,
) -> None:
    arguments = ("match", "greedy", "swh", "--games", "40", "--openings", "none")
    data = call(capsys, *arguments, "--json").data
    assert (data["distinct_games"], data["interval"], data["openings"]) == (2, None, 0)
    said = call(capsys, *arguments).out
    assert "2 different games are too few for an interval: play at least 20 with openings" in said
    assert "Seed 1; no openings" in said


@pytest.mark.parametrize("width", [50, 60, 70, 80, 100, 160])
def test_a_table_of_matches_fits_and_keeps_names_whole(width: int) -> None:
    results = [
        match("greedy", second, games=40, seed=1).to_dict() | {"first": "champion@othello-1"}
        for second in ("random", "swh:depth=1")
    ]
    console = Console(width=width, color_system=None)
    with console.capture() as captured:
        console.print(match_table(results, width))
    lines = captured.get().strip("\n").split("\n")
    assert max(map(len, lines)) <= width
    assert len(lines) == 4
    assert all("champion@othello-1" in line for line in lines[2:])
    assert "swh:depth=1" in lines[3]
    assert ("wins" in lines[0]) == (width >= 100)
    assert "score" in lines[0]


def test_a_name_too_long_for_the_table_is_cut_in_one_line() -> None:
    result = match("greedy", "random", games=2, seed=1).to_dict() | {"first": "( + " * 100}
    console = Console(width=60, color_system=None)
    with console.capture() as captured:
        console.print(match_table([result], 60))
    assert len(captured.get().strip("\n").split("\n")) == 3
    assert "( + ( +" in captured.get()
    assert "..." in captured.get()


def test_a_match_says_how_it_was_played(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = call(capsys, "match", "greedy", "random", "--games", "60", "--seed", "5").out
    assert "Seed 5; 30 openings of 8 random plies, each played twice with colours swapped" in said


def test_presets(capsys: pytest.CaptureFixture) -> None:
    names = [entry["name"] for entry in call(capsys, "presets", "--json").data["presets"]]
    assert "demo" in names
    for name in names:
        assert call(capsys, "presets", name).out == preset_text(name)
    assert call(capsys, "presets", "demo", "--json").data["toml"] == preset_text("demo")


def test_show_a_tree(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    tree = "( + white ( - white_corners white ) )"
    answer = call(capsys, "show", tree, "--svg", "tree.svg", "--latex", "tree.tex")
    assert answer.code == 0
    assert tree in answer.out
    assert "├── white" in answer.out
    assert "<svg" in (tmp_path / "tree.svg").read_text()
    assert (tmp_path / "tree.tex").read_text().startswith("\\begin{forest}")
    data = call(capsys, "show", tree, "--json").data
    assert data["simplified"] == "white_corners"
    assert (data["nodes"], data["depth"]) == (5, 3)
    assert "corner" in data["sentence"]


def test_show_a_heat_map(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    answer = call(capsys, "show", "swh", "--heat-map", "map.svg", "--json")
    assert answer.data["heat_map"] == "map.svg"
    picture = (tmp_path / "map.svg").read_text()
    # The corner weighs 1; what is drawn is own minus opponent, and the picture says so.
    assert ">2</text>" in picture
    assert "What an own disc adds, compared with an opponent&#x27;s" in picture


def test_a_picture_that_cannot_be_written_is_told(capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "show", "swh", "--heat-map", "no/such/folder/map.svg")
    assert answer.code == 2
    assert "--heat-map no/such/folder/map.svg: there is no folder" in answer.err


def test_evolve_says_the_folder_first_and_a_line_a_generation(
    capsys: pytest.CaptureFixture,
) -> None:
    answer = call(capsys, "evolve", "small.toml", "--no-tests", "--set", "generations=4")
    assert answer.code == 0
    lines = answer.out.splitlines()
    assert "runs/othello-4-1" in lines[0]
    assert [line.split(":")[0] for line in lines[1:5]] == [f"generation {n}" for n in range(4)]
    assert "evoply play --against champion@othello-4-1" in answer.out
    assert Path("runs/othello-4-1/config.toml").read_text().count("generations = 4") == 1


def test_evolve_json_and_runs_json_agree(small_run: Answer, capsys: pytest.CaptureFixture) -> None:
    data = small_run.data
    stored = call(capsys, "runs", "small", "--json").data
    assert data["run"] == stored["run"] == "runs/small"
    assert data["generations"] == len(stored["generations"]) == 3
    assert data["digest"] == stored["generations"][-1]["digest"]
    assert [entry["number"] for entry in stored["generations"]] == [0, 1, 2]
    assert all(len(entry["digest"]) == 64 for entry in stored["generations"])
    assert data["champion"]["player"] == stored["champion"] == "champion@small"
    assert data["matches"] == []
    assert "generation 2" in small_run.err


def test_a_run_of_the_same_name_is_refused(
    small_run: Answer, capsys: pytest.CaptureFixture
) -> None:
    answer = call(capsys, "evolve", "small.toml", "--name", "small", "--no-tests")
    assert answer.code == 2
    assert "exists already" in answer.err


def test_resume_continues_as_if_never_stopped(
    small_run: Answer, capsys: pytest.CaptureFixture
) -> None:
    more = call(capsys, "resume", "--generations", "5", "--no-tests", "--json").data
    whole = call(capsys, "evolve", "small.toml", "--generations", "5", "--no-tests", "--json").data
    assert more["name"] == "small"
    assert more["digest"] == whole["digest"]
    assert more["champion"] == {**whole["champion"], "player": "champion@small"}


def test_resume_of_an_ended_run_says_how_to_go_on(
    small_run: Answer, capsys: pytest.CaptureFixture
) -> None:
    answer = call(capsys, "resume", "small", "--no-tests")
    assert answer.code == 0
    assert "--generations" in answer.out
    assert answer.out.count("generation 2:") == 0


def test_a_reached_limit_gives_way_to_the_other(
    small_run: Answer, capsys: pytest.CaptureFixture
) -> None:
    with find_run("small") as run:  # a busy machine takes longer for its generations
        limit = sum(step.seconds for step in run.steps()) + 0.3
    data = call(capsys, "resume", "--time-limit", f"{limit}", "--no-tests", "--json").data
    assert data["generations"] > 3


def test_closing_tests_are_kept_and_not_played_twice(
    small_run: Answer, capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evoply.cli.run_loop.TEST_GAMES", 20)
    first = call(capsys, "resume", "small", "--json")
    assert first.code == 0, first.err
    again = call(capsys, "resume", "small", "--json").data
    assert [entry["second"] for entry in first.data["matches"]] == ["random", "greedy"]
    assert all(entry["games"] == 20 for entry in first.data["matches"])
    assert again["matches"] == first.data["matches"]
    assert call(capsys, "runs", "small", "--json").data["matches"] == first.data["matches"]
    assert Path(first.data["report"]).read_text().lstrip().lower().startswith("<!doctype html>")


def test_report(small_run: Answer, capsys: pytest.CaptureFixture) -> None:
    assert call(capsys, "report", "--output", "page.html").code == 0
    assert "small" in Path("page.html").read_text()
    assert call(capsys, "report", "small", "--json").data["report"] == "runs/small/report.html"


def test_replay(small_run: Answer, capsys: pytest.CaptureFixture) -> None:
    arguments = ("replay", "small", "--generation", "1", "--game", "2")
    data = call(capsys, *arguments, "--json").data
    assert (data["generation"], data["game"], data["white"]) == (1, 2, "random")
    said = call(capsys, *arguments).out
    assert data["transcript"] in said
    assert f"Result      {data['outcome']}" in said
    assert "to move" not in said
    points = f"{data['points']:g} point{'' if data['points'] == 1 else 's'} for individual"
    assert points in said
    newest = call(capsys, "replay", "--generation", "1", "--game", "2", "--json").data
    assert newest == data
    assert call(capsys, "replay", "small", "--generation", "1", "--game", "99999").code == 1


def test_runs_lists_and_exports(small_run: Answer, capsys: pytest.CaptureFixture) -> None:
    Path("runs/broken").mkdir()
    (Path("runs/broken") / "config.toml").write_text("nonsense =")
    (Path("runs/broken") / "run.db").write_text("nonsense")
    listed = call(capsys, "runs")
    assert "small" in listed.out
    assert "finished" in listed.out
    assert "broken cannot be read" in listed.out
    by_name: dict[str, Any] = {
        entry["name"]: entry for entry in call(capsys, "runs", "--json").data["runs"]
    }
    assert by_name["small"]["generations"] == 3
    assert "error" in by_name["broken"]
    assert call(capsys, "runs", "broken").code == 1
    assert call(capsys, "runs", "small", "--csv", "tables").code == 0
    assert len(Path("tables/generations.csv").read_text().splitlines()) == 4
    assert call(capsys, "runs", "small", "--parquet", "tables").code == 0
    assert Path("tables/individuals.parquet").stat().st_size > 0
    assert "--parquet: say which run" in call(capsys, "runs", "--parquet", "tables").err


def test_a_champion_brings_its_game(small_run: Answer, capsys: pytest.CaptureFixture) -> None:
    data = call(capsys, "match", "champion", "random", "--games", "40", "--json").data
    assert (data["first"], data["game"]) == ("champion@small", "othello-4")
    options = call(capsys, "show", "champion@small:depth=2", "--json").data
    assert (options["player"], options["game"]) == ("champion@small:depth=2", "othello-4")


def test_json_is_one_line(capsys: pytest.CaptureFixture) -> None:
    assert json.loads(call(capsys, "runs", "--json").out) == {"folder": "runs", "runs": []}


def test_what_the_output_cannot_write_is_no_error(
    capsys: pytest.CaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    written = io.BytesIO()
    monkeypatch.setattr("sys.stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert call(capsys, "show", "( + white black )").code == 0
    assert b"??? white" in written.getvalue()


def test_a_run_that_a_clock_ended_says_that_the_seed_is_not_all(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    small = ("--population-size", "10", "--no-tests", "--json")
    timed = call(capsys, "evolve", "quick", "--time-limit", "0.000001", "--name", "a", *small)
    assert (timed.data["status"], timed.data["ended_by"]) == ("limit", "time_limit")
    assert "more or fewer generations" in timed.err
    whole = call(capsys, "evolve", "quick", "--generations", "1", "--name", "b", *small)
    assert (whole.data["status"], whole.data["ended_by"]) == ("finished", "generations")
    assert "more or fewer" not in whole.err
    listed = call(capsys, "runs").out
    assert "finished (time limit)" in listed
    assert "finished (generations)" in listed
    monkeypatch.setattr("evoply.cli.runs._MOST_LINES", 1)
    newest = call(capsys, "runs").out
    assert "the newest 1 of 2 runs (--all shows all)" in newest
    assert "time limit" not in newest
    assert call(capsys, "runs", "--all").out == listed
    assert len(call(capsys, "runs", "--json").data["runs"]) == 2


@pytest.mark.parametrize(
    ("preset", "generations"), [("quick", 100), ("demo", 100), ("islands", 25)]
)
def test_presets_end_by_what_the_seed_decides(preset: str, generations: int) -> None:
    """They ended by time, though the same seed should give the same run."""
    config = (load_islands_config if preset == "islands" else load_config)(preset)
    assert config.generations == generations
    assert config.time_limit >= 60
