"""Benbassat & Sipper's typed trees: values, values of nodes, and introns."""

import json
import os
from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tree_strategies import BELLIN, BENBASSAT, TYPED, assert_well_formed, seeds, trees

from evoply import Color, _native, othello
from evoply.expressions import (
    PRIMITIVE_SETS,
    Constant,
    ExpressionError,
    Pieces,
    PrimitiveSet,
    SquareParameter,
    benbassat,
    board,
    named_squares,
    number,
    select,
    squares,
    substitute,
    truth,
)
from evoply.games import SHAPES
from evoply.gp import (
    Limits,
    Tree,
    TreeSyntaxError,
    constant_mutation,
    create,
    effective_nodes,
    expression_of,
    grow,
    hoist_mutation,
    local_mutation,
    lower,
    lowered_size,
    one_way_crossover,
    parse_tree,
    point_mutation,
    shrink_mutation,
    sizes,
    subtree_crossover,
    subtree_mutation,
    swap_mutation,
)
from evoply.gp.algebra import simplify
from evoply.protocols import BoardShape

LONG = "EVOPLY_LONG" in os.environ
GAME = othello.Game.from_transcript("f5d6c3d3c4f4f6f3e6e7")


def values(individual, positions=GAME.positions):
    """What the kernel computes at positions, own being the side to move."""
    batch = _native.Positions("othello", [position.row for position in positions])
    return lower([individual], "othello")[0].evaluate(batch)[:, 0].tolist()


def value(text, position=GAME.position, primitives=BENBASSAT):
    return values(parse_tree(text, primitives, root_type=None), [position])[0]


def test_terminals_at_a_golden_position():
    position = GAME.position  # Black to move, 6 discs against 8
    assert position.turn is Color.BLACK
    counts = {
        name: value(f"( {name} )")
        for name in ("FriendlyManCount", "EnemyManCount", "ManCount", "Mobility", "0", "1")
    }
    own, opponent = position.own.bit_count(), position.opponent.bit_count()
    assert counts == {
        "FriendlyManCount": own,
        "EnemyManCount": opponent,
        "ManCount": own - opponent,
        "Mobility": len(position.legal_moves),
        "0": 0,
        "1": 1,
    }
    assert value("( true )") == 1
    assert value("( false )") == 0


@pytest.mark.parametrize("relative", [True, False])
def test_square_tests_read_the_board_for_either_side(relative):
    primitives = benbassat(relative=relative)
    for position in (GAME.position, GAME.positions[-2]):
        is_white = position.turn is Color.WHITE
        for square in range(64):
            name = "abcdefgh"[square % 8] + str(square // 8 + 1)
            bit = 1 << (63 - square if relative and is_white else square)
            expected = {
                "IsEmptySquare": position.empty & bit,
                "IsFriendlyPiece": position.own & bit,
                "IsManPiece": (position.own | position.opponent) & bit,
            }
            for family, held in expected.items():
                assert value(f"( {family}[{name}] )", position, primitives) == bool(held)


def test_truth_tables_and_functions():
    tables = {
        "AND": lambda a, b: a and b,
        "NAND": lambda a, b: not (a and b),
        "OR": lambda a, b: a or b,
        "NOR": lambda a, b: not (a or b),
        "NOTG": lambda a, b: not a,
    }
    words = {True: "true", False: "false"}
    for (name, law), a, b in product(tables.items(), (True, False), (True, False)):
        assert value(f"( {name} {words[a]} {words[b]} )") == law(a, b)
    assert value("( LowerEqual 1 1 )") == 1
    assert value("( LowerEqual 1 0 )") == 0
    assert value("( IfTrue false 1 ( Plus 1 1 ) )") == 2
    assert value("( Minus 0 ( MultERC[2.5] ( Plus 1 1 ) ) )") == -5
    assert value("( NullJ 3 Mobility )") == 3


def test_values_of_nodes_are_drawn_once_and_stay():
    stream = draws(1)
    drawn = [node for _ in range(2000) for node in grow(BENBASSAT, 5, stream).nodes]
    factors = [node.value for node in drawn if node.name.startswith("MultERC")]
    assert -5 <= min(factors) < -4.8
    assert 4.8 < max(factors) < 5
    squares = Counter(node.value for node in drawn if node.name.startswith("IsEmptySquare"))
    assert len(squares) == 64
    tree = parse_tree("( MultERC[-0.125] ( IfTrue IsEmptySquare[h8] 1 -2.75 ) )", BENBASSAT)
    assert [node.value for node in tree.nodes[:3]] == [-0.125, None, "h8"]
    assert tree.subtree(2).nodes[0] is tree.nodes[2]


def draws(seed):
    return _native.Stream(seed, "typed")


@given(trees(sets=(BENBASSAT, BELLIN), max_depth=7))
def test_text_and_hash_round_trip(tree):
    again = parse_tree(str(tree), tree.primitive_set)
    assert again == tree
    assert hash(again) == hash(tree)
    data = json.loads(json.dumps(tree.primitive_set.to_dict()))
    assert parse_tree(str(tree), PrimitiveSet.from_dict(data)) == tree


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("( IfTrue IsEmptySquare 1 0 )", "needs its value, as in IsEmptySquare[c4]"),
        ("( IfTrue IsEmptySquare[i9] 1 0 )", "'i9' is not a square of the 8x8 board"),
        ("( MultERC 1 )", "needs its value, as in MultERC[2.5]"),
        ("( MultERC[nan] 1 )", "'nan' is not a finite number"),
        ("( Plus[2] 1 1 )", "'Plus' takes no value in square brackets"),
        ("( AND true false )", "is of type truth, not number"),
    ],
)
def test_wrong_texts_are_explained(text, message):
    with pytest.raises(TreeSyntaxError) as error:
        parse_tree(text, BENBASSAT)
    assert message in str(error.value)


def test_squares_need_their_board():
    tree = parse_tree("( IfTrue IsEmptySquare[a1] 1 0 )", BENBASSAT)
    with pytest.raises(ExpressionError, match=r"'IsEmptySquare' does not fit othello-6.*8x8"):
        lower([tree], "othello-6")
    assert lower([grow(PRIMITIVE_SETS["benbassat-6"], 4, draws(2))], "othello-6")
    with pytest.raises(ExpressionError, match="no board has the shape 7x7"):
        SquareParameter(BoardShape(7, 7))


@pytest.mark.parametrize("name", ["benbassat", "benbassat-extended", "squares", "bellin"])
def test_no_operation_makes_an_ill_typed_tree(name):
    """10^5 random operations in the long tests, 10^4 otherwise (shared by the sets)."""
    primitives, limits = PRIMITIVE_SETS[name], Limits(max_depth=9, max_nodes=80)
    stream = draws(3).child(name)
    population = create(primitives, "ramped_half_and_half", 40, stream, limits=limits)
    operations = {
        "cross": lambda a, b: subtree_crossover(a, b, limits, stream)[1],
        "gpjpp": lambda a, b: subtree_crossover(a, b, limits, stream, function_bias="gpjpp")[0],
        "one way": lambda a, b: one_way_crossover(a, b, limits, stream),
        "subtree": lambda a, b: subtree_mutation(a, limits, stream),
        "local": lambda a, b: local_mutation(a, limits, stream),
        "point": lambda a, b: point_mutation(a, limits, stream),
        "swap": lambda a, b: swap_mutation(a, limits, stream),
        "shrink": lambda a, b: shrink_mutation(a, limits, stream),
        "constant": lambda a, b: constant_mutation(a, limits, stream),
        "hoist": lambda a, b: hoist_mutation(a, limits, stream),
    }
    names = list(operations)
    for _ in range(25_000 if LONG else 2_500):
        i, j = stream.below(40), stream.below(40)
        chosen = names[stream.below(len(names))]
        child = operations[chosen](population[i], population[j])
        Tree.checked(primitives, child.nodes)
        assert len(child) <= 80
        assert child.depth <= 9
        # Hoisting and shrinking would soon leave only leaves.
        population[i] = child if len(child) > 1 else grow(primitives, 5, stream)


@given(st.sampled_from(["ramped_half_and_half", "ramped_full", "full", "grow"]), seeds)
def test_typed_trees_can_always_be_made(method, seed):
    for name in ("benbassat", "squares"):
        made = create(PRIMITIVE_SETS[name], method, 12, _native.Stream(seed), max_depth=5)
        assert len(made) == 12
        for tree in made:
            assert_well_formed(tree)


def test_types_without_terminals_are_finished_in_time():
    lean = PrimitiveSet("no number ends")
    for name in ("count", "own", "or"):
        lean = lean.with_primitive(name, TYPED[name].expression)
    lean = lean.with_primitive("twice", select(TYPED["full"].expression, number(1), number(2)))
    headless = PrimitiveSet("headless", lean.primitives[:3])
    for depth in range(2, 7):
        tree = grow(headless, depth, draws(depth))
        assert_well_formed(tree)
        assert 2 <= tree.depth <= depth
    with pytest.raises(ValueError, match="at least 2 levels, not 1"):
        grow(headless, 1, draws(1))
    made = create(headless, "full", 5, draws(1), min_depth=1, max_depth=1, duplicates="allow")
    assert [tree.depth for tree in made] == [2] * 5


@given(trees(sets=(BENBASSAT,), max_depth=7), seeds)
def test_introns_change_neither_value_nor_lowered_size(tree, seed):
    dead = tree.dead
    places = [index for index, is_dead in enumerate(dead) if is_dead]
    assert lowered_size(tree) == len(tree) - len(places)
    stream = _native.Stream(seed)
    before = values(tree)
    for index in places[:3]:
        other = grow(BENBASSAT, 4, stream, root_type=tree.nodes[index].type)
        changed = tree.replace(index, other)
        assert values(changed) == before
        assert expression_of(changed) == expression_of(tree)
        operations = [lower([one], "othello")[0].operations for one in (tree, changed)]
        assert operations[0] == operations[1]


def node_value(node, operands, position):
    """The node's own expression at a position, from the values of its live operands."""
    if isinstance(node, Constant):
        return node.value
    constants = [
        truth(bool(one)) if kind == "truth" else number(one)
        for one, kind in zip(operands, node.argument_types, strict=False)
    ]
    if node.parameter is not None:
        constants.insert(0, node.parameter.expression(node.value))
    return substitute(node.expression, constants).evaluate(position)


def reference(tree: Tree, position) -> float:
    """Each node's own expression, put together one value at a time."""

    def at(index: int) -> float:
        node = tree.nodes[index]
        live = tree.children(index)[: node.arity - node.introns]
        return node_value(node, [at(child) for child in live], position)

    return at(0)


@given(trees(sets=(BENBASSAT,), max_depth=5))
def test_programs_compute_what_the_nodes_say(tree):
    for position in (GAME.position, GAME.positions[3]):
        assert values(tree, [position]) == [reference(tree, position)]


@given(trees(sets=(BENBASSAT, BELLIN), max_depth=7))
def test_expressions_compute_the_same_bits(tree):
    assert repr(expression_values(expression_of(tree))) == repr(values(tree))


def expression_values(expression):
    return [float(value) for value in expression.evaluate_all(list(GAME.positions))]


def test_both_kinds_of_introns_are_counted():
    def counted(text, primitives=BENBASSAT):
        one = sizes(parse_tree(text, primitives))
        return one.nodes, one.dead_introns, one.live_introns, one.effective

    assert counted("( Plus Mobility 1 )") == (3, 0, 0, 3)
    assert counted("( NullJ Mobility ( Plus 1 1 ) )") == (5, 3, 1, 1)
    assert counted("( IfTrue ( AND false IsManPiece[a1] ) Mobility 1 )") == (6, 0, 5, 1)
    assert counted("( Minus Mobility Mobility )") == (3, 0, 2, 1)
    assert counted("( IfTrue ( NOTG true true ) 1 ManCount )") == (6, 1, 4, 1)
    assert counted("( + ( B0 white ) ( * 10 10 ) )", BELLIN) == (6, 0, 2, 4)


@given(trees(sets=(BENBASSAT,), max_depth=6))
def test_effective_nodes_alone_give_the_value(tree):
    effective = effective_nodes(tree)
    assert not any(e and d for e, d in zip(effective, tree.dead, strict=True))
    position = GAME.position

    def at(index):
        node = tree.nodes[index]
        live = tree.children(index)[: node.arity - node.introns]
        needed = [child for child in live if any(effective[child : tree.ends[child]])]
        if not effective[index]:
            (only,) = needed
            return at(only)
        if needed != live:  # a constant: whatever the features are
            assert not needed
            here = {value_at(tree.subtree(index), one) for one in GAME.positions}
            assert len(here) == 1
            return here.pop()
        return node_value(node, [at(child) for child in live], position)

    assert at(0) == pytest.approx(value_at(tree, position))


def written_out_size(tree):
    """The nodes of a tree as an expression: NAND is two there, and so is a factor of MultERC."""

    def operations(expression):
        if expression.op == "argument":
            return 0
        return 1 + sum(operations(one) for one in expression.arguments if hasattr(one, "op"))

    return lowered_size(tree) + sum(
        max(operations(node.expression) - 1, 0) + node.name.startswith("MultERC")
        for node in tree.nodes
        if node.arity
    )


def test_a_tree_that_is_as_short_as_it_can_be_is_as_long_as_its_expression():
    tree = parse_tree("( IfTrue ( NAND IsEmptySquare[f5] IsFriendlyPiece[b5] ) 2.5 1 )", BENBASSAT)
    assert simplify(tree).size == written_out_size(tree) == 7
    assert simplify(tree).text == "if(NAND(IsEmptySquare[f5], IsFriendlyPiece[b5]), 2.5, 1)"


@given(trees(sets=(BENBASSAT, TYPED), max_depth=6))
def test_simplified_trees_have_the_same_value(tree):
    simplified = simplify(tree)
    assert simplified.size <= written_out_size(tree)
    shown = expression_values(simplified.expression)
    assert shown == pytest.approx(values(tree), rel=1e-6, abs=1e-6)


def value_at(tree, position):
    return values(tree, [position])[0]


def test_local_mutation_moves_one_node_a_little():
    tree = parse_tree("( IfTrue IsEmptySquare[c4] ( MultERC[4.9] Mobility ) 2.5 )", BENBASSAT)
    stream = draws(4)
    moved, changes = Counter(), []
    for _ in range(2000):
        child = local_mutation(tree, Limits(), stream)
        different = [
            (one, two) for one, two in zip(tree.nodes, child.nodes, strict=True) if one != two
        ]
        assert len(different) <= 1
        assert_well_formed(child)
        for one, two in different:
            assert (one.type, one.argument_types) == (two.type, two.argument_types)
            moved[one.name] += 1
            changes.append((one.name, two))
    # IfTrue has no other primitive of its types; the four others are drawn evenly.
    assert set(moved) == {"IsEmptySquare[c4]", "MultERC[4.9]", "Mobility", "2.5"}
    assert min(moved.values()) > 420
    squares = {two.value for name, two in changes if name == "IsEmptySquare[c4]"}
    assert squares == {"b3", "c3", "d3", "b4", "d4", "b5", "c5", "d5"}
    factors = [two.value for name, two in changes if name == "MultERC[4.9]"]
    assert all(-5 <= factor < 5 for factor in factors)
    assert max(factors) > 4.99


def test_a_game_with_kings_hands_in_its_sets():
    """Edges stand in for kings: counts and tests tell them from the other pieces."""
    edges = squares("edges")
    pieces = Pieces(
        friendly_men=board.own - edges,
        enemy_men=board.opponent - edges,
        friendly_kings=board.own & edges,
        enemy_kings=board.opponent & edges,
    )
    primitives = benbassat(extended=True, pieces=pieces, playable="dark").renamed("kings")
    assert "FriendlyCornerCount" not in primitives
    rim = named_squares(SHAPES[8], "edges")
    seen = set()
    batch = _native.Positions.random("othello", 30, 5, 20, 50)
    for row in map(batch.__getitem__, range(len(batch))):
        position = othello.Position.from_row("othello", row)
        own, enemy = position.own, position.opponent
        expected = {
            "FriendlyManCount": (own & ~rim).bit_count(),
            "EnemyManCount": (enemy & ~rim).bit_count(),
            "FriendlyKingCount": (own & rim).bit_count(),
            "EnemyKingCount": (enemy & rim).bit_count(),
            "KingCount": (own & rim).bit_count() - (enemy & rim).bit_count(),
            "FriendlyPieceCount": own.bit_count(),
            "EnemyPieceCount": enemy.bit_count(),
            "PieceCount": own.bit_count() - enemy.bit_count(),
        }
        for name, counted in expected.items():
            assert value(f"( {name} )", position, primitives) == counted
        for square in (1, 10, 24, 30):
            bit = 1 << (63 - square if position.turn is Color.WHITE else square)
            name = "abcdefgh"[square % 8] + str(square // 8 + 1)
            is_king = bool((own | enemy) & rim & bit)
            assert value(f"( IsKingPiece[{name}] )", position, primitives) == is_king
            is_man = bool((own | enemy) & ~rim & bit)
            assert value(f"( IsManPiece[{name}] )", position, primitives) == is_man
            assert value(f"( IsFriendlyPiece[{name}] )", position, primitives) == bool(own & bit)
            seen.add((is_king, is_man))
    assert len(seen) == 3
    with pytest.raises(ValueError, match="dark"):
        parse_tree("( IsKingPiece[a1] )", primitives)
    with pytest.raises(ExpressionError, match="both sides"):
        benbassat(extended=True, pieces=Pieces(friendly_kings=board.own))
