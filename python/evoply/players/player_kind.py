"""The contract of a kind of player, which every player that is data fulfils.

A kind is one class in one module and a row of the table `evoply.players.player.KINDS`. Its fields
are its keys in TOML and in saved files; `seat` returns who sits at the board. The other methods
have defaults here that suit a player whose model is complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field

from evoply import _native
from evoply.games import game_rules
from evoply.players.evaluators import IDENTITY, Evaluator, ExpressionEvaluator, Model
from evoply.players.kernel_seat import KernelSeat, TimeUse
from evoply.players.options import (
    Option,
    kernel_arguments,
    not_in_digests,
    option_texts,
    options_of,
    sentences,
    unfit,
)
from evoply.processes import SandboxMode
from evoply.protocols import Seat
from evoply.sections import Page, Shown, facts_page, share

LONGEST_NAME = 200

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
    """One kind of player as data. A subclass defines `kind`, its fields, `label` and `seat`."""

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
        """The name, or a description in one line."""
        return self.name or self.kind

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again; by default True."""
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

        For kinds with their own text form, such as `FILE.py`. Raises ValueError for a text that is
        almost of that form.
        """
        return None

    @classmethod
    def text_options(cls) -> Sequence[str]:
        """Return the fields that may follow one of `names`, as `:key=value,...`."""
        return ()

    def with_options(self, options: Mapping[str, Any]) -> PlayerKind:
        """Return the player with other *options*; `ValueError` for an unknown option."""
        if options:
            raise ValueError(f"{self.label}: this player has no options")
        return self

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
        return self

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
        """Sentences on how it plays, except for its values of boards."""
        return ()

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

    @property
    def habits(self) -> tuple[str, ...]:
        """The sentences of its options."""
        return tuple(sentences(self))

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

    def with_options(self, options: Mapping[str, Any]) -> ValuingPlayer:
        """Return the player with other *options*, without its name."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its options change")

    def measured(self) -> ValuingPlayer:
        """Return the player as reports measure it: not too deep, without limits and chance."""
        return self.model_copy(update={"epsilon": 0.0})

    def erring(self, share: float) -> ValuingPlayer:
        """Return the player with *share* of its moves at random."""
        return self.model_copy(update={"epsilon": share})

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the evaluator or an option needs another game than *game*."""
        self.evaluator.check_fits(game)
        for _, problem in unfit(self, game):
            raise ValueError(problem)

    def valuing(self) -> ValuingPlayer:
        """Return the player itself."""
        return self

    def self_contained(self) -> Self:
        """Return the same player with its primitives as data."""
        return self.model_copy(update={"evaluator": self.evaluator.self_contained()})
