"""The commands of tournaments and sequential tests."""

import json
from pathlib import Path

import pytest
from command_line import call

from evoply.arena import Sprt, round_robin, sprt_match

FIELD = """
[[player]]
player = "swh"
bracket = "squares"
fitness = 3

[[player]]
player = "greedy"
name = "most discs"
bracket = "counts"
fitness = 2.0

[[player]]
player = "random"
fitness = 1
"""


def test_a_round_robin_is_that_of_the_library(capsys: pytest.CaptureFixture) -> None:
    arguments = ("tournament", "swh", "greedy", "random", "--games", "40", "--seed", "3")
    data = call(capsys, *arguments, "--json").data
    expected = round_robin(["swh", "greedy", "random"], games=40, seed=3).to_dict()
    assert data == {**expected, "made_by": data["made_by"]}
    said = call(capsys, *arguments).out
    assert said.index("swh") < said.index("greedy") < said.index("random")
    assert "120 games" in said


@pytest.mark.parametrize("runs", ["0", "100001"])
def test_a_wrong_number_of_runs_is_told_with_its_option(
    runs: str, capsys: pytest.CaptureFixture
) -> None:
    arguments = ("tournament", "swh", "greedy", "--mode", "elimination", "--times", runs)
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert f'Invalid value "{runs}" for --times' in answer.err


def test_an_elimination_tournament_of_a_file(capsys: pytest.CaptureFixture, tmp_path: Path) -> None:
    Path("field.toml").write_text(FIELD)
    arguments = (
        "tournament", "mobility", "--field", "field.toml", "--mode", "elimination", "--times",
        "15", "--bracket", "mobility=counts",
    )  # fmt: skip
    data = call(capsys, *arguments, "--json", "--html", "page.html").data
    brackets = {one["player"]: one["bracket"] for one in data["stars"]}
    assert brackets == {
        "swh": "squares",
        "most discs": "counts",
        "random": "all",
        "mobility": "counts",
    }
    assert data["runs"] == len(data["rounds"]) == 15
    assert data["stars"][0]["player"] == "swh"
    assert data["fitness_correlation"]["players"] == 3
    assert data["fitness_correlation"]["rho"] == 1
    page = Path("page.html").read_text()
    assert "most discs" in page
    assert "default-src 'none'" in page
    said = call(capsys, *arguments).out
    assert "mean rank" in said
    assert "rank correlation" in said


def test_a_tournament_says_who_was_out_when(capsys: pytest.CaptureFixture) -> None:
    said = call(capsys, "tournament", "swh", "greedy", "random", "--mode", "elimination").out
    assert "out in round 1: " in said


def test_a_page_of_a_round_robin(capsys: pytest.CaptureFixture) -> None:
    call(capsys, "tournament", "swh", "( white )", "--games", "20", "--html", "page.html")
    page = Path("page.html").read_text()
    assert 'aria-label="Ratings"' in page
    assert len(page) < 100_000
    assert "Everybody against everybody" in page
    assert "swh against everybody" not in page


def test_a_page_shows_the_results_of_those_who_are_chosen(capsys: pytest.CaptureFixture) -> None:
    played = ("tournament", "swh", "greedy", "greedy", "--games", "2", "--html", "page.html")
    assert call(capsys, *played, "--results-of", "greedy (2)", "--results-of", "swh").code == 0
    page = Path("page.html").read_text()
    assert "greedy (2) against everybody" in page
    assert "swh against everybody" in page
    assert "greedy against everybody" not in page
    wrong = call(capsys, *played, "--results-of", "gredy")
    assert wrong.code == 2
    assert "--results-of: no player 'gredy' takes part" in wrong.err
    refused = call(capsys, *played, "--mode", "elimination", "--results-of", "swh")
    assert "--results-of is for --mode round-robin" in refused.err


def test_a_sequential_test(capsys: pytest.CaptureFixture) -> None:
    arguments = ("match", "swh", "random", "--sprt", "0", "50", "--seed", "2")
    data = call(capsys, *arguments, "--json").data
    expected = sprt_match("swh", "random", Sprt(0, 50), seed=2).to_dict()
    assert data == {**expected, "made_by": data["made_by"]}
    assert data["verdict"] == "elo1"
    said = call(capsys, *arguments).out
    assert "LLR +" in said
    assert "accepted" in said
    capped = call(capsys, "match", "greedy", "greedy", "--sprt", "0", "1", "--games", "40")
    assert "undecided" in capped.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("tournament",), "players: 0 given"),
        (("tournament", "greedy"), "players: 1 given"),
        (("tournament", "greedy", "nobody"), "nobody"),
        (("tournament", "greedy", "swh", "--games", "3"), "even"),
        (("tournament", "greedy", "swh", "--mode", "cup"), "--mode"),
        (("tournament", "greedy", "swh", "--times", "3"), "--times"),
        (("tournament", "greedy", "swh", "--field", "no.toml"), "no.toml"),
        (("tournament", "greedy", "swh", "--openings", "-1"), "--openings"),
        (("tournament", "a", "b", "--mode", "elimination", "--bracket", "x"), "no player"),
        (("match", "greedy", "swh", "--sprt", "10", "0"), "must be below elo1"),
        (("match", "greedy", "swh", "--sprt", "0"), "--sprt"),
        (("match", "greedy", "swh", "--sprt", "0", "5", "--openings", "none"), "openings"),
        (("match", "greedy", "swh", "--sprt", "0", "5", "--alpha", "2"), "alpha"),
    ],
)
def test_wrong_use(arguments: tuple[str, ...], says: str, capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert says in " ".join(answer.err.split())
    assert "Traceback" not in answer.err


@pytest.mark.parametrize("given", ["swh", "swh=", "swhh=x", "greedy=x"])
def test_wrong_brackets(given: str, capsys: pytest.CaptureFixture) -> None:
    arguments = ("tournament", "swh", "random", "--mode", "elimination", "--bracket", given)
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert "--bracket" in answer.err


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("player = 3", 'player: must be a table: write player = "greedy" below a line [[player]]'),
        ("player = ['swh']", "player.0: must be a table"),
        (
            "[[player]]\nplayr = 'swh'",
            "player.0.playr: is not a key of a player; did you mean 'player'?",
        ),
        ("[[player]]\nname = 'Ann'", 'player.0.player: is missing: write player = "greedy"'),
        ("[[player]]\nplayer = ''", 'player.0.player: is empty: write player = "greedy"'),
        ("[[player]]\nplayer = 4", "player.0.player: must be a text in quotes, not 4"),
        (
            "[[player]]\nplayer = 'swh'\nfitness = 'x'",
            "player.0.fitness: must be a number, not 'x'",
        ),
        (
            "[[player]]\nplayer = 'swh'\nfitness = nan",
            "player.0.fitness: must be a number, not nan",
        ),
        ("[[player]]\nplayer = 'swh'\nname = \"a\\u0007\"", "player.0.name: must be one line"),
        (
            "[[player]]\nplayer = 'swh'\nname = '" + "a" * 201 + "'",
            "player.0.name: has more than 200",
        ),
        ("[[player]]\nplayer = 'swh'\n[games]\nx = 1", "games: is not a key of a field"),
        ("[[", "not TOML"),
        ("", 'player: is missing: write player = "greedy"'),
    ],
)
def test_wrong_fields(text: str, says: str, capsys: pytest.CaptureFixture) -> None:
    Path("field.toml").write_text(text)
    answer = call(capsys, "tournament", "swh", "--field", "field.toml", "--json")
    assert answer.code == 2
    assert says in " ".join(answer.err.split())
    assert "error" in json.loads(answer.out)
