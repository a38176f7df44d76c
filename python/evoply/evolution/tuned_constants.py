"""The last step of a run that asks for it: constants of the best tree, tuned by CMA-ES on games.

Evolution finds what to look at, and draws the numbers at random. Here the structure stays, and the
numbers follow the points that they score against the opponents of the final test, on their own
openings. The tuned tree has the same primitives, and has to win the final test like any
member of the hall of fame: it is the champion only if it does.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.evolution_config import ConstantTuning
from evoply.evolution.play.panel import Games, Panel, Play, trial
from evoply.evolution.play.population import seats_of


def tuned(
    games: Games,
    settings: ConstantTuning,
    individual: gp.Genotype,
    panel: Panel,
    stream: Stream,
    play: Play,
    report: Callable[[int, int], object],
) -> gp.Genotype:
    """Return *individual* with the constants at which CMA-ES ends, or itself if it has none.

    Every vector of numbers meets all of *panel* on the same openings, new ones in each generation.
    *report* gets the games done and all games. Raises `RunError` without the package `cmaes`.
    """
    values = np.array(gp.drawn_numbers(individual))
    if not len(values):
        return individual
    # Tuning is also a separate learner: it is imported when a config asks for it.
    from evoply.learning.tuning import ask, new_search, tell, usual_size, with_kept_digits

    scales = np.where(values == 0, 1.0, values)
    size = settings.population_size or usual_size(len(values))
    search = new_search(values / scales, settings.spread, stream.child("cma"), size)

    def with_numbers(vector: NDArray[np.float64]) -> gp.Genotype:
        return gp.with_drawn_numbers(individual, with_kept_digits(vector * scales).tolist())

    panel = panel.with_pairs(settings.pairs)
    for number in range(settings.generations):
        vectors = ask(search, size)
        seats = seats_of(games, [with_numbers(vector) for vector in vectors])
        result = trial(games, seats, panel, stream.child("games", number), play)
        tell(search, vectors, result.half_points.sum(axis=1).tolist())
        each = size * int(result.games.sum())
        report((number + 1) * each, settings.generations * each)
    return with_numbers(search.mean)
