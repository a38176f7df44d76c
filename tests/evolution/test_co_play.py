"""Co-play: who meets whom, the points of both players, and more games for those who lead."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from evoply import arena
from evoply._native import Stream
from evoply.evolution import (
    Batch,
    EvolutionConfig,
    GuideFitness,
    Training,
    config_from_toml,
    evolve,
    stream_for,
)
from evoply.evolution.fitness import Play
from evoply.evolution.fitness.guides import co_play_pairings
from evoply.evolution.play import NOBODY, opponents_of, population_of
from evoply.permutations import derangement

CO_PLAY = """
game = "othello-6"
seed = 11
population_size = 9
generations = 1
fitness.measure = "5Co"
"""


def test_derangements_are_uniform() -> None:
    drawn = Counter(tuple(derangement(4, Stream(1, number))) for number in range(9000))
    assert len(drawn) == 9
    assert chisquare(list(drawn.values())).pvalue > 1e-4


@given(st.integers(2, 40), st.integers(1, 12), st.integers(0, 2**32))
def test_co_play_gives_everybody_the_same_games(count: int, rounds: int, seed: int) -> None:
    pairings = co_play_pairings(count, rounds, Stream(seed))
    assert pairings.shape == (rounds, count)
    for white in pairings:
        assert sorted(white.tolist()) == list(range(count))
        assert (white != np.arange(count)).all()


def recorded(config: EvolutionConfig) -> tuple[Play, list[tuple[arena.Schedule, arena.Results]]]:
    batches: list[tuple[arena.Schedule, arena.Results]] = []

    def play(batch: Batch) -> arena.Results:
        results = arena.play(config.game, list(batch.players), batch.schedule, threads=1)
        batches.append((batch.schedule, results))
        return results

    return play, batches


def test_co_play_counts_both_players_points_in_exactly_so_many_games() -> None:
    config = config_from_toml(CO_PLAY)
    individuals = next(evolve(config)).individuals
    trees = [one.tree for one in individuals]
    population = population_of(config.game_settings, trees)
    assert len(population.trees) == 9  # so that places are individuals
    play, batches = recorded(config)
    measure = config.fitness.measure
    assert isinstance(measure, GuideFitness)
    stream = stream_for(config.seed, "training", 0)
    training = Training(
        config.task,
        config.game_settings,
        opponents_of(config.game_settings, config.task, []),
        NOBODY,
        stream,
        play,
    )
    result = measure.measured(population, training)
    [(schedule, results)] = batches
    assert Counter(schedule.black.tolist()) == dict.fromkeys(range(9), 5)
    assert Counter(schedule.white.tolist()) == dict.fromkeys(range(9), 5)
    assert (schedule.black != schedule.white).all()
    points = [0.0] * 9
    for black, white, one in zip(schedule.black, schedule.white, results.black_points, strict=True):
        points[black] += one
        points[white] += 1 - one
    assert result.fitness.tolist() == points == [one.fitness for one in individuals]
    assert result.games == 45

    # Racing: twice more, those with at least the mean meet among themselves.
    batches.clear()
    raced = measure.model_copy(update={"racing": 2}).measured(population, training)
    (_, first), *stages = batches
    assert first.winners.tolist() == results.winners.tolist()
    assert len(stages) == 2
    for schedule, results in stages:
        ahead = [one for one, made in enumerate(points) if made >= sum(points) / 9]
        assert 1 < len(ahead) < 9
        assert Counter(schedule.black.tolist()) == dict.fromkeys(ahead, 5)
        assert Counter(schedule.white.tolist()) == dict.fromkeys(ahead, 5)
        sides = zip(schedule.black, schedule.white, results.black_points, strict=True)
        for black, white, one in sides:
            points[black] += one
            points[white] += 1 - one
    assert raced.fitness.tolist() == points
    assert raced.games == 45 + sum(len(schedule) for schedule, _ in stages)
