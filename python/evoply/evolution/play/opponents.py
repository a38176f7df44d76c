"""Fixed opponents: read from their text, and written so that they depend on no file.

Beside the usual grammar of players, an opponent may be a player in its JSON form, which begins
with `{"`. That is how a run folder keeps an opponent that came from a file.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from pydantic import BaseModel, ValidationError

from evoply.configs.config_errors import checked
from evoply.configs.part import fields_of
from evoply.own_code import carried, has_programs
from evoply.players import PlayerKind, parse_player
from evoply.players.player import CARRIED_ADAPTER, SAVED_ADAPTER, PlayerModel

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""How an object begins; several trees in braces begin with a word."""


def is_certain(player: PlayerKind) -> bool:
    """Return whether *player* surely plays the same game again.

    It runs no foreign code, or code whose checksum is recorded and that says so.
    """
    return player.reproducible and player.is_believed


def read_opponent(text: str, game: str) -> PlayerModel:
    """Return the player *text* means; raises ValueError if there is none or it does not fit *game*.

    >>> read_opponent("greedy", "othello").label
    'greedy'
    """
    if not _JSON.match(text):
        return parse_player(text, game=game, runs=None)
    adapter = CARRIED_ADAPTER if has_programs() else SAVED_ADAPTER
    player: PlayerModel = checked(lambda: adapter.validate_json(text), _no_player)
    player.check_fits(game)
    return player


def _no_player(error: ValidationError) -> ValueError:
    first = error.errors()[0]
    path = ".".join(str(part) for part in first["loc"])
    return ValueError(f"not a player in JSON form: {path}: {first['msg']}")


def without_file(text: str, game: str) -> str:
    """Return *text*, or the player itself in JSON form if the text names a file or a program."""
    if text.lstrip().startswith(("{", "(")):
        return text
    with suppress(ValueError), carried():
        parse_player(text, game=game)
        return text
    return read_opponent(text, game).anywhere().model_dump_json()


def resolved(text: str, game: str) -> dict[str, Any]:
    """Return the identity of the player that *text* means, for a digest: it has no path."""
    return read_opponent(text, game).identity()


def player_texts(part: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of every player in a part of a config, at any depth.

    These are the texts in keys called `player`; *part* need not be a valid config.

    >>> list(player_texts({"opponents": [{"player": "greedy"}, {"player": 3}]}))
    [('opponents.0.player', 'greedy')]
    """
    if isinstance(part, BaseModel):
        part = fields_of(part)
    if isinstance(part, Mapping):
        for key, value in part.items():
            if key == "player" and isinstance(value, str) and value:
                yield f"{path}player", value
            elif isinstance(value, BaseModel | Mapping | list | tuple):
                yield from player_texts(value, f"{path}{key}.")
    elif isinstance(part, list | tuple):
        for index, value in enumerate(part):
            yield from player_texts(value, f"{path}{index}.")


def with_players(part: Any, change: Callable[[str], Any]) -> Any:
    """Return a part of a config as plain data, with *change* applied to every player text."""
    if isinstance(part, Mapping):
        return {
            key: change(value)
            if key == "player" and isinstance(value, str)
            else with_players(value, change)
            for key, value in part.items()
        }
    if isinstance(part, list | tuple):
        return [with_players(value, change) for value in part]
    return part
