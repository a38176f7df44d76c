"""The field of a tournament, as a TOML file describes it."""

from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from evoply.configs.config_errors import checked
from evoply.files import read_toml_file
from evoply.protocols import ConfigError
from evoply.wording import did_you_mean, shorten

_MOST_BYTES = 4_000_000
_EXAMPLES = {"player": 'player = "greedy"', "name": 'name = "Ann"', "bracket": 'bracket = "one"'}

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
    """Return what is wrong with a key and what to write instead."""
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
