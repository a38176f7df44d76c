"""The parts of a config that say what an individual is, and how a population is made and bred.

Reasons: docs/design/expressions.md.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    Field,
    create_model,
    field_validator,
    model_validator,
)

from evoply.configs.own_code import pinned_text
from evoply.configs.own_command import is_own_command, pinned_command
from evoply.configs.part import Part
from evoply.evolution.operators import MUTATIONS_AFTERWARDS, OPERATORS, Operator
from evoply.expressions import PrimitiveSet, definition_sets
from evoply.expressions.shipped_sets import MAX_ARGUMENTS, MAX_DEFINITIONS
from evoply.gp import Limits, Shape
from evoply.gp.sums_of_terms import features_of
from evoply.gp.tree import (
    MAX_BRANCHES,
    MAX_TREE_NODES,
    Role,
    check_percents,
    multiplication,
)
from evoply.gp.variation import Bias
from evoply.players.process_limits import VariableName
from evoply.players.staged import StageClock


class Initialisation(Part):
    """How the trees of generation 0 are made; depths count levels, a single leaf has depth 1."""

    method: Literal["ramped_half_and_half", "ramped_grow", "ramped_full", "grow", "full"] = (
        "ramped_half_and_half"
    )
    """How random trees are made; a ramp makes them over a range of depths, half and half makes both
    kinds. Names are Koza's: what gpjpp calls GROW is *full*, and its VARIABLE is *grow*."""
    min_depth: int = Field(default=2, ge=1, le=20)
    """Smallest depth limit of a ramp."""
    max_depth: int = Field(default=6, ge=1, le=20)
    """Largest depth of a new tree."""
    duplicates: Literal["avoid", "allow", "refuse"] = "avoid"
    """Whether equal trees are drawn again, and whether it is an error if they stay equal."""
    seeds: tuple[str, ...] = Field(default=(), strict=False, max_length=100_000)
    """Players whose trees begin the first population: files of saved players, or trees as text."""

    @model_validator(mode="after")
    def _depths_in_order(self) -> Initialisation:
        if self.min_depth > self.max_depth:
            raise ValueError(f"min_depth {self.min_depth} is above max_depth {self.max_depth}")
        return self


class LengthPenalty(Part):
    """Every node costs `coefficient` of fitness; the stored fitness is what remains."""

    kind: Literal["length"] = "length"
    coefficient: float = Field(default=0.001, gt=0)
    """Cost of a node, in the unit of the fitness; gpjpp's is 1 / 1000."""


class Tarpeian(Part):
    """An individual longer than the mean is kept from selection with `probability` (Poli 2003)."""

    kind: Literal["tarpeian"] = "tarpeian"
    probability: float = Field(default=0.3, gt=0, le=1)
    """How often an individual longer than the mean is kept from selection."""


class Covariant(Part):
    """Selection sees the fitness without the part that length explains (Poli & McPhee 2008)."""

    kind: Literal["covariant"] = "covariant"


Parsimony = Annotated[LengthPenalty | Tarpeian | Covariant, Field(discriminator="kind")]


class Recombination(Part):
    """How crossover works."""

    points: Literal["biased", "uniform", "gpjpp"] = "biased"
    """How points are drawn: a function with `function_bias`, any node, or any node with up to
    min(length, 10) redraws of a terminal."""
    function_bias: float = Field(default=0.9, ge=0, le=1)
    """Probability that a point is a function (points = "biased" only)."""
    children: int = Field(default=1, ge=1, le=2)
    """Offspring of one crossover. With 2, rates are shares of events, not of the population."""
    one_way: Literal["never", "fitter", "fitter_or_equal"] = "never"
    """When the first parent gives a subtree and takes none: if it is fitter than the second
    (Benbassat & Sipper, Algorithm 1), or at least as fit. The first parent then stays as it is."""
    pairing: Literal["couples", "population"] = "couples"
    """Who crosses over: two parents that were selected for a place; or as many selected individuals
    as there are places, each taking part with the rate of crossover, in random pairs (Benbassat &
    Sipper, Algorithm 1)."""
    tries: int = Field(default=50, ge=1, le=10_000)
    """How many pairs of points are tried before the parents are copied."""

    @property
    def bias(self) -> Bias:
        """How `evoply.gp` draws points: see `points`."""
        if self.points == "gpjpp":
            return "gpjpp"
        return self.function_bias if self.points == "biased" else None


if TYPE_CHECKING:  # what the type checker cannot read from the table

    class _Rates(Part):
        def __getattr__(self, operator: str) -> float: ...

    _AfterwardsRates = _Rates
else:

    def _rate(operator: Operator, usual: float) -> tuple[Any, Any]:
        return float, Field(default=usual, ge=0, le=1, description=operator.meaning)

    _Rates = create_model(
        "_Rates",
        __base__=Part,
        **{operator.name: _rate(operator, operator.rate) for operator in OPERATORS},
    )
    _AfterwardsRates = create_model(
        "_AfterwardsRates",
        __base__=Part,
        **{afterward.name: _rate(afterward, 0.0) for afterward in MUTATIONS_AFTERWARDS},
    )


class Afterwards(_AfterwardsRates):
    """Mutations that any offspring but an elite meets after its operator, in this order.

    Each has its own probability, whatever the others did, or with `at_most_one` its share of one.
    """

    at_most_one: bool = False
    """Whether one draw decides for all mutations: the rates, which add up to 1 at most, are then
    shares of the offspring, and no offspring mutates twice (Benbassat & Sipper)."""

    if TYPE_CHECKING:

        def __init__(self, **rates: float) -> None: ...

    @model_validator(mode="after")
    def _rates_of_one_are_shares(self) -> Afterwards:
        total = sum(rate for _, rate in self.probabilities)
        if self.at_most_one and total > 1 + 1e-9:
            raise ValueError(f"the rates add up to {total:g}, and with at_most_one to 1 at most")
        return self

    @cached_property
    def probabilities(self) -> tuple[tuple[str, float], ...]:
        """Return the mutations that can happen, in order, with their probabilities."""
        rates = (
            (afterward.name, getattr(self, afterward.name)) for afterward in MUTATIONS_AFTERWARDS
        )
        return tuple((name, rate) for name, rate in rates if rate > 0)


def _own_operator(text: str) -> str:
    return pinned_command(text) if is_own_command(text) else pinned_text(text)


OwnOperatorText = Annotated[str, AfterValidator(_own_operator)]


class Variation(_Rates):
    """How often each operator makes an offspring.

    The rates are probabilities; what they lack to 1 is added to `reproduction` (a selected
    parent is copied). A sum above 1 is refused.
    """

    if TYPE_CHECKING:

        def __init__(self, **rates: Any) -> None: ...

    custom: dict[str, float] = Field(default={})
    """Rates of your own operators, by their names in `operators` or `evolve(operators=...)`."""
    operators: dict[str, OwnOperatorText] = Field(default={})
    """Your own operators, each as `python:FILE.py:NAME`; one without a rate in `custom` needs a
    usual rate, as rows of `OPERATORS` have. `command:PROGRAM` is a program that proposes trees."""
    afterwards: Afterwards = Afterwards()
    recombination: Recombination = Recombination()

    @property
    def commands(self) -> dict[str, str]:
        """Return the operators that are programs of the user, by name."""
        return {name: text for name, text in self.operators.items() if is_own_command(text)}

    @cached_property
    def rates(self) -> dict[str, float]:
        """Return the rate of every operator, in the order in which they are drawn."""
        return {
            **{operator.name: getattr(self, operator.name) for operator in OPERATORS},
            **self.custom,
        }

    @model_validator(mode="after")
    def _rates_are_shares(self) -> Variation:
        wrong = [name for name, rate in self.custom.items() if not 0 <= rate <= 1]
        if wrong:
            raise ValueError(f"custom: {wrong[0]!r} is {self.custom[wrong[0]]:g}, not in [0, 1]")
        taken = sorted(set(self.custom) & set(type(self).model_fields))
        if taken:
            raise ValueError(f"custom: {taken[0]!r} is an operator already")
        rates = self.rates
        total = sum(rates.values())
        if total > 1 + 1e-9:
            terms = " + ".join(f"{name} {rate:g}" for name, rate in rates.items() if rate)
            raise ValueError(f"{terms} is {total:.6g}, more than 1")
        return self


class SizeLimits(Part):
    """What no individual of the population may exceed."""

    max_depth: int = Field(default=17, ge=1, le=100)
    """Levels of a tree, the root included."""
    max_nodes: int = Field(default=200, ge=1, le=4096)
    """Nodes of an individual, over all its trees."""
    oversized: Literal["refuse", "prune"] = "refuse"
    """What happens to an offspring with too many nodes: it is not made, or it is cut, which
    replaces functions by their rightmost terminals (Frankland & Pillay)."""

    @property
    def of_trees(self) -> Limits:
        """The limits of one individual, as operators take them."""
        return Limits(self.max_depth, self.max_nodes)

    @property
    def of_offspring(self) -> Limits:
        """The limits of operators: where offspring are cut later, only those of any tree."""
        nodes = self.max_nodes if self.oversized == "refuse" else MAX_TREE_NODES
        return Limits(self.max_depth, nodes)


class Demes(Part):
    """Groups within which parents are selected; neighbours exchange individuals (gpjpp).

    After each generation, with `migration`, every deme swaps a selected individual with one of
    the next deme; the last one's next is the first.
    """

    size: int = Field(default=100, ge=2)
    """Individuals of a deme; the population is a whole number of demes."""
    migration: float = Field(default=1.0, ge=0, le=1)
    """Probability that a deme swaps an individual with the next one."""


class SteadyState(Part):
    """Offspring replace bad individuals at once; a generation replaces as many as there are.

    Individuals to replace are drawn as parents are, but for being bad. The best `elitism`
    individuals are never replaced. Survivors keep the fitness of the games they once played.
    """

    batch: int = Field(default=2, ge=1)
    """Offspring that are made and play together; 2 is gpjpp's, more is faster."""


class Refit(Part):
    """Now and then the numbers of the best individuals are fitted to what a teacher says.

    A player that chooses a move with the probability softmax(its values) loses some of the
    teacher's units, of `strong` discs, a move: the numbers become those with the least expected
    loss, in positions of noisy games of the teacher, made once a run. The fitted individuals are
    offspring of the next generation, beside the elites: games decide whether they stay. For
    individuals of kind `terms`.
    """

    every: int = Field(default=5, ge=1, le=100_000)
    """Generations from one time to the next."""
    best: int = Field(default=3, ge=1, le=1000)
    """How many individuals are fitted: the best that differ in the features of their terms."""
    first: int = Field(default=0, ge=0, le=1000)
    """How many individuals of the first population have terms that labels recommend, chosen one
    after another from a random half of the features; fewer where seeds leave no room."""
    new_terms: bool = False
    """Whether each of them has a second fitted offspring, with one of the terms by which the loss
    falls fastest; at the most terms, in place of the one that counts least."""
    teacher: str = Field(default="strong:depth=1,guard=no", min_length=1, max_length=100_000)
    """A player that values boards."""
    players: tuple[str, ...] = Field(default=(), strict=False, max_length=100)
    """Who plays in the games beside the teacher, all against each other: what the teacher alone
    would never meet is then labelled, too."""
    games: int = Field(default=100, ge=1, le=1_000_000)
    """Games whose positions are labelled."""
    random_moves: float = Field(default=0.1, ge=0, le=1)
    """Probability that a move in them is random."""


class KnownAnswer(Part):
    """What a program answered when it was asked for trees."""

    request: str = Field(pattern="^[0-9a-f]{64}$")
    """The SHA-256 of what it was asked."""
    texts: tuple[str, ...] = Field(default=(), strict=False, max_length=1_000_000)
    """The trees that it proposed."""
    failures: int = Field(default=0, ge=0)
    """How many requests in a row, this one included, had no answer; 0 if it has one."""
    reason: str = ""
    """Why it has no answer."""


class Proposals(Part):
    """How programs are asked for trees that `variation.operators` names as `command:PROGRAM`.

    Each is begun once a generation, gets a line of JSON and answers one; docs/add-an-operator.md
    has both. Where it gives too few trees that are right, selected parents are copied.
    """

    shown: int = Field(default=20, ge=1, le=1000)
    """How many of the best trees a program is shown, with their fitness."""
    seconds: float = Field(default=60.0, ge=0.1, le=86_400)
    """How long an answer may take."""
    failures: int = Field(default=3, ge=0, le=1000)
    """The run stops when so many requests in a row have no answer; it can be resumed. 0: never."""
    environment: tuple[VariableName, ...] = Field(default=(), strict=False, max_length=100)
    """Variables of the environment that programs get besides PATH, HOME and LANG."""
    answers: tuple[KnownAnswer, ...] = Field(default=(), strict=False, max_length=1_000_000)
    """Answers of an earlier run, taken where the same is asked: the program is then not needed.
    `evoply evolve --proposals-of RUN` writes them."""


class Termination(Part):
    """When a run is good enough to end before its limits, and how many such runs are wanted."""

    fitness: float
    """Training fitness that ends the run once the best is better: below it where fitness is
    minimised (discs), above it elsewhere."""
    good_runs: int = Field(default=0, ge=0, le=1_000_000)
    """`evoply evolve` makes runs with the seeds that follow until this many ended well; 0: one run,
    however it ends."""


# The part of a config that says what an individual is: one tree, or several and how they join.


class OneTree(Part):
    """An individual is a tree."""

    kind: Literal["tree"] = "tree"


class TreeSum(Part):
    """Several trees whose values are added (Benbassat & Sipper, "multi-tree individuals")."""

    kind: Literal["sum"] = "sum"
    trees: int = Field(default=2, ge=1, le=MAX_BRANCHES)
    """How many trees."""


class TermSum(Part):
    """A sum of terms: each a number times features, the terminals of the set that give numbers.

    Numbers change in proportion. For these individuals crossover exchanges terms, subtree mutation
    adds, drops or replaces one or changes its features, point mutation changes a number or a
    feature, constant mutation some of the numbers.
    """

    kind: Literal["terms"] = "terms"
    most: int = Field(default=12, ge=1, le=MAX_BRANCHES)
    """How many terms at most; an individual may have fewer."""
    factors: int = Field(default=2, ge=1, le=4)
    """How many features may be multiplied in a term."""


class _Parts(Part):
    """A tree for each part of the game."""

    kind: str
    percents: tuple[int, ...] = Field(default=(50, 50), strict=False)
    """Shares of the game, whole percentages that add up to 100."""

    @field_validator("percents")
    @classmethod
    def _fill_the_game(cls, percents: tuple[int, ...]) -> tuple[int, ...]:
        if not 1 <= len(percents) <= MAX_BRANCHES:
            raise ValueError(f"an individual has 1 to {MAX_BRANCHES} trees, not {len(percents)}")
        check_percents(percents, len(percents))
        return percents


class Phases(_Parts):
    """A tree for each part of the game, by the clock of the evaluated board."""

    kind: Literal["phases"] = "phases"


class Stages(_Parts):
    """A tree for each part of the game, by the clock where the player chooses (Liao)."""

    kind: Literal["stages"] = "stages"
    clock: StageClock = "pieces"
    """What the game's shares are measured in: the pieces placed, or the plies played, which
    include forced passes; both as shares of the squares that are empty at the start."""


class Definitions(Part):
    """A tree and the functions that it may call: automatically defined functions (Koza 1994)."""

    kind: Literal["adf"] = "adf"
    arities: tuple[int, ...] = Field(
        default=(2,), strict=False, min_length=1, max_length=MAX_DEFINITIONS
    )
    """How many arguments ADF0, ADF1, ... have; a definition may call earlier ones."""

    @field_validator("arities")
    @classmethod
    def _are_few(cls, arities: tuple[int, ...]) -> tuple[int, ...]:
        for arity in arities:
            if not 1 <= arity <= MAX_ARGUMENTS:
                raise ValueError(f"a definition has 1 to {MAX_ARGUMENTS} arguments, not {arity}")
        return arities


class Ordered(Part):
    """A tree that values boards, and one that only orders moves."""

    kind: Literal["ordered"] = "ordered"


IndividualShape = Annotated[
    OneTree | TreeSum | TermSum | Phases | Stages | Definitions | Ordered,
    Field(discriminator="kind"),
]


def shape_of(individual: IndividualShape, primitives: PrimitiveSet) -> Shape | None:
    """Return how individuals of several trees over *primitives* are made; None for single trees."""
    match individual:
        case TreeSum(trees=trees):
            return Shape("sum", (primitives,) * trees)
        case TermSum(most=most, factors=factors):
            features_of(primitives)
            multiplication(primitives)
            return Shape("terms", (primitives,), most=most, factors=factors)
        case Phases(percents=percents):
            return Shape("phases", (primitives,) * len(percents), percents)
        case Stages(percents=percents, clock=clock):
            role: Role = "stages" if clock == "pieces" else "ply_stages"
            return Shape(role, (primitives,) * len(percents), percents)
        case Definitions(arities=arities):
            return Shape("adf", definition_sets(primitives, arities, with_terminals=True))
        case Ordered():
            return Shape("ordered", (primitives,) * 2)
        case _:
            return None
