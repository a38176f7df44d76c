"""The page of a tournament: what it says of how its games were decided, and of many players."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

import evoply as ep
from evoply.arena import Pairing, Results, RoundRobin, Standing, round_robins
from evoply.arena.round_robins import _pairings
from evoply.arena.statistics import pair_statistics, ways_to_end
from evoply.reports import result_html


def test_a_tournament_that_time_decides_says_so_once_for_each_thing() -> None:
    """Once the mark stood twice behind a player, and was broken in the middle of its word."""
    played = ep.round_robin(["material:time=0.01", "greedy"], game="othello-4", games=2)
    html = result_html(played)
    assert "material:time=0.01 (not reproducible)" in html
    assert "(not reproducible) (not reproducible)" not in html
    assert f">{played.seed} (not reproducible)" not in html
    assert "reproducible" in html.partition("Standings")[0]
    steady = result_html(ep.round_robin(["material", "greedy"], game="othello-4", games=2))
    assert "reproducible" not in steady.partition("Standings")[0]


NAMES = ["material", "greedy", "random", "mobility"]


@pytest.fixture(scope="module")
def four() -> RoundRobin:
    return ep.round_robin(NAMES, game="othello-6", games=20, seed=3)


def test_a_page_of_many_shows_the_best_and_the_chosen(
    four: RoundRobin, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(round_robins, "_MOST_IN_GRID", 2)
    _, met, *_ = four.shown().sections
    assert (met.title, met.folded) == ("Everybody against everybody", "All pairings")
    assert len(met.rows) == 6
    monkeypatch.setattr(round_robins, "_MOST_PAIRINGS", 5)
    best, second, third, last = (row.player for row in four.standings)
    chosen = replace(four, chosen=(last,))
    _, grid, against, *_ = chosen.shown().sections
    assert grid.title == "The best against each other"
    assert [row.player for row in grid.rows] == [best, second]
    score = next(
        met.score if four.players[met.first] == best else 1 - met.score
        for met in four.pairings
        if {four.players[met.first], four.players[met.second]} == {best, second}
    )
    assert grid.cells()[0] == ("1", best, "", f"{100 * score:.0f} %")
    assert "All 6 pairs" in grid.note
    assert against.title == f"{last} against everybody"
    assert [cells[:2] for cells in against.cells()] == [("1", best), ("2", second), ("3", third)]
    assert f"{last} against everybody" in result_html(chosen)
    # The result itself has all pairs, and does not tell who was looked at.
    assert chosen.to_dict() == four.to_dict()
    assert len(four.to_dict()["pairings"]) == 6


def test_results_of_a_player_are_those_of_its_pairings(four: RoundRobin) -> None:
    ranks = {row.player: row.rank for row in four.standings}
    for place, name in enumerate(NAMES):
        own = four.results_of(name)
        assert {met.first for met in own} == {place}
        assert [ranks[four.players[met.second]] for met in own] == sorted(
            ranks[other] for other in NAMES if other != name
        )
        assert sum(met.wins + met.draws / 2 for met in own) == next(
            row.points for row in four.standings if row.player == name
        )
        for met in own:
            turned = met.turned()
            counts = [
                (one.first, one.second, one.wins, one.draws, one.losses)
                for one in (met, turned, *four.pairings)
            ]
            assert counts[0] in counts[2:] or counts[1] in counts[2:]
            assert turned.score == pytest.approx(1 - met.score)
            low, high = turned.interval
            assert (low, high) == pytest.approx((1 - met.interval[1], 1 - met.interval[0]))
            assert (turned.first, turned.second) == (met.second, met.first)
    assert four.results_of("nobody") == []


def test_a_page_of_a_thousand_players_is_below_two_megabytes() -> None:
    count = 1000
    standings = tuple(
        Standing(place + 1, f"player {place}", 500.0 - place, (450.0 - place, 550.0 - place),
                 float(count - place), 2 * count - 2, place)
        for place in range(count)
    )  # fmt: skip
    pairings = tuple(
        Pairing(first, second, 1, 0, 1, None) for first, second in combinations(range(count), 2)
    )
    names = tuple(row.player for row in standings)
    games = count * (count - 1)
    result = RoundRobin(
        names, standings, pairings, games, games, chosen=names[-2:],
        game="othello", opening_plies=8, seed=1, planned=games,
    )  # fmt: skip
    html = result_html(result)
    assert 500_000 < len(html.encode()) < 2_000_000
    assert html.count("player 999") >= 3


@pytest.mark.parametrize("seed", range(5))
def test_pairings_count_what_each_two_players_scored(seed: int) -> None:
    """The oracle looks at the games of one meeting after another."""
    draws = np.random.default_rng(seed)
    meetings = draws.permutation(list(combinations(range(5), 2)))
    pairs = np.repeat(meetings, draws.integers(1, 30, len(meetings)), axis=0)
    winners = draws.choice([-1, 0, 1], 2 * len(pairs)).astype(np.int8)
    hashes = draws.integers(0, 40, len(winners)).astype(np.uint64)
    other = np.zeros(len(winners), dtype=np.int32)
    results = Results(other, other, winners, other.astype(np.uint8), other, hashes)
    points = results.black_points
    points[1::2] = 1 - points[1::2]
    expected = []
    for first, second in sorted(map(tuple, meetings.tolist())):
        games = np.repeat((pairs == (first, second)).all(axis=1), 2)
        interval = pair_statistics(points[games], hashes[games]).interval
        expected.append(Pairing(first, second, **ways_to_end(points[games]), interval=interval))
    assert _pairings(pairs[:, 0], pairs[:, 1], results) == tuple(expected)
