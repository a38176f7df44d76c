"""The behaviour signature is the one that was committed: a change of behaviour is a decision."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply import gp
from evoply.arena import behaviour

ROOT = Path(__file__).parent.parent


def test_behaviour_is_the_committed_one() -> None:
    command = [sys.executable, str(ROOT / "benchmarks" / "signature.py")]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert printed == (ROOT / "testdata" / "signature.txt").read_text()


@pytest.mark.parametrize("place", range(len(behaviour._MUTATIONS)))
def test_a_mutation_that_changes_is_noticed(place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def other(tree: gp.Tree, limits: gp.Limits, stream: ep.Stream) -> gp.Tree:
        return ep.parse_tree("( + white 1 )", tree.primitive_set)

    before = behaviour.signature()
    changed = [*behaviour._MUTATIONS]
    changed[place] = other
    monkeypatch.setattr(behaviour, "_MUTATIONS", tuple(changed))
    assert behaviour.signature.__wrapped__() != before


@pytest.mark.parametrize("name", ["ramped_half_and_half", "tournament_selection"])
def test_breeding_that_changes_is_noticed(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before, right = behaviour.signature(), getattr(gp, name)
    monkeypatch.setattr(gp, name, lambda *a, **o: list(reversed(right(*a, **o))))
    assert behaviour.signature.__wrapped__() != before


def test_search_and_the_arena_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = {behaviour.signature()}
    with monkeypatch.context() as deeper:
        deeper.setattr(behaviour, "_OPPONENTS", ("random", "greedy", "material:depth=3"))
        seen.add(behaviour.signature.__wrapped__())
    right = behaviour.play

    def with_an_error(*arguments: Any) -> Any:
        results = right(*arguments)
        return replace(results, hashes=results.hashes + (results.hashes == results.hashes[-1]))

    monkeypatch.setattr(behaviour, "play", with_an_error)
    seen.add(behaviour.signature.__wrapped__())
    assert len(seen) == 3


def test_it_is_stable_within_a_build() -> None:
    assert len(behaviour.signature()) == 16
    assert behaviour.signature() == behaviour.signature.__wrapped__()
