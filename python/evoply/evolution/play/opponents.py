"""Fixed opponents: read from their text, and written so that they depend on no file.

Beside the usual grammar of players, an opponent may be a player in its JSON form, which begins
with `{"`. That is how a run folder keeps an opponent that came from a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from evoply.arena.elsewhere import check_game
from evoply.configs.part import fields_of
from evoply.players import KernelSeat, PlayerKind, parse_player
from evoply.players.player import PLAYER_ADAPTER, PlayerModel
from evoply.protocols import Player
from evoply.wording import shorten

__all__ = [
    "PreparedPlayer",
    "check_sendable",
    "is_certain",
    "is_reproducible",
    "player_texts",
    "prepared",
    "read_opponent",
    "resolved",
    "with_players",
    "without_file",
]

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

_JSON = re.compile(r"\s*\{\s*[\"}]")
"""How an object begins; several trees in braces begin with a word."""
_FILE = re.compile(r"\.(json|toml|py)(:|$)", re.IGNORECASE)

PreparedPlayer = KernelSeat | Player
"""A player that is ready to be met: its seat in the kernel, or one as data whose seats, such as
processes, are opened by those who play."""


def prepared(player: Player, game: str) -> PreparedPlayer:
    """Return what sits at the boards for *player*; ValueError if it does not play *game*."""
    player.check_fits(game)
    seat = player.seat(game)
    if isinstance(seat, KernelSeat):
        return seat
    seat.close()
    return player


def is_certain(player: PlayerKind) -> bool:
    """Return whether *player* surely plays the same game again: it is no code of somebody else."""
    return player.reproducible and player.is_portable


def check_sendable(config: EvolutionConfig) -> None:
    """Raise `ValueError` if a run of *config* needs what other machines do not have."""
    check_game(config.game)
    for path, text in player_texts(config.fitness):
        player = read_opponent(text, config.game)
        if not is_certain(player):
            raise ValueError(
                f"cluster: fitness.{path}: {shorten(player.label)} is a program on this machine, "
                "or may play otherwise next time, and cannot be sent to others - leave it out, or "
                "run without a cluster"
            )


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
    return read_opponent(text, game).anywhere().model_dump_json()


def resolved(text: str, game: str) -> dict[str, Any]:
    """Return what a digest holds of the player that *text* means: what it is, not where it lay."""
    return read_opponent(text, game).identity()


def is_reproducible(config: EvolutionConfig) -> bool:
    """Return whether the run can be repeated: no opponent plays otherwise in the same game."""
    texts = {text for _, text in player_texts(config.fitness)}
    return not config.fitness.allow_irreproducible or all(
        is_certain(read_opponent(text, config.game)) for text in texts
    )


def player_texts(part: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield path and text of every player in a part of a config, at any depth.

    These are the texts that are called `player`; the part may be as it was written, or wrong.

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
    """Return a part of a config as plain data, with *change* done to the text of every player."""
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
