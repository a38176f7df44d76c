"""Games from data in configs: the key `game` may name a file of rules, `rules_digest` names them.

The file is JSON. Rules in Python are named as all Python of a user is, `python:FILE.py:NAME`, and
are data from then on. Texts that the page is sent name neither.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from evoply.games import GAMES, add_game
from evoply.games.data import DataGameRules
from evoply.own_code import is_carried, is_own_code
from evoply.protocols import ConfigError
from evoply.refusals import reason
from evoply.rules.loading import load_rules
from evoply.rules.moves import RulesError
from evoply.wording import shorten

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
