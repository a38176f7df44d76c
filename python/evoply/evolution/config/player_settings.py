"""Consequences of the players that a config names: files, machines, reproducibility."""

from typing import TypeVar

from evoply._native import Stream
from evoply.arena.on_cluster import check_game
from evoply.evolution.breeding.first_generation import random_individuals
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.individual import shape_of
from evoply.evolution.play.opponents import (
    is_certain,
    player_texts,
    read_opponent,
    with_players,
    without_file,
)
from evoply.own_code import OwnCode
from evoply.players.own_player import OwnPlayer, says_reproducible
from evoply.wording import shorten

_Config = TypeVar("_Config", bound=EvolutionConfig)


def self_contained(config: _Config) -> _Config:
    """Return *config* with players from files written out; the digests stay equal."""
    data = config.model_dump(mode="python")
    data["fitness"] = with_players(
        data["fitness"], lambda player: without_file(player, config.game)
    )
    initialisation = data["initialisation"]
    initialisation["seeds"] = [without_file(seed, config.game) for seed in initialisation["seeds"]]
    return type(config)(**data)


def check_sendable(config: EvolutionConfig, *, is_whole: bool = False) -> None:
    """Raise `ValueError` if a run of *config* needs what other machines do not have.

    If it *is_whole*, one worker makes all of it, and may have the same Python files.
    """
    check_game(config.game)
    if config.player.code is not None and not is_whole:
        raise ValueError(
            "cluster: player.code: workers get players as data, never Python - run without a "
            "cluster, or as an experiment on workers that have the same file"
        )
    for path, text in player_texts(config.fitness):
        player = read_opponent(text, config.game)
        if not is_certain(player) or not (player.is_portable or is_whole):
            raise ValueError(
                f"cluster: fitness.{path}: {shorten(player.label)} is a program on this machine, "
                "or may play otherwise next time, and cannot be sent to others - leave it out, or "
                "run without a cluster"
            )


def is_reproducible(config: EvolutionConfig) -> bool:
    """Return whether the run can be repeated: every opponent plays the same game again."""
    texts = {text for _, text in player_texts(config.fitness)}
    if not config.fitness.allow_irreproducible:
        return True
    # An individual's own player may say that it repeats its games, but here it need not.
    return config.player.code is None and all(
        is_certain(read_opponent(text, config.game)) for text in texts
    )


def check_own_players(config: EvolutionConfig) -> None:
    """Raise `ValueError` unless the players in Python of *config* can be had; imports their files.

    The player of the individuals must say that it is reproducible, unless the config allows
    others. Nothing else in a config asks for the file: a run can be read without it.
    """
    for path, text in player_texts(config.fitness):
        player = read_opponent(text, config.game)
        if isinstance(player, OwnPlayer):
            _made(f"fitness.{path}", player)
    if config.player.code is None:
        return
    code = OwnCode.from_text(config.player.code)
    if not config.fitness.allow_irreproducible and not says_reproducible(code):
        raise ValueError(
            f"player.code: {code.label} does not say that it plays the same game again: write "
            "reproducible = True into its class (or set fitness.allow_irreproducible = true, and "
            "the run is marked)"
        )
    primitives, depth = config.primitive_set, config.initialisation.min_depth
    (tree,) = random_individuals(
        shape_of(config.individual, primitives) or primitives, config.initialisation.method, 1,
        Stream(0), min_depth=depth, max_depth=config.initialisation.max_depth,
        limits=config.limits.of_trees, duplicates="allow",
    )  # fmt: skip
    player = config.game_settings.player(tree)
    assert isinstance(player, OwnPlayer)
    _made("player.code", player)


def _made(path: str, player: OwnPlayer) -> None:
    try:
        player.made()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
