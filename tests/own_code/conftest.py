"""A user's file of parts in Python, and an empty folder of runs."""

from collections.abc import Callable
from pathlib import Path

import pytest

PARTS = '''
"""Parts of a user, in one file, which notes when it is imported."""

from pathlib import Path

import numpy as np

from evoply.evolution import FitnessKind, Measured, Operator
from evoply.gp import point_mutation

with (Path(__file__).parent / "imports.txt").open("a") as notes:
    notes.write("imported\\n")


class Short(FitnessKind):
    """Points, less a weight for each node; its games are the config's."""

    kind: str = "short"
    weight: float = 0.01

    def measured(self, population, training):
        batch = training.panel_batch(population)
        results = training.play(batch)
        points = results.black_points
        by_game = training.panel.by_tree(points, 1 - points)
        sizes = np.array([self.weight * len(tree) for tree in population.trees])
        fitness = by_game.mean(axis=1) - sizes
        return Measured(fitness=fitness[population.who], games=len(batch.schedule))


def brevity(tree, stream):
    return -len(tree)


def mutate(tree, limits, stream):
    return point_mutation(tree, limits, stream, rate=0.5)


def fails(tree, stream):
    raise KeyError("no such board")


ROW = Operator("row", mutate, "Many nodes change.", rate=0.3)


class Last:
    """Plays the last legal move."""

    reproducible = True

    def choose(self, game, stream, clock):
        return game.position.legal_moves[-1]


class Moody(Last):
    reproducible = False


class Cautious(Last):
    """Plays the move after which the individual's own search is happiest, by its seat."""

    def __init__(self, individual):
        self.individual = individual

    def choose(self, game, stream, clock):
        return self.individual.seat(game.position.game).choose(game, stream, clock)


NOT_A_PART = 3
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with `parts.py`; a file with other content is imported anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "parts.py").write_text(f"{PARTS}\nPLACE = {str(tmp_path)!r}\n", encoding="utf-8")
    return tmp_path


@pytest.fixture
def imports(home: Path) -> Callable[[], int]:
    """Return how often `parts.py` was imported."""
    notes = home / "imports.txt"
    return lambda: len(notes.read_text().splitlines()) if notes.exists() else 0
