"""Genetic programming: typed trees and the pure functions that make and vary them.

Every operator takes its randomness as an `evoply._native.Stream` and changes no argument. This
package knows neither games nor fitness.
"""

from evoply.gp.crossover import subtree_crossover
from evoply.gp.drawing import tree_svg, tree_text
from evoply.gp.generation import GenerationError, full, grow, ramped_half_and_half
from evoply.gp.gpjpp_crossover import gpjpp_crossover
from evoply.gp.infix import infix
from evoply.gp.lexicase import lexicase_selection
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
from evoply.gp.pareto import (
    crowding_distances,
    pareto_front,
    pareto_ranks,
    pareto_selection,
)
from evoply.gp.parsimony import covariant_penalised, length_penalised, tarpeian_penalised
from evoply.gp.selection import (
    adjusted_fitness,
    greedy_over_selection,
    paired_tournament_selection,
    roulette_selection,
    tournament_selection,
    worst_roulette_selection,
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
    "covariant_penalised",
    "crowding_distances",
    "format_tree",
    "full",
    "gpjpp_crossover",
    "greedy_over_selection",
    "grow",
    "hoist_mutation",
    "infix",
    "length_penalised",
    "lexicase_selection",
    "lower",
    "paired_tournament_selection",
    "pareto_front",
    "pareto_ranks",
    "pareto_selection",
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
    "tarpeian_penalised",
    "tournament_selection",
    "tree_svg",
    "tree_text",
    "worst_roulette_selection",
]
