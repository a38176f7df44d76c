"""A plain interpreter of board expressions on Python sets of squares: slow, obvious, the oracle.

It shares nothing with the package but the names of operations.
"""

import base64
import math
import struct
from itertools import pairwise

STEPS = {
    "n": (-1, 0),
    "ne": (-1, 1),
    "e": (0, 1),
    "se": (1, 1),
    "s": (1, 0),
    "sw": (1, -1),
    "w": (0, -1),
    "nw": (-1, -1),
}


class Board:
    """What an expression reads: sets of (row, column), and who is who."""

    def __init__(self, size, row, view_own_is_black=None):
        black, white, kings, black_to_move, self.ply, self.quiet_plies = row
        self.size = size
        self.all = {(r, c) for r in range(size) for c in range(size)}
        own_is_black = black_to_move if view_own_is_black is None else view_own_is_black
        self.own_is_black = own_is_black
        self.own = self.squares(black if own_is_black else white)
        self.opponent = self.squares(white if own_is_black else black)
        self.kings = self.squares(kings)
        self.clock = (len(self.own | self.opponent) - 4) / (size * size - 4)

    def squares(self, bits):
        return {(r, c) for r, c in self.all if bits >> (r * self.size + c) & 1}

    def listed(self, indices):
        return {divmod(index, self.size) for index in indices}

    def step(self, square, direction):
        down, right = STEPS[direction]
        return square[0] + down, square[1] + right

    def symmetry(self, squares, index):
        last = self.size - 1
        result = set()
        for row, column in squares:
            if index & 4:
                row, column = column, row
            if index & 2:
                row = last - row
            if index & 1:
                column = last - column
            result.add((row, column))
        return result

    def number_of_moves(self, side):
        return len(self.destinations(side))

    def destinations(self, side):
        own, opponent = (self.own, self.opponent) if side == "own" else (self.opponent, self.own)
        return {
            square
            for square in self.all - own - opponent
            if any(self.flips_along(square, direction, own, opponent) for direction in STEPS)
        }

    def flips_along(self, square, direction, own, opponent):
        square, flipped = self.step(square, direction), 0
        while square in opponent:
            square, flipped = self.step(square, direction), flipped + 1
        return flipped > 0 and square in own


class CheckersBoard(Board):
    """The same in checkers, where kings differ and colours go different ways."""

    def __init__(self, size, row):
        super().__init__(size, row)
        pieces = 3 * size
        self.clock = (pieces - len(self.own | self.opponent)) / pieces

    def destinations(self, side):
        return {path[-1] for path in self.paths(side)}

    def number_of_moves(self, side):
        return len(self.paths(side))

    def paths(self, side):
        own, opponent = (self.own, self.opponent) if side == "own" else (self.opponent, self.own)
        is_black = self.own_is_black == (side == "own")
        steps, captures = [], []
        for square in own:
            ways = [STEPS[way] for way in ("nw", "ne", "sw", "se")]
            if square not in self.kings:
                ways = [way for way in ways if (way[0] > 0) == is_black]
            captures += self.captures([square], ways, own - {square}, opponent)
            for down, right in ways:
                to = (square[0] + down, square[1] + right)
                if to in self.all - own - opponent:
                    steps.append([square, to])
        return captures or steps

    def captures(self, path, ways, friends, enemies):
        found = []
        for down, right in ways:
            row, column = path[-1]
            over, to = (row + down, column + right), (row + 2 * down, column + 2 * right)
            jumped = [((a + c) // 2, (b + d) // 2) for (a, b), (c, d) in pairwise(path)]
            if over in enemies and over not in jumped and to in self.all - friends - enemies:
                found += self.captures([*path, to], ways, friends, enemies)
        return found or ([path] if len(path) > 1 else [])


def evaluate(written, board):
    """Return the values of the outputs of a resolved written form on *board*."""
    values = []
    for op, *arguments in written["nodes"]:
        values.append(OPERATIONS[op](board, values, *arguments))
    return [values[output] for output in written["outputs"]]


def number(value):
    words = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
    return words[value] if isinstance(value, str) else float(value)


def divide(a, b, convention):
    if b != 0:
        return a / b
    if convention == "ieee":
        if a == 0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1, b)
    return {"one": 1.0, "zero": 0.0, "numerator": a}[convention]


def fill(board, start, through, directions):
    result = start & through
    while True:
        steps = {board.step(square, way) for square in result for way in directions}
        grown = result | (steps & through)
        if grown == result:
            return result
        result = grown


def weighted_sum(board, of, tables, selector):
    index = 0 if math.isnan(selector) else math.floor(max(0, min(len(tables) - 1, selector)))
    total = 0.0
    for row, column in sorted(of):
        total += tables[index][row * board.size + column]
    return total


def single(value):
    return struct.unpack("<f", struct.pack("<f", value))[0]


def doubles(table, count):
    if table == 0:
        return [0.0] * count
    data = base64.b64decode(table)
    return struct.unpack(f"<{len(data) // 8}d", data)


def entries_for(pieces, stages, tables):
    """The entries of a pattern for a number of pieces; of mixed tables in single precision."""
    count = max(len(base64.b64decode(table)) // 8 if table else 1 for table in tables)
    tables = [doubles(table, 65_536 if table == 0 else count) for table in tables]
    if "mixed" not in stages:
        return tables[sum(pieces >= least for least in stages)]
    numbers = stages[1:]
    if pieces <= numbers[0] or pieces >= numbers[-1]:
        table = tables[0 if pieces <= numbers[0] else -1]
        return [single(entry) for entry in table]
    place = max(n for n, least in enumerate(numbers) if least <= pieces)
    share = (pieces - numbers[place]) / (numbers[place + 1] - numbers[place])
    pairs = zip(tables[place], tables[place + 1], strict=True)
    mixed = [one + share * (other - one) for one, other in pairs]
    return [single(entry) for entry in mixed]


def pattern(board, sets, copies, turned, stages, tables):
    pieces = len(board.own | board.opponent)
    entries = entries_for(pieces, stages, tables)
    rounded = single if "mixed" in stages else float
    total = 0.0
    for copy in copies:
        index = 0
        for square in copy:
            if turned and not board.own_is_black:
                square = board.size**2 - 1 - square
            digits = [n for n, one in enumerate(sets, 1) if divmod(square, board.size) in one]
            index = index * (len(sets) + 1) + (digits[0] if digits else 0)
        total = rounded(total + entries[index])
    return total


OPERATIONS = {
    "own": lambda board, v: board.own,
    "opponent": lambda board, v: board.opponent,
    "own_men": lambda board, v: board.own - board.kings,
    "own_kings": lambda board, v: board.own & board.kings,
    "opponent_men": lambda board, v: board.opponent - board.kings,
    "opponent_kings": lambda board, v: board.opponent & board.kings,
    "empty": lambda board, v: board.all - board.own - board.opponent,
    "moved_to": lambda board, v: set(),
    "first": lambda board, v, a: set(sorted(v[a])[:1]),
    "squares": lambda board, v, indices: board.listed(indices),
    "squares_turned": lambda board, v, indices: (
        board.listed(indices) if board.own_is_black else board.symmetry(board.listed(indices), 3)
    ),
    "and": lambda board, v, a, b: v[a] & v[b],
    "or": lambda board, v, a, b: v[a] | v[b],
    "minus": lambda board, v, a, b: v[a] - v[b],
    "not": lambda board, v, a: board.all - v[a],
    "shift": lambda board, v, a, way: {board.step(square, way) for square in v[a]} & board.all,
    "fill": lambda board, v, a, b, ways: fill(board, v[a], v[b], ways),
    "symmetry": lambda board, v, a, index: board.symmetry(v[a], index),
    "destinations": lambda board, v, side: board.destinations(side),
    "number": lambda board, v, value: number(value),
    "pieces": lambda board, v: float(len(board.own) + len(board.opponent)),
    "ply": lambda board, v: float(board.ply),
    "quiet_plies": lambda board, v: float(board.quiet_plies),
    "t": lambda board, v: board.clock,
    "root_t": lambda board, v: board.clock,
    "root_ply": lambda board, v: float(board.ply),
    "count": lambda board, v, a: float(len(v[a])),
    "number_of_moves": lambda board, v, side: float(board.number_of_moves(side)),
    "weighted_sum": lambda board, v, a, tables, selector: weighted_sum(
        board, v[a], tables, 0.0 if selector is None else v[selector]
    ),
    "pattern": lambda board, v, a, b, c, d, *rest: pattern(
        board, [v[one] for one in (a, b, c, d) if one is not None], *rest
    ),
    "add": lambda board, v, a, b: v[a] + v[b],
    "subtract": lambda board, v, a, b: v[a] - v[b],
    "multiply": lambda board, v, a, b: v[a] * v[b],
    "divide": lambda board, v, a, b, convention: divide(v[a], v[b], convention),
    "minimum": lambda board, v, a, b: v[a] if v[a] < v[b] else v[b],
    "maximum": lambda board, v, a, b: v[a] if v[a] > v[b] else v[b],
    "is_black": lambda board, v: board.own_is_black,
    "truth": lambda board, v, value: value,
    "is_odd": lambda board, v, a: len(v[a]) % 2 == 1,
    "is_empty": lambda board, v, a: not v[a],
    "contains": lambda board, v, a, square: divmod(square, board.size) in v[a],
    "less": lambda board, v, a, b: v[a] < v[b],
    "less_equal": lambda board, v, a, b: v[a] <= v[b],
    "equal": lambda board, v, a, b: v[a] == v[b],
    "both": lambda board, v, a, b: v[a] and v[b],
    "either": lambda board, v, a, b: v[a] or v[b],
    "negation": lambda board, v, a: not v[a],
    "select": lambda board, v, condition, a, b: v[a] if v[condition] else v[b],
}
