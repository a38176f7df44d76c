from evoply.gp.algebra.formulas import formula_of as formula_of
from evoply.gp.algebra.formulas import latex_formula_of as latex_formula_of
from evoply.gp.algebra.formulas import names_of as names_of
from evoply.gp.algebra.simplification import Simplified as Simplified
from evoply.gp.algebra.simplification import simplify as simplify
