"""Steps as values: what a run folder or a worker gets of a step, and how it is packed.

`dumped` and `loaded` know any step that is a dataclass. A tree is text outside. The champion and
the digest of a step follow from its fields and the config, so neither is dumped.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from time import perf_counter
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Self

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    GetPydanticSchema,
    PlainSerializer,
    TypeAdapter,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import SchemaValidator, core_schema

from evoply import gp
from evoply.configs.config_errors import checked
from evoply.configs.part import ctrl_c_waits
from evoply.environment.files import checksum
from evoply.expressions import PrimitiveSet
from evoply.players import ValuingPlayer

_LISTS = ("list", "tuple", "set", "frozenset")
_DESCRIPTIVE = ("statistics", "seconds", "total_seconds")


# Texts repeat: elites, members of the hall of fame, and all of the archive from generation to
# generation, which a display of a run reads again and again.
@lru_cache(maxsize=8192)
def _parsed(text: str, primitives: PrimitiveSet) -> gp.Genotype:
    return gp.parse_individual(text, primitives)


def _tree(value: object, info: ValidationInfo) -> object:
    return _parsed(value, info.context) if isinstance(value, str) else value


Tree = Annotated[
    gp.Genotype,
    GetPydanticSchema(
        lambda _, __: core_schema.with_info_plain_validator_function(
            _tree, serialization=core_schema.plain_serializer_function_ser_schema(str)
        )
    ),
]
"""A tree in a step; outside its text, which is read with the primitives of the run."""

APART = (GetPydanticSchema(lambda _, __: core_schema.any_schema()), Field(exclude=True))
"""Marks a field that is not dumped: whoever loads the step gives it."""


def _decode(data: object) -> object:
    return base64.b64decode(data, validate=True) if isinstance(data, str) else data


Doubles = Annotated[
    bytes,
    BeforeValidator(_decode),
    PlainSerializer(lambda data: base64.b64encode(data).decode(), when_used="json"),
]
"""Numbers as doubles with the lowest byte first; in stored steps as base64."""


def _read_only(numbers: Mapping[str, float]) -> Mapping[str, float]:
    return MappingProxyType(numbers)


def _as_dict(numbers: Mapping[str, float]) -> dict[str, float]:
    return dict(numbers)


# Functions: pydantic asks them what they take, and Python does not say it of every type.
Numbers = Annotated[Mapping[str, float], AfterValidator(_read_only), PlainSerializer(_as_dict)]


@cache
def _adapter(step_type: type[Any]) -> TypeAdapter[Any]:
    return TypeAdapter(step_type)


@cache
def _validator(step_type: Any) -> SchemaValidator:
    """Return what validates a step up to its first mistake: each takes a thousand bytes."""
    schema = _failing_fast(_adapter(step_type).core_schema)
    return SchemaValidator(schema)


def _failing_fast(schema: Any) -> Any:
    """Return a core *schema* whose lists end with the first item that is wrong."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_failing_fast, schema))
    if not isinstance(schema, dict):
        return schema
    fast = {"fail_fast": True} if schema.get("type") in _LISTS else {}
    return {**{key: _failing_fast(value) for key, value in schema.items()}, **fast}


def dumped(step: Any, *, include: set[str] | None = None) -> dict[str, Any]:
    """Return the fields of *step*, a dataclass, as JSON-ready data; *include*: only these."""
    kept: Any = type(step)
    with ctrl_c_waits():
        data: dict[str, Any] = _adapter(kept).dump_python(step, mode="json", include=include)
    return data


def loaded(step_type: Any, data: Any, primitives: PrimitiveSet | None = None, **apart: Any) -> Any:
    """Return the step that was dumped as *data*, with the fields that stand *apart*.

    *primitives* are those of its trees. Raises `ValueError` that names the first damaged field.
    """

    def refusal(error: ValidationError) -> ValueError:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"]))
        return ValueError(f"not a step ({step_type.__name__}): {where}: {first['msg']}")

    validator = _validator(step_type)
    whole = {**data, **apart} if isinstance(data, dict) else data
    return checked(lambda: validator.validate_python(whole, context=primitives), refusal)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptStep:
    """The learned values so far, and all that the next step needs.

    Its digest covers every field but statistics and times. Where the next step depends on the games
    so far, it leaves out the step's number, too: a run that was ended and went on has one step
    more, and the same values.
    """

    number: int
    """0 is the first step."""
    statistics: Numbers
    seconds: float = field(compare=False)
    total_seconds: float = field(compare=False)
    """Seconds of all steps so far."""
    champions: Annotated[tuple[ValuingPlayer, ...], Field(exclude=True)] = ()
    digest: Annotated[str, Field(exclude=True)] = ""
    counts_games: ClassVar[bool] = False
    """Whether what comes next depends on the games so far, and not on the step's number."""

    @property
    def totals(self) -> Mapping[str, float]:
        """What was spent so far: games, those that gave labels among them."""
        return {"games": self.statistics["games"] + self.statistics.get("labelled_games", 0)}

    def player(self, config: Any, /) -> ValuingPlayer:
        """Return the player that was learned."""
        raise NotImplementedError

    def check(self, config: Any, /) -> None:
        """Raise `ValueError` unless the fields fit *config*."""

    @classmethod
    def made(cls, config: Any, before: Self | None, began: float, **fields: Any) -> Self:
        """Return the step after *before* with these *fields*, whose computation *began* then."""
        seconds = perf_counter() - began
        step = cls(
            number=0 if before is None else before.number + 1,
            seconds=seconds,
            total_seconds=seconds + (0.0 if before is None else before.total_seconds),
            **fields,
        )
        return step.completed(config)

    def completed(self, config: Any) -> Self:
        """Return the step with its champion and digest, which follow from its fields."""
        left_out = (*_DESCRIPTIVE, "number") if self.counts_games else _DESCRIPTIVE
        decisive = {name: value for name, value in dumped(self).items() if name not in left_out}
        return replace(
            self,
            statistics=MappingProxyType(dict(self.statistics)),
            champions=(self.player(config),),
            digest=checksum([self.settings(config), decisive]),
        )

    @classmethod
    def settings(cls, config: Any) -> Any:
        """Return the settings that decide a step, for its digest."""
        return config.decisive()

    @classmethod
    def load(cls, config: Any, data: Any) -> Self:
        """Return the step that was dumped as *data*; `ValueError` if it is damaged."""
        step: Self = loaded(cls, data)
        step.check(config)
        return step.completed(config)
