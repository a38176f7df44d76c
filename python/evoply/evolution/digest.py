"""The digest of a generation: a number that is equal exactly if what was computed is equal.

It covers the config without machine settings and without the limits on a run's length, the
generation's number and seeds, every individual (text, fitness as exact hexadecimal, origin,
parents), the fresh results and the hall of fame. It never covers times, paths, hosts or the
number of threads.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evoply._native import Stream
from evoply.evolution.config import EvolutionConfig
from evoply.evolution.generation import FreshResult, HallOfFameEntry, Individual
from evoply.evolution.opponents import read_opponent
from evoply.files import checksum
from evoply.gp import Tree

__all__ = ["PURPOSES", "digest_of", "settings_of", "stream_for"]

PURPOSES = ("breeding", "training", "fresh", "opponents", "final")
"""Every purpose has its own keys: openings of one purpose never show up in another."""


def stream_for(config: EvolutionConfig, purpose: str, generation: int) -> Stream:
    """Return the stream of one purpose in one generation."""
    if purpose not in PURPOSES:
        raise ValueError(f"unknown purpose {purpose!r}")
    return Stream(config.seed, purpose, generation)


def settings_of(config: EvolutionConfig) -> dict[str, Any]:
    """Return what of a config decides results, opponents resolved, as JSON values."""
    settings = config.model_dump(mode="json", exclude={"machine", "generations", "time_limit"})
    # A text may name a file: what was in it counts, not where it lay.
    settings["fitness"]["opponents"] = [
        {
            "player": read_opponent(opponent.player, config.game)
            .self_contained()
            .model_dump(mode="json", exclude={"name"}),
            "pairs": opponent.pairs,
        }
        for opponent in config.fitness.opponents
    ]
    return settings


def digest_of(
    config: EvolutionConfig,
    number: int,
    individuals: Sequence[Individual],
    fresh: Sequence[FreshResult],
    hall_of_fame: Sequence[HallOfFameEntry],
    champion: Tree,
) -> str:
    """Return the checksum of what makes a generation."""
    content = {
        "settings": settings_of(config),
        "generation": number,
        "seeds": {purpose: f"{stream_for(config, purpose, number).key:#x}" for purpose in PURPOSES},
        "individuals": [
            [str(one.tree), one.fitness.hex(), one.origin, list(one.parents)] for one in individuals
        ],
        "fresh": [
            [result.opponent, result.best.hex(), result.mean.hex(), result.games]
            for result in fresh
        ],
        "hall_of_fame": [
            [str(entry.tree), entry.generation, entry.points.hex(), entry.games.hex()]
            for entry in hall_of_fame
        ],
        "champion": str(champion),
    }
    return checksum(content)
