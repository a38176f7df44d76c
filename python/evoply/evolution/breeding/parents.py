"""Who breeds and who lives on: selection and survival by a config, or by the user's own functions.

This module makes the candidates; `evoply.evolution.selections` has the ways to choose.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from evoply import gp
from evoply._native import Stream
from evoply.configs.part import fields_of
from evoply.evolution.config.breeding import Covariant, Parsimony, Tarpeian
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.individuals import Individual, ranking
from evoply.evolution.selections import (
    Candidates,
    ChoiceKeys,
    Choose,
    selection_method,
    survival_method,
)
from evoply.evolution.user_code import PythonParts


@dataclass(frozen=True, slots=True)
class Selector:
    """Draws good individuals, or bad ones, as a config or the user's parts say."""

    choose: Choose
    find_worst: Callable[[Candidates, Stream], int] | None
    """None if there is no steady state."""
    parsimony: Parsimony | None
    perfect: float | None
    measure: str

    def parents(self, parents: Sequence[Individual], count: int, stream: Stream) -> Sequence[int]:
        """Return the positions of *count* selected parents; 2i and 2i + 1 are a couple."""
        return self.choose(self.candidates(parents, stream), count, stream)

    def worst(self, population: Sequence[Individual], stream: Stream) -> int:
        """Return the position of a bad individual, drawn for a steady state to replace it."""
        if self.find_worst is None:
            raise ValueError("this selection does not go with a steady state")
        return self.find_worst(self.candidates(population), stream)

    def candidates(
        self, individuals: Sequence[Individual], stream: Stream | None = None, parents: int = 0
    ) -> Candidates:
        """Return *individuals* as candidates; with a *stream* parsimony changes their fitness."""
        fitness = [individual.fitness for individual in individuals]
        lengths = [len(individual.tree) for individual in individuals]
        if stream is not None and isinstance(self.parsimony, Tarpeian):
            draws = stream.child("tarpeian")
            fitness = gp.tarpeian_penalised(fitness, lengths, self.parsimony.probability, draws)
        elif stream is not None and isinstance(self.parsimony, Covariant):
            fitness = gp.covariant_penalised(fitness, lengths)
        return Candidates(
            tuple(individuals),
            fitness,
            parents,
            self.perfect,
            isinstance(self.parsimony, Covariant),
            self.measure,
        )


def selector_of(config: EvolutionConfig, parts: PythonParts | None = None) -> Selector:
    """Return the selector that draws the parents of a run."""
    parts = parts or PythonParts()
    method, keys = selection_method(config.selection), _settings(config.selection)
    kind = parts.kind(config.fitness.measure)
    return Selector(
        parts.selection_function or partial(method.function, **keys),
        None if method.worst is None else partial(method.worst, **keys),
        config.parsimony,
        kind.best(config.task),
        type(kind).__name__,
    )


def competes(config: EvolutionConfig, parts: PythonParts) -> bool:
    """Return whether parents compete with their offspring, so that both play."""
    return survivors_function(config, parts) is not None


def survivors_function(config: EvolutionConfig, parts: PythonParts) -> Choose | None:
    """Return what chooses the survivors; None if the offspring take their parents' place."""
    function = survival_method(config.survival).function
    if parts.survival_function is not None or function is None:
        return parts.survival_function
    return partial(function, **_settings(config.survival))


def survivors(
    config: EvolutionConfig,
    competing: Sequence[Individual],
    stream: Stream,
    parts: PythonParts,
) -> list[int]:
    """Return the positions of those who live on of parents, who come first, and offspring.

    The `elitism` best are among them, in place of the last chosen if need be.
    """
    choose, size = survivors_function(config, parts), config.population_size
    if choose is None:
        raise ValueError("the offspring take the place of their parents")
    selector = selector_of(config, parts)
    chosen = list(choose(selector.candidates(competing, stream, size), size, stream))
    best = ranking(tuple(competing))[: config.elitism]
    missing = [position for position in best if position not in chosen]
    if missing:
        others = [position for position in chosen if position not in best]
        chosen = [position for position in chosen if position in best]
        chosen += others[: size - len(chosen) - len(missing)] + missing
    return chosen


def _settings(keys: ChoiceKeys) -> dict[str, Any]:
    return {name: value for name, value in fields_of(keys).items() if name != "kind"}
