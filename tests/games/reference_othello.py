"""The rules of Othello as slowly and plainly as they can be said: the oracle of the fast ones.

A board is a list of rows; a square holds "X", "O" or "-". Nothing here uses evoply.
"""

Board = list[list[str]]
DIRECTIONS = [(-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1)]


def start(size: int) -> Board:
    board = [["-"] * size for _ in range(size)]
    low, high = size // 2 - 1, size // 2
    board[low][low] = board[high][high] = "O"
    board[low][high] = board[high][low] = "X"
    return board


def other(side: str) -> str:
    return "O" if side == "X" else "X"


def flipped(board: Board, side: str, row: int, column: int) -> list[tuple[int, int]]:
    """Return the discs that *side* would flip by placing a disc on an empty square."""
    if board[row][column] != "-":
        return []
    result = []
    size = len(board)
    for down, right in DIRECTIONS:
        run = []
        r, c = row + down, column + right
        while 0 <= r < size and 0 <= c < size and board[r][c] == other(side):
            run.append((r, c))
            r, c = r + down, c + right
        if 0 <= r < size and 0 <= c < size and board[r][c] == side:
            result += run
    return result


def placements(board: Board, side: str) -> list[tuple[int, int]]:
    size = len(board)
    return [(r, c) for r in range(size) for c in range(size) if flipped(board, side, r, c)]


def name(row: int, column: int) -> str:
    return "abcdefghij"[column] + str(row + 1)


def legal_moves(board: Board, side: str) -> list[str]:
    """Return the names of the legal moves in square order; ["pass"] for a forced pass."""
    moves = [name(r, c) for r, c in placements(board, side)]
    if not moves and placements(board, other(side)):
        return ["pass"]
    return moves


def play(board: Board, side: str, move: str) -> Board:
    result = [list(row) for row in board]
    if move != "pass":
        row, column = int(move[1:]) - 1, "abcdefghij".index(move[0])
        for r, c in [*flipped(board, side, row, column), (row, column)]:
            result[r][c] = side
    return result


def turned(board: Board, index: int) -> Board:
    """Return the board after symmetry *index*; the eight are told apart by `SYMMETRIES`."""
    size = len(board)
    target: Board = [["-"] * size for _ in range(size)]
    for r in range(size):
        for c in range(size):
            row, column = SYMMETRIES[index](r, c, size - 1)
            target[row][column] = board[r][c]
    return target


# Where the square (row, column) goes; `last` is the highest row and column.
SYMMETRIES = [
    lambda r, c, last: (r, c),
    lambda r, c, last: (r, last - c),
    lambda r, c, last: (last - r, c),
    lambda r, c, last: (last - r, last - c),
    lambda r, c, last: (c, r),
    lambda r, c, last: (c, last - r),
    lambda r, c, last: (last - c, r),
    lambda r, c, last: (last - c, last - r),
]


def text(board: Board, side: str) -> str:
    return "".join("".join(row) for row in board) + " " + side
