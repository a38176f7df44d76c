"""What people see of a map beside what they see of any run of evolution."""

from collections.abc import Sequence

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.individuals import Individual, MapPlace, ranking
from evoply.runs.display import Listing
from evoply.sections import Column, share
from evoply.wording import shorten

MAP_COLUMNS = (
    Column("cells", "cells", "{:,.0f}".format, "cells", fact="filled cells"),
    Column("filled", "newly filled", "{:,.0f}".format),
    Column("improved", "improved", "{:,.0f}".format),
    Column("coverage", "coverage", share, is_fact=False),
    Column("mean_fresh", "mean fresh", share, is_fact=False),
)
_MOST_LISTED = 10


def elites_of(individuals: Sequence[Individual]) -> list[tuple[MapPlace, Individual]]:
    """Return those of *individuals* that stand on a map, each with its place, the best first."""
    ranked = (individuals[index] for index in ranking(tuple(individuals)))
    return [(elite.place, elite) for elite in ranked if elite.place is not None]


def elites_listing(
    config: EvolutionConfig, individuals: Sequence[Individual], *, is_own: bool = False
) -> Listing:
    """Return the elites of a map as a table, the best first; *is_own*: with a fitness of yours."""
    names = [axis.descriptor for axis in config.axes]
    elites = elites_of(individuals)
    rows = [
        (
            place.name,
            fitness_text(config, elite.fitness, is_own=is_own),
            *(f"{value:.3g}" for value in place.description),
            shorten(str(elite.tree), 100),
        )
        for place, elite in elites[:_MOST_LISTED]
    ]
    data = [
        {
            "cell": place.name,
            "fitness": elite.fitness,
            **dict(zip(names, place.description, strict=True)),
            "tree": str(elite.tree),
        }
        for place, elite in elites
    ]
    title = "The best elites of the map; each plays as champion@RUN@CELL"
    head = ("cell", "training", *names, "tree")
    return Listing("elites", title, head, ("cell", "tree"), rows, data)
