"""The figures of docs/readable-players.md: each quoted command again, smaller, and not far below.

The tests read the page, so a figure that is measured anew is checked anew. A smaller run is a
little weaker and its score less certain; how much is allowed stands at each test.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import evoply as ep
from evoply.learning import features_of_population
from whole_runs import whole_run

PAGE = Path(__file__).parents[2] / "docs" / "readable-players.md"
GAMES = 1000
NOISE = 0.047
"""Three standard errors of a score of so many games."""

_LONGER = "evolved for longer: 800 trees of at most 45 nodes, 200 generations"

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]


@dataclass(frozen=True)
class Quoted:
    """A score against `swh` on the page, and its interval or its range over seeds."""

    score: float
    low: float
    high: float


def quoted(player: str) -> Quoted:
    """Return what the row of *player* says in its last column."""
    (row,) = re.findall(rf"^\| {re.escape(player)} \|.*$", PAGE.read_text(), re.MULTILINE)
    numbers = re.findall(r"[0-9]+\.[0-9]", row.split("|")[-2])
    score, low, high = (float(number) / 100 for number in numbers)
    return Quoted(score, low, high)


def test_rows_are_read() -> None:
    for player in ("the demo's champion after 100 generations", _LONGER):
        found = quoted(player)
        assert 0.5 < found.low < found.score < found.high < 0.9


def score_of(player: object) -> float:
    """Return the score against `swh` as the page measures it: a tenth of all moves is random."""
    assert isinstance(player, ep.AfterState | ep.AlphaBeta)
    erring = player.model_copy(update={"epsilon": 0.1})
    return ep.match(erring, "swh:epsilon=0.1", games=GAMES, seed=7).score


def check(player: object, row: str, *, less: float) -> None:
    """Check that *player* scores as *row* says, or less by at most *less* and the noise."""
    said, score = quoted(row), score_of(player)
    assert said.low - less - NOISE < score < said.high + NOISE, (row, score)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ep.Run]:
    """A run of the demo, of 40 generations instead of 100."""
    config = ep.load_config("demo", ["seed=101", "generations=40", "time_limit=none"])
    with whole_run(tmp_path_factory.mktemp("demo") / "run", config) as run:
        yield run


def test_the_champion_of_the_demo(demo: ep.Run) -> None:
    row = "the demo's champion after 100 generations"
    check(demo.champion_player, row, less=0.05)


def test_a_formula_gains_by_its_guard_and_knows_the_end_of_no_game() -> None:
    # More games meet boards on which a reply ends the game: they once spoilt the whole fit.
    formula = ep.distil("strong:depth=1", terms=10, stages=3, games=600, seed=1)
    unguarded = formula.player.model_copy(update={"guard": False})
    assert 0.5 < score_of(unguarded) < score_of(formula.player)


def test_learned_weights_of_what_evolution_found(demo: ep.Run) -> None:
    last = demo.last()
    features = features_of_population(
        demo.kind.uses["trees"](demo.champion, last), demo.champion_player, game="othello", seed=101
    )
    rates = {"schedule": "decay", "half": 5000}
    *_, step = ep.learn("firebrand-8", features=features, games=40_000, seed=101, rates=rates)
    row = "features of the same populations, weights learned"
    check(step.champions[0], row, less=0.08)


def test_a_tuned_champion_is_no_worse(demo: ep.Run) -> None:
    pytest.importorskip("cmaes")
    champion = demo.champion_player
    opponents = [champion, "mobility"]
    *_, last = ep.tune(champion, opponents=opponents, generations=16, pairs=25, test_pairs=100)
    assert ep.match(last.champions[0], champion, games=GAMES, seed=7).score > 0.5 - NOISE


def test_evolution_for_longer() -> None:
    settings = [
        "seed=201",
        "generations=16",
        "time_limit=none",
        "population_size=800",
        "limits.max_nodes=45",
        "variation.crossover=0.68",
        "variation.subtree_mutation=0.1",
        "variation.point_mutation=0.05",
        "variation.local_mutation=0.15",
        'fitness.opponents=[{player="random",pairs=2},{player="greedy",pairs=4}]',
        "fitness.earlier_generations.pairs=8",
        "hall_of_fame.candidates=8",
        "hall_of_fame.pairs=16",
    ]
    *_, last = ep.evolve(ep.load_config("demo", settings))
    check(last.champions[0], _LONGER, less=0.1)
