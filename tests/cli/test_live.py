import io
import json
from pathlib import Path

import pytest
from command_line import SMALL_CONFIG, call
from rich.console import Console

from evoply import Run
from evoply.cli.run_loop import LiveView, curve
from evoply.evolution import EvolutionConfig, Generation, config_from_toml, evolve
from evoply.kinds import KINDS


@pytest.fixture(scope="module")
def config() -> EvolutionConfig:
    """A run against greedy and earlier champions, whose trees are too long for a line."""
    opponents = 'fitness.opponents=[{player="random",pairs=2},{player="greedy",pairs=2}]'
    more = "fitness.earlier_generations={champions=1,pairs=1}"
    return config_from_toml(SMALL_CONFIG, [opponents, more, "initialisation.max_depth=8"])


@pytest.fixture(scope="module")
def generations(config: EvolutionConfig) -> list[Generation]:
    return list(evolve(config))


def drawn(view: LiveView, console: Console) -> str:
    with console.capture() as captured:
        console.print(view._panel())
    return captured.get()


def wide_console(width: int) -> Console:
    return Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)


@pytest.mark.parametrize("width", [30, 50, 60, 79, 80, 120])
def test_the_panel_fits_and_its_sentence_is_whole(
    width: int, config: EvolutionConfig, generations: list[Generation]
) -> None:
    console = wide_console(width)
    view = LiveView(console, KINDS["evolution"], config, "name")
    for generation in generations:
        view.show(generation)
    lines = drawn(view, console).strip().splitlines()
    assert {len(line) for line in lines} == {min(width, 80)}
    labels = [line for line in lines if line.lstrip("│ ").startswith("champion")]
    assert len(labels) == 1
    # Once "opponents change with the generations: a level curve may s..." was cut.
    words = " ".join(line.strip("│ ") for line in lines)
    assert "a level curve may still be progress" in " ".join(words.split())


def test_the_yardstick_is_greedy_who_never_changes(
    config: EvolutionConfig, generations: list[Generation]
) -> None:
    console = wide_console(84)
    view = LiveView(console, KINDS["evolution"], config, "name")
    view.show(generations[-1])
    text = drawn(view, console)
    score = next(one.best for one in generations[-1].fresh if one.opponent == "greedy")
    line = next(line for line in text.splitlines() if "best against greedy" in line)
    assert f"{100 * score:.1f} %" in line
    assert "best, each generation" in text
    assert "opponents change with the generations" in text
    assert "so far" not in text


def test_a_resumed_run_goes_on_with_its_curves(
    config: EvolutionConfig, generations: list[Generation], tmp_path: Path
) -> None:
    console = wide_console(84)
    whole, resumed = LiveView(console, KINDS["evolution"], config, "name"), None
    with Run.create(tmp_path / "run", config) as run:
        for generation in generations[:-1]:
            run.save(generation)
            whole.show(generation)
        resumed = LiveView(console, KINDS["evolution"], config, "name", run.rows())
    for view in (whole, resumed):
        view.show(generations[-1])
        view._time_left = lambda: "1:00"  # type: ignore[method-assign]
    assert drawn(resumed, console) == drawn(whole, console)


def test_a_curve_is_as_long_as_it_may_be() -> None:
    assert len(curve([float(value) for value in range(100)], "abc", 10)) == 10


def test_resume_of_a_held_run_draws_nothing(capsys: pytest.CaptureFixture) -> None:
    assert call(capsys, "evolve", "small.toml", "--name", "small", "--no-tests").code == 0
    with Run.open("runs/small") as run, run.lock():
        answer = call(capsys, "resume", "small", "--generations", "9")
    assert answer.code == 1
    assert answer.out == ""
    assert "being written by process" in answer.err
    assert len(json.loads(call(capsys, "runs", "small", "--json").out)["generations"]) == 3
