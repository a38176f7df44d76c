"""The page of a run: what it holds, what it never does."""

import json
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import plotly.graph_objects
import pytest

from evoply.arena import match
from evoply.evolution import EvolutionConfig, evolve
from evoply.reports import charts, write_report
from evoply.reports.html import chart, element, shortened, table
from evoply.runs import Run, RunError, advance

EVIL = "<script>alert(1)</script>"


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
        self.figures: list[dict[str, Any]] = []
        self.inside: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.inside.append("json" if ("type", "application/json") in attributes else tag)
        for name, value in attributes:
            if name in ("src", "href", "srcset", "data", "action", "poster", "xlink:href"):
                self.loaded.append(value or "")
            if name == "style":
                assert "url(" not in (value or "")

    def handle_endtag(self, tag: str) -> None:
        self.inside.pop()
        while self.inside and self.inside[-1] in ("meta", "br", "rect", "path"):
            self.inside.pop()

    def handle_data(self, data: str) -> None:
        where = self.inside[-1] if self.inside else ""
        if where == "json":
            self.figures.append(json.loads(data))
        elif where == "style":
            assert "url(" not in data
            assert "@import" not in data
        elif where != "script":
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


def test_the_page_loads_nothing(page: Page, finished: Path) -> None:
    assert page.loaded == []
    assert not {"link", "img", "iframe", "object", "embed", "base"} & set(page.elements)
    assert "default-src 'none'" in finished.read_text(encoding="utf-8")


def test_plotly_is_in_the_page_once(finished: Path) -> None:
    assert finished.read_text(encoding="utf-8").count("plotly.js v") == 1


def test_every_chart_is_a_figure_of_plotly(page: Page) -> None:
    assert len(page.figures) == 7
    for figure in page.figures:
        plotly.graph_objects.Figure(figure)
    names = [line["name"] for line in page.figures[1]["data"]]
    assert {"random", "greedy"} <= set(names)


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
    assert page.figures == []


def test_an_unfinished_run_of_one_generation(tmp_path: Path) -> None:
    with Run.create(tmp_path / "one", config()) as run:
        run.save(next(iter(evolve(config()))))
        page = Page(write_report(run, tmp_path / "other.html").read_text(encoding="utf-8"))
    assert "not yet" in page.words
    assert "No test matches were played yet: evoply resume one plays them" in page.words
    assert len(page.figures) == 7
    assert (tmp_path / "other.html").is_file()


def test_discs_have_a_chart_of_their_own_and_pareto_runs_a_front(tmp_path: Path) -> None:
    settings = config(fitness={"measure": {"kind": "opponent_discs"}}, selection={"kind": "pareto"})
    with Run.create(tmp_path / "discs", settings) as run:
        for generation in advance(run):
            last = generation
        page = Page(write_report(run).read_text(encoding="utf-8"))
    for figure in page.figures:
        plotly.graph_objects.Figure(figure)
    by_names = {tuple(line["name"] for line in one["data"]): one for one in page.figures}
    assert ("best, fresh games", "mean, fresh games") in by_names
    training = by_names["best, training", "mean, training"]["data"][0]
    assert training["y"][-1] == last.statistics.best < 0
    marks = by_names["population", "front"]["data"]
    assert sum(len(mark["x"]) for mark in marks) == len(last.individuals)
    assert "Strength against size" in page.words


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
    figure = charts.opponents_figure([{"number": 4, "fresh": json.dumps(fresh)}])
    assert [line["name"] for line in figure["data"]] == [
        "&lt;b&gt;x&lt;/b&gt;",
        "earlier champions",
    ]
    assert [line["y"] for line in figure["data"]] == [[0.5], [0.25]]


def test_a_line_at_zero_is_no_part_of_the_axis() -> None:
    """Introns that are never computed lay at 0 %, on the axis, where nobody saw them."""
    figure = charts.introns_figure(
        [{"number": 0}, {"number": 1}], [{"dead_introns": 0.0, "live_introns": 0.1}] * 2
    )
    assert figure["data"][0]["y"] == [0.0, 0.0]
    assert figure["layout"]["yaxis"]["range"][0] < 0


def test_html_pieces_escape() -> None:
    assert element("p", "<&>", title='"') == '<p title="&quot;">&lt;&amp;&gt;</p>'
    assert "<b>" not in table(("<b>",), [("<b>",)])
    assert "</script><b>" not in chart("x", {"data": [{"name": "</script><b>"}], "layout": {}})
    assert "&lt;" in shortened("<" * 100)


def test_plotly_is_only_imported_for_a_page() -> None:
    code = "import sys, evoply.reports; sys.exit('plotly' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
