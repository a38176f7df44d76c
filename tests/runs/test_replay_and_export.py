"""Games played again from their keys, and runs as CSV."""

import csv
import shutil
import sqlite3
from pathlib import Path

import pytest

from evoply.runs import Run, RunError, export_csv, replay


def test_a_replayed_game_equals_the_original(finished: Path) -> None:
    with Run.open(finished) as run:
        for number in (0, 3):
            generation = run.generation(number)
            first = replay(run, number, 0)
            distinct = len({one.tree for one in generation.individuals})
            each = first.games // distinct
            for which in (0, distinct - 1):
                games = [replay(run, number, which * each + place) for place in range(each)]
                for index in games[0].individuals:
                    fitness = generation.individuals[index].fitness
                    assert sum(game.points for game in games) / each == fitness
                for one, other in zip(games[::2], games[1::2], strict=True):
                    # One opening, colours swapped.
                    plies = one.opening_plies
                    assert list(one.game.moves[:plies]) == list(other.game.moves[:plies])
                    assert (one.black, one.white) == (other.white, other.black)
                for game in games:
                    outcome = game.game.outcome()
                    assert outcome is not None
                    winner = None if outcome.winner is None else outcome.winner.value
                    tree = str(generation.individuals[game.individuals[0]].tree)
                    own = "black" if game.black == tree else "white"
                    expected = 0.5 if winner is None else float(winner == own)
                    assert game.points == expected
        with pytest.raises(RunError, match="has games 0 to"):
            replay(run, 0, 10**6)
        with pytest.raises(RunError, match="no generation 9"):
            replay(run, 9, 0)


def test_a_replay_that_differs_is_refused(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished, folder)
    connection = sqlite3.connect(folder / "run.db")
    connection.execute("UPDATE individuals SET fitness = 0.123 WHERE generation = 1")
    connection.commit()
    connection.close()
    with Run.open(folder) as run, pytest.raises(RunError, match="plays differently"):
        replay(run, 1, 0)


def test_csv_reads_back_exactly(finished: Path, tmp_path: Path) -> None:
    with Run.open(finished) as run:
        paths = export_csv(run, tmp_path / "out")
        assert [path.name for path in paths] == [
            "generations.csv",
            "individuals.csv",
            "hall_of_fame.csv",
        ]
        with paths[1].open(newline="") as file:
            rows = list(csv.DictReader(file))
        stored = [one for generation in run.generations() for one in generation.individuals]
        assert [float(row["fitness"]) for row in rows] == [one.fitness for one in stored]
        assert [row["tree"] for row in rows] == [str(one.tree) for one in stored]
        with paths[0].open(newline="") as file:
            assert [row["digest"] for row in csv.DictReader(file)] == run.digests()
        (tmp_path / "file").write_text("")
        with pytest.raises(RunError, match="cannot be written"):
            export_csv(run, tmp_path / "file")
