"""The first population: methods of creation, duplicates, ramps, and saved players as seeds."""

from pathlib import Path

import pytest
from engine_settings import config_with

from evoply import gp
from evoply._native import Stream
from evoply.evolution import (
    evolve,
    individual_player,
)
from evoply.evolution.breeding import first_population
from evoply.evolution.toolbox import toolbox_of
from evoply.gp import GenerationError, Tree
from evoply.players import save_player
from evoply.protocols import ConfigError


@pytest.mark.parametrize("method", ["ramped_half_and_half", "ramped_grow", "ramped_full", "grow"])
def test_every_method_creates_trees_as_the_functions_of_gp_do(method: str) -> None:
    """One rule for trying again, whatever the method is: that of `gp.create`."""
    config = config_with(population_size=60, primitives="liao", initialisation={"method": method})
    settings = config.initialisation
    created = gp.create(
        config.primitive_set, settings.method, 60, Stream(8),
        min_depth=settings.min_depth, max_depth=settings.max_depth, limits=config.limits.of_trees,
        duplicates=settings.duplicates,
    )  # fmt: skip
    assert [one.tree for one in first_population(toolbox_of(config).breeder, Stream(8))] == created


@pytest.mark.parametrize("method", ["ramped_half_and_half", "ramped_grow", "ramped_full", "grow"])
def test_duplicates_are_treated_as_asked(method: str) -> None:
    def made(duplicates: str, size: int, depth: int = 4) -> list[Tree]:
        config = config_with(
            population_size=size,
            primitives="liao",
            initialisation={"method": method, "max_depth": depth, "duplicates": duplicates},
        )
        return [one.tree for one in first_population(toolbox_of(config).breeder, Stream(8))]

    assert len(set(made("refuse", 200))) == 200
    # 4 functions of two of nine terminals: 324 trees of depth 2, and no more.
    config = config_with(
        population_size=400,
        primitives="liao",
        initialisation={"method": method, "max_depth": 2, "duplicates": "refuse"},
        limits={"max_depth": 2},
    )
    with pytest.raises(GenerationError, match="equals an earlier one"):
        first_population(toolbox_of(config).breeder, Stream(8))
    assert len(set(made("allow", 200, depth=2))) < 200


def test_ramps_go_through_their_depths() -> None:
    for method in ("ramped_full", "ramped_grow"):
        config = config_with(
            population_size=50, initialisation={"method": method, "min_depth": 2, "max_depth": 6}
        )
        depths = [one.tree.depth for one in first_population(toolbox_of(config).breeder, Stream(9))]
        limits = [2 + place % 5 for place in range(50)]
        assert all(depth <= limit for depth, limit in zip(depths, limits, strict=True))
        if method == "ramped_full":
            assert depths == limits


def test_a_population_can_begin_with_saved_players(tmp_path: Path) -> None:
    config = config_with(generations=2)
    best = list(evolve(config))[-1].best.tree
    path = tmp_path / "best.json"
    save_player(path, individual_player(config, best), game="othello-6")
    seeds = [str(path), "( - white black )"]
    seeded = config_with(initialisation={"seeds": seeds})
    first = first_population(toolbox_of(seeded).breeder, Stream(1))
    assert [one.origin for one in first[:3]] == ["seed", "seed", "ramped_half_and_half"]
    assert first[0].tree == best
    assert first[0].tree.primitive_set is seeded.primitive_set
    assert len(first) == 24
    wrong = {
        "greedy": "initialisation.seeds.0",
        str(tmp_path / "none.json"): "initialisation.seeds.0",
        "( white": "initialisation.seeds.0",
        "random": "initialisation.seeds.0",
    }
    for text, where in wrong.items():
        if text == "greedy":
            continue
        with pytest.raises(ConfigError) as caught:
            config_with(initialisation={"seeds": [text]})
        assert caught.value.errors[0][0] == where
    with pytest.raises(ConfigError, match="which the set letters lacks"):
        config_with(primitives="letters", initialisation={"seeds": [str(path)]})
    with pytest.raises(ConfigError, match="over the limits"):
        config_with(
            initialisation={"seeds": ["( - white ( - white ( - white black ) ) )"], "max_depth": 3},
            limits={"max_depth": 3},
        )
    with pytest.raises(ConfigError, match="more than population_size"):
        config_with(population_size=2, initialisation={"seeds": ["( white )"] * 3})
