"""MAP-Elites as a learner: a map of the best individuals of each size, mobility and so on.

A generation has a batch of offspring of elites that are drawn uniformly, whatever their fitness.
All elites and all offspring play the same games of the generation, so whoever asks for a cell is
compared fairly with who has it, and an elite that was lucky once does not stay for ever. Source:
Mouret & Clune, "Illuminating search spaces by mapping elites" (2015).

Reasons: docs/design/evolution.md.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from statistics import fmean
from time import perf_counter
from typing import Any, ClassVar, Self

from evoply import gp
from evoply._native import Stream
from evoply.evolution.breeding.offspring import Offspring, first_population, offspring_of
from evoply.evolution.breeding.sample_boards import SampleBoards
from evoply.evolution.config.evolution_config import EvolutionConfig, primitive_set_of
from evoply.evolution.digest import settings_of, stream_for
from evoply.evolution.fitness import Population, Training
from evoply.evolution.fitness.measuring import measured
from evoply.evolution.hall_of_fame import draw_earlier, fresh_test, updated_hall
from evoply.evolution.individuals import ArchiveEntry, HallOfFameEntry, Individual
from evoply.evolution.map_elites.descriptors import Described, described
from evoply.evolution.map_elites.elites import Cell, Elite, cell_text, with_newcomers
from evoply.evolution.map_elites.map_config import MapElitesConfig, load_map_config
from evoply.evolution.play.panel import Play
from evoply.evolution.play.population import panel_of, population_of
from evoply.evolution.user_code import PythonParts
from evoply.expressions import PrimitiveSet
from evoply.protocols import Cluster, Progress, steps
from evoply.runs.steps import KeptLearner, KeptStep

ProgressCallback = Callable[[Progress], object]


@dataclass(frozen=True, slots=True)
class ProvedTree:
    """A member of the hall of fame, as `HallOfFameEntry`, or of the archive without points."""

    tree: str
    generation: int
    points: float = 0.0
    games: float = 0.0


@dataclass(frozen=True, slots=True)
class Proved:
    """The trees that a run has proved so far, as its final test takes them."""

    number: int
    hall_of_fame: tuple[HallOfFameEntry, ...]
    archive: tuple[ArchiveEntry, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapElitesStep(KeptStep):
    """A generation of MAP-Elites: the map, and all that the next one needs."""

    games: int
    """Games so far: of training, of descriptions and on fresh openings."""
    work: int
    """Work of these games, as in evolution."""
    elites: tuple[Elite, ...]
    """The map, in the order of cells."""
    proved: tuple[ProvedTree, ...]
    """The hall of fame, best first."""
    past: tuple[ProvedTree, ...]
    """Champions of this and earlier generations, each tree once, oldest first."""
    state: Any = None
    """What the fitness keeps for the next generation, as JSON has it; None for nothing."""

    def player(self, config: MapElitesConfig, /) -> Any:
        """Return the first of the hall of fame."""
        return self._player(config.evolution, self.proved[0].tree)

    @classmethod
    def settings(cls, config: MapElitesConfig) -> Any:
        """Return the settings that decide a step, players in place of the texts that name them."""
        return [config.map.model_dump(mode="json"), settings_of(config.evolution)]

    def completed(self, config: Any) -> Self:
        """Return the step with its digest, its champion, and then the player of each cell."""
        step = super(MapElitesStep, self).completed(config)
        evolution: EvolutionConfig = config.evolution
        players = (
            self._player(evolution, elite.tree).model_copy(update={"name": cell_name(elite.cell)})
            for elite in step.elites
        )
        return replace(step, champions=(*step.champions, *players))

    def check(self, config: Any, /) -> None:
        """Raise `ValueError` unless the elites are in the order of cells, and trees can be read."""
        cells = [elite.cell for elite in self.elites]
        if cells != sorted(set(cells)) or not cells or not self.proved:
            raise ValueError("this generation has no whole map")
        primitives = primitive_set_of(config.evolution)
        for text in (
            entry.tree for part in (self.elites, self.proved, self.past) for entry in part
        ):
            _tree(text, primitives)

    def proved_trees(self, config: EvolutionConfig) -> Proved:
        """Return the hall of fame and the earlier champions, with trees in place of texts."""
        primitives = primitive_set_of(config)
        return Proved(
            self.number,
            tuple(
                HallOfFameEntry(
                    _tree(entry.tree, primitives), entry.generation, entry.points, entry.games
                )
                for entry in self.proved
            ),
            tuple(
                ArchiveEntry(_tree(entry.tree, primitives), entry.generation) for entry in self.past
            ),
        )

    def _player(self, config: EvolutionConfig, tree: str) -> Any:
        return config.game_settings.player(_tree(tree, primitive_set_of(config)))


@dataclass(frozen=True)
class MapElites(KeptLearner[MapElitesStep]):
    """The learner whose steps are maps; threads, progress and cluster change no result."""

    config_type: ClassVar[type[MapElitesConfig]] = MapElitesConfig
    step_type: ClassVar[type[MapElitesStep]] = MapElitesStep

    progress: ProgressCallback | None = None
    cluster: Cluster | None = None

    def first(self, config: MapElitesConfig, /) -> MapElitesStep:
        """Return the map of random individuals."""
        return _Generation(self, config, None).step()

    def after(self, config: MapElitesConfig, step: MapElitesStep, /) -> MapElitesStep:
        """Return the map after a batch of offspring of *step*'s elites."""
        return _Generation(self, config, step).step()


class _Generation:
    """One generation while it is computed."""

    def __init__(
        self, learner: MapElites, config: MapElitesConfig, before: MapElitesStep | None
    ) -> None:
        self.learner = learner
        self.config = config
        self.before = before
        self.evolution = config.evolution
        self.games = self.evolution.game_settings
        self.number = 0 if before is None else before.number + 1
        self.parts = PythonParts().of(
            self.evolution.variation,
            self.evolution.fitness.measure,
            self.evolution.selection,
            self.evolution.survival,
        )
        primitives = primitive_set_of(self.evolution)
        self.elites = () if before is None else before.elites
        self.residents = tuple(
            Individual(_tree(elite.tree, primitives), elite.fitness, elite.origin)
            for elite in self.elites
        )

    def step(self) -> MapElitesStep:
        """Return the generation."""
        config, before, began = self.evolution, self.before, perf_counter()
        # Step 1. Draw the opponents, and breed.
        known = Proved(0, (), ()) if before is None else before.proved_trees(config)
        earlier = draw_earlier(config, known.archive, stream_for(config, "opponents", self.number))
        panel = panel_of(self.games, config.task, earlier)
        offspring = self._bred()
        trees = [elite.tree for elite in self.residents] + [child.tree for child in offspring]
        population = population_of(self.games, trees)

        # Step 2. Elites and offspring play the same games, and offspring are described.
        kind = self.parts.kind(config.fitness.measure)
        training = Training(
            replace(config.task, population_size=len(trees)),
            self.games,
            panel,
            kind.guests(config.task),
            stream_for(config, "training", self.number),
            self._play("training"),
            self.number,
            None if before is None else deepcopy(before.state),
        )
        result = measured(kind, population, training, None)
        fitness: list[float] = result.fitness.tolist()
        count = len(self.elites)
        new = population.part(range(count, len(trees)))
        about = self._described(new)

        # Step 3. Each offspring asks for its cell.
        judged = [
            replace(elite, fitness=value)
            for elite, value in zip(self.elites, fitness[:count], strict=True)
        ]
        newcomers = self._newcomers(offspring, fitness[count:], new, about)
        elites = with_newcomers(judged, newcomers)

        # Step 4. Test the best again on fresh games.
        primitives = primitive_set_of(config)
        individuals = tuple(
            Individual(_tree(elite.tree, primitives), elite.fitness, elite.origin)
            for elite in elites
        )
        stream = stream_for(config, "fresh", self.number)
        play = self._play("fresh")
        test = fresh_test(config, stream, individuals, known.hall_of_fame, panel, play)
        hall = updated_hall(known.hall_of_fame, test, self.number, config.hall_of_fame.size)

        # Step 5. Describe the generation.
        past = () if before is None else before.past
        champion = str(test.champion)
        if all(entry.tree != champion for entry in past):
            past = (*past, ProvedTree(champion, self.number))
        games = result.games + about.games + test.games
        work = result.work + about.work + test.work
        total_games = games + (0 if before is None else before.games)
        total_work = work + (0 if before is None else before.work)
        return MapElitesStep.made(
            self.config,
            before,
            began,
            games=total_games,
            work=total_work,
            elites=elites,
            proved=tuple(
                ProvedTree(str(entry.tree), entry.generation, entry.points, entry.games)
                for entry in hall
            ),
            past=past,
            state=result.state,
            statistics={
                **self._numbers(elites),
                "best_fresh": test.best_fresh,
                "mean_fresh": test.mean_fresh,
                "games": total_games,
                "work": total_work,
            },
        )

    def _play(self, stage: str) -> Play:
        """Return what plays a batch and reports the progress of *stage*."""
        told = self.learner.progress

        def report(done: int, games: int) -> None:
            if told is not None:
                told(Progress(self.number, stage, done, games))

        return partial(
            self.games.play,
            threads=self.learner.threads or self.config.machine.threads,
            progress=None if told is None else report,
            cluster=self.learner.cluster,
        )

    def _bred(self) -> tuple[Offspring, ...]:
        """Return the individuals of this generation: random ones, or offspring of elites."""
        config, stream = self.evolution, stream_for(self.evolution, "breeding", self.number)
        if not self.residents:
            return first_population(config, stream)
        draws, count = stream.child("parents"), len(self.residents)
        couples = [(draws.below(count), draws.below(count)) for _ in range(self.config.batch)]
        parents = tuple(elite.tree for elite in self.residents)
        boards = SampleBoards(config.game, stream.child("boards"), parents)
        offspring: list[Offspring] = []
        while len(offspring) < self.config.batch:
            place = len(offspring)
            child = stream.child("offspring", place)
            offspring += offspring_of(
                config, self.residents, couples[place], place, child, self.parts, boards
            )
        return tuple(offspring[: self.config.batch])

    def _described(self, new: Population) -> Described:
        """Return the descriptions of the different trees of *new*, by the same games as ever."""
        return described(
            new,
            self.config.axes,
            self.games,
            self.evolution.task,
            self.config.map.pairs,
            Stream(self.config.seed, "map"),
            self._play("descriptions"),
        )

    def _newcomers(
        self,
        offspring: Sequence[Offspring],
        fitness: Sequence[float],
        new: Population,
        about: Described,
    ) -> Iterator[Elite]:
        """Yield the offspring as elites of the cells that they ask for."""
        axes = self.config.axes
        for child, value, which in zip(offspring, fitness, new.who, strict=True):
            place: list[float] = about.values[which].tolist()
            yield Elite(
                cell=tuple(axis.index(at) for axis, at in zip(axes, place, strict=True)),
                tree=str(child.tree),
                nodes=len(child.tree),
                fitness=value,
                description=tuple(place),
                origin=child.origin,
                born=self.number,
            )

    def _numbers(self, elites: Sequence[Elite]) -> dict[str, float]:
        """Return the statistics of a map."""
        before = {elite.cell for elite in self.elites}
        new = [elite for elite in elites if elite.born == self.number]
        best = max(elites, key=lambda elite: elite.rank)
        cells = 1
        for axis in self.config.axes:
            cells *= axis.count
        return {
            "cells": len(elites),
            "coverage": len(elites) / cells,
            "best": best.fitness,
            "mean": fmean(elite.fitness for elite in elites),
            "filled": sum(elite.cell not in before for elite in new),
            "improved": sum(elite.cell in before for elite in new),
            "best_size": best.nodes,
        }


def cell_name(cell: Cell) -> str:
    """Return the name of the player of *cell*."""
    return f"cell {cell_text(cell)}"


# Elites stay for many generations, and a display of a run reads them again and again.
@lru_cache(maxsize=8192)
def _tree(text: str, primitives: PrimitiveSet) -> gp.Genotype:
    return gp.parse_individual(text, primitives)


def evolve_map(
    config: MapElitesConfig | str | os.PathLike[str],
    *,
    resume_from: MapElitesStep | None = None,
    threads: int = 0,
    **settings: Any,
) -> Iterator[MapElitesStep]:
    """Yield the generations of MAP-Elites, from random individuals or after *resume_from*.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it. The result does not depend on *threads* (0: all cores).

    >>> *_, last = evolve_map("map-elites", game="othello-4", batch=10, generations=2)
    >>> last.number, len(last.champions) == 1 + len(last.elites)
    (1, True)
    """
    if settings or not isinstance(config, MapElitesConfig):
        config = load_map_config(config, settings=settings)
    return steps(MapElites(threads), config, resume_from)
