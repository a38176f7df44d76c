"""From learned tables to the file that ships."""

import json

import numpy as np
import pytest

import evoply as ep
from evoply.cli import main
from evoply.learning import PatternConfig, learn_patterns, load_pattern_config, pack
from evoply.learning.labels import DEEPEST, ValuesByDepth, fitted_cuts
from evoply.players import read_packed
from evoply.players.packed import rounded
from whole_runs import whole_run

SMALL = {
    "games": 300, "games_per_step": 150, "stages": [20, 40],
    "patterns": ["corner_2x4", "row_1", "row_4", "diagonal_8"],
    "labels": {"games": 30, "games_per_step": 15, "depth": 2},
}  # fmt: skip


def test_a_training_and_its_file_are_the_same_twice(tmp_path, monkeypatch, capsys):
    config = load_pattern_config("strong", settings=SMALL)
    *_, last = learn_patterns(config)
    about = {"games": last.games, "digest": last.digest}
    tables = pack(config, last.tables(config), about=about, positions=8, depth=4)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    with whole_run(tmp_path / "again", config):
        pass
    file = tmp_path / "tables.json"
    options = ["--positions", "8", "--depth", "4", "--json"]
    assert main(["pack", "again", str(file), *options]) == 0
    assert json.loads(file.read_text()) == tables.to_data()
    told = json.loads(capsys.readouterr().out)
    assert (told["digest"], told["entries"]) == (tables.digest, len(tables.values))
    assert read_packed(file.read_text()).made["games"] == 300
    assert [cut.depth for cut in tables.cuts] == [3, 4]
    assert all(len(cut.lines) == 3 for cut in tables.cuts)
    assert np.count_nonzero(tables.values) > 1000
    assert (last.labelled, tables.unit) == (30, "discs")
    assert main(["pack", "again", str(tmp_path / "other.json"), "--positions", "0"]) == 2
    assert not (tmp_path / "other.json").exists()


def test_runs_without_tables_are_refused(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    config = ep.load_learning_config("firebrand-8", ["games=20"])
    with ep.Run.create(tmp_path / "weights", config) as run:
        next(iter(ep.advance(run)))
    assert main(["pack", "weights", str(tmp_path / "file.json")]) == 1
    assert "has no tables of patterns, which can be packed" in capsys.readouterr().err


def test_lines_are_those_of_least_squares():
    draws = np.random.default_rng(3)
    shallow = draws.normal(size=200)
    deep = 1.25 * shallow - 0.5 + 0.1 * draws.normal(size=200)
    pieces = np.full(200, 30)
    (cut,) = fitted_cuts(ValuesByDepth(pieces, {1: shallow, 3: deep}), "othello", ())
    slope, offset = np.polyfit(shallow, deep, 1)
    left = deep - slope * shallow - offset
    expected = (slope, offset, np.sqrt(left @ left / 198))
    assert cut.lines[0] == pytest.approx(expected, abs=1e-4)


def test_finished_games_foretell_nothing():
    shallow, deep = np.arange(10.0), np.arange(10.0)
    pieces = np.full(10, 30)
    plain = fitted_cuts(ValuesByDepth(pieces, {1: shallow, 3: deep}), "othello", ())
    won = ValuesByDepth(
        np.full(12, 30), {1: np.append(shallow, [0, 0]), 3: np.append(deep, [1e15, -1e15])}
    )
    assert fitted_cuts(won, "othello", ()) == plain
    at_the_end = ValuesByDepth(np.full(10, 62), {1: shallow, 3: deep})
    assert fitted_cuts(at_the_end, "othello", ()) == ()


@pytest.mark.parametrize("values", [[33.0], [float("nan")], [float("-inf")]])
def test_entries_that_do_not_fit_are_refused(values):
    with pytest.raises(ValueError, match=r"one is larger than 32\.767"):
        rounded(values)


@pytest.mark.parametrize("options", [{"positions": 0}, {"depth": 0}, {"depth": DEEPEST + 1}])
def test_options_have_bounds(options):
    config = PatternConfig(patterns=["corner_3x3"], games=10)
    with pytest.raises(ValueError, match="is not from 1 to"):
        pack(config, np.zeros(3**9), **options)


def test_tables_of_checkers_are_packed_and_foretold():
    settings = {
        "games": 200, "games_per_step": 200, "max_plies": 80, "stages": [12],
        "patterns": ["b1 d1 a2 c2", "b5 d5 c6 e6"],
        "labels": {"games": 8, "games_per_step": 8, "depth": 2},
    }  # fmt: skip
    config = load_pattern_config("strong-checkers", settings=settings)
    *_, last = learn_patterns(config)
    tables = pack(config, last.parameters, positions=8, depth=4)
    assert read_packed(json.dumps(tables.to_data())) == tables
    assert 3 in {cut.depth for cut in tables.cuts}
    assert tables.program.parameters == pytest.approx(last.parameters, abs=0.0005001)
    assert tables.patterns[0].symmetries == (0,)
    # Files without a unit are older than units: their digests are in saved players.
    assert tables.unit == "wins"
    assert "unit" not in tables.to_data()
