"""Who breeds and who lives on: selection and survival by a config, or by the user's own functions.

This module makes the candidates; `evoply.evolution.selections` has the ways to choose.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evoply import gp
from evoply._native import Stream
from evoply.evolution.choosing import Candidates, Choose
from evoply.evolution.config.breeding import Covariant, Parsimony, Tarpeian
from evoply.evolution.individuals import Individual, ranking


@dataclass(frozen=True, slots=True)
class Selector:
    """Draws good individuals, or bad ones, as a config or the user's parts say."""

    choose: Choose
    find_worst: Callable[[Candidates, Stream], int] | None
    """None if it does not go with a steady state."""
    choose_survivors: Choose | None
    """None: the offspring take the place of their parents."""
    parsimony: Parsimony | None
    perfect: float | None
    measure: str
    is_map: bool
    """Whether survivors are one for each cell: from the first generation on, however many."""

    def parents(self, parents: Sequence[Individual], count: int, stream: Stream) -> Sequence[int]:
        """Return the positions of *count* selected parents; 2i and 2i + 1 are a couple."""
        return self.choose(self.candidates(parents, stream), count, stream)

    def worst(self, population: Sequence[Individual], stream: Stream) -> int:
        """Return the position of a bad individual, drawn for a steady state to replace it."""
        if self.find_worst is None:
            raise ValueError("this selection does not go with a steady state")
        return self.find_worst(self.candidates(population), stream)

    @property
    def parents_compete(self) -> bool:
        """Whether parents compete with their offspring, so that both play."""
        return self.choose_survivors is not None

    def chooses_survivors(self, generation: int) -> bool:
        """Return whether it chooses who lives on of those who play in *generation*."""
        return self.parents_compete and (self.is_map or generation > 0)

    def survivors(
        self,
        competing: tuple[Individual, ...],
        parents: int,
        size: int,
        elitism: int,
        stream: Stream,
    ) -> list[int]:
        """Return the positions of *size* who live on of *parents* and then their offspring.

        The *elitism* best are among them, in place of the last chosen if need be; on a map those
        live on who are the best of their cells.
        """
        if self.choose_survivors is None:
            raise ValueError("the offspring take the place of their parents")
        candidates = self.candidates(competing, stream, parents)
        chosen = list(self.choose_survivors(candidates, size, stream))
        if self.is_map:
            return chosen
        best = ranking(competing)[:elitism]
        missing = [position for position in best if position not in chosen]
        if missing:
            others = [position for position in chosen if position not in best]
            chosen = [position for position in chosen if position in best]
            chosen += others[: size - len(chosen) - len(missing)] + missing
        return chosen

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
