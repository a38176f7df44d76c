"""A fitness that a user wrote as a function of one tree, or of all different trees at once."""

import inspect
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from evoply import gp
from evoply._native import Stream
from evoply.evolution.fitness.contract import FitnessKind, Measured, Population, Task, Training

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
            answers = list(self.function(population.trees, streams))
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


def kind_of(fitness: OwnFitness) -> FitnessKind:
    """Return a user's fitness as a kind; raises TypeError for anything but an `OwnFitness`."""
    if isinstance(fitness, FitnessKind):
        return fitness
    if not callable(fitness):
        raise TypeError(
            f"{fitness!r:.60} is not a fitness: give a function of a tree and a stream, one of "
            "trees and streams, or a FitnessKind"
        )
    parameters = list(inspect.signature(fitness).parameters)
    return FunctionFitness(function=fitness, takes_all=parameters[:1] == ["trees"])


def _name(function: Any) -> str:
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}.{named.__qualname__}"
