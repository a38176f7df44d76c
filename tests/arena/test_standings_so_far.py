"""Standings that are told while a tournament goes on: those of the games so far, and no others."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from arena_games import First

from evoply import Stream
from evoply.arena import (
    Conditions,
    GamesRunner,
    Results,
    RoundRobin,
    StoppedWithResultError,
    Tournament,
    conditions_of,
    round_robin,
    throttle,
    tournament,
)
from evoply.arena.round_robins import rate
from evoply.arena.statistics import Tally
from evoply.players import parse_player


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(throttle, "SECONDS", 0.0)
    monkeypatch.setattr(throttle, "_REST", 0)


@pytest.mark.parametrize("third", ["random", First()], ids=["kernel", "python"])
@pytest.mark.parametrize("threads", [1, 2])
def test_standings_told_are_those_of_the_games_so_far(third: object, threads: int) -> None:
    """The oracle plays all games at once and rates those that were told."""
    players, options = ["greedy", "mobility", third], {"game": "othello-6", "seed": 4}
    told: list[RoundRobin] = []
    result = round_robin(players, games=40, threads=threads, on_standings=told.append, **options)
    assert result == round_robin(players, games=40, threads=threads, **options)
    assert len(told) >= 2
    counts = [one.games for one in told]
    assert counts == sorted(counts)
    assert all(6 <= count < 120 and count % 2 == 0 for count in counts)
    conditions = conditions_of(**options)
    first, second = np.repeat([0, 0, 1], 20), np.repeat([1, 2, 2], 20)
    schedule = conditions.pairs(first, second, Stream(4, "round robin"))
    read = [parse_player(one, game="othello-6") if isinstance(one, str) else one for one in players]
    with GamesRunner("othello-6", read, threads=1) as runner:
        whole = runner.play(schedule)
    if third == "random" or threads == 1:  # else games end beside one another, in any order
        for one in told:
            assert one == _of_the_first(one, conditions, schedule, whole, result)


def _of_the_first(
    told: RoundRobin, conditions: Conditions, schedule: Any, whole: Results, result: RoundRobin
) -> RoundRobin:
    """Return the standings of as many first games of each pairing as *told* has."""
    places: list[int] = []
    for number, pairing in enumerate(told.pairings):
        count = pairing.wins + pairing.draws + pairing.losses
        places += range(40 * number, 40 * number + count)
    chosen = np.array(places)
    batch, results, tally = schedule.batch(chosen), whole.batch(chosen), Tally(told.players)
    tally.add(batch, results)
    return rate(
        conditions, tally, batch, results,
        planned=result.planned, reproducible=result.reproducible, about=result.about,
    )  # fmt: skip


def test_stars_told_are_those_of_the_runs_so_far() -> None:
    players = ["swh", "greedy", "random"]
    told: list[Tournament] = []
    result = tournament(players, times=5, games=6, seed=5, on_standings=told.append)
    assert result == tournament(players, times=5, games=6, seed=5)
    assert [one.planned for one in told] == [5] * 4
    shorter = [tournament(players, times=times, games=6, seed=5) for times in range(1, 5)]
    assert [replace(one, planned=len(shorter)) for one in told] == [
        replace(one, planned=len(shorter)) for one in shorter
    ]


def test_ctrl_c_keeps_who_forfeited_against_whom() -> None:
    players = ["greedy", "random", First(31, forfeits=1)]
    with pytest.raises(StoppedWithResultError) as stopped:
        round_robin(players, game="othello-6", games=100, seed=3, threads=1)
    result = stopped.value.result
    assert result.games < 300
    lost = {(one.player, one.opponent): one.games for one in result.forfeits}
    met = {
        result.players[one.first]: one.wins + one.draws + one.losses
        for one in result.pairings
        if one.second == 2
    }
    assert lost == {(result.players[2], name): games for name, games in met.items()}


def test_looks_are_rare_and_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(throttle, "SECONDS", 2.0)
    monkeypatch.setattr(throttle, "_REST", 50)
    monkeypatch.setattr(throttle.time, "monotonic", lambda: now[0])
    looked: list[float] = []

    def look() -> None:
        looked.append(now[0])
        now[0] += 0.1

    paced = throttle.Pace()
    for moment in range(1000):
        now[0] = max(now[0], moment / 50)
        paced.look(look)
    assert looked == pytest.approx([0.0, 5.1, 10.2, 15.3], abs=0.03)
