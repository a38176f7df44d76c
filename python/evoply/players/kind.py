"""The contract of a kind of player: what evoply asks of every player that is data.

A kind is one class in one module and a place in the table `evoply.players.player.KINDS`. Its fields
are its keys in TOML and in saved files; `seat` says who sits at the board. What else is asked has
an answer here that is usual for a player whose model is all there is to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Self

from pydantic import Field

from evoply import _native
from evoply.players.evaluators import Model
from evoply.protocols import Seat

if TYPE_CHECKING:
    from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer

LONGEST_NAME = 200

# A name is shown in terminals: control characters in it could do anything there.
Name = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]


class PlayerKind(Model):
    """One kind of player as data. A subclass defines `kind`, its fields, `label` and `seat`."""

    kind: str
    """What it is called in files."""
    name: Name | None = None

    names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Texts that name a player of this kind, and how it plays."""
    is_portable: ClassVar[bool] = True
    """Whether the model is all there is to the player, so that it can be saved and moved."""

    @property
    def label(self) -> str:
        """The name, or what the player is made of, in one line."""
        return self.name or self.kind

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again: always, if draws are the stream's."""
        return True

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the player cannot play *game*."""
        raise NotImplementedError(f"{type(self).__name__} does not say what it plays")

    def seat(self, game: str) -> Seat:
        """Return a seat for *game*; `ValueError` if it does not fit."""
        raise NotImplementedError(f"{type(self).__name__} does not say who chooses its moves")

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the player of this kind that *text* names; None if it names none of this kind.

        For kinds with a text form of their own, such as `FILE.py`. Raises ValueError for a text
        that is nearly one.
        """
        return None

    @classmethod
    def text_options(cls) -> Sequence[str]:
        """Return the fields that may stand behind one of `names`, as `:key=value,...`."""
        return ()

    def with_options(self, options: Mapping[str, Any]) -> PlayerKind:
        """Return the player with other *options*; `ValueError` for one that it does not have."""
        if options:
            raise ValueError(f"{self.label}: this player has no options")
        return self

    def about(self) -> dict[str, Any]:
        """Return `kind` and `version` for results, and what else tells the player from others.

        What a seat learns of who plays, such as the version of an engine, is its own `about`.
        """
        return {"kind": self.kind, "version": f"evoply {_native.__version__}"}

    def with_move_limit(self, seconds: float) -> PlayerKind:
        """Return the player with so many seconds a move, if it is one that needs such a limit."""
        return self

    def self_contained(self) -> PlayerKind:
        """Return the same player with everything it names as data; `ValueError` if it cannot be."""
        return self

    def anywhere(self) -> PlayerKind:
        """Return the same player, whatever the current folder is: for configs in run folders."""
        return self.self_contained()

    def identity(self) -> dict[str, Any]:
        """Return what a digest holds of the player: what it is, not its name or where it lies."""
        return self.self_contained().model_dump(mode="json", exclude={"name"})

    def steady(self) -> RandomPlayer | AfterState | AlphaBeta:
        """Return the player whose boards have one value each, for explanations and pictures.

        Raises ValueError if there is none.
        """
        raise ValueError(
            f"{self.label}: this player gives boards no values, so there is nothing to explain"
        )


def unusual_options(player: PlayerKind, names: Iterable[str]) -> list[str]:
    """Return those fields of *player* as options of its text that are not what they usually are."""
    fields = type(player).model_fields
    values = {name: getattr(player, name) for name in names}
    return [
        f"{name}={option_text(value)}"
        for name, value in values.items()
        if value != fields[name].default
    ]


def option_text(value: object) -> str:
    """Return a value of a field as an option's text has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    short = f"{value:g}" if isinstance(value, float) else str(value)
    return str(value) if isinstance(value, float) and float(short) != value else short


def player_text(evaluator: str, options: Sequence[str]) -> str:
    """Return the text of a player: its evaluator and its options."""
    return evaluator + (f":{','.join(options)}" if options else "")
