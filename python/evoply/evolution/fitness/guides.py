"""Points against guides, met in rounds, and against one another in co-play.

A separate function pairs the players, so that pairings can be counted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evoply import arena
from evoply._native import Stream
from evoply.arena import PreparedPlayer
from evoply.configs.part import Part, Problem
from evoply.evolution.fitness.contract import (
    FitnessKind,
    Measured,
    Population,
    Task,
    Training,
    black_half_points,
)
from evoply.evolution.individuals import Case
from evoply.evolution.play.opponents import Batch, Opponents, read_opponent
from evoply.games import game_rules
from evoply.permutations import derangement

_TERM = re.compile(r"(\d{1,6})(?:(Co)|(rand(?:om)?)|ab(\d{1,2}))")


class Guide(Part):
    """A player that guides the population: every individual fit enough meets it, in rounds."""

    player: str = Field(min_length=1, max_length=100_000)
    """A player as text, such as `material:depth=2`."""
    rounds: int = Field(default=1, ge=1, le=10_000)
    """How often those that are fit enough are chosen again."""
    games: int = Field(default=10, ge=1, le=100_000)
    """Games of a round, with alternating colours."""


class GuideFitness(FitnessKind):
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
    racing: int = Field(default=0, ge=0, le=20)
    """How often those with at least the mean of the points so far play as many games of co-play
    again, among themselves: more games where they decide. Not in the paper."""
    fit_enough: Literal["mean", "all"] = "mean"
    """Who plays a round: those whose points so far are at least the population's mean, or all."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the points of *population* against guides and one another, added up.

        Earlier champions are further guides with one round each. Every round of a guide has its
        own openings, the same for all; so has every round of co-play. Source: Benbassat &
        Sipper, Algorithm 2.
        """
        own_opponents, champions = training.own_opponents, training.earlier_champions
        rounds = [guide.rounds for guide in self.guides] + [1] * len(champions.players)
        seats = (*own_opponents.players, *champions.players)
        games = (*own_opponents.games, *champions.games)
        total = _Points(np.zeros(len(population), dtype=np.int64))
        cases = []
        for number, (guide, count, games_of_round) in enumerate(
            zip(seats, rounds, games, strict=True)
        ):
            before = total.half_points
            for one_round in range(count):
                is_fit = np.ones(len(population), dtype=bool)  # everybody is before the first game
                if self.fit_enough == "mean":
                    is_fit = total.half_points * len(population) >= total.half_points.sum()
                draws = training.stream.child("guide", number, one_round)
                total += _round(population, training, guide, games_of_round, is_fit, draws)
            cases.append(total.half_points - before)
        before = total.half_points
        everybody = np.arange(len(population))
        if self.co_play:
            draws = training.stream.child("co_play")
            total += _co_play(population, training, everybody, self.co_play, draws)
        for stage in range(self.racing if self.co_play else 0):
            ahead = everybody[total.half_points * len(population) >= total.half_points.sum()]
            draws = training.stream.child("racing", stage)
            if len(ahead) > 1:  # else there is nobody to meet
                total += _co_play(population, training, ahead, self.co_play, draws)
        cases.append(total.half_points - before)
        wants_cases = training.task.cases is not None
        return Measured(
            fitness=total.half_points / 2,
            games=total.games,
            work=total.work,
            cases=np.stack(cases, axis=1) / 2 if wants_cases else None,
        )

    def best(self, task: Task) -> float:
        """Return a point for every game."""
        earlier = task.earlier_generations
        games = self.games_of_each(task) + self.co_play  # a game of co-play is one of two players
        games += 2 * self.racing * self.co_play
        return games + 2 * earlier.pairs * earlier.champions

    is_relative: ClassVar[bool] = True
    """Points depend on the others."""

    cases: ClassVar[tuple[Case, ...]] = ("opponents",)
    """Points against each guide, each earlier champion, and in co-play."""

    def problems(self, task: Task) -> Iterator[Problem]:
        """Yield errors for a fitness without games, and for one colour only."""
        if not self.guides and self.co_play == 0:
            yield "fitness.measure", "no guides and no co_play: nobody plays - set one"
        yield from task.needs_both_colors(self.kind)

    def own_opponents(self, task: Task) -> Opponents:
        """Return the guides, each with the games of a round."""
        models = [read_opponent(guide.player, task.game) for guide in self.guides]
        return Opponents(
            players=arena.prepared(models, task.game),
            labels=tuple(model.label for model in models),
            games=tuple(guide.games for guide in self.guides),
        )

    def games_of_each(self, task: Task) -> int:
        """Return the games of one fit enough for every round with guides, and those of co-play."""
        return sum(guide.rounds * guide.games for guide in self.guides) + self.co_play

    @classmethod
    def from_text(cls, text: str, game: str) -> Mapping[str, Any]:
        """Return the keys that a text such as `10ab2+20Co` means; raises ValueError for others.

        >>> GuideFitness.from_text("10ab2+20Co", "lose-checkers")["guides"]
        ({'player': 'random-leaf:depth=2', 'games': 10},)
        """
        guides: list[dict[str, Any]] = []
        co_play: int | None = None
        for term in "".join(text.split()).split("+"):
            match = _TERM.fullmatch(term)
            if match is None or (match[2] and co_play is not None):
                raise ValueError(
                    f"cannot read {text[:60]!r} as a fitness: write such as 25Co, 10ab2+20Co or "
                    "5rand+40Co, with one term of Co at most"
                )
            if match[2]:
                co_play = int(match[1])
            else:
                guide = game_rules(game).guide.format(int(match[4] or 0))
                player = "random" if match[3] else guide
                guides.append({"player": player, "games": int(match[1])})
        return {"kind": "guides", "guides": tuple(guides), "co_play": co_play or 0}


@dataclass(frozen=True)
class _Points:
    """Results of games: the half points of each individual, and the games and work they took."""

    half_points: NDArray[np.int64]
    games: int = 0
    work: int = 0

    def __add__(self, other: _Points) -> _Points:
        return _Points(
            self.half_points + other.half_points, self.games + other.games, self.work + other.work
        )


def _round(
    population: Population,
    training: Training,
    guide: PreparedPlayer,
    games: int,
    is_fit: NDArray[np.bool_],
    stream: Stream,
) -> _Points:
    """Return the points of the fit against a guide in one round; equal trees play once.

    Colours alternate, and two games in a row are on one opening.
    """
    trees = np.unique(population.who[is_fit])
    is_black = np.arange(games) % 2 == 0
    tree, guides = np.repeat(np.arange(len(trees)), games), np.full(len(trees) * games, len(trees))
    tree_is_black = np.tile(is_black, len(trees))
    schedule = training.games.schedule(
        np.where(tree_is_black, tree, guides),
        np.where(tree_is_black, guides, tree),
        openings=np.tile(np.arange(games) // 2, len(trees)),
        game_keys=np.tile(stream.child("game").keys(games), len(trees)),
        stream=stream,
    )
    players = (*(population.players[index] for index in trees), guide)
    results = training.play(Batch(players, schedule))
    points = np.zeros(len(population.players), dtype=np.int64)
    black = black_half_points(results).reshape(len(trees), -1)
    points[trees] = np.where(is_black, black, 2 - black).sum(axis=1)
    plies = results.plies.reshape(len(trees), -1).sum(axis=1, dtype=np.int64)
    return _Points(
        np.where(is_fit, points[population.who], 0),
        len(schedule),
        int((plies * population.operations[trees]).sum()),
    )


def _co_play(
    population: Population,
    training: Training,
    among: NDArray[np.int64],
    rounds: int,
    stream: Stream,
) -> _Points:
    """Return the points of *rounds* of games within the individuals at the positions *among*."""
    count = len(among)
    white = among[co_play_pairings(count, rounds, stream.child("pairing")).reshape(-1)]
    black = np.tile(among, rounds)
    schedule = training.games.schedule(
        population.who[black],
        population.who[white],
        openings=np.arange(rounds).repeat(count),
        game_keys=stream.child("game").keys(len(black)),
        stream=stream,
    )
    individuals = np.stack([black, white])
    results = training.play(Batch(population.players, schedule, individuals=individuals))
    points = black_half_points(results)
    half_points = np.zeros(len(population), dtype=np.int64)
    np.add.at(half_points, black, points)
    np.add.at(half_points, white, 2 - points)
    return _Points(half_points, len(schedule), population.work(schedule, results))


def co_play_pairings(count: int, rounds: int, stream: Stream) -> NDArray[np.int64]:
    """Return who meets whom in co-play, shape (rounds, count): i as Black meets White [r, i].

    In every round everybody plays one game as Black and one as White, never against itself.
    Source: Benbassat & Sipper, Algorithm 2.
    """
    drawn = [derangement(count, stream.child(number)) for number in range(rounds)]
    return np.array(drawn, dtype=np.int64).reshape(rounds, count)
