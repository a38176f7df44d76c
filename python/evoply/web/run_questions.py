"""The first step of the form of a new run: what it can ask of people, for each game.

The answers are values of the same settings as all others, by path. This module knows which there
are to choose from: sets of primitives, features, patterns, opponents.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from evoply.evolution.fitness import Fitness
from evoply.expressions import (
    DIFFERENCES,
    OTHELLO_PATTERNS,
    PRIMITIVE_SETS,
    ExpressionError,
    PrimitiveSet,
)
from evoply.games import game_rules
from evoply.web.ladder import levels_of
from evoply.web.run_messages import MemberShown, OptionShown, SetShown, TicksShown

_SETS = tomllib.loads((files("evoply.web") / "primitive_sets.toml").read_text(encoding="utf-8"))
"""Sets that are worth choosing in a game, the most usual first; a preset may have yet another."""


def sets_for(config: Any) -> list[SetShown]:
    """Return the sets of primitives to choose from for the game of *config*, its own first.

    None for a learner without trees.
    """
    if not hasattr(config, "primitives"):
        return []
    named = _named_sets(config.game)
    own = config.primitives
    if isinstance(own, str) and own not in named:
        named = {own: f"As the preset has it ({own})", **named}
    return [_set_shown(PRIMITIVE_SETS[name], name, title) for name, title in named.items()]


def _named_sets(game: str) -> dict[str, str]:
    """Return the names and titles of the sets for *game*."""
    return {row["name"]: row["title"] for row in _SETS["set"] if game in row["games"]}


def _set_shown(chosen: PrimitiveSet, name: str, title: str) -> SetShown:
    members = [
        MemberShown(
            name=primitive.name,
            meaning=str(primitive.expression)[:120],
            is_operation=bool(primitive.arity),
        )
        for primitive in chosen
    ]
    return SetShown(name=name, title=title, members=members, definition=chosen.to_dict())


def ticks_for(config: Any) -> list[TicksShown]:
    """Return the lists of *config* whose rows can be chosen by ticks."""
    return [*_opponents(config), *_features(config), *_patterns(config)]


def _ticks(rows: Sequence[Any], known: Iterable[OptionShown], **said: Any) -> TicksShown:
    """Return a list of *rows* with what is *known*, and with what else the rows have."""
    options = list(known)
    values = {option.value for option in options}
    others = [value for row in rows if (value := getattr(row, said["column"])) not in values]
    return TicksShown(
        options=options + [OptionShown(value=value, title=value) for value in others], **said
    )


def _opponents(config: Any) -> Iterator[TicksShown]:
    """Yield the players that a run of evolution may be trained against."""
    if not isinstance(getattr(config, "fitness", None), Fitness):
        return
    rows = config.fitness.opponents
    yield _ticks(
        rows,
        (
            OptionShown(value=level.player, title=level.title, about=level.about)
            for level in levels_of(config.game)
            if may_train(level.player, config.game)
        ),
        path="fitness.opponents",
        column="player",
        title="Opponents",
        note="Every individual plays against all of these. Strong ones take longer.",
        new_row={"pairs": rows[0].pairs if rows else 5, "games": None},
    )


def may_train(player: str, game: str) -> bool:
    """Whether a run of *game* may be trained against *player*."""
    fitness = Fitness.model_validate({"opponents": [{"player": player}]})
    return not list(fitness.player_problems(game))


def _measured(rows: Sequence[Any], known: Mapping[str, str], **said: Any) -> Iterator[TicksShown]:
    """Yield what a learner without trees measures, if names of it are *known*."""
    options = (
        OptionShown(value=value, title=value.replace("_", " "), about=about)
        for value, about in known.items()
    )
    if known:  # squares by name say little to people
        yield _ticks(rows, options, title="What it measures", new_row={}, **said)


def _features(config: Any) -> Iterator[TicksShown]:
    if hasattr(config, "features"):
        note = "Each of these gets weights that learning finds."
        known = dict(_known_features(config.game))
        yield from _measured(config.features, known, path="features", column="name", note=note)


def _patterns(config: Any) -> Iterator[TicksShown]:
    """Yield the named patterns, if the board is theirs: a config that uses one says so."""
    rows = getattr(config, "patterns", ())
    known = OTHELLO_PATTERNS if any(row.squares in OTHELLO_PATTERNS for row in rows) else {}
    note = "The contents of these squares are looked up in tables that learning fills."
    yield from _measured(rows, known, path="patterns", column="squares", note=note)


def _known_features(game: str) -> Iterator[tuple[str, str]]:
    shape = game_rules(game).shape
    for name, feature in DIFFERENCES.items():
        try:
            feature.expression.to_json(shape)
            is_there = feature.scale(shape) > 0
        except (ExpressionError, ArithmeticError):
            continue
        if is_there:
            yield name, feature.title


def fitting(config: Any, game: str) -> dict[str, Any]:
    """Return the settings, by path, that make the config of evolution *config* one of *game*.

    >>> from evoply.evolution import load_config
    >>> fitting(load_config("quick"), "checkers")["primitives"]
    'checkers-positional'
    >>> fitting(load_config("quick"), "othello-6")
    {}
    """
    if config.game == game:
        return {}
    named = [*_named_sets(game)]
    kept = [
        {"player": opponent.player, "pairs": opponent.pairs, "games": opponent.games}
        for opponent in config.fitness.opponents
        if may_train(opponent.player, game)
    ]
    return {
        "game": game,
        "primitives": config.primitives if config.primitives in named else named[0],
        "fitness.opponents": kept or [{"player": "random", "pairs": 5, "games": None}],
        "fitness.opening_plies": "usual",
    }
