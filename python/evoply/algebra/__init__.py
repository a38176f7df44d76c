"""Simplified trees and formulas, for people only: nothing here ever plays."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.algebra.naming import formula_of, latex_formula_of, names_of
    from evoply.algebra.simplification import Simplified, simplify

__all__ = ["Simplified", "formula_of", "latex_formula_of", "names_of", "simplify"]

give_when_used(
    __name__,
    {
        "naming": "formula_of latex_formula_of names_of",
        "simplification": "Simplified simplify",
    },
)
