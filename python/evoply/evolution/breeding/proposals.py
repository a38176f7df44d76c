"""Trees that a user's program proposes: a person, a script, or a language model at its end.

A program that `variation.operators` names as `command:PROGRAM` is begun once a generation. It gets
one line of JSON on its standard input, answers one on its standard output, and is ended. A text
that is no tree of the population costs nothing but its place, and the next request says why. What
was answered is kept in the generation, so that nobody needs to ask again.
"""

from __future__ import annotations

import json
import math
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from evoply import gp
from evoply._native import Stream
from evoply.configs.own_command import OwnCommand
from evoply.environment import BrokenError, ForeignProcess, KeeperLimits, Surroundings
from evoply.environment.files import checksum
from evoply.evolution.breeding.first_generation import individual_of
from evoply.evolution.breeding.offspring import Offspring
from evoply.evolution.config.breeding import KnownAnswer, Proposals
from evoply.evolution.individuals import Individual, Proposed, ranking
from evoply.expressions import PrimitiveSet
from evoply.gp import Limits, Shape
from evoply.protocols import RunError
from evoply.wording import shorten

FORMAT = 1
"""The format of requests and answers."""
_READ = 10
"""For each wanted tree so many texts are read; those beyond are left alone."""
_NAMED_BACK = 100
"""How many refused texts the next request has."""
_LONGEST_REASON = 300
_LIMITS = KeeperLimits(cpu=10**6, memory=10**6, processes=1000)
"""Those of a program: its user named it, and its time is limited."""


@dataclass(frozen=True, slots=True)
class Proposers:
    """The programs that propose trees in a run."""

    commands: Mapping[str, OwnCommand]
    settings: Proposals
    game: str
    primitives: PrimitiveSet
    shape: Shape | None
    limits: Limits
    known: Mapping[str, KnownAnswer]
    """Answers by their requests: who asks one of these is not asked again."""

    def filled(
        self,
        offspring: Sequence[Offspring],
        population: Sequence[Individual],
        earlier: Sequence[Proposed],
        generation: int,
        stream: Stream,
        report: Callable[[int, int], object] | None = None,
    ) -> tuple[tuple[Offspring, ...], tuple[Proposed, ...]]:
        """Return *offspring* of *generation* with what programs propose, and their answers.

        They are shown the best of *population*, the generation before, and what was refused of its
        *earlier* proposals. Raises `RunError` when too many requests in a row had no answer.
        """
        wanted = Counter(child.proposer for child in offspring if child.proposer)
        answers, made = [], {}
        for number, name in enumerate(name for name in self.commands if wanted[name]):
            if report is not None:
                report(number, len(wanted))
            before = next((old for old in earlier if old.operator == name), None)
            request = self._request(
                wanted[name], population, before, generation, stream.child(name)
            )
            asked = Proposed(name, checksum(request), wanted[name])
            answer, trees = self._answer(asked, request, before)
            answers.append(answer)
            made[name] = iter(trees)
        filled = (self._one(child, made) for child in offspring)
        return tuple(filled), tuple(answers)

    @staticmethod
    def _one(child: Offspring, made: Mapping[str, Iterator[gp.Genotype]]) -> Offspring:
        tree = next(made[child.proposer], None) if child.proposer else None
        return child if tree is None else Offspring(tree, child.proposer)

    def _request(
        self,
        wanted: int,
        population: Sequence[Individual],
        before: Proposed | None,
        generation: int,
        stream: Stream,
    ) -> dict[str, Any]:
        """Return what a program is asked, which the generation before decides alone."""
        individuals = tuple(population)
        best = {str(individuals[at].tree): individuals[at].fitness for at in ranking(individuals)}
        constants = self.primitives.constants
        return {
            "format": FORMAT,
            "generation": generation,
            "wanted": wanted,
            "game": self.game,
            "best": [
                {"tree": tree, "fitness": fitness}
                for tree, fitness in list(best.items())[: self.settings.shown]
            ],
            "individual": "tree" if self.shape is None else self.shape.role,
            "primitives": [
                {
                    "name": primitive.name,
                    "takes": list(primitive.argument_types),
                    "gives": primitive.type,
                }
                for primitive in self.primitives
            ],
            "constants": None if constants is None else list(constants),
            "limits": {"depth": self.limits.max_depth, "nodes": self.limits.max_nodes},
            "refused": [
                {"text": text, "reason": reason}
                for text, reason in (() if before is None else before.refused[:_NAMED_BACK])
            ],
            "seed": stream.below(2**53),
        }

    def _answer(
        self, asked: Proposed, request: Mapping[str, Any], before: Proposed | None
    ) -> tuple[Proposed, list[gp.Genotype]]:
        """Return the answer to a request, known or new, and the trees that it makes."""
        known = self.known.get(asked.request)
        if known is not None:
            answer = replace(asked, texts=known.texts, failures=known.failures, reason=known.reason)
        else:
            try:
                texts, cost = _read(self._ask(asked.operator, json.dumps(request)))
                answer = replace(asked, texts=texts[: _READ * asked.wanted], cost=cost)
            except (BrokenError, ValueError, OSError) as error:
                failures = 1 + (0 if before is None else before.failures)
                reason = shorten(str(error), _LONGEST_REASON)
                answer = replace(asked, failures=failures, reason=reason)
        self._check_goes_on(answer)
        trees, refused = [], []
        for text in answer.texts:
            try:
                trees.append(individual_of(text, self.primitives, self.shape, self.limits))
            except ValueError as error:
                refused.append((text, shorten(str(error), _LONGEST_REASON)))
        return replace(answer, refused=tuple(refused)), trees[: asked.wanted]

    def _ask(self, name: str, request: str) -> str:
        """Return the line that the program answers."""
        seconds = self.settings.seconds
        command = self.commands[name]
        command.check()
        surroundings = Surroundings("off", self.settings.environment)
        process = ForeignProcess(command.words, _LIMITS, surroundings=surroundings)
        try:
            process.send(request, is_last=True)
            return process.line(time.monotonic() + seconds, f"gave no answer in {seconds:g} s")
        finally:
            process.end()

    def _check_goes_on(self, answer: Proposed) -> None:
        most = self.settings.failures
        if most and answer.failures >= most:
            times = "once" if answer.failures == 1 else f"{answer.failures} times in a row"
            raise RunError(
                f"variation.operators.{answer.operator}: the program had no answer {times}: "
                f"{answer.reason} - mend it and resume the run, or set proposals.failures = 0 to "
                "go on without its trees"
            )


def answer_of(proposed: Proposed) -> KnownAnswer:
    """Return the answer of a generation as the key `proposals.answers` has it."""
    return KnownAnswer(
        request=proposed.request,
        texts=proposed.texts,
        failures=proposed.failures,
        reason=proposed.reason,
    )


def _read(line: str) -> tuple[tuple[str, ...], float]:
    """Return the texts and the cost in an answer; `ValueError` says what is wrong with it."""
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        raise ValueError(f"answered what is no JSON: {shorten(line, 80)!r}") from None
    if not isinstance(data, dict) or not isinstance(data.get("trees"), list):
        raise ValueError('answered JSON without a list of texts: {"trees": ["...", ...]}')
    cost = data.get("cost", 0)
    is_number = isinstance(cost, int | float) and not isinstance(cost, bool)
    if not is_number or not math.isfinite(cost) or cost < 0:
        raise ValueError(f"answered a cost that is no number from 0: {shorten(str(cost), 40)}")
    return tuple(
        text if isinstance(text, str) else json.dumps(text) for text in data["trees"]
    ), cost
