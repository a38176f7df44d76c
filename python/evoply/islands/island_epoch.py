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
from evoply.evolution.loop import Evolution
from evoply.islands.migration import MIGRATION
from evoply.protocols import MALFORMED, Answer, packed, unpacked
from evoply.runs.kept_steps import dumped


@dataclass(frozen=True, slots=True)
class IslandEpoch:
    """What an island did between two migrations."""

    generation: Generation
    """The last one."""
    survived: int
    """How many of those who had migrated here before it have descendants in the last; with a steady
    state, how many are still there, because parents are known by their places of the moment."""


def epoch(
    config: EvolutionConfig,
    before: Generation | None,
    count: int,
    evolution: Evolution,
    tell: Callable[[int], object] = lambda done: None,
) -> IslandEpoch:
    """Return the epoch of *count* generations after *before*; *tell* hears how many are done."""
    generation, came = before, () if before is None else before.individuals
    # For each individual the places of the migrants from whom it descends.
    nobody = frozenset[int]()
    ancestors = [
        frozenset([place]) if each.origin == MIGRATION else nobody
        for place, each in enumerate(came)
    ]
    for done in range(1, count + 1):
        if generation is None:
            generation = evolution.first(config)
            ancestors = [nobody for _ in generation.individuals]
        else:
            generation = evolution.after(config, generation)
            ancestors = [
                nobody.union(*(ancestors[parent] for parent in each.parents))
                for each in generation.individuals
            ]
        tell(done)
    assert generation is not None, "an epoch has a generation"
    if config.steady_state is None:
        return IslandEpoch(generation, len(nobody.union(*ancestors)))
    there = {each.tree for each in generation.individuals}
    return IslandEpoch(
        generation, sum(each.origin == MIGRATION and each.tree in there for each in came)
    )


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
    before = None if task["before"] is None else Evolution().load(config, task["before"])
    count = int(task["count"])

    def tell(done: int) -> None:
        if not report(done / count):
            raise ValueError("nobody waits for this island any more")

    made = epoch(config, before, count, Evolution(threads=1), tell)
    return packed({"digest": made.generation.digest, **dumped(made)})


def what_is_equal(content: bytes) -> object:
    """Return the part of an answer that is equal on every worker: all but its times."""
    answer, _ = unpacked(content)
    del answer["generation"]["timing"]
    return answer


def epoch_of(answer: Answer, config: EvolutionConfig, number: int) -> IslandEpoch:
    """Return the epoch in an *answer*, whose last generation has this *number*.

    Raises `WrongResultError` if it cannot be that of its unit.
    """
    try:
        header, _ = unpacked(answer.content)
        generation = Evolution().load(config, header["generation"])
        made = IslandEpoch(generation, int(header["survived"]))
        is_right = (generation.digest, generation.number) == (header["digest"], number)
    except MALFORMED as error:
        raise answer.wrong(f"an island that cannot be read ({error})") from None
    if not is_right:
        raise answer.wrong("another generation than it says")
    return made
