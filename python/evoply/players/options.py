"""Options of players: each is declared once, at its field, and asked about there.

The field has type, bounds and default, its docstring the meaning. An `Option` beside the type has
whatever else there is: how it is written, what it goes with, what the kernel is told, and what an
explanation says. Texts, labels, refusals and explanations follow, with no list of names anywhere.
"""

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from evoply.wording import did_you_mean, shorten

_MOST_LISTED = 16
"""Choices that a message names."""
_WHOLE = re.compile(r"[0-9]{1,20}")
_DECIMAL = re.compile(
    r"(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:e-?[0-9]{1,3})?", re.IGNORECASE
)
Reader = Callable[[str], Any]
"""Gives the value that a text is; `ValueError` goes on from the name of the option."""


def option_text(value: object) -> str:
    """Return a value of a field as an option's text has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if isinstance(value, float) and float(short) != value else short


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """What a field that is an option declares beside its type, its bounds and its default."""

    says: str | Callable[[Any], str] = ""
    """What an explanation says of a player that has it: a form for the value, or of the player."""
    check_game: Callable[[Any, str], None] = lambda value, game: None
    """Raises `ValueError` if the value does not go with the game."""
    told_as: str | None = ""
    """The kernel's argument, "" if it is called like the field; None: it does not learn of it, or
    with another option."""
    native: Callable[[Any], Any] = lambda value: value
    """Gives the value as the kernel takes it."""
    read: Reader | Literal[False] | None = None
    """Reads the value from a text; None: as the field's type says; False: no text gives it."""
    shown: Callable[[Any], str] | None = option_text
    """Gives the value as a label has it; None: no label has it."""


@cache
def options_of(model: type[BaseModel]) -> Mapping[str, Option]:
    """Return the options of *model* by name: its own, then those that it inherits."""
    ordered = [name for base in model.__mro__ for name in inspect.get_annotations(base)]
    return {
        name: part
        for name in dict.fromkeys(ordered)
        if name in model.model_fields
        for part in model.model_fields[name].metadata
        if isinstance(part, Option)
    }


def unusual(player: BaseModel) -> list[tuple[str, Any, Option]]:
    """Return the options of *player* that are not what they usually are, with their values."""
    fields = type(player).model_fields  # looked up once: that is slow
    return [
        (name, value, option)
        for name, option in options_of(type(player)).items()
        if (value := getattr(player, name)) != fields[name].default
    ]


def unfit(player: BaseModel, game: str) -> Iterator[tuple[str, str]]:
    """Yield the options of *player* that *game* does not go with, and why."""
    for name, value, option in unusual(player):
        try:
            option.check_game(value, game)
        except ValueError as error:
            yield name, str(error)


def kernel_arguments(player: BaseModel) -> dict[str, Any]:
    """Return what the kernel is told of the options of *player*; the usual ones are its own."""
    return {
        option.told_as or name: option.native(value)
        for name, value, option in unusual(player)
        if option.told_as is not None
    }


def sentences(player: BaseModel) -> list[str]:
    """Return what there is to say of the unusual options of *player*."""
    said = [
        option.says.format(value) if isinstance(option.says, str) else option.says(player)
        for _, value, option in unusual(player)
    ]
    return [sentence for sentence in said if sentence]


def option_texts(player: BaseModel, names: Iterable[str]) -> list[str]:
    """Return those fields of *player* as options of its text that are not what they usually are."""
    fields, options = type(player).model_fields, options_of(type(player))
    return [
        f"{name}={shown(value)}"
        for name in names
        if (value := getattr(player, name)) != fields[name].default
        and (shown := options.get(name, _PLAIN).shown) is not None
    ]


_PLAIN = Option()


def player_text(evaluator: str, options: Sequence[str]) -> str:
    """Return the text of a player: its evaluator and its options."""
    return evaluator + (f":{','.join(options)}" if options else "")


def readers(model: type[BaseModel]) -> Mapping[str, Reader]:
    """Return what reads each option of *model* that a text may give."""
    return {
        name: option.read or field_reader(model, name)
        for name, option in options_of(model).items()
        if option.read is not False
    }


def field_reader(model: type[BaseModel], name: str) -> Reader:
    """Return what reads the field *name* of *model*, within the bounds that it has there."""
    field = model.model_fields[name]
    kinds = {field.annotation, *get_args(field.annotation)}
    if bool in kinds:
        return _yes
    if int in kinds or float in kinds:
        bounds = {
            key: getattr(one, key)
            for one in field.metadata
            for key in ("ge", "le")
            if hasattr(one, key)
        }
        kind = int if int in kinds else float
        return number(kind, bounds["ge"], bounds["le"], field.title)
    literals = [kind for kind in kinds if get_origin(kind) is Literal]
    return choice(*get_args(literals[0]))


def choice(*choices: str) -> Reader:
    """Return what reads one of *choices*."""

    def read(value: str) -> str:
        if value not in choices:
            hint = did_you_mean(value, choices)
            listed = ", ".join(choices[:_MOST_LISTED])
            if len(choices) > _MOST_LISTED:
                listed += f" ({len(choices) - _MOST_LISTED} more)"
            raise ValueError(f"must be one of {listed}, not {shorten(value)!r}{hint}")
        return value

    return read


def number(
    kind: type[int] | type[float], least: float, most: float, what: str | None = None
) -> Reader:
    """Return what reads a number of *kind* from *least* to *most*; messages call it *what*."""
    pattern = _WHOLE if kind is int else _DECIMAL
    what = what or ("whole number" if kind is int else "number")

    def read(value: str) -> float:
        if pattern.fullmatch(value) and least <= kind(value) <= most:
            return kind(value)
        raise ValueError(
            f"must be a {what} from {_shown_bound(least)} to {_shown_bound(most)}, "
            f"not {value[:40]!r}"
        )

    return read


def _shown_bound(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


def _yes(value: str) -> bool:
    return bool(choice("yes", "no")(value) == "yes")
