"""The field of a tournament, as a TOML file describes it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from evoply.files import read_limited
from evoply.protocols import ConfigError

__all__ = ["Entry", "read_field"]

_MOST_BYTES = 4_000_000

Text = Annotated[str, Field(min_length=1, max_length=100_000)]
# A name is shown in terminals: control characters in it could do anything there.
Label = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Entry(BaseModel):
    """One player of a field: its text, and what the tournament is to know of it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    player: Text
    name: Label | None = None
    bracket: Label | None = None
    fitness: float | None = None


class _FieldFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    player: tuple[Entry, ...] = Field(min_length=1)


def read_field(path: Path) -> list[Entry]:
    """Return the players of the file at *path*; `ConfigError` names every mistake with its path."""
    try:
        data = tomllib.loads(read_limited(path, _MOST_BYTES).removeprefix("\ufeff"))
    except OSError as error:
        raise ConfigError([(str(path), error.strerror or str(error))]) from None
    except (ValueError, RecursionError) as error:
        raise ConfigError([(str(path), f"not TOML: {error}")]) from None
    try:
        return list(_FieldFile.model_validate(data).player)
    except ValidationError as error:
        raise ConfigError(
            [
                (f"{path}: {'.'.join(map(str, one['loc']))}", one["msg"])
                for one in error.errors(include_url=False, include_input=False)
            ]
        ) from None
