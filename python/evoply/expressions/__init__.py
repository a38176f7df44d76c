"""Board expressions: square sets, features and primitive sets, written in Python."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.expressions.arithmetic_sets import NO_OPS, bellin, letters, liao
    from evoply.expressions.definitions import definition_sets
    from evoply.expressions.differences import (
        DIFFERENCES,
        FIREBRAND_FEATURES,
        Difference,
        find_difference,
    )
    from evoply.expressions.expression import (
        Expression,
        KernelPosition,
        Number,
        Squares,
        Truth,
        build,
        from_dict,
        from_json,
        outputs_to_json,
        substitute,
    )
    from evoply.expressions.functions import (
        EvaluatedBoard,
        argument,
        board,
        clamp,
        contains,
        count,
        destinations,
        divide,
        equal,
        first,
        is_empty,
        is_odd,
        less,
        less_equal,
        maximum,
        minimum,
        negate,
        number,
        number_of_moves,
        select,
        squares,
        squares_turned,
        truth,
        weighted_sum,
    )
    from evoply.expressions.numbers import (
        parameters_of,
        program_with_parameters,
        with_parameters,
    )
    from evoply.expressions.operations import CONVENTIONS, DIRECTIONS, ExpressionError
    from evoply.expressions.parameters import NumberParameter, Parameter, SquareParameter
    from evoply.expressions.patterns import (
        OTHELLO_PATTERNS,
        othello_patterns,
        pattern,
        straight_tuples,
        sum_of_patterns,
        symmetric_copies,
    )
    from evoply.expressions.primitive import Constant, Link, Node, Primitive
    from evoply.expressions.primitive_set import PrimitiveSet
    from evoply.expressions.shipped_sets import (
        DEFAULT_PRIMITIVES,
        PRIMITIVE_SETS,
        find_primitive_set,
    )
    from evoply.expressions.square_sets import class_letters, named_squares, square_sets
    from evoply.expressions.typed_sets import Pieces, benbassat, compose_squares
    from evoply.expressions.weights import Weights

__all__ = [
    "CONVENTIONS",
    "DEFAULT_PRIMITIVES",
    "DIFFERENCES",
    "DIRECTIONS",
    "FIREBRAND_FEATURES",
    "NO_OPS",
    "OTHELLO_PATTERNS",
    "PRIMITIVE_SETS",
    "Constant",
    "Difference",
    "EvaluatedBoard",
    "Expression",
    "ExpressionError",
    "KernelPosition",
    "Link",
    "Node",
    "Number",
    "NumberParameter",
    "Parameter",
    "Pieces",
    "Primitive",
    "PrimitiveSet",
    "SquareParameter",
    "Squares",
    "Truth",
    "Weights",
    "argument",
    "bellin",
    "benbassat",
    "board",
    "build",
    "clamp",
    "class_letters",
    "compose_squares",
    "contains",
    "count",
    "definition_sets",
    "destinations",
    "divide",
    "equal",
    "find_difference",
    "find_primitive_set",
    "first",
    "from_dict",
    "from_json",
    "is_empty",
    "is_odd",
    "less",
    "less_equal",
    "letters",
    "liao",
    "maximum",
    "minimum",
    "named_squares",
    "negate",
    "number",
    "number_of_moves",
    "othello_patterns",
    "outputs_to_json",
    "parameters_of",
    "pattern",
    "program_with_parameters",
    "select",
    "square_sets",
    "squares",
    "squares_turned",
    "straight_tuples",
    "substitute",
    "sum_of_patterns",
    "symmetric_copies",
    "truth",
    "weighted_sum",
    "with_parameters",
]

give_when_used(
    __name__,
    {
        "arithmetic_sets": "NO_OPS bellin letters liao",
        "definitions": "definition_sets",
        "differences": "DIFFERENCES FIREBRAND_FEATURES Difference find_difference",
        "expression": (
            "Expression KernelPosition Number Squares Truth build from_dict from_json "
            "outputs_to_json substitute"
        ),
        "functions": (
            "EvaluatedBoard argument board clamp contains count destinations divide equal first "
            "is_empty is_odd less less_equal maximum minimum negate number number_of_moves select "
            "squares squares_turned truth weighted_sum"
        ),
        "operations": "CONVENTIONS DIRECTIONS ExpressionError",
        "parameters": "NumberParameter Parameter SquareParameter",
        "patterns": (
            "OTHELLO_PATTERNS othello_patterns pattern straight_tuples sum_of_patterns "
            "symmetric_copies"
        ),
        "primitive": "Constant Link Node Primitive",
        "primitive_set": "PrimitiveSet",
        "shipped_sets": "DEFAULT_PRIMITIVES PRIMITIVE_SETS find_primitive_set",
        "square_sets": "class_letters named_squares square_sets",
        "numbers": "parameters_of program_with_parameters with_parameters",
        "typed_sets": "Pieces benbassat compose_squares",
        "weights": "Weights",
    },
)
