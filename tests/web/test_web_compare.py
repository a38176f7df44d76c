"""Comparing in the browser: pages in the folder of runs, and two runs side by side."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_browser import NEEDS_BROWSER, every_look, nothing_keeps_anybody_out, opened
from web_server import client, command

import evoply as ep
from evoply import Run
from evoply.evolution import load_config
from evoply.files import write_atomically
from evoply.reports import tournament_html, write_report, write_tournament
from evoply.runs import advance

SMALL = ("population_size=8", "time_limit=none", "hall_of_fame.final_pairs=2", "machine.threads=1")
EVIL = "<html><title>evil</title><script>document.title = 'reached'</script></html>"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = tmp_path_factory.mktemp("runs")
    for name, generations in (("first", 3), ("second, longer", 5)):
        config = load_config("quick", (*SMALL, f"generations={generations}"))
        with Run.create(runs / name, config) as run:
            for _ in advance(run, threads=1):
                pass
            if name == "first":
                write_report(run)
    standings = ep.round_robin(["greedy", "random", "swh"], games=4, seed=1)
    (runs / "tables").mkdir()
    write_tournament(standings, runs / "tables" / "standings.html")
    (runs / "evil.html").write_text(EVIL)
    (runs / "note.html").write_text("no page of ours")
    (runs / "secret.txt").write_text("<title>secret</title>")
    (runs.parent / "outside.html").write_text("<title>outside</title>")
    (runs / "link.html").symlink_to(runs.parent / "outside.html")
    return runs


def test_pages_in_the_folder_are_listed_and_shown(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(folder))
    with client(folder) as api:
        found = {one["path"]: one["title"] for one in api.get("/api/reports").json()["reports"]}
        assert set(found) == {"first/report.html", "tables/standings.html", "evil.html"}
        assert found["tables/standings.html"] == "Round robin: Othello 8x8"
        page = api.get("/reports/tables/standings.html")
        assert "swh" in page.text
        assert all(one["state"] == "" for one in api.get("/api/reports").json()["reports"])
        policy = page.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "sandbox" in policy
        assert "script" not in policy
        assert page.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    ["note.html", "secret.txt", "link.html", "../outside.html", "..%2foutside.html", "tables",
     "first/run.db", "%00.html", "/etc/passwd", ".hidden.html", "a/b/c/d/e.html", "x" * 490],
)  # fmt: skip
def test_nothing_else_is_shown(path: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(folder))
    with client(folder) as api:
        answer = api.get(f"/reports/{path}")
        assert answer.status_code == 404
        assert "secret" not in answer.text
        assert "<title>" not in answer.text


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[str]:
    with command(folder) as (_, told):
        yield told["url"]


@NEEDS_BROWSER
@every_look
def test_two_runs_side_by_side(size: Any, scheme: str, browser: Any, served: str) -> None:
    looks = {"viewport": size, "color_scheme": scheme}
    with opened(browser, f"{served}#compare", ".both .chart", **looks) as page:
        names = page.locator(".both thead th").all_inner_texts()
        assert {"first", "second, longer"} < set(names)
        chart = page.locator(".both .chart").first
        assert chart.locator(".legend .group").all_inner_texts() == ["second, longer", "first"]
        # Each line of a run has dashes of its own, as in the other run; colours are the runs'.
        looks = [
            str(chart.locator(f"svg[role=img] > g:nth-last-child({place})").get_attribute("class"))
            for place in range(1, 1 + chart.locator(".legend li:not(.group)").count())
        ]
        assert len(looks) == len(set(looks)) == 8
        assert sorted(look.split()[0] for look in looks) == ["line-1"] * 4 + ["line-2"] * 4
        assert len({look.split()[1] for look in looks}) == 4
        page.locator(".both select").first.select_option("second, longer")
        page.wait_for_function("() => location.hash.startsWith('#compare=second%2C')")
        page.wait_for_selector(".both .chart")
        nothing_keeps_anybody_out(page, size["width"])
        with page.context.expect_page() as told:
            page.click("text=Round robin: Othello 8x8")
        standings = told.value
        standings.wait_for_selector("table")
        assert "swh" in standings.inner_text("body")


@NEEDS_BROWSER
def test_a_page_with_a_script_does_nothing(browser: Any, served: str) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{served}/reports/evil.html")
    assert page.title() == "evil"
    context.close()


@NEEDS_BROWSER
def test_a_page_that_is_written_anew_is_shown_anew(browser: Any, served: str, folder: Path) -> None:
    path = folder / "tables" / "live, it is.html"
    early = ep.round_robin(["greedy", "swh"], games=4, seed=1)
    write_atomically(path, tournament_html(early, state="Still on: 4 of 8 games", goes_on=True))
    with opened(browser, f"{served}#compare", "text=still going on: watch") as page:
        page.click("text=still going on: watch")
        page.wait_for_selector("text=Still on: 4 of 8 games")
        frame = page.frame_locator("iframe.page")
        assert "Still on: 4 of 8 games" in frame.locator("[role=status]").inner_text()
        nothing_keeps_anybody_out(page, page.viewport_size["width"])
        write_tournament(ep.round_robin(["greedy", "swh"], games=8, seed=1), path)
        page.wait_for_selector("text=It has ended.")
        frame.locator("dd", has_text="8").first.wait_for()
        frame.locator("[role=status]").wait_for(state="detached")
        page.click("text=All pages")
        page.wait_for_selector('tr:has-text("live, it is.html"):has-text("ended")')
        assert page.locator("text=still going on: watch").count() == 0
    path.unlink()
