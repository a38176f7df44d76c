"""Benbassat and Sipper's primitives for checkers, against boards read piece by piece."""

import pytest

from evoply import _native
from evoply.expressions import PRIMITIVE_SETS
from evoply.games import game_rules
from evoply.gp import lower, parse_tree
from evoply.protocols import Color

GAMES = [("checkers", ""), ("lose-checkers", ""), ("checkers-10", "-10")]


def positions(game, count=60):
    """Positions late enough that there are kings."""
    batch = _native.Positions.random(game, count, 3, 30, 90)
    return [game_rules(game).position_from_row(batch[index]) for index in range(len(batch))]


def values(text, primitives, game, boards):
    tree = parse_tree(text, PRIMITIVE_SETS[primitives], root_type=None)
    batch = _native.Positions(game, [board.row for board in boards])
    return lower([tree], game)[0].evaluate(batch)[:, 0].tolist()


@pytest.mark.parametrize(("game", "suffix"), GAMES)
def test_counts_and_square_tests(game, suffix):
    primitives = f"benbassat-checkers-extended{suffix}"
    boards = positions(game)
    size = boards[0].shape.side
    mine = [board.black if board.turn is Color.BLACK else board.white for board in boards]
    theirs = [board.white if board.turn is Color.BLACK else board.black for board in boards]
    kings = [board.kings for board in boards]
    assert sum(set_.bit_count() for set_ in kings) > 10
    expected = {
        "FriendlyManCount": [(m & ~k).bit_count() for m, k in zip(mine, kings, strict=True)],
        "EnemyManCount": [(t & ~k).bit_count() for t, k in zip(theirs, kings, strict=True)],
        "FriendlyKingCount": [(m & k).bit_count() for m, k in zip(mine, kings, strict=True)],
        "EnemyKingCount": [(t & k).bit_count() for t, k in zip(theirs, kings, strict=True)],
        "PieceCount": [m.bit_count() - t.bit_count() for m, t in zip(mine, theirs, strict=True)],
        "Mobility": [len(board.legal_moves) for board in boards],
    }
    for name, numbers in expected.items():
        assert values(f"( {name} )", primitives, game, boards) == numbers, name
    for row, column in ((0, 1), (2, 3), (size - 1, 0), (size // 2, size // 2 - 1)):
        square = f"{'abcdefghij'[column]}{row + 1}"
        bits = [
            1 << (row * size + column)
            if board.turn is Color.BLACK
            else 1 << (size * size - 1 - row * size - column)
            for board in boards
        ]
        for family, sets in {
            "IsFriendlyPiece": mine,
            "IsKingPiece": kings,
            "IsManPiece": [(m | t) & ~k for m, t, k in zip(mine, theirs, kings, strict=True)],
            "IsEmptySquare": [~(m | t) for m, t in zip(mine, theirs, strict=True)],
        }.items():
            held = [float(bool(bit & squares)) for bit, squares in zip(bits, sets, strict=True)]
            assert values(f"( {family}[{square}] )", primitives, game, boards) == held, family


def test_the_basic_set_is_blind_to_kings():
    assert "KingCount" not in PRIMITIVE_SETS["benbassat-checkers"]
    assert PRIMITIVE_SETS["benbassat-checkers"]["IsEmptySquare"].parameter.among == "dark"
