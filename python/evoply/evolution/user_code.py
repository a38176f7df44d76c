"""What a config names outside itself: a user's Python and programs, players in files.

Python is named as `python:FILE.py:NAME`, a program as `command:PROGRAM`. Parts that are given as
arguments of `evolve` are named in the config at the door (`with_parts`), and behind the door there
is only the config. Consequences for files, machines and reproducibility stand here, too.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from evoply._native import Stream
from evoply.arena.on_cluster import check_game
from evoply.configs.own_code import OwnCode, is_own_code, other_codes, qualified_name, text_of
from evoply.configs.part import keys_of
from evoply.evolution.breeding.first_generation import random_individuals
from evoply.evolution.breeding.own_operators import OwnOperator, OwnOperators
from evoply.evolution.config.breeding import shape_of
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.own import OwnFitness, PythonFitness, named_fitness
from evoply.evolution.operators import Operator
from evoply.evolution.play.opponents import (
    is_certain,
    player_texts,
    read_opponent,
    with_players,
    without_file,
)
from evoply.evolution.selections import Choose, OwnChoice
from evoply.players.own_player import OwnPlayer, says_reproducible
from evoply.wording import shorten

_Config = TypeVar("_Config", bound=EvolutionConfig)


def with_parts(
    config: EvolutionConfig,
    *,
    fitness: OwnFitness | None = None,
    operators: Mapping[str, OwnOperator | str] | None = None,
    selection: Choose | None = None,
    survival: Choose | None = None,
) -> EvolutionConfig:
    """Return *config* with a user's objects named in it, in place of what is there.

    Raises `TypeError` for an object that cannot be the part it is given as, and `ValueError` for
    one that does not fit.
    """
    if operators is not None and not isinstance(operators, Mapping):
        raise TypeError(
            "operators: give a dict of operators by the names they have in variation.custom, "
            f"not {operators!r:.40}"
        )
    choices = {"selection": selection, "survival": survival}
    given = {what: own for what, own in choices.items() if own is not None}
    if fitness is None and not operators and not given:
        return config
    if survival is not None and config.described is not None:
        raise ValueError(
            f"survival: a function of your own takes the place of the {config.survival.kind} - "
            "leave it out, or leave survival out of the config"
        )
    data = config.model_dump()
    if fitness is not None:
        data["fitness"]["measure"] = named_fitness(fitness).model_dump()
    for name, operator in (operators or {}).items():
        data["variation"]["operators"][name] = _operator_text(operator)
    for what, own in given.items():
        if not callable(own):
            raise TypeError(
                f"{own!r:.60} is no {what}: give a function of candidates, count and stream"
            )
        # It takes the place of one that said which cases the fitness has.
        cases = getattr(config, what).looks_at
        data[what] = {"kind": "python", "cases": cases, **keys_of(own)}
    return type(config)(**data)


def check_given_once(config: EvolutionConfig, named: EvolutionConfig) -> None:
    """Raise `ValueError` if *named* has another part where *config* names one already."""
    for old, _ in other_codes(config.model_dump(), named.model_dump()):
        if old is not None:
            raise ValueError(f"{old.path} is given as an argument, too: leave one out")


def _operator_text(operator: OwnOperator | str) -> str:
    if isinstance(operator, str):
        return operator
    if not isinstance(operator, Operator):
        return text_of(operator)
    settings = repr((operator.rate, operator.takes, operator.individuals))
    return text_of(operator, operator.function, settings)


def check_parts(config: EvolutionConfig) -> None:
    """Raise ValueError unless the user's parts of *config* can be had, and fit.

    Their files are imported.
    """
    own = OwnOperators.of(config.variation)
    measure, choices = config.fitness.measure, {}
    fitness = measure.resolved()
    for what in ("selection", "survival"):
        choices[what] = getattr(config, what)
        if isinstance(choices[what], OwnChoice):
            choices[what].resolved(what)
    for axis in () if config.described is None else config.described.axes:
        if is_own_code(axis.descriptor):
            from evoply.evolution.map_elites.played_games import own_axis

            own_axis(axis.descriptor)
    own.check(config.variation, config.individual)
    # A run that may do without them needs no programs.
    needed = config.proposals.failures and not config.proposals.answers
    for command in own.commands.values() if needed else ():
        command.check()
    if not isinstance(measure, PythonFitness):
        return
    for what, keys in choices.items():
        if keys.looks_at is not None and keys.looks_at not in fitness.cases:
            raise ValueError(
                f"{what} {keys.kind} looks at single {keys.looks_at}, "
                "which a fitness written in Python does not have"
            )
    for path, message in fitness.problems(config.task):
        raise ValueError(f"the fitness {qualified_name(fitness)} does not fit: {path}: {message}")


# Consequences of the players that a config names: files, machines, reproducibility.


def self_contained(config: _Config) -> _Config:
    """Return *config* with players from files written out; the digests stay equal."""
    data = config.model_dump(mode="python")
    data["fitness"] = with_players(
        data["fitness"], lambda player: without_file(player, config.game)
    )
    initialisation = data["initialisation"]
    initialisation["seeds"] = [without_file(seed, config.game) for seed in initialisation["seeds"]]
    if config.refit is not None:
        data["refit"]["teacher"] = without_file(config.refit.teacher, config.game)
        data["refit"]["players"] = [
            without_file(text, config.game) for text in config.refit.players
        ]
    return type(config)(**data)


def check_sendable(config: EvolutionConfig, *, is_whole: bool = False) -> None:
    """Raise `ValueError` if a run of *config* needs what other machines do not have.

    If it *is_whole*, one worker makes all of it, and may have the same Python files.
    """
    check_game(config.game)
    if is_whole and config.variation.commands:
        raise ValueError(
            f"cluster: variation.operators.{next(iter(config.variation.commands))}: is a program "
            "on this machine, and cannot be sent to others - run without a cluster"
        )
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
