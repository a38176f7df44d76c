"""Individuals of several branches: texts, values, and operators branch by branch."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import BENBASSAT, LIAO, assert_drawn, seeds

from evoply import _native, othello
from evoply.expressions import PRIMITIVE_SETS, definition_sets
from evoply.gp import (
    MAX_OPERATIONS,
    Forest,
    Limits,
    Shape,
    Tree,
    TreeError,
    TreeSyntaxError,
    branches,
    create_forests,
    crossed,
    expression_of,
    format_individual,
    grow,
    latex,
    lower,
    lowered_size,
    mutated,
    paired_crossover,
    parse_individual,
    parse_tree,
    received,
    subtree_mutation,
    tree_svg,
    tree_text,
)
from evoply.gp.algebra import formula_of, simplify

ADF = definition_sets(LIAO, (2, 1))
SHAPES = (
    Shape("sum", (BENBASSAT,) * 3),
    Shape("phases", (LIAO, LIAO), (30, 70)),
    Shape("stages", (LIAO, LIAO, LIAO), (20, 30, 50)),
    Shape("adf", ADF),
    Shape("ply_stages", (LIAO, LIAO, LIAO), (20, 30, 50)),
)


def positions_of_a_game():
    position, stream = othello.Position(), _native.Stream(5)
    yield position
    while moves := list(position.legal_moves):
        position = position.play(moves[stream.below(len(moves))])
        yield position


POSITIONS = list(positions_of_a_game())


def values(individual, positions=POSITIONS):
    batch = _native.Positions("othello", [position.row for position in positions])
    return lower([individual], "othello")[0].evaluate(batch)[:, 0].tolist()


@st.composite
def forests(draw, shapes=SHAPES):
    shape = draw(st.sampled_from(shapes))
    stream = _native.Stream(draw(seeds), "forest")
    return create_forests(shape, "grow", 1, stream, max_depth=4)[0]


@given(forests())
def test_texts_are_read_back(forest):
    sets = [tree.primitive_set for tree in forest.trees]
    assert parse_individual(format_individual(forest), sets) == forest
    # From the base set alone the branches are over other sets, but say the same.
    base = LIAO if forest.role != "sum" else BENBASSAT
    again = parse_individual(str(forest), base)
    assert str(again) == str(forest)
    assert repr(values(again)) == repr(values(forest))


@given(forests())
def test_values_are_those_of_the_branches(forest):
    if forest.role == "adf":
        return
    parts = [values(tree) for tree in forest.trees]
    for index, position in enumerate(POSITIONS):
        placed = (position.own | position.opponent).bit_count() - 4
        if forest.role == "ply_stages":
            placed = position.ply
        if forest.role == "sum":
            expected = sum(part[index] for part in parts)
        else:
            # In whole numbers: stage k while the percentages before it <= 100 t.
            starts = [sum(forest.percents[:k]) for k in range(len(parts))]
            stage = max(k for k, start in enumerate(starts) if 60 * start <= 100 * placed)
            expected = parts[stage][index]
        assert values(forest)[index] == expected


def test_plies_count_passes_and_know_the_board():
    """On 6x6 half of the game is 16 plies; a pass before makes it one disc less."""
    text = "{ ply_stages ( white ) 50 ( - white 10 ) 50 }"
    program = lower([parse_individual(text, LIAO)], "othello-6")[0]
    batch = _native.Positions.random("othello-6", 600, 8, 10, 31)
    rows = [batch[index] for index in range(len(batch))]
    answers = program.evaluate(batch)[:, 0].tolist()
    passed = 0
    for (black, white, _, black_moves, ply, _), value in zip(rows, answers, strict=True):
        own = (black if black_moves else white).bit_count()
        assert value == (own if ply < 16 else own - 10)
        passed += ply + 4 > (black | white).bit_count()
    assert passed > 10


def test_stages_change_exactly_at_their_clock():
    discs = 4 + 30  # half of the 60 squares to fill
    forest = parse_individual("( white ),50,( - white 10 ),50", LIAO)
    before, at = (
        next(one for one in POSITIONS if (one.own | one.opponent).bit_count() == count)
        for count in (discs - 1, discs)
    )
    assert values(forest, [before]) == [before.own.bit_count()]
    assert values(forest, [at]) == [at.own.bit_count() - 10]


@given(forests())
def test_expressions_compute_the_same_bits(forest):
    shown = expression_of(forest).evaluate_all(POSITIONS)
    assert repr([float(value) for value in shown]) == repr(values(forest))


def test_definitions_are_called_with_their_arguments():
    forest = parse_individual(
        "{ adf ( ADF1 ( ADF0 white 10 ) ) ADF0/2 ( - ARG1 ARG0 ) "
        "ADF1/1 ( * ARG0 ( ADF0 1 ARG0 ) ) }",
        LIAO,
    )
    own = POSITIONS[20].own.bit_count()
    inner = 10 - own
    assert values(forest, [POSITIONS[20]]) == [inner * (inner - 1)]
    assert formula_of(forest) == "(10 - white) * (10 - white - 1)"
    assert lowered_size(forest) == 9
    assert simplify(forest).text == "(10 - white) * (9 - white)"


def test_what_would_be_too_large_written_out_is_refused():
    calls = "( ADF0 " * 12 + "white" + " )" * 12
    text = f"{{ adf {calls} ADF0/1 ( + ARG0 ( + ARG0 ARG0 ) ) }}"
    forest = parse_individual(text, LIAO)
    assert lowered_size(forest) == 3**12 + 2 * sum(3**k for k in range(12))
    for writing_out in (lambda: lower([forest], "othello"), lambda: expression_of(forest)):
        with pytest.raises(ValueError, match=r"1,062,881 .* more than the 4,096 allowed"):
            writing_out()
    with pytest.raises(ValueError, match="ADF0 has a meaning only in an individual with"):
        lower([parse_tree("( ADF0 white 10 )", ADF[0])], "othello")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( white ),50,( white_corners ),40", "must add up to 100, but 50 + 40 is 90"),
        ("( white ),100,", "a tree must stand here"),
        ("( white ),x", "a percentage must stand here"),
        ("( white ) ,50 ( black ),50", "a comma must stand here, before the next tree"),
        ("( white ),0,( black ),100", "a number from 0.001 to 100, not 0"),
        ("( white ),50,( blak ),50", "did you mean 'black'? (column 16)"),
        ("{ sun ( white ) }", "one of sum, terms, phases, ply_stages, adf, ordered must stand"),
        ("{ sum ( white )", "a tree must stand here"),
        ("{ sum ( white ) } 3", "something follows the closing brace"),
        ("{ sum }", "role sum has 1 to 100 trees, not 0"),
        ("{ adf ( white ) }", "1 to 8 definitions, not 0"),
        (
            "{ adf ( white ) ( black ) }",
            "the name and number of arguments of a definition must stand here: ADF0/2",
        ),
        ("{ adf ( white ) ADF0/2 ( ADF0 ARG0 ARG1 ) }", "unknown name 'ADF0'"),
        ("( white", "ends before"),
    ],
)
def test_wrong_texts_are_explained(text, message):
    with pytest.raises(TreeSyntaxError) as error:
        parse_individual(text, LIAO)
    assert message in str(error.value)


def test_staged_texts_of_the_paper():
    """Liao, Table 1."""
    text = "( white ),50,( + white white_corners ),50"
    stages = parse_individual(text, LIAO)
    assert isinstance(stages, Forest)
    assert stages.percents == (50, 50)
    assert str(stages) == text
    assert isinstance(parse_individual(" ( white ) , 100 ", LIAO), Tree)
    thirds = parse_individual("( white ),33.5,( black ),66.5", LIAO)
    assert str(thirds) == "( white ),33.5,( black ),66.5"
    with pytest.raises(TreeError, match="100"):
        Forest("stages", stages.trees, (50, 40))
    with pytest.raises(TreeError, match="no percentages"):
        Forest("sum", stages.trees, (50, 50))
    with pytest.raises(TreeError, match="role: must be one of"):
        Forest("heap", stages.trees)


def check(individual, shape, limits):
    assert isinstance(individual, Forest)
    assert (individual.role, individual.percents) == (shape.role, shape.percents)
    for tree, primitives in zip(individual.trees, shape.sets, strict=True):
        Tree.checked(primitives, tree.nodes)
        assert tree.depth <= limits.max_depth
    assert len(individual) <= limits.max_nodes
    assert lowered_size(individual) <= MAX_OPERATIONS


@given(st.sampled_from(SHAPES), seeds)
def test_operators_keep_shape_types_and_limits(shape, seed):
    stream, limits = _native.Stream(seed), Limits(7, 90)
    population = create_forests(
        shape, "ramped_half_and_half", 6, stream, max_depth=5, limits=limits
    )
    for one in population:
        check(one, shape, limits)
    for _ in range(40):
        i, j = stream.below(6), stream.below(6)
        one, two = crossed(population[i], population[j], limits, stream)
        # With definitions, a child that is too large written out is given up for its parent.
        total = len(population[i]) + len(population[j])
        assert shape.role == "adf" or len(one) + len(two) == total
        changed = [
            k
            for k, (old, new) in enumerate(zip(branches(population[i]), branches(one), strict=True))
            if old != new
        ]
        assert len(changed) <= 1
        three = received(population[i], two, limits, stream)
        four = mutated(three, subtree_mutation, limits, stream)
        population[i], population[j] = one, four
        for child in (one, two, three, four):
            check(child, shape, limits)


def test_a_plain_tree_is_its_own_branch():
    tree = parse_tree("( + white black )", LIAO)
    assert branches(tree) == (tree,)
    assert create_forests(Shape("sum", (LIAO,)), "full", 2, _native.Stream(1))
    with pytest.raises(ValueError, match="of one kind"):
        crossed(tree, Forest("sum", (tree, tree)), Limits(), _native.Stream(1))
    with pytest.raises(ValueError, match="of one kind"):
        crossed(tree, grow(BENBASSAT, 3, _native.Stream(1)), Limits(), _native.Stream(1))


def test_branches_are_drawn_evenly():
    tree = parse_tree("( + white black )", LIAO)
    forest = Forest("sum", (tree,) * 4)
    stream, found = _native.Stream(2), Counter()
    for _ in range(4000):
        child = mutated(forest, lambda *_: parse_tree("( 10 )", LIAO), Limits(), stream)
        found[[len(one) for one in child].index(1)] += 1
    assert_drawn(found, [1] * 4)


@pytest.mark.parametrize("ties_are_one_way", [False, True])
def test_algorithm_1(ties_are_one_way):
    stream = _native.Stream(3)
    population = create_forests(SHAPES[0], "grow", 41, stream, max_depth=4)
    fitness = [float(index % 3) for index in range(41)]
    shares = []
    for attempt in range(40):
        result = paired_crossover(
            population,
            fitness,
            0.8,
            Limits(),
            stream.child(attempt),
            ties_are_one_way=ties_are_one_way,
        )
        partners = 0
        for index, (old, new) in enumerate(zip(population, result.individuals, strict=True)):
            own, *others = result.parents[index]
            assert own == index
            partners += len(others)
            if not others:
                assert new is old  # not taking part, left over, or a donor
            elif fitness[index] > fitness[others[0]]:
                pairs_first = result.parents[others[0]]
                assert pairs_first == (others[0], index)  # two-way: the less fit came first
        assert partners == result.one_way + 2 * result.two_way
        shares.append(result.one_way_share)
    mean = sum(shares) / len(shares)
    # A tie has probability 1/3: one-way is 1/3 of the pairs, or 2/3 with ties.
    assert abs(mean - (2 / 3 if ties_are_one_way else 1 / 3)) < 0.06
    nobody = paired_crossover(population, fitness, 0.0, Limits(), stream)
    assert nobody.one_way_share is None
    assert nobody.individuals == tuple(population)


def test_individuals_are_drawn_branch_by_branch():
    forest = parse_individual("( white ),75,( white_corners ),25", LIAO)
    assert tree_text(forest).splitlines() == [
        "0% to 75% of the game:",
        "white",
        "75% to 100% of the game:",
        "white_corners",
    ]
    assert tree_svg(forest).count("<rect x") == 2
    adf = create_forests(SHAPES[3], "full", 1, _native.Stream(1), max_depth=3)[0]
    assert latex(adf).count("begin{forest}") == 3
    assert "ADF1:" in tree_text(adf)


def test_sets_of_definitions():
    result, first, second = definition_sets(LIAO, (2, 1), functions=("+", "*"))
    assert [one.name for one in result][-2:] == ["ADF0", "ADF1"]
    assert [one.name for one in first] == ["+", "*", "ARG0", "ARG1"]
    assert [one.name for one in second] == ["+", "*", "ADF0", "ARG0"]
    assert [one.code for one in second] == [0, 1, 2, 3]
    with pytest.raises(ValueError, match="part of an individual"):
        result.to_dict()
    with pytest.raises(ValueError, match="1 to 4 arguments"):
        definition_sets(LIAO, (5,))
    with pytest.raises(ValueError, match="twice"):
        definition_sets(result, (2,))
    assert PRIMITIVE_SETS["liao"].is_plain
    assert not result.is_plain
