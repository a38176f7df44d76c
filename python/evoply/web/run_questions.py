"""The first step of the form of a new run: what it can ask of people, for each game.

The answers are values of the same settings as all others, by path. This module knows which there
are to choose from: sets of primitives, features, patterns, opponents.
"""

import tomllib
from collections.abc import Iterator, Mapping, Sequence
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
from evoply.games import GAMES, game_rules
from evoply.web.ladder import levels_of
from evoply.web.run_messages import GameChoice, MemberShown, OptionShown, SetShown, TicksShown

_SETS = tomllib.loads((files("evoply.web") / "primitive_sets.toml").read_text(encoding="utf-8"))
"""Sets that are worth choosing in a game, the most usual first; a preset may have yet another."""

_NEW_ROWS: Mapping[str, str] = {"features": "name", "patterns": "squares"}
"""Lists of learners that are ticked, and the column of a row that a tick stands for."""


def games_to_choose() -> list[GameChoice]:
    """Return the games that a run can have."""
    return [GameChoice(name=name, title=game_rules(name).title) for name in GAMES]


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
    return [*_opponents(config), *_rows_of_learners(config)]


def _opponents(config: Any) -> Iterator[TicksShown]:
    """Yield the players that a run of evolution may be trained against."""
    if not isinstance(getattr(config, "fitness", None), Fitness):
        return
    options = [
        OptionShown(value=level.player, title=level.title, about=level.about)
        for level in levels_of(config.game)
        if may_train(level.player, config.game)
    ]
    known = {option.value for option in options}
    options += [
        OptionShown(value=opponent.player, title=opponent.player)
        for opponent in config.fitness.opponents
        if opponent.player not in known
    ]
    rows = config.fitness.opponents
    yield TicksShown(
        path="fitness.opponents",
        column="player",
        title="Opponents",
        note="Every individual plays against all of these. Strong ones take longer.",
        options=options,
        new_row={"pairs": rows[0].pairs if rows else 5, "games": None},
    )


def may_train(player: str, game: str) -> bool:
    """Whether a run of *game* may be trained against *player*."""
    fitness = Fitness.model_validate({"opponents": [{"player": player}]})
    return not list(fitness.player_problems(game))


def _rows_of_learners(config: Any) -> Iterator[TicksShown]:
    """Yield what a learner without trees measures, if its config lists that."""
    for path, column in _NEW_ROWS.items():
        if not hasattr(config, path):
            continue
        rows = [getattr(row, column) for row in getattr(config, path)]
        known = dict(_known_features(config.game) if path == "features" else _patterns(rows))
        if not known:  # squares by name say little to people
            continue
        options = [
            OptionShown(value=value, title=value.replace("_", " "), about=about)
            for value, about in known.items()
        ]
        options += [OptionShown(value=row, title=row) for row in rows if row not in known]
        yield TicksShown(
            path=path,
            column=column,
            title="What it measures",
            note="Each of these gets weights that learning finds."
            if path == "features"
            else "The contents of these squares are looked up in tables that learning fills.",
            options=options,
            new_row={},
        )


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


def _patterns(rows: Sequence[str]) -> Mapping[str, str]:
    """Return the named patterns, if the board is theirs: a config that uses one says so."""
    return OTHELLO_PATTERNS if any(row in OTHELLO_PATTERNS for row in rows) else {}


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
