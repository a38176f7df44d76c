"""Parts of a run that its user writes in Python: fitness, operators, selection, survival.

They are arguments of `evolve`, or a config names them as `python:FILE.py:NAME`. Of arguments a run
folder records names and checksums of their source, so that resuming can ask for the same again, and
how a config would name them, so that an experiment can. This module checks what they return, with
errors that name the part.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Literal, TypeAlias, TypeVar

from evoply import gp
from evoply._native import Stream
from evoply.configs.part import fields_of
from evoply.evolution.breeding.sample_boards import Parents, answered
from evoply.evolution.choosing import ChoiceKeys, Choose, OwnChoice, checked_choice
from evoply.evolution.config.breeding import Demes, SteadyState, Variation
from evoply.evolution.fitness.contract import FitnessKind, Task
from evoply.evolution.fitness.own import OwnFitness, PythonFitness, kind_of, named_fitness
from evoply.evolution.operators import Operator
from evoply.gp import Forest, Limits, Tree, TreeError
from evoply.own_code import OwnCode, named, qualified_name
from evoply.runs.user_sources import source_identity

_Genotype = TypeVar("_Genotype", bound=gp.Genotype)

OwnOperator: TypeAlias = gp.Mutation | gp.Recombination | Operator | Callable[..., Any]
"""A mutation `(tree, limits, stream)`, a recombination `(first, second, limits, stream)`, or a row
as `evoply.evolution.OPERATORS` has them, whose usual rate counts where a config gives none."""


@dataclass(frozen=True, slots=True)
class PythonParts:
    """The Python code of the user in a run."""

    fitness: OwnFitness | None = None
    operators: Mapping[str, OwnOperator] = field(default_factory=dict)
    """Operators by their names in the config's `variation.custom`."""
    selection: Choose | None = None
    """Chooses parents in place of the config's selection."""
    survival: Choose | None = None
    """Chooses survivors in place of the config's survival."""

    def of(
        self,
        variation: Variation,
        measure: FitnessKind,
        selection: ChoiceKeys,
        survival: ChoiceKeys,
    ) -> PythonParts:
        """Return these parts and those that a config names, whose files are imported now.

        Raises `ValueError` if one of them cannot be had, or is given twice.
        """
        from_config: dict[str, OwnOperator] = {}
        for name, code in variation.operators.items():
            if name in self.operators:
                raise ValueError(
                    f"variation.operators.{name} is given as an argument, too: leave one out"
                )
            from_config[name] = _operator(name, OwnCode.from_text(code))
        is_own = isinstance(measure, PythonFitness)
        if is_own and self.fitness is not None:
            raise ValueError(
                "fitness.measure names a fitness in Python, and another one is given as an "
                "argument: leave one of them out"
            )
        fitness = measure.resolved() if is_own else self.fitness
        for what, keys in (("selection", selection), ("survival", survival)):
            if isinstance(keys, OwnChoice):
                if getattr(self, what) is not None:
                    raise ValueError(f"{what} is given as an argument, too: leave one out")
                keys.resolved(what)
        operators = {**self.operators, **from_config}
        return PythonParts(fitness, operators, self.selection, self.survival)

    def completed(self, variation: Variation) -> Variation:
        """Return *variation* with the usual rates of operators that have no rate in it."""
        custom = variation.custom
        usual = {
            name: own.rate
            for name, own in self.operators.items()
            if isinstance(own, Operator) and name not in custom
        }
        if not usual:
            return variation
        rates = {**variation.rates, **usual}
        if sum(rates.values()) > 1 + 1e-9:
            raise ValueError(
                f"with the usual rates of your operators all rates add up to "
                f"{sum(rates.values()):.6g}, more than 1: set lower ones in variation"
            )
        return Variation(**{**fields_of(variation), "custom": {**custom, **usual}})

    def check(
        self,
        variation: Variation,
        task: Task,
        choices: Mapping[str, ChoiceKeys],
        demes: Demes | None,
        steady_state: SteadyState | None,
    ) -> None:
        """Raise ValueError unless these are the operators of *variation*, and all parts fit.

        *choices* are the config's selection and survival by these names.
        """
        variation = self.completed(variation)
        custom = variation.custom
        missing = sorted(set(custom) - set(self.operators))
        if missing:
            raise ValueError(
                f"the config's variation.custom names the operator {missing[0]!r}: write where it "
                f'is, variation.operators.{missing[0]} = "python:FILE.py:NAME", or give it as '
                f"evolve(config, operators={{{missing[0]!r}: ...}})"
            )
        unused = sorted(set(self.operators) - set(custom))
        if unused:
            raise ValueError(
                f"the operator {unused[0]!r} has no rate: set variation.custom.{unused[0]}"
            )
        for name in self.operators:
            row = self._row(name)
            if row.individuals and task.individual.kind not in row.individuals:
                raise ValueError(
                    f"the operator {name!r} is for individuals of kind "
                    f"{' or '.join(row.individuals)}, not {task.individual.kind}"
                )
        if custom and variation.recombination.pairing == "population":
            raise ValueError(
                "operators of your own have no place with variation.recombination.pairing = "
                '"population"'
            )
        if self.fitness is not None:
            _check_fitness(kind_of(self.fitness), task, choices)
        self._check_choices(demes, steady_state)
        if self.survival is not None and choices["survival"].kind == "map":
            raise ValueError(
                "survival: a function of your own takes the place of the map - leave it out, or "
                "leave survival out of the config"
            )

    def _check_choices(self, demes: Demes | None, steady_state: SteadyState | None) -> None:
        """Raise TypeError or ValueError unless selection and survival are functions that fit."""
        for what in ("selection", "survival"):
            own = getattr(self, what)
            if own is None:
                continue
            if not callable(own):
                raise TypeError(
                    f"{own!r:.60} is no {what}: give a function of candidates, count and stream"
                )
            if steady_state is not None:
                raise ValueError(f"a {what} of your own has no place with steady_state")
        if self.survival is not None and demes is not None:
            raise ValueError("a survival of your own has no place with demes")

    def choice(self, what: Literal["selection", "survival"]) -> Choose | None:
        """Return the user's selection or survival, whose answers are checked; None without one."""
        own: Choose | None = getattr(self, what)
        return None if own is None else partial(checked_choice, what, own)

    def kind(self, measure: FitnessKind) -> FitnessKind:
        """Return the user's fitness, or else *measure*, which is the config's."""
        return measure if self.fitness is None else kind_of(self.fitness)

    def takes_two(self, name: str) -> bool:
        """Return whether the operator *name* is a recombination."""
        return _takes_two(self._function(name))

    def offspring(
        self,
        name: str,
        parents: Parents,
        limits: Limits,
        stream: Stream,
    ) -> tuple[gp.Genotype, ...]:
        """Return what the operator *name* makes of its parents, checked against types and limits.

        They are two for a recombination, one for a mutation.
        """
        row, own = self._row(name), self._function(name)
        function = answered(own, parents)
        trees = tuple(parent.tree for parent in parents.individuals)
        if row.takes == "individual":
            return _check_all(name, function(*trees, limits, stream), trees, limits)
        if _takes_two(own):

            def recombine(tree: Tree, other: Tree, room: Limits, draws: Stream) -> tuple[Tree, ...]:
                children = function(tree, other, room, draws)
                return _check_all(name, children, (tree, other), room)

            return gp.recombined(trees[0], trees[1], recombine, limits, stream)

        def mutate(tree: Tree, room: Limits, draws: Stream) -> Tree:
            children: tuple[Tree, ...] = _check_all(
                name, function(tree, room, draws), (tree,), room
            )
            return children[0]

        return (gp.mutated(trees[0], mutate, limits, stream),)

    def identities(self) -> dict[str, dict[str, Any]]:
        """Return name and checksum of each part, as a run folder keeps them."""
        parts: dict[str, Any] = {f"operator {name}": own for name, own in self.operators.items()}
        for what in ("fitness", "selection", "survival"):
            if getattr(self, what) is not None:
                parts[what] = getattr(self, what)
        return {what: identity(part) for what, part in sorted(parts.items())}

    def _function(self, name: str) -> Callable[..., Any]:
        function = self._row(name).function
        if function is None:
            raise ValueError(f"the operator {name!r} has no function")
        return function

    def _row(self, name: str) -> Operator:
        own = self.operators[name]
        return own if isinstance(own, Operator) else Operator(name, own, "")


def _check_fitness(kind: FitnessKind, task: Task, choices: Mapping[str, ChoiceKeys]) -> None:
    for what, keys in choices.items():
        if keys.looks_at is not None and keys.looks_at not in kind.cases:
            raise ValueError(
                f"{what} {keys.kind} looks at single {keys.looks_at}, "
                "which a fitness written in Python does not have"
            )
    for path, message in kind.problems(task):
        raise ValueError(f"the fitness {qualified_name(kind)} does not fit: {path}: {message}")


@cache
def _takes_two(function: Callable[..., Any]) -> bool:
    """Return whether an operator is a recombination, by its parameters without defaults."""
    parameters = [
        parameter
        for parameter in inspect.signature(function).parameters.values()
        if parameter.default is parameter.empty
        and parameter.kind in (parameter.POSITIONAL_ONLY, parameter.POSITIONAL_OR_KEYWORD)
    ]
    if len(parameters) not in (3, 4):
        raise ValueError(
            f"the operator {qualified_name(function)} takes {len(parameters)} arguments: it "
            "must take (tree, limits, stream) or (first, second, limits, stream), and may ask for "
            "its parents by a keyword: *, parents"
        )
    return len(parameters) == 4


def identity(part: Any) -> dict[str, Any]:
    """Return the name of a part, the checksum of its source and settings, and how configs name it.

    The latter is `code` and `settings`, as in `OwnPart`, or `nameless`, which says why not.
    """
    if isinstance(part, Operator):
        settings = repr((part.rate, part.takes, part.individuals))
        source = source_identity(part.function, settings)
    else:
        is_kind = isinstance(part, FitnessKind)
        source = source_identity(part, part.model_dump_json() if is_kind else "")
    try:
        if isinstance(part, FitnessKind):
            return {**source, **named_fitness(part).model_dump(exclude={"kind"})}
        return {**source, "code": str(named(part))}
    except ValueError as error:
        return {**source, "nameless": str(error)}


def _operator(name: str, code: OwnCode) -> OwnOperator:
    found = code.loaded()
    if not callable(found) and not isinstance(found, Operator):
        raise ValueError(
            f"variation.operators.{name}: {code.label} is {found!r:.60}, not a function or an "
            "Operator"
        )
    operator: OwnOperator = found
    return operator


def _check_all(name: str, answer: Any, parents: tuple[Any, ...], limits: Limits) -> tuple[Any, ...]:
    """Return the children of an operator as a tuple, each checked against its parent."""
    children = answer if isinstance(answer, tuple) else (answer,)
    if not 1 <= len(children) <= len(parents):
        raise ValueError(
            f"the operator {name} gave {len(children)} children of {len(parents)} parents"
        )
    return tuple(
        child if child is parent else _check_child(name, child, parent, limits)
        for child, parent in zip(children, parents, strict=False)
    )


def _check_child(name: str, child: Any, parent: _Genotype, limits: Limits) -> _Genotype:
    if type(child) is not type(parent):
        wanted = "a tree" if isinstance(parent, Tree) else "an individual of several trees"
        raise ValueError(f"the operator {name} gave {child!r:.60}, not {wanted}")
    try:
        tree: _Genotype = _check_types(child, parent)
    except TreeError as error:
        raise ValueError(f"the operator {name} gave an impossible tree: {error}") from None
    if len(tree) > limits.max_nodes or tree.depth > limits.max_depth:
        raise ValueError(
            f"the operator {name} gave a tree of {len(tree)} nodes and {tree.depth} levels; "
            f"the limits are {limits.max_nodes} and {limits.max_depth}"
        )
    return tree


def _check_types(child: gp.Genotype, parent: gp.Genotype) -> Any:
    """Return *child* with every tree checked to be of the sets and types of *parent*."""
    trees, parents = gp.branches(child), gp.branches(parent)
    if len(trees) != len(parents):
        raise TreeError(f"it has {len(trees)} trees, not {len(parents)}")
    checked = tuple(
        Tree.checked(old.primitive_set, tree.nodes, root_type=old.type)
        for tree, old in zip(trees, parents, strict=True)
    )
    if isinstance(parent, Tree):
        return checked[0]
    whole = Forest(parent.role, checked, parent.percents)
    if gp.lowered_size(whole) > gp.MAX_OPERATIONS:
        raise TreeError(f"written out it has more than {gp.MAX_OPERATIONS:,} operations")
    return whole
