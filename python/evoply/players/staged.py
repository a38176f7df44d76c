"""Players that change with the game: stages by the clock, and a random start.

Source of the stages: Liao, "Genetic Programming Applied to Board Game Othello"; overlapping ones
are its proposal for later work. A random start makes the games of a deterministic player differ.
"""

from __future__ import annotations

import math
from itertools import accumulate
from typing import Annotated, Literal, Self, cast

from pydantic import Field, field_validator, model_validator

from evoply import _native
from evoply.expressions import Number, board, less, select
from evoply.games import game_rules
from evoply.gp import Forest, Tree, expression_of
from evoply.notebook import table_html
from evoply.players.evaluators import Evaluator, ExpressionEvaluator, Model, TreeEvaluator
from evoply.players.specs import AfterState, AlphaBeta, KernelPlayer, RandomPlayer, Ties, View
from evoply.wording import shorten

__all__ = ["RandomStart", "Stage", "Staged", "stage_shares"]

Slide = Literal["linear", "logistic"]

MOST_STAGES = 100
MOST_RANDOM_PLIES = 1000
# Percentages such as 100/60 are rounded: a clock this close below a boundary has reached it.
_ROUNDING = 1e-9
_STEEPNESS = 12.0  # of the logistic slide, before its ends are moved to exactly 0 and 1


class Stage(Model):
    """A part of the game, in percent of its clock, and the evaluator used in it."""

    evaluator: Evaluator
    percent: Annotated[float, Field(gt=0.0, le=100.0)]

    @property
    def label(self) -> str:
        """The evaluator and the percentage, as in `( white ),50`."""
        return f"{self.evaluator.label},{self.percent:g}"


class Staged(KernelPlayer):
    """One ply ahead with an evaluator chosen by the clock of the position where it chooses.

    Stage k is in use while the clock is between the sums of the percentages before and after it;
    the last one to the end of the game. With an *overlap* of w percent, from w/2 percent before a
    boundary to w/2 after it, each move draws which of the two stages chooses: the probability of
    the later one slides from 0 to 1, on a line or a logistic curve (*slide*). The draw comes from
    the key of the move. *ties* and *view* as in `AfterState`.

    >>> Staged.parse("( white ),50,( white_corners ),50").label
    '( white ),50,( white_corners ),50:primitives=liao'
    """

    kind: Literal["staged"] = "staged"
    stages: tuple[Stage, ...] = Field(min_length=1, max_length=MOST_STAGES)
    overlap: float = Field(default=0.0, ge=0.0, le=100.0)
    slide: Slide = "linear"
    ties: Ties = "first"
    view: View = "player"

    @field_validator("stages")
    @classmethod
    def _fills_the_game(cls, stages: tuple[Stage, ...]) -> tuple[Stage, ...]:
        total = math.fsum(stage.percent for stage in stages)
        if abs(total - 100.0) > _ROUNDING:
            raise ValueError(f"the percentages of the stages sum to {total:g}, not to 100")
        return stages

    @model_validator(mode="after")
    def _overlaps_do_not_meet(self) -> Self:
        shortest = min(stage.percent for stage in self.stages)
        if len(self.stages) > 1 and self.overlap > shortest:
            raise ValueError(
                f"an overlap of {self.overlap:g} percent is longer than a stage of {shortest:g}"
            )
        return self

    @classmethod
    def parse(
        cls,
        text: str,
        *,
        primitives: str = "liao",
        lenient: Literal["drop", "variadic"] | None = None,
        overlap: float = 0.0,
        slide: Slide = "linear",
        ties: Ties = "first",
    ) -> Staged:
        """Return the player that a text such as `( white ),50,( white_corners ),50` means.

        A tree without a percentage has the whole game. Raises ValueError for anything else.
        """
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == 1:
            parts.append("100")
        if len(parts) % 2:
            raise ValueError(
                f"{shorten(text)!r}: stages are written tree,percent,tree,percent and so on"
            )
        stages = []
        for tree, percent in zip(parts[::2], parts[1::2], strict=True):
            if not percent.isascii() or not percent.isdecimal():
                raise ValueError(f"{shorten(percent)!r} is not a percentage, a whole number")
            evaluator = TreeEvaluator(tree=tree, primitives=primitives, lenient=lenient)
            stages.append(Stage(evaluator=evaluator, percent=float(percent)))
        return cls(stages=tuple(stages), overlap=overlap, slide=slide, ties=ties)

    @property
    def label(self) -> str:
        """The name, or stages and what is unusual about the player."""
        if self.name:
            return self.name
        stages = ",".join(stage.label for stage in self.stages)
        usual = {"overlap": 0.0, "slide": "linear", "ties": "first", "view": "player"}
        options = [*self.stages[0].evaluator.options]
        options += [
            f"{option}={getattr(self, option):{'g' if option == 'overlap' else ''}}"
            for option, value in usual.items()
            if getattr(self, option) != value
        ]
        return stages + (f":{','.join(options)}" if options else "")

    def _repr_html_(self) -> str:
        rows = (
            *((f"{stage.percent:g} %", stage.evaluator.parsed) for stage in self.stages),
            ("overlap", f"{self.overlap:g} %, {self.slide}"),
            ("ties", self.ties),
        )
        return table_html(f"Player {self}", rows)

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if an evaluator needs another board than *game*'s."""
        for stage in self.stages:
            stage.evaluator.check_fits(game)

    def shares(self, clock: float) -> tuple[float, ...]:
        """Return the probability of each stage at a clock from 0 to 1; they sum to 1."""
        percentages = [stage.percent for stage in self.stages]
        return stage_shares(percentages, clock, self.overlap, self.slide)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        self.check_fits(game)
        if not self.overlap:
            return self.without_overlap().native(game)
        # The clock follows from the number of pieces: the kernel need not know how stages slide.
        rules = game_rules(game)
        pieces = range(rules.size**2 + 1)
        return _native.Player.staged(
            rules.kernel,
            [stage.evaluator.program(game) for stage in self.stages],
            [self.shares(_native.clock(rules.kernel, count)) for count in pieces],
            view=self.view,
            ties=self.ties,
        )

    def steady(self) -> AfterState:
        """Return the player without overlap."""
        return self.without_overlap()

    def without_overlap(self) -> AfterState:
        """Return the player that changes from stage to stage at once, as the kernel runs it."""
        return AfterState(
            name=None if self.overlap else self.name,
            evaluator=self._evaluator(),
            ties=self.ties,
            view=self.view,
        )

    def _evaluator(self) -> TreeEvaluator | ExpressionEvaluator:
        """Return an individual of stages if the stages are trees over one set, else a formula."""
        evaluators = [stage.evaluator for stage in self.stages]
        percents = [round(stage.percent) for stage in self.stages]
        trees = [one.parsed for one in evaluators if isinstance(one, TreeEvaluator)]
        sets = [one.primitive_set for one in evaluators if isinstance(one, TreeEvaluator)]
        plain_trees = tuple(tree for tree in trees if isinstance(tree, Tree))
        is_whole = all(stage.percent == round(stage.percent) for stage in self.stages)
        if is_whole and len(plain_trees) == len(percents) and all(one == sets[0] for one in sets):
            return TreeEvaluator(tree=Forest("stages", plain_trees, tuple(percents)))
        return ExpressionEvaluator(expression=self.expression().to_dict())

    def self_contained(self) -> Staged:
        """Return the same player with its primitives as data."""
        stages = tuple(
            stage.model_copy(update={"evaluator": stage.evaluator.self_contained()})
            for stage in self.stages
        )
        return self.model_copy(update={"stages": stages})

    def expression(self) -> Number:
        """Return the one expression that a player without overlap evaluates."""
        values = [_value(stage.evaluator) for stage in self.stages]
        ends = accumulate(stage.percent for stage in self.stages[:-1])
        chosen = values[-1]
        for value, end in reversed(list(zip(values[:-1], ends, strict=True))):
            chosen = select(less(board.root_t, end / 100 - _ROUNDING), value, chosen)
        return chosen


def _value(evaluator: TreeEvaluator | ExpressionEvaluator) -> Number:
    if isinstance(evaluator, TreeEvaluator):
        return cast(Number, expression_of(evaluator.parsed))
    return cast(Number, evaluator.parsed)


def stage_shares(
    percentages: list[float], clock: float, overlap: float, slide: Slide = "linear"
) -> tuple[float, ...]:
    """Return the probability of each stage at *clock* (0 to 1); see `Staged`.

    >>> stage_shares([50, 50], 0.5, 20), stage_shares([50, 50], 0.45, 20)
    ((0.5, 0.5), (0.75, 0.25))
    """
    now = 100 * clock
    # The probability that a boundary counts as passed falls from one boundary to the next.
    passed = [1.0]
    passed += [_passed(now - end, overlap, slide) for end in accumulate(percentages[:-1])]
    return tuple(here - later for here, later in zip(passed, [*passed[1:], 0.0], strict=True))


def _passed(beyond: float, overlap: float, slide: Slide) -> float:
    """Return the probability that a boundary counts as passed *beyond* percent after it."""
    if not overlap:
        return float(beyond >= -100 * _ROUNDING)
    way = min(1.0, max(0.0, beyond / overlap + 0.5))
    if slide == "linear":
        return way
    low = _logistic(-_STEEPNESS / 2)
    return (_logistic(_STEEPNESS * (way - 0.5)) - low) / (1 - 2 * low)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


class RandomStart(KernelPlayer):
    """Uniformly random moves for the player's own first *plies* of a game, then another player.

    Forced passes count, plies of a random opening do not. The draws come from the keys of the
    moves, as those of a random player do.

    >>> from evoply.players import RandomPlayer
    >>> RandomStart(plies=6, player=RandomPlayer()).label
    'random:random_plies=6'
    """

    kind: Literal["random_start"] = "random_start"
    plies: int = Field(ge=0, le=MOST_RANDOM_PLIES, strict=True)
    player: Annotated[RandomPlayer | AfterState | AlphaBeta | Staged, Field(discriminator="kind")]

    @property
    def reproducible(self) -> bool:
        """Whether the player that follows is."""
        return self.player.reproducible

    @property
    def label(self) -> str:
        """The name, or both parts."""
        if self.name:
            return self.name
        label = self.player.label
        return f"{label}{',' if ':' in label else ':'}random_plies={self.plies}"

    def _repr_html_(self) -> str:
        rows = (("random moves", f"its own first {self.plies}"), ("then", self.player))
        return table_html(f"Player {self}", rows)

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the player does not play *game*."""
        self.player.check_fits(game)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        return self.player.native(game).with_random_moves(self.plies)

    def steady(self) -> RandomPlayer | AfterState | AlphaBeta:
        """Return the player that follows, without overlap."""
        return self.player.steady()

    def self_contained(self) -> RandomStart:
        """Return the same player with its primitives as data."""
        return self.model_copy(update={"player": self.player.self_contained()})
