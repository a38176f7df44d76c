"""Genetic programming: typed trees and the pure functions that make and vary them.

Every operator takes its randomness as an `evoply._native.Stream` and changes no argument. This
package knows neither games nor fitness.
"""

from evoply.gp.crossover import subtree_crossover
from evoply.gp.drawing import tree_svg, tree_text
from evoply.gp.generation import GenerationError, full, grow, ramped_half_and_half
from evoply.gp.infix import infix
from evoply.gp.lowering import lower
from evoply.gp.mutation import (
    constant_mutation,
    hoist_mutation,
    point_mutation,
    reproduction,
    shrink_mutation,
    subtree_mutation,
    swap_mutation,
)
from evoply.gp.selection import (
    adjusted_fitness,
    greedy_over_selection,
    roulette_selection,
    tournament_selection,
)
from evoply.gp.simplification import Simplified, simplify
from evoply.gp.text import TreeSyntaxError, format_tree, parse_tree
from evoply.gp.tree import Limits, Tree, TreeError

__all__ = [
    "GenerationError",
    "Limits",
    "Simplified",
    "Tree",
    "TreeError",
    "TreeSyntaxError",
    "adjusted_fitness",
    "constant_mutation",
    "format_tree",
    "full",
    "greedy_over_selection",
    "grow",
    "hoist_mutation",
    "infix",
    "lower",
    "parse_tree",
    "point_mutation",
    "ramped_half_and_half",
    "reproduction",
    "roulette_selection",
    "shrink_mutation",
    "simplify",
    "subtree_crossover",
    "subtree_mutation",
    "swap_mutation",
    "tournament_selection",
    "tree_svg",
    "tree_text",
]
