"""A class: its hand-ins tried, played and rated, and their pages."""

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote

import pytest
from command_line import call

FIRST = """
class Bot:
    def choose(self, game, stream, clock):
        return game.position.legal_moves[0]
"""
LATE = """
class Bot:
    def choose(self, game, stream, clock):
        if game.position.ply > 6:
            raise KeyError("<corner>")
        return game.position.legal_moves[0]
"""
HAND_INS = {
    "ann b": FIRST,
    "index": LATE,
    "fay": FIRST.replace(", stream, clock", ""),
    "notes": "x = 1\n",
}


@pytest.fixture
def students(workplace: Path) -> Path:
    folder = workplace / "students"
    (folder / "old").mkdir(parents=True)
    (folder / "readme.txt").write_text("read me")
    for name, text in HAND_INS.items():
        (folder / f"{name}.py").write_text(text)
    return folder


GRADE = (
    "grade", "students", "--game", "othello-4", "--games", "2", "--against", "greedy",
    "--threads", "1",
)  # fmt: skip


def test_a_class_has_pages_and_only_a_new_hand_in_plays_again(
    students: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results = students / "results"
    arguments = (*GRADE, "--html", "students/results", "--title", "7b", "--json")
    answer = call(capsys, *arguments)
    assert answer.code == 0, answer.err
    assert "passed over: old/, readme.txt" in answer.err
    data = answer.data
    assert set(data["players"]) == {"ann b.py", "index.py", "greedy"}
    assert set(data["left_out"]) == {"fay.py", "notes.py"}
    assert "it has no class with a method choose" in data["left_out"]["notes.py"]
    ratings = {one["player"]: one["rating"] for one in data["standings"]}
    assert ratings["index.py"] is None
    assert (results / "class.db").is_file()
    pages = {path.name for path in results.glob("*.html")}
    assert pages == {"index.html", "ann b.html", "index-bot.html", "fay.html", "notes.html"}
    for page in results.glob("*.html"):
        text = page.read_text()
        assert "default-src 'none'" in text
        # Links lead to pages that lie beside it.
        links = [unquote(unescape(link)) for link in re.findall('href="([^"]*)"', text)]
        assert links
        assert pages.issuperset(links)
    index = (results / "index.html").read_text()
    assert "choose takes 2 arguments, and is given 4" in index
    late = (results / "index-bot.html").read_text()
    assert "raised KeyError: &#39;&lt;corner&gt;&#39; (line 5)" in late
    assert re.search(r"at move \d+ against ", late)
    assert "It is the turn of index.py" in late
    assert "evoply match fay.py random --games 2" in (results / "fay.html").read_text()

    (students / "index.py").unlink()
    (students / "fay.py").write_text(FIRST)
    again = call(capsys, *arguments)
    assert "index.py takes no part any more: its games stay in the file" in again.err
    assert "fay.py is new: it plays all of its games" in again.err
    assert set(again.data["left_out"]) == {"notes.py"}
    assert again.data["games"] == 6
    assert "passed over: old/, readme.txt" in again.err  # and not its own folder


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("grade", "nowhere"), "there is no folder nowhere: name that of the hand-ins"),
        (("grade", "students/old"), "students/old: there is no hand-in in this folder"),
        (("grade", "students", "--games", "3"), "games: 3 is not an even number"),
        (("grade", "students", "--against", "nobody"), "nobody"),
        (("grade", "students", "--title", ""), "--title"),
    ],
)
def test_wrong_use(
    arguments: tuple[str, ...],
    says: str,
    students: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for path in students.glob("*.py"):
        path.unlink()
    (students / "notes.py").write_text("x = 1\n")
    answer = call(capsys, *arguments)
    assert answer.code == 2
    assert says in " ".join(answer.err.split())
    assert "Traceback" not in answer.err
