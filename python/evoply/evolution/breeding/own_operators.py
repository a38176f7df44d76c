"""Operators that a user writes, as a config names them: what they return is checked.

Errors name the operator.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from evoply import _native, gp
from evoply._native import Stream
from evoply.configs.own_code import OwnCode, qualified_name
from evoply.configs.own_command import OwnCommand
from evoply.configs.part import fields_of
from evoply.evolution.config.breeding import IndividualShape, Variation
from evoply.evolution.individuals import Individual
from evoply.evolution.operators import Operator
from evoply.games import game_rules
from evoply.gp import Forest, Limits, Tree, TreeError

# What an operator may ask for: its parents with their fitness, and values of nodes on boards.
#
# An operator asks by a keyword-only parameter `parents`: `(tree, limits, stream, *, parents)`.

SAMPLE_BOARDS = 64
"""Boards on which operators may ask for values."""


@dataclass(frozen=True, slots=True, eq=False)
class SampleBoards:
    """Random boards of the game, the same for all offspring of a generation, and known values.

    The first question values all nodes of *population*, and each new tree is valued once; so the
    kernel is called for batches, whatever operators ask for.
    """

    game: str
    stream: Stream
    population: tuple[gp.Genotype, ...] = ()
    _known: dict[gp.Genotype, NDArray[np.float64]] = field(default_factory=dict)

    def values(self, trees: Sequence[gp.Genotype]) -> list[NDArray[np.float64]]:
        """Return the values of the nodes of *trees*: see `Parents.values`."""
        if any(tree not in self._known for tree in trees):
            wanted = list(dict.fromkeys([*trees, *(() if self._known else self._plain())]))
            rules = game_rules(self.game)
            positions = _native.Positions.random(
                rules.kernel, SAMPLE_BOARDS, self.stream.key, 0, rules.late_ply
            )
            new = [tree for tree in wanted if tree not in self._known]
            for tree, values in zip(new, gp.node_values(new, self.game, positions), strict=True):
                values.setflags(write=False)
                self._known[tree] = values
        return [self._known[tree] for tree in trees]

    def _plain(self) -> Iterable[gp.Genotype]:
        return (tree for tree in self.population if isinstance(tree, gp.Tree))


@dataclass(frozen=True, slots=True, eq=False)
class Parents:
    """The parents of an offspring: one of a mutation, two of a recombination."""

    individuals: tuple[Individual, ...]
    """With fitness, cases and the whole individual, of which an operator may get one tree."""
    boards: SampleBoards

    @property
    def fitness(self) -> tuple[float, ...]:
        """Return the fitness of each, maximised."""
        return tuple(individual.fitness for individual in self.individuals)

    def values(self, *trees: gp.Genotype) -> list[NDArray[np.float64]]:
        """Return the value of every node of each tree on 64 boards, shape (nodes, boards).

        The boards are random positions of the game as the side to move sees them, the same for all
        offspring of a generation. NaN marks sets of squares and nodes that are never computed; a
        truth is 0 or 1. Ask for several trees at once: the kernel values them in one call.
        """
        return self.boards.values(trees)


@cache
def _asks(function: Callable[..., Any]) -> bool:
    parameter = inspect.signature(function).parameters.get("parents")
    return parameter is not None and parameter.kind is parameter.KEYWORD_ONLY


def answered(function: Callable[..., Any], parents: Parents) -> Callable[..., Any]:
    """Return *function* with its *parents* if it asks for them."""
    return partial(function, parents=parents) if _asks(function) else function


_Genotype = TypeVar("_Genotype", bound=gp.Genotype)

OwnOperator: TypeAlias = gp.Mutation | gp.Recombination | Operator | Callable[..., Any]
"""A mutation `(tree, limits, stream)`, a recombination `(first, second, limits, stream)`, or a row
as `evoply.evolution.OPERATORS` has them, whose usual rate counts where a config gives none."""


@dataclass(frozen=True, slots=True)
class OwnOperators:
    """The operators of the user that a config names."""

    rows: Mapping[str, OwnOperator] = field(default_factory=dict)
    """Those in Python, by their names in the config's `variation.operators`."""
    commands: Mapping[str, OwnCommand] = field(default_factory=dict)
    """Those that are programs, by theirs: `evoply.evolution.breeding.proposals` asks them."""

    @classmethod
    def of(cls, variation: Variation) -> OwnOperators:
        """Return the operators of *variation*; their files are imported now, `ValueError` else."""
        commands = variation.commands
        return cls(
            {
                name: _operator(name, text)
                for name, text in variation.operators.items()
                if name not in commands
            },
            {name: OwnCommand.from_text(text) for name, text in commands.items()},
        )

    def completed(self, variation: Variation) -> Variation:
        """Return *variation* with the usual rates of operators that have no rate in it."""
        custom = variation.custom
        usual = {
            name: own.rate
            for name, own in self.rows.items()
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

    def check(self, variation: Variation, individual: IndividualShape) -> None:
        """Raise ValueError unless these are all operators of *variation*, and fit *individual*."""
        variation = self.completed(variation)
        custom = variation.custom
        missing = sorted(set(custom) - {*self.rows, *self.commands})
        if missing:
            raise ValueError(
                f"the config's variation.custom names the operator {missing[0]!r}: write where it "
                f'is, variation.operators.{missing[0]} = "python:FILE.py:NAME", or give it as '
                f"evolve(config, operators={{{missing[0]!r}: ...}})"
            )
        unused = sorted(set(self.rows) - set(custom))
        if unused:
            raise ValueError(
                f"the operator {unused[0]!r} has no rate: set variation.custom.{unused[0]}"
            )
        for name in self.rows:
            row = self._row(name)
            if row.individuals and individual.kind not in row.individuals:
                raise ValueError(
                    f"the operator {name!r} is for individuals of kind "
                    f"{' or '.join(row.individuals)}, not {individual.kind}"
                )
        if custom and variation.recombination.pairing == "population":
            raise ValueError(
                "operators of your own have no place with variation.recombination.pairing = "
                '"population"'
            )

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

    def _function(self, name: str) -> Callable[..., Any]:
        function = self._row(name).function
        if function is None:
            raise ValueError(f"the operator {name!r} has no function")
        return function

    def _row(self, name: str) -> Operator:
        own = self.rows[name]
        return own if isinstance(own, Operator) else Operator(name, own, "")


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


def _operator(name: str, text: str) -> OwnOperator:
    code = OwnCode.from_text(text)
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
