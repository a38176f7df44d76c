"""Maps of players on a cluster: the same for any number of workers."""

from __future__ import annotations

from typing import Any

import pytest
from fake_pool import FakePool

from evoply.cluster import Dispatcher
from evoply.evolution import MapElites, MapElitesConfig
from evoply.kinds import KINDS
from evoply.protocols import steps

SETTINGS: dict[str, Any] = {
    "game": "othello-4",
    "generations": 2,
    "batch": 8,
    "fitness": {"opponents": [{"player": "greedy", "pairs": 2}], "opening_plies": 2},
    "hall_of_fame": {"candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 2},
}


@pytest.mark.parametrize("workers", [1, 3])
def test_workers_play_the_same_games(workers: int) -> None:
    config = MapElitesConfig(**SETTINGS)
    alone = [step.digest for step in steps(MapElites(threads=1), config)]
    with FakePool(workers) as pool:
        learner = MapElites(cluster=Dispatcher(pool, check_share=0.0))
        found = list(steps(learner, config))
        ending = KINDS["map-elites"].learners.end(learner, config, found[-1])
    assert [step.digest for step in found] == alone
    assert pool.done
    assert (
        ending.champion == KINDS["map-elites"].learners.end(MapElites(), config, found[-1]).champion
    )


def test_what_cannot_be_sent_is_named() -> None:
    opponent = {"player": "material:time=0.01", "pairs": 1}
    fitness = {"opponents": [opponent], "allow_irreproducible": True}
    config = MapElitesConfig(**{**SETTINGS, "game": "othello", "fitness": fitness})
    with pytest.raises(ValueError, match=r"cluster: fitness\.opponents\.0\.player"):
        KINDS["map-elites"].learners.check_sendable(config)
