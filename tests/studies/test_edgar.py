"""The Edgar-like player: a file with its origin, training that repeats, no weaker than random."""

import json
from importlib.resources import files

import numpy as np
import pytest

from evoply import _native, othello
from evoply.arena import match
from evoply.games import SHAPES
from evoply.players import ExpressionEvaluator, RandomStart, parse_player
from evoply.players.named import weights_by_ply
from evoply.protocols import Color
from evoply.studies.bellin.edgar import (
    PLIES,
    SQUARES,
    batch_sums,
    learn,
    main,
    over_symmetries,
    table_text,
)


def shipped_text():
    return (files("evoply.players") / "edgar.json").read_text()


def shipped():
    return json.loads(shipped_text())


def test_a_short_training_is_reproducible():
    told = []
    table = learn(1200, 3, progress=told.append)
    assert told == [1000, 1200]
    assert table.shape == (PLIES, SQUARES)
    assert (table == learn(1200, 3)).all()
    assert (table != learn(1200, 4)).any()
    assert np.abs(table).max() <= 1


def test_a_program_with_new_weights_learns_as_one_lowered_anew():
    """The way it was done before: an evaluator for every batch."""
    tables, stream = np.zeros((PLIES, SQUARES)), _native.Stream(5, "edgar")
    for number in range(2):
        evaluator = ExpressionEvaluator(expression=weights_by_ply(tables.tolist()))
        program = evaluator.program("othello")
        sums, counts = batch_sums(program, 1000, stream.child("batch", number))
        sums, counts = over_symmetries(sums), over_symmetries(counts)
        means = np.divide(sums, counts, out=tables.copy(), where=counts > 0)
        tables += max(1 / (number + 1), 0.05) * (means - tables)
    assert (learn(2000, 5) == tables.round(4)).all()


def test_the_file_of_a_table_comes_back(tmp_path):
    table = learn(50, 1)
    data = json.loads(table_text(table, games=50, seed=1))
    assert (np.array(data["tables"]) == table).all()
    assert data["command"] == "python -m evoply.studies.bellin.edgar --games 50 --seed 1"


def test_the_command_writes_the_table_that_learning_gives(tmp_path, monkeypatch):
    """What the command in a file says makes that file: twice, and as `learn` does."""
    written = []
    for name in ("one.json", "two.json"):
        path = tmp_path / name
        arguments = ["edgar", "--games", "1500", "--seed", "4", "--output", str(path)]
        monkeypatch.setattr("sys.argv", arguments)
        main()
        written.append(path.read_text())
    assert written[0] == written[1] == table_text(learn(1500, 4), games=1500, seed=4)
    assert '"command": "python -m evoply.studies.bellin.edgar --games 1500 --seed 4"' in written[0]


@pytest.mark.long
def test_the_table_that_comes_with_evoply_is_what_its_command_makes():
    assert table_text(learn(70_000, 1), games=70_000, seed=1) == shipped_text()


def test_the_table_that_comes_with_evoply():
    data = shipped()
    assert (data["games"], data["seed"]) == (70_000, 1)
    assert "not the original" in data["about"]
    assert np.array(data["tables"]).shape == (60, 64)
    # It learned what everybody knows: corners are good, the squares beside an empty one are not.
    middle = np.array(data["tables"][20:40]).mean(axis=0)
    assert middle[[0, 7, 56, 63]].mean() > middle[[1, 8, 9, 14]].mean() + 0.1
    assert match("edgar-like", "random", games=400, seed=2).score > 0.8


def test_the_player_reads_the_table_of_the_ply_where_it_chooses():
    """Each move is the best sum of signed weights, added up square by square."""
    table = shipped()["tables"]
    player = parse_player("edgar-like").native("othello")
    batch = _native.Positions.random("othello", 60, 7, 0, 50)
    for index in range(len(batch)):
        position = othello.Position.from_row("othello", batch[index])
        weights = table[min(position.ply, 59)]
        values = {}
        for move in position.legal_moves:
            after = position.play(move)
            own, other = after.black, after.white
            if position.turn is Color.WHITE:
                own, other = other, own
            values[move.code(SHAPES[8])] = sum(
                w * ((own >> s & 1) - (other >> s & 1)) for s, w in enumerate(weights)
            )
        code = _native.analyse(player, *position.row, 1)[0]
        assert values[code] == pytest.approx(max(values.values()), abs=1e-9)


def test_a_random_start_breaks_its_determinism():
    player = RandomStart(plies=8, player=parse_player("edgar-like"))
    result = match(player, "greedy", games=20, openings=None, seed=1)
    assert result.distinct_games == 20


def test_it_plays_8x8_only():
    with pytest.raises(ValueError, match="edgar-like"):
        parse_player("edgar-like", game="othello-6")
    assert weights_by_ply([[0.0] * 64]).evaluate(othello.Position()) == 0
