"""Who takes part in a tournament: players by their texts, folders of bots, and files of fields."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from evoply.configs.config_errors import checked
from evoply.files import read_toml_file
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean, not_utf8, shorten

if TYPE_CHECKING:
    from evoply.protocols import Player

_MOST_BYTES = 4_000_000
_EXAMPLES = {"player": 'player = "greedy"', "name": 'name = "Ann"', "bracket": 'bracket = "one"'}


@dataclass(frozen=True, slots=True)
class Entrants:
    """The texts of players, with the bots of folders in the place of these."""

    texts: list[str]
    from_folders: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    """The files of folders that cannot be loaded, with the reason."""


def entrants(texts: Sequence[str]) -> Entrants:
    """Return *texts* with every folder replaced by the bots in it, in the order of their names.

    A bot is a file whose name ends in .py and that has a class with a method `choose`; other files
    are passed over. Files that are no Python, or have several such classes, are left out, so that
    the others can play. Raises ValueError for a folder without bots.
    """
    found = Entrants([])
    for text in texts:
        if not os.path.isdir(text):
            found.texts.append(text)
            continue
        before = len(found.texts), len(found.left_out)
        for path in sorted(path for path in Path(text).glob("*.py") if path.is_file()):
            _look_at(str(path), found)
        if before == (len(found.texts), len(found.left_out)):
            raise ValueError(
                f"{text}: there is no bot in this folder, no .py file with a class that has a "
                "method choose"
            )
    return found


def _look_at(path: str, found: Entrants) -> None:
    """Add the file to the bots, or to those left out, if it is either."""
    from evoply.players import bot_classes

    try:
        classes = bot_classes(path)
    except ValueError as error:
        found.left_out[path] = str(error).removeprefix(f"{path}: ")
        return
    if len(classes) > 1:
        named = ", ".join(classes[:10])
        found.left_out[path] = (
            f"several classes have a method choose, {named}: let the names of all but one begin"
            " with an underscore"
        )
    elif classes and not_utf8(path):
        found.left_out[path] = "its name is not UTF-8: rename it"
    elif classes:
        found.texts.append(path)
        found.from_folders.add(path)


def leave_out_what_does_not_load(
    found: Entrants, players: Sequence[tuple[str, Player]], game: str
) -> None:
    """Start each bot of a folder once, and add those that cannot be imported to `left_out`.

    Otherwise their opponents would win every game against them, which says nothing of anybody.
    """
    from evoply.protocols import ForfeitError

    for text, player in players:
        if text in found.from_folders:
            seat = player.seat(game)
            try:
                seat.get_ready()
            except ForfeitError as error:
                found.left_out[text] = str(error)
            finally:
                seat.close()


Text = Annotated[str, Field(min_length=1, max_length=100_000)]
# A name is shown in terminals: control characters in it could do anything there.
Label = Annotated[str, Field(min_length=1, max_length=200, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]


class Entry(BaseModel):
    """One player of a field: its text, and what the tournament knows about it."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    player: Text
    name: Label | None = None
    bracket: Label | None = None
    fitness: float | None = None


class _FieldFile(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    player: tuple[Entry, ...] = Field(min_length=1)


def _in_words(error: ErrorDetails) -> str:
    path, context = error["loc"], error.get("ctx", {})
    match error["type"]:
        case "missing":
            return f"is missing: write {_EXAMPLES.get(str(path[-1]), 'it')}"
        case "extra_forbidden" if len(path) == 1:
            return "is not a key of a field: write the players as tables [[player]]"
        case "extra_forbidden":
            hint = did_you_mean(str(path[-1]), Entry.model_fields)
            return f"is not a key of a player{hint}: the keys are {', '.join(Entry.model_fields)}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case "string_too_long":
            return f"has more than {context['max_length']:,} characters: write a shorter one"
        case "string_too_short" | "too_short":
            return f"is empty: write {_EXAMPLES.get(str(path[-1]), 'something')}"
        case "tuple_type" | "model_type" | "model_attributes_type" | "dict_type":
            return f"must be a table: write {_EXAMPLES['player']} below a line [[player]]"
        case _:
            kind = "a number" if path[-1] == "fitness" else "a text in quotes"
            return f"must be {kind}, not {shorten(repr(error['input']))}"


def read_field(path: Path) -> list[Entry]:
    """Return the players of the file at *path*; `ConfigError` names every mistake with its path."""
    data = read_toml_file(path, _MOST_BYTES)

    def refusal(error: ValidationError) -> ConfigError:
        return ConfigError(
            [
                (f"{path}: {'.'.join(map(str, detail['loc']))}", _in_words(detail))
                for detail in error.errors(include_url=False)
            ]
        )

    return list(checked(lambda: _FieldFile.model_validate(data), refusal).player)
