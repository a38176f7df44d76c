"""Options of players: each is declared once, at its field, and asked about there.

The field has type, bounds and default, its docstring the meaning. An `Option` beside the type has
whatever else there is: how it is written, what it goes with, what the kernel is told, and what an
explanation says. Texts, labels, refusals and explanations follow, with no list of names anywhere.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from evoply.wording import did_you_mean, shorten

__all__ = [
    "Option",
    "check_together",
    "choice",
    "field_reader",
    "kernel_arguments",
    "number",
    "option_texts",
    "options_of",
    "readers",
    "sentences",
    "unfit",
    "unusual",
]

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
    """What an explanation says of a player that has it; a function is given the player."""
    clash: Callable[[Any], str] | None = None
    """Gives what is wrong with it in the player that is given, "" if nothing is."""
    check_game: Callable[[Any, str], None] | None = None
    """Raises `ValueError` if the value does not go with the game."""
    kernel: Callable[[Any], Mapping[str, Any]] | None = None
    """Gives what the kernel is told of the value; None: the value, under the field's own name."""
    is_read: bool = True
    """Whether a text may give it."""
    read: Reader | None = None
    """Reads its value from a text; None: as the field's type says."""
    is_shown: bool = True
    """Whether a label has it."""
    shown: Callable[[Any], str] = option_text
    """Gives the value as a label has it."""


@cache
def options_of(model: type[BaseModel]) -> Mapping[str, Option]:
    """Return the options of *model* by name: its own, then those that it inherits."""
    found = {
        name: part
        for name, field in model.model_fields.items()
        for part in field.metadata
        if isinstance(part, Option)
    }
    ordered = [name for base in model.__mro__ for name in inspect.get_annotations(base)]
    return {name: found[name] for name in ordered if name in found}


def unusual(player: BaseModel, names: Iterable[str] | None = None) -> Mapping[str, Any]:
    """Return the values of those options of *player* that are not what they usually are."""
    fields = type(player).model_fields
    values = {name: getattr(player, name) for name in names or options_of(type(player))}
    return {name: value for name, value in values.items() if value != fields[name].default}


def option_texts(player: BaseModel, names: Iterable[str]) -> list[str]:
    """Return those options of *player* that are unusual as its text has them."""
    options = options_of(type(player))
    return [
        f"{name}={options[name].shown(value)}"
        for name, value in unusual(player, names).items()
        if options[name].is_shown
    ]


def check_together(player: BaseModel) -> None:
    """Raise `ValueError` if an option of *player* does not go with another one."""
    options = options_of(type(player))
    for name in unusual(player):
        clash = options[name].clash
        if clash is not None and (problem := clash(player)):
            raise ValueError(problem)


def unfit(player: BaseModel, game: str) -> Iterator[tuple[str, str]]:
    """Yield the options of *player* that *game* does not go with, and why."""
    options = options_of(type(player))
    for name, value in unusual(player).items():
        check = options[name].check_game
        try:
            if check is not None:
                check(value, game)
        except ValueError as error:
            yield name, str(error)


def kernel_arguments(player: BaseModel) -> dict[str, Any]:
    """Return what the kernel is told of the options of *player*; the usual ones are its own."""
    options = options_of(type(player))
    told: dict[str, Any] = {}
    for name, value in unusual(player).items():
        kernel = options[name].kernel
        told |= {name: value} if kernel is None else kernel(value)
    return told


def sentences(player: BaseModel) -> list[str]:
    """Return what there is to say of the unusual options of *player*."""
    options = options_of(type(player))
    parts = [options[name].says for name in unusual(player)]
    said = [part if isinstance(part, str) else part(player) for part in parts]
    return [sentence for sentence in said if sentence]


def readers(model: type[BaseModel]) -> Mapping[str, Reader]:
    """Return what reads each option of *model* that a text may give."""
    return {
        name: option.read or field_reader(model, name)
        for name, option in options_of(model).items()
        if option.is_read
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


def unusual_options(player: BaseModel, names: Iterable[str]) -> list[str]:
    """Return those fields of *player* as options of its text that are not what they usually are."""
    fields = type(player).model_fields
    values = {name: getattr(player, name) for name in names}
    return [
        f"{name}={option_text(value)}"
        for name, value in values.items()
        if value != fields[name].default
    ]


def player_text(evaluator: str, options: Sequence[str]) -> str:
    """Return the text of a player: its evaluator and its options."""
    return evaluator + (f":{','.join(options)}" if options else "")
