"""FIREBRAND's study: claims and what judges them, measures of curves, and every table once."""

import math
from dataclasses import replace
from functools import cache
from threading import Event
from typing import Any

import numpy as np
import pytest

from evoply.learning import Learning, load_learning_config
from evoply.reports import result_html
from evoply.studies import (
    STUDIES,
    Claim,
    Figure,
    Request,
    Result,
    judge,
    mean_of,
    page_of_study,
    ratio_of,
    reproduce,
)
from evoply.studies.firebrand import convergence, figures, training
from evoply.studies.firebrand.training import (
    LearningCurve,
    begun_anew,
    common_end,
    correlation,
    fluctuation,
    ratio,
    settling,
    trained,
    way_left,
)

FEW = (
    STUDIES["firebrand"]
    .resized("smoke", runs=2, stage=2, stage_steps=2, match_games=2, games=2, training=10)
    .resized("smoke", "2", games=8)
    .resized("smoke", "6", depths=(1, 2, 3))
    .resized("smoke", "ordering", depths=(2, 3))
    .resized("smoke", "strength", games=4, depth=2)
)
"""The study with a smallest scale that is smaller still."""


@cache
def reproduced(table: str) -> tuple[Result, tuple[tuple[int, int], ...]]:
    """Return a table on the smaller board and the progress that was told."""
    steps: list[tuple[int, int]] = []
    asked = Request(game="othello", progress=lambda done, total: steps.append((done, total)))
    return reproduce(FEW, table, asked), tuple(steps)


ABOVE, BELOW = Claim("above 1", low=1.0), Claim("below 1", high=1.0)
NEAR = Claim("-5 to 5", low=-5.0, high=5.0)


@pytest.mark.parametrize(
    ("interval", "claim", "verdict"),
    [
        ((1.1, 1.9), ABOVE, "matches"),
        ((0.2, 0.8), ABOVE, "differs"),
        ((0.9, 1.9), ABOVE, "too few runs to say"),
        ((1.0, 1.0), ABOVE, "differs"),
        ((1.5, 1.5), ABOVE, "matches"),
        ((0.2, 0.8), BELOW, "matches"),
        ((1.2, 1.8), BELOW, "differs"),
        ((-4.0, 3.0), NEAR, "matches"),
        ((-9.0, 3.0), NEAR, "too few runs to say"),
        ((6.0, 9.0), NEAR, "differs"),
        (None, ABOVE, "undecided"),
    ],
)
def test_a_claim_is_judged_by_the_whole_interval(
    interval: tuple[float, float] | None, claim: Claim, verdict: str
) -> None:
    middle = 0.0 if interval is None else sum(interval) / 2
    assert judge(Figure(middle, interval, 5), claim) == verdict


def test_fewer_than_five_runs_judge_no_claim() -> None:
    assert judge(mean_of([2.0, 2.1, 2.2, 2.1]), ABOVE) == "too few runs to say"
    assert judge(mean_of([2.0, 2.1, 2.2, 2.1, 2.0]), ABOVE) == "matches"


def test_ratios_are_averaged_as_ratios() -> None:
    figure = ratio_of([0.5, 2.0, 1.0])
    assert figure.value == pytest.approx(1.0)
    assert figure.interval is not None
    low, high = figure.interval
    assert low * high == pytest.approx(1.0)
    assert (ratio(0.0, 1.0), ratio(3.0, 2.0)) == (1e-12, 1.5)
    with pytest.raises(ValueError, match="math domain error"):
        ratio_of([1.0, 0.0])


def curve(*rows: list[float], failed: bool = False) -> LearningCurve:
    """Return a curve of made-up weights, one row a step, 10 games apart, without time weights."""
    config = load_learning_config("firebrand", ["games=40"], {"features": ["corners", "anchored"]})
    first = Learning().first(config)
    steps = tuple(
        replace(first, games=10 * number, weights=tuple((value, 1.0) for value in row))
        for number, row in enumerate(rows)
    )
    return LearningCurve(config, steps, failed)


def test_an_even_drift_is_no_fluctuation() -> None:
    games = np.arange(9.0)
    drift = np.column_stack([0.1 * games, 3 - games])
    assert fluctuation(games, drift) == pytest.approx(0, abs=1e-12)
    swings = np.where(games % 2, 0.5, -0.5)
    swinging = drift + np.column_stack([swings, swings])
    assert fluctuation(games, swinging) == pytest.approx(0.5, abs=0.02)


def test_the_way_to_rest() -> None:
    at_once = curve([0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0], [1.0, 1.0])
    assert settling(at_once) == 0.25
    evenly = curve(*([place / 20] * 2 for place in range(21)))
    # Rest is at 0.875, the mean of the last quarter, and four fifths of it at 0.7.
    assert settling(evenly) == pytest.approx(0.7, abs=0.051)
    assert correlation(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])) == pytest.approx(1)


def test_the_way_left_is_told_from_where_runs_end_together() -> None:
    # The quick one is past the end that both have, the slow one still on its way.
    quick = curve(*([min(place / 2, 1.5)] * 2 for place in range(21)))
    slow = curve(*([place / 40] * 2 for place in range(21)))
    end = common_end([quick, slow])
    assert end == pytest.approx([(1.5 + 0.4375) / 2] * 2, abs=0.02)
    assert way_left(quick, end, 0.1) == pytest.approx(abs(1 - end[0]) / end[0])
    assert way_left(slow, end, 0.1) == pytest.approx((end[0] - 0.05) / end[0])
    assert way_left(quick, end, 0.0) == way_left(slow, end, 0.0) == 1.0
    assert settling(quick) < settling(slow)


def test_a_curve_is_read_by_games() -> None:
    one = curve([0.0, 1.0], [2.0, 3.0], [4.0, 5.0])
    assert one.at(0).tolist() == [0, 1]
    assert one.at(19).tolist() == [2, 3]
    assert one.at(20).tolist() == one.weights[-1].tolist() == [4, 5]
    assert one.times_at(10).tolist() == [1, 1]
    assert one.place_of("anchored") == 1


def test_a_training_that_leaves_the_numbers_ends_there() -> None:
    config = load_learning_config(
        "firebrand",
        ["games=100", "games_per_step=10", "curriculum.order=none", "rates.weights=50"],
    )
    failed = trained(config, Event())
    assert failed.failed
    assert failed.last.games < 100
    assert math.isfinite(failed.weights.max())


def test_a_stopped_training_ends_after_the_step_at_hand() -> None:
    stop = Event()
    stop.set()
    assert len(trained(load_learning_config("firebrand"), stop).steps) == 1


def test_training_begun_anew_has_all_stages_again() -> None:
    config = load_learning_config(
        "firebrand", ["games=20", "games_per_step=10", "curriculum.games=10"]
    )
    before = trained(config, Event())
    after = trained(config, Event(), first=begun_anew(before.last))
    assert after.games.tolist() == before.games.tolist() == [0, 10, 20]
    assert after.steps[0].weights == before.last.weights
    assert after.last.statistics["stage"] == before.last.statistics["stage"]


def weights_of(values: dict[str, float], *, time: dict[str, float] | None = None) -> Any:
    names = [one.name for one in load_learning_config("firebrand").features]
    times = time or {}
    return tuple((values.get(name, 0.1), times.get(name, 1.0)) for name in names)


def timed_curve(start: Any, middle: Any, end: Any, *, swing: float = 0.0) -> LearningCurve:
    """Return a curve of 41 steps from *start* over *middle* to *end* with a swing in the end."""
    config = load_learning_config("firebrand", ["games=400"])
    first, steps = Learning().first(config), []
    for number in range(41):
        share = number / 20 if number <= 20 else (number - 20) / 20
        before, after = (start, middle) if number <= 20 else (middle, end)
        array = np.array(before) * (1 - share) + np.array(after) * share
        array[:, 0] += swing * (-1) ** number * (number > 20)
        rows = tuple(tuple(row) for row in array.tolist())
        steps.append(replace(first, games=10 * number, weights=rows))
    return LearningCurve(config, tuple(steps))


def contrast(monkeypatch: pytest.MonkeyPatch, timed: LearningCurve, untimed: LearningCurve) -> None:
    monkeypatch.setattr(figures, "_contrast", lambda request: [(timed, untimed)] * 5)


def verdicts(result: Result) -> dict[str, str]:
    return {one.name: one.verdict for one in result.rows}


def test_figures_1_and_5_say_what_the_curves_do(monkeypatch: pytest.MonkeyPatch) -> None:
    zero, half = weights_of({}), weights_of({"anchored": 0.8, "pieces": 0.3})
    grown = weights_of(
        {"anchored": 0.8, "pieces": -0.3, "edges": 3.0}, time={"anchored": 2.5, "pieces": 1.5}
    )
    timed = timed_curve(zero, half, grown, swing=0.01)
    contrast(monkeypatch, timed, timed_curve(zero, half, half, swing=0.1))
    as_printed = verdicts(reproduce("firebrand", "1"))
    assert set(as_printed.values()) == {"matches", "no figure"}
    turned = weights_of({"anchored": 0.8, "pieces": 0.2}, time={"anchored": 2.5})
    contrast(monkeypatch, timed_curve(zero, half, turned), timed_curve(zero, half, half))
    moved = verdicts(reproduce("firebrand", "5"))
    assert moved["without time weights: way of second half / of first"] == "matches"
    assert moved["second half: way of time weights / of weights"] == "matches"
    shrunk = weights_of({"anchored": 0.8, "pieces": 0.3}, time={"anchored": 0.5, "pieces": 0.5})
    contrast(monkeypatch, timed_curve(zero, half, shrunk, swing=0.2), timed)
    opposite = verdicts(reproduce("firebrand", "1"))
    assert set(opposite.values()) == {"differs", "no figure"}
    far = weights_of({"anchored": 5.0})
    contrast(monkeypatch, timed_curve(zero, half, far), timed_curve(zero, half, far))
    opposite = verdicts(reproduce("firebrand", "5"))
    assert set(opposite.values()) == {"differs"}


def test_every_rate_is_tried_from_the_same_first_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def told(config: Any, stop: Event) -> LearningCurve:
        asked.append(config)
        rate = config.rates.weights * (1 if config.rates.schedule == "constant" else 0.01)
        swings = [rate * (-1) ** number for number in range(17)]
        return curve(*([1 - 0.5**number + swing] * 2 for number, swing in enumerate(swings)))

    monkeypatch.setattr(training, "trained", told)
    result = reproduce("firebrand", "2", Request(scale="small"))
    assert {one.rates.weights for one in asked} == {0.001, 0.01, 0.05, 0.08, 0.1, 0.5, 1.0}
    assert len({one.seed for one in asked}) == 5
    assert len(asked) == (7 + 2) * 5
    assert sum(one.rates.schedule == "adaptive" for one in asked) == 5
    said = verdicts(result)
    assert said["rank correlation of rate and fluctuation"] == "matches"
    assert said["rate 1: share of runs that do not settle"] == "matches"
    assert said["rate 0.1, decaying: fluctuation / that of rate 0.1"] == "matches"


def test_rates_that_leave_the_numbers_never_settle(monkeypatch: pytest.MonkeyPatch) -> None:
    lost = replace(curve(*([number] * 2 for number in range(17))), failed=True)
    monkeypatch.setattr(training, "trained", lambda config, stop: lost)
    rows = {one.name: one for one in reproduce("firebrand", "2", Request(scale="small")).rows}
    assert rows["rate 1: share of runs that do not settle"].verdict == "matches"
    assert rows["rate 1: fluctuation"].ours is None
    assert rows["rate 1: fluctuation"].reason == "a weight left the numbers in 5 of 5 runs"
    assert rows["rate 0.1, decaying: fluctuation / that of rate 0.1"].verdict == "undecided"


def test_a_run_diverges_beyond_the_bound_or_the_numbers() -> None:
    calm = curve([0.1, 0.2], [1.5, -2.0], [0.1, 0.2])
    assert not convergence.diverges(calm)
    assert convergence.diverges(replace(calm, failed=True))
    assert not convergence.diverges(curve([0.0, -100.0], [0.0, 0.0]))
    assert convergence.diverges(curve([0.0, -100.1], [0.0, 0.0]))


def test_every_feature_7_learns_beside_the_same_others(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def told(config: Any, stop: Event) -> LearningCurve:
        asked.append(config)
        names = [one.name for one in config.features]
        ends = {"locked": -0.5, "locked_always": 101.0, "open_edge": 0.1, "anchored": 1.0}
        first = Learning().first(config)
        last = replace(first, games=10, weights=tuple((ends.get(name, 0.0), 1.0) for name in names))
        return LearningCurve(config, (first, last))

    monkeypatch.setattr(training, "trained", told)
    result = reproduce("firebrand", "feature-7", Request(scale="small"))
    sets = {frozenset(one.name for one in config.features) for config in asked}
    shared = frozenset.intersection(*sets)
    assert len(shared) == 10
    assert {one - shared for one in sets} == {
        frozenset(added) for added in ([], ["locked"], ["locked_always"], ["open_edge"])
    }
    assert {one.rates.weights for one in asked} == {0.01, 0.1, 0.5, 1e-4}
    assert {one.time_weights.degree for one in asked} == {0}
    assert len(asked) == 4 * 4 * 5
    rows = {one.name: one for one in result.rows}
    assert rows["rate 0.01, 7a unlimited: share of runs that diverge"].ours == 1.0
    assert "rate 0.01, 7a unlimited: weight" not in rows
    assert rows["rate 0.1, 7a limited: share of runs that diverge"].ours == 0.0
    assert rows["raw 0.0001, 7a limited: weight"].ours == pytest.approx(-0.5)
    assert rows["rate 0.01, 7a limited: size / that of feature 8"].ours == pytest.approx(0.5)
    assert rows["rate 0.01, 7b: size / that of feature 8"].ours == pytest.approx(0.1)
    assert rows["rate 0.01, 7b: points against the same without it"].n == 5


def test_depths_are_compared_after_as_many_games() -> None:
    one, other = (
        timed_curve(weights_of({}), weights_of({"edges": -0.4}), weights_of({"anchored": 1.0}))
        for _ in range(2)
    )
    short = LearningCurve(other.config, other.steps[:21])
    request = STUDIES["firebrand"].asked("6", Request())
    same = request.rows(figures._alike([(one, short)] * 5), "depths 2 and 8: ")
    assert same[0].name == "depths 2 and 8: correlation of the weights"
    assert same[0].verdict == "matches"
    assert same[0].ours == pytest.approx(1.0)


@pytest.mark.parametrize(
    "table",
    ["X2", pytest.param("X5", marks=pytest.mark.long), pytest.param("X6", marks=pytest.mark.long)],
)
def test_the_smallest_scale_is_equal_twice(table: str) -> None:
    result = reproduce(FEW, table, Request(threads=1))
    assert result.to_dict() == reproduce(FEW, table, Request(threads=2)).to_dict()
    if table == "X2":
        assert result.to_dict() != reproduce(FEW, table, Request(seed=2)).to_dict()
    assert all(len(one.name) <= 60 for one in result.rows)


TABLES = [one.name for one in STUDIES["firebrand"].experiments]
LONGER = {"X5", "X6", "X7"}
"""Tables that run above, or whose figures others have: `make test-long` has them here, too."""


@pytest.mark.parametrize(
    "table",
    [pytest.param(name, marks=[pytest.mark.long] * (name in LONGER)) for name in TABLES],
)
def test_every_table_runs_on_the_smaller_board(table: str) -> None:
    result, steps = reproduced(table)
    assert result.rows
    judged = [one.name for one in result.rows if one.paper is not None]
    printed = FEW.asked(table, Request()).printed
    assert all(any(claim in name for name in judged) for claim in printed)
    assert result.command.endswith("--game othello")
    assert steps[-1][0] == steps[-1][1]
    assert all(len(one.name) <= 60 for one in result.rows)


def test_the_page_has_claims_and_curves() -> None:
    page = result_html(page_of_study(reproduced("7")[0], FEW))
    assert "colour does not matter: below 2" in page
    assert page.count("<svg") == 4


def test_a_name_of_several_figures_joins_them() -> None:
    both = reproduced("X2")[0]
    three, four = (reproduced(table)[0] for table in "34")
    assert both.rows == three.rows + four.rows
    assert len(both.charts) == len(three.charts) + len(four.charts)
    command = "evoply reproduce firebrand --table X2 --scale smoke --seed 1"
    assert both.command == f"{command} --game othello"
    assert both.title.startswith("X2: Figure 3")
    assert reproduced("X4")[0].rows == reproduced("6")[0].rows


def test_orderings_change_no_value() -> None:
    rows = reproduce(FEW, "ordering").rows
    same = [one for one in rows if one.name.endswith("same answer")]
    assert len(same) == 2 * 5
    assert all(one.ours == 1.0 for one in same)
    nodes = [one for one in rows if one.name.endswith("nodes")]
    assert all(one.ours is not None and one.ours > 0 for one in nodes)
    assert [one.paper for one in nodes][:2] == [0.5, "fewer: below 1"]


def test_the_long_match_takes_an_opponent() -> None:
    asked = Request(opponent="random", games=40)
    result = reproduce(FEW, "strength", asked)
    assert [one.n for one in result.rows] == [40, 2]
    assert result.rows[0].interval is not None
    assert result.command.endswith("--seed 1 --opponent random --games 40")


@pytest.mark.parametrize(
    ("table", "asked", "says"),
    [
        ("8", Request(), "no table '8'"),
        ("3", Request(game="checkers"), "there are othello-10 and othello"),
        ("3", Request(opponent="random"), "has opponents and games of its own"),
        ("X2", Request(scale="huge"), "'huge' is not one of"),
    ],
)
def test_what_is_not_there_is_refused(table: str, asked: Request, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        reproduce("firebrand", table, asked)
