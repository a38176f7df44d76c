"""Options of players, each declared once, at its field.

The field has type, bounds and default, its docstring the meaning. An `Option` beside the type has
the rest: its text form, the games that it fits, the kernel's argument, and the sentence for
explanations. Texts, labels, error messages and explanations are derived, without lists of names.
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
"""The most choices that a message lists."""
_WHOLE = re.compile(r"[0-9]{1,20}")
_DECIMAL = re.compile(
    r"(?:[0-9]{1,30}\.?[0-9]{0,30}|\.[0-9]{1,30})(?:e-?[0-9]{1,3})?", re.IGNORECASE
)
Reader = Callable[[str], Any]
"""Reads a value from a text; its `ValueError` continues a sentence that begins with the option."""


def option_text(value: object) -> str:
    """Return the text of an option's value."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if isinstance(value, float) and float(short) != value else short


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """The declaration of an option beside its type, bounds and default."""

    says: str | Callable[[Any], str] = ""
    """The sentence in explanations: a format string for the value, or a function of the player."""
    check_game: Callable[[Any, str], None] = lambda value, game: None
    """Raises `ValueError` if the value does not fit the game."""
    told_as: str | None = ""
    """The name of the kernel's argument, "" if it is that of the field; None: the kernel does not
    take it, or takes it with another option."""
    native: Callable[[Any], Any] = lambda value: value
    """Returns the value as the kernel takes it."""
    read: Reader | Literal[False] | None = None
    """Reads the value from a text; None: by the field's type; False: texts cannot give it."""
    shown: Callable[[Any], str] | None = option_text
    """Returns the value as text in a label; None: labels leave it out."""
    is_later: bool = False
    """Whether it came after runs were kept: at its default it is in no digest."""


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
    """Return the options of *player* that differ from their defaults, with their values."""
    fields = type(player).model_fields  # looked up once: that is slow
    return [
        (name, value, option)
        for name, option in options_of(type(player)).items()
        if (value := getattr(player, name)) != fields[name].default
    ]


def not_in_digests(player: BaseModel) -> set[str]:
    """Return the later options of *player* that have their defaults."""
    options = options_of(type(player)).items()
    later = {name for name, option in options if option.is_later}
    return later - {name for name, _, _ in unusual(player)}


def unfit(player: BaseModel, game: str) -> Iterator[tuple[str, str]]:
    """Yield the options of *player* that do not fit *game*, and why."""
    for name, value, option in unusual(player):
        try:
            option.check_game(value, game)
        except ValueError as error:
            yield name, str(error)


def kernel_arguments(player: BaseModel) -> dict[str, Any]:
    """Return the kernel's arguments for the options of *player* that differ from their defaults."""
    return {
        option.told_as or name: option.native(value)
        for name, value, option in unusual(player)
        if option.told_as is not None
    }


def sentences(player: BaseModel) -> list[str]:
    """Return the sentences about the unusual options of *player*."""
    texts = [
        option.says.format(value) if isinstance(option.says, str) else option.says(player)
        for _, value, option in unusual(player)
    ]
    return [sentence for sentence in texts if sentence]


def option_texts(player: BaseModel, names: Iterable[str]) -> list[str]:
    """Return the fields of *player* that differ from their defaults, as options of its text."""
    fields, options = type(player).model_fields, options_of(type(player))
    return [
        f"{name}={write(value)}"
        for name in names
        if (value := getattr(player, name)) != fields[name].default
        and (write := options.get(name, _PLAIN).shown) is not None
    ]


_PLAIN = Option()


def player_text(evaluator: str, options: Sequence[str]) -> str:
    """Return the text of a player: its evaluator and its options."""
    return evaluator + (f":{','.join(options)}" if options else "")


def readers(model: type[BaseModel]) -> Mapping[str, Reader]:
    """Return the readers of the options of *model* that a text may have."""
    return {
        name: option.read or field_reader(model, name)
        for name, option in options_of(model).items()
        if option.read is not False
    }


def field_reader(model: type[BaseModel], name: str) -> Reader:
    """Return a reader of the field *name* of *model*, within its bounds."""
    field = model.model_fields[name]
    kinds = {field.annotation, *get_args(field.annotation)}
    if bool in kinds:
        return _yes
    if int in kinds or float in kinds:
        bounds = {
            key: getattr(constraint, key)
            for constraint in field.metadata
            for key in ("ge", "le")
            if hasattr(constraint, key)
        }
        kind = int if int in kinds else float
        return number(kind, bounds["ge"], bounds["le"], field.title)
    literals = [kind for kind in kinds if get_origin(kind) is Literal]
    return choice(*get_args(literals[0]))


def choice(*choices: str) -> Reader:
    """Return a reader of one of *choices*."""

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
    """Return a reader of numbers of *kind* from *least* to *most*, called *what* in messages."""
    pattern = _WHOLE if kind is int else _DECIMAL
    what = what or ("whole number" if kind is int else "number")

    def read(value: str) -> float:
        if pattern.fullmatch(value) and least <= kind(value) <= most:
            return kind(value)
        raise ValueError(
            f"must be a {what} from {_bound_text(least)} to {_bound_text(most)}, not {value[:40]!r}"
        )

    return read


def _bound_text(bound: float) -> str:
    return f"{bound:,}" if isinstance(bound, int) else f"{bound:g}"


def _yes(value: str) -> bool:
    return bool(choice("yes", "no")(value) == "yes")
