"""Islands compute what they did when `testdata/islands.json` was recorded, whatever computes them.

The runs there were made by islands that had a config of their own kind and a store of their own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from evoply.cluster import Dispatcher
from evoply.cluster.processes import ProcessPool
from evoply.evolution.islands import IslandEvolution, IslandsConfig, IslandsStep, evolve_islands
from evoply.evolution.islands import load_islands_config as load
from evoply.runs.kept_steps import dumped

RECORDED = json.loads(Path(__file__, "../../../testdata/islands.json").resolve().read_text("utf-8"))
NAMES = [run["name"] for run in RECORDED]


def config_of(run: dict[str, Any]) -> IslandsConfig:
    settings = run["settings"]
    if run["preset"] is None:
        return IslandsConfig(**settings)
    return load(run["preset"], [], {**settings, "time_limit": None})


def said(step: IslandsStep) -> dict[str, Any]:
    """Return what is recorded of a step."""
    return {
        "digest": step.digest,
        "islands": [generation.digest[:16] for generation in step.generations],
        "points": list(step.points),
        "games": step.games,
        "work": step.work,
        "champion": str(step.champion),
        "statistics": dict(step.statistics),
    }


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("run", RECORDED, ids=NAMES)
def test_steps_are_those_recorded(run: dict[str, Any], threads: int) -> None:
    config = config_of(run)
    steps = list(evolve_islands(config, threads=threads))
    assert [said(step) for step in steps] == run["steps"]
    assert config.ended_by(steps[-1]) == run["ended_by"]


@pytest.mark.parametrize("run", RECORDED, ids=NAMES)
def test_steps_that_were_stored_lead_to_those_recorded(run: dict[str, Any]) -> None:
    config, step = config_of(run), None
    for recorded in run["steps"]:
        step = IslandEvolution(threads=1).after(config, step)
        step = IslandsStep.load(config, json.loads(json.dumps(dumped(step))))
        assert said(step) == recorded


def test_workers_make_the_steps_recorded() -> None:
    with ProcessPool(2) as pool:
        cluster = Dispatcher(pool, check_share=0.0)
        for run in RECORDED:
            steps = evolve_islands(config_of(run), cluster=cluster)
            assert [said(step) for step in steps] == run["steps"]
