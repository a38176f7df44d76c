"""Islands: plain evolution on each, the same steps whatever computes them, configs, champions."""

from __future__ import annotations

import json
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, evolve, load_config, stream_for
from evoply.islands import (
    IslandEvolution,
    IslandsConfig,
    IslandsStep,
    evolve_islands,
    load_islands_config,
)
from evoply.islands.islands import best_of, points_of_best
from evoply.islands.islands_config import island_seed, settled
from evoply.players import TreeEvaluator
from evoply.players.player_saving import save_player
from evoply.protocols import Progress

BASE: dict[str, Any] = {
    "population_size": 24,
    "limits": {"max_nodes": 25},
    "fitness": {
        "opening_plies": 3,
        "opponents": [{"player": "greedy", "pairs": 2}],
        "earlier_generations": {"champions": 2, "pairs": 2},
    },
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 4, "pairs": 2},
}
SMALL: dict[str, Any] = {
    "game": "othello-4",
    "seed": 3,
    "islands": 3,
    "every": 2,
    "migrants": 2,
    "generations": 8,
    "test_pairs": 6,
    "base": BASE,
}


def digests(config: IslandsConfig, **options: Any) -> list[str]:
    return [step.digest for step in evolve_islands(config, **options)]


@pytest.mark.parametrize("every", [1, 3])
def test_an_island_alone_is_plain_evolution(every: int) -> None:
    config = IslandsConfig(**{**SMALL, "islands": 1, "every": every, "generations": 6})
    plain = list(evolve(EvolutionConfig(game="othello-4", seed=3, generations=6, **BASE)))
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
    config = IslandsConfig(**{**SMALL, "migrants": 0})
    *_, last = evolve_islands(config)
    for place, island in enumerate(last.generations):
        seed = island_seed(3, place)
        *_, plain = evolve(EvolutionConfig(game="othello-4", seed=seed, generations=8, **BASE))
        assert island.digest == plain.digest
    assert len({island.config.seed for island in last.generations}) == 3


def test_migrants_change_what_comes_after_them_only() -> None:
    apart = list(evolve_islands(IslandsConfig(**{**SMALL, "migrants": 0})))
    together = list(evolve_islands(IslandsConfig(**SMALL)))
    assert [island.fresh for island in together[0].generations] == [
        island.fresh for island in apart[0].generations
    ]
    assert together[0].digest != apart[0].digest
    assert [dict(step.statistics)["migrants"] for step in together] == [6] * 4
    assert together[1].statistics["survived"] > 0


@pytest.mark.parametrize("topology", ["ring", "all", "random"])
def test_threads_and_interruptions_change_nothing(topology: str) -> None:
    config = IslandsConfig(**{**SMALL, "topology": topology, "island": [{}, {"elitism": 2}]})
    whole = list(evolve_islands(config, threads=1))
    expected = [step.digest for step in whole]
    assert [step.number for step in whole] == [0, 1, 2, 3]
    assert digests(config, threads=2) == digests(config, threads=4) == expected
    learner = IslandEvolution()
    for step in whole:
        stored = learner.load(config, json.loads(json.dumps(learner.dump(step))))
        assert stored == step
        assert digests(config, resume_from=stored) == expected[step.number + 1 :]
    others = IslandsConfig(**{**SMALL, "seed": 4})
    assert not set(digests(others)) & set(expected)


def test_every_island_may_have_its_own_config() -> None:
    config = IslandsConfig(
        **{**SMALL, "island": [{}, {"population_size": 40, "fitness": {"sides": "black"}}]}
    )
    assert [island.population_size for island in config.of_islands] == [24, 40, 24]
    assert config.of_islands[1].fitness.opponents == config.of_islands[0].fitness.opponents
    step = IslandEvolution().first(config)
    assert [len(island.individuals) for island in step.generations] == [24, 40, 24]
    assert len(step.champions) == 3


def test_nobody_meets_an_opening_of_training_in_the_test() -> None:
    config = IslandsConfig(**SMALL)
    tested: set[int] = set()
    trained: set[int] = set()
    for number in range(20):
        tested.update(Stream(3, "best of islands", number).child("opening").keys(50).tolist())
        for island in config.of_islands:
            for purpose in ("training", "fresh"):
                stream = stream_for(island, purpose, number)
                trained.update(stream.child("opening").keys(50).tolist())
    assert len(tested) == 20 * 50
    assert not tested & trained


def test_the_champion_is_the_best_against_the_others() -> None:
    config = IslandsConfig(**{**SMALL, "generations": 4})
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
    config = IslandsConfig(**{**SMALL, "generations": 2})
    island = IslandEvolution().first(config).generations[0]
    points, _ = points_of_best(config, [island] * 3, 0)
    assert points == (0.5, 0.5, 0.5)


def test_points_are_those_of_a_match() -> None:
    """Asked of the games one by one: each pairing as games of two players."""
    config = IslandsConfig(**{**SMALL, "islands": 2, "test_pairs": 200, "game": "othello-6"})
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
    config = IslandsConfig(**{**SMALL, "generations": None, **limit})
    assert len(list(evolve_islands(config))) == steps


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"generations": None}, "generations", "never ends"),
        ({"islands": 0}, "islands", "equal to 1"),
        ({"every": 0}, "every", "equal to 1"),
        ({"topology": "star"}, "topology", "'ring'"),
        ({"migrants": 24}, "migrants", "24 come to an island of 24"),
        ({"migrants": 12, "topology": "all"}, "migrants", "24 come to an island of 24"),
        ({"island": [{}] * 4}, "island", "4 tables are for 3 islands"),
        ({"base": "tuples"}, "base", "not a config of evolution"),
        ({"base": "dmo"}, "base", "did you mean 'demo'"),
        ({"base": 3}, "base", "must be a table"),
        ({"base": {"population_size": 1}}, "base.population_size", "equal to 2"),
        ({"base": {"populations": 9}}, "base.populations", "unknown key"),
        ({"base": {"seed": 2}}, "base.seed", "at the top"),
        ({"island": [{"generations": 2}]}, "island.0.generations", "at the top"),
        ({"base": {"tuning": {}}}, "base.tuning", "leave it out"),
        ({"island": [{}, {"elitism": 99}]}, "island.1.elitism", "24"),
        ({"island": [{}, {"primitives": "liao"}]}, "island.1.primitives", "alike"),
        ({"island": [{}, {"individual": {"kind": "sum"}}]}, "island.1.individual", "alike"),
        (
            {"island": [{}, {"fitness": {"measure": {"kind": "opponent_discs"}}}]},
            "island.1.fitness.measure",
            "alike",
        ),
        ({"island": [{}, {"selection": {"kind": "lexicase"}}]}, "island.1.fitness", "single cases"),
        ({"base": {"limits": {"max_nodes": float("nan")}}}, "base", "as TOML has them"),
    ],
)
def test_mistakes_are_named(changes: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ep.ConfigError) as raised:
        IslandsConfig(**{**SMALL, **changes})
    messages = dict(raised.value.errors)
    assert path in messages
    assert says in messages[path]


def test_a_base_is_a_preset_a_file_or_a_config(tmp_path: Path) -> None:
    preset = IslandsConfig(base="quick", generations=2)
    assert preset.game == "othello-6"  # the game of its base
    assert "time_limit" not in preset.base
    evolution = load_config("quick", ["seed=9"])
    given = IslandsConfig(base=evolution, generations=2)  # type: ignore[arg-type]
    assert given.of_islands == preset.of_islands
    (tmp_path / "mine.toml").write_text("game = 'othello-4'\npopulation_size = 20\nseed = 4\n")
    file = tmp_path / "islands.toml"
    file.write_text("learner = 'islands'\nbase = 'mine.toml'\ngenerations = 2\n")
    config = load_islands_config(file, ["base.elitism=3", "island=[]"], {"islands": 2})
    assert (config.game, config.seed, config.islands) == ("othello-4", 1, 2)
    assert [island.elitism for island in config.of_islands] == [3, 3]
    assert load_islands_config(config, ["game=othello-6"]).of_islands[0].game == "othello-6"
    for text, says in (
        (
            "learner = 'islands'\nbase = 'patterns-8'\ngenerations = 2\n",
            "not a config of evolution",
        ),
        ("learner = 'islands'\nbase = 'none.toml'\ngenerations = 2\n", "no such file"),
        ("learner = 'islands'\ngenerations = 2\n", "base"),
        ("base = 'quick'\ngenerations = 2\n", "not a config of islands"),
    ):
        file.write_text(text)
        with pytest.raises(ep.ConfigError, match=says):
            load_islands_config(file)


def test_plain_evolution_says_whose_config_it_is() -> None:
    with pytest.raises(ep.ConfigError, match="islands is a config of islands: `evoply evolve`"):
        ep.evolve("islands")


def test_the_preset_is_what_it_says() -> None:
    config = load_islands_config("islands")
    assert {island.population_size for island in config.of_islands} == {
        load_config("demo").population_size
    }
    assert config.games_of_a_step()["test_pairs"] == 2 * config.test_pairs * 6


def test_settled_configs_know_the_players_of_files(tmp_path: Path) -> None:
    file = tmp_path / "rival.json"
    player = ep.AfterState(evaluator=TreeEvaluator(tree="( - white black )"))
    save_player(file, player, game="othello-4")
    rival = {"opponents": [{"player": str(file), "pairs": 2}]}
    config = IslandsConfig(
        **{**SMALL, "base": {**BASE, "fitness": rival}, "island": [{}, {"fitness": rival}]}
    )
    before = IslandEvolution().first(config).digest
    kept = settled(config)
    file.unlink()
    assert str(file) not in json.dumps([kept.base, kept.island])
    assert kept.base.keys() == config.base.keys()
    assert IslandEvolution().first(kept).digest == before


def test_an_error_on_one_island_ends_all() -> None:
    config = IslandsConfig(**{**SMALL, "every": 50, "generations": 50})
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
    list(evolve_islands(IslandsConfig(**SMALL), threads=2, progress=heard.append))
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
    config = IslandsConfig(**{**SMALL, "generations": 1})
    learner = IslandEvolution()
    step: IslandsStep = learner.first(config)
    with pytest.raises(ValueError, match=r"step|points|invalid|argument"):
        learner.load(config, {**learner.dump(step), **damage})
