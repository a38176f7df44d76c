"""Players as data: small frozen models that the kernel runs, tagged by `kind`.

A player chooses moves by itself; which game it plays is told when it is made `native`. Players
written in Python need no model: any object with `choose(position) -> move` is one
(`evoply.protocols.Player`).
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from evoply import _native
from evoply.expressions import (
    PRIMITIVE_SETS,
    Expression,
    Primitive,
    PrimitiveSet,
    Squares,
    find_primitive_set,
    from_dict,
    outputs_to_json,
)
from evoply.games import game_rules
from evoply.games.checkers import CHECKERS
from evoply.gp.forest import Forest, Individual, base_set, branches, is_ordered, value_of
from evoply.gp.individual_text import parse_individual
from evoply.gp.lowering import lower
from evoply.gp.tree import Tree
from evoply.notebook import table_html
from evoply.players.problems import refusal
from evoply.wording import shorten

MAX_DEPTH = 60
MAX_NODES = 10**12
MAX_WORK = 10**15
MAX_TIME = 86_400.0
MAX_TABLE = 22
MAX_NOISE = 1000
LONGEST_LABEL = 60
NOT_REPRODUCIBLE = " (not reproducible)"
LONGEST_NAME = 200
DEFAULT_PRIMITIVES = "liao+mobility"

Ties = Literal["first", "last", "random"]
View = Literal["turn", "player"]
Ordering = Literal["none", "hash", "evaluator", "killer", "tree"]
Alternate = Literal["game", "move", "leaf"]
Noise = Literal["uniform"] | Annotated[int, Field(ge=1, le=MAX_NOISE, strict=True)]
Division = Literal["one", "zero", "numerator", "ieee"]


class _Model(BaseModel):
    model_config = ConfigDict(
        frozen=True, extra="forbid", allow_inf_nan=False, arbitrary_types_allowed=True
    )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self}>"

    def __str__(self) -> str:
        return str(getattr(self, "label", ""))

    def __hash__(self) -> int:
        # Fields may hold plain JSON, which has no hash of its own.
        return hash(self.model_dump_json())

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, **data: Any) -> None:
            """Check *data*; raise ValueError in words for users, without those of pydantic."""
            try:
                super().__init__(**data)
            except ValidationError as error:
                raise refusal(error) from None

        # Models inside models and files go past this constructor: they need every path.
        __init__.__pydantic_base_init__ = True


class TreeEvaluator(_Model):
    """A genetic program: the text of a tree, and the primitives it is written in.

    *primitives* is the name of a set or, in saved players, the set itself as data. *division*
    replaces what `/` gives for a zero divisor; *lenient* is `parse_tree`'s. A `PrimitiveSet` may
    be given for *primitives*, and a `Tree`, which knows its primitives, for *tree*. Instead of a
    tree it may be any individual that `evoply.gp.parse_individual` reads, or a `Forest`.

    >>> TreeEvaluator(tree="( + aa bb )", primitives=PRIMITIVE_SETS["letters"]).primitives
    'letters'
    """

    kind: Literal["tree"] = "tree"
    tree: str
    primitives: str | dict[str, Any] = DEFAULT_PRIMITIVES
    division: Division | None = None
    lenient: Literal["drop", "variadic"] | None = None

    @field_validator("primitives")
    @classmethod
    def _known_primitives(cls, primitives: str | dict[str, Any]) -> str | dict[str, Any]:
        _read_primitives(primitives)
        return primitives

    if TYPE_CHECKING:

        def __init__(
            self,
            *,
            kind: Literal["tree"] = "tree",
            tree: str | Individual,
            primitives: str | PrimitiveSet | dict[str, Any] = DEFAULT_PRIMITIVES,
            division: Division | None = None,
            lenient: Literal["drop", "variadic"] | None = None,
        ) -> None: ...

    @model_validator(mode="before")
    @classmethod
    def _as_data(cls, data: object) -> object:
        if not isinstance(data, dict):
            return data
        data = dict(data)
        if isinstance(tree := data.get("tree"), Tree | Forest):
            data = {"primitives": base_set(tree), **data, "tree": str(tree)}
        if isinstance(data.get("primitives"), PrimitiveSet):
            data["primitives"] = _written_primitives(data["primitives"])
        return data

    def model_post_init(self, context: Any, /) -> None:
        """Read the tree now, so that an evaluator that exists is a valid one."""
        _ = self.parsed

    @cached_property
    def primitive_set(self) -> PrimitiveSet:
        """The primitives, with the division asked for."""
        primitives = _read_primitives(self.primitives)
        return primitives if self.division is None else primitives.with_division(self.division)

    @cached_property
    def parsed(self) -> Individual:
        """The tree itself, or the individual of several branches."""
        return parse_individual(self.tree, self.primitive_set, self.lenient)

    @property
    def label(self) -> str:
        """The tree on one line, cut if it is long."""
        return shorten(" ".join(self.tree.split()), LONGEST_LABEL)

    @property
    def options(self) -> list[str]:
        """What is unusual about how the tree is read, as options of a player's text."""
        named = self.primitives if isinstance(self.primitives, str) else DEFAULT_PRIMITIVES
        chosen = (
            ("primitives", None if named == DEFAULT_PRIMITIVES else named),
            ("division", self.division),
            ("lenient", self.lenient),
        )
        return [f"{option}={value}" for option, value in chosen if value is not None]

    def program(self, game: str) -> _native.Program:
        """Return the kernel's form for *game*; `ValueError` if a primitive does not fit.

        A tree that orders moves is no part of it.
        """
        return lower([value_of(self.parsed)], game)[0]

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if a primitive of the tree needs another board than *game*'s."""
        size = game_rules(game).size
        nodes = {node.name: node for tree in branches(self.parsed) for node in tree.nodes}
        for node in nodes.values():
            if isinstance(node, Primitive):
                node.check_fits(size)

    def self_contained(self) -> TreeEvaluator:
        """Return the same evaluator with its primitives, where only named, as data."""
        return TreeEvaluator(tree=str(self.parsed), primitives=self.primitive_set.to_dict())


def _read_primitives(primitives: str | dict[str, Any]) -> PrimitiveSet:
    if isinstance(primitives, str):
        return find_primitive_set(primitives)
    return PrimitiveSet.from_dict(primitives)


def _written_primitives(primitives: PrimitiveSet) -> str | dict[str, Any]:
    """Return the name of a set that comes with evoply, any other as data."""
    if PRIMITIVE_SETS.get(primitives.name) == primitives:
        return primitives.name
    return primitives.to_dict()


def _written(expression: object) -> object:
    return expression.to_dict() if isinstance(expression, Expression) else expression


class ExpressionEvaluator(_Model):
    """A board expression, given as an `Expression` or in its written form."""

    kind: Literal["expression"] = "expression"
    expression: Annotated[dict[str, Any], BeforeValidator(_written)]

    def model_post_init(self, context: Any, /) -> None:
        """Read the expression now, so that an evaluator that exists is a valid one."""
        if isinstance(self.parsed, Squares):
            raise ValueError("a set of squares is not a value: use count(...) of it")

    @cached_property
    def parsed(self) -> Expression:
        """The expression itself."""
        return from_dict(self.expression)

    @property
    def label(self) -> str:
        """The formula, cut if it is long."""
        return shorten(str(self.parsed), LONGEST_LABEL)

    @property
    def options(self) -> list[str]:
        """Nothing: a formula is read in one way."""
        return []

    def program(self, game: str) -> _native.Program:
        """Return the kernel's form for *game*; `ValueError` if it does not fit the board."""
        return _native.Program(game, self.parsed.to_json(game_rules(game).size))

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the expression needs another board than *game*'s."""
        self.parsed.to_dict(game_rules(game).size)

    def self_contained(self) -> ExpressionEvaluator:
        """Return the evaluator itself: it names nothing."""
        return self


Evaluator = Annotated[TreeEvaluator | ExpressionEvaluator, Field(discriminator="kind")]
# A name is shown in terminals: control characters in it could do anything there.
Name = Annotated[
    str, Field(min_length=1, max_length=LONGEST_NAME, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")
]


class RandomPlayer(_Model):
    """Chooses uniformly among the legal moves."""

    kind: Literal["random"] = "random"
    name: Name | None = None

    @property
    def reproducible(self) -> bool:
        """Always: draws come from the key of the game."""
        return True

    @property
    def label(self) -> str:
        """The name, or "random"."""
        return self.name or "random"

    def _repr_html_(self) -> str:
        rows = (("chooses", "uniformly among its legal moves"),)
        return table_html(f"Player {self.label}", rows)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*."""
        return _native.Player(game, "random")

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if there is no such game."""
        game_rules(game)

    def self_contained(self) -> RandomPlayer:
        """Return the player itself: it names nothing."""
        return self


class _Valuing(_Model):
    """What the players share that compare values of boards."""

    name: Name | None = None
    evaluator: Evaluator
    ties: Ties = "first"
    view: View = "player"
    epsilon: float = Field(default=0.0, ge=0.0, le=1.0)

    def _repr_html_(self) -> str:
        rows = (
            ("values boards by", self.evaluator.parsed),
            ("plies ahead", getattr(self, "depth", 1)),
            ("ties", self.ties),
            ("view", self.view),
            ("random moves", f"{self.epsilon:.1%}"),
        )
        return table_html(f"Player {self}", rows)

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the evaluator needs another board than *game*'s."""
        self.evaluator.check_fits(game)

    def self_contained(self) -> Self:
        """Return the same player with its primitives as data."""
        return self.model_copy(update={"evaluator": self.evaluator.self_contained()})


class AfterState(_Valuing):
    """Chooses the move whose board after it has the greatest value; looks no further.

    *view*: for whom own stands in the evaluator, "player" (who chooses) or "turn" (who is to
    move at the evaluated board). *epsilon* is the probability of a uniformly random move.
    """

    kind: Literal["after_state"] = "after_state"

    @property
    def reproducible(self) -> bool:
        """Always: draws come from the key of the game."""
        return True

    @property
    def label(self) -> str:
        """The name, or the evaluator and what is unusual about the player."""
        return self.name or _label(self, [])

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        return _native_player(self, game, self.kind)


class AlphaBeta(_Valuing):
    """Searches *depth* plies, the own move included, by alpha-beta; finished games count exactly.

    With a limit in *nodes*, *work* or *time* (seconds) it looks deeper and deeper, and the last
    depth that was completed answers; *depth* is then `MAX_DEPTH` unless given. One ply is always
    looked ahead. *work* is nodes times operations of the lowered evaluator, so that a larger
    evaluator sees fewer nodes (`nodes_for`); of a value and an ordering the larger counts. A player
    with a limit in time is not `reproducible`.

    *ordering*: which moves are looked at first, "none" (as they come), "hash" (the table's best
    move), "evaluator" (the best board after the move), "killer" (few replies, and what cut off
    elsewhere) or "tree" (the board after the move that the evaluator's second tree finds best, in
    an individual of role "ordered"). *table* keeps 2**table positions (32 bytes each; 0: no table).
    They change speed, never the move or its value. *deeper* also uses what the table knows from
    looking further than asked: then they do.

    *quiescence*, in checkers: a board at the horizon whose side to move must capture is not valued;
    all its moves are looked at, and so on until no capture is pending. They count as nodes.

    Two ways to play so that nobody foresees it (Benbassat & Sipper's guides): *noise* adds to the
    value of each leaf a draw of its own, "uniform" from [0, 1) or a whole number from 0 to *noise*;
    *second* is another evaluator, which takes over from the first when a coin says so, thrown for
    each game, move or leaf (*alternate*).

    *view*, *ties* and *epsilon* as in `AfterState`.
    """

    kind: Literal["alpha_beta"] = "alpha_beta"
    depth: int = Field(default=1, ge=1, le=MAX_DEPTH, strict=True)
    nodes: int | None = Field(default=None, ge=1, le=MAX_NODES, strict=True)
    work: int | None = Field(default=None, ge=1, le=MAX_WORK, strict=True)
    time: float | None = Field(default=None, ge=0.001, le=MAX_TIME)
    ordering: Ordering = "none"
    table: int = Field(default=0, ge=0, le=MAX_TABLE, strict=True)
    deeper: bool = Field(default=False, strict=True)
    noise: Noise | None = None
    second: ExpressionEvaluator | None = None
    alternate: Alternate = "move"
    quiescence: bool = Field(default=False, strict=True)

    @model_validator(mode="before")
    @classmethod
    def _as_deep_as_the_limit_allows(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "depth" not in data:
            is_limited = any(data.get(limit) is not None for limit in SEARCH_LIMITS)
            return {**data, "depth": MAX_DEPTH} if is_limited else data
        return data

    @model_serializer(mode="wrap")
    def _without_what_is_not_asked_for(self, write: SerializerFunctionWrapHandler) -> Any:
        # Files and digests of plain players are what they were before there were these options.
        fields = write(self)
        return {key: value for key, value in fields.items() if _USUAL.get(key, ...) != value}

    @model_validator(mode="after")
    def _counts_in_one_way(self) -> AlphaBeta:
        if self.nodes is not None and self.work is not None:
            raise ValueError("nodes and work do not go together: work is a number of nodes")
        return self

    @model_validator(mode="after")
    def _has_the_table_it_needs(self) -> AlphaBeta:
        for option in ("ordering=hash", "deeper=yes"):
            if not self.table and option in _search_options(self):
                raise ValueError(f"{option} needs a table, as in table=18")
        return self

    @model_validator(mode="after")
    def _has_the_tree_that_orders(self) -> AlphaBeta:
        evaluator = self.evaluator
        has_tree = isinstance(evaluator, TreeEvaluator) and is_ordered(evaluator.parsed)
        if self.ordering == "tree" and not has_tree:
            raise ValueError(
                "ordering=tree needs a second tree, as in { ordered ( white ) ( white_corners ) }"
            )
        return self

    @model_validator(mode="after")
    def _knows_what_leaves_are_worth(self) -> AlphaBeta:
        if self.second is None:
            if self.alternate != "move":
                raise ValueError("alternate needs a second evaluator")
        elif self.noise is not None:
            raise ValueError("noise and a second evaluator do not go together")
        elif not isinstance(self.evaluator, ExpressionEvaluator):
            raise ValueError("evaluators that alternate must be expressions")
        is_by_leaf = self.noise is not None or self.alternate == "leaf"
        if is_by_leaf and self.table:
            raise ValueError("what is drawn for each leaf goes with no table")
        return self

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again: not with a limit in time."""
        return self.time is None

    @property
    def label(self) -> str:
        """The name, or the evaluator, the depth and what is unusual; a limit in time is marked."""
        options = _search_options(self) + _leaf_options(self)
        label = self.name or _label(self, options, self.second)
        return label if self.reproducible else label + NOT_REPRODUCIBLE

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        program = self._two_programs(game) or self.evaluator.program(game)
        cost = dearest(program) if self.ordering == "tree" else program.operations
        return _native_player(
            self,
            game,
            self.kind,
            program,
            depth=self.depth,
            nodes=self.nodes if self.work is None else nodes_for(self.work, cost),
            milliseconds=None if self.time is None else round(self.time * 1000),
            ordering=self.ordering,
            table=self.table,
            deeper=self.deeper,
            noise=0 if self.noise == "uniform" else self.noise,
            alternate=None if self.second is None else self.alternate,
            quiescence=self.quiescence,
        )

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if an evaluator or the search needs another game than *game*."""
        super().check_fits(game)
        if self.quiescence and game not in CHECKERS:
            raise ValueError(f"{game} has no captures: quiescence is for checkers")
        if self.second is not None:
            self.second.check_fits(game)

    def _two_programs(self, game: str) -> _native.Program | None:
        """Return two evaluators, or one and what orders moves, as a program with two outputs.

        None if there is only one to be used.
        """
        if self.ordering == "tree":
            assert isinstance(self.evaluator, TreeEvaluator)  # or the model would have refused it
            return lower([self.evaluator.parsed], game)[0]
        if self.second is None:
            return None
        first = self.evaluator.parsed
        assert isinstance(first, Expression)  # or the model would have refused a second one
        size = game_rules(game).size
        return _native.Program(game, outputs_to_json([first, self.second.parsed], size))


def nodes_for(work: int, operations: int) -> int:
    """Return how many nodes a choice may count whose every node costs *operations*; at least 1.

    >>> nodes_for(100_000, 30)
    3333
    """
    return max(work // max(operations, 1), 1)


def dearest(program: _native.Program) -> int:
    """Return the operations of the largest of the programs that *program*'s outputs are."""
    return max(program.operations_by_output())


SEARCH_LIMITS = ("nodes", "work", "time")
"""What ends a search before its depth."""

_USUAL = {
    "nodes": None,
    "work": None,
    "time": None,
    "ordering": "none",
    "table": 0,
    "deeper": False,
    "noise": None,
    "second": None,
    "alternate": "move",
    "quiescence": False,
}

KernelPlayer = Annotated[RandomPlayer | AfterState | AlphaBeta, Field(discriminator="kind")]
"""A player that the kernel runs whatever its settings."""


def _native_player(
    player: _Valuing,
    game: str,
    kind: str,
    program: _native.Program | None = None,
    **search: Any,
) -> _native.Player:
    return _native.Player(
        game,
        kind,
        program or player.evaluator.program(game),
        view=player.view,
        ties=player.ties,
        epsilon=player.epsilon,
        **search,
    )


def _search_options(player: AlphaBeta) -> list[str]:
    limits = [
        f"{limit}={value}"
        for limit in SEARCH_LIMITS
        if (value := getattr(player, limit)) is not None
    ]
    options = [] if limits and player.depth == MAX_DEPTH else [f"depth={player.depth}"]
    options += limits
    if player.ordering != "none":
        options.append(f"ordering={player.ordering}")
    if player.table:
        options.append(f"table={player.table}")
    if player.deeper:
        options.append("deeper=yes")
    return [*options, "quiescence=yes"] if player.quiescence else options


def _leaf_options(player: AlphaBeta) -> list[str]:
    options = [] if player.noise is None else [f"noise={player.noise}"]
    return options if player.alternate == "move" else [*options, f"alternate={player.alternate}"]


def _label(player: _Valuing, options: list[str], second: ExpressionEvaluator | None = None) -> str:
    """Return the evaluator with *options* and those that are unusual."""
    usual = {"ties": "first", "view": "player", "epsilon": 0.0}
    options = [*options, *player.evaluator.options]
    options += [
        f"{option}={getattr(player, option):{'g' if option == 'epsilon' else ''}}"
        for option, value in usual.items()
        if getattr(player, option) != value
    ]
    evaluators = player.evaluator.label + (f" or {second.label}" if second else "")
    return evaluators + (f":{','.join(options)}" if options else "")
