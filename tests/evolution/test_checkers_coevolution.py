"""Coevolution on checkers: exact schedules, the rule of the fit, threads, interruptions.

Schedules are counted with results that are made up, draws among them, so that thousands of
populations can be; the runs are the presets of the study, cut small.
"""

import os
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import Run, arena, checkers
from evoply._native import Stream
from evoply.arena import PreparedPlayer
from evoply.evolution import (
    Batch,
    EvolutionConfig,
    Generation,
    Guide,
    GuideFitness,
    Population,
    Training,
    config_from_toml,
    evolve,
)
from evoply.evolution.play import opponents_of
from evoply.players import parse_player
from evoply.runs import advance
from evoply.runs.presets import preset_text

Seat = tuple[int, int, int, int]
"""Who is Black and who White, as players of this module, and the keys of opening and game."""


def made_up(seat: Seat) -> int:
    """Return who wins a game: 1 Black, -1 White, 0 nobody. The same seats, the same winner."""
    return Stream(5, "results", *seat).below(3) - 1


GUIDE = 1000
"""What the numbers of guides begin with; those of trees begin with 0."""


@dataclass
class Table:
    """Plays by making results up, and remembers every game."""

    population: Population
    guides: list[PreparedPlayer] = field(default_factory=list)
    games: list[Seat] = field(default_factory=list)

    def number(self, player: PreparedPlayer) -> int:
        """Return the number of a tree or a guide; guides are met in their order."""
        for number, one in enumerate(self.population.players):
            if one is player:
                return number
        if all(one is not player for one in self.guides):
            self.guides.append(player)
        return GUIDE + next(n for n, one in enumerate(self.guides) if one is player)

    def play(self, batch: Batch) -> arena.Results:
        assert not batch.record_moves
        schedule = batch.schedule
        names = [self.number(player) for player in batch.players]
        seats = [
            (names[black], names[white], int(opening), int(game))
            for black, white, opening, game in zip(
                schedule.black,
                schedule.white,
                schedule.opening_keys,
                schedule.game_keys,
                strict=True,
            )
        ]
        self.games += seats
        winners = np.array([made_up(seat) for seat in seats], dtype=np.int8)
        ones = np.ones(len(seats), dtype=np.int32)
        return arena.Results(
            black_discs=ones,
            white_discs=ones,
            winners=winners,
            endings=np.zeros(len(seats), dtype=np.uint8),
            plies=ones,
            hashes=np.arange(len(seats), dtype=np.uint64),
        )


GUIDES = st.lists(
    st.builds(Guide, player=st.just("random"), rounds=st.integers(1, 4), games=st.integers(1, 5)),
    max_size=3,
).map(tuple)


def points(seat: Seat, *, as_black: bool) -> float:
    won = made_up(seat) * (1 if as_black else -1)
    return (won + 1) / 2


@dataclass
class Guided:
    """Algorithm 2's games against guides, one individual and one game at a time."""

    points: list[float]
    games: Counter[Seat] = field(default_factory=Counter)

    def meet(
        self, number: int, guide: Guide, who: list[int], stream: Stream, *, all_: bool
    ) -> None:
        for one_round in range(guide.rounds):
            mean = sum(self.points) / len(who)
            fit = [i for i in range(len(who)) if all_ or self.points[i] >= mean]
            draws = stream.child("guide", number, one_round)
            openings = draws.child("opening").keys((guide.games + 1) // 2).tolist()
            keys = draws.child("game").keys(guide.games).tolist()
            for k in range(guide.games):
                # Equal trees share their games.
                met = set()
                for i in fit:
                    colors = (who[i], GUIDE + number)
                    black, white = colors if k % 2 == 0 else colors[::-1]
                    seat = (black, white, openings[k // 2], keys[k])
                    self.points[i] += points(seat, as_black=k % 2 == 0)
                    met.add(seat)
                self.games.update(met)


@given(
    game=st.sampled_from(sorted(checkers.CHECKERS)),
    trees=st.lists(st.integers(0, 5), min_size=2, max_size=14) | st.permutations(range(9)),
    guides=GUIDES,
    co_play=st.integers(0, 6),
    fit_enough=st.sampled_from(["mean", "all"]),
    seed=st.integers(0, 2**32),
)
def test_the_games_and_points_of_algorithm_2(
    game: str,
    trees: list[int],
    guides: tuple[Guide, ...],
    co_play: int,
    fit_enough: Any,
    seed: int,
) -> None:
    # Equal trees are different individuals that share a player; numbers have no gaps.
    places = {tree: number for number, tree in enumerate(dict.fromkeys(trees))}
    who = [places[tree] for tree in trees]
    config = EvolutionConfig(game=game, generations=1)
    measure = GuideFitness(guides=guides, co_play=co_play, fit_enough=fit_enough)
    table = Table(population_in_seats(game, who))
    stream = Stream(seed, "training")
    opponents, own_opponents = (
        opponents_of(config.game_settings, config.task, []),
        measure.own_opponents(config.task),
    )
    result = measure.measured(
        table.population,
        Training(config.task, config.game_settings, opponents, own_opponents, stream, table.play),
    )
    assert result.games == len(table.games)

    # Guides, in rounds.
    guided = Guided([0.0] * len(who))
    for number, guide in enumerate(guides):
        guided.meet(number, guide, who, stream, all_=fit_enough == "all")
    count = sum(guided.games.values())
    assert Counter(table.games[:count]) == guided.games

    # Everybody plays so many games as Black and as many as White.
    co_played = table.games[count:]
    due = Counter(who * co_play)
    assert Counter(black for black, _, _, _ in co_played) == due
    assert Counter(white for _, white, _, _ in co_played) == due
    assert len(co_played) == co_play * len(who)
    assert len({key for _, _, _, key in co_played}) == len(co_played)
    assert sum(result.fitness) == sum(guided.points) + len(co_played)
    if len(places) == len(who):
        for seat in co_played:
            assert seat[0] != seat[1]
            guided.points[who.index(seat[0])] += points(seat, as_black=True)
            guided.points[who.index(seat[1])] += points(seat, as_black=False)
        assert result.fitness.tolist() == guided.points


def population_in_seats(game: str, who: list[int]) -> Population:
    """Return a population whose individuals are no trees, only players to be told apart."""
    players = tuple(parse_player("random", game=game).seat(game) for _ in range(max(who) + 1))
    return Population(
        trees=(),
        players=players,
        programs=(),
        operations=np.ones(len(players), dtype=np.int64),
        who=np.array(who, dtype=np.int64),
    )


LONG = "EVOPLY_LONG" in os.environ
CUT = (
    f"population_size=10 generations={4 if LONG else 3} player.depth=2 limits.max_nodes=25"
    ' fitness.opponents=[{player="greedy",pairs=2}]'
    " hall_of_fame={size=3,candidates=2,sample=2,pairs=2,final_pairs=2}"
)
CHAMPIONS = "fitness.earlier_generations={champions=3,recent=1,pairs=1}"
RUNS = {
    "lose checkers": ("benbassat-lose-checkers", 'fitness.measure="3ab1+2Co"'),
    "lose checkers, champions": (
        "benbassat-lose-checkers-extended",
        f'fitness.measure="2ab1+2Co" {CHAMPIONS}',
    ),
    "10x10": ("benbassat-10", 'fitness.measure="2Co"'),
    "10x10, champions as guides": ("benbassat-10-extended", f'fitness.measure="1Co" {CHAMPIONS}'),
    "10x10, champions, points shared": (
        "benbassat-10",
        f'fitness.measure={{kind="points",sharing=true}} {CHAMPIONS}',
    ),
    "lose checkers, round robin": (
        "benbassat-lose-checkers",
        'fitness.measure={kind="tournament"} population_size=6',
    ),
}


def cut_small(name: str) -> EvolutionConfig:
    preset, settings = RUNS[name]
    return config_from_toml(preset_text(preset), [*CUT.split(), *settings.split(), "seed=17"])


@pytest.fixture(scope="module", params=list(RUNS))
def unbroken(request: pytest.FixtureRequest) -> tuple[EvolutionConfig, list[Generation]]:
    config = cut_small(request.param)
    return config, list(evolve(config, threads=1))


def contents(generation: Generation) -> list[Any]:
    """Return all of a generation but its times."""
    return [
        generation.number,
        generation.individuals,
        generation.hall_of_fame,
        generation.archive,
        generation.champion,
        generation.fresh,
        generation.census,
        generation.digest,
    ]


def test_threads_change_no_generation(
    unbroken: tuple[EvolutionConfig, list[Generation]],
) -> None:
    config, generations = unbroken
    for threads in (2, 3) if LONG else (3,):
        again = list(evolve(config, threads=threads))
        assert [contents(one) for one in again] == [contents(one) for one in generations]
    assert len({one.digest for one in generations}) == len(generations)


def test_a_run_interrupted_anywhere_goes_on_as_if_it_had_not_been(
    unbroken: tuple[EvolutionConfig, list[Generation]], tmp_path: Path
) -> None:
    config, generations = unbroken
    for stopped_after in range(1, len(generations)):
        folder = tmp_path / f"after-{stopped_after}"
        with Run.create(folder, config) as run:
            assert len(list(islice(advance(run, threads=1), stopped_after))) == stopped_after
        with Run.open(folder) as run:  # nothing but the folder is left
            resumed = list(advance(run, threads=2))
            assert [contents(one) for one in resumed] == [
                contents(one) for one in generations[stopped_after:]
            ]
            stored = list(run.whole_steps())
            assert run.status == "finished"
        assert [one.digest for one in stored] == [one.digest for one in generations]
        assert [one.individuals for one in stored] == [one.individuals for one in generations]
        assert stored[-1].hall_of_fame == generations[-1].hall_of_fame
