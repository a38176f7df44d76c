"""Standings: planted strengths come back, intervals hold, the order of players changes nothing."""

import json
import math
import os
from collections.abc import Iterable
from dataclasses import replace
from itertools import pairwise
from statistics import fmean

import numpy as np
import pytest
from sample_league import league

from evoply.arena import bradley_terry, mean_interval
from evoply.arena.ratings import nash_intervals
from evoply.experiments import LeaguePairing
from evoply.experiments.leagues import LeagueResults, standings_of

STRENGTHS = {"liao": 120.0, "squares": 40.0, "online": -30.0, "patterns": 220.0}
LEAGUES = 50 if "EVOPLY_LONG" in os.environ else 25
LINES = {"random": -300.0, "greedy": -100.0}
ZERO = fmean(LINES.values())


def ratings(results: LeagueResults) -> dict[str, float | None]:
    return {row.entrant: row.rating for row in standings_of(results, "time").standings}


def test_planted_strengths_are_recovered() -> None:
    found = standings_of(league(STRENGTHS, pairs=200, spread=20, seeds=range(1, 7)), "time")
    for row in found.standings:
        truth = {**STRENGTHS, **LINES}[row.entrant] - ZERO
        assert row.rating == pytest.approx(truth, abs=30)
    assert [row.entrant for row in found.methods] == ["patterns", "liao", "squares", "online"]
    assert [row.rank for row in found.methods] == [1, 2, 3, 4]
    assert [row.rank for row in found.standings if row.entrant in LINES] == [None, None]
    lines = [row.rating for row in found.standings if row.entrant in LINES]
    assert sum(lines) == pytest.approx(0, abs=1e-9)
    assert found.zero == "the mean of the lines of reference"


def test_intervals_hold_the_planted_strengths() -> None:
    """With players of a method that differ by more than games do: most of the chance is in making
    them, which intervals of the games alone would miss."""
    held = alone = trials = 0
    for key in range(LEAGUES):
        results = league(
            STRENGTHS, pairs=10, spread=80, seeds=(1, 2, 3, 4), key=key, conditions={"time": "x"}
        )
        for row in standings_of(results, "time").methods:
            truth = STRENGTHS[row.entrant] - ZERO
            assert row.interval is not None
            held += row.interval[0] <= truth <= row.interval[1]
            trials += 1
        for row in standings_of(of_seed(results, 1), "time").methods:
            assert row.interval is not None
            alone += row.interval[0] <= STRENGTHS[row.entrant] - ZERO <= row.interval[1]
    assert trials == 4 * LEAGUES
    assert 0.91 <= held / trials <= 0.985
    assert alone / trials < 0.85


def wider(values: list[float], intervals: list[tuple[float, float]]) -> tuple[float, float]:
    """Student's interval of values, or that of their games if it is wider, as it is defined."""
    mean, (low, high) = fmean(values), mean_interval(values)
    below, above = (
        sum((end - value) ** 2 for end, value in zip(ends, values, strict=True)) ** 0.5
        / len(values)
        for ends in zip(*intervals, strict=True)
    )
    return min(low, mean - below), max(high, mean + above)


def of_seed(results: LeagueResults, seed: int) -> LeagueResults:
    return replace(results, pairings=tuple(g for g in results.pairings if g.seed == seed))


def test_a_rating_is_the_mean_of_those_of_each_seed() -> None:
    """Seed by seed by `bradley_terry` itself, from all pairs."""
    results = league(STRENGTHS)
    names = sorted(entrant.name for entrant in results.entrants)
    by_seed = []
    for seed in results.seeds:
        first, second, points = [], [], []
        for game in results.pairings:
            if (game.seed, game.condition) == (seed, "depth"):
                for place in range(0, len(game.points), 2):
                    first.append(names.index(game.first))
                    second.append(names.index(game.second))
                    points.append(sum(game.points[place : place + 2]))
        elo = bradley_terry(first, second, points, len(names)).elo
        by_seed.append(elo - (elo[names.index("random")] + elo[names.index("greedy")]) / 2)
    alone = [
        {
            row.entrant: row.interval
            for row in standings_of(of_seed(results, seed), "depth").standings
        }
        for seed in results.seeds
    ]
    for row in standings_of(results, "depth").standings:
        own = [float(elo[names.index(row.entrant)]) for elo in by_seed]
        assert row.rating == pytest.approx(fmean(own), abs=1e-6)
        expected = wider(own, [intervals[row.entrant] for intervals in alone])
        assert row.interval == pytest.approx(expected, abs=1e-6)
        assert [*row.by_seed] == [1, 2, 3]


def turned(pairings: Iterable[LeaguePairing]) -> tuple[LeaguePairing, ...]:
    """The same games, told by the other side, and in another order."""
    return tuple(
        replace(
            game,
            first=game.second,
            second=game.first,
            points=tuple(1 - game.points[place ^ 1] for place in range(len(game.points))),
            hashes=tuple(game.hashes[place ^ 1] for place in range(len(game.hashes))),
        )
        for game in reversed([*pairings])
    )


def test_the_order_of_players_and_games_changes_nothing() -> None:
    results = league(STRENGTHS)
    other = replace(results, entrants=results.entrants[::-1], pairings=turned(results.pairings))
    assert standings_of(other, "time") == standings_of(results, "time")


def test_pairs_that_repeat_are_no_evidence() -> None:
    results = league(STRENGTHS, seeds=(1,))
    twice = replace(
        results,
        pairings=tuple(
            replace(game, points=2 * game.points, hashes=2 * game.hashes)
            if game.first == "liao"
            else game
            for game in results.pairings
        ),
    )
    assert ratings(twice) == ratings(results)
    before, after = (standings_of(one, "time") for one in (results, twice))
    assert [row.interval for row in after.standings] == [row.interval for row in before.standings]


def test_with_one_seed_intervals_are_those_of_its_games_and_that_is_said() -> None:
    found = standings_of(league(STRENGTHS, seeds=(7,)), "time")
    assert found.seeds == (7,)
    assert "Only seed 7" in found.notes[0]
    for row in found.methods:
        assert row.interval is not None
        assert row.interval[0] < row.rating < row.interval[1]


def test_two_seeds_are_too_few_for_an_interval() -> None:
    """Student's interval of two ratings was printed as -2083 to +2274."""
    found = standings_of(league(STRENGTHS, seeds=(7, 8)), "time")
    assert found.notes == ("Two seeds: too few for an interval. Three seeds or more have one.",)
    assert all(row.rating is not None for row in found.standings)
    assert {(row.interval, row.lead_interval) for row in found.standings} == {(None, None)}
    assert {met.interval for met in found.encounters} == {None}
    assert found.why_no_interval == "two seeds: too few"
    three = standings_of(league(STRENGTHS, seeds=(7, 8, 9)), "time")
    assert three.notes == ()
    assert all(row.interval is not None for row in three.methods)


@pytest.mark.parametrize("seeds", [(1,), (1, 2, 3)])
def test_who_won_everything_in_a_seed_has_no_upper_end(seeds: tuple[int, ...]) -> None:
    """Its interval was narrower than those of all others."""
    results = league(STRENGTHS, seeds=seeds)
    found = standings_of(
        replace(
            results,
            pairings=tuple(
                replace(game, points=tuple(float(game.first == "liao") for _ in game.points))
                if game.seed == 1 and "liao" in (game.first, game.second)
                else game
                for game in results.pairings
            ),
        ),
        "time",
    )
    best, *others = found.methods
    assert best.entrant == "liao"
    assert best.interval[1] == best.lead_interval[1] == math.inf
    assert math.isfinite(best.interval[0])
    assert best.interval[0] < best.rating
    for row in others:
        assert all(math.isfinite(end) for end in row.interval)
    assert found.to_dict()["standings"][0]["interval"] == [best.interval[0], None]


def test_seeds_that_agree_by_chance_do_not_make_games_certain() -> None:
    """The same games with three seeds: Student's interval of equal ratings has no width."""
    single = league(STRENGTHS, seeds=(1,))
    for row, before in zip(
        standings_of(copied(single), "time").methods,
        standings_of(single, "time").methods,
        strict=True,
    ):
        assert row.rating == pytest.approx(before.rating)
        width, of_one = (high - low for low, high in (row.interval, before.interval))
        assert width == pytest.approx(of_one / 3**0.5)


def copied(results: LeagueResults) -> LeagueResults:
    """The league of a seed with the same games in seeds 2 and 3."""
    twins = [replace(game, seed=seed) for seed in (1, 2, 3) for game in results.pairings]
    return replace(results, pairings=tuple(twins))


def test_a_line_that_is_the_zero_itself_is_not_measured() -> None:
    for seeds in ((1,), (1, 2, 3)):
        found = standings_of(league(STRENGTHS, references={"greedy": -100.0}, seeds=seeds), "time")
        (line,) = (row for row in found.standings if not row.is_ranked)
        assert line.rating == pytest.approx(0, abs=1e-9)
        assert line.interval is None


def test_few_games_of_many_seeds_are_still_not_certain() -> None:
    """Two games of each two in a seed have no interval of their own, and count all the same."""
    for row in standings_of(copied(league(STRENGTHS, seeds=(1,), pairs=1)), "time").methods:
        assert row.interval[1] - row.interval[0] > 100


def test_too_few_games_have_no_interval() -> None:
    found = standings_of(league(STRENGTHS, seeds=(1,), pairs=1), "time")
    assert all(row.interval is None for row in found.standings)
    assert all(met.interval is None for met in found.encounters)


def test_scores_of_all_against_all_count_every_game_from_both_sides() -> None:
    results = league(STRENGTHS)
    found = standings_of(results, "time")
    assert len(found.encounters) == 6 * 5
    met, other = found.of("liao", "online"), found.of("online", "liao")
    assert met is not None
    assert other is not None
    games = [
        game
        for game in results.pairings
        if game.condition == "time" and {game.first, game.second} == {"liao", "online"}
    ]
    assert met.games == other.games == sum(len(game.points) for game in games)
    assert met.points == sum(sum(game.points) for game in games)  # all of them have liao first
    assert met.score + other.score == pytest.approx(1)
    low, high = met.interval
    assert (1 - high, 1 - low) == other.interval
    assert low < met.score < high
    assert found.of("liao", "liao") is None
    for row in found.standings:
        own = [met for met in found.encounters if met.first == row.entrant]
        assert (row.points, row.games) == (sum(m.points for m in own), sum(m.games for m in own))


def test_seeds_that_disagree_widen_the_interval_of_a_score() -> None:
    results = league({"liao": 0.0}, references={"greedy": 0.0}, spread=0)

    def interval(*shares: float) -> tuple[float, float]:
        """That of 40 games a seed, of which liao wins a share."""
        pairings = tuple(
            replace(
                game, points=tuple(float(place < 40 * shares[game.seed - 1]) for place in range(40))
            )
            for game in results.pairings
        )
        met = standings_of(replace(results, pairings=pairings), "time").of("liao", "greedy")
        assert met is not None
        assert met.interval is not None
        assert 0 <= met.interval[0] <= met.score <= met.interval[1] <= 1
        return met.interval

    assert interval(1.0, 0.5, 0.0) == (0.0, 1.0)
    low, high = interval(0.5, 0.5, 0.5)
    # Seeds that agree leave the chance in games.
    assert 0.3 < low < 0.45 < 0.55 < high < 0.7
    low, high = interval(1.0, 1.0, 1.0)
    assert 0.8 < low < 1.0 == high


def test_nash_averages_are_between_methods_alone() -> None:
    found = standings_of(league(STRENGTHS, pairs=100, spread=0), "time")
    best, *others = found.methods
    assert (best.entrant, best.nash_share, best.nash_average) == ("patterns", 1.0, 0.0)
    for row in others:
        assert row.nash_share == 0.0
        assert row.nash_average == pytest.approx(STRENGTHS[row.entrant] - 220, abs=40)
    assert all(row.nash_share is None for row in found.standings if row.rank is None)


def test_methods_that_cannot_be_told_apart_share_a_rank() -> None:
    """A rank is 1 and the number of methods whose lead over it surely is above 0."""
    equal = {"liao": 0.0, "squares": 0.0, "online": 0.0}
    found = standings_of(league({**equal, "patterns": 400.0, "edgar": -400.0}, spread=20), "time")
    assert {row.entrant: row.rank for row in found.methods} == {
        "patterns": 1, "liao": 2, "squares": 2, "online": 2, "edgar": 5,
    }  # fmt: skip
    two = standings_of(league(STRENGTHS, seeds=(7, 8)), "time")
    assert {row.rank for row in two.methods} == {1}  # nothing is sure of two seeds


@pytest.mark.parametrize("seeds", [(1, 2, 3), (1, 2, 3, 4, 5)])
def test_nash_averages_have_intervals_by_openings_or_by_five_seeds(seeds: tuple[int, ...]) -> None:
    results = league(STRENGTHS, seeds=seeds, pairs=6)
    found = standings_of(results, "time")
    names = sorted(STRENGTHS)
    units: dict[tuple[int, int], list[LeaguePairing]] = {}
    for game in results.pairings:
        if game.condition == "time" and {game.first, game.second} <= {*names}:
            for place in range(0, len(game.points), 2):
                one = replace(game, points=game.points[place : place + 2])
                units.setdefault((game.seed, 0 if len(seeds) == 5 else place), []).append(one)
    points, games = np.zeros((2, len(units), len(names), len(names)))
    for unit, played in enumerate(units.values()):
        for game in played:
            for first, second, won in (
                (game.first, game.second, sum(game.points)),
                (game.second, game.first, 2 - sum(game.points)),
            ):
                points[unit, names.index(first), names.index(second)] += won
                games[unit, names.index(first), names.index(second)] += 2
    strata = np.array([0 if len(seeds) == 5 else seed for seed, _ in units])
    expected = dict(zip(names, nash_intervals(points, games, strata), strict=True))
    for row in found.methods:
        low, high = (end * 400 / math.log(10) for end in expected[row.entrant])
        assert row.nash_interval == pytest.approx((low, high))
        assert low <= row.nash_average <= high <= 0
    assert all(row.nash_interval is None for row in found.standings if not row.is_ranked)


def test_who_lost_everything_is_rated_at_most_so() -> None:
    results = league(STRENGTHS)
    lost = tuple(
        replace(game, points=(float(game.second == "liao"),) * len(game.points))
        if "liao" in (game.first, game.second)
        else game
        for game in results.pairings
    )
    found = standings_of(replace(results, pairings=lost), "time")
    (row,) = (row for row in found.standings if row.entrant == "liao")
    assert (row.score, row.rating_is, row.nash_is) == (0, "at most", "at most")
    assert row.nash_interval[0] == row.interval[0] == -math.inf
    assert {other.rating_is for other in found.standings if other is not row} == {""}


def test_leads_are_differences_between_neighbours_in_the_ranking() -> None:
    found = standings_of(league(STRENGTHS), "time")
    methods = found.methods
    for row, following in pairwise(methods):
        assert row.lead == pytest.approx(row.rating - following.rating)
        shared = [row.by_seed[seed] - following.by_seed[seed] for seed in found.seeds]
        low, high = mean_interval(shared)
        assert row.lead_interval[0] <= low + 1e-9
        assert row.lead_interval[1] >= high - 1e-9
    assert methods[-1].lead is None


def test_a_league_without_lines_is_rated_around_the_mean_of_methods() -> None:
    found = standings_of(league(STRENGTHS, references={}), "time")
    assert sum(row.rating for row in found.standings) == pytest.approx(0, abs=1e-9)
    assert found.zero == "the mean of all methods"


def without(results: LeagueResults, *, name: str, seed: int) -> LeagueResults:
    """The same league, where a player of a seed has not played yet."""
    return replace(
        results,
        pairings=tuple(
            game
            for game in results.pairings
            if not (game.seed == seed and name in (game.first, game.second))
        ),
    )


def test_an_unfinished_league_rates_what_it_can() -> None:
    results = league(STRENGTHS)
    found = standings_of(without(results, name="liao", seed=2), "time")
    rows = {row.entrant: row for row in found.standings}
    assert [*rows["liao"].by_seed] == [1, 3]
    assert [*rows["online"].by_seed] == [1, 2, 3]
    assert found.seeds == (1, 2, 3)
    lacking = standings_of(without(results, name="random", seed=2), "time")
    assert lacking.seeds == (1, 3)
    assert "Seed 2" in lacking.notes[1]


def test_without_a_game_nobody_has_a_rating_or_a_rank() -> None:
    found = standings_of(replace(league(STRENGTHS), pairings=()), "time")
    assert {(row.rating, row.rank, row.score) for row in found.standings} == {(None, None, None)}
    assert found.encounters == found.seeds == ()


def test_who_does_not_play_under_a_condition_takes_nothing_from_the_others() -> None:
    """Such as strategies that evolve before each move, which have no depth."""
    results = league(STRENGTHS)
    for name in ("online", "greedy"):
        some = tuple(g for g in results.pairings if name not in (g.first, g.second))
        found = standings_of(replace(results, pairings=some), "depth")
        (absent,) = (row for row in found.standings if not row.games)
        assert (absent.entrant, absent.rating, absent.rank) == (name, None, None)
        assert absent.is_ranked is (name == "online")
        assert found.seeds == (1, 2, 3)
        assert f"Without a game under this condition: {name}." in found.notes
        assert all(row.nash_share is not None for row in found.methods)


def test_nash_averages_wait_for_all_pairs_of_methods() -> None:
    results = league(STRENGTHS)
    some = replace(
        results,
        pairings=tuple(
            game for game in results.pairings if {game.first, game.second} != {"liao", "online"}
        ),
    )
    found = standings_of(some, "time")
    assert all(row.nash_share is None for row in found.standings)
    assert "liao and online have not met" in found.notes[-1]
    assert found.methods[0].rank == 1


def test_standings_are_json_and_wrong_pairings_are_refused() -> None:
    results = league(STRENGTHS)
    data = json.loads(json.dumps(standings_of(results, "time").to_dict()))
    assert data["standings"][0]["entrant"] == "patterns"
    assert data["standings"][0]["score"] > 0.5
    assert len(data["encounters"]) == 30
    game = results.pairings[0]
    for wrong, says in (
        (replace(game, first="nobody"), "entrants"),
        (replace(game, points=game.points[1:], hashes=game.hashes[1:]), "whole pairs"),
        (replace(game, hashes=game.hashes[2:]), "hash"),
    ):
        with pytest.raises(ValueError, match=says):
            standings_of(replace(results, pairings=(wrong,)), "time")
