from evoply.algebra.naming import formula_of as formula_of
from evoply.algebra.naming import latex_formula_of as latex_formula_of
from evoply.algebra.naming import names_of as names_of
from evoply.algebra.simplification import Simplified as Simplified
from evoply.algebra.simplification import simplify as simplify
