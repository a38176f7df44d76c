"""The hall of fame: fresh games for the best, the ranking by them, and the final test.

Training fitness flatters the best of a generation: it was chosen for having had luck with these
openings. So a few of the best, the members of the hall of fame and a random sample of the
population meet the generation's opponents again on openings that no selection used. Their
points there are reported beside the training fitness.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.evolution_config import ConstantTuning, EvolutionConfig, HallOfFame
from evoply.evolution.config.game_settings import EarlierGenerations
from evoply.evolution.generation import Generation
from evoply.evolution.individuals import (
    ArchiveEntry,
    FreshResult,
    HallOfFameEntry,
    Individual,
    Remembered,
    ranking,
)
from evoply.evolution.play.archives import drawn
from evoply.evolution.play.opponents import Games, Opponents, Play, Trial, stream_for, trial
from evoply.evolution.play.population import opponents_of, population_of, seats_of
from evoply.evolution.toolbox import ProgressCallback, reporter
from evoply.players.evaluators import TreeEvaluator
from evoply.protocols import Cluster

MEMORY = 0.9
"""Weight of a generation's fresh games one generation later."""


@dataclass(frozen=True, slots=True)
class FreshTest:
    """The results of the fresh games of one generation."""

    points: Mapping[gp.Genotype, tuple[float, int]]
    """Points and games of the candidates and of the members of the hall of fame."""
    results: tuple[FreshResult, ...]
    champion: gp.Genotype
    """The candidate with the most points; the one better in training among equals."""
    best_fresh: float
    mean_fresh: float
    median_fresh: float
    """Mean and median of the sample of the population."""
    games: int
    work: int
    """Plies of the games times the operations of the trees' programs."""


def draw_earlier(
    settings: EarlierGenerations,
    archive: Sequence[ArchiveEntry],
    stream: Stream,
    memory: Sequence[Remembered] = (),
) -> list[tuple[int, gp.Genotype]]:
    """Draw the champions of earlier generations that are opponents: the newest, and others.

    These come from *memory* if the settings name an archive that chooses whom it keeps. No tree is
    drawn twice; the result is in the order of their generations.
    """
    newest = min(settings.recent, len(archive))
    split = len(archive) - newest
    count, latest = settings.champions - newest, archive[split:]
    others: Sequence[ArchiveEntry | Remembered]
    if settings.archive == "hall_of_fame":
        others = [archive[position] for position in sorted(_sample(split, count, stream))]
    else:
        known = {entry.tree for entry in latest}
        others = drawn([entry for entry in memory if entry.tree not in known], count, stream)
    return [(entry.generation, entry.tree) for entry in (*others, *latest)]


def fresh_test(
    settings: HallOfFame,
    games: Games,
    stream: Stream,
    individuals: tuple[Individual, ...],
    hall: Sequence[HallOfFameEntry],
    opponents: Opponents,
    play: Play,
) -> FreshTest:
    """Play fresh games of the best, the hall of fame and a sample against *opponents*."""
    order = ranking(individuals)
    candidates = list(dict.fromkeys(individuals[index].tree for index in order))
    candidates = candidates[: settings.candidates]
    places = _sample(len(individuals), settings.sample, stream.child("sample"))
    sample = [individuals[index].tree for index in places]
    known = [entry.tree for entry in hall]
    trees = list(dict.fromkeys([*candidates, *known, *sample]))
    fresh = opponents.with_pairs(settings.pairs)
    population = population_of(games, trees)
    result = trial(games, population.players, fresh, stream, play)
    row = {tree: index for index, tree in enumerate(trees)}
    fitness = result.fitness
    tested = dict.fromkeys([*candidates, *known])
    sampled = [fitness[row[tree]] for tree in sample]
    played = int(result.games.sum())
    return FreshTest(
        points={tree: (int(result.half_points[row[tree]].sum()) / 2, played) for tree in tested},
        results=_by_opponent(fresh, result, [row[tree] for tree in sample]),
        champion=max(candidates, key=lambda tree: fitness[row[tree]]),
        best_fresh=fitness[0],
        mean_fresh=sum(sampled) / len(sampled),
        median_fresh=median(sampled),
        games=played * len(trees),
        work=population.work_of(result.plies),
    )


def updated_hall(
    hall: Sequence[HallOfFameEntry], test: FreshTest, number: int, size: int
) -> tuple[HallOfFameEntry, ...]:
    """Return the hall of fame after a fresh test, best first, at most *size* entries.

    Members and candidates are ranked by `HallOfFameEntry.rank_value`; among equals the smaller
    tree, then the older member comes first.
    """
    members = {entry.tree: entry for entry in hall}
    entries = []
    for tree, (points, games) in test.points.items():
        old = members.get(tree) or HallOfFameEntry(tree, number, 0.0, 0.0)
        entries.append(
            HallOfFameEntry(
                tree, old.generation, old.points * MEMORY + points, old.games * MEMORY + games
            )
        )
    entries.sort(key=lambda entry: (-entry.rank_value, len(entry.tree), entry.generation))
    return tuple(entries[:size])


def _by_opponent(
    opponents: Opponents, result: Trial, sample: Sequence[int]
) -> tuple[FreshResult, ...]:
    return tuple(
        FreshResult(
            opponent=label,
            best=int(result.half_points[0, index]) / (2 * int(result.games[index])),
            mean=int(result.half_points[sample, index].sum())
            / (2 * len(sample) * int(result.games[index])),
            games=int(result.games[index]),
        )
        for index, label in enumerate(opponents.labels)
    )


def _sample(count: int, size: int, stream: Stream) -> list[int]:
    """Return min(size, count) different numbers below *count*, in the order drawn."""
    numbers = list(range(count))
    for index in range(min(size, count)):
        other = index + stream.below(count - index)
        numbers[index], numbers[other] = numbers[other], numbers[index]
    return numbers[: max(min(size, count), 0)]


# The final test of a run: the hall of fame on openings used nowhere else, and its champion.


@dataclass(frozen=True, slots=True)
class FinalTest:
    """The members of the hall of fame in the order of the final test, best first.

    With `tuning` in the config, the tuned form of its first member is one of them; its points on
    fresh games are that member's.
    """

    ranking: tuple[HallOfFameEntry, ...]
    fitness: tuple[float, ...]
    """Points per game in the final test, in [0, 1], of each in *ranking*."""
    games: int
    """Games each of them played."""

    @property
    def champion(self) -> HallOfFameEntry:
        """Return the winner."""
        return self.ranking[0]

    def data(self, last: Generation) -> dict[str, Any]:
        """Return the test after the *last* generation as the note that a run keeps."""
        tree = self.champion.tree
        is_known = any(entry.tree == tree for entry in last.hall_of_fame)
        return {
            "generation": last.number,
            "champion": str(tree),
            **({} if is_known else {"tuned": gp.drawn_numbers(tree)}),
            "games": self.games,
            "ranking": [
                {"tree": str(entry.tree), "entered": entry.generation, "fitness": fitness}
                for entry, fitness in zip(self.ranking, self.fitness, strict=True)
            ],
        }


FINAL_TEST = ("generation", "champion", "games", "ranking")
"""The keys without which the note of a final test is damaged."""


def champion_of_test(last: Generation, note: Mapping[str, Any] | None) -> HallOfFameEntry:
    """Return the winner of the final test in *note*; the first of the hall of fame before it.

    Raises `ValueError` if the test is one of others.
    """
    first = last.hall_of_fame[0]
    if note is None or note["generation"] != last.number:
        return first
    for entry in last.hall_of_fame:
        if str(entry.tree) == note["champion"]:
            return entry
    numbers = note.get("tuned")
    tree = first.tree if numbers is None else gp.with_drawn_numbers(first.tree, numbers)
    if str(tree) != note["champion"]:
        raise ValueError("the champion of its final test is not in the hall of fame")
    return replace(first, tree=tree)


def final_test(
    config: EvolutionConfig,
    generation: Generation,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
) -> FinalTest:
    """Return the hall of fame of *generation* ranked by games on openings used nowhere else.

    Its members meet the config's opponents, earlier champions and one another; every opponent has
    the same number of games. The first of the ranking is the run's champion. *threads*, *progress*
    and *cluster* are those of `evolve`. If the config says so, the constants of the hall's first
    member are tuned before, and the tuned tree is tested with the others.
    """
    stream = stream_for(config.seed, "final", generation.number)
    hall, games = generation.hall_of_fame, config.game_settings
    play = partial(games.play, threads=threads or config.machine.threads, cluster=cluster)
    settings = config.fitness.earlier_generations
    earlier = draw_earlier(
        settings, generation.archive, stream.child("opponents"), generation.memory
    )
    met = [*earlier, *((entry.generation, entry.tree) for entry in hall)]
    opponents = opponents_of(games, config.task, met).with_pairs(config.hall_of_fame.final_pairs)
    tell = partial(reporter, progress, generation.number)
    if config.tuning is not None:
        draws = stream.child("tuning")
        tree = tuned(games, config.tuning, hall[0].tree, opponents, draws, play, tell("tuning"))
        if all(tree != entry.tree for entry in hall):
            hall = (*hall, replace(hall[0], tree=tree))
    seats = seats_of(games, [entry.tree for entry in hall])
    result = trial(games, seats, opponents, stream, partial(play, progress=tell("final")))
    fitness = result.fitness
    order = sorted(
        range(len(hall)), key=lambda index: (-fitness[index], len(hall[index].tree), index)
    )
    return FinalTest(
        ranking=tuple(hall[index] for index in order),
        fitness=tuple(fitness[index] for index in order),
        games=int(result.games.sum()),
    )


def tuned(
    games: Games,
    settings: ConstantTuning,
    individual: gp.Genotype,
    opponents: Opponents,
    stream: Stream,
    play: Play,
    report: Callable[[int, int], object] | None = None,
) -> gp.Genotype:
    """Return *individual* with the constants at which CMA-ES ends, or itself if it has none.

    Evolution finds what to look at, and draws the numbers at random. Here the structure stays, and
    the numbers follow the points that they score against the opponents of the final test, on their
    own openings. The tuned tree has the same primitives, and is the champion only if it wins.

    Every vector of numbers meets all *opponents* on the same openings, new ones in each generation.
    *report* gets the games done and all games. Raises `RunError` without the package `cmaes`.
    """
    values = np.array(gp.drawn_numbers(individual))
    if not len(values):
        return individual
    # Tuning is also a separate learner: it is imported when a config asks for it.
    from evoply.learning.tuning import (
        ask,
        boards_to_weigh,
        new_search,
        tell,
        units_of,
        usual_size,
        with_kept_digits,
    )

    def values_of(numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        (program,) = gp.lower([gp.with_drawn_numbers(individual, numbers.tolist())], games.game)
        return program.evaluate(boards.positions)[:, 0]

    evaluator = TreeEvaluator(tree=individual)
    boards = boards_to_weigh(evaluator, games.game, stream.key % 2**32)
    scales = units_of(values, values_of, boards)
    size = settings.population_size or usual_size(len(values))
    search = new_search(values / scales, settings.spread, stream.child("cma"), size)

    def with_numbers(vector: NDArray[np.float64]) -> gp.Genotype:
        return gp.with_drawn_numbers(individual, with_kept_digits(vector * scales).tolist())

    opponents = opponents.with_pairs(settings.pairs)
    for number in range(settings.generations):
        vectors = ask(search, size)
        seats = seats_of(games, [with_numbers(vector) for vector in vectors])
        result = trial(games, seats, opponents, stream.child("games", number), play)
        tell(search, vectors, result.half_points.sum(axis=1).tolist())
        each = size * int(result.games.sum())
        if report is not None:
            report((number + 1) * each, settings.generations * each)
    return with_numbers(search.mean)
