"""A user's file of parts in Python and an empty folder of runs; or an evil file, and a run."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from evil_program import EVIL
from own_settings import small_config

from evoply import Run
from evoply.runs import advance

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
        batch = training.opponents_batch(population)
        results = training.play(batch)
        points = results.black_points
        by_game = training.opponents.by_tree(points, 1 - points)
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


@pytest.fixture
def evil(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A current folder with `evil.py`."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("EVOPLY_RUNS", raising=False)
    # Of each test its own: what one allows, another does not.
    Path("evil.py").write_text(f"{EVIL}# {tmp_path}\n")
    return tmp_path


@pytest.fixture(scope="module")
def sent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run that is whole, of which each test has a copy."""
    folder = tmp_path_factory.mktemp("sent") / "run"
    with Run.create(folder, small_config()) as made:
        for _ in advance(made):
            pass
    return folder


@pytest.fixture
def run(evil: Path, sent: Path) -> Path:
    """A copy of `sent` in the folder of runs."""
    return Path(shutil.copytree(sent, "runs/sent"))
