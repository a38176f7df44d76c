"""Fixed opponents: read from their text, and written so that they depend on no file.

Beside the usual grammar of players, an opponent may be a player in its JSON form, which begins
with `{"`. That is how a run folder keeps an opponent that came from a file.
"""

from __future__ import annotations

import re

from pydantic import ValidationError

from evoply.players import parse_player
from evoply.players.player import PLAYER_ADAPTER, PlayerModel

__all__ = ["read_opponent", "without_file"]

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""How an object begins; several trees in braces begin with a word."""
_FILE = re.compile(r"\.(json|toml)(:|$)", re.IGNORECASE)


def read_opponent(text: str, game: str) -> PlayerModel:
    """Return the player *text* means; raises ValueError if it is none or does not fit *game*.

    >>> read_opponent("greedy", "othello").label
    'greedy'
    """
    if not _JSON.match(text):
        return parse_player(text, game=game, runs=None)
    try:
        player: PlayerModel = PLAYER_ADAPTER.validate_json(text)
    except ValidationError as error:
        first = error.errors()[0]
        path = ".".join(str(part) for part in first["loc"])
        raise ValueError(f"not a player in JSON form: {path}: {first['msg']}") from None
    player.check_fits(game)
    return player


def without_file(text: str, game: str) -> str:
    """Return *text*, or the player itself in JSON form if the text names a file."""
    if text.lstrip().startswith(("{", "(")) or not _FILE.search(text):
        return text
    return read_opponent(text, game).self_contained().model_dump_json()
