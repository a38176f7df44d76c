"""Names for the parts of a tree's expression, taken from its primitives."""

from functools import lru_cache
from types import MappingProxyType

from evoply.expressions import (
    Constant,
    Expression,
    PrimitiveSet,
    argument,
    less,
    select,
    substitute,
)
from evoply.expressions.formula import FormulaNames, formula, latex_formula
from evoply.expressions.written_form import in_order
from evoply.gp.forest import Forest, Genotype, branches, value_of
from evoply.gp.lowering import CLOCKS, expression_of

_ARITHMETIC = ("argument", "add", "subtract", "multiply", "divide")
_UNTIL = MappingProxyType({"phases": "board_until", "stages": "until", "ply_stages": "plies_until"})
DIGITS = 6
"""The significant digits of numbers in formulas for people."""


def names_of(individual: Genotype) -> FormulaNames:
    """Return the names of the primitives in *individual*, and of the ends of its stages."""
    individual = value_of(individual)
    known: dict[Expression, str] = {}
    functions: dict[str, Expression] = {}
    if isinstance(individual, Forest) and individual.is_timed:
        clock, name = CLOCKS[individual.role], _UNTIL[individual.role]
        for end in individual.ends[:-1]:
            turns = select(less(clock, end), argument(0), argument(1))
            functions[f"{name}_{end:.0%}"] = turns
    for tree in branches(individual):
        names = _names_of_set(tree.primitive_set)
        known = {**names.known, **known}
        functions |= dict(names.functions)
        for node in tree.nodes:
            if node.value is None or node.arity or isinstance(node, Constant):
                continue
            if node.parameter is not None:
                value = node.parameter.expression(node.value)
                known.setdefault(substitute(node.expression, [value]), node.name)
    return FormulaNames(known, tuple(functions.items()))


@lru_cache(maxsize=64)
def _names_of_set(primitives: PrimitiveSet) -> FormulaNames:
    known: dict[Expression, str] = {}
    functions: list[tuple[str, Expression]] = []
    for primitive in primitives:
        expression = primitive.expression
        if (
            primitive.link is not None
            or primitive.parameter is not None
            or expression.op == "number"
        ):
            continue
        if not primitive.live_arity:
            known.setdefault(expression, primitive.name)
        elif expression.op not in _ARITHMETIC and not _is_bare(expression):
            functions.append((primitive.name, expression))
    # Larger functions come first: a smaller one would match a part of them.
    functions.sort(key=lambda function: -len(in_order([function[1]])))
    return FormulaNames(known, tuple(functions))


def _is_bare(expression: Expression) -> bool:
    """Return whether *expression* is one operation on arguments, which already has a name."""
    return all(getattr(argument, "op", "") == "argument" for argument in expression.arguments)


def formula_of(individual: Genotype) -> str:
    """Return the formula of *individual*, without introns and with definitions written out.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> text = "( NullJ ( MultERC[2.5] Mobility ) 1 )"
    >>> print(formula_of(parse_tree(text, PRIMITIVE_SETS["benbassat"])))
    2.5 * Mobility
    """
    return formula(expression_of(individual), names_of(individual), digits=DIGITS)


def latex_formula_of(individual: Genotype) -> str:
    r"""Return the formula of *individual* for LaTeX's mathematics.

    >>> from evoply.expressions import PRIMITIVE_SETS
    >>> from evoply.gp import parse_tree
    >>> print(latex_formula_of(parse_tree("( / ( + white 10 ) black )", PRIMITIVE_SETS["liao"])))
    \frac{\mathrm{white} + 10}{\mathrm{black}}
    """
    return latex_formula(expression_of(individual), names_of(individual))
