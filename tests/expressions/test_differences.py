"""Features of FIREBRAND: boards made by hand, plain loops as the oracle, and zero-sum laws."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native, othello
from evoply.expressions import DIFFERENCES, FIREBRAND_FEATURES, find_difference
from evoply.games import SHAPES, game_rules

# Own is X, to move.
BOARD = othello.Position.parse(
    """
    XXXO--X--O
    X--------O
    ----------
    X--OXO----
    ----OX----
    ----XO----
    ---------X
    ----------
    O---------
    OX--X---OO X
    """
)
EXPECTED = {
    "corners": 1 - 3,
    "near_corners": 3 - 3,  # b1 a2 b10 | j2 a9 i10
    "edges": 9 - 7,  # a1 b1 c1 g1 a2 a4 j7 b10 e10 | d1 j1 j2 a9 a10 i10 j10
    "edges_without_corners": 8 - 4,
    "ring_2": 0,
    "ring_3": 0,
    "ring_4": 1 - 2,  # e4 | d4 f4
    "ring_5": 2 - 2,
    "pieces": 12 - 11,
    "locked": 2 - 1,  # e4 between d4 and f4, f5 between f4 and f6 | e5 between e4 and e6
    "locked_always": 2 - 1,
    "open_edge": 3,  # g1, j7, e10; not a4, beside a2
    "anchored": (4 + 3) - (12 + 3),  # a1 b1 c1 a2 | j1 j2, a10 a9, j10 i10
}


@pytest.mark.parametrize("name", list(EXPECTED))
def test_golden_board(name: str) -> None:
    assert find_difference(name).expression.evaluate(BOARD) == EXPECTED[name]


def test_an_edge_that_is_full_counts_each_disc_once() -> None:
    row = "XXXXXXXXXX"
    board = othello.Position.parse(
        f"{row} {'-' * 10} {'O' + '-' * 9} {'-' * 10} " * 1 + "-" * 60 + " X"
    )
    assert find_difference("anchored").expression.evaluate(board) == 4 + 4 + 8


def test_locked_pieces_count_until_ply_75() -> None:
    locked, always = (find_difference(one).expression for one in ("locked", "locked_always"))
    caught = "XOX-------"
    for discs, expected in ((78, -1), (79, 0)):
        # Rows full of X hold no disc that is caught.
        filled = ("X" * (discs - 3)).ljust(80, "-")
        text = caught + "-" * 10 + filled + " X"
        position = othello.Position.parse(text)
        assert position.own.bit_count() + position.opponent.bit_count() == discs
        assert locked.evaluate(position) == expected
        assert always.evaluate(position) == -1


def _discs(position: othello.Position) -> list[list[int]]:
    """Return 1 for own discs, -1 for the opponent's and 0 for none, with a border of None."""
    size = position.shape.side
    cells = [[None] * (size + 4) for _ in range(size + 4)]
    for square in range(size * size):
        bit = 1 << square
        row, column = divmod(square, size)
        own, opponent = bool(position.own & bit), bool(position.opponent & bit)
        cells[row + 2][column + 2] = own - opponent
    return cells


def _locked(cells: list[list[int]], size: int) -> int:
    is_late = sum(bool(cell) for row in cells for cell in row) - 4 >= 75
    return 0 if is_late else _locked_always(cells, size)


def _locked_always(cells: list[list[int]], size: int) -> int:
    total = 0
    for row in range(2, size + 2):
        for column in range(2, size + 2):
            disc = cells[row][column]
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                one = cells[row + down][column + right]
                other = cells[row - down][column - right]
                if disc and one == other == -disc:
                    total += disc
                    break
    return total


def _open_edge(cells: list[list[int]], size: int) -> int:
    total = 0
    for row in range(2, size + 2):
        for column in range(2, size + 2):
            lines = []
            if row in (2, size + 1):
                lines.append([cells[row][column + step] for step in (-2, -1, 1, 2)])
            if column in (2, size + 1):
                lines.append([cells[row + step][column] for step in (-2, -1, 1, 2)])
            total += (cells[row][column] or 0) * ([0, 0, 0, 0] in lines)
    return total


def _anchored(cells: list[list[int]], size: int) -> int:
    total = 0
    first, last = 2, size + 1
    for color in (1, -1):
        found = set()
        for row in (first, last):
            for column in (first, last):
                if cells[row][column] != color:
                    continue
                total += 4 * color
                for down, right in ((0, 1), (0, -1), (1, 0), (-1, 0)):
                    at = row + down, column + right
                    while cells[at[0]][at[1]] == color:
                        found.add(at)
                        at = at[0] + down, at[1] + right
        corners = {(a, b) for a in (first, last) for b in (first, last)}
        total += color * len(found - corners)
    return total


ORACLES = {
    "locked": _locked, "locked_always": _locked_always, "open_edge": _open_edge,
    "anchored": _anchored,
}  # fmt: skip
GAMES = ("othello-6", "othello", "othello-10", "checkers")


@pytest.mark.parametrize("game", GAMES)
@given(key=st.integers(0, 2**64 - 1))
def test_laws_on_random_positions(game: str, key: int) -> None:
    rules = game_rules(game)
    rows = _native.Positions.random(game, 1, key, 0, rules.shape.squares)
    position = rules.position_from_row(rows[0])
    other = position.turn.opposite
    for name, feature in DIFFERENCES.items():
        if name.startswith("ring_") and int(name[-1]) > rules.shape.side // 2:
            continue
        value = feature.expression.evaluate(position)
        assert value == -feature.expression.evaluate(position, own=other), name
        if name not in ("mobility", "locked", "locked_always", "frontier", "men", "kings"):
            assert abs(value) <= feature.scale(rules.shape), name
    if "othello" in game:
        cells = _discs(position)
        for name, oracle in ORACLES.items():
            assert DIFFERENCES[name].expression.evaluate(position) == oracle(
                cells, rules.shape.side
            )


def test_the_final_set_has_eleven_features_of_the_paper() -> None:
    assert len(FIREBRAND_FEATURES) == 11
    scales = [find_difference(name).scale(SHAPES[10]) for name in FIREBRAND_FEATURES]
    assert scales == [4, 12, 36, 28, 20, 12, 4, 100, 30, 36, 48]
    assert find_difference("locked").scale(SHAPES[10]) == 36


def test_unknown_features_are_refused_with_near_names() -> None:
    with pytest.raises(ValueError, match="'corner'; did you mean 'corners'"):
        find_difference("corner")
