"""What every study shares: rows beside what is printed, setups over seeds, progress, results."""

from threading import Event

import pytest

from evoply.studies import Figure, PaperExperiment, Reproduction, Request, Result, Study, reproduce

NEAR = Figure(2.0, (1.95, 2.05), 9)


def measured(request: Reproduction) -> Result:
    names = ["one setup", "another"]
    rows = []
    for name, values in request.over_seeds(names, request.size("runs"), lambda _, run: run):
        rows.append(request.row(f"{name}: {values}", NEAR, "a range"))
        request.shown(request.result(rows, spoken="so far"))
    return request.result(rows, notes=["And more."], spoken="in the end")


EXPERIMENT = PaperExperiment(
    "1",
    "A table",
    measured,
    {"smoke": 1, "small": 2, "paper": 3},
    sizes={"runs": (2, 5, 1000)},
    told={
        "unit": "points of {runs:,} runs",
        "notes": ["Said {spoken}."],
        "printed": {
            "a number": 2,
            "a range": [1.5, 2.5],
            "a claim": {"claim": "above 1", "low": 1.0},
            "another unit": {"paper": 9.0, "reference": 1.0, "otherwise": "measured elsewhere"},
        },
    },
)
STUDY = Study("ours", "Ours", "We", "A paper", (EXPERIMENT,))


def test_a_row_stands_beside_what_is_printed_under_its_name() -> None:
    request = STUDY.asked("1", Request())
    names = ("a number", "a range", "a claim", "another unit", "not printed")
    rows = request.rows(dict.fromkeys(names, NEAR), "here: ")
    assert [row.name for row in rows] == [f"here: {name}" for name in names]
    assert [row.paper for row in rows] == [2, "1.50 to 2.50", "above 1", 9.0, None]
    verdicts = ["matches", "matches", "matches", "same direction", "no figure"]
    assert [row.verdict for row in rows] == verdicts
    assert [row.reason for row in rows] == ["", "", "", "measured elsewhere", ""]


def test_setups_over_seeds_tell_their_progress_and_the_result_so_far() -> None:
    told: list[object] = []
    result = reproduce(
        STUDY,
        "1",
        Request(
            progress=lambda done, total: told.append(f"{done} of {total}"),
            shown=lambda so_far: told.append(len(so_far.rows)),
        ),
    )
    assert told == ["1 of 4", "2 of 4", 1, "3 of 4", "4 of 4", 2]
    assert [row.name for row in result.rows] == ["one setup: [0, 1]", "another: [0, 1]"]
    assert result.notes == ("Said in the end.", "And more.")
    assert (result.title, result.unit) == ("A table", "points of 2 runs")


def test_runs_at_once_come_in_order_and_hear_of_an_interruption() -> None:
    request = STUDY.asked("1", Request(threads=2))
    found = request.over_seeds_at_once("ab", 3, lambda setup, run, stop: f"{setup}{run}")
    assert found == {"a": ["a0", "a1", "a2"], "b": ["b0", "b1", "b2"]}
    heard = []

    def interrupted(_: str, run: int, stop: Event) -> None:
        if run == 0:
            raise KeyboardInterrupt
        heard.append(stop.wait(60))

    with pytest.raises(KeyboardInterrupt):
        request.over_seeds_at_once("a", 2, interrupted)
    assert heard in ([True], [])


def test_amounts_of_work_are_those_of_the_scale() -> None:
    assert STUDY.asked("1", Request(scale="paper")).size("runs") == 1000
    fewer = STUDY.resized("smoke", runs=1, games=7)
    assert fewer.asked("1", Request()).size("runs") == 1
    assert fewer.asked("1", Request(scale="small")).size("runs") == 5
    assert fewer.resized("smoke", "2", runs=9) == fewer
    assert EXPERIMENT.sizes == {"runs": (2, 5, 1000)}
