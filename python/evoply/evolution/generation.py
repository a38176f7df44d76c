"""A generation: the values from which the next is computed, their digest, and tables of them.

This module does not know how individuals are bred or stored.

Reasons: docs/design/evolution.md.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Annotated, Any

import numpy as np

from evoply import gp
from evoply.evolution.config.breeding import LengthPenalty, Parsimony
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness import FitnessKind, Measured, Population, Training
from evoply.evolution.individuals import (
    Archive,
    Census,
    FreshResult,
    HallOfFameEntry,
    Individual,
    MapPlace,
    Proposed,
    Remembered,
    Seconds,
    Statistics,
    best_of_each_cell,
    cell_name,
    ranking,
)
from evoply.evolution.play.opponents import PURPOSES, IndividualPlayer, stream_for
from evoply.evolution.selections import NoveltySurvival
from evoply.gp import length_penalised
from evoply.protocols.sections import Page, Shown, facts_page, share
from evoply.runs.kept_steps import APART, Tree, dumped, loaded
from evoply.runs.kind import Row, StepTables
from evoply.runs.schema import StepRow


@dataclass(frozen=True, repr=False)
class Generation(Shown):
    """One finished step of evolution: `evolve(config, resume_from=generation)` goes on from it."""

    number: int
    """0 is the random first generation."""
    individuals: tuple[Individual, ...]
    hall_of_fame: tuple[HallOfFameEntry, ...]
    """Best first."""
    archive: Archive
    """Champions of this and earlier generations, each tree once, oldest first."""
    champion: Tree
    """The one of this generation's best that is best on fresh games."""
    fresh: tuple[FreshResult, ...]
    statistics: Statistics
    timing: Seconds
    config: Annotated[EvolutionConfig, *APART] = field(compare=False)
    """The config of the run."""
    census: Census = field(default_factory=Census)
    memory: tuple[Remembered, ...] = ()
    """The members of an archive that chooses whom it keeps, oldest first."""
    state: Any = None
    """What its fitness keeps for the next generation, as JSON has it; None for nothing."""
    proposed: tuple[Proposed, ...] = ()
    """What the user's programs proposed for this generation, if the config has any."""
    novel: tuple[Individual, ...] = ()
    """The archive of novelty, oldest first, if survival keeps one."""

    # Whoever only shows a generation does not pay for it: all texts are written for it.
    @cached_property
    def digest(self) -> str:
        """The SHA-256 of the computed values: see `digest_of`."""
        return digest_of(self)

    @cached_property
    def champions(self) -> tuple[IndividualPlayer, ...]:
        """Return the hall of fame as players that can be saved, best first; then those of cells.

        The player of a cell has its name, such as "cell 3-5".
        """
        player = self.config.game_settings.player
        return (
            *(player(entry.tree) for entry in self.hall_of_fame),
            *(
                player(elite.tree).model_copy(update={"name": f"cell {place.name}"})
                for place, elite in sorted(self.elites, key=lambda each: each[0].cell)
            ),
        )

    @property
    def elites(self) -> list[tuple[MapPlace, Individual]]:
        """The best of each cell with its place, the best of all first; none without axes."""
        return best_of_each_cell(self.individuals)

    def check(self) -> None:
        """Raise `ValueError` unless it has what every generation of its config has."""
        if not self.individuals or not self.hall_of_fame:
            raise ValueError("this generation has no individuals, or no hall of fame")
        if any(entry.games <= 0 for entry in self.hall_of_fame):
            raise ValueError("this generation has a hall of fame without games")
        if any(len(each.half_points) != len(self.memory) for each in self.memory):
            raise ValueError("this generation has an archive without all results of its members")
        space = self.config.space
        for place in (each.place for each in (*self.individuals, *self.novel)):
            if place is not None and not (
                space is not None and space.has(place.cell, place.description)
            ):
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
        told = "".join(f"{each}, " for each in self.proposed)
        return (
            f"generation {self.number}: {cells}{told}"
            f"best {numbers.best:.3f}, mean {numbers.mean:.3f}, "
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
    champions, the memory of opponents, the archive of novelty, what programs proposed, and the
    state of the fitness: everything from which the next generation is computed. It never covers
    times, paths, hosts or the number of threads.
    """
    config, number = generation.config, generation.number
    content = {
        "settings": config.resolved_settings(),
        "generation": number,
        "seeds": {each: f"{stream_for(config.seed, each, number).key:#x}" for each in PURPOSES},
        "individuals": [_of_individual(each) for each in generation.individuals],
        "fresh": [
            [result.opponent, result.best.hex(), result.mean.hex(), result.games]
            for result in generation.fresh
        ],
        "hall_of_fame": [
            [str(entry.tree), entry.generation, entry.points.hex(), entry.games.hex()]
            for entry in generation.hall_of_fame
        ],
        "champion": str(generation.champion),
        "state": generation.state,
    }
    if generation.proposed:
        content["proposed"] = [
            [each.operator, each.request, each.failures, *each.texts]
            for each in generation.proposed
        ]
    if generation.novel:
        content["novel"] = [_of_individual(each) for each in generation.novel]
    if generation.memory:
        content["memory"] = [
            [str(each.tree), each.generation, each.half_points, each.share.hex(), each.rank]
            for each in generation.memory
        ]
    return generation.archive.checksum_with(content)


def _of_individual(one: Individual) -> list[Any]:
    return (
        [str(one.tree), one.fitness.hex(), one.origin, list(one.parents)]
        + ([[case.hex() for case in one.cases]] if one.cases else [])
        + ([] if one.place is None else [_of_place(one.place)])
    )


def _of_place(place: MapPlace) -> dict[str, Any]:
    values = [value.hex() for value in place.description]
    return {"cell": list(place.cell), "description": values, "born": place.born}


# The tables of a run of evolution: its generations, individuals and halls of fame as rows.
#
# Rows are read from stored steps and compared with checksums. For questions in SQL the same tables
# are views, whose numbers SQLite reads by itself.

_SECONDS = tuple(field.name for field in fields(Seconds))
_ADDED = ("dead_introns", "live_introns", "median_fresh")
"""The numbers of its census that a row of a generation has."""
_PROPOSED = ("asked", "taken", "cost", "total_cost")
"""Those that it has, too, where programs propose trees."""


def _statistics(config: EvolutionConfig) -> list[str]:
    """Return the names of the statistics that every generation has; some only with axes."""
    is_all = config.described is not None
    return [field.name for field in fields(Statistics) if is_all or field.default is MISSING]


@dataclass(frozen=True, slots=True)
class _Beside:
    """The fields of a generation that stand beside its state."""

    champion: str
    fresh: tuple[FreshResult, ...]
    timing: Seconds
    census: Census


def _beside(step: StepRow) -> _Beside:
    found: _Beside = loaded(_Beside, step.fields)
    return found


def _row(config: EvolutionConfig, step: StepRow) -> dict[str, Any]:
    """Return the row of a generation, with all its numbers by name; errors of damaged data."""
    stored = _beside(step)
    timing = asdict(stored.timing)
    return {
        "number": step.number,
        "digest": step.digest,
        "seed": config.seed,
        "fresh": json.dumps([asdict(result) for result in stored.fresh]),
        **{name: float(step.statistics[name]) for name in _statistics(config)},
        **{
            f"seconds_{name}": None if name == "left" and value is None else float(value)
            for name, value in timing.items()
        },
        "champion_tree": stored.champion,
        **{name: getattr(stored.census, name) for name in _ADDED},
        **{name: getattr(stored.census, name) for name in _PROPOSED if config.variation.commands},
    }


def _drawn(step: StepRow) -> dict[str, Any]:
    """Return its census, which has further numbers for charts."""
    return dumped(_beside(step).census)


def _individuals(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for position, each in enumerate(state["individuals"]):
        yield {
            "generation": number,
            "position": position,
            "fitness": each["fitness"],
            "origin": each["origin"],
            "parents": json.dumps(each["parents"], separators=(",", ":")),
            "tree": each["tree"],
        }


def _hall_of_fame(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for rank, entry in enumerate(state["hall_of_fame"]):
        yield {
            "generation": number,
            "rank": rank,
            "entered": entry["generation"],
            "points": entry["points"],
            "games": entry["games"],
            "fitness": entry["points"] / entry["games"],
            "tree": entry["tree"],
        }


def _proposals(number: int, state: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for asked in state["proposed"]:
        refused = dict(asked["refused"])
        for text in asked["texts"]:
            yield {
                "generation": number,
                "operator": asked["operator"],
                "text": text,
                "refused": refused.get(text, ""),
            }


def _elites(
    config: EvolutionConfig, listed: str, number: int, state: Mapping[str, Any]
) -> Iterator[dict[str, Any]]:
    """Yield rows of those *listed* who have a place, with the columns of pyribs's archives.

    These are index, objective and measures; a solution is the text of a tree.
    """
    primitives, space = config.primitive_set, config.space
    for position, elite in enumerate(state[listed]):
        place = elite["place"]
        if place is None or space is None:
            continue
        cell = place["cell"]
        measures = enumerate(place["description"])
        yield {
            "generation": number,
            "solution": elite["tree"],
            "objective": elite["fitness"],
            **{f"measures_{axis}": value for axis, value in measures},
            "index": space.index(cell) if listed == "individuals" else position,
            "cell": cell_name(cell),
            "nodes": len(gp.parse_individual(elite["tree"], primitives)),
            "origin": elite["origin"],
            "born": place["born"],
        }


Rows = Callable[[int, Any], Iterator[dict[str, Any]]]


def _lists(config: EvolutionConfig) -> Mapping[str, Rows]:
    """Return what lists the rows of the other tables, by name."""
    lists: dict[str, Rows] = {"individuals": _individuals, "hall_of_fame": _hall_of_fame}
    if config.variation.commands:
        lists["proposals"] = _proposals
    if config.described is not None:
        lists["elites"] = partial(_elites, config, "individuals")
    if isinstance(config.survival, NoveltySurvival):
        lists["novel"] = partial(_elites, config, "novel")
    return lists


def _views(config: EvolutionConfig) -> dict[str, str]:
    """Return the SELECTs of the tables by name."""
    numbers = [(name, f"statistics, '$.{name}'") for name in _statistics(config)]
    numbers += [(f"seconds_{name}", f"fields, '$.timing.{name}'") for name in _SECONDS]
    reals = (f"CAST(json_extract({path}) AS REAL) AS {name}" for name, path in numbers)
    return {
        "generations": f"SELECT number, digest, {config.seed} AS seed,"
        " json_extract(fields, '$.champion') AS champion, json_extract(fields, '$.fresh') AS fresh,"
        f" {', '.join(reals)} FROM steps",
        "individuals": _view("individuals", "position", "tree fitness origin parents"),
        "hall_of_fame": _view("hall_of_fame", "rank", "tree entered points games"),
    }


def _view(name: str, place: str, columns: str) -> str:
    keys = {"entered": "generation"}
    cells = (f"json_extract(value, '$.{keys.get(it, it)}') AS {it}" for it in columns.split())
    return (
        f"SELECT number AS generation, key AS {place}, {', '.join(cells)}"
        f" FROM steps, json_each(unzipped(state), '$.{name}')"
    )


_HIDDEN = ("seed", "champion", "fresh", "champion_tree")


def _data(row: Row) -> dict[str, Any]:
    """Return the *row* of a generation for programs."""
    data = {name: value for name, value in row.items() if name not in _HIDDEN}
    return {**data, "champion": row["champion_tree"]}


TABLES = StepTables(
    beside=tuple(field.name for field in fields(_Beside)),
    grows=("archive",),
    row=_row,
    drawn=_drawn,
    lists=_lists,
    views=_views,
    data=_data,
)


# The fitness of a population, and its text for people.
#
# Everything that depends on the kind of fitness is in the kind (`evoply.evolution.fitness`).


def measured(
    kind: FitnessKind, population: Population, training: Training, parsimony: Parsimony | None
) -> Measured:
    """Return the fitness of *population*, less the penalty if *parsimony* penalises length."""
    result = kind.measured(population, training)
    if result.state is not None:
        result = replace(result, state=_kept(kind, result.state))
    if not isinstance(parsimony, LengthPenalty):
        return result
    lengths = [len(population.trees[tree]) for tree in population.who]
    penalised = length_penalised(result.fitness.tolist(), lengths, parsimony.coefficient)
    return replace(result, fitness=np.array(penalised))


def _kept(kind: FitnessKind, state: Any) -> Any:
    """Return *state* as it comes back from a run folder, so that resuming changes nothing."""
    try:
        return json.loads(json.dumps(state, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(
            f"Measured.state of {type(kind).__name__} cannot be kept: {error} - give mappings, "
            "lists, texts, finite numbers, truths and None (arrays by tolist())"
        ) from None


def is_share(config: EvolutionConfig) -> bool:
    """Return whether fitness is points per game, in [0, 1] but for a penalty."""
    return config.fitness.measure.is_share


def fitness_text(config: EvolutionConfig, fitness: float) -> str:
    """Return a training fitness on the scale people know: a percentage, discs or points.

    >>> from evoply.evolution import EvolutionConfig
    >>> fitness_text(EvolutionConfig(generations=1), 0.7123)
    '71.2 %'
    """
    return config.fitness.measure.text(fitness)
