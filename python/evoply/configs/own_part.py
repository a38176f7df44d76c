"""A part of a config that stands for a part in the user's Python: its code and its settings."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from evoply.configs.part import Part
from evoply.own_code import Code, OwnCode, text_of


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
