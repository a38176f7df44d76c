"""The page of a run: what it holds, what it never does."""

import json
import math
import os
import re
import subprocess
import sys
from dataclasses import replace
from html import escape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from evoply import Run
from evoply.arena import match
from evoply.evolution import EvolutionConfig, evolve
from evoply.evolution.evolution_kind import evolution_plots, opponents_plot
from evoply.protocols import Column, Section, html_of
from evoply.protocols import Page as ShownPage
from evoply.reports import (
    Chart,
    Series,
    interval_chart,
    line_chart,
    result_html,
    run_page,
    write_report,
)
from evoply.reports.charts import plot_charts, sampled, scatter_chart
from evoply.reports.explanation import explain_champion, kept_games
from evoply.runs import RunError, advance

EVIL = "<script>alert(1)</script>"
CHARTS = [
    "Fitness",
    "The best against each opponent",
    "Tree sizes",
    "Tree depths",
    "Diversity",
    "Operators",
    "Time",
]


def config(**changes: object) -> EvolutionConfig:
    settings: dict[str, object] = {
        "game": "othello-4",
        "population_size": 8,
        "generations": 3,
        "seed": 3,
    }
    return EvolutionConfig.model_validate(settings | changes)


class Page(HTMLParser):
    """Gathers the text, the elements and everything that would be loaded."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.text: list[str] = []
        self.elements: list[str] = []
        self.loaded: list[str] = []
        self.charts: list[str] = []
        self.tips: list[str] = []
        self.inside: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        if tag not in ("meta", "br"):
            self.inside.append(tag)
        if tag == "svg" and "aria-label" in dict(attributes):
            self.charts.append(dict(attributes)["aria-label"] or "")
        for name, value in attributes:
            if name in ("src", "href", "srcset", "data", "action", "poster", "xlink:href"):
                self.loaded.append(value or "")
            if name == "style":
                assert "url(" not in (value or "")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attributes)
        if tag not in ("meta", "br"):
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.inside.pop() == tag

    def handle_data(self, data: str) -> None:
        where = self.inside[-1] if self.inside else ""
        if where == "style":
            assert "url(" not in data
            assert "@import" not in data
        elif where == "title" and "svg" in self.inside:
            self.tips.append(data)
        else:
            self.text.append(data)

    @property
    def words(self) -> str:
        return " ".join("".join(self.text).split())


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "first"
    with Run.create(path, config(), command="evoply evolve mine.toml --seed 3") as run:
        for _ in advance(run):
            pass
        result = match("greedy", "random", game="othello-4", games=40, seed=77)
        run.save_match(result.to_dict())
        write_report(run)
    return path / "report.html"


@pytest.fixture(scope="module")
def page(finished: Path) -> Page:
    return Page(finished.read_text(encoding="utf-8"))


def test_the_games_of_a_champion_are_kept_with_its_run(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    with Run.create(path, config(), command="") as run:
        for _ in advance(run):
            pass
        explained = explain_champion(run)
        assert kept_games(run) == {}
        assert explain_champion(run, keep=True) == explained
    with Run.open(path) as run:
        kept = kept_games(run)
        assert explained.games > 0
        assert len(kept) >= len({part.played for part in explained.parts})
        assert explain_champion(run) == explained


def test_the_page_holds_what_it_must(page: Page, finished: Path) -> None:
    with Run.open(finished.parent) as run:
        digests = run.digests()
        champion = str(run.champion.tree)
    expected = (
        "first: Othello 4x4",
        "evoply evolve mine.toml --seed 3",
        "evoply play --against champion@first",
        "population_size = 8",
        champion,
        "Simplified",
        "Influence of each feature",
        "Matches",
        "40 (",
        "77",
        "Hall of fame",
        "generation 0",
        *digests,
    )
    for text in expected:
        assert text in page.words, text


def test_the_page_begins_with_the_player(page: Page) -> None:
    """Formula, picture and strength stand before how the player was found."""
    words = page.words
    places = [words.index(text) for text in ("The tree", "Matches", "How it was found", "Fitness")]
    assert places == sorted(places)


def test_fresh_games_are_smoothed_with_an_interval() -> None:
    rows = [
        {
            "number": number, "median_fresh": 0.5,
            "fresh": json.dumps([{"opponent": "greedy", "games": 20, "best": best}]),
        }
        for number, best in enumerate((0.2, 0.8, 0.5))
    ]  # fmt: skip
    fitness = evolution_plots(EvolutionConfig(generations=3), rows)[0]
    best, median = fitness.lines[:2]
    assert [best.value(row) for row in rows] == pytest.approx([0.2, 0.5, 0.5])
    assert best.interval is not None
    widths = []
    for row in rows:
        low, high = best.interval(row) or (0.0, 0.0)
        assert low < (best.value(row) or 0.0) < high
        widths.append(high - low)
    assert widths[2] < widths[1]  # more games say more
    assert median.value(rows[2]) == 0.5
    nothing = [{"number": 0, "fresh": "[]"}]
    assert (
        evolution_plots(EvolutionConfig(generations=3), nothing)[0].lines[0].value(nothing[0])
        is None
    )


def test_the_page_loads_nothing_and_runs_nothing(page: Page, finished: Path) -> None:
    assert page.loaded == []
    forbidden = {"link", "img", "iframe", "object", "embed", "base", "script"}
    assert not forbidden & set(page.elements)
    text = finished.read_text(encoding="utf-8")
    assert "default-src 'none'" in text
    assert "script-src" not in text


def test_charts_are_pictures_with_values_to_read(page: Page) -> None:
    assert page.charts == CHARTS
    assert any(tip.startswith("generation 2, best, fresh games: ") for tip in page.tips)
    assert {"random", "greedy"} <= set(page.text)
    assert page.words.count("Values") == len(CHARTS)


def test_a_page_of_a_long_run_stays_small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    generations = 1200
    if "EVOPLY_LONG" not in os.environ:
        generations = 60
        monkeypatch.setattr(run_page, "_MOST_ROWS", 50)
    settings = config(population_size=2, generations=generations, game="othello-4")
    with Run.create(tmp_path / "long", settings) as run:
        for _ in advance(run):
            pass
        html = write_report(run).read_text(encoding="utf-8")
    assert len(html) < 1_000_000
    assert "Evenly spaced generations; <code>evoply runs long --csv FOLDER</code>" in html


def test_a_report_is_the_same_again_and_replaces_the_old_one(finished: Path) -> None:
    before = finished.read_bytes()
    with Run.open(finished.parent) as run:
        assert write_report(run) == finished
    assert finished.read_bytes() == before
    assert [path.name for path in finished.parent.glob("*.tmp")] == []


def test_a_run_without_generations(tmp_path: Path) -> None:
    with Run.create(tmp_path / "new", config()) as run:
        page = Page(write_report(run).read_text(encoding="utf-8"))
    assert "No generation is finished yet." in page.words
    assert "not started" in page.words
    assert page.charts == []


def test_an_unfinished_run_of_one_generation(tmp_path: Path) -> None:
    with Run.create(tmp_path / "one", config()) as run:
        run.save(next(iter(evolve(config()))))
        page = Page(write_report(run, tmp_path / "other.html").read_text(encoding="utf-8"))
    assert "not yet" in page.words
    assert "No test matches were played yet: evoply resume one plays them" in page.words
    assert page.charts == CHARTS
    assert (tmp_path / "other.html").is_file()


def test_discs_have_a_chart_of_their_own_and_pareto_runs_a_front(tmp_path: Path) -> None:
    settings = config(fitness={"measure": {"kind": "opponent_discs"}}, selection={"kind": "pareto"})
    with Run.create(tmp_path / "discs", settings) as run:
        for generation in advance(run):
            last = generation
        page = Page(write_report(run).read_text(encoding="utf-8"))
    assert {"Training fitness", "Front"} <= set(page.charts)
    assert last.statistics.best < 0
    assert f"generation 2, best, training: {last.statistics.best:.4g}" in page.tips
    fresh = [tip for tip in page.tips if "best, fresh games" in tip]
    assert len(fresh) == 3
    assert all(re.search(r" %, 95 % interval: .* %$| % \(.* %\)$", tip) for tip in fresh), fresh
    assert "Strength against size" in page.words


def test_a_front_that_nobody_asked_for_is_not_looked_for(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evoply.evolution.evolution_kind.front_of", lambda _: pytest.fail("why?"))
    with Run.open(finished.parent) as run:
        write_report(run, tmp_path / "page.html")


def test_what_a_user_wrote_is_escaped(tmp_path: Path) -> None:
    with Run.create(tmp_path / EVIL.replace("/", ""), config(), command=EVIL) as run:
        for _ in advance(run):
            pass
        result = match("greedy", "random", game="othello-4", games=2).to_dict()
        run.save_match(result | {"first": EVIL, "second": f'"{EVIL}' * 9})
        html = write_report(run, tmp_path / "page.html").read_text(encoding="utf-8")
    page = Page(html)
    assert "<script>alert" not in html
    assert EVIL in page.words
    assert "none: too few distinct games" in page.words


def test_a_folder_that_cannot_be_written_is_a_clear_error(finished: Path) -> None:
    with Run.open(finished.parent) as run, pytest.raises(RunError, match="cannot be written"):
        write_report(run, finished.parent / "missing" / "report.html")


def test_names_of_opponents_are_no_markup_in_charts() -> None:
    fresh = [
        {"opponent": "<b>x</b>", "best": 0.5, "mean": 0.25, "games": 4},
        {"opponent": "champion of generation 1", "best": 1.0, "mean": 0.5, "games": 1},
        {"opponent": "champion of generation 2", "best": 0.0, "mean": 0.5, "games": 3},
    ]
    rows = [{"number": 4, "fresh": json.dumps(fresh)}]
    (chart,) = plot_charts([opponents_plot(rows)], rows)
    assert chart.head == ("generation", "<b>x</b>", "earlier champions")
    assert chart.rows == (("4", "50.0 %", "25.0 %"),)
    assert "<b>" not in chart.svg()
    assert "generation 4, &lt;b&gt;x&lt;/b&gt;: 50.0 %" in chart.svg()


def test_a_line_at_zero_is_no_part_of_the_axis() -> None:
    """Introns that are never computed lay at 0 %, on the axis, where nobody saw them."""
    census = {"fresh": "[]", "dead_introns": 0.0, "live_introns": 0.1}
    rows = [{"number": number, **census} for number in (0, 1)]
    (plot,) = (one for one in evolution_plots(config(), rows) if one.title == "Introns")
    (chart,) = plot_charts([plot], rows)
    assert [row[1:] for row in chart.rows] == [("0.0 %", "10.0 %")] * 2
    assert chart.specification["layer"][0]["encoding"]["y"]["scale"]["domain"][0] < 0


def test_charts_draw_gaps_intervals_and_one_point() -> None:
    """Every chart is SVG that reads as XML, and says each value that it has."""
    values = [0.1, None, float("inf"), 0.4]
    spans = [(0.0, 0.2), None, None, (0.3, 0.5)]
    chart = line_chart("x", range(4), [Series("a", values, spans)], "points", is_share=True)
    assert tips(chart) == [
        "generation 0, a: 10.0 % (0.0 % to 20.0 %)",
        "generation 3, a: 40.0 % (30.0 % to 50.0 %)",
    ]
    names = [f"{'long ' * 9}end", f"{'long ' * 9}end", "c"]
    chart = interval_chart("x", names, [Series("a", values[:3], spans[:3])], "points", reference=0)
    assert tips(chart) == ["long long lo...g long long end, a: 0.1 (0 to 0.2)"]
    assert "end (2)" in chart.svg()
    assert tips(line_chart("x", [7], [Series("a", [3.0])], "y")) == ["generation 7, a: 3"]
    assert tips(line_chart("x", [], [Series("a", [])], "y")) == []


def test_no_text_of_a_chart_is_markup() -> None:
    text = "<b>x</b>"
    series = [Series(text, [0.1, 0.4], [(0.0, 0.2), None])]
    line = line_chart(text, range(2), series, text, x_title=text, note=text)
    row = interval_chart(text, [text, "y"], series, text, note=text)
    points = scatter_chart(text, {text: [(1, 2)], "y": [(2, 3)]}, text, text)
    for chart in (line, row, points):
        html = chart._repr_html_()
        assert text not in html
        assert html.count(escape(text)) >= 4 + bool(chart.note)  # title, its label, two axes


def test_equal_charts_are_equal_bytes() -> None:
    def chart() -> Chart:
        return line_chart("x", range(50), [Series("a", [i % 7 for i in range(50)])], "y")

    first = chart().svg()
    line_chart("other", [1, 2], [Series("b", [3, 4])], "y").svg()
    assert chart().svg() == first
    assert sum("generation" in tip for tip in tips(chart())) == 32


def test_a_sample_has_both_ends() -> None:
    for count in (1, 31, 32, 33, 1000):
        sample = sampled(range(count), 32)
        assert len(sample) == min(count, 32)
        assert len(set(sample)) == len(sample)
        assert sample[0] == 0
        assert sample[-1] == count - 1


def test_templates_escape() -> None:
    columns = [
        Column("", EVIL, str, read=lambda row: row, look=look)
        for look in ("", "code", "strong", "whole", "faint", "verdict")
    ]
    section = Section(
        EVIL, columns, [EVIL * 9], f"`{EVIL * 9}`", sentences=[EVIL], points=[EVIL], text=EVIL
    )
    parts = [replace(section, look="numbers", folded=EVIL), Section("", note=EVIL)]
    html = result_html(ShownPage(EVIL, [replace(section, parts=parts)], {EVIL: EVIL}, EVIL))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") > 20
    notebook = html_of(section)
    assert "<script" not in notebook
    assert notebook.count("&lt;script&gt;") > 10


def test_nothing_that_draws_is_imported_before_a_page() -> None:
    code = "import sys, evoply.reports; sys.exit(bool({'jinja2', 'vl_convert'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def tips(chart: Chart) -> list[str]:
    root = ElementTree.fromstring(chart.svg())
    return [one.text or "" for one in root.iter("{http://www.w3.org/2000/svg}title")]


def test_an_open_end_is_drawn_to_the_rim_with_an_arrow() -> None:
    """A rating of a player that won everything has no upper end; its bar was left out."""
    ratings = Series("rating", [300.0, -100.0, -200.0], [(80.0, math.inf), (-150.0, -50.0), None])
    chart = interval_chart("Ratings", ["a", "b", "c"], [ratings], "rating")
    first, second, third = chart.specification["data"]["values"]
    assert first["high"] == first["open_high"] > 300
    assert "300 (80 or more)" in first["label"]
    assert (second["high"], "open_high" in second, "high" in third) == (-50, False, False)
    shapes = [layer["mark"].get("shape") for layer in chart.specification["layer"]]
    assert shapes.count("triangle-right") == 1
    assert "triangle-left" not in shapes
    assert "NaN" not in chart.svg()
