"""Rules from elsewhere: Python files that make them, JSON, and the key `game` of configs.

A Python file is run where its user names it, and nowhere else: its rules are data once made. So a
run carries its rules and their digest, not the place and the checksum of the file.
"""

import importlib.util
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from evoply.configs.own_code import OwnCode, is_carried, is_own_code
from evoply.environment.refusals import reason
from evoply.games import GAMES, add_game
from evoply.games.data import DataGameRules
from evoply.protocols import ConfigError
from evoply.rules.language import Rules
from evoply.rules.moves import RulesError
from evoply.rules.written import fields_of
from evoply.wording import shorten

__all__ = ["add_carried", "carried_rules", "load_rules", "read_rules"]


MOST_BYTES = 1_000_000


def carried_rules(game: str) -> dict[str, Any] | None:
    """Return the JSON form of a game's rules and their digest, for files that need no other then.

    None for games whose rules are compiled.
    """
    rules = GAMES.get(game)
    if not isinstance(rules, DataGameRules):
        return None
    return {**rules.written, "rules_digest": rules.rules_digest}


def add_carried(data: Any) -> None:
    """Add the game that `carried_rules` returned; raise `ValueError` if it was changed."""
    digest = data.get("rules_digest", "") if isinstance(data, dict) else ""
    if digest and carried_rules(str(data.get("name"))) == data:
        return  # known to the last part, as in every unit of work but a worker's first
    rules = read_rules({k: v for k, v in data.items() if k != "rules_digest"} if digest else data)
    if rules.digest != digest:
        raise ValueError(f"rules_digest - is not that of these rules, {rules.digest[:16]}")
    add_game(rules)


def read_rules(source: str | Path | Mapping[str, object]) -> Rules:
    """Return the rules of a JSON form: a file, or its values.

    Raises `RulesError` that names the rule; `OSError` if the file cannot be read.
    """
    if not isinstance(source, str | Path):
        return Rules(**fields_of(source))
    path = Path(source)
    if path.stat().st_size > MOST_BYTES:
        raise RulesError(f"{path.name} - is larger than {MOST_BYTES:,} bytes - rules are short")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{path.name} - is no JSON: {error} - write rules with Rules") from None
    return Rules(**fields_of(data))


def load_rules(path: str | Path, name: str | None = None) -> Rules:
    """Return the rules that a file holds, those called *name* if a Python file makes several.

    A text `python:FILE.py:NAME` or `python:MODULE:NAME` names a value of rules in Python. Raises
    `RulesError` that names the file, `OSError` if it cannot be read.
    """
    if is_own_code(path):
        return _named_in_python(str(path))
    file = Path(path)
    if file.suffix == ".json":
        return read_rules(file)
    found = _made_by(file)
    if name is not None:
        found = {key: rules for key, rules in found.items() if key == name}
    if len(found) != 1:
        what = f"makes {len(found)} games: {', '.join(found)}" if found else "makes no rules"
        todo = f"name one, python:{path}:NAME" if found else "put a value of Rules(...) in it"
        raise RulesError(f"{file.name} - {what} - {todo}")
    return next(iter(found.values()))


def _named_in_python(text: str) -> Rules:
    try:
        code = OwnCode.from_text(text).named_by_user()
        rules = code.loaded()
    except ValueError as error:
        raise RulesError(str(error)) from None
    if not isinstance(rules, Rules):
        raise RulesError(f"{code.label} - is no rules - name a value that Rules(...) made")
    return rules


def _made_by(file: Path) -> dict[str, Rules]:
    """Return the rules that a Python file has as values of its module, by their names."""
    file.open("rb").close()  # raises the error of a file that cannot be read
    spec = importlib.util.spec_from_file_location(f"_evoply_rules_{file.stem}", file)
    if spec is None or spec.loader is None:
        raise RulesError(f"{file.name} - is no Python file - name one that ends in .py, or JSON")
    module = importlib.util.module_from_spec(spec)
    writes_bytecode, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        spec.loader.exec_module(module)
    except RulesError as error:
        raise RulesError(f"{file.name}: {error}") from error
    except Exception as error:
        line = error.lineno if isinstance(error, SyntaxError) else _line(error, file)
        where = f" (line {line})" if line else ""
        raise RulesError(
            f"{file.name}{where} - cannot be run: {type(error).__name__}: {error} - correct it"
        ) from error
    finally:
        sys.dont_write_bytecode = writes_bytecode
    values = [value for value in vars(module).values() if isinstance(value, Rules)]
    return {rules.name: rules for rules in values}


def _line(error: Exception, file: Path) -> int:
    line, trace = 0, error.__traceback__
    while trace is not None:
        if Path(trace.tb_frame.f_code.co_filename).resolve() == file.resolve():
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


# Games from data in configs: the key `game` may name a file of rules, `rules_digest` names them.
#
# The file is JSON. Rules in Python are named as all Python of a user is, `python:FILE.py:NAME`, and
# are data from then on. Texts that the page is sent name neither.

_SHOWN = 16


def _of_its_game(digest: str | None, info: ValidationInfo) -> str | None:
    """Return the digest of the rules of the key `game`, which *digest* must be if it is given."""
    game = info.data.get("game")
    rules = GAMES.get(game) if isinstance(game, str) else None
    if rules is None:  # a mistake of its own
        return digest
    here = rules.rules_digest if isinstance(rules, DataGameRules) else None
    if digest not in (None, here):
        what = f"has other rules here, {here[:_SHOWN]}" if here else "is no game from data here"
        raise ValueError(
            f"{game} {what}, than those of the digest {shorten(digest, _SHOWN)} - name the file "
            "of the right rules, or leave this key out"
        )
    return here


RulesDigest = Annotated[
    str | None, Field(default=None, validate_default=True), AfterValidator(_of_its_game)
]
"""The type of the key `rules_digest`, which comes after `game`."""


def with_game_of_file(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return the keys of a config with the name of its game, whose file is read and added.

    A `game` that ends in .json is a file of rules, whose path begins at *folder*; a value of rules
    is named `python:FILE.py:NAME`; keys that are `carried` name neither. Raises `ConfigError` for
    rules that make no game, and for Python that is named in another way.
    """
    game = data.get("game")
    is_file = isinstance(game, str) and (game.endswith((".json", ".py")) or is_own_code(game))
    if is_carried() or not is_file:
        return dict(data)
    assert isinstance(game, str)
    if game.endswith(".py") and not is_own_code(game):
        message = (
            f"{shorten(game)} is Python - name the value in it, python:{shorten(game)}:NAME, or "
            f"write it as data with `evoply game {shorten(game)} --write {Path(game).stem}.json`, "
            "and name that"
        )
        raise ConfigError([("game", message)])
    try:
        rules = load_rules(game if is_own_code(game) else folder / game)
        add_game(rules)
    except OSError as error:
        raise ConfigError([("game", reason(error, folder / game))]) from None
    except RulesError as error:
        raise ConfigError([("game", f"{shorten(game)}: {error}")]) from None
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    return {**data, "game": rules.name}
