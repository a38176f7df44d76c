"""What people see of a map beside what they see of any run of evolution."""

from collections.abc import Sequence
from functools import partial

from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.measuring import fitness_text
from evoply.evolution.individuals import Individual, MapPlace, ranking
from evoply.sections import Column, Section, share

MAP_COLUMNS = (
    Column("cells", "cells", "{:,.0f}".format, "cells", fact="filled cells"),
    Column("filled", "newly filled", "{:,.0f}".format),
    Column("improved", "improved", "{:,.0f}".format),
    Column("coverage", "coverage", share, is_fact=False),
)
_MOST_LISTED = 10
TREE = Column("tree", "tree", str, look="code", longest=100)


def elites_of(individuals: Sequence[Individual]) -> list[tuple[MapPlace, Individual]]:
    """Return those of *individuals* that stand on a map, each with its place, the best first."""
    ranked = (individuals[index] for index in ranking(tuple(individuals)))
    return [(elite.place, elite) for elite in ranked if elite.place is not None]


def elites_listing(
    config: EvolutionConfig, individuals: Sequence[Individual], *, is_own: bool = False
) -> Section:
    """Return the elites of a map as a table, the best first; *is_own*: with a fitness of yours."""
    names = [axis.descriptor for axis in config.axes]
    rows = [
        {
            "cell": place.name,
            "fitness": elite.fitness,
            **dict(zip(names, place.description, strict=True)),
            "tree": str(elite.tree),
        }
        for place, elite in elites_of(individuals)
    ]
    columns = (
        Column("cell", "cell", str),
        Column("fitness", "training", partial(fitness_text, config, is_own=is_own)),
        *(Column(name, name, "{:.3g}".format) for name in names),
        TREE,
    )
    title = "The best elites of the map; each plays as champion@RUN@CELL"
    return Section(title, columns, rows, name="elites", most=_MOST_LISTED)
