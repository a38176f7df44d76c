"""Saved players: one JSON file with everything needed to play, on any machine.

`{"format": 1, "kind": "evoply player", "game", "origin", "player", "checksum"}`. *player* is the
model of `specs` with its primitives as expressions, so that it loads without the Python that
defined them. *checksum* is the SHA-256 of the canonical JSON (sorted keys, no spaces) of the other
fields: it finds damage, not forgery.
"""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from evoply.configs.config_errors import checked
from evoply.expressions.written_form import parse_json
from evoply.files import read_limited, read_toml_file, without_checksum
from evoply.games import game_spoken
from evoply.players.player import (
    CARRIED_ADAPTER,
    PLAYER_ADAPTER,
    CarriedModel,
    PlayerModel,
    SavedModel,
)
from evoply.players.problems import problems
from evoply.protocols import ConfigError

FORMAT = 1
MAX_BYTES = 32_000_000
_FIELDS = frozenset({"format", "kind", "game", "origin", "player", "checksum"})

Text = Annotated[str, Field(max_length=1000)]


class PlayerFileError(ValueError):
    """A saved player cannot be used; the message begins with the path."""


class Origin(BaseModel):
    """The origin of a saved player; all fields may be missing."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    run: Text | None = None
    generation: int | None = Field(default=None, ge=0)
    seed: int | None = None
    note: Text | None = None


class SavedPlayer(BaseModel):
    """The checked content of a saved file."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    game: str
    origin: Origin
    player: SavedModel


def load_player(path: str | Path, *, game: str | None = None) -> SavedModel:
    """Return the player saved at *path*; `PlayerFileError` if it is not for *game*."""
    saved = load_saved_player(path)
    if game is not None and saved.game != game:
        raise PlayerFileError(f"{path}: this player plays {saved.game}, not {game}")
    return saved.player


def load_saved_player(path: str | Path) -> SavedPlayer:
    """Return the content of *path*, with game and origin; `PlayerFileError` if it is wrong."""
    try:
        if Path(path).is_fifo():
            # Reading would wait for a writer, and a saved player is read more than once.
            raise ValueError("this is a pipe, which cannot be read twice: name a file")
        data = parse_json(read_limited(path, MAX_BYTES))
        return _check_file(data)
    except OSError as error:
        raise PlayerFileError(f"{path}: {error.strerror or error}") from None
    except ConfigError as error:
        lines = "; ".join(f"{where}: {message}" for where, message in error.errors)
        raise PlayerFileError(f"{path}: {lines}") from None
    except ValueError as error:
        raise PlayerFileError(f"{path}: {error}") from None


def load_toml_player(path: str | Path) -> PlayerModel:
    """Return the player that the TOML file at *path* describes; `ConfigError` names the file."""
    data = read_toml_file(path, MAX_BYTES)
    return checked(
        lambda: PLAYER_ADAPTER.validate_python(data),
        lambda error: ConfigError(problems(error, PlayerModel)),
    )


def read_player(data: object) -> CarriedModel:
    """Return the player of plain *data* that a run carries; `ConfigError` shows every mistake."""
    return checked(
        lambda: CARRIED_ADAPTER.validate_python(data),
        lambda error: ConfigError(problems(error, CarriedModel)),
    )


def _check_file(data: object) -> SavedPlayer:
    if not isinstance(data, dict) or data.get("kind") != "evoply player":
        raise ValueError("this is not a saved player")
    version = data.get("format")
    if type(version) is not int or version < 1:
        raise ValueError("this is not a saved player: its format is missing or wrong")
    if version > FORMAT:
        raise ValueError(
            f"saved in format {version}, and this version reads format {FORMAT}: update evoply"
        )
    if set(data) != _FIELDS:
        wrong = sorted(str(name)[:40] for name in set(data) ^ _FIELDS)
        raise ValueError(f"fields are missing or unknown: {', '.join(wrong)}")
    without_checksum(data)
    game = game_spoken(data["game"]) if isinstance(data["game"], str) else data["game"]
    saved = checked(
        lambda: SavedPlayer(game=game, origin=data["origin"], player=data["player"]),
        lambda error: ConfigError(problems(error, SavedPlayer)),
    )
    saved.player.check_fits(saved.game)
    return saved
