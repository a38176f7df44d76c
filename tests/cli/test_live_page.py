"""Pages that are written anew while their work goes on."""

from pathlib import Path
from typing import Any

import pytest
from command_line import call

from evoply.arena import RoundRobin, round_robin, throttle
from evoply.cli import long_work
from evoply.reports import result_html
from evoply.studies import STUDIES, Request, Result, page_of_study, reproduce


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "SECONDS", 0.0)
    monkeypatch.setattr(throttle, "_REST", 0)


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what is written while the work goes on, which is also written."""
    texts: list[str] = []
    write = long_work.write_atomically

    def writing(path: Path, text: str) -> None:
        write(path, text)
        texts.append(path.read_text())

    monkeypatch.setattr(long_work, "write_atomically", writing)
    return texts


def test_a_tournament_is_seen_while_it_is_played(
    written: list[str], capsys: pytest.CaptureFixture
) -> None:
    arguments = ("tournament", "swh", "greedy", "random", "--games", "40", "--seed", "3")
    call(capsys, *arguments, "--html", "page.html", "--quiet")
    assert written
    for text in written:
        assert text.endswith("</html>")
        assert "of 120 games are played" in text
        assert '<meta name="evoply-state" content="Still going on: ' in text
    assert any("<h2>Standings</h2>" in text for text in written)
    result = round_robin(["swh", "greedy", "random"], games=40, seed=3)
    shown, _, footer = Path("page.html").read_text().partition("<footer")
    assert shown == result_html(result).partition("<footer")[0]
    assert "evoply tournament swh greedy random --games 40" in footer
    assert "evoply-state" not in result_html(result)


def test_eliminations_and_studies_are_seen_too(
    written: list[str], capsys: pytest.CaptureFixture
) -> None:
    call(capsys, "tournament", "swh", "random", "greedy", "--mode", "elimination", "--times", "4",
         "--html", "page.html")  # fmt: skip
    assert any("2 of 4 runs are played" in text and "Stars" in text for text in written)
    written.clear()
    call(capsys, "reproduce", "liao", "--table", "1", "--html", "page.html")
    assert any("table 1, " in text and "% of the steps are done" in text for text in written)
    assert "evoply-state" not in Path("page.html").read_text()


def test_a_group_of_tables_tells_those_that_are_finished() -> None:
    study = STUDIES["firebrand"].resized("smoke", stage=4)
    told: list[Result] = []
    whole = reproduce(study, "X2", Request(game="othello", shown=told.append))
    assert len(told) == 1
    assert told[0].rows == whole.rows[: len(told[0].rows)]
    assert 0 < len(told[0].rows) < len(whole.rows)
    page = result_html(page_of_study(told[0], study), state="Still", goes_on=True)
    assert 'content="Still"' in page


def test_what_ends_too_early_is_said(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    result = round_robin(["swh", "random"], games=4, seed=1)

    def draw(so_far: RoundRobin | None, *, state: str, goes_on: bool) -> str:
        return result_html(so_far or result, state=state, goes_on=goes_on)

    def begun(at: Path | None) -> Any:
        return long_work.live_page(at, draw, lambda done: f"{done:g} games")

    def work() -> None:
        with begun(path) as live:
            live.moved(7)
            assert "Still going on: 7 games." in path.read_text()
            live.show(result)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        work()
    text = path.read_text()
    assert "Stopped: 7 games." in text
    assert "Standings" in text
    assert 'evoply-state" content="Stopped: 7 games"' in text
    assert 'http-equiv="refresh"' not in text
    path.unlink()
    with begun(None) as live:
        live.moved(1)
    folder = tmp_path / "gone"
    with begun(folder / "page.html") as live:
        live.moved(1)  # the work goes on, whatever becomes of its page
    assert not folder.exists()


def test_a_mistake_leaves_the_page_that_was_there(
    tmp_path: Path, capsys: pytest.CaptureFixture
) -> None:
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    old.write_text("what was measured last week")
    for path in (old, new):
        for command in ("tournament greedy random", "reproduce liao --table 1"):
            assert call(capsys, *command.split(), "--games", "3", "--html", str(path)).code == 2
    assert old.read_text() == "what was measured last week"
    assert not new.exists()


def test_there_is_a_page_at_once(
    written: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture
) -> None:
    monkeypatch.setattr(throttle, "SECONDS", 1000.0)
    call(capsys, "tournament", "swh", "random", "--games", "4", "--html", "page.html")
    assert len(written) == 1
    assert "Still going on: 0 of 4 games are played." in written[0]
    assert Path("page.html").exists()
