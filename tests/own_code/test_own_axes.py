"""Axes of a map in Python: named in configs, made again, replayed, refused, and never read."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from own_settings import SMALL, small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import OwnCode, own_code
from evoply.evolution import EvolutionConfig, config_from_toml, config_to_toml, evolve
from evoply.protocols import ConfigError

AXES = '''
"""Axes of a user, in a file that notes when it is imported."""

from pathlib import Path

with (Path(__file__).parent / "imports.txt").open("a") as notes:
    notes.write("imported\\n")


def boldness(games):
    """Frontier discs a disc, of each individual."""
    return games.mean("own_frontier") / games.mean("own_discs")


def last_discs(games):
    """The same as own_discs at the end, the slow way."""
    found = []
    for individual in range(len(games.trees)):
        discs = 0
        for game, is_black in enumerate(games.is_black):
            end = games.positions(individual, game)[-1]
            discs += bin(end.row[0 if is_black else 1]).count("1")
        found.append(discs / len(games.is_black))
    return found


def points(games):
    return games.points.mean(axis=1)


def noted(games):
    with (Path(__file__).parent / "calls.txt").open("a") as notes:
        notes.write(f"{len(games.trees)}\\n")
    return games.sizes


def too_few(games):
    return [0.0]


def infinite(games):
    return games.sizes * float("inf")


def words(games):
    return ["many"] * len(games.trees)


class Axis:
    pass


NOTHING = 3
'''


@pytest.fixture
def axes(home: Path) -> Path:
    (home / "axes.py").write_text(f"{AXES}\nPLACE = {str(home)!r}\n", encoding="utf-8")
    return home


def named(name: str = "boldness", **more: Any) -> EvolutionConfig:
    axis = {"descriptor": f"python:axes.py:{name}", "low": 0.0, "high": 1.0, "bins": 8}
    survival = {"kind": "map", "axes": [axis, {"descriptor": "size"}]}
    return small_config(survival=survival, selection={"kind": "uniform"}, **more)


def test_a_run_goes_on_is_replayed_and_shown_by_commands(
    axes: Path, imports: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    (axes / "own.toml").write_text(config_to_toml(named()), encoding="utf-8")
    assert imports() == 0
    assert main(["evolve", "own.toml", "--name=own", "--no-tests"]) == 0
    assert main(["evolve", "own.toml", "--name=part", "--generations=1", "--no-tests"]) == 0
    assert main(["resume", "part", "--generations=3", "--no-tests"]) == 0
    with ep.Run.open("runs/own") as whole, ep.Run.open("runs/part") as resumed:
        assert whole.digests() == resumed.digests()
        rows = whole.rows("elites")
        assert {row["measures_0"] < 1 for row in rows} == {True}
        assert len({row["measures_0"] for row in rows}) > 1
    assert main(["replay", "own", "--generation=2", "--game=0", "--json"]) == 0
    capsys.readouterr()
    assert main(["show", "champion@own"]) == 0
    assert main(["report", "own"]) == 0
    assert ">boldness<" in Path("runs/own/report.html").read_text(encoding="utf-8")


def test_a_run_is_read_without_its_file_and_refused_by_name_where_it_goes_on(
    axes: Path,
    imports: Callable[[], int],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (axes / "own.toml").write_text(config_to_toml(named()), encoding="utf-8")
    assert main(["evolve", "own.toml", "--name=own", "--generations=1", "--no-tests"]) == 0
    capsys.readouterr()

    # As in a new process: only the run names the file, and nothing is imported.
    monkeypatch.setattr(own_code, "_NAMED", set())
    own_code._module.cache_clear()
    before = imports()
    for words in (["runs", "own"], ["show", "champion@own"], ["runs", "own", "--json"]):
        assert main(words) == 0
    capsys.readouterr()
    assert imports() == before
    assert main(["resume", "own", "--generations=2", "--no-tests"]) == 2
    assert "axes.py:boldness" in (told := capsys.readouterr().err)
    assert "--code-in-runs" in told
    assert main(["replay", "own", "--generation=0", "--game=0"]) == 1
    assert "axes.py:boldness" in capsys.readouterr().err
    words = ["resume", "own", "--generations=2", "--no-tests", "--code-in-runs"]
    assert main(words) == 0
    capsys.readouterr()

    (axes / "axes.py").unlink()
    own_code._module.cache_clear()
    assert main(["runs", "own"]) == 0
    assert main(["report", "own"]) == 0
    capsys.readouterr()
    assert main([*words[:2], "--generations=3", *words[3:]]) == 2
    assert "python:axes.py: there is no such file" in capsys.readouterr().err
    (axes / "axes.py").write_text(f"{AXES}\n# changed\n", encoding="utf-8")
    assert main([*words[:2], "--generations=3", *words[3:]]) == 2
    assert "is not the file that was named" in capsys.readouterr().err


def test_a_function_is_a_descriptor_and_moves_no_digest(axes: Path) -> None:
    config = named()
    boldness = OwnCode.from_text("python:axes.py:boldness").named_by_user().loaded()
    given = [{"descriptor": boldness, "low": 0.0, "high": 1.0, "bins": 8}, {"descriptor": "size"}]
    same = small_config(survival={"kind": "map", "axes": given}, selection={"kind": "uniform"})
    assert same == config
    assert config_from_toml(config_to_toml(config)) == config
    assert str(axes) not in str(config.resolved_settings())
    generations = list(evolve(config, threads=1))
    assert [one.digest for one in evolve(config, threads=2)] == [one.digest for one in generations]


def test_it_is_asked_once_a_generation_for_all_who_are_new(axes: Path) -> None:
    whole = list(evolve(named("noted")))
    calls = [int(line) for line in (axes / "calls.txt").read_text().split()]
    assert len(calls) == len(whole)
    assert all(1 <= trees <= 10 for trees in calls)


def test_an_axis_of_ones_own_agrees_with_that_of_evoply(axes: Path) -> None:
    same = [
        {"descriptor": "own_discs", "at": "end", "low": 0, "high": 16},
        {"descriptor": "python:axes.py:last_discs", "low": 0, "high": 16},
        {"descriptor": "python:axes.py:points", "low": 0, "high": 1},
    ]
    pairs = {"opponents": [{"player": "random", "pairs": 2}, {"player": "greedy", "pairs": 1}]}
    config = small_config(survival={"kind": "map", "axes": same}, fitness=pairs)
    *_, last = evolve(config)
    values = np.array([each.place.description for each in last.individuals])
    assert np.array_equal(values[:, 0], values[:, 1])
    assert set(np.unique(values[:, 2] * 16)) <= set(range(17))


def test_an_experiment_takes_them_along(axes: Path) -> None:
    result = ep.compare({"own": named(), "plain": small_config()}, **SMALL)
    assert result.runs == 2


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("NOTHING", "axis python:axes.py:NOTHING: 3 is not a function of played games"),
        ("Axis", "is not a function of played games"),
        ("missing", "there is no 'missing'"),
    ],
)
def test_what_is_no_axis_is_refused_before_anything_is_played(
    axes: Path, name: str, says: str
) -> None:
    config = named(name)
    with pytest.raises(ValueError, match=says):
        evolve(config)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("too_few", r"for each of \d+ individuals, and gave an array of shape \(1,\)"),
        ("infinite", "and gave inf for "),
        ("words", r"not \['many'"),
    ],
)
def test_what_an_axis_says_is_checked(axes: Path, name: str, says: str) -> None:
    with pytest.raises(ValueError, match=f"axis python:axes.py:{name}: must return .*{says}"):
        next(evolve(named(name)))


def test_a_config_says_what_is_wrong_with_an_axis(axes: Path) -> None:
    for axis, says in (
        ({"descriptor": "python:gone.py:x", "low": 0, "high": 1}, "there is no such file"),
        ({"descriptor": "python:axes.py:points"}, "has no usual range in othello-4"),
        ({"descriptor": "python:axes.py:points", "low": 0, "high": 1, "at": "end"},
         "your own function is not counted on boards"),
    ):  # fmt: skip
        with pytest.raises(ConfigError, match=says):
            small_config(survival={"kind": "map", "axes": [axis, {"descriptor": "size"}]})
