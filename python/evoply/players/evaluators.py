"""Evaluators of boards as data, a genetic program or a board expression; errors in words.

Reasons: docs/design/expressions.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import pairwise
from math import isfinite
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

from pydantic import (
    BeforeValidator,
    ConfigDict,
    Field,
    SerializationInfo,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)
from pydantic_core import ErrorDetails

from evoply import _native
from evoply.configs.config_errors import checked, place_of
from evoply.configs.part import WholeDumps, kind_of, parts_in
from evoply.expressions import (
    DEFAULT_PRIMITIVES,
    PRIMITIVE_SETS,
    Constant,
    Expression,
    Primitive,
    PrimitiveSet,
    Squares,
    find_primitive_set,
    from_dict,
)
from evoply.expressions.differences import difference_names
from evoply.expressions.features import NAMED_FEATURES
from evoply.expressions.written_form import FormulaNames, formula, in_order
from evoply.games import game_rules
from evoply.gp.algebra.formulas import names_of
from evoply.gp.lowering import expression_of, lower
from evoply.gp.tree import MAX_TREE_NODES, Forest, Genotype, Tree, base_set, branches, value_of
from evoply.gp.tree_text import parse_individual
from evoply.protocols import ConfigError
from evoply.wording import must_be, short_name, shorten

# Pydantic's errors about players, worded for users.


def problems(error: ValidationError, expected: Any) -> list[tuple[str, str]]:
    """Return path and message of everything that pydantic found wrong with an *expected* type."""
    models = [model for model, _ in parts_in(expected)]
    listed: list[tuple[str, str]] = []
    for detail in error.errors(include_url=False, include_input=False):
        path, inner = place_of(detail["loc"], models)
        kinds = [kind for model in inner if (kind := kind_of(model)) is not None]
        listed.append((".".join(path) or "player", _message(detail, kinds)))
    return listed


def refusal(error: ValidationError, expected: Any) -> ValueError:
    """Return the error to raise: that of the field itself if it is the only one, else all."""
    details = error.errors(include_url=False, include_input=False)
    cause = details[0].get("ctx", {}).get("error")
    if len(details) == 1 and len(details[0]["loc"]) <= 1 and isinstance(cause, ValueError):
        return cause
    return ConfigError(problems(error, expected))


def _message(detail: ErrorDetails, kinds: Sequence[str]) -> str:
    context = detail.get("ctx", {})
    match detail["type"]:
        case "union_tag_not_found":
            return f"kind is missing: it is {' or '.join(kinds)}"
        case "union_tag_invalid":
            return f"kind is {context['tag']!r} and must be one of {context['expected_tags']}"
        case "string_pattern_mismatch":
            return "must be one line without control characters"
        case _:
            return str(context["error"]) if "error" in context else must_be(detail)


LONGEST_LABEL = 60

IDENTITY = "identity"
"""The context in which a player is written for a digest of what decides its moves."""
_MOST_NAMES = 1000
# Names are printed on terminals, where control characters are dangerous.
PartName = Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\x00-\x1f\x7f-\x9f]*$")]

Division = Literal["one", "zero", "numerator", "ieee"]
Lenient = Literal["drop", "variadic"]

_TOKEN = re.compile(r"[(){},]|[^\s(){},]+")
_MOST_TOKENS = 20_000


class Model(WholeDumps):
    """A frozen value whose errors are worded for users; its text is its label."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        allow_inf_nan=False,
        arbitrary_types_allowed=True,
        defer_build=True,
    )

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {short_name(str(self))}>"

    def __str__(self) -> str:
        return str(getattr(self, "label", ""))

    def __hash__(self) -> int:
        # Fields may hold plain JSON, which is not hashable.
        return hash(self.model_dump_json())

    if not TYPE_CHECKING:  # the type checker keeps the constructor made from the fields

        def __init__(self, *unnamed: object, **data: Any) -> None:
            """Check *data*; raise ValueError in words for users, without those of pydantic."""
            if unnamed:
                fields = type(self).model_fields
                names = ", ".join(f"{name}=" for name in fields if fields[name].is_required())
                raise TypeError(
                    f"{type(self).__name__} takes what it is made of by name, such as"
                    f" {names or 'name='}: {shorten(repr(unnamed[0]))} has none"
                )
            build = super().__init__
            checked(lambda: build(**data), lambda error: refusal(error, type(self)))

        # Models inside models and files skip this constructor: their errors need every path.
        __init__.__pydantic_base_init__ = True


class TreeEvaluator(Model):
    """A genetic program: the text of a tree, and its primitives.

    *primitives* is the name of a set or, in saved players, the set itself as data. *division*
    replaces the value of `/` for a zero divisor. Excess operands are an error; with *lenient*
    "drop" they are left out, with "variadic" joined to the others from left to right: `( + a b c )`
    becomes `( + ( + a b ) c )`. A `PrimitiveSet` may be given for *primitives*, and a `Tree`, which
    knows its primitives, for *tree*. Instead of a tree it may be any individual that
    `evoply.gp.parse_individual` reads, or a `Forest`.

    >>> TreeEvaluator(tree="( + aa bb )", primitives=PRIMITIVE_SETS["letters"]).primitives
    'letters'
    """

    kind: Literal["tree"] = "tree"
    tree: str
    primitives: str | dict[str, Any] = DEFAULT_PRIMITIVES
    division: Division | None = None
    lenient: Lenient | None = None

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
            tree: str | Genotype,
            primitives: str | PrimitiveSet | dict[str, Any] = DEFAULT_PRIMITIVES,
            division: Division | None = None,
            lenient: Lenient | None = None,
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
            data["primitives"] = _primitives_data(data["primitives"])
        if data.get("lenient") in get_args(Lenient) and isinstance(data.get("tree"), str):
            primitives = _read_primitives(data.get("primitives", DEFAULT_PRIMITIVES))
            data["tree"] = _with_right_operands(data["tree"], primitives, data["lenient"])
            data["lenient"] = None
        return data

    @model_validator(mode="after")
    def _can_be_read(self) -> TreeEvaluator:
        _ = self.parsed
        return self

    @classmethod
    def of_tree(cls, tree: Genotype, primitives: str | dict[str, Any]) -> TreeEvaluator:
        """Return the evaluator of a *tree* made of these *primitives*, without reading its text."""
        evaluator = cls.model_construct(tree=str(tree), primitives=primitives)
        evaluator.__dict__["parsed"] = tree  # where the property keeps it
        return evaluator

    @classmethod
    def of_own(cls, tree: Genotype) -> TreeEvaluator:
        """Return the evaluator of a *tree* with the primitives it knows, as `cls(tree=tree)` does.

        A tree whose text would be read as this tree is not written and read again.
        """
        if not isinstance(tree, Tree) or not _reads_back(tree):
            return cls(tree=tree)  # reading says what is wrong
        return cls.of_tree(tree, _primitives_data(tree.primitive_set))

    @cached_property
    def primitive_set(self) -> PrimitiveSet:
        """The primitives, with the division of *division*."""
        primitives = _read_primitives(self.primitives)
        return primitives if self.division is None else primitives.with_division(self.division)

    @cached_property
    def parsed(self) -> Genotype:
        """The tree itself, or the individual of several branches."""
        return parse_individual(self.tree, self.primitive_set)

    @property
    def individual(self) -> Genotype:
        """The same: the evaluator is an individual."""
        return self.parsed

    @property
    def value(self) -> Expression:
        """The value of a board as one expression."""
        return expression_of(self.parsed)

    def names_in(self, game: str) -> FormulaNames:
        """Return what its parts are called: as its primitives."""
        return names_of(self.parsed)

    @property
    def label(self) -> str:
        """The whole tree on one line, so that a label can be read as a player."""
        return " ".join(self.tree.split())

    @property
    def options(self) -> list[str]:
        """The unusual settings for reading the tree, as options of a player's text."""
        named = self.primitives if isinstance(self.primitives, str) else DEFAULT_PRIMITIVES
        chosen = (
            ("primitives", None if named == DEFAULT_PRIMITIVES else named),
            ("division", self.division),
        )
        return [f"{option}={value}" for option, value in chosen if value is not None]

    def program(self, game: str) -> _native.Program:
        """Return the kernel's form for *game*; `ValueError` if a primitive does not fit.

        A tree that orders moves is not included.
        """
        return lower([value_of(self.parsed)], game)[0]

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if a primitive or the clock of stages needs another game."""
        rules = game_rules(game)
        if self.parsed.role == "ply_stages" and rules.length is None:
            raise ValueError(f"games of {game} have no usual length: leave clock=ply out")
        nodes = {node.name: node for tree in branches(self.parsed) for node in tree.nodes}
        for node in nodes.values():
            if isinstance(node, Primitive):
                node.check_fits(rules.shape)

    def self_contained(self) -> TreeEvaluator:
        """Return the same evaluator with its primitives, where only named, as data."""
        return TreeEvaluator(tree=str(self.parsed), primitives=self.primitive_set.to_dict())


def _reads_back(tree: Tree) -> bool:
    """Return whether the text of *tree* can be read; it is then read as an equal tree."""
    if len(tree) > MAX_TREE_NODES:
        return False
    try:
        Tree.checked(tree.primitive_set, tree.nodes)
        for node in tree.nodes:
            if isinstance(node, Constant):
                if not isfinite(node.value):
                    return False
            elif node.parameter is not None and node.value is not None:
                node.parameter.read(node.parameter.write(node.value))
    except ValueError:
        return False
    return True


def _with_right_operands(text: str, primitives: PrimitiveSet, lenient: Lenient) -> str:
    """Return the text of an individual with excess operands dropped, or joined to the others.

    Liao's Table 2 prints a tree with an excess operand, which may be read in these two ways.
    """
    tokens = _TOKEN.findall(text)
    if len(tokens) > _MOST_TOKENS:
        raise ValueError(f"lenient: the text may have at most {_MOST_TOKENS:,} words")
    words: list[str] = []
    waiting: list[list[int]] = []  # the starts of an open bracket and of each item in it
    for token in tokens:
        if token == ")" and waiting:
            bracket, *places = waiting.pop()
            name = words[places[0]] if places else ""
            types = primitives[name].argument_types if name in primitives else ()
            extra = [*places[1 + len(types) :], len(words)] if types else []
            if extra and lenient == "drop":
                del words[extra[0] :]
            elif len(types) == 2 and types[0] == primitives[name].type:
                parts = [words[start:end] for start, end in pairwise(extra)]
                joined = [word for part in parts for word in (")", *part)]
                words[bracket:] = [*("(", name) * len(parts), *words[bracket : extra[0]], *joined]
        elif waiting:
            waiting[-1].append(len(words))
        if token == "(":
            waiting.append([len(words)])
        words.append(token)
    return " ".join(words)


def _read_primitives(primitives: str | dict[str, Any]) -> PrimitiveSet:
    if isinstance(primitives, str):
        return find_primitive_set(primitives)
    return PrimitiveSet.from_dict(primitives)


@lru_cache(maxsize=16)
def _primitives_data(primitives: PrimitiveSet) -> str | dict[str, Any]:
    """Return the name of a set that comes with evoply, any other as data, written once."""
    if PRIMITIVE_SETS.get(primitives.name) == primitives:
        return primitives.name
    return primitives.to_dict()


def _expression_data(expression: object) -> object:
    return expression.to_dict() if isinstance(expression, Expression) else expression


class ExpressionEvaluator(Model):
    """A board expression, given as an `Expression` or in its written form.

    *names* are for people, and no digest covers them: what parts of the expression are called, each
    in its written form; one with arguments names a function.
    """

    kind: Literal["expression"] = "expression"
    expression: Annotated[dict[str, Any], BeforeValidator(_expression_data)]
    names: dict[PartName, Annotated[dict[str, Any], BeforeValidator(_expression_data)]] = Field(
        default_factory=dict, max_length=_MOST_NAMES
    )

    @classmethod
    def of(cls, expression: Expression, names: FormulaNames) -> ExpressionEvaluator:
        """Return the evaluator of an *expression*, with those *names* that its parts have."""
        parts = in_order([expression])
        used = {names.known[part]: part for part in parts if part in names.known}
        functions = dict(names.functions)
        called = {call[0] for call in map(names.call, parts) if call is not None}
        used |= {name: functions[name] for name in functions if name in called}
        return cls(expression=expression.to_dict(), names=used)

    def model_post_init(self, context: Any, /) -> None:
        """Read the expression and the names now, so that every evaluator is valid."""
        if isinstance(self.parsed, Squares):
            raise ValueError("a set of squares is not a value: use count(...) of it")
        _ = self._named

    @model_serializer(mode="wrap")
    def _without_needless_names(
        self, written: SerializerFunctionWrapHandler, info: SerializationInfo
    ) -> dict[str, Any]:
        data: dict[str, Any] = written(self)
        if not self.names or info.context == IDENTITY:
            data.pop("names", None)
        return data

    @cached_property
    def parsed(self) -> Expression:
        """The expression itself."""
        return from_dict(self.expression)

    @cached_property
    def _named(self) -> FormulaNames:
        parts = {name: from_dict(part) for name, part in self.names.items()}
        functions = {
            name: part
            for name, part in parts.items()
            if any(node.op == "argument" for node in in_order([part]))
        }
        known = {part: name for name, part in parts.items() if name not in functions}
        return FormulaNames(known, tuple(functions.items()))

    def names_in(self, game: str) -> FormulaNames:
        """Return what its parts are called: by its own names, and by evoply's for *game*."""
        known: dict[Expression, str] = {part: name for name, part in NAMED_FEATURES.items()}
        known |= self._named.known
        known |= difference_names(game_rules(game).shape)
        parts = set(in_order([self.parsed]))
        return replace(
            self._named, known={part: name for part, name in known.items() if part in parts}
        )

    @property
    def individual(self) -> None:
        """None: the evaluator is not an individual."""
        return None

    @property
    def value(self) -> Expression:
        """The expression itself."""
        return self.parsed

    @property
    def label(self) -> str:
        """The formula, cut if it is long."""
        return shorten(formula(self.parsed, self._named), LONGEST_LABEL)

    @property
    def options(self) -> list[str]:
        """Always empty: there is only one way to read a formula."""
        return []

    def program(self, game: str) -> _native.Program:
        """Return the kernel's form for *game*; `ValueError` if it does not fit the board."""
        rules = game_rules(game)
        if rules.kernel not in self.programs:
            text = self.parsed.to_json(rules.shape)
            self.programs[rules.kernel] = _native.Program(rules.kernel, text)
        return self.programs[rules.kernel]

    @cached_property
    def programs(self) -> dict[str, _native.Program]:
        """The kernel's forms so far, by its rules: writing a large one takes many games' time."""
        return {}

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the expression needs another board than *game*'s."""
        rules = game_rules(game)
        if rules.kernel not in self.programs:
            self.parsed.to_dict(rules.shape)

    def self_contained(self) -> ExpressionEvaluator:
        """Return the evaluator itself, which refers to nothing by name."""
        return self


def _as_evaluator(source: object) -> object:
    """Return an individual or an expression as its evaluator; refuse a text with what to do."""
    if isinstance(source, Tree | Forest):
        return TreeEvaluator(tree=source)
    if isinstance(source, Expression):
        return ExpressionEvaluator(expression=source.to_dict())
    if isinstance(source, str):
        raise ValueError(
            f"{shorten(source)!r} is a text: give a tree, an expression or an evaluator, or write"
            " the whole player as a text, such as parse_player('swh:depth=2')"
        )
    return source


Evaluator = Annotated[
    TreeEvaluator | ExpressionEvaluator,
    Field(discriminator="kind"),
    BeforeValidator(_as_evaluator),
]
