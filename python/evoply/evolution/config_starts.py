"""Where the games of a run begin: positions with weights, and which opening begins at which."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evoply._native import Stream
from evoply.evolution.config_part import Part, Problem
from evoply.games import game_rules
from evoply.protocols import Row

if TYPE_CHECKING:
    from evoply.evolution.config import EvolutionConfig

__all__ = ["Start", "as_start", "start_problems", "start_rows", "starts_of_openings"]

_STEP = (5**0.5 - 1) / 2
"""Steps of this length on a circle come nowhere closer to one another than they must."""


class Start(Part):
    """A position at which games of training and of tests begin."""

    position: str = Field(min_length=1, max_length=10_000)
    """A board or moves, as `--position` takes them."""
    weight: float = Field(default=1.0, gt=0)
    """Its share of all openings is this by the sum of all weights."""


def as_start(start: Any) -> Any:
    """Return the keys of a start that is given as a position or as its text; others as they are."""
    if isinstance(start, str):
        return {"position": start}
    return {"position": start.text()} if hasattr(start, "row") else start


def start_problems(config: Mapping[str, Any]) -> list[Problem]:
    """Return what is wrong with the positions of *config*, as it was written."""
    game, starts = config.get("game", "othello"), config.get("starts", ())
    try:
        game_rules(game)
    except (ValueError, TypeError):
        return []  # reported at its own path
    problems = []
    for index, start in enumerate(starts if isinstance(starts, list | tuple) else ()):
        text = start.get("position") if isinstance(start, Mapping) else None
        text = start.position if isinstance(start, Start) else text
        if isinstance(text, str) and text:
            try:
                _row(game, text)
            except ValueError as error:
                problems.append((f"starts.{index}.position", str(error)))
    return problems


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
