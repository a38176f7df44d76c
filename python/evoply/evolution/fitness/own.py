"""A fitness that a user wrote: a function, or what a config names as `python:FILE.py:NAME`."""

import inspect
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar, Literal

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.configs.own_code import is_own_code
from evoply.configs.part import OwnPart, keys_of
from evoply.evolution.fitness.contract import (
    FitnessKind,
    Measured,
    Population,
    Task,
    Training,
)
from evoply.evolution.individuals import Case

TreeFitness = Callable[[gp.Genotype, Stream], float]
"""Returns how good a tree is, maximised. Called once a generation for each different tree, each
time with a stream of the same draws, so that all are judged alike."""

BatchFitness = Callable[[Sequence[gp.Genotype], Sequence[Stream]], Sequence[float]]
"""Returns how good each of all different trees is, maximised: one call a generation, with a stream
for each tree. Its first parameter, called `trees`, tells it from a `TreeFitness`."""

OwnFitness = TreeFitness | BatchFitness | FitnessKind
"""What `evolve(config, fitness=...)` takes."""


class FunctionFitness(FitnessKind):
    """A function of the user as a kind of fitness."""

    function: Callable[..., Any]
    takes_all: bool
    """Whether it is a `BatchFitness`."""

    def measured(self, population: Population, training: Training) -> Measured:
        """Return the function's value of each different tree; ValueError if it is not a number."""
        streams = [training.stream.child("tree") for _ in population.trees]
        answers: list[Any]
        if self.takes_all:
            given = self.function(population.trees, streams)
            answers = list(given) if isinstance(given, Iterable) else [given]
            if len(answers) != len(population.trees):
                raise ValueError(
                    f"the fitness {_name(self.function)} gave {len(answers)} numbers for "
                    f"{len(population.trees)} trees: it must return one for each"
                )
        else:
            answers = [
                self.function(tree, stream)
                for tree, stream in zip(population.trees, streams, strict=True)
            ]
        values = [
            self._value(answer, tree)
            for answer, tree in zip(answers, population.trees, strict=True)
        ]
        return Measured(fitness=np.array(values)[population.who])

    def best(self, task: Task) -> float:
        """Return 0, which selection in proportion to adjusted fitness takes as perfect."""
        return 0.0

    def _value(self, answer: Any, tree: gp.Genotype) -> float:
        try:
            value = float(answer)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(
                f"the fitness {_name(self.function)} gave {answer!r:.60} for {str(tree)[:200]}: "
                "it must return a finite number"
            )
        return value


class PythonFitness(OwnPart, FitnessKind):
    """Your own fitness in a Python file, higher is better; see docs/add-a-fitness.md.

    Only what plays imports the file: until then this stands for it.
    """

    kind: Literal["python"] = "python"

    unit: ClassVar[str] = "your own fitness"
    cases: ClassVar[tuple[Case, ...]] = ("opponents", "games", "stages")
    """All of them: what it names says which it has, before anything is played."""

    @classmethod
    def from_text(cls, text: str, game: str) -> Mapping[str, Any] | None:
        """Return the keys that `python:FILE.py:NAME` means."""
        return {"kind": "python", "code": text} if is_own_code(text) else None

    def resolved(self) -> FitnessKind:
        """Import the file, and return the kind that it names; `ValueError` if it is none."""
        try:
            return kind_of(self.made())
        except TypeError as error:
            raise ValueError(f"fitness.measure: {self.code_label}: {error}") from None

    def measured(self, population: Population, training: Training) -> Measured:
        """Return what the kind that it names measures."""
        return self.resolved().measured(population, training)


def named_fitness(fitness: OwnFitness) -> PythonFitness:
    """Return a user's fitness as configs name it; `TypeError` if it is none."""
    if isinstance(fitness, PythonFitness):
        return fitness
    kind, settings = kind_of(fitness), None
    if not isinstance(kind, FunctionFitness):
        settings = kind.model_dump(mode="json", exclude_unset=True)
    return PythonFitness(**keys_of(fitness, settings))


def kind_of(fitness: OwnFitness) -> FitnessKind:
    """Return a user's fitness as a kind; raises TypeError for anything but an `OwnFitness`."""
    if isinstance(fitness, FitnessKind):
        return fitness
    if not callable(fitness):
        raise TypeError(
            f"{fitness!r:.60} is not a fitness: give a function of a tree and a stream, one of "
            "trees and streams, or a FitnessKind"
        )
    signature: inspect.Signature | str = "(...)"
    try:
        signature = inspect.signature(fitness)
        signature.bind(None, None)
    except (TypeError, ValueError):  # the second: a function in C may have none
        raise TypeError(
            f"the fitness {_name(fitness)}{signature} cannot be asked: a fitness takes (tree,"
            " stream), or (trees, streams) for all trees at once, even if it needs no stream"
        ) from None
    return FunctionFitness(function=fitness, takes_all=[*signature.parameters][:1] == ["trees"])


def _name(function: Any) -> str:
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"
