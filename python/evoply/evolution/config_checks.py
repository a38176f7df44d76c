"""Errors of a config that no single field can see, and how all of them are reported together.

The checks read the raw mapping, not the model, so that they also run when some field is wrong.
They never raise: what has the wrong type is left to the model, which names it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config_combinations import combination_problems
from evoply.evolution.config_draws import USUAL
from evoply.evolution.config_individual import IndividualShape, shape_of
from evoply.evolution.config_keys import has_key, kinds_at, meant_instead, without_tags
from evoply.evolution.config_part import Problem, part_of
from evoply.evolution.config_starts import start_problems
from evoply.evolution.opponents import is_certain, player_texts, read_opponent
from evoply.evolution.seeds import seed_of
from evoply.expressions import PrimitiveSet, find_primitive_set
from evoply.games import GAMES, game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean

__all__ = ["TEST_OPPONENTS", "config_error", "problems_of"]

TEST_OPPONENTS = frozenset({"swh"})
"""Players that measure a finished champion and are therefore no training opponents."""

_DEEPEST = 20
_MOST_EXPLAINED = 50
"""Errors that are explained with what may have been meant, which takes a while for each."""


def config_error(
    error: ValidationError | None, problems: Sequence[Problem], model: type[BaseModel]
) -> ConfigError:
    """Return one `ConfigError` with the errors of *model* and *problems*, each with its path."""
    items = [] if error is None else error.errors()
    found = [_readable(item, model) for item in items[:_MOST_EXPLAINED]]
    found += [_briefly(item) for item in items[_MOST_EXPLAINED:]]
    return ConfigError(list(dict.fromkeys([*found, *problems])))


def problems_of(data: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong in *data* beyond single fields, as (path, message) pairs."""
    return [
        *_game_problems(data),
        *_draw_problems(data),
        *start_problems(data),
        *_primitive_problems(data),
        *_length_problems(data),
        *_size_problems(data),
        *_opponent_problems(data),
        *_seed_problems(data),
        *combination_problems(data),
    ]


def _briefly(item: Mapping[str, Any]) -> Problem:
    path = ".".join(str(part) for part in item["loc"])
    return path, "unknown key" if item["type"] == "extra_forbidden" else str(item["msg"])


def _readable(item: Mapping[str, Any], model: type[BaseModel]) -> Problem:
    tagged = [str(part) for part in item["loc"]]
    location = without_tags(tagged, model)
    if location[0] == "primitives":
        return "primitives", "must be the name of a primitive set, or a set in its JSON form"
    if item["type"] == "extra_forbidden":
        return _unknown_key(tagged, model)
    if item["type"] in ("union_tag_invalid", "union_tag_not_found"):
        return _kind_problem(location, item, kinds_at(location, model))
    message = str(item["msg"]).removeprefix("Value error, ").replace("Input should", "must")
    if item["type"] == "literal_error" and isinstance(item["input"], str):
        choices = re.findall(r"'(.*?)'", item["ctx"]["expected"])
        return ".".join(
            location
        ), f"{message}, not {item['input']!r}{did_you_mean(item['input'], choices)}"
    path, value = ".".join(location), repr(item.get("input"))
    is_scalar = len(value) <= 60 and not isinstance(item.get("input"), dict | list | BaseModel)
    return path, f"{message}, not {value}" if is_scalar else message


def _unknown_key(location: Sequence[str], model: type[BaseModel]) -> Problem:
    plain = without_tags(location, model)
    path = ".".join(plain)
    if len(plain) < len(location) and has_key(path, model):
        # The tag stands before the key, which is the last.
        return path, f"is no key of kind = {location[-2]!r}"
    return path, f"unknown key{meant_instead(plain, model)}"


def _kind_problem(location: Sequence[str], item: Mapping[str, Any], kinds: list[str]) -> Problem:
    path = f"{'.'.join(location)}.kind"
    listed = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
    if item["type"] == "union_tag_not_found":
        return path, f"is missing: it must be {listed}"
    tag = str(item["ctx"]["tag"])
    return path, f"must be {listed}, not {tag!r}{did_you_mean(tag, kinds)}"


def _game_problems(data: Mapping[str, Any]) -> list[Problem]:
    try:
        game_rules(data.get("game", "othello"))
    except (ValueError, TypeError) as error:
        return [("game", str(error))] if isinstance(data.get("game"), str) else []
    return []


def _primitive_problems(data: Mapping[str, Any]) -> list[Problem]:
    primitives = data.get("primitives", "liao+mobility")
    try:
        if isinstance(primitives, str) and primitives.lstrip().startswith("{"):
            return [("primitives", "is not valid JSON")]
        found = _primitives_in(data)
        if found is None:
            return []
        game = data.get("game", "othello")
        if isinstance(game, str) and not _game_problems(data):
            found.native(game)
        gp.grow(found, 2, Stream(0))
    except (ValueError, TypeError, KeyError) as error:
        return [("primitives", str(error))]
    return _creation_problems(data, found)


def _seed_problems(data: Mapping[str, Any]) -> list[Problem]:
    seeds = part_of(data, "initialisation").get("seeds", ())
    limits = part_of(data, "limits")
    depth, nodes = limits.get("max_depth", 17), limits.get("max_nodes", 200)
    are_whole = type(depth) is int and type(nodes) is int and depth >= 1 and nodes >= 1
    if not seeds or not isinstance(seeds, list | tuple) or not are_whole:
        return []
    try:
        primitives = _primitives_in(data)
        game = data.get("game", "othello")
        game_rules(game)
    except (ValueError, TypeError, KeyError):
        return []  # reported at their own paths
    problems: list[Problem] = []
    for index, text in enumerate(seeds):
        try:
            if isinstance(text, str) and primitives is not None:
                shape = _shape_in(data, primitives)
                seed_of(text, game, primitives, shape, gp.Limits(depth, nodes))
        except (ValueError, OSError) as error:
            problems.append((f"initialisation.seeds.{index}", str(error)))
    return problems


def _primitives_in(data: Mapping[str, Any]) -> PrimitiveSet | None:
    """Return the set that *data* names or holds, None for a wrong type; raises if it is none."""
    primitives = data.get("primitives", "liao+mobility")
    if isinstance(primitives, str):
        return find_primitive_set(primitives)
    return PrimitiveSet.from_dict(primitives) if isinstance(primitives, dict) else None


def _creation_problems(data: Mapping[str, Any], primitives: PrimitiveSet) -> list[Problem]:
    """Try the smallest trees of the ramp, which is where it ends when trees are too large."""
    settings = part_of(data, "initialisation")
    depth, nodes = settings.get("min_depth", 2), part_of(data, "limits").get("max_nodes", 200)
    is_ramp = str(settings.get("method", "ramped_half_and_half")).startswith("ramped")
    are_whole = type(depth) is int and type(nodes) is int
    if not is_ramp or not are_whole or not 1 <= depth <= _DEEPEST or nodes < 1:
        return []  # nothing to try, or the model says what is wrong
    limits = gp.Limits(max_depth=depth, max_nodes=nodes)
    try:
        shape = _shape_in(data, primitives)
    except (ValueError, TypeError) as error:
        return [("individual", str(error))]
    if shape is not None:
        return _forest_problems(shape, depth, limits)
    try:
        gp.ramped_half_and_half(
            primitives, 2, Stream(0), min_depth=depth, max_depth=depth, limits=limits,
            duplicates="allow",
        )  # fmt: skip
    except ValueError:
        return [
            (
                "limits.max_nodes",
                f"{nodes} is too few for trees of initialisation.min_depth {depth}",
            )
        ]
    return []


def _shape_in(data: Mapping[str, Any], primitives: PrimitiveSet) -> gp.Shape | None:
    """Return how individuals of several trees are made; None for plain trees, or what is wrong."""
    try:
        individual = _INDIVIDUAL.validate_python({"kind": "tree", **part_of(data, "individual")})
    except ValidationError:
        return None
    return shape_of(individual, primitives)


_INDIVIDUAL: TypeAdapter[IndividualShape] = TypeAdapter(IndividualShape)


def _forest_problems(shape: gp.Shape, depth: int, limits: gp.Limits) -> list[Problem]:
    """Try the smallest individuals of the ramp."""
    try:
        gp.create_forests(
            shape, "ramped_half_and_half", 2, Stream(0), min_depth=depth, max_depth=depth,
            limits=limits, duplicates="allow",
        )  # fmt: skip
    except ValueError:
        return [
            (
                "limits.max_nodes",
                f"{limits.max_nodes} is too few for {len(shape.sets)} trees of "
                f"initialisation.min_depth {depth} each",
            )
        ]
    return []


def _length_problems(data: Mapping[str, Any]) -> list[Problem]:
    if all(data.get(limit) is None for limit in ("generations", "time_limit", "work_limit")):
        return [("generations", "set generations, time_limit or work_limit, or the run never ends")]
    return []


def _size_problems(data: Mapping[str, Any]) -> list[Problem]:
    problems = []
    size, elitism = data.get("population_size", 500), data.get("elitism", 1)
    if isinstance(size, int) and isinstance(elitism, int) and elitism > size:
        problems.append(("elitism", f"{elitism} is above population_size {size}"))
    depth = part_of(data, "initialisation").get("max_depth", 6)
    limit = part_of(data, "limits").get("max_depth", 17)
    if isinstance(depth, int) and isinstance(limit, int) and depth > limit:
        problems.append(("initialisation.max_depth", f"{depth} is above limits.max_depth {limit}"))
    return problems


def _draw_problems(data: Mapping[str, Any]) -> list[Problem]:
    game = data.get("game", "othello")
    if not isinstance(game, str) or game not in GAMES or GAMES[game].draws != NO_DRAWS:
        return []
    return [
        (f"draws.{name}", f"{game} has no draws but those of the board: leave it out")
        for name, limit in part_of(data, "draws").items()
        if limit != USUAL
    ]


def _opponent_problems(data: Mapping[str, Any]) -> list[Problem]:
    fitness = part_of(data, "fitness")
    opponents = fitness.get("opponents", ({"player": "random"},))
    problems: list[Problem] = []
    if isinstance(opponents, list | tuple) and not opponents:
        message = "at least one is needed: the first generation has no other"
        problems.append(("fitness.opponents", message))
    game = str(data.get("game", "othello"))
    for path, text in player_texts(fitness):
        problem = _opponent_problem(text, game, fitness)
        if problem is not None:
            problems.append((f"fitness.{path}", problem))
    return problems


def _opponent_problem(text: str, game: str, fitness: Mapping[str, Any]) -> str | None:
    is_allowed = fitness.get("allow_test_opponents", False) is True
    name = text.strip().partition(":")[0].partition("@")[0].strip()
    if name in TEST_OPPONENTS and not is_allowed:
        return (
            f"{name} measures the finished champion; a run that trains against it says nothing "
            "(set fitness.allow_test_opponents = true to do it all the same)"
        )
    if name == "champion":
        return "a config must not depend on another run: write the champion's tree instead"
    try:
        game_rules(game)
    except ValueError:
        return None  # the wrong game is reported once, at its own path
    try:
        opponent = read_opponent(text, game)
    except (ValueError, OSError) as error:
        return str(error)
    try:
        may_differ = not is_certain(opponent, game)
    except ValueError as error:
        return str(error)
    if may_differ and fitness.get("allow_irreproducible", False) is not True:
        return (
            "a player with a limit in time, or a bot, makes a run that cannot be repeated: limit "
            "the nodes instead (or set fitness.allow_irreproducible = true, and the run is marked)"
        )
    return None
