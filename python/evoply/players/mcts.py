"""The player `mcts`: Monte Carlo tree search (UCT) in the kernel, with any evaluator or none.

Each playout goes down a tree of positions, adds a leaf and says what the leaf is worth: by a game
of random or greedy moves to its end, or by an evaluator at once. The move that most playouts went
through is played. Source: Kocsis & Szepesvári, "Bandit based Monte-Carlo Planning" (ECML 2006).

Reasons: docs/design/players.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from evoply import _native
from evoply.expressions import Expression, number
from evoply.games import game_rules
from evoply.gp.tree import Forest, Tree
from evoply.players.evaluators import ExpressionEvaluator, TreeEvaluator
from evoply.players.kernel_seat import TimeUse
from evoply.players.player_kind import (
    NOT_REPRODUCIBLE,
    KernelPlayer,
    NamedKind,
    Option,
    PlayerKind,
)
from evoply.players.search_options import MAX_ENDGAME, MAX_TIME, check_solver, says_endgame
from evoply.players.specs import AfterState, AlphaBeta
from evoply.players.staged import Staged
from evoply.players.strong import Strong, strong_tables
from evoply.wording import shorten

USUAL_PLAYOUTS = 1000
"""Playouts of a move where neither they nor time are limited."""
MOST_PLAYOUTS = 1_000_000_000
MOST_GATHERED = 256
USUAL_EXPLORATION = MappingProxyType({"random": 0.4, "greedy": 0.4, "none": 0.05})
"""By what says how much a leaf is worth, as `USUAL_GATHER`; docs/players.md has the matches."""
USUAL_GATHER = MappingProxyType({"random": 16, "greedy": 1, "none": 1})
SCALES = MappingProxyType({"discs": 8.0, "wins": 0.5})
"""The usual scale of the tables of `strong`, by their unit."""
USUAL_SCALE = 8.0
"""That of other evaluators: of a difference in pieces."""


def _with_values(source: object) -> object:
    """Return the player by whose values of boards *source* moves; refuse one that has none."""
    if isinstance(source, Tree | Forest | Expression | TreeEvaluator | ExpressionEvaluator):
        evaluator: Any = source  # one of what a field of this type takes
        return AfterState(evaluator=evaluator)
    if isinstance(source, str):
        text = shorten(source)
        raise ValueError(f"evaluator: give a player, as parse_player({text!r}), not a text")
    if not isinstance(source, PlayerKind) or isinstance(source, Strong):
        return source
    values = source.valuing()
    if values is None:
        raise ValueError(
            f"evaluator {source.label} gives boards no values: name a player that does, as strong"
        )
    return values


class Mcts(NamedKind, KernelPlayer):
    """Plays the move of most playouts; see the docstring of the module.

    An untried move comes first, in the order of legal moves; where all were tried, that with the
    greatest upper bound (UCB1), of equal ones the first. Of moves with as many playouts the one
    with more points is played, then the first. A choice's score and the values of all moves are
    shares of points: 1 if every playout was won, 1/2 for a draw.

    >>> Mcts(playouts=200).label
    'mcts:playouts=200'
    """

    names: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"mcts": "Monte Carlo tree search; options playouts, evaluator, playout and others"}
    )
    text_players: ClassVar[Sequence[str]] = ("evaluator",)

    kind: Literal["mcts"] = "mcts"
    playouts: int | None = Field(default=None, ge=1, le=MOST_PLAYOUTS, strict=True)
    """Playouts of a move. None: 1,000; where time is limited, as many as there is time for."""
    exploration: float | None = Field(default=None, ge=0, le=1000)
    """The factor of UCB1's second term: larger values explore more. None: 0.4 for playouts to the
    end, 0.05 for `playout=none`."""
    playout: Literal["random", "greedy", "none"] | None = None
    """What says how much a leaf is worth. A game to its end: `random`, or `greedy`, where each side
    takes the best board after its move by the evaluator, a random one of equals. `none`: the
    evaluator at once. The default is `random` without an evaluator, else `none`."""
    epsilon: float = Field(default=0.1, ge=0, le=1, title="probability")
    """The probability of a random move in greedy playouts."""
    scale: float | None = Field(default=None, ge=1e-6, le=1e12)
    """The value of a board at which winning is e (2.7) times as likely as losing, for
    `playout=none`. None: 8, as of a difference in pieces; for `strong` by the unit of its tables,
    8 discs or 0.5."""
    gather: int | None = Field(default=None, ge=1, le=MOST_GATHERED, strict=True)
    """Descents made before any of their playouts, which are then played side by side; until then
    each counts as lost. 1 is the plain algorithm. None: 16 for random playouts, else 1."""
    time: float | None = Field(default=None, ge=0.001, le=MAX_TIME, title="number of seconds")
    """Seconds for a move; not reproducible."""
    endgame: Annotated[int, Option(check_game=check_solver, says=says_endgame)] = Field(
        default=0, ge=0, le=MAX_ENDGAME, strict=True
    )
    """The number of empty squares from which the exact solver chooses, in Othello."""
    evaluator: Annotated[
        Annotated[AfterState | AlphaBeta | Staged | Strong, Field(discriminator="kind")] | None,
        BeforeValidator(_with_values),
        Option(shown=lambda player: player.label.removesuffix(NOT_REPRODUCIBLE)),
    ] = None
    """The player by whose values of boards leaves or moves are judged."""

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.evaluator is None and self.leaf != "random":
            raise ValueError(
                f"playout={self.leaf} needs an evaluator: add one, as in evaluator=strong"
            )
        if self.evaluator is not None and self.leaf == "random":
            raise ValueError("playout=random asks no evaluator: leave one of them out")
        for name, leaf in (("epsilon", "greedy"), ("scale", "none")):
            if getattr(self, name) != type(self).model_fields[name].default and self.leaf != leaf:
                raise ValueError(f"{name} is for playout={leaf}, and this is playout={self.leaf}")
        return self

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        """Return the player if *text* is its name, which it keeps as its text."""
        return cls() if text in cls.names else None

    @property
    def leaf(self) -> Literal["random", "greedy", "none"]:
        """What says how much a leaf is worth: *playout*, or its default."""
        return self.playout or ("random" if self.evaluator is None else "none")

    @property
    def curiosity(self) -> float:
        """The factor of UCB1's second term: *exploration*, or its default."""
        return USUAL_EXPLORATION[self.leaf] if self.exploration is None else self.exploration

    @property
    def gathered(self) -> int:
        """Descents before any of their playouts: *gather*, or its default."""
        return self.gather or USUAL_GATHER[self.leaf]

    @property
    def squash(self) -> float:
        """The scale by which values become points: *scale*, or its default."""
        if self.scale is not None:
            return self.scale
        if isinstance(self.evaluator, Strong):
            return SCALES[strong_tables(self.evaluator.game).unit]
        return USUAL_SCALE

    @property
    def games_before_move(self) -> int:
        # One that is limited in time alone has none to tell.
        usual = 0 if self.time is not None else USUAL_PLAYOUTS
        return usual if self.playouts is None else self.playouts

    @property
    def habits(self) -> tuple[str, ...]:
        judged = {
            "random": "a game of random moves to its end",
            "greedy": "a game to its end in which both sides compare the boards after their moves",
            "none": "its values of boards",
        }[self.leaf]
        many = "as many" if self.playouts is None and self.time else f"{self.games_before_move:,}"
        until = " as its time allows" if many == "as many" else ""
        return (
            f"It grows a tree of positions by {many} leaves a move{until}.",
            f"What a leaf is worth is said by {judged}.",
            *super().habits,
        )

    def uses_time(self) -> TimeUse:
        """Return its limit, and that every move gets as much."""
        return TimeUse(seconds=self.time or MAX_TIME, is_shared_evenly=True)

    def native(self, game: str) -> _native.Player:
        self.check_fits(game)
        return self.with_program(game, self._program(game))

    def with_program(self, game: str, program: _native.Program) -> _native.Player:
        """Return the kernel's form with an evaluator that is lowered already; its own is unused."""
        rules = game_rules(game)
        return _native.Player.mcts(
            rules.kernel,
            program,
            view=getattr(self.evaluator, "view", "turn"),
            playouts=self.playouts,
            exploration=self.curiosity,
            playout=self.leaf,
            epsilon=self.epsilon,
            scale=self.squash,
            gather=self.gathered,
            milliseconds=None if self.time is None else round(self.time * 1000),
            endgame=self.endgame,
            draws=rules.draws.limits,
        )

    def _program(self, game: str) -> _native.Program:
        """Return what values boards; of a player without an evaluator a constant, never asked."""
        if self.evaluator is None:
            return _nothing().program(game)
        if isinstance(self.evaluator, Strong):
            return strong_tables(self.evaluator.game).program
        return self.evaluator.evaluator.program(game)

    def self_contained(self) -> Mcts:
        """Return the player with its evaluator as data, which needs no file of evoply's."""
        if self.evaluator is None:
            return self
        evaluator, scale = self.evaluator.self_contained(), self.scale
        if isinstance(self.evaluator, Strong) and self.leaf == "none":
            scale = self.squash  # an expression does not tell its unit
        update = {"evaluator": evaluator, "scale": scale, "name": self.label}
        return self.model_copy(update=update)

    def anywhere(self) -> Mcts:
        """Return the player with an evaluator that is the same wherever it is read."""
        evaluator = self.evaluator and self.evaluator.anywhere()
        return self.model_copy(update={"evaluator": evaluator})

    def identity(self) -> dict[str, Any]:
        """Return how it searches, and the identity of its evaluator."""
        data = self.model_dump(mode="json", exclude={"name", "evaluator"})
        evaluator = self.evaluator and self.evaluator.identity()
        chosen = {
            "playout": self.leaf,
            "exploration": self.curiosity,
            "gather": self.gathered,
            "scale": self.squash,
        }
        return {**data, **chosen, "evaluator": evaluator}


def guided(evaluator: KernelPlayer, options: Mapping[str, Any]) -> Mcts:
    """Return the search with *options* whose playouts or leaves *evaluator* judges."""
    search: type[Any] = Mcts  # the options are data of a config
    found: Mcts = search(evaluator=evaluator, **options)
    return found


@cache
def _nothing() -> ExpressionEvaluator:
    return ExpressionEvaluator(expression=number(0.0).to_dict())
