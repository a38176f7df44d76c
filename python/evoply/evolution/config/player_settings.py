"""Consequences of the players that a config names: files, machines, reproducibility."""

from evoply.arena.on_cluster import check_game
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.play.opponents import (
    is_certain,
    player_texts,
    read_opponent,
    with_players,
    without_file,
)
from evoply.wording import shorten


def self_contained(config: EvolutionConfig) -> EvolutionConfig:
    """Return *config* with players from files written out; the digests stay equal."""
    data = config.model_dump(mode="python")
    data["fitness"] = with_players(
        data["fitness"], lambda player: without_file(player, config.game)
    )
    initialisation = data["initialisation"]
    initialisation["seeds"] = [without_file(seed, config.game) for seed in initialisation["seeds"]]
    return EvolutionConfig(**data)


def check_sendable(config: EvolutionConfig) -> None:
    """Raise `ValueError` if a run of *config* needs what other machines do not have."""
    check_game(config.game)
    for path, text in player_texts(config.fitness):
        player = read_opponent(text, config.game)
        if not is_certain(player):
            raise ValueError(
                f"cluster: fitness.{path}: {shorten(player.label)} is a program on this machine, "
                "or may play otherwise next time, and cannot be sent to others - leave it out, or "
                "run without a cluster"
            )


def is_reproducible(config: EvolutionConfig) -> bool:
    """Return whether the run can be repeated: every opponent plays the same game again."""
    texts = {text for _, text in player_texts(config.fitness)}
    return not config.fitness.allow_irreproducible or all(
        is_certain(read_opponent(text, config.game)) for text in texts
    )
