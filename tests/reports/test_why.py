"""Reasons for moves: they add up to the values that a search finds, which it finds by itself."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from random_records import record_after

import evoply as ep
from evoply.cli import main

LOPSIDED = "( - ( * 2 white_corners ) black )"
"""What it says of a board is not minus what it says with the sides exchanged."""
PLAYERS = (
    "greedy", "swh", "mobility", "firebrand:depth=1", "firebrand:depth=3", "material:depth=4",
    "mobility:depth=2", "swh:depth=3", "( + white ( * 3 white_corners ) )",
    f"{LOPSIDED}:depth=2", f"{LOPSIDED}:depth=4",
)  # fmt: skip


@pytest.mark.parametrize("player", PLAYERS)
@given(choices=st.lists(st.integers(0, 30), max_size=50))
def test_reasons_add_up_to_the_values_of_the_search(player: str, choices: list[int]) -> None:
    record = record_after("othello", choices)
    if record.outcome() is not None:
        return
    found = ep.why(player, record)
    values = ep.analyse(player, record, every_move=True).moves
    if found.second is None:
        assert len(record.position.legal_moves) == 1
        return
    texts = {record.position.short_text(move): value for move, value in values}
    assert found.value == pytest.approx(max(texts.values()))
    assert texts[found.second] == found.second_value
    assert found.best_line[0] == found.best
    assert found.second_line[0] == found.second
    if max(abs(found.value or 0), abs(found.second_value or 0)) > 1e14:
        assert found.reasons == ()
        return
    # None of these has a constant among its terms.
    assert sum(one.best for one in found.reasons) == pytest.approx(found.value, abs=1e-6)
    assert sum(one.second for one in found.reasons) == pytest.approx(found.second_value, abs=1e-6)


def test_a_reply_is_looked_for_by_the_view_of_who_chooses() -> None:
    record = ep.othello.Game.from_transcript("d3c3b3b2b1a1")
    found = ep.why(f"{LOPSIDED}:depth=2", record)
    assert sum(one.best for one in found.reasons) == found.value
    assert sum(one.second for one in found.reasons) == found.second_value


@given(choices=st.lists(st.integers(0, 30), max_size=60))
def test_it_holds_in_checkers_too(choices: list[int]) -> None:
    record = record_after("checkers", choices)
    if record.outcome() is not None or len(record.position.legal_moves) < 2:
        return
    found = ep.why("material:depth=4", record)
    if found.reasons:
        assert sum(one.best for one in found.reasons) == pytest.approx(found.value, abs=1e-6)


def test_what_is_no_sum_and_who_values_nothing() -> None:
    record = ep.othello.Game.from_transcript("f5d6c4")
    assert ep.why("edgar-like", record).reasons == ()
    for player in ("random", "online"):
        with pytest.raises(ValueError, match="value"):
            ep.why(player, record)
    over = ep.GAMES["othello-4"].record()
    while over.outcome() is None:
        over = over.play(over.position.legal_moves[0])
    with pytest.raises(ValueError, match="over"):
        ep.why("greedy", over)


def test_the_command_says_what_the_library_says(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", "greedy", "--position", "f5d6c4", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = ep.why("greedy", ep.othello.Game.from_transcript("f5d6c4"))
    assert told == json.loads(json.dumps(found.to_dict()))
    assert main(["why", "greedy", "--position", "f5d6c4"]) == 0
    assert found.sentence in capsys.readouterr().out
    assert main(["why", "random"]) == 2
    assert "values nothing" in capsys.readouterr().err
