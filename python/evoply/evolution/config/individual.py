"""The part of a config that says what an individual is: one tree, or several and how they join.

Reasons: docs/design/expressions.md.
"""

from typing import Annotated, Literal

from pydantic import Field, field_validator

from evoply.configs.part import Part
from evoply.expressions import PrimitiveSet, definition_sets
from evoply.expressions.definitions import MAX_ARGUMENTS, MAX_DEFINITIONS
from evoply.gp import Shape
from evoply.gp.forest import MAX_BRANCHES, Role, check_percents
from evoply.players.staged import StageClock


class OneTree(Part):
    """An individual is a tree."""

    kind: Literal["tree"] = "tree"


class TreeSum(Part):
    """Several trees whose values are added (Benbassat & Sipper, "multi-tree individuals")."""

    kind: Literal["sum"] = "sum"
    trees: int = Field(default=2, ge=1, le=MAX_BRANCHES)
    """How many trees."""


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
    OneTree | TreeSum | Phases | Stages | Definitions | Ordered, Field(discriminator="kind")
]


def shape_of(individual: IndividualShape, primitives: PrimitiveSet) -> Shape | None:
    """Return how individuals of several trees over *primitives* are made; None for single trees."""
    match individual:
        case TreeSum(trees=trees):
            return Shape("sum", (primitives,) * trees)
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
