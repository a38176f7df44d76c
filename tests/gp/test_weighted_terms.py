"""Individuals of role "terms": what operators keep, what they change, what texts say."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import LIAO, seeds

from evoply._native import Stream
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import (
    Forest,
    Limits,
    Mutation,
    Shape,
    TreeSyntaxError,
    constant_mutation,
    create_terms,
    crossed,
    drawn_numbers,
    hoist_mutation,
    local_mutation,
    lower,
    mutated,
    orbit_mutation,
    parse_individual,
    parse_tree,
    point_mutation,
    received,
    shrink_mutation,
    subtree_crossover,
    subtree_mutation,
    swap_mutation,
    with_drawn_numbers,
)
from evoply.gp.algebra import simplify
from evoply.gp.branches import recombined
from evoply.gp.sums_of_terms import features_of, number_of, term, term_crossover
from evoply.gp.tree import features_of_term

ACCESS = PRIMITIVE_SETS["othello-access"]
MUTATIONS: tuple[Mutation, ...] = (
    constant_mutation,
    hoist_mutation,
    local_mutation,
    orbit_mutation,
    point_mutation,
    shrink_mutation,
    subtree_mutation,
    swap_mutation,
)
CASES = [
    (primitives, Shape("terms", (primitives,), most=most, factors=factors))
    for primitives in (ACCESS, LIAO, PRIMITIVE_SETS["any-game"], PRIMITIVE_SETS["letters"])
    for most, factors in ((1, 1), (3, 2), (12, 3))
]


def terms(text: str) -> Forest:
    individual = parse_individual(text, ACCESS)
    assert isinstance(individual, Forest)
    return individual


def check_form(individual: Forest, shape: Shape, limits: Limits) -> None:
    assert individual.role == "terms"
    assert 1 <= len(individual.trees) <= shape.most
    assert len(individual) <= limits.max_nodes
    for tree in individual.trees:
        features = features_of_term(tree)
        assert 1 <= len(features) <= shape.factors
        assert len(tree) == 1 + 2 * len(features)
        assert str(float(number_of(tree))) not in ("nan", "inf", "-inf")
        assert tree == term(tree.primitive_set, number_of(tree), features)


@given(seeds, st.sampled_from(CASES), st.sampled_from(MUTATIONS))
def test_operators_keep_the_form_and_the_limits(seed, case, mutation):
    _, shape = case
    limits = shape.within(Limits(max_nodes=30))
    first, second = create_terms(shape, 2, Stream(seed), limits=limits)
    children = [
        mutated(first, mutation, limits, Stream(seed, "mutation")),
        *crossed(first, second, limits, Stream(seed, "crossover")),
        received(first, second, limits, Stream(seed, "received")),
        *recombined(first, second, subtree_crossover, limits, Stream(seed, "own")),
    ]
    for individual in (first, second, *children):
        check_form(individual, shape, limits)
        assert parse_individual(str(individual), individual.trees[0].primitive_set) == individual
    keys = [sorted(node.name for node in features_of_term(tree)) for tree in first.trees]
    assert all(keys.count(key) == 1 for key in keys)


def test_every_mutation_that_can_change_terms_does():
    parent = terms("{ terms ( * 6 white_corners ) ( * -2 ( * black_edges white ) ) }")
    limits = Limits(3, 60, 12)
    for mutation in (constant_mutation, point_mutation, subtree_mutation, local_mutation):
        children = {mutated(parent, mutation, limits, Stream(seed)) for seed in range(40)}
        assert len(children) > 10, mutation
        if mutation is constant_mutation:
            for child in children:
                assert [features_of_term(tree) for tree in child.trees] == [
                    features_of_term(tree) for tree in parent.trees
                ]
            changes = [drawn_numbers(child)[0] / 6 for child in children]
            assert min(changes) < 0 < max(changes)
            assert max(map(abs, changes)) > 2
            assert min(map(abs, changes)) < 0.6
    numbers = {len(mutated(parent, subtree_mutation, limits, Stream(k)).trees) for k in range(40)}
    assert numbers == {1, 2, 3}


def test_crossover_exchanges_terms_on_one_scale():
    first = terms("{ terms ( * 6 white_corners ) ( * 2 white ) }")
    second = terms("{ terms ( * 60 white_corners ) ( * -50 black_edges ) }")
    children = {str(term_crossover(first, second, Limits(3, 60, 12), Stream(k))) for k in range(40)}
    assert children == {
        "{ terms ( * 6 white_corners ) ( * 2 white ) }",  # the same feature, on the scale of first
        "{ terms ( * 6 white_corners ) ( * -5 black_edges ) }",
        "{ terms ( * -5 black_edges ) ( * 2 white ) }",
        "{ terms ( * 6 white_corners ) ( * 2 white ) ( * -5 black_edges ) }",
    }


def test_terms_are_sums_with_numbers_that_can_be_tuned():
    individual = terms("{ terms ( * 6 white_corners ) ( * -2 ( * black_edges white ) ) }")
    assert simplify(individual).formula == "6 * white_corners - 2 * black_edges * white"
    assert drawn_numbers(individual) == [6, -2]
    other = with_drawn_numbers(individual, [1, 0.5])
    assert str(other) == "{ terms ( * 1 white_corners ) ( * 0.5 ( * black_edges white ) ) }"
    program = lower([individual], "othello")[0]
    tree = parse_tree(
        "( + ( * 6 white_corners ) ( * -2 ( * black_edges white ) ) )", "othello-access"
    )
    assert program.operations == lower([tree], "othello")[0].operations


@pytest.mark.parametrize(
    "text",
    [
        "( white )",
        "( * white 6 )",
        "( * 6 7 )",
        "( + 6 white )",
        "( * 6 ( + white black ) )",
        "( 6 )",
    ],
)
def test_what_is_no_term_is_refused(text):
    with pytest.raises(TreeSyntaxError, match="is no term"):
        parse_individual(f"{{ terms {text} }}", ACCESS)


def test_a_set_must_multiply_and_have_features():
    with pytest.raises(TreeSyntaxError, match="cannot multiply"):
        parse_individual("{ terms ( MultERC[6] Mobility ) }", "benbassat")
    assert "10" not in {feature.name for feature in features_of(LIAO)}
