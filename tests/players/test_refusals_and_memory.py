"""What is refused leaves nothing in memory."""

import gc
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from evoply.evolution import EvolutionConfig
from evoply.evolution.play import read_opponent
from evoply.experiments import experiment_of
from evoply.players import ExpressionEvaluator, TreeEvaluator, parse_player, read_engines
from evoply.players.grammar import read_player

WRONG_TREE = {"kind": "tree", "tree": "( + white x )"}
REFUSED: dict[str, Callable[[], object]] = {
    "tree": lambda: parse_player("( + white x )"),
    "open bracket": lambda: parse_player("( + white"),
    "stages": lambda: parse_player("( + white x ),50,( black ),50"),
    "option": lambda: parse_player("material:depth=x"),
    "engine": lambda: parse_player("engine:gtp:"),
    "opponent": lambda: read_opponent("( + white x )", "othello"),
    "opponent as JSON": lambda: read_opponent('{"kind": "x"}', "othello"),
    "evaluator": lambda: TreeEvaluator(tree="( white )", primitives="none"),
    "expression": lambda: ExpressionEvaluator(expression={"a": 1}),
    "saved player": lambda: read_player({"kind": "after_state", "evaluator": WRONG_TREE}),
    "config": lambda: EvolutionConfig(population_size=0),
    "guide": lambda: EvolutionConfig(fitness={"kind": "guide_games", "guide": "( + white x )"}),
    "experiment": lambda: experiment_of({"a": 1}),
}
WARM, TIMES = 60, 200


@pytest.fixture(scope="module", autouse=True)
def what_was_there_before() -> Iterator[None]:
    """Leave out of every collection what other tests have left: that takes most of the time."""
    gc.collect()
    gc.freeze()
    yield
    gc.unfreeze()


def _blocks_kept(refused: Callable[[], object]) -> int:
    """Return how many blocks of memory *TIMES* refusals leave behind."""

    def refuse(times: int) -> int:
        for _ in range(times):
            with suppress(ValueError):
                refused()
        gc.collect()
        return sys.getallocatedblocks()

    before = refuse(WARM)
    return refuse(TIMES) - before


@pytest.mark.parametrize("what", REFUSED)
def test_a_refusal_leaves_nothing_in_memory(what: str) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        REFUSED[what]()
    # One object that stays each time would be as many blocks as times, and an error has several.
    assert _blocks_kept(REFUSED[what]) < TIMES


def test_a_refused_file_of_engines_leaves_nothing_in_memory(tmp_path: Path) -> None:
    file = tmp_path / "engines.toml"
    file.write_text('[[engine]]\nname = "x"\nprotocol = "gtp"\ncommand = 3\n', encoding="utf-8")
    assert _blocks_kept(lambda: read_engines(file)) < TIMES
