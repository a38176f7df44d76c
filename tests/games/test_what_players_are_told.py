"""What rules tell players beside the game: how far it is, and which boards are quiet."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import evoply as ep
from evoply import _native
from evoply.arena import Schedule, play
from evoply.expressions import board, count, divide, is_empty, select, squares
from evoply.games import game_added, game_rules
from evoply.learning.choices import values_at
from evoply.players import Staged, parse_player
from evoply.rules import Rules, RulesError, check_rules, read_rules, step

CLOCK = divide(8 - count(board.own | board.opponent), 6, "one")


def duel(**told: Any) -> Rules:
    """A race in which pieces are taken, told or not of its clock and its quiet boards."""
    return Rules(
        name="duel",
        rows=5,
        columns=4,
        black="1",
        white="5",
        moves=[
            step(board.own, "forward", onto=board.empty),
            step(board.own, ["forward_left", "forward_right"], onto=~board.own),
        ],
        wins=board.own & squares("farthest_rank"),
        opening_plies=2,
        **told,
    )


def nobody_can_take() -> Any:
    """Whether the side to move can take nothing."""
    ahead = [board.own.shift(way) for way in ("se", "sw")]
    back = [board.own.shift(way) for way in ("ne", "nw")]
    down, up = ahead[0] | ahead[1], back[0] | back[1]
    return select(board.is_black, is_empty(down & board.opponent), is_empty(up & board.opponent))


TAKEN = 8 - count(board.own | board.opponent) <= 1
"""Quiet until two pieces were taken: then no board is, and searches go on for four plies."""


def positions(game: str, number: int, seed: int) -> list[Any]:
    rules = game_rules(game)
    rows = _native.Positions.random(rules.kernel, number, seed, 1, 30)
    return [rules.position_from_row(row) for row in rows]


def test_the_clock_is_that_of_the_rules() -> None:
    with game_added(duel(clock=CLOCK)):
        found = positions("duel", 200, 1)
        wanted = [(8 - sum(position.pieces(color) for color in ep.Color)) / 6 for position in found]
        assert [position.clock for position in found] == wanted
        assert len(set(wanted)) > 2
        in_batches = values_at([board.t], "duel", [position.row for position in found])
        assert np.array_equal(np.ravel(in_batches), wanted)


def test_a_clock_stays_from_0_to_1() -> None:
    for clock, wanted in ((CLOCK - 5, 0.0), (CLOCK + 5, 1.0)):
        with game_added(duel(clock=clock)):
            assert {position.clock for position in positions("duel", 20, 1)} == {wanted}


def test_stages_take_turns_by_the_clock_of_the_rules() -> None:
    text = "( own_targets ),50,( own_rows_to_go ),50:primitives=any-game"
    with game_added(duel(clock=CLOCK * 4)):
        evaluator = parse_player(text, game="duel").evaluator
        sudden, sliding = (Staged(evaluator=evaluator, overlap=share) for share in (0.0, 1e-6))
        hashes = [played(player) for player in (sudden, sliding)]
        assert hashes[0] == hashes[1]
    with game_added(duel()):
        assert played(sudden) != hashes[0]


def played(player: Any) -> list[int]:
    """Return the hashes of the moves of games against random moves."""
    random = parse_player("random", game="duel").seat("duel")
    schedule = Schedule.pairs(
        np.zeros(40, dtype=np.uint32),
        np.ones(40, dtype=np.uint32),
        stream=_native.Stream(7, "stages"),
        opening_plies=2,
        start=game_rules("duel").start().row,
    )
    return [int(found) for found in play("duel", [player.seat("duel"), random], schedule).hashes]


def value(rules: Rules, position: Any, depth: int, beyond: int = 0) -> float:
    """The oracle: plain minimax that values quiet boards, and others four plies further on."""
    outcome = position.outcome()
    if outcome is not None:
        return 1e15 if outcome.winner is position.turn else -1e15
    is_restless = beyond < 4 and not rules.quiet.evaluate(position)
    if depth == 0 and not is_restless:
        own, other = position.pieces(position.turn), position.pieces(position.turn.opposite)
        return own - other
    beyond += depth == 0
    return max(
        -value(rules, position.play(move), max(depth - 1, 0), beyond)
        for move in position.legal_moves
    )


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), depth=st.integers(1, 2), always=st.booleans())
def test_quiescence_is_minimax_beyond_what_is_not_quiet(
    seed: int, depth: int, always: bool
) -> None:
    rules = duel(quiet=TAKEN if always else nobody_can_take())
    with game_added(rules):
        position = positions("duel", 1, seed)[0]
        if not 2 <= len(position.legal_moves) <= 5:
            return
        wanted = value(rules, position, depth)
        for options in ("", ",ordering=killer,table=8"):
            player = parse_player(f"material:depth={depth},quiescence=yes{options}", game="duel")
            found = _native.analyse(player.native("duel"), *position.row, 1)[1]
            assert found == wanted


def test_what_players_are_told_is_kept_and_told_apart() -> None:
    plain, told = duel(), duel(clock=CLOCK, quiet=nobody_can_take())
    assert {"clock", "quiet"}.isdisjoint(plain.to_dict())
    again = read_rules(told.to_dict())
    assert again == told
    assert again.digest == told.digest
    assert len({plain.digest, told.digest, duel(clock=CLOCK).digest}) == 3
    assert not any(finding.wrong for finding in check_rules(told, games=20))
    with game_added(plain), pytest.raises(ValueError, match="nor do its rules say what is quiet"):
        parse_player("material:depth=2,quiescence=yes", game="duel")


def test_what_the_checks_find() -> None:
    restless = duel(quiet=count(board.own) < 0, clock=count(board.own) - 20)
    wrong = [finding.wrong for finding in check_rules(restless, games=5) if finding.wrong]
    assert any("is 0 on every board" in text for text in wrong)
    assert any("no board is" in text for text in wrong)
    late = check_rules(duel(clock=count(board.own)), games=2)
    assert any("make it 0" in finding.wrong for finding in late)


@pytest.mark.parametrize(
    ("told", "says"),
    [
        ({"clock": "late"}, "clock - 'late' is no number of the board - write one from 0 to 1"),
        ({"clock": board.ply * 0.1}, "clock - ply is no part of the board"),
        ({"quiet": count(board.own)}, "quiet - is a number - write a truth"),
        ({"quiet": "yes"}, "quiet - is 'yes' - write a truth"),
    ],
)
def test_mistakes(told: dict[str, Any], says: str) -> None:
    with pytest.raises(RulesError, match=says):
        duel(**told)
