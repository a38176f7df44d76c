"""Selection and survival: `SELECTIONS` and `SURVIVALS` are their tables.

Selection chooses the parents of a generation, survival those who live on of parents and offspring
together. A new one is a pure function in `evoply.gp`, and here its keys in a config, a function
that gives it what it needs of the candidates, and a row. The contract stands first.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from operator import or_
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, model_validator

from evoply import gp
from evoply._native import Stream
from evoply.configs.own_code import is_own_code, qualified_name
from evoply.configs.part import OwnPart, Part, fields_of, kind_of
from evoply.evolution.individuals import Case, Individual
from evoply.evolution.map_elites.axes import MOST_AXES, MOST_CELLS, Axis
from evoply.evolution.map_elites.space import Space

# The contract of selection and survival: both choose among candidates.
#
# A function `(candidates, count, stream)` returns positions. Of parents 2i and 2i + 1 are a couple,
# and one may come many times; survivors are all different. The tables below have those
# that configs can name; one of your own is given to `evolve`, or named as `python:FILE.py:NAME`.

Scale = Literal["raw", "adjusted"]
Objectives = Literal["strength_and_size", "opponents"]


@dataclass(frozen=True, slots=True, eq=False)
class Candidates:
    """Individuals to choose from, by their positions."""

    individuals: tuple[Individual, ...]
    fitness: list[float]
    """What selection goes by, maximised: the fitness, changed by `parsimony`; NaN is kept out."""
    parents: int = 0
    """Where survivors are chosen: how many of the first individuals are parents of the others."""
    perfect: float | None = None
    """The fitness that no individual exceeds; None if it is unknown."""
    is_lifted: bool = False
    """Whether parsimony may lift an individual above the perfect fitness."""
    measure: str = "the fitness"
    """The name of its class, for messages."""
    space: Space | None = None
    """Where they are described, if survival describes them; each then has a place."""
    archive: tuple[Individual, ...] = ()
    """Novel individuals of earlier generations, if survival keeps some."""

    def __len__(self) -> int:
        return len(self.individuals)

    @property
    def lengths(self) -> list[int]:
        """Return the number of nodes of each."""
        return [len(individual.tree) for individual in self.individuals]

    @property
    def cases(self) -> NDArray[np.float64]:
        """Return the results on single cases, shape (individuals, cases), maximised.

        There are some if `selection` or `survival` of the config looks at cases.
        """
        return np.array([individual.cases for individual in self.individuals], dtype=np.float64)

    def points_of(self, individuals: Sequence[Individual]) -> NDArray[np.float64]:
        """Return where these stand, shape (individuals, axes), the range of each axis as 0 to 1."""
        assert self.space is not None, "survival describes nobody"
        values = [each.place.description for each in individuals if each.place is not None]
        return self.space.scaled(np.array(values).reshape(-1, len(self.space.axes)))

    def objectives(self, objectives: Objectives) -> NDArray[np.float64]:
        """Return what a front is made of, shape (individuals, objectives), maximised."""
        if objectives == "opponents":
            return self.cases
        return np.column_stack([self.fitness, np.negative(self.lengths)])

    def scaled(self, scale: Scale) -> list[float]:
        """Return the fitness, or Koza's adjusted fitness in (0, 1]."""
        if scale == "raw":
            return self.fitness
        if self.is_lifted:
            # A short tree above perfect counts as perfect.
            most = self._distance(0.0)
            distances = [f if math.isnan(f) else max(most - f, 0.0) for f in self.fitness]
        else:
            distances = [self._distance(value) for value in self.fitness]
        return [gp.adjusted_fitness(distance) for distance in distances]

    @property
    def distances(self) -> list[float]:
        """Return Koza's standardized fitness: how far each is from perfect, at least 0.

        For discs this is the number of discs. For a user's function 0 is perfect; raises
        ValueError if its value is above.
        """
        return [self._distance(value) for value in self.fitness]

    def _distance(self, fitness: float) -> float:
        if self.perfect is None:
            raise ValueError(
                "selection in proportion to adjusted fitness needs to know what is perfect: give "
                f"{self.measure} a method best(task), or select by tournament"
            )
        value = self.perfect - fitness
        if value < 0:
            raise ValueError(
                f"selection in proportion to adjusted fitness takes {self.perfect:g} as perfect, "
                f"and an individual has {fitness:g}: return nothing above {self.perfect:g}, or "
                "select by tournament"
            )
        return value


Choose = Callable[..., Sequence[int]]
"""Returns *count* positions of candidates, given them, the count and a stream; those of evoply also
get the keys of their table, by name."""


class ChoiceKeys(Part):
    """The keys of a way to choose; a subclass defines `kind`."""

    kind: str = "own"

    @property
    def looks_at(self) -> Case | None:
        """The cases that it looks at; None if it goes by fitness."""
        return None

    @property
    def arguments(self) -> dict[str, Any]:
        """Return the keys as arguments of its function."""
        return {name: value for name, value in fields_of(self).items() if name != "kind"}


class OwnChoice(OwnPart, ChoiceKeys):
    """Your own function of candidates, count and stream; see docs/add-a-selection.md.

    Only what breeds imports the file: until then this stands for it.
    """

    kind: Literal["python"] = "python"
    cases: Case | None = None
    """The cases that it looks at, if any: the fitness then has them as `Candidates.cases`."""

    @property
    def looks_at(self) -> Case | None:
        """Its cases."""
        return self.cases

    def resolved(self, what: str) -> Choose:
        """Import the file and return the function, *what* it is; `ValueError` if it is none."""
        found = self.made()
        if not callable(found):
            raise ValueError(
                f"{what}: {self.code_label} is {found!r:.60}, not a function of candidates, count "
                "and stream"
            )
        choose: Choose = found
        return choose


def checked_choice(
    what: str, own: Choose, candidates: Candidates, count: int, stream: Stream
) -> Sequence[int]:
    """Return what the user's *own* function chose; ValueError unless these are positions."""
    answer = own(candidates, count, stream)
    wanted = f"the {what} {qualified_name(own)} must return the positions of {count} candidates"
    try:
        chosen = [operator.index(position) for position in answer]
    except TypeError:
        raise ValueError(f"{wanted}, not {answer!r:.60}") from None
    outside = [position for position in chosen if not 0 <= position < len(candidates)]
    if len(chosen) != count or outside:
        fault = f"{outside[0]} is none of {len(candidates)}" if outside else f"gave {len(chosen)}"
        raise ValueError(f"{wanted}: {fault}")
    if what == "survival" and len(set(chosen)) < count:
        raise ValueError(f"the survival {qualified_name(own)} chose a candidate twice")
    return chosen


@dataclass(frozen=True, slots=True)
class SelectionMethod:
    """A way to select parents: the class of its keys, and its function."""

    keys: type[ChoiceKeys]
    function: Choose
    worst: Callable[..., int] | None = None
    """`(candidates, stream)` and the keys: the position of a bad individual, which a steady state
    replaces; None if it does not go with one."""
    in_demes: bool = True
    """Whether it may choose within demes."""


@dataclass(frozen=True, slots=True)
class SurvivalMethod:
    """A way to survive: the class of its keys, and its function."""

    keys: type[ChoiceKeys]
    function: Choose | None
    """None: the offspring take the place of their parents, but for the elite."""


class TournamentSelection(ChoiceKeys):
    """The best of `size` individuals drawn with replacement becomes a parent.

    Of equally fit ones the smaller wins, which is lexicographic parsimony pressure.
    """

    kind: Literal["tournament"] = "tournament"
    size: int = Field(default=7, ge=1, le=10_000)
    """Individuals in a tournament; more of them select harder."""
    two_best: bool = False
    """Whether both parents of a crossover are the two best of one tournament, as in gpjpp."""

    @model_validator(mode="after")
    def _two_need_two(self) -> TournamentSelection:
        if self.two_best and self.size < 2:
            raise ValueError("two_best needs a size of at least 2")
        return self


def tournament(
    candidates: Candidates, count: int, stream: Stream, *, size: int, two_best: bool
) -> Sequence[int]:
    """Return winners of tournaments."""
    fitness, lengths = candidates.fitness, candidates.lengths
    if not two_best:
        return gp.tournament_selection(fitness, size, count, stream, lengths=lengths)
    pairs = gp.paired_tournament_selection(fitness, size, -(-count // 2), stream, lengths=lengths)
    return [index for pair in pairs for index in pair][:count]


def worst_of_tournament(
    candidates: Candidates, stream: Stream, *, size: int, two_best: bool
) -> int:
    """Return the loser of a tournament of the same size, in which the larger of equals loses."""
    inverted = [-value for value in candidates.fitness]
    lengths = [-length for length in candidates.lengths]
    return gp.tournament_selection(inverted, size, 1, stream, lengths=lengths)[0]


class RouletteSelection(ChoiceKeys):
    """An individual becomes a parent with a probability proportional to its fitness."""

    kind: Literal["roulette"] = "roulette"
    scale: Scale = "raw"
    """`adjusted`: in proportion to 1 / (1 + f), f being how far fitness is from perfect."""


def roulette(candidates: Candidates, count: int, stream: Stream, *, scale: Scale) -> Sequence[int]:
    """Return individuals in proportion to their fitness."""
    return gp.roulette_selection(candidates.scaled(scale), count, stream)


def worst_roulette(candidates: Candidates, stream: Stream, **_: Any) -> int:
    """Return an individual in proportion to how far its fitness is from perfect (gpjpp)."""
    return gp.worst_roulette_selection(candidates.distances, 1, stream)[0]


class GreedySelection(ChoiceKeys):
    """Greedy over-selection (Koza): most parents come from the group of the best.

    The best individuals that together hold the share `top_share` of all fitness form the top
    group (default: 0.32 up to 1,000 individuals, then 320 by their number). A parent comes from
    it with `top_probability`, else from the rest, each time in proportion to fitness.
    """

    kind: Literal["greedy"] = "greedy"
    top_share: float | None = Field(default=None, gt=0, lt=1)
    """Share of all fitness that the top group holds."""
    top_probability: float = Field(default=0.8, ge=0, le=1)
    """Probability that a parent comes from the top group."""
    scale: Scale = "raw"
    """`adjusted`: fitness counts as 1 / (1 + f), f being how far it is from perfect."""


def greedy(
    candidates: Candidates, count: int, stream: Stream, *, scale: Scale, **shares: Any
) -> Sequence[int]:
    """Return individuals most of whom are among the best."""
    return gp.greedy_over_selection(candidates.scaled(scale), count, stream, **shares)


class LexicaseSelection(ChoiceKeys):
    """A parent is best on one case after another, the cases in a random order for each parent."""

    kind: Literal["lexicase"] = "lexicase"
    cases: Case = "opponents"
    """What a case is: the points against one opponent, one game, or the discs of one stage."""
    epsilon: float = Field(default=0.0, ge=0)
    """How much less than the best still counts as best, in points or discs of one case."""
    down_sampling: float = Field(default=1.0, gt=0, le=1)
    """Share of the cases that the selection of a generation looks at, drawn at random."""

    @property
    def looks_at(self) -> Case:
        """Its cases."""
        return self.cases


def lexicase(
    candidates: Candidates, count: int, stream: Stream, *, cases: Case, **settings: float
) -> Sequence[int]:
    """Return individuals who are best on cases in random orders."""
    return gp.lexicase_selection(candidates.cases, count, stream, **settings)


class ParetoSelection(ChoiceKeys):
    """Tournaments of two by front, then by crowding, over several objectives.

    Together with a survival of the same kind this is NSGA-II.
    """

    kind: Literal["pareto"] = "pareto"
    objectives: Objectives = "strength_and_size"
    """High fitness and few nodes; or the points against each opponent, every one an objective
    (Pareto coevolution, where the opponents are evolved too)."""

    @property
    def looks_at(self) -> Case | None:
        """The points against each opponent, if these are the objectives."""
        return "opponents" if self.objectives == "opponents" else None


def pareto(
    candidates: Candidates, count: int, stream: Stream, *, objectives: Objectives
) -> Sequence[int]:
    """Return winners of tournaments of two by front, then by crowding."""
    return gp.pareto_selection(candidates.objectives(objectives), count, stream)


class DoubleTournamentSelection(ChoiceKeys):
    """Winners of tournaments on fitness meet in pairs on size (Luke & Panait 2002)."""

    kind: Literal["double_tournament"] = "double_tournament"
    size: int = Field(default=7, ge=1, le=10_000)
    """Individuals in a tournament on fitness."""
    parsimony: float = Field(default=1.4, ge=1, le=2)
    """How hard it selects by size: the smaller of two wins with half this probability; 1 does not
    look at size, with 2 it always wins."""
    size_first: bool = False
    """Whether pairs meet on size first, and the winners on fitness."""


def double_tournament(
    candidates: Candidates, count: int, stream: Stream, **settings: Any
) -> Sequence[int]:
    """Return winners of tournaments on fitness and on size."""
    fitness, lengths = candidates.fitness, candidates.lengths
    return gp.double_tournament_selection(fitness, lengths, count, stream, **settings)


class UniformSelection(ChoiceKeys):
    """Every individual becomes a parent with the same probability, whatever its fitness."""

    kind: Literal["uniform"] = "uniform"


def uniform(candidates: Candidates, count: int, stream: Stream) -> Sequence[int]:
    """Return individuals drawn with replacement."""
    return [stream.below(len(candidates)) for _ in range(count)]


def own_choice(
    what: str, candidates: Candidates, count: int, stream: Stream, **keys: Any
) -> Sequence[int]:
    """Return what the user's own function in a file chooses, *what* it is."""
    return checked_choice(what, OwnChoice(**keys).resolved(what), candidates, count, stream)


class OffspringSurvival(ChoiceKeys):
    """The offspring take the place of their parents, but for the `elitism` best."""

    kind: Literal["offspring"] = "offspring"


class BestSurvival(ChoiceKeys):
    """The fittest of parents and offspring live on, of equally fit ones the smaller.

    Parents play again, on the openings of their offspring: a generation has twice the games.
    """

    kind: Literal["best"] = "best"


def best(candidates: Candidates, count: int, stream: Stream) -> Sequence[int]:
    """Return the fittest, of equally fit ones the smaller, then the older."""
    keys = [
        (-math.inf if value != value else value, -length)
        for value, length in zip(candidates.fitness, candidates.lengths, strict=True)
    ]
    return sorted(range(len(keys)), key=lambda index: keys[index], reverse=True)[:count]


class DescribedSurvival(ChoiceKeys):
    """What survivals have in common that go by what individuals are like: their map."""

    axes: tuple[Axis, ...] = Field(
        default=(Axis(descriptor="mobility"), Axis(descriptor="size")),
        strict=False,
        min_length=2,
        max_length=MOST_AXES,
    )
    """What tells individuals apart; the first is drawn from left to right, the second upwards."""
    voronoi_cells: int | None = Field(default=None, ge=2, le=MOST_CELLS)
    """Voronoi cells around so many centroids that lie evenly (CVT-MAP-Elites, Vassiliades et al.
    2018). None: the cells are those of a grid of bins, which are too many on many axes."""
    pairs: int = Field(default=2, ge=1, le=1000)
    """Opening pairs against each of `fitness.opponents` by which a new individual is described.
    They are the same for all individuals of a run, so that each has one place on the map."""
    qd_score_offset: float = 0.0
    """The least fitness, which counts 0 in the QD score: of a fitness that may be negative less.
    It decides nothing else."""


class MapSurvival(DescribedSurvival):
    """MAP-Elites: the best of each cell of a map lives on (Mouret & Clune 2015).

    A generation has `population_size` offspring, and as many parents as cells are filled. Parents
    play again, on the openings of their offspring. With `selection.kind = "uniform"` parents are
    drawn whatever their fitness, as in the paper.
    """

    kind: Literal["map"] = "map"


def best_of_cells(candidates: Candidates, count: int, stream: Stream, **_: Any) -> Sequence[int]:
    """Return the fittest of each cell, in the order of cells; of equals as in `best`."""
    held: dict[tuple[int, ...], int] = {}
    for index in best(candidates, len(candidates), stream):
        place = candidates.individuals[index].place
        assert place is not None  # the engine finds the places of all before
        held.setdefault(place.cell, index)
    return [held[cell] for cell in sorted(held)]


class NoveltySurvival(DescribedSurvival):
    """Novelty search: of parents and offspring those live on who are least like all others.

    Novelty is the mean distance from the nearest on the axes, the range of each from 0 to 1, among
    parents, offspring and an archive (Lehman & Stanley 2011). Fitness then decides ties alone.
    """

    kind: Literal["novelty"] = "novelty"
    neighbours: int = Field(default=15, ge=1, le=1000)
    """How many of the nearest count."""
    archive: int = Field(default=500, ge=0, le=2000)
    """Individuals in the archive at most. When it is full, of the nearest two the older leaves."""
    added: int = Field(default=5, ge=1, le=1000)
    """How many new individuals enter it in each generation, the most novel."""
    local_competition: bool = False
    """Whether those live on who are on the first fronts of novelty and of how many of their nearest
    they beat in fitness (novelty search with local competition, Lehman & Stanley 2011)."""


def novel(
    candidates: Candidates,
    count: int,
    stream: Stream,
    *,
    neighbours: int,
    local_competition: bool,
    **_: Any,
) -> Sequence[int]:
    """Return the most novel, or the first fronts of novelty and local competition."""
    archive = candidates.archive
    points, others = candidates.points_of(candidates.individuals), candidates.points_of(archive)
    found = gp.novelty_of(points, others, neighbours)
    if not local_competition:
        return gp.most_novel(found, candidates.fitness, candidates.lengths, count)
    fitness, theirs = (
        np.array(fitness, dtype=np.float64)
        for fitness in (candidates.fitness, [each.fitness for each in archive])
    )
    beaten = gp.locally_beaten(points, fitness, others, theirs, neighbours)
    return gp.pareto_survival(np.column_stack([found, beaten]), count)


def archive_after(candidates: Candidates, keys: NoveltySurvival) -> tuple[Individual, ...]:
    """Return the archive with the most novel of the offspring among *candidates*, within its size.

    They keep the fitness of this generation, and no parents: positions mean nothing later.
    """
    archive = candidates.archive
    points, others = candidates.points_of(candidates.individuals), candidates.points_of(archive)
    found = gp.novelty_of(points, others, keys.neighbours)[candidates.parents :]
    new = candidates.individuals[candidates.parents :]
    lengths = candidates.lengths[candidates.parents :]
    chosen = gp.most_novel(found, [each.fitness for each in new], lengths, keys.added)
    longer = (*archive, *(replace(new[at], parents=(), cases=()) for at in chosen))
    left = gp.kept_apart(candidates.points_of(longer), keys.archive)
    return tuple(longer[at] for at in left)


class ParetoSurvival(ChoiceKeys):
    """Of parents and offspring the first fronts live on; the last of them is cut where crowded.

    Together with a selection of the same kind this is NSGA-II (Deb et al. 2002): no point of the
    first front is lost, unless the front is larger than the population. Parents play again, on
    the openings of their offspring: a generation has twice the games.
    """

    kind: Literal["pareto"] = "pareto"
    objectives: Objectives = "strength_and_size"
    """What fronts are made of, as in `selection`."""

    @property
    def looks_at(self) -> Case | None:
        """The points against each opponent, if these are the objectives."""
        return "opponents" if self.objectives == "opponents" else None


def pareto_survivors(
    candidates: Candidates, count: int, stream: Stream, *, objectives: Objectives
) -> Sequence[int]:
    """Return the individuals of the first fronts."""
    return gp.pareto_survival(candidates.objectives(objectives), count)


SELECTIONS: tuple[SelectionMethod, ...] = (
    SelectionMethod(TournamentSelection, tournament, worst_of_tournament),
    SelectionMethod(RouletteSelection, roulette, worst_roulette),
    SelectionMethod(GreedySelection, greedy, worst_roulette, in_demes=False),
    SelectionMethod(LexicaseSelection, lexicase),
    SelectionMethod(ParetoSelection, pareto),
    SelectionMethod(DoubleTournamentSelection, double_tournament),
    SelectionMethod(UniformSelection, uniform),
    SelectionMethod(OwnChoice, partial(own_choice, "selection")),
)
"""Every selection that a config can name; the first is the default."""

SURVIVALS: tuple[SurvivalMethod, ...] = (
    SurvivalMethod(OffspringSurvival, None),
    SurvivalMethod(BestSurvival, best),
    SurvivalMethod(ParetoSurvival, pareto_survivors),
    SurvivalMethod(MapSurvival, best_of_cells),
    SurvivalMethod(NoveltySurvival, novel),
    SurvivalMethod(OwnChoice, partial(own_choice, "survival")),
)
"""Every survival that a config can name; the first is the default."""


def _named(text: Any) -> Any:
    """Return the keys that `python:FILE.py:NAME` or a kind alone mean, or what is no text."""
    if not isinstance(text, str):
        return text
    return {"kind": "python", "code": text} if is_own_code(text) else {"kind": text}


if TYPE_CHECKING:
    Selection = ChoiceKeys
    Survival = ChoiceKeys
else:  # any of the tables, told apart by `kind`
    Selection = Annotated[
        reduce(or_, (row.keys for row in SELECTIONS)),
        Field(discriminator="kind"),
        BeforeValidator(_named),
    ]
    Survival = Annotated[
        reduce(or_, (row.keys for row in SURVIVALS)),
        Field(discriminator="kind"),
        BeforeValidator(_named),
    ]


def selection_method(selection: ChoiceKeys) -> SelectionMethod:
    """Return the row of a config's *selection*."""
    return next(row for row in SELECTIONS if row.keys is type(selection))


def survival_method(survival: ChoiceKeys) -> SurvivalMethod:
    """Return the row of a config's *survival*."""
    return next(row for row in SURVIVALS if row.keys is type(survival))


def steady_kinds() -> list[str]:
    """Return the kinds of selection that a steady state goes with."""
    return [str(kind_of(row.keys)) for row in SELECTIONS if row.worst is not None]
