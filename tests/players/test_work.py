"""A limit in work: positions times operations, so that what an evaluator costs, its search pays."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native
from evoply.arena import match
from evoply.evolution import EvolutionConfig, evolve, individual_player
from evoply.evolution.play import seats_of
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import lower, parse_tree
from evoply.players import load_player, parse_player, save_player, with_options
from evoply.protocols import ConfigError

LEAN = "( - white white_mobility )"
PADDED = f"( + {LEAN} ( * 0 ( - ( * black black ) white_corners ) ) )"
"""The same value: what is added is a zero that has to be computed."""


def operations(text):
    return parse_player(text).evaluator.program("othello").operations


def asked(player, row):
    """Return move, value, nodes, line and depth."""
    return _native.analyse(player.native("othello"), *row, 1)[:5]


def test_padding_is_alive():
    assert operations(PADDED) >= operations(LEAN) + 4
    batch = _native.Positions.random("othello", 50, 3, 0, 50)
    lean, padded = (parse_player(text).evaluator.program("othello") for text in (LEAN, PADDED))
    assert (lean.evaluate(batch) == padded.evaluate(batch)).all()


@given(
    text=st.sampled_from([LEAN, PADDED]),
    work=st.integers(1, 100_000),
    ordering=st.sampled_from(["none", "killer", "evaluator"]),
    seed=st.integers(0, 2**32),
)
def test_a_choice_is_that_of_as_many_nodes(text, work, ordering, seed):
    row = _native.Positions.random("othello", 1, seed, 0, 50)[0]
    nodes = max(1, work // operations(text))
    by_work = parse_player(f"{text}:work={work},ordering={ordering}")
    by_nodes = parse_player(f"{text}:nodes={nodes},ordering={ordering}")
    assert asked(by_work, row) == asked(by_nodes, row)


def test_a_larger_evaluator_sees_fewer_positions():
    batch = _native.Positions.random("othello", 30, 5, 10, 40)
    nodes = [
        [asked(parse_player(f"{text}:work=20000"), batch[index])[2] for index in range(30)]
        for text in (LEAN, PADDED)
    ]
    assert all(lean != padded for lean, padded in zip(*nodes, strict=True))
    assert sum(nodes[1]) < 0.8 * sum(nodes[0])


def test_both_evaluators_of_a_pair_are_paid_for():
    single, pair = parse_player("material:work=9000"), parse_player("material-share:work=9000")
    program = pair._two_programs("othello")
    assert program is not None
    assert program.operations > operations("material")
    row = _native.Positions.random("othello", 1, 4, 20, 20)[0]
    limited = parse_player(f"material-share:nodes={9000 // program.operations}")
    assert asked(pair, row) == asked(limited, row)
    assert asked(single, row)[2] > asked(pair, row)[2]


def test_threads_change_nothing():
    text = f"{PADDED}:work=3000,ordering=killer,ties=random"
    one, two = (match(text, "greedy", games=20, seed=3, threads=threads) for threads in (1, 2))
    assert one == two


def test_a_player_is_written_and_read(tmp_path):
    player = parse_player(f"{LEAN}:work=5000")
    assert (player.depth, player.work, player.nodes) == (60, 5000, None)
    assert player.label == f"{LEAN}:work=5000"
    assert player.reproducible
    save_player(tmp_path / "player.json", player)
    assert load_player(tmp_path / "player.json").work == 5000
    assert parse_player(f"{LEAN}:nodes=5000").model_dump()["work"] is None
    # One limit in positions takes the place of the other, and leaves one in time alone.
    again = with_options(with_options(player, {"time": 1.0}), {"nodes": 10})
    assert (again.nodes, again.work, again.time) == (10, None, 1.0)
    assert with_options(again, {"work": 7}).nodes is None
    assert with_options(player, {"ties": "last"}).work == 5000


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"{LEAN}:work=5,nodes=5", "give nodes or work, not both"),
        (f"{LEAN}:work=0", "work must be a whole number from 1 to 1,000,000,000,000,000"),
        (f"{LEAN}:work=9,depth=0", "work is for players that look ahead"),
    ],
)
def test_what_is_refused(text, says):
    with pytest.raises(ValueError, match=says):
        parse_player(text)


def config(**player):
    return EvolutionConfig(
        game="othello-4",
        population_size=10,
        generations=2,
        primitives="liao+mobility",
        player=player,
        machine={"threads": player.pop("threads", 0)},
    )


def test_individuals_get_their_own_limits():
    trees = [parse_tree(text, PRIMITIVE_SETS["liao+mobility"]) for text in (LEAN, PADDED)]
    limited = EvolutionConfig(generations=1, player={"work": 4000})
    row = _native.Positions.random("othello", 1, 8, 20, 20)[0]
    for tree, seat in zip(trees, seats_of(limited.game_settings, trees), strict=True):
        (program,) = lower([tree], "othello")
        saved = individual_player(limited, tree)
        assert saved.work == 4000
        expected = with_options(saved, {"nodes": 4000 // program.operations})
        assert (
            _native.analyse(seat.native, *row, 1)[:5] == asked(expected, row) == asked(saved, row)
        )


def test_runs_by_work_can_be_repeated():
    first, second = (
        list(evolve(config(work=300, ordering="killer", threads=threads))) for threads in (1, 2)
    )
    assert [one.digest for one in first] == [one.digest for one in second]
    settings = config(work=300, ordering="killer").resolved_settings()["player"]
    # Under a limit an ordering decides how deep a search comes.
    assert settings["work"] == 300
    assert settings["ordering"] == "killer"
    assert settings["nodes"] is None
    assert "ordering" not in config(depth=2, ordering="killer").resolved_settings()["player"]
    assert config(depth=2).resolved_settings()["player"]["work"] is None


@pytest.mark.parametrize(
    ("player", "says"),
    [
        ({"nodes": 5, "work": 5}, "give nodes or work, not both"),
        ({"work": 0}, "player.work: must be greater than or equal to 1"),
        ({"nodes": 10**13}, "player.nodes"),
    ],
)
def test_what_a_run_refuses(player, says):
    with pytest.raises(ConfigError, match=says):
        EvolutionConfig(generations=1, player=player)
