"""A generation: the values from which the next generation is computed, and their digest.

This module does not know how individuals are bred, judged or stored.

Reasons: docs/design/evolution.md.
"""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Any

from evoply import gp
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.generation_statistics import Census, FreshResult, Seconds, Statistics
from evoply.evolution.individuals import (
    ArchiveEntry,
    HallOfFameEntry,
    Individual,
    MapPlace,
    ranking,
)
from evoply.evolution.play.panel import PURPOSES, IndividualPlayer, stream_for
from evoply.files import checksum
from evoply.runs.kept_steps import APART, Tree
from evoply.sections import Page, Shown, facts_page, share


@dataclass(frozen=True, repr=False)
class Generation(Shown):
    """One finished step of evolution: `evolve(config, resume_from=generation)` goes on from it."""

    number: int
    """0 is the random first generation."""
    individuals: tuple[Individual, ...]
    hall_of_fame: tuple[HallOfFameEntry, ...]
    """Best first."""
    archive: tuple[ArchiveEntry, ...]
    """Champions of this and earlier generations, each tree once, oldest first."""
    champion: Tree
    """The one of this generation's best that is best on fresh games."""
    fresh: tuple[FreshResult, ...]
    statistics: Statistics
    timing: Seconds
    config: Annotated[EvolutionConfig, *APART] = field(compare=False)
    """The config of the run."""
    census: Census = field(default_factory=Census)
    state: Any = None
    """What its fitness keeps for the next generation, as JSON has it; None for nothing."""

    # Whoever only shows a generation does not pay for it: all texts are written for it.
    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the computed values: see `digest_of`."""
        return digest_of(self)

    @cached_property
    def champions(self) -> tuple[IndividualPlayer, ...]:
        """Return the hall of fame as players that can be saved, best first; then those of a map.

        The player of a cell has its name, such as "cell 3-5".
        """
        player = self.config.game_settings.player
        return (
            *(player(entry.tree) for entry in self.hall_of_fame),
            *(
                player(elite.tree).model_copy(update={"name": f"cell {elite.place.name}"})
                for elite in self.individuals
                if elite.place is not None
            ),
        )

    def check(self) -> None:
        """Raise `ValueError` unless it has what every generation of its config has."""
        if not self.individuals or not self.hall_of_fame:
            raise ValueError("this generation has no individuals, or no hall of fame")
        if any(entry.games <= 0 for entry in self.hall_of_fame):
            raise ValueError("this generation has a hall of fame without games")
        counts = [axis.count for axis in self.config.axes]
        for place in (each.place for each in self.individuals):
            if place is not None and not (counts and place.is_on(counts)):
                raise ValueError("this generation has an individual outside the map of its config")

    @property
    def totals(self) -> dict[str, float]:
        """What the run spent so far."""
        return {"games": self.census.total_games, "work": self.census.total_work}

    @property
    def seconds(self) -> float:
        """Return the seconds that this generation took; `timing` divides them up."""
        return self.timing.total

    @cached_property
    def best(self) -> Individual:
        """Return the individual with the highest training fitness, the smallest among equals."""
        return self.individuals[ranking(self.individuals)[0]]

    @property
    def games_per_second(self) -> float:
        """Return the games of this generation by the seconds spent playing."""
        return self.statistics.games / max(self.timing.playing, 1e-9)

    def __str__(self) -> str:
        """Return one line for a log."""
        numbers = self.statistics
        cells = "" if numbers.cells is None else f"cells {numbers.cells}, "
        return (
            f"generation {self.number}: {cells}best {numbers.best:.3f}, mean {numbers.mean:.3f}, "
            f"fresh best {numbers.best_fresh:.3f}, "
            f"fresh median {self.census.median_fresh:.3f}, "
            f"size {numbers.best_size}, mean size {numbers.mean_size:.1f}, "
            f"{self.games_per_second:,.0f} games/s"
        )

    def __repr__(self) -> str:
        return f"<Generation {self.number} of {len(self.individuals)} individuals>"

    def shown(self) -> Page:
        """Return the champion, and the numbers that matter most."""
        numbers = self.statistics
        middle = f"median {share(self.census.median_fresh)}, mean {share(numbers.mean_fresh)}"
        rows = (
            ("champion", self.champion),
            ("training", f"best {share(numbers.best)}, mean {share(numbers.mean)}"),
            ("fresh games", f"best {share(numbers.best_fresh)}, {middle}"),
            ("nodes", f"best {numbers.best_size}, mean {numbers.mean_size:.1f}"),
            ("different trees", f"{numbers.distinct_trees:,} of {len(self.individuals):,}"),
            ("games", f"{numbers.games:,}, {self.games_per_second:,.0f} a second"),
            ("digest", self.digest[:16]),
        )
        return facts_page(f"Generation {self.number}", rows)


def individual_player(config: EvolutionConfig, tree: gp.Genotype) -> IndividualPlayer:
    """Return the player that *tree* is in a run of *config*, as data that can be saved."""
    return config.game_settings.player(tree)


def digest_of(generation: Generation) -> str:
    """Return the digest of *generation*, which is equal exactly if the computed values are equal.

    It covers the config without machine settings and without the limits on a run's length, the
    generation's number and seeds, every individual (text, fitness as exact hexadecimal, origin,
    parents, its place on a map), the fresh results, the hall of fame, the archive of earlier
    champions and the state of the fitness: everything from which the next generation is computed.
    It never covers times, paths, hosts or the number of threads.
    """
    config, number = generation.config, generation.number
    content = {
        "settings": config.resolved_settings(),
        "generation": number,
        "seeds": {each: f"{stream_for(config.seed, each, number).key:#x}" for each in PURPOSES},
        "individuals": [
            [
                str(individual.tree),
                individual.fitness.hex(),
                individual.origin,
                list(individual.parents),
            ]
            + ([[case.hex() for case in individual.cases]] if individual.cases else [])
            + ([] if individual.place is None else [_of_place(individual.place)])
            for individual in generation.individuals
        ],
        "fresh": [
            [result.opponent, result.best.hex(), result.mean.hex(), result.games]
            for result in generation.fresh
        ],
        "hall_of_fame": [
            [str(entry.tree), entry.generation, entry.points.hex(), entry.games.hex()]
            for entry in generation.hall_of_fame
        ],
        "champion": str(generation.champion),
        "archive": [[str(entry.tree), entry.generation] for entry in generation.archive],
        "state": generation.state,
    }
    return checksum(content)


def _of_place(place: MapPlace) -> dict[str, Any]:
    values = [value.hex() for value in place.description]
    return {"cell": list(place.cell), "description": values, "born": place.born}
