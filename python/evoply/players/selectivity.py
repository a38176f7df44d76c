"""When a shallow search may stand for a deep one, as data (Multi-ProbCut).

Source: Buro, "Experiments with Multi-ProbCut and a new high-quality evaluation function for
Othello" (1997). `evoply.learning.fitting` fits the numbers, `crates/core/src/search/selective.rs`
uses them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

from pydantic import Field, model_validator

from evoply.games import game_rules
from evoply.players.evaluators import Model

Foretelling = tuple[
    Annotated[float, Field(gt=0)], float, Annotated[float, Field(ge=0)]
]  # fmt: skip
"""Slope, offset and sigma: deep = slope x shallow + offset, with an error of sigma."""


class Cut(Model):
    """How the values of a depth follow from those of a shallow one."""

    depth: int = Field(ge=2, le=60)
    shallow: int = Field(ge=1, le=59)
    """Plies that the shallow search looks ahead: fewer than *depth*."""
    lines: Annotated[tuple[Foretelling, ...], Field(min_length=1, max_length=64, strict=False)]
    """Slope, offset and sigma for each stage."""

    @model_validator(mode="after")
    def _is_shallower(self) -> Cut:
        if self.shallow >= self.depth:
            raise ValueError(f"{self.shallow} plies foretell no search of {self.depth}")
        return self

    @property
    def label(self) -> str:
        """Both depths, as text."""
        return f"{self.depth} by {self.shallow}"


class Selectivity(Model):
    """The searches to leave out: those whose value is foretold to be *sigmas* outside the window.

    >>> usual = Selectivity(
    ...     sigmas=1.5, cuts=(Cut(depth=4, shallow=2, lines=((1.0, 0.0, 0.25),)),)
    ... )
    >>> usual.native
    (1.5, [], [(4, 2, [[1.0, 0.0, 0.25]])])
    """

    sigmas: float = Field(gt=0, le=100)
    """How many standard deviations outside; larger numbers leave out less and err less often."""
    stages: Annotated[
        tuple[Annotated[int, Field(ge=1, le=100)], ...], Field(max_length=63, strict=False)
    ] = ()
    """Numbers of pieces on the board; from each on, the next line of each cut holds."""
    cuts: Annotated[tuple[Cut, ...], Field(max_length=60, strict=False)]

    @model_validator(mode="after")
    def _fits_together(self) -> Selectivity:
        if any(pieces >= following for pieces, following in pairwise(self.stages)):
            raise ValueError("stages: the numbers of pieces must rise")
        for cut in self.cuts:
            if len(cut.lines) != len(self.stages) + 1:
                raise ValueError(
                    f"cuts: depth {cut.depth} has {len(cut.lines)} lines for "
                    f"{len(self.stages) + 1} stages"
                )
        return self

    @property
    def label(self) -> str:
        """The number of sigmas, in words."""
        return f"{self.sigmas:g} sigmas"

    @property
    def native(self) -> tuple[float, list[int], list[tuple[int, int, list[list[float]]]]]:
        """The form that the kernel takes."""
        cuts = [(cut.depth, cut.shallow, [list(line) for line in cut.lines]) for cut in self.cuts]
        return self.sigmas, list(self.stages), cuts

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if no board of *game* has as many pieces as a stage."""
        most = game_rules(game).shape.squares
        if any(pieces > most for pieces in self.stages):
            raise ValueError(f"selective: no board of {game} has more than {most} pieces")
