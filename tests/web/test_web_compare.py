"""Comparing in the browser: pages in the folder of runs, and two runs side by side."""

import os
import re
from pathlib import Path
from typing import Any

import pytest
from web_server import client

import evoply as ep
from evoply import Run
from evoply.environment import write_atomically
from evoply.evolution import load_config
from evoply.learning import load_learning_config
from evoply.reports import result_html, write_report, write_result
from evoply.runs import advance, match_of
from web_browser import NEEDS_BROWSER, every_look_in_long_runs, nothing_keeps_anybody_out, opened

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
            played = ep.match(run.champion_player, "greedy", game="othello-6", games=40, seed=1)
            known = {"generation": generations - 1}
            run.save_match(match_of(run.champion_player, played.to_dict(), known))
            if name == "first":
                write_report(run)
    standings = ep.round_robin(["greedy", "random", "swh"], games=4, seed=1)
    (runs / "tables").mkdir()
    write_result(standings, runs / "tables" / "standings.html")
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


def test_scores_are_compared_with_an_interval(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(folder))
    with client(folder) as api:
        asked = {"first": "first", "second": "second, longer"}
        both = api.get("/api/comparison", params=asked).json()
    first, second = (side["matches"][0] for side in both["sides"])
    (found,) = both["scores"]
    assert found["opponent"] == "greedy"
    assert found["difference"] == pytest.approx(second["score"] - first["score"])
    low, high = found["interval"]
    assert low < found["difference"] < high
    widths = [match["interval"][1] - match["interval"][0] for match in (first, second)]
    assert max(widths) < high - low < sum(widths)
    assert both["note"].startswith("One seed each proves nothing")
    facts = dict(both["sides"][1]["facts"])
    assert facts["length"] == "5 generations"
    assert facts["champion"].endswith(" nodes")


@NEEDS_BROWSER
@every_look_in_long_runs
def test_two_runs_side_by_side(size: Any, scheme: str, browser: Any, address: str) -> None:
    looks = {"viewport": size, "color_scheme": scheme}
    with opened(browser, f"{address}#compare", ".both .one-chart", **looks) as page:
        # First the keys that differ, then one chart.
        assert page.locator(".both h3").first.inner_text() == "What differs"
        differ = page.locator(".both table.differ")
        assert {"first", "second, longer"} < set(differ.locator("thead th").all_inner_texts())
        rows = [row.locator("td").all_inner_texts() for row in differ.locator("tbody tr").all()]
        assert rows == [["generations", "5", "3"]]
        scores = page.locator(".both table", has_text="second more by")
        assert re.search(r"[+\u2212][0-9.]+ \([+\u2212]", scores.inner_text())
        assert "One seed each proves nothing" in page.locator(".both .note").first.inner_text()
        same = page.locator(".both summary", has_text="The same in both")
        assert not page.locator("text=population_size").is_visible()
        same.click()
        assert page.locator("tr", has_text="population_size").inner_text().split()[-1] == "8"
        one = page.locator(".one-chart .chart")
        assert one.locator(".legend .group").all_inner_texts() == ["second, longer", "first"]
        assert "Best on fresh games" in one.locator("figcaption").inner_text()
        assert one.locator(".band").count() == 0  # neither is a group
        marks = {
            str(line.get_attribute("class"))
            for line in one.locator("svg[role=img] > [class^=line-]").all()
        }
        assert marks == {"line-2 dashes-0", "line-1 dashes-1"}
        page.click("text=The other charts")
        chart = page.locator(".both .charts .chart").first
        # Each line of a run has dashes of its own, as in the other run; colours are the runs'.
        looks = [
            str(chart.locator(f"svg[role=img] > g:nth-last-child({place})").get_attribute("class"))
            for place in range(1, 1 + chart.locator(".legend li:not(.group)").count())
        ]
        assert len(looks) == len(set(looks)) == 8
        assert sorted(look.split()[0] for look in looks) == ["line-1"] * 4 + ["line-2"] * 4
        assert len({look.split()[1] for look in looks}) == 4
        page.locator(".both select").last.select_option("second, longer")
        page.wait_for_function("() => location.hash.startsWith('#compare=second%2C')")
        page.wait_for_selector("text=No key of their configs differs")
        nothing_keeps_anybody_out(page, size["width"])
        with page.context.expect_page() as told:
            page.click("text=Round robin: Othello 8x8")
        standings = told.value
        standings.wait_for_selector("table")
        assert "swh" in standings.inner_text("body")
        # A page with a script does nothing.
        standings.goto(f"{address}/reports/evil.html")
        assert standings.title() == "evil"


@NEEDS_BROWSER
def test_a_page_that_is_written_anew_is_shown_anew(
    browser: Any, address: str, folder: Path
) -> None:
    path = folder / "tables" / "live, it is.html"
    early = ep.round_robin(["greedy", "swh"], games=4, seed=1)
    write_atomically(path, result_html(early, state="Still on: 4 of 8 games", goes_on=True))
    with opened(browser, f"{address}#compare", "text=still going on: watch") as page:
        page.click("text=still going on: watch")
        page.wait_for_selector("text=Still on: 4 of 8 games")
        frame = page.frame_locator("iframe.page")
        assert "Still on: 4 of 8 games" in frame.locator("[role=status]").inner_text()
        nothing_keeps_anybody_out(page, page.viewport_size["width"])
        write_result(ep.round_robin(["greedy", "swh"], games=8, seed=1), path)
        page.wait_for_selector("text=It has ended.")
        frame.locator("dd", has_text="8").first.wait_for()
        frame.locator("[role=status]").wait_for(state="detached")
        page.click("text=All pages")
        page.wait_for_selector('tr:has-text("live, it is.html"):has-text("ended")')
        assert page.locator("text=still going on: watch").count() == 0
    path.unlink()


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two configs of three seeds each, one of them in an experiment, and others."""
    runs = tmp_path_factory.mktemp("seeds")
    (runs / "exp" / "runs").mkdir(parents=True)
    (runs / "exp" / "experiment.toml").touch()
    for name, generations, options in (
        ("few", 3, ()),
        ("exp/runs/many", 4, ("primitives=squares",)),
    ):
        for seed in (1, 2, 3):
            config = load_config(
                "quick", (*SMALL, *options, f"generations={generations}", f"seed={seed}")
            )
            with Run.create(runs / f"{name}-{seed}", config) as run:
                going = advance(run, threads=1)
                for _ in range(2 if seed == 3 else 9):  # one of each was stopped
                    if next(going, None) is None:
                        break
                going.close()
    learning = ["games=20", "games_per_step=5", "machine.threads=1"]
    with Run.create(runs / "learned", load_learning_config("firebrand-8", learning)) as run:
        for _ in advance(run, threads=1):
            pass
    # The first run once more, and shorter; and one that has not begun.
    config = load_config("quick", (*SMALL, "generations=3", "seed=1"))
    with Run.create(runs / "again", config) as run:
        going = advance(run, threads=1)
        next(going)
        going.close()
    Run.create(runs / "new", load_config("quick", (*SMALL, "generations=3", "seed=4"))).close()
    return runs


def test_runs_that_differ_in_their_seeds_are_a_group(
    seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(seeds))
    with client(seeds) as api:
        found = api.get("/api/sides").json()
        groups = {one["name"]: (one["title"], one["runs"]) for one in found["groups"]}
        assert groups == {
            "seeds:few-1": ("3 seeds of few-1", 3),
            "seeds:exp/many-1": ("3 seeds of exp/many-1", 3),
        }
        assert {one["name"] for one in found["runs"]} == {
            *(f"few-{seed}" for seed in (1, 2, 3)), *(f"exp/many-{seed}" for seed in (1, 2, 3)),
            "learned", "again", "new",
        }  # fmt: skip
        asked = {"first": "seeds:few-2", "second": "seeds:exp/many-1"}
        both = api.get("/api/comparison", params=asked).json()
        assert [one["runs"] for one in both["sides"]] == [
            ["few-1", "few-2", "few-3"], ["exp/many-1", "exp/many-2", "exp/many-3"],
        ]  # fmt: skip
        assert [tuple(one.values()) for one in both["differ"]] == [
            ("generations", "3", "4"), ("primitives", "liao+mobility", "squares"),
        ]  # fmt: skip
        same = {one["path"]: one["value"] for one in both["same"]}
        assert same["seed"] == "1, 2, 3"
        assert same["fitness.opponents.1.player"] == "greedy"
        assert both["note"] == ""
        empty = api.get("/api/comparison?first=new&second=few-1").json()
        assert empty["sides"][0]["fresh"] is None
        for path in ("/api/comparison?first=seeds:learned&second=few-1",
                     "/api/comparison?first=few-1&second=nothing",
                     "/api/comparison?first=..&second=few-1"):  # fmt: skip
            assert api.get(path).status_code == 404


def test_the_mean_and_the_band_are_those_of_the_runs(
    seeds: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(seeds))
    curves = []
    for seed in (1, 2, 3):
        with Run.open(seeds / f"few-{seed}") as run:
            curves.append({row["number"]: row["best_fresh"] for row in run.rows()})
    assert [len(curve) for curve in curves] == [3, 3, 2]
    with client(seeds) as api:
        asked = {"first": "seeds:few-1", "second": "few-2"}
        group, single = api.get("/api/comparison", params=asked).json()["sides"]
    fresh = group["fresh"]
    assert fresh["x"] == [0, 1]  # the steps that all have
    (line,) = fresh["lines"]
    for place, number in enumerate(fresh["x"]):
        values = [curve[number] for curve in curves]
        assert line["values"][place] == pytest.approx(sum(values) / 3, abs=1e-5)
        assert line["low"][place] == pytest.approx(min(values), abs=1e-5)
        assert line["high"][place] == pytest.approx(max(values), abs=1e-5)
    assert "mean of 3 runs" in fresh["note"]
    assert "lowest to the highest" in fresh["note"]
    (alone,) = single["fresh"]["lines"]
    assert alone["low"] is None
    assert alone["values"] == pytest.approx([*curves[1].values()], abs=1e-5)
    sizes = next(chart for chart in group["charts"] if chart["title"] == "Tree sizes")
    means = []
    for seed in (1, 2, 3):
        with Run.open(seeds / f"few-{seed}") as run:
            means.append(run.rows()[1]["mean_size"])
    mean = next(one for one in sizes["lines"] if one["name"] == "mean")
    assert mean["values"][1] == pytest.approx(sum(means) / 3, abs=1e-4)
    assert (mean["low"][1], mean["high"][1]) == (
        pytest.approx(min(means), abs=1e-4), pytest.approx(max(means), abs=1e-4),
    )  # fmt: skip


@NEEDS_BROWSER
@every_look_in_long_runs
def test_groups_are_compared_with_bands(
    size: Any,
    scheme: str,
    browser: Any,
    address: str,
    seeds: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(seeds))
    looks = {"viewport": size, "color_scheme": scheme}
    with opened(browser, f"{address}#compare", ".one-chart .band", **looks) as page:
        chosen = page.eval_on_selector_all(".both select", "all => all.map((one) => one.value)")
        assert set(chosen) == {"seeds:few-1", "seeds:exp/many-1"}  # two groups are there: these
        assert page.locator(".one-chart .band").count() == 2
        assert "lowest to the highest" in page.inner_text(".one-chart figcaption")
        assert " to " in page.locator(".one-chart .legend b").first.inner_text()
        page.evaluate("document.querySelectorAll('.both details').forEach(one => one.open = true)")
        assert page.locator(".both .charts .band").count() > 4
        nothing_keeps_anybody_out(page, size["width"])
        page.locator(".both select").last.select_option("learned")
        page.wait_for_selector("text=Only evolution plays such games")
        assert page.evaluate("location.hash").endswith(",learned")
        assert page.locator("table.differ tr", has_text="learner").count() == 1
        nothing_keeps_anybody_out(page, size["width"])


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_no_config_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    (tmp_path / "piped").mkdir()
    os.mkfifo(tmp_path / "piped" / "config.toml")
    with client(tmp_path) as api:
        answer = api.get("/api/comparison?first=piped&second=piped")
    assert answer.status_code == 409
    assert "config.toml cannot be read" in answer.text
