"""Selection and survival in Python, named in configs, carried into experiments, and replayed."""

from pathlib import Path
from typing import Any

import pytest
from own_settings import SHORT, SMALL, small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import OwnCode
from evoply.evolution import config_from_toml, config_to_toml, evolve
from evoply.protocols import ConfigError
from evoply.runs import advance

CHOICES = '''
"""A selection and survivals of a user."""


def last_half(candidates, count, stream):
    half = len(candidates) // 2
    return [half + stream.below(len(candidates) - half) for _ in range(count)]


class Mixed:
    """So many parents live on."""

    def __init__(self, parents=3):
        self.parents = parents

    def __call__(self, candidates, count, stream):
        best = sorted(range(candidates.parents), key=lambda one: -candidates.fitness[one])
        young = range(candidates.parents, len(candidates))
        return [*best[: self.parents], *young][:count]


def by_cases(candidates, count, stream):
    return candidates.cases.argmax(axis=0).tolist() * count


NOTHING = 3
'''
NAMED = {
    "selection": "python:choices.py:last_half",
    "survival": {"kind": "python", "code": "python:choices.py:Mixed", "settings": {"parents": 4}},
}


@pytest.fixture
def choices(home: Path) -> Path:
    (home / "choices.py").write_text(CHOICES, encoding="utf-8")
    return home


def part(name: str) -> object:
    return OwnCode.from_text(f"python:choices.py:{name}").named_by_user().loaded()


def test_a_config_names_them_and_they_choose_as_arguments_do(choices: Path) -> None:
    config = small_config(**NAMED)
    named = list(evolve(config))
    given = list(
        evolve(small_config(), selection=part("last_half"), survival=part("Mixed")(parents=4))
    )
    assert [one.individuals for one in named] == [one.individuals for one in given]
    assert config_from_toml(config_to_toml(config)) == config
    assert str(choices) not in str(config.resolved_settings())
    assert [one.digest for one in evolve(config, resume_from=named[1])] == [named[2].digest]
    with_cases = {"kind": "python", "code": "python:choices.py:by_cases", "cases": "opponents"}
    last = [*evolve(small_config(selection=with_cases))][-1]
    assert len(last.individuals[0].cases) == 1


def test_a_run_goes_on_and_is_replayed_from_the_command_line(
    choices: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (choices / "own.toml").write_text(config_to_toml(small_config(**NAMED)), encoding="utf-8")
    assert main(["evolve", "own.toml", "--name=own", "--no-tests"]) == 0
    assert main(["evolve", "own.toml", "--name=part", "--generations=1", "--no-tests"]) == 0
    assert main(["resume", "part", "--generations=3", "--no-tests"]) == 0
    with ep.Run.open("runs/own") as whole, ep.Run.open("runs/part") as resumed:
        assert whole.digests() == resumed.digests()
    assert main(["replay", "own", "--generation=2", "--game=0", "--json"]) == 0
    assert "individuals" in capsys.readouterr().out


@pytest.mark.parametrize("road", ["text", "argument"])
def test_a_run_with_operators_whose_parents_compete_is_replayed(choices: Path, road: str) -> None:
    """They are bred again, so the operators are needed once more, and the fitness twice."""
    code = OwnCode.from_text("python:parts.py:mutate").named_by_user()
    short = OwnCode.from_text("python:parts.py:Short").named_by_user()
    variation: dict[str, Any] = {"crossover": 0.2, "custom": {"mine": 0.5}}
    parts: dict[str, Any] = {}
    if road == "argument":
        parts = {"fitness": short.loaded()(), "operators": {"mine": code.loaded()}}
        parts["survival"] = part("Mixed")(parents=2)
        config = small_config(variation=variation)
    else:
        variation["operators"] = {"mine": str(code)}
        config = small_config(fitness=SHORT, variation=variation, survival={"kind": "best"})
    with ep.Run.create("runs/bred", config, **parts) as run:
        last = [*advance(run)][-1]
        assert "mine" in last.census.operators
        for given in ({}, parts):
            played = ep.replay(run, 2, 0, **given)
            assert played.games > len(last.individuals)
        with pytest.raises(ep.RunError, match=r"not evolved with this .*mine: give the same code"):
            ep.replay(run, 2, 0, operators={"mine": lambda tree, limits, stream: tree})


def test_a_run_with_them_is_run_again_with_them(choices: Path) -> None:
    parts: dict[str, Any] = {"selection": part("last_half"), "survival": None}
    with ep.Run.create("runs/chosen", small_config(), **parts) as run:
        for _ in advance(run):
            pass
        expected = [row["best"] for row in run.rows()]
    result = ep.compare(
        {"again": "runs/chosen", "given": small_config(), "plain": small_config()},
        selection={"given": part("last_half")},
        **SMALL,
    )
    best = {}
    for path in (result.path / "runs").iterdir():
        with ep.Run.open(path) as unit:
            best[path.name] = [row["best"] for row in unit.rows()]
    assert best["1-again-seed-1"] == best["2-given-seed-1"] == expected
    assert best["3-plain-seed-1"] != expected


def test_what_does_not_fit_is_refused_before_anything_is_played(choices: Path) -> None:
    with pytest.raises(ValueError, match=r"selection: .*NOTHING is 3, not a function"):
        evolve(small_config(selection="python:choices.py:NOTHING"))
    with pytest.raises(ValueError, match="selection is given as an argument, too"):
        evolve(small_config(**NAMED), selection=part("by_cases"))
    with pytest.raises(ConfigError, match="there is no such file"):
        small_config(survival="python:missing.py:x")
    with pytest.raises(ConfigError, match="has no place with survival python"):
        small_config(survival="python:choices.py:Mixed", steady_state={})
    with pytest.raises(ConfigError, match="needs selection by tournament"):
        small_config(selection="python:choices.py:last_half", steady_state={})
    with pytest.raises(ConfigError, match="it is a lambda"):
        ep.compare([small_config(), small_config()], selection=lambda c, n, s: [0] * n, **SMALL)
