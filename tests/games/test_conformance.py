"""What every game must do. A game added to `GAMES` is tested here without another line."""

import pytest
from game_strategies import CHOICES, played
from hypothesis import given, settings

from evoply.games import GAMES, GameRules, game_rules
from evoply.protocols import Color, IllegalMoveError, InvalidMoveError

pytestmark = pytest.mark.parametrize("rules", GAMES.values(), ids=GAMES.keys())
few = settings(deadline=None, max_examples=40)


def test_start(rules: GameRules) -> None:
    start = rules.start()
    assert start.game == rules.name
    assert start.size == rules.size
    assert start.turn is Color.BLACK
    assert start.ply == 0
    assert start.clock == 0.0
    assert start.outcome() is None
    assert game_rules(rules.name) is rules
    assert rules.title


@few
@given(choices=CHOICES)
def test_legal_moves_are_empty_exactly_when_the_game_is_over(
    rules: GameRules, choices: list[int]
) -> None:
    for position in played(rules, choices).positions:
        assert (len(position.legal_moves) == 0) == (position.outcome() is not None)
        assert bool(position.legal_moves) == (position.outcome() is None)


@few
@given(choices=CHOICES)
def test_listed_moves_are_legal_and_no_others(rules: GameRules, choices: list[int]) -> None:
    position = played(rules, choices).position
    move_type = type(rules.start().legal_moves[0])
    listed = list(position.legal_moves)
    assert listed == sorted(listed, key=lambda move: move.code(position.size))
    assert len(set(listed)) == len(listed) == len(position.legal_moves)
    for code in range(rules.size * rules.size + 1):
        move = move_type.from_code(code, rules.size)
        assert move.code(rules.size) == code
        assert (move in position.legal_moves) == (move in listed)
        if move in listed:
            assert position.play(move) == position.play(str(move))
        else:
            with pytest.raises(IllegalMoveError, match=str(move)) as caught:
                position.play(move)
            assert position.text() in str(caught.value)


@few
@given(choices=CHOICES)
def test_play_does_not_change_its_argument(rules: GameRules, choices: list[int]) -> None:
    game = played(rules, choices)
    position = game.position
    before = (position.row, position.text(), hash(position), tuple(position.legal_moves))
    for move in position.legal_moves:
        after = position.play(move)
        assert after.ply == position.ply + 1
        assert after != position
        assert len(game.play(move).moves) == len(game.moves) + 1
    assert before == (position.row, position.text(), hash(position), tuple(position.legal_moves))


@few
@given(choices=CHOICES)
def test_everything_reads_back_what_it_writes(rules: GameRules, choices: list[int]) -> None:
    game = played(rules, choices)
    position = game.position
    assert rules.parse(str(position)) == position
    assert rules.parse(position.text()) == position
    assert rules.parse(position.text()).text() == position.text()
    assert type(game).from_transcript(str(game)) == game
    assert rules.position_from_row(position.row) == position
    assert rules.position_from_row(position.row).row == position.row
    for move in position.legal_moves:
        assert type(move).parse(str(move), rules.size) == move
        assert type(move).parse(str(move).upper(), rules.size) == move
    codes = bytes(move.code(rules.size) for move in game.moves)
    assert type(game).from_codes(codes, game.start) == game


@few
@given(choices=CHOICES)
def test_equality_and_hash_use_board_and_side_to_move_only(
    rules: GameRules, choices: list[int]
) -> None:
    position = played(rules, choices).position
    black, white, black_to_move, ply = position.row
    later = rules.position_from_row((black, white, black_to_move, ply + 7))
    assert later == position
    assert hash(later) == hash(position)
    assert later.ply == ply + 7
    assert rules.position_from_row((black, white, not black_to_move, ply)) != position


@few
@given(choices=CHOICES)
def test_outcome_changes_sign_with_the_colors(rules: GameRules, choices: list[int]) -> None:
    position = played(rules, choices).position
    black, white, black_to_move, ply = position.row
    swapped = rules.position_from_row((white, black, not black_to_move, ply))
    assert list(swapped.legal_moves) == list(position.legal_moves)
    outcome, other = position.outcome(), swapped.outcome()
    if outcome is None or other is None:
        assert outcome is other
        return
    assert other.disc_difference == -outcome.disc_difference
    assert other.winner is (outcome.winner.opposite if outcome.winner else None)
    assert outcome.points(Color.BLACK) + outcome.points(Color.WHITE) == 1
    assert outcome.points(Color.BLACK) == other.points(Color.WHITE)


@few
@given(choices=CHOICES)
def test_random_games_end_within_the_bound(rules: GameRules, choices: list[int]) -> None:
    squares = rules.size * rules.size
    # Every other ply at least places a disc, so twice the squares is a bound.
    game = played(rules, (choices + [0] * 2 * squares)[: 2 * squares])
    assert game.outcome() is not None
    assert len(game) <= 2 * (squares - 4)
    clocks = [position.clock for position in game.positions]
    assert clocks == sorted(clocks)
    assert 0 <= clocks[-1] <= 1


def test_the_message_for_an_unreadable_move_names_it(rules: GameRules) -> None:
    for text in ("", "z9", "a0", "a11", "5f", "f5d6", "ä1", "a１", "\x00", "x" * 1000):
        with pytest.raises(InvalidMoveError) as caught:
            rules.start().play(text)
        assert len(str(caught.value)) < 300


def test_positions_and_games_show_themselves(rules: GameRules) -> None:
    game = played(rules, [3, 1, 4])
    assert game.position._repr_svg_().startswith("<svg")
    assert "<svg" in game._repr_html_()
    assert rules.record() == type(game)(rules.start())


def test_a_position_of_another_game_is_refused(rules: GameRules) -> None:
    for other in GAMES.values():
        if other.size != rules.size:
            with pytest.raises(InvalidMoveError, match=rules.name):
                rules.parse(other.start().text())
