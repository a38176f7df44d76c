"""Genetic programming: typed trees and the pure functions that make and vary them.

Every operator takes its randomness as an `evoply._native.Stream` and changes no argument. This
package knows neither games nor fitness.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.gp.branches import (
        Mutation,
        PairedCrossover,
        Recombination,
        check_alike,
        crossed,
        mutated,
        paired_crossover,
        pruned_to,
        received,
        recombined,
    )
    from evoply.gp.changes import Changes, changes
    from evoply.gp.creation import (
        GPJPP_CREATION,
        Shape,
        create,
        create_forests,
        ramped_half_and_half,
    )
    from evoply.gp.crossover import one_way_crossover, subtree_crossover
    from evoply.gp.forest import Forest, Genotype, branches, format_individual, with_branch
    from evoply.gp.individual_text import parse_individual
    from evoply.gp.lowering import expression_of, lower, node_expressions, node_values
    from evoply.gp.mutation import (
        constant_mutation,
        drawn_numbers,
        hoist_mutation,
        local_mutation,
        orbit_mutation,
        point_mutation,
        reproduction,
        shrink_mutation,
        subtree_mutation,
        swap_mutation,
        with_drawn_numbers,
    )
    from evoply.gp.node_choice import choose_point, choose_point_of_type, prefer_function
    from evoply.gp.pareto import (
        crowding_distances,
        pareto_front,
        pareto_ranks,
        pareto_selection,
        pareto_survival,
    )
    from evoply.gp.place_weights import chain_statistics, leaf_weights, no_op_chains
    from evoply.gp.random_trees import GenerationError, full, grow
    from evoply.gp.selection import (
        adjusted_fitness,
        covariant_penalised,
        double_tournament_selection,
        greedy_over_selection,
        length_penalised,
        lexicase_selection,
        paired_tournament_selection,
        roulette_selection,
        tarpeian_penalised,
        tournament_selection,
        worst_roulette_selection,
    )
    from evoply.gp.sizes import (
        MAX_OPERATIONS,
        Sizes,
        dead_size,
        effective_nodes,
        lowered_size,
        pruned,
        sizes,
    )
    from evoply.gp.tree import Limits, Tree, TreeError, format_tree
    from evoply.gp.tree_drawing import latex, tree_svg, tree_text
    from evoply.gp.tree_text import TreeSyntaxError, parse_tree

__all__ = [
    "GPJPP_CREATION",
    "MAX_OPERATIONS",
    "Changes",
    "Forest",
    "GenerationError",
    "Genotype",
    "Limits",
    "Mutation",
    "PairedCrossover",
    "Recombination",
    "Shape",
    "Sizes",
    "Tree",
    "TreeError",
    "TreeSyntaxError",
    "adjusted_fitness",
    "branches",
    "chain_statistics",
    "changes",
    "check_alike",
    "choose_point",
    "choose_point_of_type",
    "constant_mutation",
    "covariant_penalised",
    "create",
    "create_forests",
    "crossed",
    "crowding_distances",
    "dead_size",
    "double_tournament_selection",
    "drawn_numbers",
    "effective_nodes",
    "expression_of",
    "format_individual",
    "format_tree",
    "full",
    "greedy_over_selection",
    "grow",
    "hoist_mutation",
    "latex",
    "leaf_weights",
    "length_penalised",
    "lexicase_selection",
    "local_mutation",
    "lower",
    "lowered_size",
    "mutated",
    "no_op_chains",
    "node_expressions",
    "node_values",
    "one_way_crossover",
    "orbit_mutation",
    "paired_crossover",
    "paired_tournament_selection",
    "pareto_front",
    "pareto_ranks",
    "pareto_selection",
    "pareto_survival",
    "parse_individual",
    "parse_tree",
    "point_mutation",
    "prefer_function",
    "pruned",
    "pruned_to",
    "ramped_half_and_half",
    "received",
    "recombined",
    "reproduction",
    "roulette_selection",
    "shrink_mutation",
    "sizes",
    "subtree_crossover",
    "subtree_mutation",
    "swap_mutation",
    "tarpeian_penalised",
    "tournament_selection",
    "tree_svg",
    "tree_text",
    "with_branch",
    "with_drawn_numbers",
    "worst_roulette_selection",
]

give_when_used(
    __name__,
    {
        "branches": (
            "Mutation PairedCrossover Recombination check_alike crossed mutated paired_crossover "
            "pruned_to received recombined"
        ),
        "changes": "Changes changes",
        "creation": "GPJPP_CREATION Shape create create_forests ramped_half_and_half",
        "crossover": "one_way_crossover subtree_crossover",
        "tree_drawing": "latex tree_svg tree_text",
        "forest": "Forest Genotype branches format_individual with_branch",
        "individual_text": "parse_individual",
        "lowering": "expression_of lower node_expressions node_values",
        "mutation": (
            "constant_mutation drawn_numbers hoist_mutation local_mutation orbit_mutation "
            "point_mutation reproduction shrink_mutation subtree_mutation swap_mutation "
            "with_drawn_numbers"
        ),
        "node_choice": "choose_point choose_point_of_type prefer_function",
        "random_trees": "GenerationError full grow",
        "pareto": ("crowding_distances pareto_front pareto_ranks pareto_selection pareto_survival"),
        "selection": (
            "adjusted_fitness covariant_penalised double_tournament_selection "
            "greedy_over_selection length_penalised lexicase_selection "
            "paired_tournament_selection roulette_selection tarpeian_penalised "
            "tournament_selection worst_roulette_selection"
        ),
        "sizes": "MAX_OPERATIONS Sizes dead_size effective_nodes lowered_size pruned sizes",
        "tree_text": "TreeSyntaxError parse_tree",
        "tree": "Limits Tree TreeError format_tree",
        "place_weights": "chain_statistics leaf_weights no_op_chains",
    },
)
