"""What a kind of learner is: one value, of which all but three fields may be left out."""

import dataclasses
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import pytest

from evoply import Run, gp, runs
from evoply.evolution import EvolutionConfig
from evoply.expressions import PRIMITIVE_SETS
from evoply.kinds import KINDS
from evoply.learning.configs import LearnerConfig, config_of
from evoply.players import parse_player
from evoply.protocols import Column, RunError, Section
from evoply.reports import report_html
from evoply.runs import Kind
from evoply.runs.kept_learners import KeptLearner
from evoply.runs.kept_steps import KeptStep, Tree, loaded
from evoply.runs.kind import StepTables


def test_a_kind_is_one_value() -> None:
    """All but a name and a learner may be left out, among it four functions of what is shown."""
    fields = dataclasses.fields(Kind)
    needed = [field.name for field in fields if field.default is field.default_factory]
    assert needed == ["name", "learner"]
    shown = ("live", "plots", "listings", "page")
    assert [name for name in shown if getattr(KINDS["tuning"], name)] == []
    assert [name for name in shown if getattr(KINDS["evolution"], name)] == [*shown]


class CountConfig(LearnerConfig):
    learner: str = "count"
    game: str = "othello-4"
    seed: int = 1
    generations: int | None = 3
    time_limit: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class CountStep(KeptStep):
    trees: tuple[Tree, ...] = ()

    def player(self, config: CountConfig, /) -> Any:
        return parse_player("greedy", game=config.game)

    @classmethod
    def load(cls, config: CountConfig, data: Any) -> Self:
        step: Self = loaded(cls, data, PRIMITIVE_SETS["liao"])
        return step.completed(config)


@dataclass(frozen=True)
class Counting(KeptLearner[CountStep]):
    config_type: ClassVar[Any] = CountConfig
    step_type: ClassVar[Any] = CountStep

    def first(self, config: CountConfig, /) -> CountStep:
        return self.after(config, None)

    def after(self, config: CountConfig, step: CountStep | None, /) -> CountStep:
        number = 0 if step is None else step.number + 1
        text = ("( white )", "( black )", "( + white black )", "( - white black )")[number]
        tree = gp.parse_individual(text, PRIMITIVE_SETS["liao"])
        trees = (*(() if step is None else step.trees), tree)
        statistics = {"games": 0, "height": number / 2}
        return CountStep.made(config, step, 0.0, trees=trees, statistics=statistics)


COUNT = Kind(
    name="count",
    learner=Counting(),
    read=partial(config_of, CountConfig),
    columns=(Column("height", "height", "{:.1f} m".format, "height"),),
    tables=StepTables(grows=("trees",)),
)


class TrialRun(runs.Run):
    kinds: ClassVar[Any] = {"count": COUNT}


def test_a_learner_of_evoplys_own_is_a_module_and_a_row(tmp_path: Path) -> None:
    config = CountConfig()
    with TrialRun.create(tmp_path / "run", config) as run:
        first, second, *_ = runs.advance(run)
        assert [step.number for step in run.whole_steps()] == [0, 1, 2]
    with TrialRun.open(tmp_path / "run") as run:
        assert run.config == config
        assert run.step(1) == second
        assert [len(step.trees) for step in run.whole_steps()] == [1, 2, 3]
        assert [step.fields["added"]["trees"][0] for step in run.steps()] == [0, 1, 2]
        longer = config.model_copy(update={"generations": 4})
        (fourth,) = runs.advance(run, config=longer)
        assert fourth.trees[:3] == run.step(2).trees
        live = run.kind.display.live(longer, fourth)
        assert (live.facts, live.points) == ((("height", "1.5 m"),), {"height": 1.5})
        first_row, columns = run.rows()[0], run.columns([])
        assert [column.text(first_row) for column in columns[:2]] == ["0", "0.0 m"]
        assert "from step 3" in run.kind.display.champion_facts(run.champion, fourth).title
        assert "height" in report_html(run)
        assert run.check() == 4 * 2 + len(run.events()) + 3
    assert first.digest != second.digest


@pytest.mark.parametrize("name", KINDS)
def test_a_kind_is_called_as_its_row(name: str) -> None:
    kind = KINDS[name]
    assert (kind.name, kind.own) == (name, None)
    assert {"time_limit"} <= kind.configs.limits


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
others = ("evoply.evolution.islands", "evoply.learning.pattern_learner", "evoply.learning.tuples")
print(*(one for one in set(sys.modules) - before if one.startswith(others)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_a_run_without_steps_has_an_empty_table() -> None:
    kind = KINDS["tuning"]
    steps = Section("", kind.display.columns(None, {}))
    assert steps.head[0] == "generation"
    assert steps.head[-2:] == ("seconds", "digest")
    assert steps.cells() == []
