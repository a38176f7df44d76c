"""The parts of a config that say how games are played: by whom, from where, and until when."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, Field, model_validator

from evoply._native import Stream
from evoply.configs.part import Part, Problem
from evoply.games import game_rules
from evoply.games.draws import DrawRules
from evoply.players import AfterState, AlphaBeta
from evoply.players.specs import MAX_DEPTH, MAX_NODES, MAX_WORK, Ties
from evoply.protocols import Row

if TYPE_CHECKING:
    from evoply.evolution.config.evolution_config import EvolutionConfig

__all__ = [
    "USUAL",
    "Draws",
    "PlayerSettings",
    "Start",
    "start_problems",
    "start_rows",
    "starts_of_openings",
]

USUAL = "usual"
_NEVER = "never"
_MOST = 1_000_000
_STEP = (5**0.5 - 1) / 2
"""Steps of this length on a circle come nowhere closer to one another than they must."""


class PlayerSettings(Part):
    """How a tree plays: with no `depth`, `nodes` or `work` it only compares boards after a move."""

    ties: Ties = "first"
    """Which of equally good moves is played; `advanced` is for checkers."""
    view: Literal["player", "turn"] = "player"
    """For whom own stands: who is choosing, or who is to move at the evaluated board."""
    depth: int = Field(default=0, ge=0, le=20)
    """Plies looked ahead by alpha-beta, the move itself included; 0 is the after-state player, or
    with `nodes` or `work` as deep as they allow."""
    nodes: int | None = Field(default=None, ge=1, le=MAX_NODES)
    """Positions that a search may look at for one move; None for no limit."""
    work: int | None = Field(default=None, ge=1, le=MAX_WORK)
    """The same in positions times operations of the individual's program: a larger tree sees fewer
    positions, so that its size costs strength."""
    ordering: Literal["usual", "none", "evaluator", "killer", "tree"] = "usual"
    """Which moves a search looks at first: only speed depends on it, and no digest; with `nodes` or
    `work` how deep it looks. `tree`: as the second tree of individuals of kind `ordered` says;
    `usual`: `killer` from four plies on and `refutation` with three, where that changes no move."""
    quiescence: bool = False
    """In checkers: no board is valued in the middle of a capture; captures beyond the depth are
    looked at to their end."""

    @property
    def plies(self) -> int:
        """Plies looked ahead at most; 0 for a player that does not search."""
        return self.depth or (MAX_DEPTH if self.is_limited else 0)

    @property
    def is_limited(self) -> bool:
        """Whether something else than the depth may end a search."""
        return self.nodes is not None or self.work is not None

    @property
    def kind(self) -> type[AfterState | AlphaBeta]:
        """The kind of player that an individual is."""
        return AlphaBeta if self.plies else AfterState

    @property
    def options(self) -> dict[str, Any]:
        """What its player is told beside the evaluator."""
        depth = {"depth": self.plies} if self.plies else {}
        fields = self.kind.model_fields  # looked up once: that is slow
        return {key: value for key, value in self if key in fields} | depth

    @model_validator(mode="after")
    def _counts_in_one_way(self) -> PlayerSettings:
        if self.nodes is not None and self.work is not None:
            raise ValueError("give nodes or work, not both: work stands for a number of nodes")
        return self

    @model_validator(mode="after")
    def _options_need_a_search(self) -> PlayerSettings:
        for option, is_used in (
            ("ordering", self.ordering not in ("usual", "none")),
            ("quiescence", self.quiescence),
        ):
            if is_used and not self.plies:
                raise ValueError(f"{option} is for a depth of 1 and more")
        return self


def _limit(least: int) -> AfterValidator:
    def checked(limit: int | str) -> int | str:
        if limit not in (USUAL, _NEVER) and (isinstance(limit, str) or not least <= limit <= _MOST):
            raise ValueError(f"must be a number from {least} to {_MOST:,}, '{USUAL}' or '{_NEVER}'")
        return limit

    return AfterValidator(checked)


class Draws(Part):
    """When a game is drawn that the board alone would let go on; for checkers.

    Each is a number, `never`, or `usual`: what is usual in the game.
    """

    quiet_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies without a capture or a move of a man."""
    repetitions: Annotated[int | str, _limit(2)] = USUAL
    """For which time the same board with the same side to move ends the game."""
    max_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies of the whole game."""

    def rules(self, game: str) -> DrawRules:
        """Return the rules for *game*."""
        usual = game_rules(game).draws
        return DrawRules(
            quiet_plies=_chosen(self.quiet_plies, usual.quiet_plies),
            repetitions=_chosen(self.repetitions, usual.repetitions),
            max_plies=_chosen(self.max_plies, usual.max_plies),
        )


def _chosen(limit: int | str, usual: int | None) -> int | None:
    if isinstance(limit, int):
        return limit
    return usual if limit == USUAL else None


class Start(Part):
    """A position at which games of training and of tests begin."""

    position: str = Field(min_length=1, max_length=10_000)
    """A board or moves, as `--position` takes them."""
    weight: float = Field(default=1.0, gt=0)
    """Its share of all openings is this by the sum of all weights."""

    @model_validator(mode="before")
    @classmethod
    def _positions_are_starts(cls, start: Any) -> Any:
        if isinstance(start, str):
            return {"position": start}
        return {"position": start.text()} if hasattr(start, "row") else start


def start_problems(config: EvolutionConfig) -> Iterator[Problem]:
    """Yield what is wrong with the positions of *config*."""
    for index, start in enumerate(config.starts):
        try:
            _row(config.game, start.position)
        except ValueError as error:
            yield f"starts.{index}.position", str(error)


def start_rows(config: EvolutionConfig) -> tuple[Row, ...]:
    """Return the positions at which games begin, as the kernel writes them."""
    if not config.starts:
        return (game_rules(config.game).start().row,)
    return tuple(_row(config.game, start.position) for start in config.starts)


def starts_of_openings(
    config: EvolutionConfig, count: int, stream: Stream
) -> NDArray[np.uint32] | None:
    """Return at which start each of *count* openings begins; None if there is but one.

    Each is drawn with the probability of its weight, and they are spread evenly: any openings in a
    row hold each start nearly as often as its weight says. One draw from a child of *stream*.
    """
    if len(config.starts) < 2:
        return None
    weights = np.array([start.weight for start in config.starts])
    bounds = np.cumsum(weights / weights.sum())[:-1]
    places = (stream.child("start").random() + _STEP * np.arange(count)) % 1.0
    return np.searchsorted(bounds, places, side="right").astype(np.uint32)


@lru_cache(maxsize=256)
def _row(game: str, text: str) -> Row:
    rules = game_rules(game)
    position = rules.read(text).position
    if position.game != game or position.size != rules.size:
        raise ValueError(f"this is a position of {position.game}, not of {game}")
    if position.outcome() is not None:
        raise ValueError("the game is over at this position: no move is left to evolve for")
    row: Row = position.row
    return row
