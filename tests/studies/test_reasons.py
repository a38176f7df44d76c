"""Rows stand alone: what n counts, the unit, and why a row is off, in at most ten words."""

from collections.abc import Iterator
from typing import Any

import pytest

from evoply.reports import result_html
from evoply.studies import (
    STUDIES,
    Claim,
    Figure,
    Request,
    Result,
    Study,
    mean_of,
    page_of_study,
    reproduce,
    study,
)
from evoply.studies.study import paper, row

SMALL = {
    "liao": STUDIES["liao"].resized("smoke", games=20, runs=2, generations=2, test_games=20),
    "frankland": STUDIES["frankland"].resized("smoke", games=2),
    "bellin": STUDIES["bellin"].resized(
        "smoke", runs=2, population=6, generations=2, tournaments=2
    ),
    "firebrand": STUDIES["firebrand"]
    .resized("smoke", runs=2, stage=2, stage_steps=2, match_games=2, games=2, training=10)
    .resized("smoke", "2", games=8)
    .resized("smoke", "6", depths=(1, 2, 3))
    .resized("smoke", "ordering", depths=(2, 3))
    .resized("smoke", "strength", games=4, depth=2),
    "benbassat": STUDIES["benbassat"]
    .resized("smoke", "4", "5", "6", population=6, generations=1, final_pairs=1, games=2)
    .resized("smoke", "3", "depths", games=(2, 2, 2))
    .resized("smoke", "readings", "hand", games=2)
    .resized("smoke", "sensitivity", runs=1, population=6, generations=1, final_pairs=1, games=2)
    .resized("smoke", "coevolution", runs=1, budget=50, final_pairs=1, games=2),
}
LONGEST = 10
"""Words of a reason."""
LONGER = {
    ("liao", "stages"),
    *(("firebrand", table) for table in ("1", "5", "7", "X6", "X7", "orders", "feature-7")),
    *(("benbassat", table) for table in ("4", "6", "hand", "sensitivity", "coevolution")),
}
"""Tables whose rows get their reasons as those of others do."""


def tables() -> Iterator[Any]:
    for name, small in SMALL.items():
        for one in small.experiments:
            for rules in one.rules or ("",):
                marks = [pytest.mark.long] * ((name, one.name) in LONGER)
                yield pytest.param(
                    name, one.name, rules, id=f"{name}-{one.name}-{rules}", marks=marks
                )


def small(name: str, table: str, rules: str) -> Result:
    game = "othello" if SMALL[name].experiment(table).boards else ""
    return reproduce(SMALL[name], table, Request(rules=rules, game=game))


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("name", "table", "rules"), list(tables()))
def test_every_row_would_say_why_it_is_off(
    name: str, table: str, rules: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        study, "judge", lambda ours, printed, _: "no figure" if printed is None else "differs"
    )
    result = small(name, table, rules)
    assert result.rows
    for one in result.rows:
        assert one.unit, one.name
        assert (one.n is None) == (one.counted == ""), one.name
        if one.paper is not None:
            assert one.is_off
            assert 1 <= len(one.reason.split()) <= LONGEST, (one.name, one.reason)
    page = result_html(page_of_study(result, STUDIES[name]))
    assert all(one.n_text in page for one in result.rows if one.n is not None)


@pytest.mark.parametrize("name", SMALL)
def test_reasons_in_the_files_of_papers_are_short(name: str) -> None:
    found = list(reasons(paper(name)))
    assert found
    for reason in found:
        assert 1 <= len(reason.split()) <= LONGEST, reason


def reasons(data: Any) -> Iterator[str]:
    if isinstance(data, list):
        for item in data:
            yield from reasons(item)
    elif isinstance(data, dict):
        for key, value in data.items():
            if key in ("reason", "otherwise"):
                yield value
            else:
                yield from reasons(value)


def test_a_row_says_what_n_counts() -> None:
    assert row("one", mean_of([2.0])).n_text == "1 run"
    assert row("many", Figure(2.0, None, 1234, counted="moves")).n_text == "1,234 moves"
    assert row("none", Figure(2.0, None)).n_text is None
    data = row("two", mean_of([1.0, 3.0], counted="trees"), unit="discs").to_dict()
    assert (data["n"], data["counted"], data["unit"]) == (2, "trees", "discs")


def test_a_row_that_is_off_gets_the_reason_of_the_table_if_it_has_none() -> None:
    def run(request: study.Reproduction) -> Result:
        off, ours = Claim("above 9", low=9.0), Figure(2.0, (1.9, 2.1), 9, counted="runs")
        return request.result(
            [
                row("off", ours, off),
                row("told", ours, off, otherwise="told"),
                row("near", ours, Claim("above 1", low=1.0)),
                row("another unit", ours, unit="discs"),
            ]
        )

    told = {"unit": "points", "otherwise": "unknown", "title": "A table"}
    seconds = {"smoke": 1.0, "small": 1.0, "paper": 1.0}
    experiment = study.PaperExperiment("1", "A table", run, seconds, told=told)
    made = Study("ours", "Ours", "We", "A paper", (experiment,))
    result = reproduce(made, "1")
    assert [one.verdict for one in result.rows] == ["differs", "differs", "matches", "no figure"]
    assert [one.reason for one in result.rows] == ["unknown", "told", "", ""]
    assert [one.unit for one in result.rows] == ["points", "points", "points", "discs"]
    page = result_html(page_of_study(result, made))
    assert "9 runs" in page
    assert "Figures are points or discs" in page
