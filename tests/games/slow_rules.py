"""Rules as data, played the slow and obvious way: sets of (row, column), one square at a time.

It shares nothing with the kernel but the written form of `evoply.rules.Rules`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from evoply.rules import Rules

Square = tuple[int, int]
Squares = frozenset[Square]
COMPASS = {
    "n": (-1, 0), "ne": (-1, 1), "e": (0, 1), "se": (1, 1),
    "s": (1, 0), "sw": (1, -1), "w": (0, -1), "nw": (-1, -1),
}  # fmt: skip


@dataclass(frozen=True)
class Board:
    """Pieces of both sides, and whether Black is to move."""

    black: Squares
    white: Squares
    black_moves: bool

    @property
    def sides(self) -> tuple[Squares, Squares]:
        """Pieces of the side to move, and of the other one."""
        return (self.black, self.white) if self.black_moves else (self.white, self.black)


class SlowRules:
    """Plays rules by their written form."""

    def __init__(self, rules: Rules) -> None:
        self.data = rules.to_dict()
        self.rows, self.columns = self.data["rows"], self.data["columns"]
        playable = self.data["playable"]
        every = range(self.rows * self.columns) if playable is None else playable
        self.playable = self.squares(every)

    def squares(self, numbers: Any) -> Squares:
        return frozenset(divmod(number, self.columns) for number in numbers)

    def start(self) -> Board:
        start = self.data["start"]
        return Board(self.squares(start["black"]), self.squares(start["white"]), True)

    def code(self, move: tuple[Square | None, Square | None]) -> int:
        count = self.rows * self.columns
        start, end = move
        if end is None:
            return count
        to = end[0] * self.columns + end[1]
        if start is None:
            return to
        return count + 1 + (start[0] * self.columns + start[1]) * count + to

    def outputs(
        self, own: Squares, opponent: Squares, is_black: bool, start: Squares, end: Squares
    ) -> list[Any]:
        values: list[Any] = []
        for op, *arguments in self.data["expression"]["nodes"]:
            values.append(self.value(op, arguments, values, own, opponent, is_black, start, end))
        return [values[output] for output in self.data["expression"]["outputs"]]

    def value(  # noqa: C901 - one case an operation
        self, op: str, a: list[Any], v: list[Any], own: Squares, opponent: Squares,
        is_black: bool, start: Squares, end: Squares,
    ) -> Any:  # fmt: skip
        def shifted(chosen: Squares, direction: str) -> Squares:
            down, right = COMPASS[direction]
            return frozenset((r + down, c + right) for r, c in chosen) & self.playable

        def filled(begin: Squares, through: Squares, directions: list[str]) -> Squares:
            found = begin & through
            while True:
                more = found.union(*(shifted(found, way) & through for way in directions))
                if more == found:
                    return found
                found = more

        def turned(chosen: Squares, index: int) -> Squares:
            image = set()
            for row, column in chosen:
                r, c = (column, row) if index & 4 else (row, column)
                r = self.rows - 1 - r if index & 2 else r
                c = self.columns - 1 - c if index & 1 else c
                image.add((r, c))
            return frozenset(image) & self.playable

        match op:
            case "own":
                return own
            case "opponent":
                return opponent
            case "empty":
                return self.playable - own - opponent
            case "moved_from":
                return start
            case "moved_to":
                return end
            case "squares":
                return self.squares(a[0]) & self.playable
            case "squares_turned":
                chosen = self.squares(a[0]) & self.playable
                return chosen if is_black else turned(chosen, 3)
            case "and" | "both":
                return v[a[0]] & v[a[1]]
            case "or" | "either":
                return v[a[0]] | v[a[1]]
            case "minus":
                return v[a[0]] - v[a[1]]
            case "not":
                return self.playable - v[a[0]]
            case "negation":
                return not v[a[0]]
            case "shift":
                return shifted(v[a[0]], a[1])
            case "fill":
                return filled(v[a[0]], v[a[1]], a[2])
            case "symmetry":
                return turned(v[a[0]], a[1])
            case "first":
                return frozenset(sorted(v[a[0]])[:1])
            case "number" | "truth":
                return a[0]
            case "pieces":
                return len(own | opponent)
            case "count":
                return len(v[a[0]])
            case "add":
                return v[a[0]] + v[a[1]]
            case "subtract":
                return v[a[0]] - v[a[1]]
            case "multiply":
                return v[a[0]] * v[a[1]]
            case "minimum":
                return min(v[a[0]], v[a[1]])
            case "maximum":
                return max(v[a[0]], v[a[1]])
            case "is_black":
                return is_black
            case "is_odd":
                return len(v[a[0]]) % 2 == 1
            case "is_empty":
                return not v[a[0]]
            case "contains":
                return divmod(a[1], self.columns) in v[a[0]]
            case "less":
                return v[a[0]] < v[a[1]]
            case "less_equal":
                return v[a[0]] <= v[a[1]]
            case "equal":
                return v[a[0]] == v[a[1]]
            case "select":
                return v[a[1]] if v[a[0]] else v[a[2]]
        raise AssertionError(op)

    def movements(self, board: Board) -> dict[tuple[Square | None, Square], Any]:
        """Return the moves of the side to move, each with the rule that allows it."""
        own, opponent = board.sides
        found: dict[tuple[Square | None, Square], Any] = {}
        nothing: Squares = frozenset()
        outputs = self.outputs(own, opponent, board.black_moves, nothing, nothing)
        for rule in self.data["moves"]:
            if rule["kind"] == "place":
                for square in outputs[rule["on"]]:
                    found.setdefault((None, square), rule)
                continue
            for down, right, is_turned in rule["offsets"]:
                sign = -1 if is_turned and not board.black_moves else 1
                for row, column in outputs[rule["from"]] & self.playable:
                    here = (row, column)
                    while True:
                        here = (here[0] + sign * down, here[1] + sign * right)
                        if here not in self.playable:
                            break
                        if here in outputs[rule["onto"]]:
                            found.setdefault(((row, column), here), rule)
                        if rule["kind"] == "step" or here not in outputs[rule["through"]]:
                            break
        return found

    def ended(self, board: Board) -> str | None:
        """Return what the rules say of the side that has just moved, or None."""
        opponent, own = board.sides
        nothing: Squares = frozenset()
        outputs = self.outputs(own, opponent, not board.black_moves, nothing, nothing)
        for end in ("wins", "loses", "draws"):
            output = self.data["ends"][end]
            if output is not None and outputs[output]:
                return end
        return None

    def legal(self, board: Board) -> list[int]:
        """Return the codes of the legal moves, sorted."""
        if self.ended(board) is not None:
            return []
        moves = self.movements(board)
        if moves:
            return sorted(map(self.code, moves))
        other = Board(board.black, board.white, not board.black_moves)
        if self.data["no_move"] == "passes" and self.movements(other):
            return [self.code((None, None))]
        return []

    def play(self, board: Board, code: int) -> Board:
        """Return the board after a legal move."""
        own, opponent = board.sides
        for move, rule in self.movements(board).items():
            if self.code(move) == code:
                start, end = move
                from_ = frozenset(() if start is None else (start,))
                to = frozenset((end,))
                if rule["own"] is None:
                    own, opponent = (own - from_) | to, opponent - to
                else:
                    outputs = self.outputs(own, opponent, board.black_moves, from_, to)
                    own, opponent = outputs[rule["own"]], outputs[rule["opponent"]]
                break
        black, white = (own, opponent) if board.black_moves else (opponent, own)
        return Board(black, white, not board.black_moves)

    def winner(self, board: Board) -> str | None:
        """Return the winner of a finished game: black, white, or None for a draw."""
        mover, waiting = ("white", "black") if board.black_moves else ("black", "white")
        ended = self.ended(board)
        if ended is not None:
            return {"wins": mover, "loses": waiting, "draws": None}[ended]
        no_move = self.data["no_move"]
        if no_move != "passes":
            return {"loses": mover, "wins": waiting, "draws": None}[no_move]
        difference = len(board.black) - len(board.white)
        if difference == 0 or self.data["both_pass"] == "draw":
            return None
        most = "black" if difference > 0 else "white"
        least = "white" if difference > 0 else "black"
        return most if self.data["both_pass"] == "most" else least

    def perft(self, board: Board, depth: int) -> int:
        """Return the leaves at *depth*; a game that ended counts 1 where sides pass, else 0."""
        if depth == 0:
            return 1
        codes = self.legal(board)
        if not codes:
            return int(self.data["no_move"] == "passes")
        return sum(self.perft(self.play(board, code), depth - 1) for code in codes)

    def row(self, board: Board, ply: int) -> tuple[int, int, int, bool, int, int]:
        """Return the board as the kernel knows it."""
        sets = (
            sum(1 << r * self.columns + c for r, c in side) for side in (board.black, board.white)
        )
        black, white = sets
        return (black, white, 0, board.black_moves, ply, 0)
