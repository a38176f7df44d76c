"""An epoch of one island: its generations between two migrations, here or on a worker.

A generation is data on the way to a worker and in a run folder; its digest follows from it.

Reasons: docs/design/evolution.md.
"""

from collections.abc import Callable
from dataclasses import dataclass

from evoply.arena.on_cluster import know_game, rules_to_send
from evoply.evolution.config.config_text import config_from_toml, config_to_toml
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.config.player_settings import self_contained
from evoply.evolution.generation import Generation
from evoply.evolution.individuals import Individual
from evoply.evolution.loop import Evolution
from evoply.islands.migration import MIGRATION
from evoply.protocols import MALFORMED, Answer, packed, unpacked
from evoply.runs.steps import dumped


@dataclass(frozen=True, slots=True)
class IslandEpoch:
    """What an island did between two migrations."""

    generation: Generation
    """The last one."""
    games: int
    """Games of all its generations."""
    survived: int
    """How many of those who had migrated here before it have descendants in the last; with a steady
    state, how many are still there, because parents are known by their places of the moment."""

    @property
    def work(self) -> int:
        """The work of the island since its first generation."""
        return self.generation.census.total_work


def epoch(
    config: EvolutionConfig,
    before: Generation | None,
    count: int,
    evolution: Evolution,
    tell: Callable[[int], object] = lambda done: None,
) -> IslandEpoch:
    """Return the epoch of *count* generations after *before*; *tell* hears how many are done."""
    descent = _Descent(before)
    generation, games = before, 0
    for done in range(1, count + 1):
        if generation is None:
            generation = evolution.first(config)
        else:
            generation = evolution.after(config, generation)
            descent.follow(generation)
        games += generation.statistics.games
        tell(done)
    assert generation is not None, "an epoch has a generation"
    stayed = config.steady_state is not None
    survived = _still_there(before, generation) if stayed else descent.survived
    return IslandEpoch(generation, games, survived)


def _still_there(before: Generation | None, after: Generation) -> int:
    came = [] if before is None else before.individuals
    there = {individual.tree for individual in after.individuals}
    return sum(individual.origin == MIGRATION and individual.tree in there for individual in came)


class _Descent:
    """Who descends from whom of the migrants in a generation, as numbers with a bit for each."""

    def __init__(self, first: Generation | None) -> None:
        individuals = () if first is None else first.individuals
        came = [i for i, individual in enumerate(individuals) if individual.origin == MIGRATION]
        self._of = [0] * len(individuals)
        for number, place in enumerate(came):
            self._of[place] = 1 << number

    def follow(self, generation: Generation) -> None:
        """Go on to the next generation."""
        if any(self._of):
            self._of = [self._ancestors(individual) for individual in generation.individuals]

    def _ancestors(self, individual: Individual) -> int:
        bits = 0
        for place in individual.parents:
            bits |= self._of[place]
        return bits

    @property
    def survived(self) -> int:
        """The number of migrants with a descendant, or who are still there themselves."""
        bits = 0
        for ancestors in self._of:
            bits |= ancestors
        return bits.bit_count()


def epoch_unit(config: EvolutionConfig, before: Generation | None, count: int) -> bytes:
    """Return the unit of work of an epoch, which `epoch_part` does."""
    task = {
        **rules_to_send(config.game),
        "config": config_to_toml(self_contained(config)),
        "count": count,
        "before": None if before is None else dumped(before),
    }
    return packed(task)


def epoch_part(data: bytes) -> bytes:
    """Make the generations of one island until the next migration: the unit of work of a cluster.

    A worker has a core of its own, so one thread plays.
    """
    from evoply.cluster.worker import report  # only workers do this

    task, _ = unpacked(data)
    know_game(task)
    config = config_from_toml(task["config"])
    before = None if task["before"] is None else Generation.load(config, task["before"])
    count = int(task["count"])

    def tell(done: int) -> None:
        if not report(done / count):
            raise ValueError("nobody waits for this island any more")

    made = epoch(config, before, count, Evolution(threads=1), tell)
    return packed(
        {
            "digest": made.generation.digest,
            "games": made.games,
            "work": made.work,
            "survived": made.survived,
            "generation": dumped(made.generation),
        }
    )


def what_is_equal(content: bytes) -> object:
    """Return the part of an answer that is equal on every worker: all but its times."""
    answer, _ = unpacked(content)
    return tuple(answer[key] for key in ("digest", "games", "work", "survived"))


def epoch_of(answer: Answer, config: EvolutionConfig, number: int) -> IslandEpoch:
    """Return the epoch in an *answer*, whose last generation has this *number*.

    Raises `WrongResultError` if it cannot be that of its unit.
    """
    try:
        header, _ = unpacked(answer.content)
        generation = Generation.load(config, header["generation"])
        made = IslandEpoch(generation, int(header["games"]), int(header["survived"]))
        is_right = (generation.digest, generation.number) == (header["digest"], number)
    except MALFORMED as error:
        raise answer.wrong(f"an island that cannot be read ({error})") from None
    size = config.population_size
    if not is_right or (config.map is None and len(generation.individuals) != size):
        raise answer.wrong("another generation than it says")
    return made
