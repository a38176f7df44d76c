"""What a league is made of: entrants, the players that were made, and their games, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from evoply.protocols import Player

Condition = Literal["time", "depth"]
"""Under which games are played: the same time a move, or the same depth."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A method, or a line of reference."""

    name: str
    """Such as "liao"; unique in the league."""
    title: str
    """Such as "staged trees"."""
    source: str = ""
    """The paper and its section, or a page of the documentation."""
    is_ranked: bool = True
    """False for a line of reference, which was made with another budget."""
    counted: str = ""
    """The unit of its budget: "games", "work", or "" if nothing is made."""
    budget: float = 0.0
    """How many of them each player may use."""


@dataclass(frozen=True, slots=True)
class MadePlayer:
    """The player of an entrant with one seed, and what it cost."""

    entrant: str
    seed: int
    player: Player
    """The champion as its learner names it, before it gets the search of a condition."""
    run: str = ""
    """The name that `champion@` takes; "" if it has no run."""
    step: int = 0
    """The last step of the run."""
    games: float = 0.0
    """Games of training."""
    work: float = 0.0
    seconds: float = 0.0
    """Seconds of training on one core."""
    measure: float | None = None
    """The last training measure, on the learner's own scale."""
    digest: str = ""
    """The digest of the run's last step."""


@dataclass(frozen=True, slots=True)
class LeaguePairing:
    """The games of two entrants' players of one seed under one condition."""

    condition: Condition
    seed: int
    first: str
    second: str
    points: tuple[float, ...]
    """Points of *first*, game by game; games 2k and 2k+1 are an opening pair, in which it plays
    Black and then White."""
    hashes: tuple[int, ...]
    """Equal for games with equal moves."""


@dataclass(frozen=True, slots=True)
class LeagueResults:
    """All that a league has so far."""

    name: str
    path: Path
    game: str
    seeds: tuple[int, ...]
    entrants: tuple[Entrant, ...]
    conditions: Mapping[Condition, str]
    """The conditions in words, such as "10 ms a move" and "4 plies"."""
    made: tuple[MadePlayer, ...]
    """Also the lines of reference, once for every seed."""
    pairings: tuple[LeaguePairing, ...]
    wanted_players: int
    wanted_pairings: int
    games_a_pair: int
    budget: str
    """The budget of a method and seed in words."""
    facts: Mapping[str, str] = field(default_factory=dict)
    """Further facts for the page: command, machine, version."""
