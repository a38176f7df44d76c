"""Programs that propose trees: asked, kept, resumed, repeated, replayed, refused; never fatal.

The first is the example of docs/add-an-operator.md.
"""

import json
import re
import stat
import time
from pathlib import Path
from typing import Any

import pytest
from own_settings import small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import code_in_runs_allowed
from evoply.configs.own_command import OwnCommand
from evoply.evolution import EvolutionConfig, evolve
from evoply.evolution.evolution_kind import proposals_of
from evoply.protocols import ConfigError, RunError
from evoply.runs import advance, export_csv
from evoply.runs.kept_learners import has_programs

DOCS = Path(__file__).parents[2] / "docs" / "add-an-operator.md"

TWO = '{"trees": ["( + white black )", "( - white"], "cost": 0.25}'


def program(text: str, name: str = "propose") -> Path:
    """Write a program that anybody may run, and return its path."""
    path = Path(name).absolute()
    path.write_text(text)
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


def saying(line: str, name: str = "propose") -> Path:
    """Return a program that answers *line*, and writes down what it was asked."""
    Path("answer").write_text(line)
    return program(
        f"#!/bin/sh\ncat >> {Path('asked').absolute()}\ncat {Path('answer').absolute()}\n", name
    )


def asked() -> list[dict[str, Any]]:
    """Return all that programs were asked so far."""
    path = Path("asked")
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def proposing(command: str | Path = "./propose", **changes: Any) -> EvolutionConfig:
    variation = {
        "crossover": 0.2,
        "custom": {"told": 0.5},
        "operators": {"told": f"command:{command}"},
    }
    return small_config(**{"primitives": "liao", "variation": variation, **changes})


def made(name: str, config: EvolutionConfig) -> list[str]:
    with ep.Run.create(Path("runs") / name, config) as run:
        for _ in advance(run):
            pass
        return run.digests()


def test_the_example_of_the_docs_proposes_trees_that_are_played(home: Path) -> None:
    example = re.search(r"```python\n(#!/usr/bin/env python3\n.*?)```", DOCS.read_text(), re.DOTALL)
    assert example is not None
    assert len(example[1].splitlines()) <= 25
    program(example[1])
    first, *others = evolve(proposing(population_size=30, generations=4))
    assert not first.proposed
    answers = [answer for generation in others for answer in generation.proposed]
    assert len(answers) == 3
    assert all(answer.taken == answer.wanted > 0 for answer in answers)
    assert all(generation.census.operators["told"] for generation in others)


def test_a_program_is_told_what_it_needs_and_what_was_wrong(home: Path) -> None:
    saying(TWO)
    generations = list(evolve(proposing()))
    first, second = asked()
    before = generations[0]
    assert first["generation"], second["generation"] == (1, 2)
    assert first["wanted"] == generations[1].proposed[0].wanted
    best = first["best"]
    assert best[0] == {"tree": str(before.best.tree), "fitness": before.best.fitness}
    assert len({each["tree"] for each in best}) == len(best)
    assert [each["fitness"] for each in best] == sorted(
        (each["fitness"] for each in best), reverse=True
    )
    names = {each["name"]: each for each in first["primitives"]}
    assert names["+"] == {"name": "+", "takes": ["number", "number"], "gives": "number"}
    assert first["refused"] == []
    (refused,) = second["refused"]
    assert refused["text"] == "( - white"
    assert "column" in refused["reason"]
    assert first["seed"] != second["seed"]


def test_what_is_wrong_costs_its_place_and_parents_are_copied(home: Path) -> None:
    wrong = [
        "( + white",
        "nothing",
        "( + white white ) )",
        7,
        "( < white black )",
        "{",
        "\x00",
        "x" * 90_000,
    ]
    saying(json.dumps({"trees": [*wrong, "( + white black )"], "cost": 2}))
    *_, last = evolve(proposing(generations=2))
    (answer,) = last.proposed
    assert (answer.taken, answer.cost, answer.failures) == (1, 2.0, 0)
    assert [text for text, _ in answer.refused] == [
        text if isinstance(text, str) else "7" for text in wrong
    ]
    assert all(reason for _, reason in answer.refused)
    operators = last.census.operators
    assert operators["told"] == 1
    assert operators["reproduction"] >= answer.wanted - 1
    assert len(last.individuals) == 10


def test_a_tree_over_the_limits_is_refused(home: Path) -> None:
    saying('{"trees": ["( + ( + white black ) black )"]}')
    *_, last = evolve(
        proposing(generations=2, limits={"max_nodes": 4}, initialisation={"max_depth": 2})
    )
    ((_, reason),) = last.proposed[0].refused
    assert "over the limits, 4 and" in reason


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("no JSON", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('["( + white black )"]', "without a list of texts"),
        ('{"trees": "white"}', "without a list of texts"),
        ('{"trees": [], "cost": -1}', "a cost that is no number"),
        ('{"trees": [], "cost": NaN}', "a cost that is no number"),
        ('{"trees": [], "cost": true}', "a cost that is no number"),
        ("", "its process died"),
        ("x" * 1_100_000, "a line without an end"),
    ],
)
def test_a_program_without_a_right_answer_is_named(home: Path, line: str, reason: str) -> None:
    saying(line)
    *_, last = evolve(proposing(generations=2))
    assert last.proposed[0].failures == 1
    assert reason in last.proposed[0].reason
    assert f"told gave nothing ({last.proposed[0].reason[:20]}" in str(last)


def test_a_program_that_hangs_is_ended_with_all_that_it_began(home: Path) -> None:
    left = Path("left").absolute()
    program(f"#!/bin/sh\n(sleep 1.5; touch {left}) &\nsleep 600\n")
    *_, last = evolve(proposing(generations=2, proposals={"seconds": 0.5}))
    assert last.proposed[0].reason == "gave no answer in 0.5 s"
    time.sleep(1.5)
    assert not left.exists()


def test_the_run_stops_after_failures_in_a_row_and_goes_on_when_mended(home: Path) -> None:
    saying("nothing")
    config = proposing(generations=6, proposals={"failures": 2})
    with ep.Run.create("runs/one", config) as run:
        with pytest.raises(
            RunError, match=r"operators\.told: the program had no answer 2 times in a row"
        ):
            list(advance(run))
        assert run.count() == 2
        with pytest.raises(RunError, match="2 times in a row"):
            list(advance(run))
        saying(TWO)
        assert [step.number for step in advance(run)] == [2, 3, 4, 5]
        assert [answer.failures for answer in proposals_of(run)] == [1, 0, 0, 0, 0]


def test_runs_are_resumed_and_repeated_without_the_program(home: Path) -> None:
    saying(TWO)
    whole = made("whole", proposing(generations=5))
    count = len(asked())
    assert count == 4
    made("part", proposing(generations=3))
    with ep.Run.open("runs/part") as run:
        assert has_programs(run)
        with code_in_runs_allowed():
            list(advance(run, config=run.config.model_copy(update={"generations": 5})))
        assert run.digests() == whole
    assert len(asked()) == 2 * count
    Path("propose").unlink()
    Path("config.toml").write_text(
        'game = "othello-4"\nseed = 1\npopulation_size = 10\ngenerations = 5\nprimitives = "liao"\n'
        "[hall_of_fame]\nsize = 2\ncandidates = 2\nsample = 2\npairs = 2\nfinal_pairs = 2\n"
        '[[fitness.opponents]]\nplayer = "random"\npairs = 2\n'
        '[variation]\ncrossover = 0.2\ncustom.told = 0.5\noperators.told = "command:./propose"\n'
    )
    again = ["evolve", "config.toml", "--proposals-of", "whole", "--name", "again", "--no-tests"]
    assert main(again) == 0
    with ep.Run.open("runs/again") as run:
        assert run.digests() == whole
        assert run.last().census.total_cost == 0
    assert (
        main(["resume", "again", "--generations=6", "--no-tests", "--set", "proposals.failures=0"])
        == 0
    )
    with ep.Run.open("runs/again") as run:
        assert run.last().proposed[0].failures == 1
        assert "there is no program" in run.last().proposed[0].reason


def test_a_run_goes_on_with_other_keys_only_where_they_decide_nothing(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made("one", small_config(generations=2))
    assert main(["resume", "one", "--generations=3", "--no-tests", "--set", "elitism=2"]) == 2
    assert "--set: games, generations, machine, proposals, pruning" in capsys.readouterr().err
    quick = ["resume", "one", "--generations=3", "--no-tests", "--set", "pruning.when=never"]
    assert main(quick) == 0
    with ep.Run.open("runs/one") as run:
        assert run.count() == 3


def test_digests_cover_what_was_proposed_and_not_which_program_it_was(home: Path) -> None:
    saying(TWO)
    digests = [step.digest for step in evolve(proposing())]
    saying(TWO, "other")
    assert [step.digest for step in evolve(proposing("./other --fast"))] == digests
    saying(TWO.replace("+", "-"))
    assert next(step.digest for step in evolve(proposing())) == digests[0]
    assert [step.digest for step in evolve(proposing())][1] != digests[1]


@pytest.mark.parametrize("survival", ["offspring", "pareto"])
def test_games_are_replayed_without_the_program(home: Path, survival: str) -> None:
    saying(TWO)
    made("one", proposing(survival={"kind": survival}))
    Path("propose").unlink()
    with ep.Run.open("runs/one") as run:
        last = run.last()
        found = ep.replay(run, last.number, 0)
    assert found.generation == last.number
    assert len(asked()) == 2


def test_proposals_are_tables_and_columns(home: Path) -> None:
    saying(TWO)
    made("one", proposing())
    with ep.Run.open("runs/one") as run:
        written = {path.name: path.read_text() for path in export_csv(run, "tables")}
    lines = written["proposals.csv"].splitlines()
    assert lines[0] == "generation,operator,text,refused"
    assert lines[1] == "1,told,( + white black ),"
    heads = written["generations.csv"].splitlines()[0].split(",")
    assert {"asked", "taken", "cost", "total_cost"} <= set(heads)


def test_a_run_of_somebody_else_runs_no_program(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    saying(TWO)
    made("one", proposing())
    from evoply.configs import own_code

    own_code._NAMED.clear()  # as in a process that named nothing
    count = len(asked())
    for words in (
        ["runs", "one"],
        ["report", "one"],
        ["replay", "one", "--generation=1", "--game=0"],
    ):
        assert main(words) == 0
    assert main(["resume", "one", "--generations=5", "--no-tests"]) == 2
    assert "command:propose" in capsys.readouterr().err
    assert len(asked()) == count
    assert main(["resume", "one", "--generations=5", "--no-tests", "--code-in-runs"]) == 0
    assert len(asked()) == count + 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("command:", "the program is missing"),
        ("command:   ", "the program is missing"),
        ("command:'unfinished", "No closing quotation"),
        ("command:[1]", "the program is missing"),
        ("command:[", "the command '\\['"),
        ("command:a\nb", "is no command"),
    ],
)
def test_a_command_that_is_none_is_refused(text: str, message: str) -> None:
    with pytest.raises(ConfigError, match=f"variation.operators.told: .*{message}"):
        small_config(variation={"custom": {"told": 0.1}, "operators": {"told": text}})


def test_a_program_that_is_missing_is_named_before_the_run(home: Path) -> None:
    with pytest.raises(ValueError, match=r"command:nowhere: there is no program '/.*/nowhere'"):
        evolve(proposing("./nowhere"))
    Path("text").write_text("")
    with pytest.raises(ValueError, match="make it executable"):
        evolve(proposing("./text"))


def test_what_does_not_go_with_programs_is_refused(home: Path) -> None:
    with pytest.raises(ConfigError, match=r"variation\.operators\.told: a program is asked once"):
        proposing(steady_state={})
    with pytest.raises(ConfigError, match=r"variation\.custom\.told: is missing"):
        small_config(variation={"operators": {"told": "command:./propose"}})


def test_what_a_run_keeps_is_the_list_of_words(home: Path) -> None:
    config = proposing("./propose --model 'a b'")
    kept = config.variation.operators["told"]
    assert kept == f"command:{json.dumps([str(Path('propose').absolute()), '--model', 'a b'])}"
    assert OwnCommand.from_text(kept).pinned() == OwnCommand.from_text(kept)
    assert type(config)(**config.model_dump()) == config


def test_individuals_of_several_trees_are_proposed_as_they_are_written(home: Path) -> None:
    config = proposing(individual={"kind": "stages"}, generations=2)
    first = next(evolve(config.model_copy(update={"variation": small_config().variation})))
    saying(json.dumps({"trees": [str(first.best.tree), "( + white black )"]}))
    *_, last = evolve(config)
    (answer,) = last.proposed
    assert answer.taken == 1
    assert answer.refused[0][0] == "( + white black )"
    assert asked()[0]["individual"] == "stages"
