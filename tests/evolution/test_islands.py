"""Islands: plain evolution on each, the same steps whatever computes them, configs, champions."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, evolve, load_config, stream_for
from evoply.evolution.config.evolution_config import MOST_GENERATIONS
from evoply.evolution.islands import (
    IslandEvolution,
    IslandsConfig,
    IslandsStep,
    evolve_islands,
    load_islands_config,
)
from evoply.evolution.islands.islands import best_of, points_of_best
from evoply.evolution.islands.migration import MIGRATION, island_seed
from evoply.players import TreeEvaluator, save_player
from evoply.protocols import Progress
from evoply.runs.kept_steps import dumped
from evoply.runs.presets import preset_text

BASE: dict[str, Any] = {
    "game": "othello-4",
    "population_size": 24,
    "limits": {"max_nodes": 25},
    "fitness": {
        "opening_plies": 3,
        "opponents": [{"player": "greedy", "pairs": 2}],
        "earlier_generations": {"champions": 2, "pairs": 2},
    },
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 4, "pairs": 2},
}
TABLE: dict[str, Any] = {"count": 3, "every": 2, "migrants": 2, "test_pairs": 6}


def small(keys: Mapping[str, Any] = MappingProxyType({}), **table: Any) -> IslandsConfig:
    """Return the config of small islands with other *keys*, and with others of their *table*."""
    return IslandsConfig(
        **{"seed": 3, "generations": 8, **BASE, "islands": {**TABLE, **table}, **keys}
    )


def digests(config: IslandsConfig, **options: Any) -> list[str]:
    return [step.digest for step in evolve_islands(config, **options)]


@pytest.mark.parametrize("every", [1, 3])
def test_an_island_alone_is_plain_evolution(every: int) -> None:
    config = small({"generations": 6}, count=1, every=every)
    plain = list(evolve(EvolutionConfig(seed=3, generations=6, **BASE)))
    steps = list(evolve_islands(config))
    assert [step.generations[0].number for step in steps] == list(range(every - 1, 6, every))
    for step in steps:
        (island,) = step.generations
        assert island.digest == plain[island.number].digest
        assert island.individuals == plain[island.number].individuals
        assert step.champion == island.hall_of_fame[0].tree
        played = sum(each.statistics.games for each in plain[: island.number + 1])
        assert (step.games, step.work) == (played, island.census.total_work)


def test_islands_without_migrants_are_plain_runs() -> None:
    config = small(migrants=0)
    *_, last = evolve_islands(config)
    for place, island in enumerate(last.generations):
        seed = island_seed(3, place)
        *_, plain = evolve(EvolutionConfig(seed=seed, generations=8, **BASE))
        assert island.digest == plain.digest
    assert len({island.config.seed for island in last.generations}) == 3


def test_migrants_change_what_comes_after_them_only() -> None:
    apart = list(evolve_islands(small(migrants=0)))
    together = list(evolve_islands(small()))
    assert [island.fresh for island in together[0].generations] == [
        island.fresh for island in apart[0].generations
    ]
    assert together[0].digest != apart[0].digest
    assert [dict(step.statistics)["migrants"] for step in together] == [6] * 4
    assert together[1].statistics["survived"] > 0


@pytest.mark.parametrize("topology", ["ring", "all", "random"])
def test_threads_and_interruptions_change_nothing(topology: str) -> None:
    config = small(topology=topology, changes=[{}, {"elitism": 2}])
    whole = list(evolve_islands(config, threads=1))
    expected = [step.digest for step in whole]
    assert [step.number for step in whole] == [0, 1, 2, 3]
    assert digests(config, threads=2) == digests(config, threads=4) == expected
    learner = IslandEvolution()
    for step in whole:
        stored = learner.load(config, json.loads(json.dumps(learner.dump(step))))
        assert stored == step
        assert digests(config, resume_from=stored) == expected[step.number + 1 :]
    others = small({"seed": 4})
    assert not set(digests(others)) & set(expected)


def test_every_island_may_have_its_own_config() -> None:
    config = small(changes=[{}, {"population_size": 40, "fitness": {"sides": "black"}}])
    assert [island.population_size for island in config.of_islands] == [24, 40, 24]
    assert config.of_islands[1].fitness.opponents == config.of_islands[0].fitness.opponents
    step = IslandEvolution().first(config)
    assert [len(island.individuals) for island in step.generations] == [24, 40, 24]
    assert len(step.champions) == 3
    assert config.individuals == 24 + 40 + 24


def test_nobody_meets_an_opening_of_training_in_the_test() -> None:
    config = small()
    tested: set[int] = set()
    trained: set[int] = set()
    for number in range(20):
        tested.update(Stream(3, "best of islands", number).child("opening").keys(50).tolist())
        for island in config.of_islands:
            for purpose in ("training", "fresh"):
                stream = stream_for(island.seed, purpose, number)
                trained.update(stream.child("opening").keys(50).tolist())
    assert len(tested) == 20 * 50
    assert not tested & trained


def test_the_champion_is_the_best_against_the_others() -> None:
    config = small({"generations": 4})
    for step in evolve_islands(config):
        points, games = points_of_best(config, step.generations, step.number, threads=1)
        assert (points, games) == (step.points, 2 * 6 * 3)
        # Every two games share out two points.
        assert sum(points) * 2 * 2 * 6 == pytest.approx(games)
        assert step.points[step.island] == max(points) == step.statistics["best_points"]
        assert step.champion == best_of(step.generations[step.island])
        games_of = step.generations[step.island].config.game_settings
        assert step.champions[0] == games_of.player(step.champion)
        assert len(step.champions) == 3


def test_equal_players_share_all_points() -> None:
    config = small({"generations": 2})
    island = IslandEvolution().first(config).generations[0]
    points, _ = points_of_best(config, [island] * 3, 0)
    assert points == (0.5, 0.5, 0.5)


def test_points_are_those_of_a_match() -> None:
    """Asked of the games one by one: each pairing as games of two players."""
    config = small({"game": "othello-6"}, count=2, test_pairs=200)
    step = IslandEvolution().first(config)
    players = [island.config.game_settings.player(best_of(island)) for island in step.generations]
    played = ep.match(*players, game="othello-6", games=2000, seed=5, openings=3)
    assert step.points[0] == pytest.approx(played.score, abs=0.1)
    assert np.sum(step.points) == pytest.approx(1)


@pytest.mark.parametrize(
    ("limit", "steps"),
    [({"generations": 3}, 2), ({"games": 1}, 1), ({"work_limit": 1}, 1), ({"time_limit": 1e-6}, 1)],
)
def test_limits_are_read_between_steps(limit: dict[str, Any], steps: int) -> None:
    config = small({"generations": None, **limit})
    assert len(list(evolve_islands(config))) == steps


@pytest.mark.parametrize(
    ("keys", "path", "says"),
    [
        ({"generations": None}, "generations", "never ends"),
        ({"population_size": 1}, "population_size", "equal to 2"),
        ({"populations": 9}, "populations", "unknown key"),
        ({"elitism": 25}, "elitism", "above population_size 24"),
        ({"tuning": {}}, "tuning", "leave it out"),
        ({"termination": {"fitness": 0.9}}, "termination", "leave it out"),
        ({"every": 3}, "every", "did you mean 'refit.every' or 'islands.every'?"),
    ],
)
def test_mistakes_are_named(keys: dict[str, Any], path: str, says: str) -> None:
    assert_refused(path, says, keys)


@pytest.mark.parametrize(
    ("table", "path", "says"),
    [
        ({"count": 0}, "count", "equal to 1"),
        ({"every": 0}, "every", "equal to 1"),
        ({"topology": "star"}, "topology", "'ring'"),
        ({"migrants": 24}, "migrants", "24 come to an island of 24"),
        ({"migrants": 12, "topology": "all"}, "migrants", "24 come to an island of 24"),
        ({"changes": [{}] * 4}, "changes", "4 tables are for 3 islands"),
        ({"changes": [{"generations": 2}]}, "changes.0.generations", "at the top"),
        ({"changes": [{"games": 100}]}, "changes.0.games", "at the top"),
        ({"changes": [{"termination": {"fitness": 0.9}}]}, "changes.0.termination", "leave it out"),
        ({"changes": [{"tuning": {}}]}, "changes.0.tuning", "leave it out"),
        ({"changes": [{}, {"elitism": 99}]}, "changes.1.elitism", "24"),
        ({"changes": [{}, {"elitsm": 1}]}, "changes.1.elitsm", "did you mean 'elitism'"),
        ({"changes": [{}, {"primitives": "liao"}]}, "changes.1.primitives", "for all islands"),
        ({"changes": [{"individual": {"kind": "sum"}}]}, "changes.0.individual", "for all islands"),
        (
            {"changes": [{}, {"fitness": {"measure": {"kind": "opponent_discs"}}}]},
            "changes.1.fitness.measure",
            "alike",
        ),
        ({"changes": [{}, {"selection": {"kind": "lexicase"}}]}, "changes.1.fitness", "cases"),
        ({"changes": [{"limits": {"max_nodes": float("nan")}}]}, "changes", "as TOML has them"),
        ({"changes": [{"demes": None}]}, "changes", "as TOML has them"),
    ],
)
def test_mistakes_in_the_table_are_named(table: dict[str, Any], path: str, says: str) -> None:
    assert_refused(f"islands.{path}", says, **table)


def assert_refused(path: str, says: str, keys: Any = MappingProxyType({}), **table: Any) -> None:
    """Assert that such a config is refused at *path* with a message that *says* so."""
    with pytest.raises(ep.ConfigError) as raised:
        small(keys, **table)
    messages = dict(raised.value.errors)
    assert path in messages
    assert says in messages[path]


def test_a_config_of_evolution_becomes_one_of_islands(tmp_path: Path) -> None:
    quick = load_config("quick", ["seed=9"])
    keys = preset_text("quick").replace("seed = 1", "seed = 9")
    file = tmp_path / "islands.toml"
    file.write_text(f'learner = "islands"\n{keys}\n[islands]\ncount = 2\n')
    config = load_islands_config(file, ["elitism=3"], {"islands": {"every": 4}})
    assert (config.islands.count, config.islands.every) == (2, 4)
    assert config.of_islands[0] == quick.model_copy(
        update={"elitism": 3, "time_limit": None, "generations": MOST_GENERATIONS}
    )
    assert load_islands_config(config, ["game=othello-4"]).of_islands[1].game == "othello-4"
    file.write_text(keys)
    with pytest.raises(ep.ConfigError, match="not a config of islands"):
        load_islands_config(file)


def test_plain_evolution_says_whose_config_it_is() -> None:
    with pytest.raises(ep.ConfigError, match="islands is a config of islands: `evoply evolve`"):
        ep.evolve("islands")
    with pytest.raises(ep.ConfigError, match="config is a config of islands: `evoply evolve`"):
        ep.evolve(small())


def test_the_preset_is_what_it_says() -> None:
    config, demo = load_islands_config("islands"), load_config("demo")
    assert config.of_islands[0].decisive() == demo.decisive()
    games, tests = config.games_of_a_step().values()
    assert games == 4 * config.islands.every * sum(demo.games_of_a_step().values())
    assert tests == 2 * config.islands.test_pairs * 6


def test_settled_configs_know_the_players_of_files(tmp_path: Path) -> None:
    file = tmp_path / "rival.json"
    player = ep.AfterState(evaluator=TreeEvaluator(tree="( - white black )"))
    save_player(file, player, game="othello-4")
    rival = {"opponents": [{"player": str(file), "pairs": 2}]}
    config = small({"fitness": rival}, changes=[{}, {"fitness": rival}])
    before = IslandEvolution().first(config).digest
    kept = IslandEvolution().self_contained(config)
    file.unlink()
    assert str(file) not in kept.model_dump_json()
    assert [change.keys() for change in kept.islands.changes] == [set(), {"fitness"}]
    assert IslandEvolution().first(kept).digest == before


def test_islands_may_hold_maps() -> None:
    """A migrant has no cell where it comes to, until the games of that island have described it."""
    config = small({"survival": {"kind": "map"}, "selection": {"kind": "uniform"}})
    steps = list(evolve_islands(config))
    assert digests(config, threads=2) == [step.digest for step in steps]
    for step in steps:
        for island in step.generations:
            homeless = [each.place is None for each in island.individuals]
            assert homeless == [each.origin == MIGRATION for each in island.individuals]
            assert 0 < sum(homeless) == 2 < len(homeless)
        assert IslandsStep.load(config, json.loads(json.dumps(dumped(step)))) == step
    alone = small({"survival": {"kind": "map"}, "generations": 4}, count=1)
    *_, plain = evolve(alone.of_islands[0].model_copy(update={"generations": 4}))
    *_, last = evolve_islands(alone)
    assert last.generations[0].digest == plain.digest


def test_an_error_on_one_island_ends_all() -> None:
    config = small({"generations": 50}, every=50)
    heard: list[Progress] = []

    def fail(progress: Progress) -> None:
        heard.append(progress)
        raise RuntimeError("the display is gone")

    before = threading.active_count()
    with pytest.raises(RuntimeError, match="the display is gone"):
        list(evolve_islands(config, threads=2, progress=fail))
    assert threading.active_count() == before
    assert sum(progress.done for progress in heard) < 150


def test_progress_counts_the_generations_of_all_islands() -> None:
    heard: list[Progress] = []
    list(evolve_islands(small(), threads=2, progress=heard.append))
    assert sorted((each.generation, each.done) for each in heard) == [
        (step, done) for step in range(4) for done in range(1, 7)
    ]
    assert {each.games for each in heard} == {6}


@pytest.mark.parametrize(
    "damage",
    [
        {"points": [1.0]},
        {"generations": []},
        {"generations": None},
        {"statistics": 3},
        {"games": "?"},
    ],
)
def test_a_step_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    config = small({"generations": 1})
    learner = IslandEvolution()
    step: IslandsStep = learner.first(config)
    with pytest.raises(ValueError, match=r"step|points|invalid|argument"):
        learner.load(config, {**learner.dump(step), **damage})
