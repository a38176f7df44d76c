"""The hall of fame: fresh games for the best, and the ranking by them.

Training fitness flatters the best of a generation: it was chosen for having had luck with these
openings. So a few of the best, the members of the hall of fame and a random sample of the
population meet the generation's opponents again on openings that no selection used. Their
points there are reported beside the training fitness.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from evoply import gp
from evoply._native import Stream
from evoply.evolution.config.evolution_config import HallOfFame
from evoply.evolution.config.game_settings import EarlierGenerations
from evoply.evolution.generation_statistics import FreshResult
from evoply.evolution.individuals import ArchiveEntry, HallOfFameEntry, Individual, ranking
from evoply.evolution.play.panel import Games, Panel, Play, Trial, trial
from evoply.evolution.play.population import population_of

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
    settings: EarlierGenerations, archive: Sequence[ArchiveEntry], stream: Stream
) -> list[tuple[int, gp.Genotype]]:
    """Draw the champions of earlier generations that are opponents: the newest, and others.

    No tree is drawn twice; the result is in the order of their generations.
    """
    newest = min(settings.recent, len(archive))
    split = len(archive) - newest
    drawn = _sample(split, settings.champions - newest, stream)
    positions = [*sorted(drawn), *range(split, len(archive))]
    return [(archive[position].generation, archive[position].tree) for position in positions]


def fresh_test(
    settings: HallOfFame,
    games: Games,
    stream: Stream,
    individuals: tuple[Individual, ...],
    hall: Sequence[HallOfFameEntry],
    panel: Panel,
    play: Play,
) -> FreshTest:
    """Play fresh games of the best, the hall of fame and a sample against the panel."""
    order = ranking(individuals)
    candidates = list(dict.fromkeys(individuals[index].tree for index in order))
    candidates = candidates[: settings.candidates]
    drawn = _sample(len(individuals), settings.sample, stream.child("sample"))
    sample = [individuals[index].tree for index in drawn]
    known = [entry.tree for entry in hall]
    trees = list(dict.fromkeys([*candidates, *known, *sample]))
    fresh = panel.with_pairs(settings.pairs)
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


def _by_opponent(panel: Panel, result: Trial, sample: Sequence[int]) -> tuple[FreshResult, ...]:
    return tuple(
        FreshResult(
            opponent=label,
            best=int(result.half_points[0, index]) / (2 * int(result.games[index])),
            mean=int(result.half_points[sample, index].sum())
            / (2 * len(sample) * int(result.games[index])),
            games=int(result.games[index]),
        )
        for index, label in enumerate(panel.labels)
    )


def _sample(count: int, size: int, stream: Stream) -> list[int]:
    """Return min(size, count) different numbers below *count*, in the order drawn."""
    numbers = list(range(count))
    for index in range(min(size, count)):
        other = index + stream.below(count - index)
        numbers[index], numbers[other] = numbers[other], numbers[index]
    return numbers[: max(min(size, count), 0)]
