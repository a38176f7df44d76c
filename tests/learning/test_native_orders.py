"""What an order of moves saves is counted by searches in which nothing else differs."""

from __future__ import annotations

from typing import Any

import pytest

from evoply import _native
from evoply.expressions import DIFFERENCES, FIREBRAND_FEATURES, number, outputs_to_json
from evoply.games import game_rules

ORDERS: list[tuple[str, list[int]]] = [
    ("evaluator", [5]), ("table", [3, 5]), ("table", [1, 2, 3, 4, 5]),
]  # fmt: skip


def program_of(game: str) -> Any:
    rules, total = game_rules(game), number(0.0)
    for index, name in enumerate(FIREBRAND_FEATURES):
        if name != "ring_5":
            total = total + number((-1.0) ** index + index / 7) * DIFFERENCES[name].expression
    return _native.Program(game, outputs_to_json([total], rules.shape))


@pytest.mark.parametrize("game", ["othello", "othello-10"])
def test_every_order_finds_the_same_with_fewer_nodes(game: str) -> None:
    program = program_of(game)
    positions = _native.Positions.random(game, 12, 1, 10, 45)
    player = _native.Player(game, "alpha_beta", program, view="turn", depth=5, ordering="none")
    nodes = dict.fromkeys(["none", *map(str, ORDERS)], 0)
    for index in range(12):
        row = positions[index]
        (plain,) = _native.count_nodes(game, program, row, [5])
        code, value, counted, *_ = _native.analyse(player, *row, 1)
        if value is not None:  # A forced move is not valued.
            assert plain[1:5] == (code, value, counted, 0)
        nodes["none"] += plain[3]
        for order, depths in ORDERS:
            counts = _native.count_nodes(game, program, row, depths, order=order)
            assert [count[0] for count in counts] == depths
            assert counts[-1][1:3] == plain[1:3]
            assert (counts[-1][4] > 0) == (order == "evaluator")
            assert all(seconds > 0 for *_, seconds in counts)
            nodes[str((order, depths))] += sum(count[3] for count in counts)
    assert max(nodes.values()) == nodes["none"]
    assert len(set(nodes.values())) == 4


def test_refuses_in_words() -> None:
    program, start = program_of("othello"), game_rules("othello").start().row
    for options, message in [
        ({"order": "best"}, 'order is "best": give none, evaluator or table'),
        ({"order": "table", "table": 40}, "entries is no power of two up to"),
        ({"view": "own"}, "unknown view"),
    ]:
        with pytest.raises(ValueError, match=message):
            _native.count_nodes("othello", program, start, [2], **options)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="depth 0 is not from 1 to 128"):
        _native.count_nodes("othello", program, start, [3, 0])
    with pytest.raises(ValueError, match="the game is over"):
        _native.count_nodes("othello", program, (1, 0, 0, True, 60, 0), [2])
    with pytest.raises(ValueError, match="cannot be used in othello-10"):
        _native.count_nodes("othello-10", program, start, [2])
