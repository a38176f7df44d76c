"""The contract of a kind of player that is data, and of its options.

A kind is one class in one module and a row of the table `evoply.players.player.KINDS`. Its fields
are its keys in TOML and in saved files; `seat` returns who sits at the board. The other methods
have defaults here, which follow from the fields: what a kind says of itself is what differs. A
player that plays as another one is `Wrapping` and says what it adds. Docstrings of what a kind
overrides stand here, unless there is more to say.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self, get_args, get_origin

from pydantic import BaseModel, Field

from evoply import _native
from evoply.environment import SandboxMode
from evoply.games import game_rules
from evoply.players.evaluators import IDENTITY, Evaluator, ExpressionEvaluator, Model, TreeEvaluator
from evoply.players.kernel_seat import KernelSeat, TimeUse
from evoply.protocols import Seat
from evoply.protocols.sections import Page, Shown, facts_page, share
from evoply.wording import did_you_mean, shorten

# Options of players, each declared once, at its field.
#
# The field has type, bounds and default, its docstring the meaning. An `Option` beside the type has
# the rest: its text form, the games that it fits, the kernel's argument, and the sentence for
# explanations. Texts, labels, error messages and explanations are derived, without lists of names.

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


LONGEST_NAME = 200
NOT_REPRODUCIBLE = " (not reproducible)"
"""The end of the label of a player that a limit in time keeps from playing the same game again."""

# Names are printed on terminals, where control characters are dangerous.
Name = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]


def _needs_far_side(ties: str, game: str) -> None:
    if ties == "advanced" and not game_rules(game).moves_pieces:
        raise ValueError(f"pieces of {game} stay where they are: ties=advanced is for checkers")


Ties = Annotated[
    Literal["first", "last", "random", "column", "advanced"], Option(check_game=_needs_far_side)
]
View = Annotated[Literal["player", "turn"], Option()]


class PlayerKind(Model, Shown):
    """One kind of player as data. A subclass defines `kind`, its fields and `seat`."""

    kind: str
    """The name of the kind in files."""
    name: Name | None = None

    names: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Texts that name a player of this kind, and how it plays."""
    text_players: ClassVar[Sequence[str]] = ()
    """Those of its options in a text that are players themselves."""
    is_portable: ClassVar[bool] = True
    """Whether the model is the complete player, so that it can be saved and moved."""
    is_believed: ClassVar[bool] = True
    """Whether configs believe its `reproducible`: its data say all that decides its moves."""

    @property
    def label(self) -> str:
        """The name, or its text; marked if a limit in time makes it not reproducible."""
        label = self.name or self.own_text
        return marked(label) if self._is_timed else label

    @property
    def own_text(self) -> str:
        """The text of the player without a name: by default its kind and its unusual options."""
        return player_text(self.kind, option_texts(self, self.text_options()))

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again: unless a field `time` has a limit."""
        return not self._is_timed

    @property
    def _is_timed(self) -> bool:
        return getattr(self, "time", None) is not None

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the player, one of its parts or an option cannot play *game*."""
        game_rules(game)
        for part in self._parts.values():
            part.check_fits(game)
        for _, problem in unfit(self, game):
            raise ValueError(problem)

    @property
    def _parts(self) -> dict[str, PlayerKind | TreeEvaluator | ExpressionEvaluator]:
        fields = ((name, getattr(self, name)) for name in type(self).model_fields)
        parts = PlayerKind | TreeEvaluator | ExpressionEvaluator
        return {name: value for name, value in fields if isinstance(value, parts)}

    def seat(self, game: str) -> Seat:
        """Return a seat for *game*; `ValueError` if it does not fit."""
        raise NotImplementedError(f"{type(self).__name__} does not say who chooses its moves")

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the player of this kind that *text* names; None if it names none of this kind.

        For kinds with their own text form, such as `FILE.py`. Raises ValueError for a text that is
        almost of that form.
        """
        return None

    @classmethod
    def text_options(cls) -> Sequence[str]:
        """Return the fields that may follow one of `names`, as `:key=value,...`."""
        return ()

    @classmethod
    def text_readers(cls) -> Mapping[str, Reader]:
        """Return the readers of these, but of those that are players."""
        plain = (key for key in cls.text_options() if key not in cls.text_players)
        return {key: field_reader(cls, key) for key in plain}

    def with_options(self, options: Mapping[str, Any]) -> PlayerKind:
        """Return the player with other *options*, without its name; itself if there are none.

        Raises `ValueError` for an unknown option.
        """
        if options and not self.text_options():
            raise ValueError(f"{self.label}: this player has no options")
        return self._changed(options)

    def _changed(self, fields: Mapping[str, Any]) -> Self:
        kept = {key: getattr(self, key) for key in type(self).model_fields if key != "name"}
        return type(self)(**{**kept, **fields}) if fields else self

    def about(self) -> dict[str, Any]:
        """Return `kind` and `version` for results, and other facts that identify the player.

        A seat has its own `about` for facts that it learns, such as the version of an engine.
        """
        return {"kind": self.kind, "version": f"evoply {_native.__version__}"}

    def with_move_limit(self, seconds: float) -> PlayerKind:
        """Return the player with *seconds* for a move, if it needs such a limit."""
        return self

    def with_sandbox(self, mode: SandboxMode) -> PlayerKind:
        """Return the player in this sandbox, if it is a program; `ValueError` if it is missing."""
        return self

    def self_contained(self) -> PlayerKind:
        """Return the player with all that it names as data; `ValueError` if that is impossible."""
        parts = {name: part.self_contained() for name, part in self._parts.items()}
        return self.model_copy(update=parts) if parts else self

    def anywhere(self) -> PlayerKind:
        """Return the player with absolute paths, for configs in run folders."""
        return self.self_contained()

    def identity(self) -> dict[str, Any]:
        """Return the player's data for a digest, without its name and location."""
        player = self.self_contained()
        left_out = {"name", *not_in_digests(player)}
        return player.model_dump(mode="json", exclude=left_out, context=IDENTITY)

    def erring(self, share: float) -> PlayerKind:
        """Return the player with *share* of its moves at random, if it has such an option."""
        return self

    def valuing(self) -> ValuingPlayer | None:
        """Return the player by whose values of boards this one moves; None if it has none.

        It has no random start and no overlaps; explanations and pictures use it.
        """
        return None

    @property
    def habits(self) -> tuple[str, ...]:
        """Sentences on how it plays, except for its values of boards: those of its options."""
        return tuple(sentences(self))

    @property
    def plies_ahead(self) -> int:
        """Plies that the player looks ahead, its own move included; 0 if it values no boards."""
        return 0

    @property
    def games_before_move(self) -> int:
        """Games that the player plays by itself before each of its moves."""
        return 0

    def shown(self) -> Page:
        """Return its options, or what else says how it plays."""
        return facts_page(f"Player {self}", self._shown_facts())

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        return ((key, getattr(self, key)) for key in self.text_options())


class NamedKind(PlayerKind):
    """The base of kinds that texts name and whose fields are options, as `mcts:playouts=9`."""

    changes: ClassVar[Mapping[str, Mapping[str, Any]]] = MappingProxyType({})
    """The fields in which the players of some of `names` differ from the defaults."""

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the player called *text*; options may follow the name, as `:playouts=9`."""
        return cls(**cls.changes.get(text, {}), name=text) if text in cls.names else None

    @classmethod
    def text_options(cls) -> Sequence[str]:
        """Return all fields but the kind and the name."""
        return tuple(key for key in cls.model_fields if key not in ("kind", "name"))

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return the player with other *options*, without its name; itself if there are none."""
        return self._changed(options)


class KernelPlayer(PlayerKind):
    """The base of players that the kernel runs; a subclass defines `native`."""

    def seat(self, game: str) -> KernelSeat:
        """Return a seat for *game*; `ValueError` if it does not fit."""
        return KernelSeat(self.native(game), self.uses_time(), player=lambda: self)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the kernel runs")

    def uses_time(self) -> TimeUse | None:
        """Return how the player uses the time of a game; None for a player without a search."""
        return None


class Wrapping(KernelPlayer):
    """The base of players that play as another one: what they do not say, that one says."""

    @property
    def inner(self) -> KernelPlayer:
        """The player as which it plays."""
        raise NotImplementedError(f"{type(self).__name__} does not say as whom it plays")

    @property
    def reproducible(self) -> bool:
        """Whether the inner player is."""
        return self.inner.reproducible

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the inner player cannot play *game*."""
        self.inner.check_fits(game)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form of the inner player."""
        return self.inner.native(game)

    def uses_time(self) -> TimeUse | None:
        """Return how the inner player uses the time of a game."""
        return self.inner.uses_time()

    def valuing(self) -> ValuingPlayer | None:
        """Return the player by whose values of boards the inner one moves."""
        return self.inner.valuing()

    @property
    def habits(self) -> tuple[str, ...]:
        """The habits of the inner player."""
        return self.inner.habits

    @property
    def plies_ahead(self) -> int:
        """The plies that the inner player looks ahead."""
        return self.inner.plies_ahead


class ValuingPlayer(KernelPlayer):
    """The base of players that compare values of boards."""

    evaluator: Evaluator
    ties: Ties = "first"
    """Which of equally good moves it plays."""
    view: View = "player"
    """Whose side is own in the evaluator."""
    epsilon: Annotated[
        float,
        Field(ge=0.0, le=1.0, title="probability"),
        Option(says="With probability {:g} it plays a random move instead."),
    ] = 0.0
    """The probability of a uniformly random move instead."""

    @property
    def plies_ahead(self) -> int:
        """One: the boards after its moves."""
        return 1

    @property
    def own_options(self) -> list[str]:
        """The unusual settings for comparing boards, as options of its text."""
        return [*self.evaluator.options, *option_texts(self, options_of(ValuingPlayer))]

    @property
    def draws_leaves(self) -> bool:
        """Whether the value of a board may be drawn anew each time."""
        return False

    def alike(self, game: str) -> frozenset[str] | None:
        """Return the operations of its evaluator that are the same on all boards it compares.

        What is made of these and of numbers alone decides no move. None if more than the order of
        values decides, as in a search, where a drawn end of the game is worth 0.
        """
        return None

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        yield "values boards by", self.evaluator.parsed
        yield "plies ahead", self.plies_ahead
        yield "ties", self.ties
        yield "view", self.view
        yield "random moves", share(self.epsilon)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        return self.with_program(game, self.evaluator.program(game))

    def with_program(self, game: str, program: _native.Program) -> _native.Player:
        """Return the kernel's form with an evaluator that is lowered already; its own is unused."""
        return _native.Player(game_rules(game).kernel, self.kind, program, **kernel_arguments(self))

    def with_evaluator(self, evaluator: ExpressionEvaluator) -> ValuingPlayer:
        """Return the player that values boards by *evaluator* alone instead."""
        return self.by_value().model_copy(update={"evaluator": evaluator, "name": None})

    def by_value(self) -> ValuingPlayer:
        """Return the player that uses only the value of its evaluator."""
        return self

    def measured(self) -> ValuingPlayer:
        """Return the player as reports measure it: not too deep, without limits and chance."""
        return self.model_copy(update={"epsilon": 0.0})

    def erring(self, share: float) -> ValuingPlayer:
        """Return the player with *share* of its moves at random."""
        return self.model_copy(update={"epsilon": share})

    def valuing(self) -> ValuingPlayer:
        """Return the player itself."""
        return self


def marked(label: str) -> str:
    """Return *label* with the mark of players that are not reproducible, once."""
    return label.removesuffix(NOT_REPRODUCIBLE) + NOT_REPRODUCIBLE
