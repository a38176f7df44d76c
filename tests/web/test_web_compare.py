"""Comparing in the browser: pages in the folder of runs, and two runs side by side."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web_browser import DESKTOP, NEEDS_BROWSER, PHONE, nothing_keeps_anybody_out, opened
from web_server import client, command

import evoply as ep
from evoply.evolution import load_config
from evoply.reports import write_report, write_tournament
from evoply.runs import Run, advance

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
        assert "outside" not in answer.text


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[str]:
    with command(folder) as (_, told):
        yield told["url"]


@NEEDS_BROWSER
@pytest.mark.parametrize(("size", "scheme"), [(PHONE, "dark"), (DESKTOP, "light")])
def test_two_runs_side_by_side(size: Any, scheme: str, browser: Any, served: str) -> None:
    looks = {"viewport": size, "color_scheme": scheme}
    with opened(browser, f"{served}#compare", ".both .chart", **looks) as page:
        names = page.locator(".both thead th").all_inner_texts()
        assert {"first", "second, longer"} < set(names)
        chart = page.locator(".both .chart").first
        assert "first: " in chart.inner_text()
        assert "second, longer: " in chart.inner_text()
        assert chart.locator("g.dashed").count() > 0
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
