"""Parts of a run that its user writes in Python: a fitness, and operators.

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
from functools import cache
from typing import Any, TypeAlias, TypeVar

from evoply import gp
from evoply._native import Stream
from evoply.configs.part import fields_of
from evoply.evolution.config.breeding import Selection, Variation
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

    def of(self, variation: Variation, measure: FitnessKind) -> PythonParts:
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
        return PythonParts(fitness, {**self.operators, **from_config})

    def completed(self, variation: Variation) -> Variation:
        """Return *variation* with the usual rates of operators that have no rate in it."""
        custom = variation.custom
        usual = {
            name: operator.rate
            for name, operator in self.operators.items()
            if isinstance(operator, Operator) and name not in custom
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

    def check(self, variation: Variation, selection: Selection, task: Task) -> None:
        """Raise ValueError unless these are the operators that *variation* names, and all fit."""
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
            operator = self._row(name)
            if operator.individuals and task.individual.kind not in operator.individuals:
                raise ValueError(
                    f"the operator {name!r} is for individuals of kind "
                    f"{' or '.join(operator.individuals)}, not {task.individual.kind}"
                )
        if custom and variation.recombination.pairing == "population":
            raise ValueError(
                "operators of your own have no place with variation.recombination.pairing = "
                '"population"'
            )
        if self.fitness is not None:
            _check_fitness(kind_of(self.fitness), selection, task)

    def kind(self, measure: FitnessKind) -> FitnessKind:
        """Return the user's fitness, or else *measure*, which is the config's."""
        return measure if self.fitness is None else kind_of(self.fitness)

    def takes_two(self, name: str) -> bool:
        """Return whether the operator *name* is a recombination."""
        return _takes_two(self._function(name))

    def offspring(
        self,
        name: str,
        first: gp.Genotype,
        second: gp.Genotype,
        limits: Limits,
        stream: Stream,
    ) -> tuple[gp.Genotype, ...]:
        """Return what the operator *name* makes of its parents, checked against types and limits.

        A mutation ignores the second.
        """
        row, function = self._row(name), self._function(name)
        if row.takes == "individual":
            parents = (first, second) if _takes_two(function) else (first,)
            children = function(*parents, limits, stream)
            return _check_all(name, children, parents, limits)
        if _takes_two(function):

            def recombine(tree: Tree, other: Tree, room: Limits, draws: Stream) -> tuple[Tree, ...]:
                children = function(tree, other, room, draws)
                return _check_all(name, children, (tree, other), room)

            return gp.recombined(first, second, recombine, limits, stream)

        def mutate(tree: Tree, room: Limits, draws: Stream) -> Tree:
            children: tuple[Tree, ...] = _check_all(
                name, function(tree, room, draws), (tree,), room
            )
            return children[0]

        return (gp.mutated(first, mutate, limits, stream),)

    def identities(self) -> dict[str, dict[str, Any]]:
        """Return name and checksum of each part, as a run folder keeps them."""
        parts: dict[str, Any] = {
            f"operator {name}": operator for name, operator in self.operators.items()
        }
        if self.fitness is not None:
            parts["fitness"] = self.fitness
        return {what: identity(part) for what, part in sorted(parts.items())}

    def _function(self, name: str) -> Callable[..., Any]:
        function = self._row(name).function
        if function is None:
            raise ValueError(f"the operator {name!r} has no function")
        return function

    def _row(self, name: str) -> Operator:
        own = self.operators[name]
        return own if isinstance(own, Operator) else Operator(name, own, "")


def _check_fitness(kind: FitnessKind, selection: Selection, task: Task) -> None:
    if task.cases is not None and task.cases not in kind.cases:
        raise ValueError(
            f"selection {selection.kind} looks at single {task.cases}, "
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
            "must take (tree, limits, stream) or (first, second, limits, stream)"
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
