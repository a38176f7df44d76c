"""Runs whose configs name parts in Python: made, read without them, resumed, replayed, refused."""

import json
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from own_settings import SHORT, small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import OwnCode, own_code
from evoply.evolution import EvolutionConfig, evolve, is_reproducible
from evoply.evolution.fitness import PythonFitness
from evoply.protocols import ConfigError, RunError
from evoply.runs import advance
from evoply.runs.kept_learners import has_programs
from evoply.web import ServerLimits
from evoply.web.run_forms import config_asked
from evoply.web.run_messages import StartRun
from evoply.web.thinking import read_opponent

OPERATORS = {
    "crossover": 0.2,
    "custom": {"mine": 0.3},
    "operators": {"mine": "python:parts.py:mutate", "row": "python:parts.py:ROW"},
}

ARGUMENT = f"python:(argument):lab.<lambda>#{'0' * 64}"
"""Stands for an object that nobody gave to this process."""


def part(name: str) -> Any:
    return OwnCode.from_text(f"python:parts.py:{name}").named_by_user().loaded()


def made(name: str, config: EvolutionConfig, **parts: Any) -> list[str]:
    with ep.Run.create(Path("runs") / name, config, **parts) as run:
        for _ in advance(run):
            pass
        return run.digests()


def test_what_is_given_is_what_a_config_names(home: Path) -> None:
    named = small_config(fitness=SHORT, variation=OPERATORS)
    custom = {"crossover": 0.2, "custom": {"mine": 0.3}}
    parts: dict[str, Any] = {
        "fitness": part("Short")(),
        "operators": {"mine": part("mutate"), "row": part("ROW")},
    }
    given = list(evolve(small_config(variation=custom), **parts))
    assert given[0].config == named
    assert [one.digest for one in evolve(named, **parts)] == [one.digest for one in given]
    assert {"mine", "row"} <= set(given[-1].census.operators)
    with pytest.raises(ValueError, match=r"fitness\.measure is given as an argument, too"):
        evolve(named, fitness=part("brevity"))
    with pytest.raises(ValueError, match=r"operators\.mine is given as an argument, too"):
        evolve(named, operators={"mine": part("brevity")})
    heavier = {"kind": "python", "code": "python:parts.py:Short", "settings": {"weight": 1.0}}
    other = list(evolve(small_config(fitness={"measure": heavier}, variation=OPERATORS)))
    assert [one.individuals for one in other] != [one.individuals for one in given]
    assert {one.digest for one in other}.isdisjoint(one.digest for one in given)
    with pytest.raises(ValueError, match=r"fitness\.measure is given as an argument, too"):
        evolve(other[0].config, fitness=part("Short")())


def test_a_run_is_read_without_its_python(
    home: Path, imports: Callable[[], int], capsys: pytest.CaptureFixture[str]
) -> None:
    digests = made("own", small_config(fitness=SHORT, variation=OPERATORS))
    (home / "parts.py").unlink()
    own_code._module.cache_clear()
    before = imports()
    for arguments in (
        ["runs", "--json"],
        ["runs", "own", "--json"],
        ["show", "champion@own", "--json"],
        ["report", "own"],
        ["match", "champion@own", "random", "--games=4", "--json"],
    ):
        assert main(arguments) == 0, arguments
    capsys.readouterr()
    with ep.Run.open("runs/own") as run:
        assert run.digests() == digests
        assert has_programs(run)  # so the page does not go on with it
        assert run.last().number == 2
    assert imports() == before
    assert main(["resume", "own", "--generations=5", "--no-tests"]) != 0
    assert "there is no such file at" in capsys.readouterr().err


def test_it_goes_on_and_is_replayed_with_its_python_alone(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config(fitness=SHORT, variation=OPERATORS)
    with ep.Run.create("runs/own", config) as run:
        for _ in islice(advance(run), 2):
            pass
    assert main(["resume", "own", "--no-tests", "--json"]) == 0
    capsys.readouterr()
    with ep.Run.open("runs/own") as run:
        assert run.digests() == [one.digest for one in evolve(config)]
        with pytest.raises(RunError, match="is not the same code"):
            next(advance(run, fitness=part("brevity")))
    assert main(["replay", "own", "--generation=1", "--game=3", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["games"] > 3
    with (home / "parts.py").open("a") as file:
        file.write("# changed\n")
    own_code._module.cache_clear()
    for arguments in (["resume", "own"], ["replay", "own", "--generation=1", "--game=3"]):
        assert main(arguments) != 0
        assert "is not the file that was named" in capsys.readouterr().err


def test_objects_that_have_a_name_are_found_again(
    home: Path, capsys: pytest.CaptureFixture[str], elsewhere: Callable[[], None]
) -> None:
    parts = {"fitness": part("Short")(weight=0.5), "operators": {"mine": part("mutate")}}
    config = small_config(variation={"crossover": 0.4, "custom": {"mine": 0.3}})
    with ep.Run.create("runs/given", config, **parts) as run:
        next(advance(run))
        assert run.config.fitness.measure.settings == {"weight": 0.5}
        mine = run.config.variation.operators["mine"]
        assert mine.startswith(f"python:{home}/parts.py:mutate#")
    elsewhere()
    assert main(["resume", "given", "--no-tests", "--json"]) == 0
    capsys.readouterr()
    with ep.Run.open("runs/given") as run:
        assert run.digests() == [one.digest for one in evolve(config, **parts)]
    assert main(["replay", "given", "--generation=1", "--game=0", "--json"]) == 0


def test_an_object_without_a_name_is_refused_by_its_name(
    home: Path, capsys: pytest.CaptureFixture[str], elsewhere: Callable[[], None]
) -> None:
    made("nameless", small_config(), fitness=lambda tree, stream: -len(tree))
    elsewhere()
    for arguments in (
        ["resume", "nameless", "--generations=9"],
        ["replay", "nameless", "--generation=0", "--game=0"],
    ):
        assert main(arguments) == 1
        message = capsys.readouterr().err
        assert "<lambda> is Python that was given as an argument, and it is a lambda" in message
        assert "name it as python:FILE.py:NAME" in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"fitness": {"measure": "python:parts.py:NOT_A_PART"}}, "3 is not a fitness"),
        (
            {"fitness": {"measure": {"kind": "python", "code": "python:parts.py:Short",
                                     "settings": {"weigth": 1.0}}}},
            "weigth=1.0.* cannot be made",
        ),
        ({"fitness": {"measure": ARGUMENT}}, "as an argument, and it is a lambda - write it into"),
        ({"variation": {"operators": {"x": "python:parts.py:mutate"}}}, "has no rate"),
        ({"variation": {"operators": {"x": "python:parts.py:NOT_A_PART"}}}, "not a function"),
        ({"variation": {"crossover": 0.5, "custom": {"x": 0.1}}}, r"variation\.operators\.x = "),
        (
            {"fitness": SHORT, "selection": {"kind": "lexicase"}},
            "looks at single opponents, which a fitness",
        ),
        ({"player": {"code": "python:parts.py:Moody"}}, "does not say that it plays the same"),
        ({"player": {"code": "python:parts.py:Last"}}, "is no player"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_refused_before_a_folder_is_made(
    home: Path, changes: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config(**changes)
    with pytest.raises(ValueError, match=message):
        evolve(config)
    from evoply.evolution import config_to_toml

    Path("c.toml").write_text(config_to_toml(config), encoding="utf-8")
    assert main(["evolve", "c.toml"]) == 2
    capsys.readouterr()
    assert not (home / "runs").exists()


def test_an_error_in_the_users_code_is_a_sentence(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    measure = "fitness.measure=python:parts.py:fails"
    assert main(["evolve", "quick", "--set", measure, "--name=x"]) == 2
    message = capsys.readouterr().err
    assert "parts.py, line" in message
    assert "in fails: KeyError: 'no such board'" in message
    assert "Traceback" not in message


def test_a_missing_file_is_an_error_at_its_key(home: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        small_config(fitness={"measure": "python:no.py:f"}, player={"code": "python:no.py:f"})
    assert [path for path, _ in caught.value.errors] == ["player.code", "fitness.measure.code"]


def test_digests_do_not_know_where_the_file_lies(home: Path) -> None:
    config = small_config(
        fitness={**SHORT, "opponents": [{"player": "python:parts.py:Last", "pairs": 1}]},
        player={"code": "python:parts.py:Cautious"},
    )
    text = json.dumps(config.resolved_settings())
    assert str(home) not in text
    assert "Short#" in text
    assert "Cautious#" in text
    assert small_config().resolved_settings()["player"]["code"] is None


def test_players_in_python_are_opponents(home: Path, imports: Callable[[], int]) -> None:
    opponents = [{"player": "python:parts.py:Last", "pairs": 2}]
    config = small_config(fitness={"opponents": opponents})
    assert imports() == 0  # what a class says is read, not run
    assert is_reproducible(config)
    digests = made("last", config)
    assert digests == [one.digest for one in evolve(config, threads=2)]
    moody = [{"player": "python:parts.py:Moody", "pairs": 2}]
    with pytest.raises(ConfigError, match="a run that cannot be repeated"):
        small_config(fitness={"opponents": moody})
    marked = small_config(fitness={"opponents": moody, "allow_irreproducible": True})
    assert not is_reproducible(marked)
    (home / "parts.py").unlink()
    with ep.Run.open("runs/last") as run:
        assert run.config.fitness.opponents[0].player.startswith("{")
        assert is_reproducible(run.config)


def test_a_player_in_python_is_what_evolution_evaluates(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = small_config(player={"code": "python:parts.py:Cautious"})
    plain = small_config()
    # It asks the individual's own seat, so it plays as the individual would.
    assert [one.individuals for one in evolve(config)] == [one.individuals for one in evolve(plain)]
    made("cautious", config)
    with ep.Run.open("runs/cautious") as run:
        player = run.champion_player
        assert player.label.startswith("python:parts.py:Cautious of ")
        assert ep.match(player, "random", game="othello-4", games=4, seed=1).reproducible
    with pytest.raises(ValueError, match="cannot be saved"):
        ep.save_player("x.json", player, game="othello-4")
    assert main(["match", "champion@cautious", "python:parts.py:Last", "--games=2"]) == 0
    (home / "parts.py").unlink()
    own_code._module.cache_clear()
    assert main(["show", "champion@cautious"]) == 0
    assert main(["match", "champion@cautious", "random", "--games=2"]) == 2
    assert "there is no such file" in capsys.readouterr().err


@pytest.mark.parametrize(
    "settings",
    [
        {"fitness.measure": "python:parts.py:Short"},
        {"fitness.measure.kind": "python", "fitness.measure.code": "python:json:loads"},
        {"player.code": "python:parts:Last"},
        {"fitness.measure": ARGUMENT},
        {"variation.operators.x": "python:json:loads"},
        {"fitness.opponents": [{"player": "python:json:loads"}]},
        {"fitness.opponents": [{"player": '{"kind": "python", "code": "python:json:loads"}'}]},
    ],
)
def test_the_page_takes_no_python(home: Path, settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"Python cannot be named here|not a player in JSON form"):
        config_asked(StartRun(preset="quick", settings=settings), ServerLimits())
    with pytest.raises(ValueError, match="Python cannot be named here"):
        read_opponent("python:json:loads", "othello", ServerLimits())


def test_a_fitness_stands_for_what_it_names(home: Path) -> None:
    fitness = PythonFitness(code="python:parts.py:Short", settings={"weight": 2.0})
    assert fitness.resolved() == part("Short")(weight=2.0)
    assert PythonFitness(**fitness.model_dump()) == fitness
