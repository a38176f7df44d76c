"""What a researcher adds from outside: run, stopped, resumed to equal digests, and compared."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import outside_learners
import outside_parts
import pytest
from outside_learners import CmaEs, MapElites, Settings
from outside_parts import (
    FAIR,
    SEMANTIC,
    Novelty,
    double_tournament,
    size_fair_crossover,
)

import evoply as ep
from evoply import gp
from evoply.arena import play_against, prepared
from evoply.evolution import EvolutionConfig, Generation, Parents
from evoply.protocols import steps
from evoply.runs import advance

SMALL: dict[str, Any] = {
    "game": "othello-4",
    "population_size": 16,
    "generations": 4,
    "primitives": "liao",
    "initialisation": {"max_depth": 4},
    "variation": {"crossover": 0.2},
    "fitness": {"opponents": [{"player": "random", "pairs": 2}]},
    "hall_of_fame": {"pairs": 1, "final_pairs": 1},
}
PARTS: dict[str, dict[str, Any]] = {
    "size-fair crossover": {"operators": {"fair": FAIR}},
    "semantic crossover": {"operators": {"semantic": SEMANTIC}},
    "novelty archive": {"fitness": Novelty(neighbours=2)},
    "double tournament": {"selection": double_tournament},
    "all at once": {
        "operators": {"fair": FAIR, "semantic": SEMANTIC},
        "fitness": Novelty(),
        "selection": double_tournament,
    },
}
LEARNERS = {"CMA-ES": CmaEs(), "MAP-Elites": MapElites()}
LEARNED = Settings("othello-4")


def small(**changes: Any) -> EvolutionConfig:
    return EvolutionConfig(**{**SMALL, **changes})


@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("survival", ["offspring", "pareto"])
def test_a_run_that_was_stopped_ends_as_an_unbroken_one(
    name: str, survival: str, tmp_path: Path
) -> None:
    config, parts = small(survival={"kind": survival}), PARTS[name]
    whole = [one.digest for one in ep.evolve(config, threads=2, **parts)]
    assert len(set(whole)) == 4
    assert whole != [one.digest for one in ep.evolve(config)]
    with ep.Run.create(tmp_path / "run", config, **parts) as run:
        for step in advance(run, threads=1):
            if step.number == 1:
                break
    with ep.Run.open(tmp_path / "run") as run:
        list(advance(run, threads=1, **parts))
        assert run.digests() == whole
        assert run.status == "finished"


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_that_was_stopped_ends_as_an_unbroken_one(name: str, tmp_path: Path) -> None:
    learner = LEARNERS[name]
    whole = [one.digest for one in steps(learner, LEARNED)]
    assert len(set(whole)) == 4
    with ep.Run.create(tmp_path / "run", LEARNED, learner=learner) as run:
        for step in advance(run):
            if step.number == 1:
                break
    with ep.Run.open(tmp_path / "run", learner=learner) as run:
        list(advance(run))
        assert run.digests() == whole
        assert run.status == "finished"
        better = run.rows()[-1]["best"]
        assert 0 <= better <= 1
    last = [*steps(learner, LEARNED)][-1]
    played = ep.match(last.champions[0], "random", game="othello-4", games=20)
    assert played.games == 20


def test_the_archive_is_kept_with_its_generation(tmp_path: Path) -> None:
    generations = list(ep.evolve(small(), fitness=Novelty(most_kept=2)))
    for number, generation in enumerate(generations):
        assert generation.state["generations"] == list(range(number + 1))
        assert len(generation.state["archive"]) == min(number + 1, 2)
    with ep.Run.create(tmp_path / "run", small(), fitness=Novelty(most_kept=2)) as run:
        list(advance(run))
        stored: Generation = run.generation(2)
    assert stored.state == generations[2].state
    assert stored == generations[2] or stored.digest == generations[2].digest
    other = [*ep.evolve(small(), fitness=Novelty(most_kept=1))]
    assert other[1].digest != generations[1].digest  # the state is digested


def test_a_state_that_cannot_be_kept_is_refused() -> None:
    class Bad(Novelty):
        def measured(self, population: Any, training: Any) -> Any:
            result = super().measured(population, training)
            return type(result)(result.fitness, state={"archive": result.fitness})

    with pytest.raises(ValueError, match=r"Measured\.state of Bad cannot be kept: .*tolist"):
        next(ep.evolve(small(), fitness=Bad()))


def test_a_state_is_kept_in_a_steady_state() -> None:
    class Counting(ep.evolution.FitnessKind):
        kind: str = "counting"

        def measured(self, population: Any, training: Any) -> Any:
            calls = (training.state or 0) + 1
            fitness = np.array([-len(tree) for tree in population.trees], dtype=float)
            return ep.evolution.Measured(fitness[population.who], state=calls)

    config = small(steady_state={"batch": 4})
    generations = list(ep.evolve(config, fitness=Counting()))
    assert [one.state for one in generations] == [1, 5, 9, 13]
    again = ep.evolve(config, fitness=Counting(), resume_from=generations[1])
    assert [one.digest for one in again] == [one.digest for one in generations[2:]]


@pytest.mark.parametrize("survival", ["offspring", "pareto"])
def test_games_of_a_fitness_with_state_are_replayed(
    survival: str, tmp_path: Path, elsewhere: Callable[[], None]
) -> None:
    config = small(survival={"kind": survival})

    class Unnamed(Novelty):
        pass

    for number, kind in enumerate((Novelty(), Unnamed())):
        parts: dict[str, Any] = {"fitness": kind, "selection": double_tournament}
        with ep.Run.create(tmp_path / f"{number}", config, **parts) as run:
            list(advance(run))
            elsewhere()
            given = {} if number == 0 else {"fitness": kind}
            games = ep.replay(run, 2, 0, **given).games
            generation = run.generation(2)
            for game in range(0, games, 7):
                played = ep.replay(run, 2, game, **given)
                assert played.number == game
                for place in played.individuals:
                    tree = str(generation.individuals[place].tree)
                    assert tree in (played.black, played.white)
            if number:
                elsewhere()
                with pytest.raises(ep.RunError, match="or give it again"):
                    ep.replay(run, 2, 0)
                with pytest.raises(ep.RunError, match="give the same code"):
                    ep.replay(run, 2, 0, fitness=Novelty())


def test_survivors_are_replayed_with_any_fitness_of_evoplys_own(tmp_path: Path) -> None:
    for number, measure in enumerate(("points", "tournament", "guides")):
        extra = {"co_play": 3} if measure == "guides" else {}
        fitness = {**SMALL["fitness"], "measure": {"kind": measure, **extra}}
        config = small(survival={"kind": "best"}, elitism=0, generations=3, fitness=fitness)
        with ep.Run.create(tmp_path / measure, config) as run:
            list(advance(run))
            last = run.generation(2)
            games = ep.replay(run, 2, 0).games
            counted = set()
            for game in range(0, games, 5 + number):
                played = ep.replay(run, 2, game)
                counted.update(played.individuals)
                assert played.points in (0.0, 0.5, 1.0)
            assert counted <= set(range(len(last.individuals)))
            assert len(counted) > 2


def test_operators_do_what_they_say() -> None:
    trees = gp.ramped_half_and_half(ep.PRIMITIVE_SETS["liao"], 30, ep.Stream(4))
    for seed, (first, second) in enumerate(pairwise(trees)):
        child = size_fair_crossover(first, second, gp.Limits(), ep.Stream(seed))
        place = ep.Stream(seed).below(len(first))
        size = first.ends[place] - place
        assert len(child) - len(first) <= 1 + size
    generations = list(ep.evolve(small(), operators={"semantic": SEMANTIC}))
    assert all(one.census.operators.get("semantic") for one in generations[1:])


def test_an_operator_is_told_of_its_parents() -> None:
    told: list[tuple[Any, ...]] = []

    def asking(tree: gp.Tree, limits: gp.Limits, stream: ep.Stream, *, parents: Parents) -> gp.Tree:
        (values,) = parents.values(tree)
        told.append((tree, parents, values))
        return tree

    config = small(variation={"crossover": 0.2, "custom": {"asking": 0.5}})
    generations = list(ep.evolve(config, operators={"asking": asking}))
    (boards,) = {id(parents.boards) for _, parents, _ in told[:3]}
    assert boards
    for tree, parents, values in told:
        assert values.shape == (len(tree), 64)
        assert not values.flags.writeable
        assert parents.individuals[0].tree == tree
        assert parents.fitness == (parents.individuals[0].fitness,)
    known = {one.fitness for each in generations for one in each.individuals}
    assert {parents.fitness[0] for _, parents, _ in told} <= known
    # One question of the kernel knows all parents of a generation.
    first = told[0][1].boards
    assert {one.tree for one in generations[0].individuals} <= set(first._known)


def test_all_players_of_a_batch_meet_the_same() -> None:
    trees = gp.ramped_half_and_half(ep.PRIMITIVE_SETS["liao"], 5, ep.Stream(4))
    players = [*trees, trees[0], "greedy", ep.parse_player("random")]
    opponents = ["random", "greedy:depth=2"]
    options: dict[str, Any] = {"stream": ep.Stream(3), "pairs": 6}
    games = play_against("othello-6", players, opponents, **options)
    assert games.points.shape == games.plies.shape == (8, 2, 12)
    assert (games.points[0] == games.points[5]).all()
    again = play_against(
        "othello-6", prepared(players, "othello-6"), opponents, threads=2, **options
    )
    assert (again.results.hashes == games.results.hashes).all()
    assert (games.scores == games.points.reshape(8, -1).mean(axis=1)).all()
    # The slow way: each game by itself, from the keys of the schedule.
    schedule = games.schedule
    for game in range(0, 8 * 24, 17):
        player, rest = divmod(game, 24)
        opponent, number = divmod(rest, 12)
        black, white = players[player], opponents[opponent]
        if number % 2:
            black, white = white, black
        alone = ep.arena.play(
            "othello-6",
            [ep.parse_player(one) if isinstance(one, str) else one for one in (black, white)],
            schedule.batch(slice(game, game + 1)).with_seats(np.array([0]), np.array([1])),
        )
        points = alone.black_points[0] if number % 2 == 0 else 1 - alone.black_points[0]
        assert games.points[player, opponent, number] == points
        difference = int(alone.black_discs[0] - alone.white_discs[0])
        sign = 1 if number % 2 == 0 else -1
        assert games.differences[player, opponent, number] == sign * difference
    same = games.schedule.opening_keys.reshape(8, 2, 12)
    assert (same == same[0]).all()
    assert len(set(same[0].ravel().tolist())) == 12
    with pytest.raises(ValueError, match="at least one of each"):
        play_against("othello-6", [], opponents, **options)
    with pytest.raises(ValueError, match="pairs: 0"):
        play_against("othello-6", players, opponents, stream=ep.Stream(1), pairs=0)


def test_they_are_compared_in_an_experiment(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    setups = {
        "plain": small(),
        "novelty": small(),
        "double": small(),
        "fair": small(variation={"crossover": 0.4, "custom": {"fair": 0.3}}),
        "cma": Settings("othello-4"),
        "elites": Settings("othello-4"),
    }
    result = ep.compare(
        setups,
        fitness={"novelty": Novelty()},
        selection={"double": double_tournament},
        operators={"fair": size_fair_crossover},
        learner={"cma": CmaEs(), "elites": MapElites()},
        seeds=1,
        games=10,
        points=1,
        measure="score:mobility",
        workers=1,
    )
    names = {path.name for path in (result.path / "runs").iterdir()}
    assert len(names) == 6
    for path in (result.path / "runs").iterdir():
        with ep.Run.open(path) as run:
            name = path.name.split("-")[1]
            best = [row["best"] for row in run.rows()]
            if name in ("cma", "elites"):
                learner = CmaEs() if name == "cma" else MapElites()
                assert best == [one.statistics["best"] for one in steps(learner, setups[name])]
                continue
            parts = {
                "novelty": {"fitness": Novelty()},
                "double": {"selection": double_tournament},
                "fair": {"operators": {"fair": size_fair_crossover}},
            }.get(name, {})
            alone = [one.statistics.best for one in ep.evolve(setups[name], **parts)]
            assert best == alone


@pytest.mark.parametrize("module", [outside_parts, outside_learners])
def test_they_import_documented_names_alone(module: Any) -> None:
    """What they take of evoply is public: a name of `__all__` of a package in the reference."""
    tree = ast.parse(Path(module.__file__).read_text(encoding="utf-8"))
    reference = Path(__file__).parents[2] / "docs" / "api"
    for node in ast.walk(tree):
        if not isinstance(node, ast.ImportFrom) or not str(node.module).startswith("evoply"):
            continue
        package = __import__(str(node.module), fromlist=["__all__"])
        assert {one.name for one in node.names} <= set(package.__all__)
        name = str(node.module).removeprefix("evoply").lstrip(".")
        assert not name or (reference / f"{name}.md").is_file()
