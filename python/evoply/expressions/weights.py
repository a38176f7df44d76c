"""The weights of leaves by their place in a tree, as a property of a set of primitives.

On the way from the root a bit string grows: 0 to the left child, 1 to the right, and the bits of
no-op nodes such as `B01`. At a leaf the bits are read as a whole number k; the leaf has the weight
1/k, or 1 if k is 0. `evoply.gp.place_weights` reads trees; this module says what is weighed.
Source: Bellin & Gasperin, "Genetic Programming and Othello", sections 2 and 3.3.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from evoply.expressions.operations import ExpressionError, short
from evoply.json_data import JsonData

Weighing = Literal["positional", "noop_only"]


@dataclass(frozen=True, slots=True)
class Weights(JsonData):
    """The bits that weigh a leaf: those of its position and of no-ops, or those of no-ops only.

    *constants* says whether numbers are weighed like features.
    """

    mode: Weighing = "positional"
    constants: bool = True

    def __post_init__(self) -> None:
        if self.mode not in get_args(Weighing):
            raise ExpressionError(
                f"weights are {' or '.join(get_args(Weighing))}, not {short(self.mode)}"
            )
        if not isinstance(self.constants, bool):
            raise ExpressionError(f"constants must be true or false, not {short(self.constants)}")

    @staticmethod
    def from_dict(data: object) -> Weights:
        """Return the weights that plain *data* describes."""
        if not isinstance(data, dict) or set(data) != {"mode", "constants"}:
            raise ExpressionError(f"weights must have a mode and constants, not {data!r:.60}")
        return Weights(**data)
