"""Champions of earlier generations, by number, in texts of players too."""

from pathlib import Path

import pytest

from evoply import Run
from evoply.players import parse_player
from evoply.runs import (
    RunError,
    RunNameError,
    champion_changes,
    champion_of,
    list_runs,
    named_run,
    resolve_champion,
)


def test_every_generation_has_its_champion(finished: Path) -> None:
    with Run.open(finished) as run:
        champions = [generation.champions[0] for generation in run.whole_steps()]
        assert [champion_of(run, number) for number in range(4)] == champions
        changed = [
            number
            for number, one in enumerate(champions)
            if number == 0 or one != champions[number - 1]
        ]
        assert champion_changes(run) == changed
        for number in (-1, 4):
            with pytest.raises(RunError, match=f"no step {number}"):
                champion_of(run, number)
    for number, champion in enumerate(champions):
        text = f"champion@{finished}@{number}"
        assert resolve_champion(text) == champion
        player = parse_player(f"{text}:depth=2", game="othello-6", runs=resolve_champion)
        assert player.evaluator == champion.evaluator
        assert player.label == f"{text}:depth=2"
    with pytest.raises(RunError, match="no step 9"):
        resolve_champion(f"champion@{finished}@9")
    with pytest.raises(RunNameError):
        resolve_champion(f"champion@{finished}@x")


def test_names_lead_to_runs_of_the_folder_and_nowhere_else(home: Path) -> None:
    for folder in ("a", ".hidden", "exp/runs/1-x", "exp/setups"):
        (home / folder).mkdir(parents=True)
    (home / "exp" / "experiment.toml").touch()
    (home / "link.txt").touch()
    assert named_run("a") == home / "a"
    assert named_run("exp/1-x") == home / "exp" / "runs" / "1-x"
    assert [one.name for one in list_runs()] == ["a"]
    assert [one.name for one in list_runs(with_units=True)] == ["a", "exp/1-x"]
    wrong = (
        "", ".", "..", "/", "a/", "/a", "a/..", "../runs/a", "exp", "exp/", "exp/setups", "a/runs",
        ".hidden", "exp/runs/1-x", "a\\b", "a\0", "link.txt", "x" * 5000, str(home / "a"),
    )  # fmt: skip
    for name in wrong:
        with pytest.raises(RunNameError):
            named_run(name)
