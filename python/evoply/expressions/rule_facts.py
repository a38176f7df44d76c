"""Features that the rules of a game name: what wins, what is short of it, what is attacked.

Games whose rules are data say their end as an expression. Read here are ends of three kinds: own
pieces that stand in a pattern (a line of four, a square), an own piece on a goal, and own pieces
that join two borders. Of any other end only the moves and captures make features.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, reduce
from itertools import product
from operator import and_, or_

from evoply import _native
from evoply.expressions.arithmetic_sets import CONSTANTS, operations, set_of
from evoply.expressions.expression import (
    Expression,
    Number,
    Squares,
    Truth,
    build,
    outputs_to_json,
)
from evoply.expressions.functions import (
    board,
    count,
    destinations,
    first,
    for_the_other_side,
    is_empty,
    number,
    number_of_moves,
    select,
    squares,
    squares_turned,
)
from evoply.expressions.operations import OFFSETS, SIDES, ExpressionError
from evoply.expressions.primitives import FACTS, PrimitiveSet
from evoply.expressions.written_form import from_dict, in_order
from evoply.games import game_rules
from evoply.games.data import DataGameRules
from evoply.games.squares import squares_in
from evoply.protocols import BoardShape, Color

MOST_LACKING = 3
"""Up to how many pieces a pattern may lack to count."""
_MOST_PATTERNS = 32
_MOST_STEPS = 12
_LACKING = ("one", "two", "three")
_DEPENDS = frozenset({"own", "opponent", "empty", "moved_to", "moved_from", "pieces"})
_Offset = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Colored:
    """Squares that may differ for Black and for White, as bits."""

    black: int
    white: int

    def __and__(self, other: "_Colored") -> "_Colored":
        return _Colored(self.black & other.black, self.white & other.white)

    def __or__(self, other: "_Colored") -> "_Colored":
        return _Colored(self.black | other.black, self.white | other.white)


@dataclass(frozen=True, slots=True)
class _Pattern:
    """Own pieces at *pieces*, offsets from a square of *where*."""

    where: _Colored
    pieces: frozenset[_Offset]


@dataclass(frozen=True, slots=True)
class _Connection:
    """Own pieces that join squares of *begin* to squares of *end*, beside each other in *ways*."""

    begin: _Colored
    end: _Colored
    ways: tuple[str, ...]


class _OtherEndError(Exception):
    """An end of a kind that is not read."""


def facts_set(game: str) -> PrimitiveSet:
    """Return the set of what the rules of *game* say, called `facts-GAME`.

    It has `+ - *`, the clock, constants from 0 to 10, and for own and opponent those of these that
    the game has: `wins_next` (moves that win at once), `winning_squares` (also those where it
    cannot move yet), `lacking_one`, `lacking_two` and `lacking_three` (lines, or whatever else
    wins, with no piece of the other side, by how many pieces they lack), `steps_to_go` and
    `first_steps_to_go` (the steps of all pieces to the goal, and of the nearest), `stones_to_go`
    (the fewest pieces that still join the borders), `groups`, `targets` (pieces that can be taken),
    `free_targets` (those that cannot be taken back), `moves`, `exclusive_moves`, `pieces` and
    `linked` (pieces beside another). Raises `ExpressionError` for a game whose rules are no data.
    """
    rules = game_rules(game)
    if not isinstance(rules, DataGameRules):
        raise ExpressionError(
            f"{FACTS}: the rules of {game} are no data, so nothing reads them - choose a set of its"
            f" own, such as {' or '.join(rules.readable) or 'any-game'}"
        )
    return _facts_set(game, rules.rules_digest)


@lru_cache(maxsize=16)
def _facts_set(game: str, digest: str) -> PrimitiveSet:
    rules = game_rules(game)
    assert isinstance(rules, DataGameRules)
    assert rules.rules_digest == digest
    own = dict(_Facts(rules).features())
    primitives: list[tuple[str, Expression]] = [
        *operations(),
        *((f"own_{name}", feature) for name, feature in own.items()),
        *((f"opponent_{name}", for_the_other_side(feature)) for name, feature in own.items()),
    ]
    return replace(set_of(f"{FACTS}-{game}", primitives), constants=CONSTANTS)


class _Facts:
    """The features of own that rules have; those of the opponent mirror them."""

    def __init__(self, rules: DataGameRules) -> None:
        written = rules.written
        self.rules = rules
        self.shape: BoardShape = rules.shape
        self.all = _Colored((1 << self.shape.squares) - 1, (1 << self.shape.squares) - 1)
        self.outputs = from_dict(written["expression"], lambda op, arguments: build(op, *arguments))
        self.moves = written["moves"]
        wins = written["ends"]["wins"]
        ends = [] if wins is None else list(self._ends_of(self.outputs[wins]))
        patterns = [end for end in ends if isinstance(end, _Pattern)]
        self.goals = [pattern for pattern in patterns if len(pattern.pieces) == 1]
        self.patterns = [pattern for pattern in patterns if len(pattern.pieces) > 1]
        self.connections = _joined([end for end in ends if isinstance(end, _Connection)])
        if len(self.patterns) > _MOST_PATTERNS:
            self.patterns = []

    @cached_property
    def places_only(self) -> bool:
        """Whether moves only fill squares, so that a piece more is the whole of a move."""
        return all(move["kind"] == "place" and move["own"] is None for move in self.moves)

    def features(self) -> Iterator[tuple[str, Number]]:
        """Yield the names and features of own."""
        winning = list(self._winning_squares())
        if winning:
            squares_found = reduce(or_, winning)
            yield "wins_next", count(destinations("own") & squares_found)
            if self.places_only and not self._may_move_anywhere():
                yield "winning_squares", count(squares_found & board.empty)
        if self.patterns:
            yield from self._lacking()
        if self.goals and not self.places_only:
            yield from self._steps()
        for connection in self.connections[:1]:  # of several ways to win the first counts
            yield "stones_to_go", self._stones_to_go(connection)
            yield "groups", _groups(connection.ways)
        yield from self._captures()
        if not self.places_only or self._moves_depend_on_sides():
            yield "moves", number_of_moves("own")
            yield "exclusive_moves", count(destinations("own") - destinations("opponent"))
        if not self.places_only:
            yield "pieces", count(board.own)
        yield "linked", count(board.own & board.own.neighbours())

    # The end, read.

    def _ends_of(self, truth: Expression) -> Iterator[_Pattern | _Connection]:
        match truth.op, truth.arguments:
            case "either", (left, right):
                yield from self._ends_of(left)
                yield from self._ends_of(right)
            case "select", (condition, x, y) if condition == board.is_black:
                full = self.all.black
                for part, mask in ((x, _Colored(full, 0)), (y, _Colored(0, full))):
                    yield from (_restricted(end, mask) for end in self._ends_of(part))
            case "contains", (of, square):
                yield from self._ends_of(~is_empty(of & squares([square])))
            case "negation", (Truth(op="is_empty") as empty,):
                of = empty.arguments[0]
                try:
                    yield from dict.fromkeys(self._patterns_of(of))
                except _OtherEndError:
                    connection = self._connection_of(of)
                    if connection is not None:
                        yield connection

    def _connection_of(self, of: Squares) -> _Connection | None:
        match of.op, of.arguments:
            case "and", (Squares(op="fill") as fill, end) | (end, Squares(op="fill") as fill):
                begin, through, ways = fill.arguments
                try:
                    [start] = self._patterns_of(begin)
                    [finish] = self._patterns_of(end)
                except (_OtherEndError, ValueError):
                    return None
                if through == board.own:
                    return _Connection(start.where, finish.where, ways)
        return None

    def _patterns_of(self, of: Squares) -> list[_Pattern]:
        """Return the patterns of which a square of *of* is the anchor of one or another."""
        if not any(node.op in _DEPENDS for node in in_order([of])):
            return [_Pattern(self._constant(of), frozenset())]
        match of.op, of.arguments:
            case "own", ():
                return [_Pattern(self.all, frozenset({(0, 0)}))]
            case "or", (left, right):
                return [*self._patterns_of(left), *self._patterns_of(right)]
            case "and", (left, right):
                found = [
                    _Pattern(first.where & second.where, first.pieces | second.pieces)
                    for first, second in product(self._patterns_of(left), self._patterns_of(right))
                ]
                if len(found) <= _MOST_PATTERNS:
                    return found
            case "minus", (left, right) if not any(
                node.op in _DEPENDS for node in in_order([right])
            ):
                return self._patterns_of(left & ~right)
            case "shift", (inner, direction):
                return [self._shifted(part, direction) for part in self._patterns_of(inner)]
            case "select", (condition, x, y) if condition == board.is_black:
                full = self.all.black
                black = [
                    replace(p, where=p.where & _Colored(full, 0)) for p in self._patterns_of(x)
                ]
                white = [
                    replace(p, where=p.where & _Colored(0, full)) for p in self._patterns_of(y)
                ]
                return [*black, *white]
        raise _OtherEndError

    def _constant(self, of: Squares) -> _Colored:
        start = self.rules.start()
        return _Colored(*(of.evaluate(start, color) for color in (Color.BLACK, Color.WHITE)))

    def _shifted(self, pattern: _Pattern, direction: str) -> _Pattern:
        down, right = OFFSETS[direction]
        where = self._moved_bits(pattern.where, (down, right))
        return _Pattern(where, frozenset((r - down, c - right) for r, c in pattern.pieces))

    def _moved_bits(self, of: _Colored, offset: _Offset) -> _Colored:
        def moved(squares_before: int) -> int:
            found = 0
            for square in squares_in(squares_before):
                row, column = divmod(square, self.shape.columns)
                row, column = row + offset[0], column + offset[1]
                if 0 <= row < self.shape.rows and 0 <= column < self.shape.columns:
                    found |= 1 << self.shape.index(row, column)
            return found

        return _Colored(moved(of.black), moved(of.white))

    # Features of patterns.

    def _winning_squares(self) -> Iterator[Squares]:
        """Yield sets of squares that win if a piece of own comes there."""
        if self.places_only:
            for pattern in self.patterns:
                for missing in sorted(pattern.pieces):
                    others = [
                        _moved(board.own, (missing[0] - row, missing[1] - column))
                        for row, column in sorted(pattern.pieces - {missing})
                    ]
                    where = self._moved_bits(pattern.where, missing)
                    if pattern.where != self.all or (0, 0) not in pattern.pieces:
                        others.append(self._set(where))
                    yield reduce(and_, others)
            for connection in self.connections:
                begin, end = self._set(connection.begin), self._set(connection.end)
                touching = [
                    border | _beside(border.fill(board.own, connection.ways), connection.ways)
                    for border in (begin, end)
                ]
                yield touching[0] & touching[1]
        for goal in self.goals:
            [offset] = goal.pieces
            yield self._set(self._moved_bits(goal.where, offset))

    def _lacking(self) -> Iterator[tuple[str, Number]]:
        totals: list[list[Number]] = [[] for _ in range(MOST_LACKING)]
        for pattern in self.patterns:
            pieces = [_moved(board.own, (-row, -column)) for row, column in sorted(pattern.pieces)]
            free = board.own | board.empty
            open_places = [_moved(free, (-row, -column)) for row, column in sorted(pattern.pieces)]
            if pattern.where != self.all or (0, 0) not in pattern.pieces:
                open_places.append(self._set(pattern.where))
            # by_lack[n] are the anchors of open patterns that lack n of the pieces looked at.
            by_lack: list[Squares | None] = [reduce(and_, open_places)]
            for there in pieces:
                new = [None if lack is None else lack & there for lack in (*by_lack, None)]
                for lack, anchors in enumerate(by_lack):
                    without = None if anchors is None else anchors - there
                    new[lack + 1] = _union(new[lack + 1], without)
                by_lack = new[: MOST_LACKING + 1]
            for lack in range(1, min(len(pieces), MOST_LACKING + 1)):
                anchors = by_lack[lack]
                assert anchors is not None  # a pattern of more pieces can lack so many
                totals[lack - 1].append(count(anchors))
        for name, counts in zip(_LACKING, totals, strict=True):
            if counts:
                yield f"lacking_{name}", reduce(lambda left, right: left + right, counts)

    def _steps(self) -> Iterator[tuple[str, Number]]:
        near = self._near_goal()
        if not near:
            return
        far = [board.own - self._set(within) for within in near]
        yield "steps_to_go", _sum(count(pieces) for pieces in far)
        yield (
            "first_steps_to_go",
            _sum(_one_if(is_empty(board.own & self._set(within))) for within in near),
        )

    def _near_goal(self) -> list[_Colored]:
        """Return the squares at most 0, 1, 2, ... steps from the goal on an empty board.

        The last set from which all others are reached is left out.
        """
        goal = _Colored(0, 0)
        for pattern in self.goals:
            [offset] = pattern.pieces
            there = self._moved_bits(pattern.where, offset)
            goal |= there
        near = [goal]
        while len(near) <= _MOST_STEPS:
            here = near[-1]
            before = [here]
            for down, right, turned in (tuple(o) for move in self.moves for o in move["offsets"]):
                back = self._moved_bits(here, (-down, -right))
                ahead = self._moved_bits(here, (down, right))
                before.append(_Colored(back.black, ahead.white if turned else back.white))
            black = reduce(or_, (step.black for step in before))
            white = reduce(or_, (step.white for step in before))
            if _Colored(black, white) == here:
                break
            near.append(_Colored(black, white))
        return near[:-1]

    def _stones_to_go(self, connection: _Connection) -> Number:
        begin, end = self._set(connection.begin), self._set(connection.end)
        reached = begin.fill(board.own, connection.ways)
        missing: list[Number] = []
        for _ in range(max(self.shape.rows, self.shape.columns) + 1):
            missing.append(_one_if(is_empty(reached & end)))
            # What one piece more reaches: free squares beside, and own pieces joined to them.
            free = (begin | reached | _beside(reached, connection.ways)) - board.opponent
            reached = free.fill(free | board.own, connection.ways)
        return _sum(missing)

    def _captures(self) -> Iterator[tuple[str, Number]]:
        taking = [move for move in self.moves if move["kind"] != "place" and self._may_take(move)]
        if not taking:
            return
        targets = destinations("own") & board.opponent
        yield "targets", count(targets)
        if all(move["kind"] == "step" and move["own"] is None for move in taking):
            defended: list[Squares] = []
            for move in taking:
                pieces = self.outputs[move["from"]]
                for down, right, turned in move["offsets"]:
                    there = _moved(pieces, (down, right))
                    back = _moved(pieces, (-down, -right))
                    defended.append(select(board.is_black, there, back) if turned else there)
            theirs = for_the_other_side(reduce(or_, defended))
            assert isinstance(theirs, Squares)
            yield "free_targets", count(targets - theirs)

    def _may_take(self, move: Mapping[str, int]) -> bool:
        """Whether a move may end on a piece of the opponent, as boards of random games show."""
        onto = self.outputs[move["onto"]]
        kernel, shape = self.rules.kernel, self.shape
        boards = _native.Positions.random(kernel, 64, 1, 0, shape.squares)
        assert isinstance(onto, Squares)
        taken = outputs_to_json([count(onto & board.opponent)], shape)
        return bool(_native.Program(kernel, taken).evaluate(boards).any())

    def _may_move_anywhere(self) -> bool:
        return self.places_only and any(
            self.outputs[move["on"]] == board.empty for move in self.moves
        )

    def _moves_depend_on_sides(self) -> bool:
        sets = [self.outputs[move["on"]] for move in self.moves if "on" in move]
        return any(node.op in (*SIDES, "is_black") for node in in_order(sets))

    def _set(self, of: _Colored) -> Squares:
        """Return the constant set of squares."""
        black, white = (list(squares_in(bits)) for bits in (of.black, of.white))
        if of.black == of.white:
            return squares("all") if of == self.all else squares(black)
        last = self.shape.squares - 1
        if white == sorted(last - square for square in black):
            return squares_turned(black)
        return select(board.is_black, squares(black), squares(white))


def _restricted(end: _Pattern | _Connection, mask: _Colored) -> _Pattern | _Connection:
    if isinstance(end, _Pattern):
        return replace(end, where=end.where & mask)
    return replace(end, begin=end.begin & mask, end=end.end & mask)


def _joined(connections: list[_Connection]) -> list[_Connection]:
    """Return *connections* with one of Black alone and one of White alone made one of both."""
    joined: list[_Connection] = []
    for new in connections:
        for place, old in enumerate(joined):
            both = _Connection(old.begin | new.begin, old.end | new.end, old.ways)
            if (
                new.ways == old.ways
                and new.begin & old.begin == _Colored(0, 0) == new.end & old.end
            ):
                joined[place] = both
                break
        else:
            joined.append(new)
    return joined


def _moved(of: Squares, offset: _Offset) -> Squares:
    """Return *of* moved by rows down and columns to the right."""
    down, right = offset
    while down or right:
        step = ((down > 0) - (down < 0), (right > 0) - (right < 0))
        of = of.shift(next(name for name, by in OFFSETS.items() if by == step))
        down, right = down - step[0], right - step[1]
    return of


def _beside(of: Squares, ways: Iterable[str]) -> Squares:
    return reduce(or_, (of.shift(way) for way in ways))


def _groups(ways: tuple[str, ...]) -> Number:
    """Return the number of connected groups of own pieces, nine if there are more."""
    rest = board.own
    found: list[Number] = []
    for _ in range(9):
        found.append(_one_if(~is_empty(rest)))
        rest = rest - first(rest).fill(rest, ways)
    return _sum(found)


def _one_if(truth: Truth) -> Number:
    return select(truth, number(1), number(0))


def _sum(numbers: Iterable[Number]) -> Number:
    return reduce(lambda left, right: left + right, numbers)


def _union(left: Squares | None, right: Squares | None) -> Squares | None:
    if left is None or right is None:
        return left if right is None else right
    return left | right
