"""The form of a new run, the questions that are asked first, and the config that is made of it.

A form is a preset's values and the JSON Schema of its config, so a new key of a config is in
the form by itself. The page draws it; what it sends is checked here.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Any

from fastapi import HTTPException

from evoply.configs.keys import without_none
from evoply.configs.own_code import carried
from evoply.configs.reference import config_schema
from evoply.configs.run_config import changed_config
from evoply.evolution.fitness import Fitness
from evoply.evolution.play.opponents import player_texts
from evoply.expressions import (
    DIFFERENCES,
    OTHELLO_PATTERNS,
    PRIMITIVE_SETS,
    ExpressionError,
    PrimitiveSet,
)
from evoply.games import GAMES, game_rules
from evoply.kinds import KINDS
from evoply.protocols import ConfigError
from evoply.runs.presets import PRESETS, preset_file, preset_text
from evoply.runs.run import kind_of
from evoply.web.limits import ServerLimits
from evoply.web.messages import levels_of
from evoply.web.run_messages import (
    FormShown,
    GameChoice,
    MemberShown,
    OptionShown,
    SetShown,
    StartRun,
    TicksShown,
    preset_shown,
)
from evoply.web.thinking import read_opponent
from evoply.wording import shorten

# The first step of the form of a new run: what it can ask of people, for each game.
#
# The answers are values of the same settings as all others, by path. This module knows which there
# are to choose from: sets of primitives, features, patterns, opponents.

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


_LOOKS = 5
"""How often a config is looked at without what was wrong before."""
_NONE = re.compile(r"\bNone(:| for(?= ))")


@cache
def _preset_config(name: str) -> Any:
    return KINDS[PRESETS[name].learner].configs.load(preset_file(name))


def form_of(name: str, limits: ServerLimits, game: str | None = None) -> FormShown:
    """Return the form of a run of the preset called *name*; 404 if there is none.

    *game* is the preset's own or another one that it can be made to fit; 404 for any other.
    """
    _check_preset(name)
    preset = preset_shown(name)
    if game is not None and game not in preset.games:
        raise HTTPException(
            404, f"game: {shorten(game)!r} is none of preset {name}, which has {preset.games}"
        )
    config = _preset_config(name)
    fits = fitting(config, game or config.game)
    fitted = changed_config(type(config), config.model_dump(), fits.items(), {})
    schema = for_people(config_schema(type(config)))
    keys = schema["properties"]
    keys["game"]["enum"] = list(GAMES)
    if "population_size" in keys:
        size = keys["population_size"]
        size["maximum"] = min(limits.population, size["maximum"])
    return FormShown(
        preset=preset,
        games=[GameChoice.of(game_rules(name)) for name in GAMES],
        config_schema=schema,
        values=config.model_dump(mode="json"),
        fitting=fits,
        counts=type(config).counts,
        sets=sets_for(fitted),
        ticks=ticks_for(fitted),
        text=preset_text(name),
    )


def _check_preset(name: str) -> None:
    if name not in PRESETS:
        raise HTTPException(
            404, f"preset: no preset is called {shorten(name)!r} - see /api/presets"
        )


def for_people(schema: Any) -> Any:
    """Return *schema* with descriptions that speak of an empty field, not of Python's None."""
    if isinstance(schema, Mapping):
        return {
            key: _NONE.sub("empty:", value)
            if key == "description" and isinstance(value, str)
            else for_people(value)
            for key, value in schema.items()
        }
    return [*map(for_people, schema)] if isinstance(schema, list) else schema


def config_asked(body: StartRun, limits: ServerLimits) -> Any:
    """Return the config that a request asks for.

    Raises `ConfigError` with everything that is wrong and where, also what is beyond *limits*. No
    text of a request may name a file or a program.
    """
    _check_preset(body.preset)
    base = _preset_config(body.preset)
    settings: dict[str, Any] = dict(body.settings)
    found: list[tuple[str, str]] = []
    # What cannot be hides what does not fit with it: look again without it, so that people hear of
    # everything at once.
    for _ in range(_LOOKS):
        try:
            config = _checked(base, settings, limits)
        except ConfigError as error:
            found += [problem for problem in error.errors if not _follows(problem, found)]
            left = _without(settings, base, [path for path, _ in error.errors])
            if left == settings:
                break
            settings = left
        else:
            break
    if found:
        raise ConfigError(found)
    return config


def _checked(base: Any, settings: Mapping[str, Any], limits: ServerLimits) -> Any:
    """Return *base* with *settings*; `ConfigError` with what is wrong, as far as one look tells."""
    # On the whole config: the preset's own text may say the same in a shorter form.
    with carried(with_programs=False):
        config = changed_config(type(base), base.model_dump(), _changes(base, settings), {})
    problems = list(_beyond(config, limits))
    if problems:
        raise ConfigError(problems)
    return config


def _follows(error: tuple[str, str], found: Sequence[tuple[str, str]]) -> bool:
    """Whether *error* may only come of what stands in for values that were *found* wrong."""
    path, message = error
    names = {known.rpartition(".")[2] for known, _ in found}
    words = set(re.findall(r"[a-z_]+", message))
    return path in dict(found) or not words.isdisjoint(names)


def _without(settings: Mapping[str, Any], base: Any, wrong: Sequence[str]) -> dict[str, Any]:
    """Return *settings* without what is *wrong*: the preset's value, or its first row, instead."""
    left = dict(settings)
    for path in wrong:
        # The other keys of a table depend on its kind.
        table = path.removesuffix("kind") if path.endswith(".kind") else f"{path}."
        for key in settings:
            row = path.removeprefix(f"{key}.").partition(".")[0]
            usual = _standing_at(base, key)
            if row.isdecimal() and isinstance(left.get(key), list) and isinstance(usual, tuple):
                left[key] = _with_usual_row(left[key], int(row), usual)
            elif path == key or path.startswith(f"{key}.") or key.startswith(table):
                left.pop(key, None)
    return left


def _with_usual_row(rows: Sequence[Any], place: int, usual: Sequence[Any]) -> list[Any]:
    """Return *rows* with the first of the *usual* ones, if there is any, at *place*."""
    instead = [row.model_dump() if hasattr(row, "model_dump") else row for row in usual[:1]]
    return [*rows[:place], *instead, *rows[place + 1 :]]


def _changes(base: Any, settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what *settings* change in the config *base*, first of which kinds tables are.

    A table of another kind has its defaults: the keys of the one before are not its own.
    """
    for path, value in sorted(settings.items(), key=lambda item: not item[0].endswith(".kind")):
        table, _, key = path.rpartition(".")
        if key == "kind" and table:
            if value != _standing_at(base, path):
                yield table, None if value is None else {"kind": value}
        # A null in a table that does not exist is left out: it would create the table.
        elif value is not None or _standing_at(base, table) is not None:
            yield path, without_none(value)


def _standing_at(config: Any, path: str) -> object:
    """Return what stands at *path*, None if nothing does."""
    value = config
    for part in filter(None, path.split(".")):
        if part.isdecimal() and isinstance(value, tuple):
            value = value[int(part)] if int(part) < len(value) else None
        else:
            value = getattr(value, part, None)
    return value


def _beyond(config: Any, limits: ServerLimits) -> Iterator[tuple[str, str]]:
    """Yield where *config* asks for more than the server starts."""
    size = config.individuals
    if size > limits.population:
        yield (
            "population_size",
            f"{size:,} - runs begun here have at most {limits.population:,} individuals, give less",
        )
    for path, games in kind_of(KINDS, config).configs.games_of_a_step(config).items():
        if games > limits.generation_games:
            fewer = "fewer or a smaller population" if size else "fewer"
            yield (
                path,
                f"{games:,} games a step - runs begun here play at most "
                f"{limits.generation_games:,}, give {fewer}",
            )
    for key, text in player_texts(config) if hasattr(config, "fitness") else ():
        try:
            read_opponent(text, config.game, limits)
        except ValueError as error:
            yield key, str(error)
