"""The base of all parts of a config, and the part that stands for a user's Python."""

import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, get_args

from pydantic import BaseModel, ConfigDict, Field, model_validator

from evoply.configs.own_code import Code, OwnCode, text_of

Problem = tuple[str, str]
"""The path of a mistake in a config, such as `fitness.sides`, and what is wrong there."""


@contextmanager
def ctrl_c_waits() -> Iterator[None]:
    """Let Ctrl-C be heard at the end: pydantic would drop what is raised in our serializers."""
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(usual):
        yield
        return
    heard: list[Any] = []
    signal.signal(signal.SIGINT, lambda *signalled: heard.extend(signalled))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
        if heard:
            usual(*heard[:2])


class WholeDumps(BaseModel):
    """A model that is written as data whole: Ctrl-C waits until then."""

    if not TYPE_CHECKING:  # the type checker keeps the arguments of pydantic's own

        def model_dump(self, **options: Any) -> dict[str, Any]:
            """Return the fields as data."""
            with ctrl_c_waits():
                return super().model_dump(**options)

        def model_dump_json(self, **options: Any) -> str:
            """Return the fields as JSON."""
            with ctrl_c_waits():
                return super().model_dump_json(**options)


class Part(WholeDumps):
    """A frozen part of a config: unknown keys, wrong types and infinities are refused.

    A table without `kind` is of the usual kind, as every key that is left out has its default.
    """

    model_config = ConfigDict(
        extra="forbid", frozen=True, strict=True, allow_inf_nan=False, defer_build=True
    )

    @model_validator(mode="before")
    @classmethod
    def _of_the_usual_kind(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        tables = {
            name: {"kind": usual, **data[name]}
            for name, field in cls.model_fields.items()
            if isinstance(data.get(name), Mapping)
            and "kind" not in data[name]
            and isinstance(field.default, BaseModel)
            and (usual := kind_of(type(field.default))) is not None
        }
        return {**data, **tables}


def parts_in(annotation: Any, *, is_listed: bool = False) -> Iterator[tuple[type[Any], bool]]:
    """Yield the parts within a type, in order, and whether they are items of a tuple there."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_listed
        return
    arguments = get_args(annotation)
    for argument in arguments:
        yield from parts_in(argument, is_listed=is_listed or arguments[-1:] == (...,))


def kind_of(model: type[BaseModel]) -> str | None:
    """Return the value of `kind` that chooses *model* among several parts; None if none does."""
    field = model.model_fields.get("kind")
    return None if field is None else str(field.default)


def fields_of(part: BaseModel) -> dict[str, Any]:
    """Return the values of the fields of *part* by name, as they are."""
    return {name: part.__dict__[name] for name in type(part).model_fields}


# A part of a config that stands for a part in the user's Python: its code and its settings.


class OwnPart(Part):
    """What a config says of a part in Python; a kind of part adds its `kind` and its contract."""

    code: Code
    """Where it is: `python:FILE.py:NAME` or `python:MODULE:NAME`. evoply adds the path and the
    checksum of the file."""
    settings: dict[str, Any] = Field(default={})
    """What its class is called with, by name."""

    @property
    def code_label(self) -> str:
        """The code for people, without folder and checksum."""
        return OwnCode.from_text(self.code).label

    def made(self) -> Any:
        """Import the file, and return what is named there; `ValueError` if that is impossible.

        A class is called with the settings; anything else is returned as it is.
        """
        found = OwnCode.from_text(self.code).loaded()
        if not isinstance(found, type):
            if self.settings:
                raise ValueError(f"{self.code_label}: only a class has settings: leave them out")
            return found
        try:
            return found(**self.settings)
        except (TypeError, ValueError) as error:
            given = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
            raise ValueError(f"{self.code_label}({given}) cannot be made: {error}") from None


def keys_of(part: Any, settings: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Return the keys `code` and `settings` of an `OwnPart` for *part*, a user's object.

    With *settings* it is named by its class if that makes an equal one of them.
    """
    if settings is None:
        return {"code": text_of(part)}
    try:
        again = type(part)(**settings)
    except (TypeError, ValueError):
        again = None
    if again != part:
        return {"code": text_of(part, settings=repr(settings))}
    return {"code": text_of(type(part)), "settings": dict(settings)}
