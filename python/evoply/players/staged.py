"""Players that change during a game: by stages, which may overlap, or after a random start.

Source of the stages: Liao, "Genetic Programming Applied to Board Game Othello", which proposes
overlaps for later work. With a random start even a deterministic player plays different games.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from evoply import _native
from evoply.expressions import Expression, PrimitiveSet
from evoply.games import game_rules
from evoply.gp import Tree, branches, expression_of, lower
from evoply.gp.tree import PERCENT_ROUNDING, Role
from evoply.players.evaluators import Evaluator, Model, TreeEvaluator
from evoply.players.player_kind import (
    NOT_REPRODUCIBLE,
    KernelPlayer,
    Ties,
    View,
    Wrapping,
    marked,
    option_texts,
    player_text,
)
from evoply.players.search_options import OF_STAGES
from evoply.players.specs import AfterState, AlphaBeta, RandomPlayer
from evoply.wording import shorten

Slide = Literal["linear", "logistic"]
StageClock = Literal["pieces", "ply"]

STAGES_ONLY = "overlap, slide and clock are for stages, such as ( white ),50,( white_corners ),50"
MOST_RANDOM_PLIES = 1000
_STEEPNESS = 12.0  # of the logistic slide, before its ends are moved to exactly 0 and 1


class Staged(Wrapping):
    """Looks one ply ahead with one tree for each stage of the game.

    *evaluator* holds the stages: an individual such as `( white ),50,( white_corners ),50`. The
    clock of the position where the player chooses says which stage is in use: the first for the
    first 50 percent of the game, then the second, to the end. *ties* and *view* are those of
    `AfterState`, which plays stages that do not overlap.

    An *overlap* of w percent reaches from w/2 percent before a boundary to w/2 after it. There the
    player draws for each move which of the two stages chooses. The probability of the later one
    rises from 0 to 1, in a line or on a logistic curve (*slide*). The draw comes from the key of
    the move.

    The *clock* counts "pieces", or with "ply" plies, as a share of the squares that are empty at
    the start. A forced pass is a ply; without passes both clocks say the same. Stages are for games
    that fill the board, and for games from data whose rules have a clock, which then takes the
    place of the pieces.

    Files list the stages one by one, each with its *evaluator* and *percent*; there an evaluator
    may also be a board expression.

    >>> evaluator = TreeEvaluator(tree="( white ),50,( white_corners ),50")
    >>> Staged(evaluator=evaluator, overlap=20).label
    '( white ),50,( white_corners ),50:overlap=20'
    """

    kind: Literal["staged"] = "staged"
    evaluator: TreeEvaluator
    overlap: float = Field(default=0.0, ge=0.0, le=100.0, title="percentage")
    slide: Slide = "linear"
    clock: StageClock = "pieces"
    ties: Ties = "first"
    view: View = "player"

    @model_validator(mode="before")
    @classmethod
    def _one_evaluator(cls, data: Any) -> Any:
        if not isinstance(data, Mapping) or "stages" not in data:
            return _with_clock_apart(data)
        stages = data["stages"]
        if not isinstance(stages, list | tuple):
            raise ValueError("stages must be a list of evaluators with their percentages")
        fields = {key: value for key, value in data.items() if key != "stages"}
        return {**fields, "evaluator": _evaluator_of([_Stage(**stage) for stage in stages])}

    @model_serializer(mode="wrap")
    def _stage_by_stage(self, write: SerializerFunctionWrapHandler) -> Any:
        fields = write(self)
        options = {key: fields["evaluator"][key] for key in ("primitives", "division")}
        stages = [
            {
                "evaluator": TreeEvaluator(tree=str(tree), **options).model_dump(),
                "percent": float(percent),
            }
            for tree, percent in zip(self.trees, self.percents, strict=True)
        ]
        del fields["evaluator"]
        return {**fields, "stages": stages}

    @model_validator(mode="after")
    def _overlaps_do_not_meet(self) -> Self:
        if self.evaluator.parsed.role not in ("stages", "tree"):
            raise ValueError(STAGES_ONLY)
        shortest = min(self.percents)
        if len(self.percents) > 1 and self.overlap > shortest:
            raise ValueError(
                f"an overlap of {self.overlap:g} percent is longer than a stage of {shortest:g}"
            )
        return self

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The tree of each stage."""
        return branches(self.evaluator.parsed)

    @property
    def percents(self) -> tuple[float, ...]:
        """The share of the game of each stage; together 100."""
        individual = self.evaluator.parsed
        return (100,) if isinstance(individual, Tree) else individual.percents

    @property
    def inner(self) -> AfterState:
        """The player without overlap, which changes from one stage to the next at once."""
        return self.valuing()

    @property
    def own_text(self) -> str:
        unusual = option_texts(self, (*OF_STAGES, "ties", "view"))
        return player_text(self.evaluator.label, [*self.evaluator.options, *unusual])

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        yield from ((f"{p:g} %", tree) for tree, p in zip(self.trees, self.percents, strict=True))
        yield "overlap", f"{self.overlap:g} %, {self.slide}"
        yield "ties", self.ties

    def shares(self, clock: float) -> tuple[float, ...]:
        """Return the probability of each stage at a clock from 0 to 1; they sum to 1."""
        return stage_shares(self.percents, clock, self.overlap, self.slide)

    def native(self, game: str) -> _native.Player:
        if not self.overlap:
            return self.valuing().native(game)
        self.check_fits(game)
        # The kernel gets a table by pieces or plies, so it need not know how stages slide.
        rules = game_rules(game)
        squares = rules.shape.squares
        # Every ply but a pass adds a piece to those of the start.
        black, white, *_ = rules.start().row
        first = 0 if self.clock == "pieces" else (black | white).bit_count()
        is_own = rules.has_own_clock and self.clock == "pieces"
        counts = [min(first + count, squares) for count in range(squares + 1)]
        clocks = (
            [step / squares for step in range(squares + 1)]
            if is_own
            else [_native.clock(rules.kernel, pieces) for pieces in counts]
        )
        return _native.Player.staged(
            rules.kernel,
            lower(self.trees, game),
            [self.shares(clock) for clock in clocks],
            clock="board" if is_own else self.clock,
            view=self.view,
            ties=self.ties,
        )

    def with_options(self, options: Mapping[str, Any]) -> Staged:
        for option in options:
            if option not in type(self).model_fields:
                raise ValueError(
                    f"{option} does not go with overlapping stages, which look one ply ahead and "
                    "have no other options than overlap, slide, clock, ties, view and random_plies"
                )
        return self._changed(options)

    @property
    def habits(self) -> tuple[str, ...]:
        if not self.overlap:
            return ()
        return (
            f"Its stages overlap by {self.overlap:g} percent of the game, where each move "
            "draws its stage; all that is measured is without overlap.",
        )

    def valuing(self) -> AfterState:
        """Return the player without overlap, which changes from one stage to the next at once."""
        name = None if self.overlap else self.name
        evaluator = self.evaluator
        if self.clock == "ply":
            evaluator = _with_role(evaluator, "ply_stages")
        return AfterState(name=name, evaluator=evaluator, ties=self.ties, view=self.view)


def _with_clock_apart(data: Any) -> Any:
    """Return the fields; if the individual counts plies, the clock is a field of its own."""
    evaluator = data.get("evaluator") if isinstance(data, Mapping) else None
    if isinstance(evaluator, TreeEvaluator) and evaluator.parsed.role == "ply_stages":
        return {"clock": "ply", **data, "evaluator": _with_role(evaluator, "stages")}
    return data


def _with_role(evaluator: TreeEvaluator, role: Role) -> TreeEvaluator:
    """Return *evaluator* with another role of its stages; a single tree stays as it is."""
    individual = evaluator.parsed
    if isinstance(individual, Tree):
        return evaluator
    return TreeEvaluator(
        tree=str(replace(individual, role=role)),
        primitives=evaluator.primitives,
        division=evaluator.division,
    )


class _Stage(Model):
    """A stage as files have it: its evaluator, and its length in percent of the game."""

    evaluator: Evaluator
    percent: Annotated[float, Field(ge=0.001, le=100.0)]


def _evaluator_of(stages: Sequence[_Stage]) -> TreeEvaluator:
    """Return an individual made of *stages*.

    If they are not trees over the same set, each becomes a primitive of a new set.
    """
    options = [
        evaluator.model_dump(include={"primitives", "division"})
        for evaluator in (stage.evaluator for stage in stages)
        if isinstance(evaluator, TreeEvaluator) and isinstance(evaluator.parsed, Tree)
    ]
    if len(options) == len(stages) and all(option == options[0] for option in options):
        trees = [str(stage.evaluator.parsed) for stage in stages]
    else:
        values = [_value(stage.evaluator) for stage in stages]
        chosen = PrimitiveSet("stages")
        for index, value in enumerate(values):
            chosen = chosen.with_primitive(f"stage{index}", value)
        trees = [f"( {primitive.name} )" for primitive in chosen]
        options = [{"primitives": chosen}]
    percents = [int(p) if p.is_integer() else p for p in (stage.percent for stage in stages)]
    text = ",".join(f"{tree},{percent}" for tree, percent in zip(trees, percents, strict=True))
    return TreeEvaluator(tree=text, **options[0])


def _value(evaluator: Evaluator) -> Expression:
    if isinstance(evaluator, TreeEvaluator):
        return expression_of(evaluator.parsed)
    return evaluator.parsed


def stage_shares(
    percentages: Sequence[float], clock: float, overlap: float, slide: Slide = "linear"
) -> tuple[float, ...]:
    """Return the probability of each stage at *clock* (0 to 1); see `Staged`.

    >>> stage_shares([50, 50], 0.5, 20), stage_shares([50, 50], 0.45, 20)
    ((0.5, 0.5), (0.75, 0.25))
    """
    now = 100 * clock
    # The probability that a boundary counts as passed falls from one boundary to the next.
    passed = [1.0]
    passed += [_share_passed(now - end, overlap, slide) for end in accumulate(percentages[:-1])]
    return tuple(here - later for here, later in zip(passed, [*passed[1:], 0.0], strict=True))


def _share_passed(beyond: float, overlap: float, slide: Slide) -> float:
    """Return the probability that a boundary counts as passed *beyond* percent after it."""
    if not overlap:
        return float(beyond >= -100 * PERCENT_ROUNDING)
    way = min(1.0, max(0.0, beyond / overlap + 0.5))
    if slide == "linear":
        return way
    low = _logistic(-_STEEPNESS / 2)
    return (_logistic(_STEEPNESS * (way - 0.5)) - low) / (1 - 2 * low)


def _logistic(x: float) -> float:
    return 1 / (1 + math.exp(-x))


class RandomStart(Wrapping):
    """Makes random moves for its own first *plies* of a game, then plays as *player*.

    Forced passes count, plies of a random opening do not. The draws come from the keys of the
    moves, as those of a random player do.

    >>> from evoply.players import RandomPlayer
    >>> RandomStart(plies=6, player=RandomPlayer()).label
    'random:random_plies=6'
    """

    kind: Literal["random_start"] = "random_start"
    plies: int = Field(ge=0, le=MOST_RANDOM_PLIES, strict=True)
    player: Annotated[RandomPlayer | AfterState | AlphaBeta | Staged, Field(discriminator="kind")]

    @field_validator("player", mode="before")
    @classmethod
    def _no_text(cls, player: object) -> object:
        if isinstance(player, str):
            player = shorten(player)
            raise ValueError(f"give a player, such as parse_player({player!r}), not a text")
        return player

    @property
    def inner(self) -> KernelPlayer:
        return self.player

    @property
    def own_text(self) -> str:
        label = self.player.label.removesuffix(NOT_REPRODUCIBLE)
        label += f"{',' if ':' in label else ':'}random_plies={self.plies}"
        return label if self.reproducible else marked(label)

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        return ("random moves", f"its own first {self.plies}"), ("then", self.player)

    def native(self, game: str) -> _native.Player:
        return self.player.native(game).with_random_moves(self.plies)

    @property
    def habits(self) -> tuple[str, ...]:
        first = "first move" if self.plies == 1 else f"first {self.plies} moves"
        be = "is" if self.plies == 1 else "are"
        return (*self.player.habits, f"Its {first} of a game {be} random.")
