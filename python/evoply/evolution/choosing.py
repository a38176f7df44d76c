"""The contract of selection and survival: both choose among candidates.

A function `(candidates, count, stream)` returns positions. Of parents 2i and 2i + 1 are a couple,
and one may come many times; survivors are all different. `evoply.evolution.selections` has those
that configs can name; one of your own is given to `evolve`, or named as `python:FILE.py:NAME`.

Reasons: docs/design/evolution.md.
"""

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from evoply import gp
from evoply._native import Stream
from evoply.configs.own_part import OwnPart
from evoply.configs.part import Part, fields_of
from evoply.evolution.individuals import Case, Individual
from evoply.own_code import qualified_name

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
