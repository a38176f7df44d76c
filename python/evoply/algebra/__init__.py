"""Simplified trees and formulas, for people only: nothing here ever plays."""

from evoply.algebra.naming import formula_of, latex_formula_of, names_of
from evoply.algebra.simplification import Simplified, simplify

__all__ = ["Simplified", "formula_of", "latex_formula_of", "names_of", "simplify"]
