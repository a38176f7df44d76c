"""What every game must do, as checks that take its rules; `test_conformance` asks all games."""

from functools import cache
from typing import Any

import pytest
from game_strategies import CHOICES, played
from hypothesis import given, settings

from evoply._native import Positions
from evoply.games import GAMES, NO_DRAWS, GameRules, game_rules
from evoply.games.formats import FORMATS
from evoply.players import parse_player
from evoply.protocols import Color, Ending, IllegalMoveError, InvalidMoveError

few = settings(deadline=None, max_examples=40)


@cache
def possible_moves(game: str) -> list[Any]:
    """Return every move of one step that a position of the game could ever have."""
    rules = game_rules(game)
    move_type: Any = type(rules.start().legal_moves[0])
    shape = rules.shape
    if rules.pieces_added:
        moves = [move_type.from_code(code, shape) for code in range(shape.squares + 1)]
        assert [move.code(shape) for move in moves] == list(range(shape.squares + 1))
        return moves
    moves = []
    for path in ((a, b) for a in range(shape.squares) for b in range(shape.squares)):
        try:
            moves.append(move_type(path, shape))
        except InvalidMoveError:
            continue
    assert [move_type.from_code(move.code(shape), shape) for move in moves] == moves
    return moves


def with_counters(position: Any, *, later: int = 0, other_side: bool = False) -> tuple[Any, ...]:
    """Return the row of *position* at a later ply, or with the other side to move."""
    *sets, black_to_move, ply, quiet_plies = position.row
    return (*sets, black_to_move is not other_side, ply + later, quiet_plies)


def check_start(rules: GameRules) -> None:
    start = rules.start()
    assert start.game == rules.name
    assert start.shape == rules.shape
    assert start.turn is Color.BLACK
    assert start.ply == 0
    assert start.clock == 0.0
    assert start.outcome() is None
    assert game_rules(rules.name) is rules
    assert rules.opening_plies > 0
    assert rules.title


@few
@given(choices=CHOICES)
def check_legal_moves_are_empty_exactly_when_the_game_is_over(
    rules: GameRules, choices: list[int]
) -> None:
    for position in played(rules, choices).positions:
        assert (len(position.legal_moves) == 0) == (position.outcome() is not None)
        assert bool(position.legal_moves) == (position.outcome() is None)


@few
@given(choices=CHOICES)
def check_listed_moves_are_legal_and_no_others(rules: GameRules, choices: list[int]) -> None:
    position = played(rules, choices).position
    listed = list(position.legal_moves)
    assert listed == sorted(listed, key=lambda move: move.code(position.shape))
    assert len(set(listed)) == len(listed) == len(position.legal_moves)
    legal = position.legal_moves
    assert {move for move in {*possible_moves(rules.name), *listed} if move in legal} == set(listed)
    for move in listed:
        assert position.play(move) == position.play(str(move))
    # A refusal shows the board, which takes its time: some of thousands, others in each example.
    others = [move for move in possible_moves(rules.name) if move not in legal]
    for move in others[sum(choices) % 97 :: 1 + len(others) // 50]:
        with pytest.raises(IllegalMoveError, match=str(move)) as caught:
            position.play(move)
        assert position.text() in str(caught.value)


@few
@given(choices=CHOICES)
def check_play_does_not_change_its_argument(rules: GameRules, choices: list[int]) -> None:
    game = played(rules, choices)
    position = game.position
    before = (position.row, position.text(), hash(position), tuple(position.legal_moves))
    for move in position.legal_moves:
        after = position.play(move)
        assert after.ply == position.ply + 1
        assert after != position
        if game.outcome() is None:
            assert len(game.play(move).moves) == len(game.moves) + 1
    assert before == (position.row, position.text(), hash(position), tuple(position.legal_moves))


@few
@given(choices=CHOICES)
def check_everything_reads_back_what_it_writes(rules: GameRules, choices: list[int]) -> None:
    game = played(rules, choices)
    position = game.position
    assert rules.parse(str(position)) == position
    assert rules.parse(position.text()) == position
    assert rules.parse(position.text()).text() == position.text()
    assert rules.record(str(game)) == game
    assert rules.position_from_row(position.row) == position
    assert rules.position_from_row(position.row).row == position.row
    for move in position.legal_moves:
        assert type(move).parse(str(move), rules.shape) == move
        assert type(move).parse(str(move).upper(), rules.shape) == move
    codes = [move.code(rules.shape) for move in game.moves]
    assert rules.game(game.start, codes) == game
    assert [rules.move_from_code(code) for code in codes] == list(game.moves)


@few
@given(choices=CHOICES)
def check_equality_and_hash_use_board_and_side_to_move_only(
    rules: GameRules, choices: list[int]
) -> None:
    position = played(rules, choices).position
    later: Any = rules.position_from_row(with_counters(position, later=7))  # type: ignore[arg-type]
    assert later == position
    assert hash(later) == hash(position)
    assert later.ply == position.ply + 7
    other: Any = rules.position_from_row(with_counters(position, other_side=True))  # type: ignore[arg-type]
    assert other != position


@few
@given(choices=CHOICES)
def check_outcome_changes_sign_with_the_colors(rules: GameRules, choices: list[int]) -> None:
    position = played(rules, choices).position
    swapped = position.colors_exchanged()
    assert (swapped.turn, swapped.ply) == (position.turn.opposite, position.ply)
    assert swapped.colors_exchanged() == position
    assert {position.play(move).colors_exchanged() for move in position.legal_moves} == {
        swapped.play(move) for move in swapped.legal_moves
    }
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
def check_random_games_end_within_the_bound(rules: GameRules, choices: list[int]) -> None:
    # Every other ply of Othello at least places a disc; others have a cap, or pieces that run out.
    most = rules.draws.max_plies or 4 * rules.shape.squares
    game = played(rules, (choices + [0] * (most + 8))[: most + 8])
    assert game.outcome() is not None
    ending = game.ending()
    assert (ending is Ending.BOARD) == (game.position.outcome() is not None)
    assert ending is Ending.BOARD or rules.draws != NO_DRAWS
    assert rules.game(game.start).ending() is None
    assert len(game) <= most
    clocks = [position.clock for position in game.positions]
    assert rules.draws.repetitions or clocks == sorted(clocks)
    assert 0 <= clocks[-1] <= 1


def check_the_message_for_an_unreadable_move_names_it(rules: GameRules) -> None:
    for text in ("", "z9", "a0", "a11", "5f", "f5d6", "ä1", "a１", "\x00", "x" * 1000):
        with pytest.raises(InvalidMoveError) as caught:
            rules.start().play(text)
        assert len(str(caught.value)) < 300


def check_positions_and_games_show_themselves(rules: GameRules) -> None:
    game = played(rules, [3, 1, 4])
    assert game.position._repr_svg_().startswith("<svg")
    assert "<svg" in game._repr_html_()
    assert rules.record() == type(game)(rules.start(), (), rules.draws)


def check_a_position_of_another_game_is_refused(rules: GameRules) -> None:
    for other in GAMES.values():
        is_related = other.family == rules.family
        if is_related and (other.shape == rules.shape or rules.family == "checkers"):
            continue
        # Boards of as many squares of one kind of pieces are written alike.
        if other.shape.squares == rules.shape.squares and not (other.has_kings or rules.has_kings):
            continue
        text = other.start().text()
        with pytest.raises(InvalidMoveError):
            rules.read(text)
        if other.family == "Othello":
            with pytest.raises(InvalidMoveError, match=rules.name):
                rules.parse(text)


def check_reading_a_board_moves_or_both(rules: GameRules) -> None:
    game = played(rules, [3, 1, 4, 1])
    assert rules.read(game.position.text()).position == game.position
    assert rules.read(game.transcript()) == game
    next_ply = rules.game(game.positions[2]).play(game.moves[2])
    later = rules.read(str(next_ply))
    assert later.position == game.positions[3]
    assert later.start.game == rules.name


def check_a_diagram_shows_what_the_position_holds(rules: GameRules) -> None:
    game = played(rules, [3, 1, 4, 1, 5])
    position = game.position
    diagram = position.diagram(last_move=game.moves[-1])
    assert diagram.shape == rules.shape
    for color in Color:
        assert sum(cell.color is color for cell in diagram.cells) == position.pieces(color)
        assert diagram.sides[color].pieces == position.pieces(color)
        side = diagram.sides[color]
        assert len(side.letters) == len(side.symbols) == (2 if rules.has_captures else 1)
    assert any(cell.is_legal for cell in diagram.cells) == bool(position.legal_moves)
    assert not any(cell.is_legal for cell in position.diagram(legal=False).cells)
    assert all(diagram.cells[square].is_playable for square in diagram.last)
    assert diagram.cells[diagram.last[-1]].color is position.turn.opposite
    assert diagram.turn is position.turn
    assert position.outcome() is not None or str(position.turn) in diagram.status


def check_facts(rules: GameRules) -> None:
    assert rules.piece
    assert not rules.piece.endswith("s")
    assert rules.guide.format(2) != rules.guide
    assert parse_player(rules.guide.format(2), game=rules.name).label
    assert rules.format in FORMATS
    start = rules.start()
    assert rules.length is None or rules.length == start.empty.bit_count() // rules.pieces_added
    assert rules.is_solvable(start, 10**6) == bool(rules.solver)
    assert all(len(side.letters) == 1 + rules.has_kings for side in start.diagram().sides.values())
    exchanged = start.colors_exchanged().row[:2]
    # Where the board is transposed and pieces stand on it, the start is its own exchange.
    is_moved = rules.turns_board or (exchanged == start.row[:2] != (0, 0))
    assert (exchanged == start.row[1::-1]) != is_moved
    sample = Positions.random(rules.kernel, 20, 7, rules.late_ply, rules.late_ply)
    assert len(sample) == 20
    for position in map(rules.position_from_row, sample) if rules.fills_evenly else ():
        pieces = [
            sum(map(after.pieces, Color)) for after in map(position.play, position.legal_moves)
        ]
        assert position.legal_moves.must_pass or set(pieces) <= {
            sum(map(position.pieces, Color)) + 1
        }


CHECKS = tuple(check for name, check in list(globals().items()) if name.startswith("check_"))
