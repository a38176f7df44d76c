"""Runs of coevolution and of Python parts: stored, killed, resumed, replayed."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from run_settings import small_config

from evoply import Run, replay
from evoply._native import Stream
from evoply.evolution import EvolutionConfig, censuses, evolve
from evoply.gp import Limits, Tree, point_mutation
from evoply.reports import report_html
from evoply.runs import RunError, advance
from whole_runs import whole_run


def brevity(tree: Tree, stream: Stream) -> float:
    return 1 / len(tree)


def breadth(tree: Tree, stream: Stream) -> float:
    return len(tree) / tree.depth


def fresh_points(first: Tree, second: Tree, limits: Limits, stream: Stream) -> Tree:
    return point_mutation(first, limits, stream, rate=0.5)


def own_config() -> EvolutionConfig:
    return small_config(variation={"crossover": 0.4, "custom": {"points": 0.4}})


def test_a_run_with_python_parts_goes_on_with_them(
    tmp_path: Path, elsewhere: Callable[[], None]
) -> None:
    parts: dict[str, Any] = {"fitness": brevity, "operators": {"points": fresh_points}}
    with Run.create(tmp_path / "own", own_config(), **parts) as run:
        for generation in advance(run):
            if generation.number == 1:
                break
        with pytest.raises(
            RunError, match=r"the fitness\.measure \S+brevity, .* not the same code"
        ):
            next(advance(run, fitness=breadth))
        list(advance(run, **parts))
        unbroken = [one.digest for one in evolve(own_config(), **parts)]
        assert run.digests() == unbroken
        assert "brevity" in report_html(run)
        with pytest.raises(RunError, match="Python code of your own"):
            replay(run, 1, 0)


def test_parts_that_no_file_has_are_given_again(
    tmp_path: Path, elsewhere: Callable[[], None]
) -> None:
    def made() -> dict[str, Any]:
        def short(tree: Tree, stream: Stream) -> float:
            return 1 / len(tree)

        return {"fitness": short, "operators": {"points": lambda *parts: fresh_points(*parts)}}

    def other(tree: Tree, stream: Stream) -> float:
        return 2 / len(tree)

    config = small_config(variation={"crossover": 0.4, "custom": {"points": 0.4}})
    fresh = {**made(), "operators": {"points": lambda a, b, limits, draws: a}}
    unbroken = [one.digest for one in evolve(config, **fresh)]
    with Run.create(tmp_path / "own", config, **fresh) as run:
        next(advance(run))
        assert "(argument)" in report_html(run)
    elsewhere()
    with Run.open(tmp_path / "own") as run:
        for given, message in (
            ({}, r"it is a lambda - write it into a file.*operators=\{'points'"),
            (
                {"operators": fresh["operators"]},
                r"fitness\.measure \S+short is Python .* advance\(run, fitness=\.\.\.\)",
            ),
            ({**fresh, "fitness": other}, "not the same code"),
        ):
            with pytest.raises(RunError, match=message):
                next(advance(run, **given))
        next(advance(run, **{**fresh, "fitness": other}, allow_other_version=True))
        for _ in advance(run, **{**fresh, **{"fitness": made()["fitness"]}}):
            pass
        assert run.digests()[0] == unbroken[0]


def test_functions_of_one_source_keep_their_own_values() -> None:
    def weighted(weight: float) -> Any:
        return lambda tree, stream: weight * len(tree)

    config = small_config()
    short, long = (evolve(config, fitness=weighted(weight)) for weight in (-1.0, 1.0))
    best = [[one.statistics.best for one in pair] for pair in zip(short, long, strict=True)]
    assert all(first < 0 < second for first, second in best)


def test_parts_are_not_given_to_a_run_without(tmp_path: Path) -> None:
    with Run.create(tmp_path / "plain", small_config()) as run:
        next(advance(run))
        with pytest.raises(RunError, match="leave it out"):
            next(advance(run, fitness=brevity))


COEVOLUTION: dict[str, dict[str, Any]] = {
    "co-play": {"fitness": {"measure": "3Co"}},
    "pareto": {
        "fitness": {"measure": {"kind": "tournament"}},
        "selection": {"kind": "pareto", "objectives": "opponents"},
    },
    "steady state": {"steady_state": {"batch": 4}},
}


@pytest.mark.parametrize("kind", COEVOLUTION)
def test_a_stored_generation_of_coevolution_is_the_one_that_was_made(
    kind: str, tmp_path: Path
) -> None:
    config = small_config(**COEVOLUTION[kind])
    unbroken = list(evolve(config))
    with Run.create(tmp_path / "run", config) as run:
        for _ in islice(advance(run), 2):
            pass
    with Run.open(tmp_path / "run") as run:  # as after a kill: nothing but the folder is left
        stored = run.generation(1)
        assert stored.individuals == unbroken[1].individuals
        assert stored.census == unbroken[1].census
        list(advance(run))
        assert run.digests() == [one.digest for one in unbroken]
        assert len(censuses(run)) == 4
        if kind == "steady state":
            with pytest.raises(RunError, match="cannot be replayed"):
                replay(run, 1, 0)
        assert "Operators" in report_html(run)


@pytest.mark.parametrize("measure", ["opponent_discs", "epoch_discs"])
def test_games_for_discs_are_replayed(measure: str, tmp_path: Path) -> None:
    config = small_config(
        generations=2,
        fitness={
            "measure": {"kind": measure},
            "opponents": [{"player": "random", "games": 3}],
            "sides": "white",
        },
    )
    with whole_run(tmp_path / "run", config) as run:
        trees = len({one.tree for one in run.generation(1).individuals})
        played = replay(run, 1, 3 * trees - 1)
        assert played.games == 3 * trees
        assert played.black == "random"
        assert played.game.outcome() is not None


def test_termination_ends_a_run_as_finished_and_can_be_lifted(tmp_path: Path) -> None:
    config = small_config(termination={"fitness": 0.01})
    with Run.create(tmp_path / "good", config) as run:
        assert len(list(advance(run))) == 1
        assert run.status == "finished"
        further = EvolutionConfig(**{**config.model_dump(), "termination": None})
        assert len(list(advance(run, config=further))) == 3
