"""`ep.compare` and what it gives: names, going on, tables, the page."""

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply.experiments import (
    Comparison,
    Experiment,
    ExperimentFolder,
    UnitResult,
    compared,
    comparison_of,
    spread_of,
)
from evoply.experiments.units import Point
from evoply.protocols import ConfigError, RunError
from evoply.reports import result_html

SMALL: dict[str, Any] = {"seeds": 2, "games": 20, "points": 2, "measure": "score:greedy"}
pytestmark = pytest.mark.usefixtures("units_here")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    return tmp_path


def learning(*features: str, games: int = 100) -> ep.LearningConfig:
    return ep.LearningConfig(game="othello-4", features=features, games=games)


@pytest.fixture
def configs() -> dict[str, Any]:
    evolved = ep.EvolutionConfig(
        game="othello-4",
        population_size=8,
        generations=2,
        fitness={"opponents": [{"player": "random", "pairs": 1}]},
    )
    return {"learned": learning("corners", "mobility"), "evolved": evolved}


def test_configs_in_memory_are_compared_by_their_names(home: Path, configs: dict[str, Any]) -> None:
    result = ep.compare(configs, **SMALL)
    assert result.name == "compare-learned-against-evolved"
    assert result.setups == ("learned", "evolved")
    assert result.runs == 4
    again = ep.compare(configs, **SMALL)
    assert again.digest == result.digest
    more = ep.compare(configs, **SMALL | {"seeds": 3})
    assert more.runs == 6
    assert [one.digest for one in more.results[:4]] == [one.digest for one in result.results]
    assert ep.load_comparison(result.name).digest == more.digest
    assert ep.load_comparison(result.path).digest == more.digest
    # The folder alone has all that is needed to make it again.
    elsewhere = ep.compare_experiment(result.path, name="again", seeds=2)
    assert elsewhere.digest == result.digest
    assert elsewhere.path == home / "runs" / "again"
    gone_on = ep.compare_experiment(result.path / "experiment.toml")
    assert (gone_on.path, gone_on.digest) == (result.path, more.digest)


def test_its_numbers_come_as_tables_and_files(home: Path, configs: dict[str, Any]) -> None:
    result = ep.compare(configs, name="x", **SMALL)
    assert [row["value"] for row in result.rows()] == [one.value for one in result.results]
    frame = result.to_dataframe("curves")
    columns = ["setup", "seed", "step", "games", "work", "seconds", "value", "score:greedy"]
    assert list(frame.columns) == columns
    # One opponent: its score is the value.
    assert frame["score:greedy"].to_list() == frame["value"].to_list()
    assert len(frame) == sum(len(one.curve) for one in result.results)
    (pair,) = result.rows("pairs")
    (one,) = result.differences
    assert (pair["low"], pair["high"]) == (None, None)  # too few seeds
    assert one.to_dict() == {key: pair.get(key) for key in one.to_dict()}
    with pytest.raises(ValueError, match="'runs' is not a table of a comparison: it has values"):
        result.rows("runs")  # type: ignore[arg-type]
    folder = result.save_csv(home / "numbers")
    with open(folder / "values.csv", encoding="utf-8") as file:
        assert [float(row["value"]) for row in csv.DictReader(file)] == [
            row["value"] for row in result.rows()
        ]
    page = result.save_html("page.html").read_text(encoding="utf-8")
    assert page == result_html(result)
    assert f"evoply experiment {result.path} --name again" in page
    assert "features" in page  # the configs, whole
    html = result._repr_html_()
    assert html.count("<table") == html.count("<svg") == 1
    assert result.verdict in html


def test_what_is_wrong_is_said(home: Path, configs: dict[str, Any]) -> None:
    for wrong, message in (
        ({"configs": ["quick"]}, "configs: give two or more"),
        ({"configs": "quick"}, "configs: give two or more"),
        ({"configs": {"a": 3, "b": learning("corners")}}, "a: configs: 3 is not a config"),
        ({"configs": ["nothing", learning("corners")]}, "nothing: nothing: cannot be read"),
        ({"seeds": 0}, "seeds: must be"),
        ({"budget": {"games": 5, "work": 7}}, "budget: give one of"),
        ({"budget": {"turns": 5}}, r"budget.turns: unknown key"),
        ({"measure": "swh"}, "measure: 'swh' - write score"),
        ({"looks": [10, 10]}, "looks: must grow from each to the next"),
        ({"same_within": 0.0}, "same_within: must be"),
    ):
        with pytest.raises(ConfigError, match=message):
            ep.compare(**{"configs": configs, **SMALL, **wrong})
    assert not (home / "runs").exists()
    with pytest.raises(RunError, match="no experiment is called 'x'"):
        ep.load_comparison("x")
    ep.compare(configs, name="x", **SMALL)
    with pytest.raises(RunError, match="holds another experiment"):
        ep.compare(configs, name="x", **SMALL | {"games": 40})


def planted(home: Path, setups: int, seeds: int = 10) -> Comparison:
    """Return a comparison of so many setups with values that were never played."""
    first = [{"player": "random", "pairs": 4}, {"player": "greedy", "pairs": 4}]
    (home / "a.toml").write_text('game = "othello-6"\ngenerations = 2\n')
    vary: dict[str, list[Any]] = {
        "primitives": ["liao", "liao+mobility"],
        "fitness.opponents": [first, first[:1]],
        "selection.size": [*range(2, 2 + setups // 4)],
    }
    folder = ExperimentFolder.create(
        home / "planted", Experiment(base="a.toml", vary=vary, measure="score:mobility")
    )
    draws = np.random.default_rng(1)
    results = [
        UnitResult(one.name, seed, "0" * 64, tuple(Point(k, k, k, k, float(v)) for k, v in curve))
        for one in folder.setups
        for seed in range(1, seeds + 1)
        for curve in [list(enumerate(draws.uniform(size=9)))]
    ]
    values = {
        one.name: [result.value for result in results if result.setup == one.name]
        for one in folder.setups
    }
    return replace(
        comparison_of(folder),
        results=tuple(results),
        spreads={name: spread_of(found) for name, found in values.items()},
        differences=tuple(compared(values)),
    )


def test_the_page_of_many_setups_stays_readable(home: Path) -> None:
    """Long values go by numbers, charts by values alone; all pairs are there, few in the open."""
    comparison = planted(home, 20)
    assert comparison.setups[0] == "primitives=liao opponents=#1 size=2"
    assert len(set(comparison.setups)) == 20
    page = result_html(comparison)
    cards, *folded = page.split("All 190 pairs")
    assert cards.count('data-label="first"') == 20
    listed, keys = folded[-1].split("What was run")[0].split("<h2>Keys</h2>")
    assert listed.count("<tr>") == 191
    # Three keys, three pairs of them and all three, and the means of each key's values.
    assert keys.count('data-label="effect"') == 7
    assert keys.count('data-label="mean of its values"></td>') == 4
    assert "the best 8 of 20" in page
    assert "Two seeds: too few" not in page
    charts = page[page.index("<svg") : page.index("Differences")]
    assert "liao+mobility, #2, 4" in charts
    assert "primitives=" not in charts.replace("<th", "")
    assert "…" not in charts


def test_two_seeds_have_a_sentence_and_no_interval(home: Path) -> None:
    comparison = planted(home, 4, seeds=2)
    assert all(spread.interval is None for spread in comparison.spreads.values())
    assert "Two seeds: too few for an interval." in result_html(comparison)
