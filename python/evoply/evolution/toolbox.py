"""What every generation of a run needs, built from its config in this one place.

A generation is bred, played, judged and tested by the parts of a `Toolbox`. The modules that take
part in it know these parts, and not the config. Threads, progress and cluster change no result.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from evoply._native import Stream
from evoply.evolution.breeding.offspring import Breeder, Selector
from evoply.evolution.breeding.own_operators import OwnOperators
from evoply.evolution.breeding.proposals import Proposers
from evoply.evolution.breeding.refitting import Refitting
from evoply.evolution.config.breeding import Parsimony, shape_of
from evoply.evolution.config.evolution_config import EvolutionConfig, HallOfFame
from evoply.evolution.fitness import FitnessKind, Play, Task
from evoply.evolution.map_elites.descriptors import RunMap
from evoply.evolution.play.opponents import Games, stream_for
from evoply.evolution.play.population import opponents_of
from evoply.evolution.selections import NoveltySurvival, selection_method, survival_method
from evoply.protocols import Cluster, Progress

ProgressCallback = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class Toolbox:
    """How the generations of a run are bred, played, judged and tested."""

    seed: int
    games: Games
    """How all games are played."""
    task: Task
    """What the kind of fitness knows about the run."""
    kind: FitnessKind
    """What is measured: the config's kind of fitness, or the user's."""
    parsimony: Parsimony | None
    breeder: Breeder
    refit: Refitting | None
    proposers: Proposers
    map: RunMap | None
    """Where individuals are described, and how; None if survival describes nobody."""
    novelty: NoveltySurvival | None
    """The survival, if it keeps an archive of the novel."""
    tests: HallOfFame
    """Who is tested again on fresh games, on how many, and how many of them are remembered."""
    threads: int
    progress: ProgressCallback | None
    cluster: Cluster | None

    @property
    def remembers(self) -> bool:
        """Whether an archive chooses which champions it keeps."""
        return self.task.earlier_generations.archive != "hall_of_fame"

    def stream(self, purpose: str, number: int) -> Stream:
        """Return the stream of one purpose in generation *number*."""
        return stream_for(self.seed, purpose, number)

    def play(self, stage: str, number: int) -> Play:
        """Return what plays a batch of generation *number* and reports the progress of *stage*."""
        return partial(
            self.games.play,
            threads=self.threads,
            progress=reporter(self.progress, number, stage),
            cluster=self.cluster,
        )


def reporter(
    progress: ProgressCallback | None, number: int, stage: str
) -> Callable[[int, int], object] | None:
    """Return what tells *progress* of the games done and of all in a *stage* of a generation."""
    if progress is None:
        return None
    return lambda done, games: progress(Progress(number, stage, done, games))


def toolbox_of(
    config: EvolutionConfig,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
    cluster: Cluster | None = None,
) -> Toolbox:
    """Return the toolbox of a run of *config*; the user's Python that it names is imported.

    Raises `ValueError` if it cannot be had.
    """
    kind, games, task = config.fitness.measure.resolved(), config.game_settings, config.task
    breeder = _breeder(config, _selector(config, kind))
    return Toolbox(
        seed=config.seed,
        games=games,
        task=task,
        kind=kind,
        parsimony=config.parsimony,
        breeder=breeder,
        refit=_refitting(config, threads or config.machine.threads),
        proposers=Proposers(
            breeder.own.commands,
            config.proposals,
            config.game,
            config.primitive_set,
            breeder.shape,
            config.limits.of_trees,
            {answer.request: answer for answer in config.proposals.answers},
        ),
        map=_map(config, games, task),
        novelty=config.survival if isinstance(config.survival, NoveltySurvival) else None,
        tests=config.hall_of_fame,
        threads=threads or config.machine.threads,
        progress=progress,
        cluster=cluster,
    )


def _map(config: EvolutionConfig, games: Games, task: Task) -> RunMap | None:
    if config.described is None or config.space is None:
        return None
    keys, stream = config.described, Stream(config.seed, "map")
    opponents = opponents_of(games, task, ()).with_pairs(keys.pairs)
    return RunMap(config.space, games, opponents, stream, keys.qd_score_offset)


def _refitting(config: EvolutionConfig, threads: int) -> Refitting | None:
    shape = shape_of(config.individual, config.primitive_set)
    if config.refit is None or shape is None:
        return None
    return Refitting(config.refit, shape, config.game, config.seed, threads)


def _breeder(config: EvolutionConfig, selector: Selector) -> Breeder:
    own = OwnOperators.of(config.variation)
    return Breeder(
        game=config.game,
        size=config.population_size,
        elitism=config.elitism,
        primitives=config.primitive_set,
        shape=shape_of(config.individual, config.primitive_set),
        initialisation=config.initialisation,
        variation=own.completed(config.variation),
        limits=config.limits,
        demes=config.demes,
        batch=None if config.steady_state is None else config.steady_state.batch,
        selector=selector,
        own=own,
    )


def _selector(config: EvolutionConfig, fitness: FitnessKind) -> Selector:
    mating, survival = selection_method(config.selection), survival_method(config.survival)
    keys, others = config.selection.arguments, config.survival.arguments
    return Selector(
        partial(mating.function, **keys),
        None if mating.worst is None else partial(mating.worst, **keys),
        None if survival.function is None else partial(survival.function, **others),
        config.parsimony,
        fitness.best(config.task),
        type(fitness).__name__,
        config.map is not None,
        config.space,
    )
