"""What a kind of learner is: four contracts of at most eight members each."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from house import members

from evoply import Run, runs
from evoply.evolution import EvolutionConfig
from evoply.kinds import KINDS
from evoply.protocols import RunError
from evoply.runs.columns import table


@pytest.mark.parametrize("contract", ["Configs", "Learners", "Store", "Display", "Kind"])
def test_a_contract_fits_on_a_page(contract: str) -> None:
    assert members("evoply.runs.kind", contract) <= 8


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_called_as_its_row(name: str) -> None:
    kind = KINDS[name]
    assert (kind.name, kind.own) == (name, None)
    assert {"time_limit"} <= kind.configs.limits
    assert kind.made_by(kind.learners.given) == kind


def test_runs_know_no_learner(tmp_path: Path) -> None:
    """Without the table a run of evoply's own is one of a stranger: looked at, not gone on with."""
    config = EvolutionConfig(game="othello-4", population_size=4, generations=1)
    with pytest.raises(RunError, match=r"name its learner, as in evoply\.Run\.create"):
        runs.Run.create(tmp_path / "run", config)
    with Run.create(tmp_path / "run", config) as run:
        (generation,) = runs.advance(run)
        assert run.kind is KINDS["evolution"]
    with runs.Run.open(tmp_path / "run") as run:
        assert (run.kind.name, run.kind.own, run.game) == ("evolution", "", "othello-4")
        assert run.champion_player == generation.champions[0]
        with pytest.raises(RunError, match=r"the learner evolution, .*evoply\.Run\.open"):
            run.last()


def test_a_champion_needs_no_learner() -> None:
    code = """
import sys
from evoply.protocols import RunError
from evoply.runs import Run, advance, list_runs, resolve_champion
list_runs()
try:
    resolve_champion("champion@nowhere")
except RunError:
    print(*(one for one in sys.modules if one.startswith(("evoply.evolution", "evoply.learning"))))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_run_of_one_kind_imports_no_other() -> None:
    code = """
import sys
from evoply.kinds import KINDS
before = set(sys.modules)
assert list(KINDS)[0] == "evolution" and "evoply.evolution.loop" not in before
KINDS["evolution"]
others = ("evoply.islands", "evoply.learning.boards", "evoply.learning.pattern")
print(*(one for one in set(sys.modules) - before if one.startswith(others)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_run_without_steps_has_an_empty_table() -> None:
    kind = KINDS["tuning"]
    head, cells = table(kind.display.columns(None, {}), [])
    assert head[0] == "generation"
    assert head[-2:] == ("seconds", "digest")
    assert cells == []
