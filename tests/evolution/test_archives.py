"""Archives of opponents: the sources' rules on random tables, and as part of a run."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from scipy.optimize import linprog

import evoply as ep
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, Generation, evolve
from evoply.evolution.individuals import Remembered
from evoply.evolution.islands import IslandsConfig, evolve_islands
from evoply.evolution.play.archives import (
    distinguishing,
    drawn,
    fronts_of,
    nash_memory,
    pareto_archive,
    with_champion,
)
from evoply.protocols import ConfigError

WHOLE = 40


@some.composite
def tables(draw: Any) -> np.ndarray:
    """Half points of everybody against everybody: 40 a pair, 20 against oneself."""
    count, most = draw(some.integers(1, 9)), draw(some.sampled_from([1, 3, 20]))
    points = np.full((count, count), WHOLE // 2)
    for one, other in itertools.combinations(range(count), 2):
        points[one, other] += draw(some.integers(-most, most))
        points[other, one] = WHOLE - points[one, other]
    return points


def value_against(payoffs: np.ndarray, mixture: np.ndarray) -> float:
    """What the best answer to *mixture* gets."""
    return float((payoffs @ mixture).max())


def is_in_some_equilibrium(payoffs: np.ndarray, who: int) -> bool:
    count = len(payoffs)
    found = linprog(
        -np.eye(count)[who], A_ub=payoffs, b_ub=np.zeros(count), A_eq=np.ones((1, count)),
        b_eq=[1.0], bounds=(0, 1),
    )  # fmt: skip
    return found.x is not None and bool(found.x[who] > 1e-6)


@given(table=tables(), size=some.integers(2, 9))
def test_a_nash_memory_keeps_the_mixture_that_nobody_beats(table: np.ndarray, size: int) -> None:
    payoffs = (table - table.T) / WHOLE
    everybody: list[int] = []
    shares: list[float] = []
    ranks: list[int] = []
    for now in range(len(table)):
        met = [*everybody, now]
        before = dict(zip(everybody, shares, strict=True))
        gain = sum(share * payoffs[now, each] for each, share in before.items())
        kept = nash_memory(table[np.ix_(met, met)], shares, ranks, now=now, size=size)
        everybody = [met[each] for each in kept.members]
        assert len(everybody) <= size
        assert sum(kept.shares) == pytest.approx(1)
        if before and gain <= 0.9e-3:
            assert everybody == met[:-1]
            assert kept.shares == pytest.approx(shares)
        elif gain > 1.1e-3 or not before:
            inner = payoffs[np.ix_(met, met)]
            support = [share > 0 for share in kept.shares]
            if len(met) <= size:
                # All who were met: the mixture is an equilibrium of them.
                mixture = np.zeros(len(met))
                mixture[kept.members] = kept.shares
                assert value_against(inner, mixture) <= 1e-3
                assert all(is_in_some_equilibrium(inner, met.index(each)) for each, is_in
                           in zip(everybody, support, strict=True) if is_in)  # fmt: skip
                # Nobody goes but a newcomer that is no part of the mixture.
                assert set(met) - set(everybody) <= {now}
            if len(everybody) < len(met) and now in everybody:
                # Who goes left the mixture no later than anybody who stays outside it.
                gone = set(met) - set(everybody)
                known = dict(zip(met, [*ranks, now], strict=True))
                stay = [known[each] for each, is_in in zip(everybody, support, strict=True)
                        if not is_in]  # fmt: skip
                assert all(known[each] <= min(stay, default=now) for each in gone)
        shares, ranks = kept.shares, kept.ranks
        for share, rank in zip(shares, ranks, strict=True):
            assert (share > 0) == (rank == now)


def dominates(one: Any, other: Any) -> bool:
    return all(a >= b for a, b in zip(one, other, strict=True)) and tuple(one) != tuple(other)


@given(table=tables())
def test_fronts_are_those_of_the_definition(table: np.ndarray) -> None:
    rows = [tuple(row) for row in table.tolist()]
    left = [each for each in range(len(rows)) if rows[each] not in rows[:each]]
    for front in fronts_of(table, range(len(table))):
        assert front == [
            each for each in left if not any(dominates(rows[other], rows[each]) for other in left)
        ]
        left = [each for each in left if each not in front]
    assert not left


@given(table=tables(), layers=some.integers(1, 3), size=some.integers(2, 9))
def test_a_pareto_archive_makes_every_distinction(
    table: np.ndarray, layers: int, size: int
) -> None:
    met: list[int] = []
    shares: list[float] = []
    ranks: list[int] = []
    for now in range(len(table)):
        candidates = [*met, now]
        kept = pareto_archive(
            table[np.ix_(candidates, candidates)], shares, ranks, layers=layers, size=size
        )
        tests = [*(each for each, share in zip(met, shares, strict=True) if share > 0), now]
        champions = [*(each for each, rank in zip(met, ranks, strict=True) if rank > 0), now]
        met = [candidates[each] for each in kept.members]
        shares, ranks = kept.shares, kept.ranks
        assert len(met) <= size
        assert sum(shares) == pytest.approx(1)
        assert len({share for share in shares if share > 0}) == 1
        assert set(ranks) <= set(range(layers + 1))
        assert {each for each, rank in zip(met, ranks, strict=True) if rank > 0} <= set(champions)
        layer = {each: rank for each, rank in zip(met, ranks, strict=True) if rank > 0}
        asked = [each for each, share in zip(met, shares, strict=True) if share > 0]
        for one, other in itertools.permutations(layer, 2):
            if min(layer[one], layer[other]) < max(layer[one], layer[other]) - 1:
                continue
            if any(table[one, test] > table[other, test] for test in tests):
                assert any(table[one, test] > table[other, test] for test in asked)
        if len(candidates) <= size:
            rows = {each: tuple(table[each, tests]) for each in champions}
            first = [
                each for each in champions
                if not any(dominates(rows[other], rows[each]) for other in champions)
            ]  # fmt: skip
            # Of equals one stays.
            assert {rows[each] for each in layer if layer[each] == 1} == {rows[e] for e in first}
            # Nobody stays for nothing.
            assert all(share > 0 or rank > 0 for share, rank in zip(shares, ranks, strict=True))


def test_an_opponent_that_tells_nobody_apart_goes() -> None:
    points = np.array([[20, 30, 10, 20], [10, 20, 30, 20], [30, 10, 20, 20], [20, 20, 20, 20]])
    assert distinguishing(points, [[0, 1, 2]], [3]) == []
    # Of three in a circle each pair is told apart both ways, which takes all three.
    assert distinguishing(points, [[0, 1, 2]], [0, 1, 2, 3]) == [0, 1, 2]
    assert distinguishing(points, [[0], [1], [2]], [0, 1, 2, 3]) == [0, 2]
    # Only 2 is worse than 1 against the first of them, and better against the last.
    assert distinguishing(points, [[1], [2]], [0, 1, 2, 3]) == [0, 1]


def test_a_circle_stays_in_every_archive() -> None:
    """Rock, paper and scissors: the last to come does not drive out the first.

    A single layer would forget: paper is better than rock against both, until scissors come.
    """
    circle = np.array([[20, 0, 40], [40, 20, 0], [0, 40, 20]])
    for archive in ("nash", "pareto"):
        shares: list[float] = []
        ranks: list[int] = []
        for now in range(3):
            known = circle[: now + 1, : now + 1]
            kept = (
                nash_memory(known, shares, ranks, now=now, size=5)
                if archive == "nash"
                else pareto_archive(known, shares, ranks, layers=2, size=5)
            )
            assert kept.members == list(range(now + 1)), archive
            shares, ranks = kept.shares, kept.ranks
        if archive == "nash":
            assert shares == pytest.approx([1 / 3] * 3)


def remembered(shares: list[float]) -> list[Remembered]:
    return [Remembered(place, place, (), share, 1) for place, share in enumerate(shares)]  # type: ignore[arg-type]


@given(
    shares=some.lists(some.sampled_from([0.0, 0.1, 0.5, 2.0]), max_size=6),
    count=some.integers(0, 7),
    seed=some.integers(0, 2**32),
)
def test_members_are_drawn_once_and_only_with_a_share(
    shares: list[float], count: int, seed: int
) -> None:
    found = [entry.generation for entry in drawn(remembered(shares), count, Stream(seed))]
    assert found == sorted(set(found))
    assert len(found) == min(count, sum(share > 0 for share in shares))
    assert all(shares[place] > 0 for place in found)


def test_members_are_drawn_by_their_shares() -> None:
    counts = np.zeros(3)
    for seed in range(4000):
        (entry,) = drawn(remembered([0.2, 0.5, 0.3]), 1, Stream(seed))
        counts[entry.generation] += 1
    assert counts / 4000 == pytest.approx([0.2, 0.5, 0.3], abs=0.03)


# As part of a run.


def small(archive: str, **changes: Any) -> EvolutionConfig:
    earlier = {"champions": 3, "recent": 1, "pairs": 2, "archive": archive, **changes}
    settings: dict[str, Any] = {
        "game": "othello-4",
        "seed": 5,
        "population_size": 16,
        "generations": 7,
        "fitness": {
            "opponents": [{"player": "random", "pairs": 1}],
            "earlier_generations": earlier,
            "opening_plies": 3,
        },
        "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 2},
    }
    return EvolutionConfig(**settings)


@pytest.fixture(scope="module", params=["nash", "pareto"])
def run(request: Any) -> list[Generation]:
    return list(evolve(small(request.param, size=4)))


def test_a_run_remembers_at_most_so_many(run: list[Generation]) -> None:
    sizes = [len(generation.memory) for generation in run]
    assert sizes[0] == 1
    assert max(sizes) > 1
    assert max(sizes) <= 4
    for generation in run:
        memory = generation.memory
        assert {entry.tree for entry in memory} <= {entry.tree for entry in generation.archive}
        points = np.array([entry.half_points for entry in memory])
        assert np.array_equal(points + points.T, np.full(points.shape, 8))
        assert sum(entry.share for entry in memory) == pytest.approx(1)


def test_a_resumed_run_is_an_unbroken_one(run: list[Generation]) -> None:
    config = run[0].config
    for number in (0, 3):
        went_on = list(evolve(config, resume_from=run[number], threads=2))
        assert [g.digest for g in went_on] == [g.digest for g in run[number + 1 :]]
        assert [g.memory for g in went_on] == [g.memory for g in run[number + 1 :]]


def test_its_games_are_counted(run: list[Generation], monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the difference to a run that plays the same games and does not count them."""

    def uncounted(*arguments: Any) -> Any:
        memory, games, work = with_champion(*arguments)
        assert (games > 0) == (work > 0)
        return memory, 0, 0

    monkeypatch.setattr("evoply.evolution.loop.with_champion", uncounted)
    less = list(evolve(run[0].config))
    played = 0
    for before, after, other in zip([None, *run], run, less, strict=False):
        if before is not None and len(after.archive) > len(before.archive):
            played += 4 * len(before.memory)
        assert after.memory == other.memory
        assert after.census.total_games - other.census.total_games == played
        assert (after.census.total_work > other.census.total_work) == (played > 0)
    assert played > 0


def test_a_run_is_kept_and_its_games_are_played_again(
    run: list[Generation], tmp_path: Path
) -> None:
    with ep.Run.create(tmp_path / "kept", run[0].config) as folder:
        for generation in run:
            folder.save(generation)
    with ep.Run.open(tmp_path / "kept") as folder:
        for generation in run:
            stored = folder.generation(generation.number)
            assert stored.memory == generation.memory
            assert stored.digest == generation.digest
        last = run[-1].number
        assert ep.replay(folder, last, 3).game.position.outcome() is not None


def test_a_damaged_archive_is_refused(run: list[Generation]) -> None:
    last = run[-1]
    wrong = replace(last.memory[0], half_points=(1,) * 9)
    with pytest.raises(ValueError, match="without all results"):
        replace(last, memory=(wrong, *last.memory[1:])).check()
    changed = {
        replace(last, memory=memory).digest
        for memory in ((), last.memory[1:], (wrong, *last.memory[1:]))
    }
    assert len({last.digest, *changed}) == 4


def test_opponents_come_from_the_archive(run: list[Generation]) -> None:
    for before, after in itertools.pairwise(run):
        labels = [result.opponent for result in after.fresh[1:]]
        newest = f"champion of generation {before.archive[-1].generation}"
        assert labels[-1] == newest
        asked = {f"champion of generation {e.generation}" for e in before.memory if e.share > 0}
        assert set(labels[:-1]) <= asked - {newest}
        assert len(labels) == 1 + min(2, len(asked - {newest}))


def test_where_there_is_no_such_archive_nothing_changes() -> None:
    usual = small("hall_of_fame")
    earlier = usual.resolved_settings()["fitness"]["earlier_generations"]
    assert earlier == {"champions": 3, "recent": 1, "pairs": 2}
    assert not list(evolve(usual))[-1].memory
    assert small("nash").resolved_settings()["fitness"]["earlier_generations"]["size"] == 20


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"archive": "best"}, "archive"),
        ({"archive": "nash", "layers": 3}, "layers is for archive = pareto"),
        ({"archive": "hall_of_fame", "size": 9}, "size is for archive = nash and pareto"),
        ({"archive": "pareto", "champions": 0, "recent": 0}, "set champions"),
        ({"archive": "pareto", "size": 1}, "size"),
    ],
)
def test_settings_that_do_not_fit_are_refused(changes: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        small(**changes)


def test_an_archive_needs_both_colours() -> None:
    config = small("nash").model_dump()
    config["fitness"]["sides"] = "white"
    with pytest.raises(ConfigError, match="both colours"):
        EvolutionConfig(**config)


def test_every_island_has_its_own_archive() -> None:
    settings = small("pareto").model_dump(include={"game", "seed", "population_size", "fitness"})
    config = IslandsConfig(
        **settings, generations=6, islands={"count": 2, "every": 2, "migrants": 1, "test_pairs": 2}
    )
    steps = list(evolve_islands(config))
    one, other = (island.memory for island in steps[-1].generations)
    assert one
    assert other
    assert {entry.tree for entry in one} != {entry.tree for entry in other}
    resumed = [step.digest for step in evolve_islands(config, resume_from=steps[0])]
    assert resumed == [step.digest for step in steps[1:]]
