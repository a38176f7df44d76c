"""The digest of a generation: a number that is equal exactly if the computed values are equal.

It covers the config without machine settings and without the limits on a run's length, the
generation's number and seeds, every individual (text, fitness as exact hexadecimal, origin,
parents, its place on a map), the fresh results, the hall of fame, the archive of earlier champions
and the state of the fitness: everything from which the next generation is computed. It never covers
times, paths, hosts or the number of threads.
"""

from dataclasses import replace
from typing import Any, TypeVar

from evoply._native import Stream
from evoply.evolution.breeding.first_generation import is_tree_text
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.individuals import MapPlace
from evoply.evolution.play.opponents import resolved, with_players
from evoply.files import checksum
from evoply.own_code import without_places

_Step = TypeVar("_Step", bound=Any)
PURPOSES = ("breeding", "training", "fresh", "opponents", "final")
"""Every purpose has its own keys: openings of one never occur in another."""


def stream_for(config: EvolutionConfig, purpose: str, generation: int) -> Stream:
    """Return the stream of one purpose in one generation."""
    if purpose not in PURPOSES:
        raise ValueError(f"unknown purpose {purpose!r}")
    return Stream(config.seed, purpose, generation)


def settings_of(config: EvolutionConfig) -> dict[str, Any]:
    """Return the settings of a config that decide results, players resolved, as JSON values."""
    settings = config.decisive()
    if not config.player.is_limited:
        del settings["player"]["ordering"]  # changes no move
    elif config.player.ordering == "usual":
        settings["player"]["ordering"] = "none"  # the usual one where nodes are counted
    settings["fitness"]["opening_plies"] = config.opening_plies
    # A text may name a file: its content counts, not its path.
    settings["fitness"]["opponents"] = [
        {"player": resolved(opponent.player, config.game), "pairs": opponent.pairs}
        | ({} if opponent.games is None else {"games": opponent.games})
        for opponent in config.fitness.opponents
    ]
    settings["fitness"]["measure"] = with_players(
        settings["fitness"]["measure"], lambda player: resolved(player, config.game)
    )
    settings["initialisation"]["seeds"] = [
        seed if is_tree_text(seed) else resolved(seed, config.game)
        for seed in config.initialisation.seeds
    ]
    without_code: dict[str, Any] = without_places(settings)
    return without_code


def completed(generation: _Step) -> _Step:
    """Return *generation*, a `Generation`, with the digest that follows from its values."""
    return replace(generation, digest=digest_of(generation))


def digest_of(generation: Any) -> str:
    """Return the checksum of the values of *generation*, a `Generation`."""
    config, number = generation.config, generation.number
    content = {
        "settings": settings_of(config),
        "generation": number,
        "seeds": {purpose: f"{stream_for(config, purpose, number).key:#x}" for purpose in PURPOSES},
        "individuals": [
            [
                str(individual.tree),
                individual.fitness.hex(),
                individual.origin,
                list(individual.parents),
            ]
            + ([[case.hex() for case in individual.cases]] if individual.cases else [])
            + ([] if individual.place is None else [_of_place(individual.place)])
            for individual in generation.individuals
        ],
        "fresh": [
            [result.opponent, result.best.hex(), result.mean.hex(), result.games]
            for result in generation.fresh
        ],
        "hall_of_fame": [
            [str(entry.tree), entry.generation, entry.points.hex(), entry.games.hex()]
            for entry in generation.hall_of_fame
        ],
        "champion": str(generation.champion),
        "archive": [[str(entry.tree), entry.generation] for entry in generation.archive],
        "state": generation.state,
    }
    return checksum(content)


def _of_place(place: MapPlace) -> dict[str, Any]:
    values = [value.hex() for value in place.description]
    return {"cell": list(place.cell), "description": values, "born": place.born}
