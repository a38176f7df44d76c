"""Experiments with parts in Python: carried, or refused by name before any work."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from own_settings import SHORT, SMALL, small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import OwnCode, own_code
from evoply.evolution import config_to_toml, evolve
from evoply.experiments import (
    ExperimentFolder,
    check_experiment_sendable,
    experiment_of,
    load_comparison,
    run_experiment,
)
from evoply.experiments.sent_units import _pack_unit, unit_part
from evoply.protocols import ConfigError, RunError
from evoply.runs import advance

LEARNER = (Path(__file__).parents[1] / "contracts" / "hill_climbing.py").read_text("utf-8")


def part(name: str, file: str = "parts.py") -> Any:
    return OwnCode.from_text(f"python:{file}:{name}").named_by_user().loaded()


def best_of(run: Path) -> list[float]:
    with ep.Run.open(run) as opened:
        return [row["best"] for row in opened.rows()]


def begun(name: str, **parts: Any) -> str:
    with ep.Run.create(Path("runs") / name, small_config(), **parts) as run:
        for _ in advance(run):
            pass
    return f"runs/{name}"


@pytest.fixture
def climb(home: Path) -> Path:
    """A config of a learner in Python."""
    (home / "climb.py").write_text(LEARNER, encoding="utf-8")
    text = 'learner = "python:climb.py:HillClimbing"\ngame = "othello-4"\ngenerations = 3\n'
    (home / "climb.toml").write_text(text, encoding="utf-8")
    return home / "climb.toml"


@pytest.mark.usefixtures("units_here")
def test_a_run_with_an_own_fitness_is_run_again_with_it(home: Path) -> None:
    """It was run again with plain points, without a word."""
    begun("nov", fitness=part("Short")(weight=0.2))
    plain = [one.statistics.best for one in evolve(small_config())]
    own = [one.statistics.best for one in evolve(small_config(), fitness=part("Short")(weight=0.2))]
    assert own != plain
    (home / "plain.toml").write_text(config_to_toml(small_config()), encoding="utf-8")
    result = ep.compare(["runs/nov", "plain.toml"], **SMALL)
    assert best_of(result.path / "runs" / "1-nov-seed-1") == own
    assert best_of(result.path / "runs" / "2-plain-seed-1") == plain


@pytest.mark.parametrize("from_python", [True, False])
def test_a_run_whose_python_has_no_name_is_refused_before_any_work(
    home: Path, from_python: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    begun("nameless", fitness=lambda tree, stream: -len(tree))
    begun("other", fitness=part("brevity"))
    runs = sorted(path.name for path in (home / "runs").iterdir())
    if from_python:
        with pytest.raises(ConfigError, match=r"nameless: .*is a lambda.*python:FILE\.py:NAME"):
            ep.compare(["runs/nameless", "runs/other"], **SMALL)
    else:
        assert main(["compare", "runs/nameless", "runs/other", "--seeds=1"]) == 2
        assert "it is a lambda" in capsys.readouterr().err
    assert sorted(path.name for path in (home / "runs").iterdir()) == runs


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"variation": {"crossover": 0.5, "custom": {"x": 0.1}}}, "names the operator 'x'"),
        ({"fitness": {"measure": "python:parts.py:NOT_A_PART"}}, "is not a fitness"),
        ({"player": {"code": "python:parts.py:Last"}}, "is no player"),
    ],
)
def test_what_would_fail_in_the_first_run_is_refused_before_any(
    home: Path, change: dict[str, Any], message: str
) -> None:
    with pytest.raises(RunError, match=f"bad: .*{message}"):
        ep.compare({"bad": small_config(**change), "good": small_config()}, **SMALL)
    assert not (home / "runs").exists()


@pytest.mark.usefixtures("units_here")
def test_a_changed_file_ends_an_experiment_before_any_work(
    home: Path, imports: Callable[[], int]
) -> None:
    setups = {"own": small_config(fitness=SHORT), "plain": small_config()}
    result = ep.compare(setups, **SMALL)
    with (home / "parts.py").open("a") as file:
        file.write("# changed\n")
    own_code._module.cache_clear()
    before = imports()
    with pytest.raises(RunError, match=r"own: .*is not the file that was named"):
        ep.compare_experiment(result.path, seeds=2, workers=1)
    assert load_comparison(result.path).digest == result.digest  # and is read as ever
    assert imports() == before


def test_python_objects_are_given_to_compare(home: Path, climb: Path) -> None:
    own, climbing = part("Short")(weight=0.3), part("Climb", "climb.py")
    learner = part("HillClimbing", "climb.py")()
    rates = {"crossover": 0.4, "custom": {"mine": 0.3}}
    config = small_config(variation=rates)
    result = ep.compare(
        {"own": config, "plain": small_config(), "climbs": climbing("othello-4", generations=2)},
        fitness={"own": own},
        operators={"mine": part("mutate")},
        learner=learner,
        **SMALL,
    )
    runs = result.path / "runs"
    expected = evolve(config, fitness=own, operators={"mine": part("mutate")})
    assert best_of(runs / "1-own-seed-1") == [one.statistics.best for one in expected]
    assert best_of(runs / "2-plain-seed-1") == [
        one.statistics.best for one in evolve(small_config())
    ]
    with ep.Run.open(runs / "3-climbs-seed-1") as run:
        assert run.kind.name == "python:climb.py:HillClimbing"
        assert run.count() == 2


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"fitness": {"a": lambda tree, stream: 1.0}}, "a: parts in Python: .*a lambda"),
        ({"fitness": {"nobody": None}}, "no setup is called 'nobody'"),
        ({"operators": {"mine": None}}, "no setup has a rate for 'mine'"),
        ({"learner": object()}, "no setup is a config of it"),
    ],
)
def test_objects_that_no_setup_takes_are_refused(
    home: Path, parts: dict[str, Any], message: str
) -> None:
    with pytest.raises(ConfigError, match=message):
        ep.compare({"a": small_config(), "b": small_config(seed=2)}, **parts, **SMALL)
    assert not (home / "runs").exists()


def test_fitness_is_for_setups_of_evolution(home: Path) -> None:
    learned = ep.LearningConfig(game="othello-4", features=["corners"], games=100)
    with pytest.raises(ConfigError, match="b is a setup of learning, which takes none"):
        ep.compare({"a": small_config(), "b": learned}, fitness=part("brevity"), **SMALL)


def test_learners_in_python_are_compared_by_command(
    climb: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    assert main(["learn", "climb.toml", "--name=climbed", "--no-tests", "--json"]) == 0
    Path("b.toml").write_text(config_to_toml(small_config()), encoding="utf-8")
    command = ["compare", "runs/climbed", "climb.toml", "b.toml", "--seeds=1", "--games=10"]
    assert main([*command, "--measure=score:mobility", "--workers=1", "--name=c"]) == 0
    capsys.readouterr()
    unit = ep.Run.open("runs/c/runs/1-climbed-seed-1")
    with unit, ep.Run.open("runs/climbed") as run:
        assert unit.digests() == run.digests()
    # More seeds later, by the folder alone.
    request.getfixturevalue("units_here")
    assert main(["experiment", "runs/c", "--seeds=2", "--workers=1"]) == 0
    assert load_comparison("c").runs == 6


@pytest.mark.usefixtures("units_here")
def test_keys_that_name_python_are_varied(home: Path) -> None:
    (home / "base.toml").write_text(config_to_toml(small_config()), encoding="utf-8")
    measures = ["points", "python:parts.py:Short"]
    experiment = experiment_of(
        {"base": "base.toml", "vary": {"fitness.measure": [{"kind": "points"}, measures[1]]},
         "seeds": 1, "games": 10, "points": 1, "measure": "score:mobility"}
    )  # fmt: skip
    result = ep.compare_experiment(experiment, workers=1)
    (run,) = (result.path / "runs").glob("2-*")
    assert best_of(run) == [one.statistics.best for one in evolve(small_config(fitness=SHORT))]


def test_changes_to_a_run_are_made(home: Path) -> None:
    """A run as the base of an experiment was taken as it is, whatever was varied."""
    begun("base", fitness=part("brevity"))
    experiment = experiment_of(
        {"base": "runs/base", "vary": {"population_size": [6, 8]}, "measure": "score:mobility"}
    )
    folder = ExperimentFolder.create("runs/vary", experiment)
    assert [setup.config.population_size for setup in folder.setups] == [6, 8]
    assert {setup.config.fitness.measure.kind for setup in folder.setups} == {"python"}


def test_a_file_that_begins_an_experiment_while_imported_is_stopped(home: Path) -> None:
    """Its processes would import it, too, and begin others without end."""
    script = (
        "import evoply as ep\n"
        "def own(tree, stream):\n    return 1.0\n"
        "ep.compare(['quick', 'quick'], name='x', seeds=1)\n"
    )
    (home / "script.py").write_text(script)
    with pytest.raises(RunError, match="begins an experiment while it is imported"):
        ep.compare(
            {"a": small_config(fitness={"measure": "python:script.py:own"}), "b": small_config()},
            **SMALL,
        )


def test_workers_need_a_file_of_the_same_checksum(home: Path) -> None:
    opponents = [{"player": "python:parts.py:Last", "pairs": 1}]
    own = small_config(fitness={**SHORT, "opponents": opponents})
    experiment = experiment_of(
        {"configs": ["a", "b"], "seeds": 1, "games": 4, "points": 0, "measure": "score:mobility"}
    )
    from evoply.experiments import setups_of

    folder = ExperimentFolder.create(
        "runs/e", experiment, setups_of(experiment, {"a": own, "b": small_config()})
    )
    check_experiment_sendable(folder)
    unit = folder.units()[0]
    data = _pack_unit(unit, folder.experiment)
    assert b"Measured(fitness" not in data  # no code is sent
    assert unit_part(data)
    (home / "parts.py").write_text("def Short(tree, stream): return 1.0\n")
    own_code._module.cache_clear()
    with pytest.raises(ValueError, match="is not the file that was named: its SHA-256"):
        unit_part(data)
    (home / "parts.py").unlink()
    with pytest.raises(ValueError, match="there is no such file"):
        unit_part(data)


def test_games_of_players_in_python_are_not_shared_out(home: Path) -> None:
    from evoply.evolution.user_code import check_sendable

    for config in (
        small_config(player={"code": "python:parts.py:Cautious"}),
        small_config(fitness={"opponents": [{"player": "python:parts.py:Last"}]}),
    ):
        with pytest.raises(ValueError, match="cluster: "):
            check_sendable(config)
        check_sendable(config, is_whole=True)


def test_an_experiment_is_not_begun_while_a_file_is_imported(home: Path) -> None:
    experiment = experiment_of(
        {"configs": ["quick", "quick"], "seeds": 1, "measure": "score:mobility"}
    )
    folder = ExperimentFolder.create("runs/e", experiment)
    token = own_code._IMPORTING.set("mine.py")
    try:
        with pytest.raises(ValueError, match=r'mine\.py begins .* __name__ == "__main__"'):
            run_experiment(folder)
    finally:
        own_code._IMPORTING.reset(token)
