"""Individuals with a second tree that orders moves: nothing is worth more or less by it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native, gp
from evoply.evolution import EvolutionConfig, evolve, individual_player
from evoply.evolution.play import seats_of
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import TreeError, TreeSyntaxError
from evoply.gp.tree import value_of
from evoply.players import load_player, parse_player, save_player
from evoply.protocols import ConfigError
from evoply.reports import explain

LIAO = PRIMITIVE_SETS["liao+mobility"]
VALUE = "( - ( * 3 white_corners ) ( - black white ) )"
ORDERS = ["( white_corners )", "( - 0 white_corners )", "( / white ( - black black ) )", "( 1 )"]


def ordered(order, options):
    return parse_player(f"{{ ordered {VALUE} {order} }}:{options}")


def asked(player, row):
    """Return move, value, nodes, line and depth."""
    return _native.analyse(player.native("othello"), *row, 1)[:5]


@given(
    order=st.sampled_from(ORDERS), depth=st.integers(1, 4), table=st.sampled_from([0, 10]),
    ties=st.sampled_from(["first", "last"]), seed=st.integers(0, 2**32),
)  # fmt: skip
def test_the_order_changes_no_move_to_a_fixed_depth(order, depth, table, ties, seed):
    row = _native.Positions.random("othello", 1, seed, 0, 50)[0]
    expected = asked(parse_player(f"{VALUE}:depth={depth},ties={ties}"), row)
    options = f"depth={depth},ties={ties},table={table},ordering=tree"
    move, value, *_ = asked(ordered(order, options), row)
    assert (move, value) == expected[:2]


def test_the_order_decides_how_many_nodes_it_takes():
    batch = _native.Positions.random("othello", 20, 5, 12, 40)
    nodes = [
        sum(asked(ordered(order, "depth=5,ordering=tree"), batch[index])[2] for index in range(20))
        for order in (VALUE, f"( - 0 {VALUE} )")
    ]
    # Best first, and worst first.
    assert 2 * nodes[0] < nodes[1]
    # And so how deep a limit lets it look.
    depths = [
        sum(
            asked(ordered(order, "nodes=3000,ordering=tree"), batch[index])[4]
            for index in range(20)
        )
        for order in (VALUE, f"( - 0 {VALUE} )")
    ]
    assert depths[0] > depths[1]


def test_work_is_that_of_the_larger_program():
    individual = gp.parse_individual(f"{{ ordered {VALUE} ( white ) }}", LIAO)
    program = gp.lower([individual], "othello")[0]
    apart = [one.operations for one in gp.lower(list(individual.trees), "othello")]
    assert program.operations_by_output() == apart
    assert max(apart) < program.operations < sum(apart)
    row = _native.Positions.random("othello", 1, 4, 20, 20)[0]
    for order, larger in (("( white )", apart[0]), (f"( * {VALUE} {VALUE} )", apart[0] + 1)):
        by_work = ordered(order, "work=40000,ordering=tree")
        assert asked(by_work, row) == asked(
            ordered(order, f"nodes={40000 // larger},ordering=tree"), row
        )


def test_an_individual_is_written_and_read(tmp_path):
    text = f"{{ ordered {VALUE} ( white_corners ) }}"
    individual = gp.parse_individual(text, LIAO)
    assert str(individual) == text
    assert str(value_of(individual)) == VALUE
    assert gp.expression_of(individual) == gp.expression_of(value_of(individual))
    player = parse_player(f"{text}:work=5000,ordering=tree")
    save_player(tmp_path / "player.json", player)
    again = load_player(tmp_path / "player.json")
    row = _native.Positions.random("othello", 1, 4, 20, 20)[0]
    assert asked(again, row) == asked(player, row)
    assert "order of moves" in gp.tree_text(individual)
    assert "Its second tree says which moves" in explain(player).sentence


def test_without_a_search_the_value_plays_alone():
    row = _native.Positions.random("othello", 1, 4, 20, 20)[0]
    for options in ("ties=first", "depth=3"):
        assert asked(ordered("( white )", options), row) == asked(
            parse_player(f"{VALUE}:{options}"), row
        )


@pytest.mark.parametrize(
    ("text", "error", "says"),
    [
        ("( white ):depth=2,ordering=tree", ValueError, "ordering=tree needs a second tree"),
        ("material:depth=2,ordering=tree", ValueError, "ordering=tree needs a second tree"),
        ("{ ordered ( white ) }", TreeSyntaxError, "role ordered has 2 trees, not 1"),
        (f"{{ ordered {'( white ) ' * 3} }}", TreeSyntaxError, "role ordered has 2 trees, not 3"),
    ],
)
def test_what_is_refused(text, error, says):
    with pytest.raises(error, match=says):
        parse_player(text)
    with pytest.raises(TreeError, match="2 trees, not 1"):
        gp.Forest("ordered", (gp.parse_tree("( white )", LIAO),))


def test_the_kernel_wants_two_outputs():
    program = gp.lower([gp.parse_tree(VALUE, LIAO)], "othello")[0]
    with pytest.raises(ValueError, match="two outputs"):
        _native.Player("othello", "alpha_beta", program, ordering="tree", depth=2)
    with pytest.raises(ValueError, match="not 2 trees"):
        LIAO.native("othello").lower([[LIAO["white"].code]], [[]], 2)


def config(**changes):
    return EvolutionConfig(
        **{
            "game": "othello-6", "population_size": 8, "generations": 2,
            "individual": {"kind": "ordered"}, "player": {"ordering": "tree", "work": 2000},
            "fitness": {"opponents": [{"player": "greedy", "pairs": 2}]},
            "hall_of_fame": {"pairs": 1, "final_pairs": 2},
        }
        | changes
    )  # fmt: skip


def test_a_run_evolves_both():
    first, second = (list(evolve(config(machine={"threads": threads}))) for threads in (1, 2))
    assert [one.digest for one in first] == [one.digest for one in second]
    champion = first[-1].champion
    assert champion.role == "ordered"
    assert len({str(one.tree.trees[1]) for one in first[-1].individuals}) > 1
    saved = individual_player(config(), champion)
    assert (saved.ordering, saved.work) == ("tree", 2000)
    row = _native.Positions.random("othello-6", 1, 8, 10, 10)[0]
    native = seats_of(config().game_settings, [champion])[0].native
    assert (
        _native.analyse(native, *row, 1)[:5]
        == _native.analyse(saved.native("othello-6"), *row, 1)[:5]
    )


@given(seed=st.integers(0, 2**32))
@settings(max_examples=20)
def test_operators_keep_both_trees(seed):
    stream = _native.Stream(seed)
    shape = gp.Shape("ordered", (LIAO, LIAO))
    parents = gp.create_forests(shape, "ramped_half_and_half", 2, stream.child("parents"))
    children = gp.crossed(*parents, gp.Limits(), stream.child("cross"))
    assert all(child.role == "ordered" and len(child.trees) == 2 for child in children)


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"player": {"work": 9}}, 'player.ordering: must be "tree"'),
        ({"player": {"depth": 3, "ordering": "tree"}}, "changes games only with player.work"),
        ({"individual": {"kind": "sum"}}, "tree is for individual.kind"),
    ],
)
def test_what_a_run_refuses(changes, says):
    with pytest.raises(ConfigError, match=says):
        config(**changes)
