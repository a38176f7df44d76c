"""Games as learners from outside see them: numbered actions, masks of the legal ones, planes.

An action is a number that a game has once and for all. With S squares, counted row by row from the
top left (`evoply.games.squares`):

- where pieces are placed and never moved, the square where one is placed: 0 to S - 1;
- where pieces move, `from * S + to`; a piece placed in such a game is `square * S + square`;
- the last number is the pass; games without passes never allow it.

A capture of several jumps is as many actions of the same side, one for each jump: every path has
its own actions, and every action leaves the path open or ends it.

Reasons: docs/design/players.md.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

from evoply.games.known_games import game_rules
from evoply.games.position import moves_of
from evoply.games.squares import square_name
from evoply.protocols import Color, IllegalMoveError, Position
from evoply.when_used import module_when_used

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from evoply.games.record import BoardGame
    from evoply.games.rules import GameRules
else:
    np = module_when_used("numpy")

_MOST_MOVES = 1 << 16
_GOES_ON = -1
"""In place of a move's number for a jump that is not the last."""


class ActionNumbers(dict[int, int]):
    """The action with which a move of a game begins, by the kernel's numbers of the moves."""

    def __init__(self, rules: GameRules) -> None:
        super().__init__()
        shape = rules.shape
        self.squares, self.moves_pieces = shape.squares, rules.moves_pieces
        self.count = (shape.squares**2 if rules.moves_pieces else shape.squares) + 1
        """How many numbers there are."""
        self.most_plies = rules.draws.max_plies or 2 * shape.squares
        """More plies than a game has, or as many."""
        self.most_actions = self.most_plies + (shape.squares if rules.has_kings else 0)
        """The same for actions: each further jump takes a piece."""
        self.planes = ("own", "opponent", *(("kings",) if rules.has_kings else ()), "black", "ply")
        """The names of the planes of an observation."""
        self.observation_shape = (len(self.planes), shape.rows, shape.columns)
        self.move_of = moves_of(rules.RECORD.POSITION.MOVE.from_code, shape)
        """The moves by their numbers."""
        self._shape = shape
        self._several: dict[int, tuple[int, ...]] = {}

    def __missing__(self, code: int) -> int:
        if len(self) >= _MOST_MOVES:
            self.clear()
        path = self.move_of[code].path
        if not path:
            steps: tuple[int, ...] = (self.count - 1,)
        elif not self.moves_pieces:
            steps = path
        else:
            pairs = [(path[0], path[0])] if len(path) == 1 else pairwise(path)
            steps = tuple(start * self.squares + end for start, end in pairs)
        if len(steps) > 1:
            self._several[code] = steps
        self[code] = steps[0]
        return steps[0]

    def steps(self, code: int) -> tuple[int, ...]:
        """Return the actions that a move is."""
        first = self[code]
        return self._several.get(code, (first,))

    def after(self, codes: Sequence[int], begun: tuple[int, ...]) -> dict[int, int]:
        """Return the actions that go on after *begun*, by which of the moves *codes* each ends.

        -1 stands for a jump that is not the last.
        """
        if not begun:
            found = dict(zip(map(self.__getitem__, codes), codes, strict=True))
            if self._several and not self._several.keys().isdisjoint(codes):
                found |= {self[code]: _GOES_ON for code in codes if code in self._several}
            return found
        depth, found = len(begun), {}
        for code in codes:
            steps = self.steps(code)
            if steps[:depth] == begun:
                found.setdefault(steps[depth], code if len(steps) == depth + 1 else _GOES_ON)
        return found

    def path(self, action: int) -> tuple[int, ...]:
        """Return the squares that an action touches: one or two, none for the pass."""
        if action == self.count - 1:
            return ()
        ends = divmod(action, self.squares) if self.moves_pieces else (action,)
        return ends[:1] if len(ends) == 2 and ends[0] == ends[1] else ends

    def text(self, action: int) -> str:
        """Return an action in words: "e4", "e2-e3" or "pass"; each jump of a capture is one."""
        names = (square_name(square, self._shape) for square in self.path(action))
        return "-".join(names) or "pass"


@cache
def _numbers(rules: GameRules) -> ActionNumbers:
    return ActionNumbers(rules)


def action_numbers(game: str) -> ActionNumbers:
    """Return the numbers of the actions of *game*; `ValueError` for an unknown game.

    >>> numbers = action_numbers("breakthrough")
    >>> numbers.count, numbers.planes, numbers.text(8 * 64 + 16)
    (4097, ('own', 'opponent', 'black', 'ply'), 'a2-a3')
    """
    return _numbers(game_rules(game))


@dataclass(frozen=True, eq=False)
class DecisionPoint:
    """A game where a side chooses an action, perhaps within a capture; an immutable value.

    >>> start = DecisionPoint.start("othello")
    >>> list(start.actions), int(start.mask().sum()), start.planes().shape
    ([19, 26, 37, 44], 4, (4, 8, 8))
    >>> start.after(37).record.transcript(), start.after(37).turn
    ('f5', <Color.WHITE: 'white'>)
    """

    record: BoardGame[Any, Any]
    numbers: ActionNumbers
    begun: tuple[int, ...] = ()
    """The jumps already made of a capture that goes on."""
    is_over: bool = field(init=False)
    """Whether the game has ended, on the board or by a rule about draws."""
    actions: Mapping[int, int] = field(init=False)
    """The legal actions, none at the end, with the number of the move that each ends; -1 for a
    jump that is not the last."""

    def __post_init__(self) -> None:
        is_over = bool(not self.begun and self.record.ending())
        codes = () if is_over else self.record.position.legal_moves.codes
        vars(self).update(is_over=is_over, actions=self.numbers.after(codes, self.begun))

    @classmethod
    def of(cls, record: Any) -> Self:
        """Return the point that a game has reached."""
        return cls(record, action_numbers(record.start.game))

    @classmethod
    def start(cls, game: str) -> Self:
        """Return the start of *game*, with its usual rules about draws."""
        rules = game_rules(game)
        return cls(rules.RECORD(rules.start(), (), rules.draws), _numbers(rules))

    def __deepcopy__(self, memo: object) -> Self:
        return self  # nothing in it changes

    @property
    def position(self) -> Position:
        """The position before the move that is being chosen."""
        position: Position = self.record.position
        return position

    @property
    def turn(self) -> Color:
        """The side to move."""
        return self.position.turn

    def after(self, action: int) -> Self:
        """Return the point after an action; `IllegalMoveError` for one that is not legal."""
        try:
            code = self.actions.get(operator.index(action))
        except TypeError:
            code = None
        if code is None:
            raise IllegalMoveError(self._why_not(action))
        if code == _GOES_ON:
            return type(self)(self.record, self.numbers, (*self.begun, int(action)))
        return type(self)(self.record.play_unchecked(code), self.numbers)

    def _why_not(self, action: object) -> str:
        head = f"action: {action!r:.40}"
        if self.is_over:
            return f"{head} - the game is over - begin the next one"
        count = self.numbers.count
        if not isinstance(action, int | np.integer) or not 0 <= action < count:
            return f"{head} - is no action - give a whole number from 0 to {count - 1}"
        legal = ", ".join(f"{each} ({self.numbers.text(each)})" for each in self.actions)
        said = self.numbers.text(int(action))
        return f"{head} ({said}) - is not legal for {self.turn} - give one of {legal}"

    def mask(self) -> NDArray[np.int8]:
        """Return 1 for each legal action, 0 for others: an array of its own."""
        mask = np.zeros(self.numbers.count, dtype=np.int8)
        mask[list(self.actions)] = 1
        return mask

    def planes(self, color: Color | None = None) -> NDArray[np.float32]:
        """Return what *color*, by default the side to move, sees: planes, rows, columns.

        The squares of its pieces, of the opponent's, of kings (where the game has kings), 1
        everywhere for Black, and the plies so far over the most that a game can have. The board is
        never turned. Within a capture the piece stands where it has jumped to, and what it took is
        gone.
        """
        black, white, kings = self._sets()
        color = self.turn if color is None else color
        own, opponent = (black, white) if color is Color.BLACK else (white, black)
        numbers = self.numbers
        count, squares = len(numbers.planes), numbers.squares
        bits = own | opponent << squares | (kings << 2 * squares if count == 5 else 0)
        sets = (count - 2) * squares
        packed = np.frombuffer(bits.to_bytes((sets + 7) // 8, "little"), dtype=np.uint8)
        planes = np.empty(numbers.observation_shape, dtype=np.float32)
        flat = planes.reshape(-1)
        flat[:sets] = np.unpackbits(packed, count=sets, bitorder="little")
        planes[-2] = color is Color.BLACK
        planes[-1] = min(1.0, self.record.position.ply / numbers.most_plies)
        return planes

    def _sets(self) -> tuple[int, int, int]:
        """Return the squares of Black, of White and of kings, the jumps begun included."""
        black, white, kings = self.record.position.row[:3]
        if not self.begun:
            return black, white, kings
        depth = len(self.begun)
        numbers = self.numbers
        codes = self.record.position.legal_moves.codes
        move = numbers.move_of[next(c for c in codes if numbers.steps(c)[:depth] == self.begun)]
        left, reached = 1 << move.path[0], 1 << move.path[depth]
        taken = ~sum(1 << square for square in move.captured[:depth])
        is_king = bool(kings & left)
        own, other = (black, white) if self.turn is Color.BLACK else (white, black)
        own, other = own & ~left | reached, other & taken
        kings = kings & ~left & taken | (reached if is_king else 0)
        return (own, other, kings) if self.turn is Color.BLACK else (other, own, kings)

    def reward(self, color: Color) -> int:
        """Return what the game is to *color*: 1 won, -1 lost, else 0; 0 while it goes on."""
        outcome = self.record.outcome() if self.is_over else None
        return 0 if outcome is None else round(2 * outcome.points(color) - 1)

    def __str__(self) -> str:
        begun = " ".join(map(self.numbers.text, self.begun))
        return f"{self.record.position}{f' after {begun}' if begun else ''}"
