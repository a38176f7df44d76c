"""The x-ray: every number is that of the player's own evaluator, taken apart by other means."""

import json
import math
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_records import record_after

import evoply as ep
from evoply import Color, Stream, _native
from evoply.expressions import (
    PRIMITIVE_SETS,
    PrimitiveSet,
    argument,
    board,
    count,
    less,
    select,
    symmetric_copies,
)
from evoply.games import SHAPES, game_rules
from evoply.gp import Tree, lower, parse_individual, parse_tree
from evoply.players import SWH_WEIGHTS, strong_tables
from evoply.players.online import evolved

LIAO = PRIMITIVE_SETS["liao+mobility"]
MIDDLE = "f5d6c3d3c4f4f6f3e6e7d7g6"
CHOICES = st.lists(st.integers(0, 30), max_size=55)


def value_of(tree: Any, position: Any, game: str = "othello") -> float:
    batch = _native.Positions(game_rules(game).kernel, [position.row])
    return float(lower([tree], game)[0].evaluate(batch)[0, 0])


@given(CHOICES)
def test_features_are_counted_on_the_board(choices: list[int]) -> None:
    position = record_after("othello", choices).position
    own, opponent = position.own.bit_count(), position.opponent.bit_count()
    seen = ep.xray("greedy", position)
    assert {one.text: (one.value, one.adds) for one in seen.features} == {
        "count(own)": (own, own),
        "count(opponent)": (opponent, -opponent),
    }
    assert seen.value == own - opponent
    assert seen.own is position.turn


@pytest.mark.parametrize("player", ["firebrand", "swh", "strong", "edgar-like", "mobility"])
@settings(max_examples=25)
@given(CHOICES)
def test_what_features_add_is_the_value(player: str, choices: list[int]) -> None:
    seen = ep.xray(player, record_after("othello", choices).position)
    assert seen.value is not None
    assert all(one.adds is not None for one in seen.features)
    added = math.fsum(one.adds or 0.0 for one in seen.features) + (seen.rest or 0.0)
    # The kernel adds mixed entries in single precision.
    assert added == pytest.approx(seen.value, abs=1e-4 if player == "strong" else 1e-9)


@given(CHOICES)
def test_squares_of_a_weighted_counter_are_its_weights(choices: list[int]) -> None:
    seen = ep.xray("swh", record_after("othello", choices).position)
    assert seen.squares == pytest.approx(SWH_WEIGHTS)


@settings(max_examples=25)
@given(CHOICES)
def test_regions_are_the_sums_of_the_entries_there(choices: list[int]) -> None:
    position = record_after("othello", choices).position
    packed = strong_tables()
    own, opponent = position.own, position.opponent
    pieces = (own | opponent).bit_count()
    bounds = (0, *packed.stages, 64)
    middles = [(one + other) / 2 for one, other in pairwise(bounds)]
    shares = [np.interp(pieces, middles, row) for row in np.eye(len(middles))]
    seen = {one.words: one.adds or 0.0 for one in ep.xray("strong", position).features}
    place = 0
    corner = total = 0.0
    for one in packed.patterns:
        squares = one.squares.split()
        entries = 3 ** len(squares)
        tables = packed.values[place : place + entries * len(middles)].reshape(-1, entries)
        table = np.tensordot(shares, tables, 1)
        place += tables.size
        for copy in symmetric_copies(squares, SHAPES[8], one.symmetries):
            index = 0
            for name in copy:
                bit = 1 << (ord(name[0]) - 97 + 8 * (int(name[1:]) - 1))
                index = 3 * index + (1 if own & bit else 2 if opponent & bit else 0)
            total += table[index]
            # By hand: what has h8 and no other corner, or lies in its quarter without an edge.
            has = {name for name in copy if name in ("a1", "h1", "a8", "h8")}
            is_near = {"g7"} <= set(copy) <= {c + r for c in "efgh" for r in "5678"}
            is_diagonal = set(copy) == {"h5", "g6", "f7", "e8"}
            if has == {"h8"} or (not has and (is_near or is_diagonal)):
                corner += table[index]
    assert sum(seen.values()) == pytest.approx(total, abs=1e-4)
    assert seen["the corner h8 and what is around it"] == pytest.approx(corner, abs=1e-4)


@pytest.mark.parametrize(
    "text",
    [
        "( + ( - white 3.0 ) ( * white_mobility ( / black white_corners ) ) )",
        "( / ( + white 10 ) ( - black black ) )",
        "( white_near_corners )",
    ],
)
@given(CHOICES)
def test_each_node_has_the_value_of_its_subtree(text: str, choices: list[int]) -> None:
    position = record_after("othello", choices).position
    tree = parse_tree(text, LIAO.with_constants(-9.0, 9.0))
    (values,) = ep.xray(tree, position).tree_values
    expected = [
        value_of(Tree(tree.primitive_set, tree.nodes[start:end]), position)
        for start, end in enumerate(tree.ends)
    ]
    assert list(values) == expected


def test_introns_have_no_value() -> None:
    record = ep.othello.Game.from_transcript(MIDDLE)
    text = "( NullJ ( MultERC[2.5] Mobility ) 1 )"
    primitives = PRIMITIVE_SETS["benbassat"]
    tree = parse_tree(text, primitives)
    seen = ep.xray(tree, record)
    mobility = len(record.position.legal_moves)
    assert seen.tree_values == ((2.5 * mobility, 2.5 * mobility, mobility, None),)
    picture = seen.svg()
    assert picture is not None
    texts = ElementTree.fromstring(picture).iter("{http://www.w3.org/2000/svg}text")
    labels = ["".join(one.itertext()) for one in texts]
    assert labels[2:] == [f"Mobility {mobility}", "1"]


def test_trees_take_turns() -> None:
    primitives = LIAO
    individual = parse_individual("( white ),50,( - black 10 ),50", primitives)
    early = ep.xray(individual, ep.othello.Game.from_transcript(MIDDLE))
    assert early.tree_values == ((8.0,), None)
    assert [(one.text, one.adds) for one in early.features] == [("white", 8.0)]
    late = record_after("othello", [3] * 50).position
    seen = ep.xray(individual, late)
    assert seen.tree_values[0] is None
    assert seen.value == late.opponent.bit_count() - 10
    assert seen.rest == -10


def test_a_definition_shows_its_first_call() -> None:
    text = "{ adf ( + ( ADF0 white ) ( ADF0 3 ) ) ADF0/1 ( * ARG0 10 ) }"
    individual = parse_individual(text, PRIMITIVE_SETS["liao"])
    seen = ep.xray(individual, ep.othello.Game.from_transcript(MIDDLE))
    assert seen.tree_values == ((110.0, 80.0, 8.0, 30.0, 3.0), (80.0, 8.0, 10.0))


def test_truths_and_sets_of_squares_are_said_as_such() -> None:
    primitives = (
        PrimitiveSet("typed", constants=(0.0, 1.0))
        .with_primitive("if", select(argument(0, "truth"), argument(1), argument(2)))
        .with_primitive("<", less(argument(0), argument(1)))
        .with_primitive("count", count(argument(0, "squares")))
        .with_primitive("own", board.own)
        .with_primitive("white", count(board.own))
    )
    tree = parse_tree("( if ( < 1 white ) ( count own ) 0 )", primitives)
    seen = ep.xray(tree, ep.othello.Game.from_transcript(MIDDLE))
    assert seen.tree_values == ((8.0, True, 1.0, 8.0, 8.0, 8.0, 0.0),)
    picture = seen.svg()
    assert picture is not None
    for said in ("yes", "8 squares"):
        assert f">{said}</tspan>" in picture


def test_weights_of_an_online_player_are_those_it_chose_by() -> None:
    record = ep.othello.Game.from_transcript("f5d6c3")
    player = ep.parse_player("online:population=8,generations=2,games=2,carry=none", game="othello")
    stream = Stream(5, "play", "game")
    seen = ep.xray(player, record, color=Color.BLACK, stream=stream)
    before = record.positions[2]
    alpha = evolved(player, before, stream.child(0, before.ply).key, None)
    assert seen.squares == tuple(map(float, alpha.strategy.board))
    assert seen.position == before.text()
    assert seen.value is None
    with pytest.raises(ValueError, match="White has had no choice"):
        ep.xray(player, ep.othello.Position(), color=Color.WHITE)


def test_what_has_nothing_inside_says_so() -> None:
    for player in (ep.RandomPlayer(), ep.RandomStart(plies=4, player=ep.RandomPlayer())):
        with pytest.raises(ValueError, match="values nothing"):
            ep.xray(player, ep.othello.Position())


@pytest.mark.parametrize("game", ["checkers", "othello-10", "lose-checkers", "othello-4"])
@given(CHOICES)
def test_it_holds_in_every_game(game: str, choices: list[int]) -> None:
    position = record_after(game, choices).position
    seen = ep.xray("material", position)
    cells = position.diagram(legal=False).cells
    size = game_rules(game).shape.side
    assert len(seen.squares) == size * size
    assert all(
        value is None
        for value, cell in zip(seen.squares, cells, strict=True)
        if not cell.is_playable
    )
    json.dumps(seen.to_dict(), allow_nan=False)


def test_own_is_who_chooses_where_the_view_says_so() -> None:
    position = ep.othello.Game.from_transcript("f5").position  # White to move, 4 against 1
    for color, value in ((Color.BLACK, 4), (Color.WHITE, 1)):
        seen = ep.xray("( white )", position, color=color)
        assert (seen.own, seen.value) == (color, value)
    turn = ep.xray("( white ):view=turn", position, color=Color.BLACK)
    assert (turn.own, turn.value) == (Color.WHITE, 1)
