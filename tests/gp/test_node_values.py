"""Values of all nodes in one program: the oracle evaluates the expression of each by itself."""

import math

import numpy as np
import pytest

from evoply import gp
from evoply._native import Positions, Program, Stream
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_rules
from evoply.gp import Genotype, Shape, lowering, node_expressions, node_values

GAME = "othello"


def boards(count: int = 12) -> Positions:
    rules = game_rules(GAME)
    return Positions.random(rules.kernel, count, 7, 0, rules.late_ply)


def slow_values(individual: Genotype, positions: Positions) -> np.ndarray:
    rules = game_rules(GAME)
    rows = []
    for tree, known in zip(gp.branches(individual), node_expressions(individual), strict=True):
        for node, expression in zip(tree.nodes, known, strict=True):
            if expression is None or node.type == "squares":
                rows.append([math.nan] * len(positions))
            else:
                program = Program(rules.kernel, expression.to_json(rules.shape))
                rows.append(program.evaluate(positions)[:, 0].tolist())
    return np.array(rows)


@pytest.mark.parametrize("name", ["liao", "liao+mobility", "benbassat", "squares"])
def test_every_node_has_the_value_of_its_expression(name: str) -> None:
    positions = boards()
    trees = gp.ramped_half_and_half(PRIMITIVE_SETS[name], 20, Stream(3))
    values = node_values(trees, GAME, positions)
    for tree, found in zip(trees, values, strict=True):
        assert found.shape == (len(tree), len(positions))
        np.testing.assert_array_equal(found, slow_values(tree, positions))
    whole = [program.evaluate(positions)[:, 0] for program in gp.lower(trees, GAME)]
    np.testing.assert_array_equal([one[0] for one in values], whole)
    assert node_values([], GAME, positions) == []


def test_individuals_of_several_trees_have_all_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    positions = boards()
    liao = PRIMITIVE_SETS["liao"]
    one = gp.create(liao, "full", 1, Stream(1), min_depth=3, max_depth=4)[0]
    forests = [
        *gp.create_forests(
            Shape("sum", (liao, liao)), "grow", 4, Stream(5), min_depth=2, max_depth=4
        ),
        gp.Forest("sum", (one, one)),
    ]
    mixed = [*forests, *gp.ramped_half_and_half(PRIMITIVE_SETS["benbassat"], 5, Stream(3))]
    monkeypatch.setattr(lowering, "_NODES_AT_ONCE", 7)
    for individual, found in zip(mixed, node_values(mixed, GAME, positions), strict=True):
        np.testing.assert_array_equal(found, slow_values(individual, positions))


def test_too_many_nodes_for_a_program_are_divided(monkeypatch: pytest.MonkeyPatch) -> None:
    positions, asked = boards(3), []
    trees = gp.create(PRIMITIVE_SETS["benbassat"], "full", 150, Stream(4), min_depth=6, max_depth=7)
    fill = lowering._fill

    def noted(values: object, nodes: object, *rest: object) -> None:
        asked.append(len(nodes))
        fill(values, nodes, *rest)

    monkeypatch.setattr(lowering, "_NODES_AT_ONCE", 100_000)
    monkeypatch.setattr(lowering, "_fill", noted)
    values = node_values(trees, GAME, positions)
    assert max(asked) >= 2 * min(asked)
    np.testing.assert_array_equal(values[-1], slow_values(trees[-1], positions))
