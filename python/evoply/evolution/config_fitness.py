"""The parts of a config that say what fitness is: whom a population meets and what counts."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator, model_validator

from evoply.evolution.config_part import Part
from evoply.games import game_rules

__all__ = [
    "DiscFitness",
    "EarlierGenerations",
    "EpochFitness",
    "Fitness",
    "Guide",
    "GuideFitness",
    "Measure",
    "Opponent",
    "PointFitness",
    "StageFitness",
    "TournamentFitness",
    "measure_from_text",
]


class Opponent(Part):
    """A fixed opponent of the whole population: a player text and how much it is met."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `greedy` or `material:depth=2`."""
    pairs: int = Field(default=5, ge=1, le=100_000)
    """Random openings a generation; each is played twice with colours swapped."""
    games: int | None = Field(default=None, ge=1, le=200_000)
    """Games of training instead of `pairs`, also an odd number of them, as papers play."""


class EarlierGenerations(Part):
    """Champions of earlier generations as opponents, drawn anew each generation."""

    champions: int = Field(default=0, ge=0, le=1000)
    """How many are drawn (fewer while there are fewer)."""
    recent: int = Field(default=0, ge=0, le=1000)
    """How many of them are the newest; the others are drawn uniformly from all the rest."""
    pairs: int = Field(default=4, ge=1, le=100_000)
    """Opening pairs against each."""

    @model_validator(mode="after")
    def _recent_are_champions(self) -> EarlierGenerations:
        if self.recent > self.champions:
            raise ValueError(f"recent {self.recent} is above champions {self.champions}")
        return self


class PointFitness(Part):
    """Points per game against the opponents: win 1, draw 1/2, loss 0; in [0, 1]."""

    kind: Literal["points"] = "points"
    sharing: bool = False
    """Whether the points against an opponent are shared among all who made them, so that beating
    one whom few beat counts more (competitive fitness sharing, Rosin & Belew 1997)."""


class DiscFitness(Part):
    """The opponents' discs at the end of all games, added up and minimised (Liao; Bellin)."""

    kind: Literal["opponent_discs"] = "opponent_discs"


class EpochFitness(Part):
    """The discs that opponents gained while the clock was in an epoch, minimised (Liao).

    The individual plays whole games. The clock is the share of the board filled since the start,
    in percent; the epoch ends with the game if the clock does not get there.
    """

    kind: Literal["epoch_discs"] = "epoch_discs"
    start: float = Field(default=0.0, ge=0, lt=100)
    """Clock at which the epoch begins."""
    end: float = Field(default=100.0, gt=0, le=100)
    """Clock at which it ends."""
    gain: Literal["net", "gross"] = "net"
    """Discs at the end less those at the start, at least 0; or what the opponent's own moves
    added, whatever was lost in between."""

    @model_validator(mode="after")
    def _start_before_end(self) -> EpochFitness:
        if self.start >= self.end:
            raise ValueError(f"start {self.start:g} is not below end {self.end:g}")
        return self


class StageFitness(Part):
    """The discs that opponents gained in each stage of staged individuals, minimised (Liao).

    The trees of an individual are trained together: each plays its own stage, and what the opponent
    gains in a stage counts against the tree that plays it. The fitness is the sum over the stages;
    `selection = { kind = "lexicase", cases = "stages" }` looks at each by itself.
    """

    kind: Literal["stage_discs"] = "stage_discs"
    gain: Literal["net", "gross"] = "net"
    """As in kind = "epoch_discs"; net gains are at least 0 in every stage."""


class Guide(Part):
    """A player that guides the population: every individual fit enough meets it, in rounds."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `material:depth=2`."""
    rounds: int = Field(default=1, ge=1, le=10_000)
    """How often those fit enough are chosen anew."""
    games: int = Field(default=10, ge=1, le=100_000)
    """Games of a round, with alternating colours."""


class GuideFitness(Part):
    """Points against guides and against one another, added up (Benbassat & Sipper, Algorithm 2).

    As text: `25Co` is co_play 25 alone, `10ab2+20Co` ten games against the paper's guide that looks
    two plies ahead and co_play 20, `5rand+40Co` five against `random`. That guide is
    `random-leaf:depth=2` in lose checkers, `material-kings:depth=2,ties=random` in other checkers
    and `material-alternating:depth=2,ties=random` in Othello.
    """

    kind: Literal["guides"] = "guides"
    guides: tuple[Guide, ...] = Field(default=(), strict=False, max_length=1000)
    """The guides, in the order in which they are met; earlier champions come after them."""
    co_play: int = Field(default=25, ge=0, le=100_000)
    """Games of each individual as Black, and as many as White, against others of the population."""
    fit_enough: Literal["mean", "all"] = "mean"
    """Who plays a round: those whose points so far are at least the population's mean, or all."""


class TournamentFitness(Part):
    """A tournament within the population.

    Round robin: points per game, everybody against everybody. Elimination: the number of matches
    won in a knock-out with a random draw, a tied match being decided by lot.
    """

    kind: Literal["tournament"] = "tournament"
    format: Literal["round_robin", "elimination"] = "round_robin"
    """Who meets whom."""
    pairs: int = Field(default=1, ge=1, le=10_000)
    """Openings of a match; each is played twice with colours swapped."""
    sharing: bool = False
    """Competitive fitness sharing, as in kind = "points" (round robin only)."""


Measure = Annotated[
    PointFitness | DiscFitness | EpochFitness | StageFitness | GuideFitness | TournamentFitness,
    Field(discriminator="kind"),
]

_TERM = re.compile(r"(\d{1,6})(?:(Co)|(rand(?:om)?)|ab(\d{1,2}))")


def measure_from_text(text: str, game: str = "othello") -> dict[str, Any]:
    """Return the keys of a `GuideFitness` that a text such as `10ab2+20Co` means in *game*.

    Raises ValueError if it means none.

    >>> measure_from_text("10ab2+20Co", "lose-checkers")["guides"]
    ({'player': 'random-leaf:depth=2', 'games': 10},)
    """
    guides: list[dict[str, Any]] = []
    co_play: int | None = None
    for term in "".join(text.split()).split("+"):
        found = _TERM.fullmatch(term)
        if found is None or (found[2] and co_play is not None):
            raise ValueError(
                f"cannot read {text[:60]!r} as a fitness: write such as 25Co, 10ab2+20Co or "
                "5rand+40Co, with one term of Co at most"
            )
        if found[2]:
            co_play = int(found[1])
        else:
            guide = game_rules(game).guide.format(int(found[4] or 0))
            player = "random" if found[3] else guide
            guides.append({"player": player, "games": int(found[1])})
    return {"kind": "guides", "guides": tuple(guides), "co_play": co_play or 0}


class Fitness(Part):
    """Whom the population meets, on which openings, and what counts.

    The opponents are also the yardstick of the hall of fame and of the reports, which is always
    points per game on fresh openings, whatever `measure` says.
    """

    opponents: tuple[Opponent, ...] = Field(
        default=(Opponent(player="random", pairs=5), Opponent(player="greedy", pairs=5)),
        strict=False,
        max_length=1000,
    )
    """Fixed opponents, the same in every generation."""
    earlier_generations: EarlierGenerations = EarlierGenerations()
    opening_plies: int = Field(default=8, ge=0, le=40)
    """Uniformly random legal plies before the players choose."""
    sides: Literal["both", "black", "white"] = "both"
    """Which colour individuals play: alternately both, or one only, as some papers do. One only
    plays every opening once, and two openings stand for a pair."""
    allow_test_opponents: bool = False
    """Whether `swh`, the yardstick of the reports, may be trained against."""
    measure: Measure = PointFitness()

    @field_validator("measure", mode="before")
    @classmethod
    def _measure_as_text(cls, measure: Any) -> Any:
        return measure_from_text(measure) if isinstance(measure, str) else measure
