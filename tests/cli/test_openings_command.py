"""--openings FILE on the command line: what is played, what is said, and what is refused."""

import hashlib
import json
from pathlib import Path

import pytest
from command_line import call

LINES = ("f5d6c3d3", "f5f6e6f4", "f5d6c5", "f5f4e3")


@pytest.fixture(autouse=True)
def listed(workplace: Path) -> None:
    Path("list.txt").write_text("\n".join(LINES) + "\n", encoding="utf-8")


def facts(order: str) -> dict[str, object]:
    checksum = hashlib.sha256(Path("list.txt").read_bytes()).hexdigest()
    return {"positions": 4, "order": order, "sha256": checksum}


@pytest.mark.parametrize(("suffix", "order"), [("", "drawn"), (":in-order", "in-order")])
def test_matches_begin_where_the_lines_end(
    suffix: str, order: str, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("match", "greedy", "random", "--games", "8", "--openings", f"list.txt{suffix}")
    data = call(capsys, *words, "--save-games", "games.jsonl", "--json").data
    assert data["opening_list"] == facts(order)
    assert "list.txt" not in json.dumps(data["opening_list"])
    games = [json.loads(line) for line in Path("games.jsonl").read_text().splitlines()]
    starts = ["".join(game["moves"][: game["opening_plies"]]) for game in games if "moves" in game]
    assert starts[::2] == starts[1::2]
    assert set(starts) == set(LINES)
    said = call(capsys, *words).out
    assert "4 openings from a list of 4 (" in " ".join(said.split())


@pytest.mark.parametrize(
    "words",
    [
        ("tournament", "greedy", "random", "swh", "--games", "4"),
        ("tournament", "greedy", "random", "swh", "--mode", "elimination"),
        ("match", "swh", "random", "--sprt", "0", "100", "--games", "200"),
        ("measure", "greedy", "--games", "4"),
    ],
    ids=["round-robin", "elimination", "test", "measure"],
)
def test_other_commands_take_a_list(
    words: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    data = call(capsys, *words, "--openings", "list.txt", "--json").data
    assert data["opening_list"] == facts("drawn")


def test_the_page_of_a_tournament_says_which_list(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("tournament", "greedy", "random", "--games", "4", "--openings", "list.txt")
    assert call(capsys, *words, "--html", "page.html").code == 0
    page = Path("page.html").read_text(encoding="utf-8")
    assert "openings from a list of 4 (drawn by the seed; SHA-256 " in page
    assert "list.txt" not in page.partition("<footer")[0]  # which has the command as it was typed


@pytest.mark.parametrize(
    ("content", "openings", "says"),
    [
        ("", "list.txt", "list.txt: there is no opening in it"),
        ("f5d6\nf5f5\n", "list.txt", "list.txt: line 2: "),
        ("f5d6\n11-15 23-19\n", "list.txt:in-order", "list.txt: line 2: "),
        ("f5d6c5f4e3f6g5e6e7\n", "list.txt", "line 1: the game is over there"),
        ("f5", "nolist.txt", "'nolist.txt' is no whole number, and there is no file"),
        ("f5", ".", ".: is no plain file"),
    ],
)
def test_what_is_wrong_is_said(
    content: str, openings: str, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("list.txt").write_text(content, encoding="utf-8")
    answer = call(capsys, "match", "greedy", "random", "--openings", openings)
    assert answer.code == 2
    assert answer.err.startswith("evoply: --openings: ")
    assert says in " ".join(answer.err.split())


def test_a_list_and_a_start_are_one_too_many(capsys: pytest.CaptureFixture[str]) -> None:
    words = ("match", "greedy", "random", "--openings", "list.txt", "--moves", "f5")
    answer = call(capsys, *words)
    assert answer.code == 2
    assert "--openings: they say where games begin" in " ".join(answer.err.split())
