"""Islands on a cluster: the same steps for any number of workers, whatever happens to them."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest
from fake_pool import FakePool

from evoply.cluster import Dispatcher
from evoply.cluster.processes import ProcessPool
from evoply.evolution.islands import IslandEvolution, IslandsConfig, evolve_islands
from evoply.evolution.islands.migration import epoch_part, epoch_unit
from evoply.kinds import KINDS
from evoply.protocols import Answer, UnitError, WrongResultError, packed, unpacked

SETTINGS: dict[str, Any] = {
    "game": "othello-4",
    "generations": 6,
    "population_size": 20,
    "fitness": {"opponents": [{"player": "greedy", "pairs": 2}]},
    "islands": {
        "count": 3,
        "every": 2,
        "migrants": 2,
        "test_pairs": 5,
        "changes": [{}, {"population_size": 15}],
    },
}


def config(**keys: Any) -> IslandsConfig:
    return IslandsConfig(**{**SETTINGS, **keys})


@cache
def expected() -> list[str]:
    return [step.digest for step in evolve_islands(config(), threads=1)]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_any_number_of_workers_makes_the_same_steps(workers: int) -> None:
    with FakePool(workers) as pool:
        cluster = Dispatcher(pool, check_share=1.0 if workers > 1 else 0.0)
        assert [step.digest for step in evolve_islands(config(), cluster=cluster)] == expected()


def test_processes_make_the_same_steps() -> None:
    with ProcessPool(2) as pool:
        steps = list(evolve_islands(config(), cluster=Dispatcher(pool, check_share=0.0)))
    assert [step.digest for step in steps] == expected()


def test_lost_workers_lose_nothing() -> None:
    with FakePool(3, seed=4, losses=0.4) as pool:
        cluster = Dispatcher(pool)
        assert [step.digest for step in evolve_islands(config(), cluster=cluster)] == expected()
        assert cluster.lost > 0


@pytest.mark.parametrize("lie", ["bit", "nothing", "noise"])
def test_a_wrong_result_is_not_taken(lie: str) -> None:
    liar, refused = frozenset({"fake-0"}), pytest.raises(WrongResultError, match="worker")
    with FakePool(1, seed=2, liars=liar, lie=lie) as pool, refused:
        list(evolve_islands(config(), cluster=Dispatcher(pool, check_share=0.0)))


@pytest.mark.parametrize("change", ["digest", "number", "games", "size"])
def test_an_answer_that_is_another_islands_is_not_taken(change: str) -> None:
    class Liar:
        slots = 1

        def results(self, function: Any, parts: Any, *, same: Any) -> Any:
            for place, part in enumerate(parts):
                answer, _ = unpacked(function(part))
                kept = answer["generation"]
                if change == "digest":
                    answer["digest"] = "0"
                elif change == "number":
                    kept["number"] += 1
                elif change == "games":
                    kept["census"]["total_games"] = None
                else:
                    kept["individuals"].pop()
                yield Answer(place, packed(answer), 0.0, "tcp://liar")

    with pytest.raises(WrongResultError, match="worker tcp://liar"):
        IslandEvolution(cluster=Liar()).first(config())


def test_a_unit_that_fails_says_why() -> None:
    (island, *_) = config().of_islands
    header, _ = unpacked(epoch_unit(island, None, 2))
    header["config"] = header["config"].replace("othello-4", "othello-5")

    with FakePool(1) as pool:
        cluster = Dispatcher(pool, check_share=0.0)
        with pytest.raises(UnitError, match="othello-5"):
            list(cluster.results(epoch_part, [packed(header)]))


def test_what_cannot_be_sent_is_refused() -> None:
    timed = {
        "allow_irreproducible": True,
        "opponents": [{"player": "material:time=0.01", "pairs": 1}],
    }
    learners = KINDS["islands"].learners
    learners.check_sendable(config())
    with pytest.raises(ValueError, match="cluster: fitness"):
        learners.check_sendable(config(fitness=timed))
