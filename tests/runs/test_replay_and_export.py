"""Games played again from their keys, and runs as tables, CSV and Parquet."""

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from run_settings import falsify, small_config

from evoply import Run, replay
from evoply.arena import match
from evoply.cli import main
from evoply.protocols import Color
from evoply.runs import RunError, advance, export_csv, export_parquet


def introns_text(share: float | None) -> str:
    return "" if share is None else str(share)


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
        with pytest.raises(RunError, match="no step 9"):
            replay(run, 9, 0)


def test_a_replay_that_differs_is_refused(finished: Path, tmp_path: Path) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(finished, folder)
    everybody = (f"edited(state, '$.individuals[{place}].fitness', 0.123)" for place in range(20))
    falsify(folder, *(f"UPDATE steps SET state = {it} WHERE number = 1" for it in everybody))
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
        stored = [one for generation in run.whole_steps() for one in generation.individuals]
        assert [float(row["fitness"]) for row in rows] == [one.fitness for one in stored]
        assert [row["tree"] for row in rows] == [str(one.tree) for one in stored]
        with paths[0].open(newline="") as file:
            assert [row["digest"] for row in csv.DictReader(file)] == run.digests()
        with paths[0].open(newline="") as file:
            shares = [(one["dead_introns"], one["live_introns"]) for one in csv.DictReader(file)]
        assert shares == [
            (introns_text(one.census.dead_introns), introns_text(one.census.live_introns))
            for one in run.whole_steps()
        ]
        (tmp_path / "file").write_text("")
        with pytest.raises(RunError, match="cannot be written"):
            export_csv(run, tmp_path / "file")


def test_tables_are_arrays_and_data_frames(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pandas import DataFrame

    folder = tmp_path / "copy"
    shutil.copytree(finished, folder)
    with Run.open(folder) as run:
        for opponent, extra in (("random", {}), ("greedy", {"note": 1})):
            result = match("mobility", opponent, game="othello-6", games=20).to_dict()
            run.save_match({**result, **extra})
        generations = list(run.whole_steps())
        arrays = run.to_arrays()
        assert arrays["number"].dtype == np.int64
        assert arrays["best_fresh"].tolist() == [one.statistics.best_fresh for one in generations]
        assert arrays["digest"].tolist() == run.digests()
        frame = run.to_dataframe("individuals")
        assert isinstance(frame, DataFrame)
        everybody = [one for generation in generations for one in generation.individuals]
        assert frame["fitness"].tolist() == [one.fitness for one in everybody]
        assert frame["tree"].tolist() == [str(one.tree) for one in everybody]
        matches = run.to_dataframe("matches")
        assert matches["second"].tolist() == ["random", "greedy"]
        assert (matches["interval_low"] < matches["score"]).all()
        assert np.isnan(run.to_arrays("matches")["note"].astype(float)[0])
        assert set(run.table_names()) == {"generations", "individuals", "hall_of_fame", "matches"}
        with pytest.raises(
            ValueError, match=r"'trees' is not a table of run .*: it has generations"
        ):
            run.to_arrays("trees")
        monkeypatch.setitem(sys.modules, "pandas", None)
        without = run.to_dataframe()
        assert isinstance(without, dict)
        assert without["best_fresh"].tolist() == arrays["best_fresh"].tolist()


def test_parquet_holds_what_csv_holds(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow.parquet import read_table

    with Run.open(finished) as run:
        paths = export_parquet(run, tmp_path)
        assert [path.name for path in paths] == [
            "generations.parquet",
            "individuals.parquet",
            "hall_of_fame.parquet",
        ]
        for path in paths:
            assert read_table(path).to_pylist() == run.rows(path.stem)
        monkeypatch.setitem(sys.modules, "pyarrow", None)
        with pytest.raises(RunError, match="the package pyarrow - is not installed - `"):
            export_parquet(run, tmp_path)


def test_shares_of_introns_are_in_every_table(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Run.create(home / "introns", small_config(generations=2)) as run:
        censuses = [generation.census for generation in advance(run)]
    assert censuses[0].live_introns is not None
    assert main(["runs", "introns", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["generations"]
    for name in ("dead_introns", "live_introns"):
        assert [row[name] for row in rows] == [getattr(one, name) for one in censuses]
    assert main(["runs", "introns"]) == 0
    text = capsys.readouterr().out
    assert "never computed" in text
    assert f"{100 * censuses[1].live_introns:.1f} %" in text


MAP: dict[str, Any] = {
    "selection": {"kind": "uniform"},
    "survival": {"kind": "map", "axes": [{"descriptor": "mobility"}, {"descriptor": "size"}]},
}


@pytest.mark.parametrize("measure", ["points", "tournament"])
def test_games_of_a_map_are_replayed(measure: str, tmp_path: Path) -> None:
    fitness = {"opponents": [{"player": "greedy", "pairs": 1}], "measure": {"kind": measure}}
    config = small_config(population_size=8, generations=3, fitness=fitness, **MAP)
    with Run.create(tmp_path / "run", config) as run:
        for _ in advance(run):
            pass
        for number in (0, 2):
            stored = run.generation(number)
            games = [replay(run, number, game) for game in range(replay(run, number, 0).games)]
            for place, elite in enumerate(stored.individuals):
                own = [game for game in games if place in game.individuals]
                other = [game for game in games if place in game.against]
                assert own or other
                if measure == "points":  # equal trees do not meet in a tournament
                    assert sum(game.points for game in own) / len(own) == elite.fitness
            # Whoever did not get a cell played, too.
            assert any(not game.individuals for game in games)


def test_games_of_parents_that_compete_are_replayed_with_a_named_operator(tmp_path: Path) -> None:
    """Parents are bred again from the config, which alone names the operator, once."""
    (tmp_path / "mine.py").write_text("def keep(tree, limits, stream):\n    return tree\n")
    code = f"python:{tmp_path / 'mine.py'}:keep"
    variation = {"crossover": 0.4, "custom": {"keep": 0.4}, "operators": {"keep": code}}
    config = small_config(
        population_size=8, generations=3, variation=variation, survival={"kind": "best"}
    )
    with Run.create(tmp_path / "run", config) as run:
        for _ in advance(run):
            pass
        games = [replay(run, 2, game) for game in range(replay(run, 2, 0).games)]
        for place, individual in enumerate(run.generation(2).individuals):
            points = [game.points for game in games if place in game.individuals]
            assert sum(points) / len(points) == individual.fitness


COEVOLUTION: dict[str, dict[str, Any]] = {
    "guides": {
        "kind": "guides",
        "guides": [{"player": "greedy", "rounds": 2, "games": 3}, {"player": "random", "games": 2}],
        "co_play": 2,
    },
    "round robin": {"kind": "tournament"},
    "knock-out": {"kind": "tournament", "format": "elimination", "pairs": 2},
    "shared points": {"kind": "points", "sharing": True},
    "discs": {"kind": "opponent_discs"},
}


@pytest.mark.parametrize("kind", COEVOLUTION)
def test_games_of_every_kind_are_replayed(kind: str, tmp_path: Path) -> None:
    opponents = [{"player": "random", "pairs": 2}, {"player": "greedy", "games": 1}]
    config = small_config(
        population_size=8,
        generations=2,
        # Two individuals with one tree: they share a player, and in co-play no game.
        initialisation={"seeds": ["( - white black )"] * 2},
        fitness={"opponents": opponents, "measure": COEVOLUTION[kind]},
    )
    with Run.create(tmp_path / "run", config) as run:
        for _ in advance(run):
            pass
        stored = run.generation(0)
        games = [replay(run, 0, number) for number in range(replay(run, 0, 0).games)]
        trees = [str(one.tree) for one in stored.individuals]
        for number, game in enumerate(games):
            assert game.number == number
            outcome = game.game.outcome()
            assert outcome is not None
            own = Color.BLACK if trees[game.individuals[0]] == game.black else Color.WHITE
            assert game.points == outcome.points(own)
            assert {trees[place] for place in game.individuals} == {
                game.black if own is Color.BLACK else game.white
            }
            assert {trees[place] for place in game.against} <= {game.white}
        # A match of two trees counts against each individual that has the other tree.
        points = [
            sum(len(game.against or "1") * game.points for game in games if i in game.individuals)
            + sum(len(game.individuals) * (1 - game.points) for game in games if i in game.against)
            for i in range(8)
        ]
        fitness = [one.fitness for one in stored.individuals]
        if kind == "guides":
            assert points == fitness
        elif kind == "round robin":
            # The match of the two equal trees is not played: a point of two games for each.
            equal = [trees.count(tree) - 1 for tree in trees]
            assert [(one + more) / 14 for one, more in zip(points, equal, strict=True)] == fitness
        elif kind == "knock-out":
            assert sum(fitness) == 7
            assert len(games) == 7 * 4
            assert all(len(game.individuals) == len(game.against) == 1 for game in games)
        with pytest.raises(RunError, match=f"has games 0 to {len(games) - 1}, not {len(games)}"):
            replay(run, 0, len(games))


def test_a_coevolved_game_that_differs_is_refused(tmp_path: Path) -> None:
    with Run.create(tmp_path / "run", small_config(generations=1, fitness="2Co")) as run:
        for _ in advance(run):
            pass
    falsify(
        tmp_path / "run",
        "UPDATE steps SET state = edited(state, '$.individuals[3].fitness', 0.123)",
    )
    with (
        Run.open(tmp_path / "run") as run,
        pytest.raises(RunError, match=r"individual 3 .* differ"),
    ):
        replay(run, 0, 0)
