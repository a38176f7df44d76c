"""American checkers, lose checkers, and American checkers on 10x10.

Black moves first, down the board from squares 1, 2, 3. Captures are compulsory, a multi-jump is
one move, and a side that cannot move loses (wins in lose checkers). A position knows only
wins and losses; draws by quiet plies, repetition and length are rules of a `Game`.
This module knows no players and no evaluation; the rules themselves are the kernel's.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice, pairwise
from types import MappingProxyType
from typing import ClassVar, Self

from evoply import _native
from evoply.games import checkers_text
from evoply.games.position import (
    NO_DRAWS,
    USUAL_DRAWS,
    BoardPosition,
    DrawRules,
    LegalMoves,
    start_row,
)
from evoply.games.record import BoardGame
from evoply.games.rules import GameRules
from evoply.games.squares import (
    SHAPES,
    USUAL,
    Word,
    check_length,
    is_dark,
    numbered_square,
    place,
    square_number,
    squares_in,
)
from evoply.protocols import BoardShape, Color, IllegalMoveError, InvalidMoveError, Outcome

__all__ = [
    "CHECKERS",
    "NO_DRAWS",
    "CheckersRules",
    "DrawRules",
    "Game",
    "LegalMoves",
    "Move",
    "Position",
]

# How the kernel packs a move: square, up to 16 diagonals of two bits from the first, jumps.
_JUMPS_BITS, _PATH_BITS = 5, 32
_MOST_JUMPS = 16
_MOST_TRIES = 100
"""How many captures that can be read in several ways are tried in a game."""
_DIAGONALS = ((-1, -1), (-1, 1), (1, -1), (1, 1))


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A step or a capture: the squares of one piece's path, from the square that it leaves.

    A capture with several jumps is one move. Raises `InvalidMoveError` if no piece can ever
    move along the path.

    >>> move = Move.parse("15x24x31")
    >>> move, move.is_capture, [square_number(square, move.shape) for square in move.captured]
    (Move.parse('15x24x31'), True, [19, 27])
    """

    path: tuple[int, ...]
    shape: BoardShape = USUAL
    _code: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_code", _code_of_path(self.path, self.shape))

    @classmethod
    def parse(cls, text: str, shape: BoardShape = USUAL) -> "Move":
        """Return the move that *text* gives in full: "11-15", or every square of a capture.

        Raises `InvalidMoveError` if it cannot be read. Texts that leave out squares between the
        first and the last need a position: see `Position.parse_move`.
        """
        return cls(checkers_text.parse_squares(text, shape), shape)

    @classmethod
    def from_code(cls, code: int, shape: BoardShape = USUAL) -> "Move":
        """Return the move that the kernel knows as *code* on a board of *shape*."""
        code = int(code)
        jumps = code & ((1 << _JUMPS_BITS) - 1)
        path = [code >> (_PATH_BITS + _JUMPS_BITS)]
        for index in range(min(max(jumps, 1), _MOST_JUMPS)):
            diagonal = code >> (_PATH_BITS + _JUMPS_BITS - 2 - 2 * index) & 3
            down, right = _DIAGONALS[diagonal]
            path.append(path[-1] + shape.index(down, right) * (2 if jumps else 1))
        message = f"{code} is not a move code of a board of {shape}"
        try:
            move = cls(tuple(path), shape)
        except InvalidMoveError as error:
            raise InvalidMoveError(message) from error
        if move._code != code:
            raise InvalidMoveError(message)
        return move

    def code(self, shape: BoardShape) -> int:
        """Return the kernel's number of this move; codes sort as legal moves do."""
        return self._code

    @property
    def is_pass(self) -> bool:
        """Always False: a side that cannot move has lost or won."""
        return False

    @property
    def is_capture(self) -> bool:
        """Whether the move jumps."""
        return bool(self._code & ((1 << _JUMPS_BITS) - 1))

    @property
    def captured(self) -> tuple[int, ...]:
        """The squares jumped over, in order."""
        return tuple((a + b) // 2 for a, b in pairwise(self.path)) if self.is_capture else ()

    def turned(self) -> "Move":
        """Return the move on the board turned by 180 degrees."""
        last = self.shape.squares - 1
        return Move(tuple(last - square for square in self.path), self.shape)

    def __str__(self) -> str:
        return checkers_text.format_squares(self.path, self.shape, is_capture=self.is_capture)

    def __repr__(self) -> str:
        return f"Move.parse('{self}'{'' if self.shape == USUAL else f', {self.shape!r}'})"


def _code_of_path(path: Sequence[int], shape: BoardShape) -> int:
    """Return the kernel's number of the move along *path*, which is checked."""
    code = path[0] << (_PATH_BITS + _JUMPS_BITS) if path else 0
    jumps = 0
    try:
        numbers = [square_number(square, shape) for square in path]
    except ValueError as error:
        raise InvalidMoveError(str(error)) from None
    cells = [divmod(square, shape.columns) for square in path]
    for index, (before, after) in enumerate(pairwise(cells)):
        down, right = after[0] - before[0], after[1] - before[1]
        reach = abs(down)
        if reach != abs(right) or reach not in (1, 2) or (reach == 1 and len(path) > 2):
            break
        jumps += reach == 2
        diagonal = _DIAGONALS.index((down // reach, right // reach))
        code |= diagonal << (_PATH_BITS + _JUMPS_BITS - 2 - 2 * index)
    else:
        if 2 <= len(path) <= _MOST_JUMPS + 1:
            return code + jumps
    squares = ", ".join(map(str, numbers[: _MOST_JUMPS + 2]))
    raise InvalidMoveError(
        f"no piece moves along the squares {squares}: a step goes to the next dark square, and"
        " each jump of a capture two squares along a diagonal, all of them written"
    )


class AmbiguousMoveError(InvalidMoveError):
    """Several moves fit a text; *moves* has one for each outcome."""

    def __init__(self, message: str, moves: Sequence[Move] = ()) -> None:
        super().__init__(message)
        self.moves = moves


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Position(BoardPosition[Move]):
    """A board of checkers and the side to move; immutable, compared without its counters.

    `Position(game)` is the start. *black*, *white* and *kings* (of both) are sets of squares of
    the whole board (see `evoply.games.squares`); *ply* counts the plies played, *quiet_plies*
    those since the last capture or move of a man. *kernel* is the name of the rules in the kernel,
    by default that of the game.

    >>> position = Position().play("11-15").play("24-20")
    >>> position.turn, position.ply, len(position.legal_moves), str(position.legal_moves[0])
    (<Color.BLACK: 'black'>, 2, 8, '7-11')
    """

    FAMILY = "checkers"
    SHAPES: ClassVar = {"checkers": USUAL, "lose-checkers": USUAL, "checkers-10": SHAPES[10]}
    PIECE = "piece"
    SYMBOLS: ClassVar = {Color.BLACK: ("bB", "●♚"), Color.WHITE: ("wW", "○♔")}
    MOVE = Move

    def __init__(
        self,
        game: str = "checkers",
        *,
        black: int | None = None,
        white: int | None = None,
        kings: int = 0,
        turn: Color = Color.BLACK,
        ply: int = 0,
        quiet_plies: int = 0,
        kernel: str | None = None,
    ) -> None:
        kernel = game if kernel is None else kernel
        if black is None and white is None and kernel in self.SHAPES:
            black, white = start_row(kernel)[:2]
        is_black = Color(turn) is Color.BLACK
        self._become(kernel, game, (black or 0, white or 0, kings, is_black, ply, quiet_plies))

    @classmethod
    def parse(cls, text: str, game: str = "checkers", kernel: str | None = None) -> Self:
        """Return the position of *game* that *text* shows.

        *text* is PDN's form of a position or a printed board (`str` of a position). Ply and quiet
        plies are 0 unless `:H` (quiet plies) and `:F` (full moves) follow. Raises
        `InvalidMoveError` if it cannot be read or such a position cannot exist.

        >>> Position.parse("W:W18,24,K27:B1,12").mobility()
        7
        """
        kernel = game if kernel is None else kernel
        row = checkers_text.parse_board(text, cls(game, kernel=kernel).shape)
        try:
            return cls.from_row(kernel, row, game)
        except ValueError as error:
            raise InvalidMoveError(str(error)) from error

    def _check(self) -> None:
        shape = self.shape
        black, white, kings = self.row[:3]
        for square in squares_in(black | white | kings):
            if not is_dark(square, shape):
                row, column = divmod(square, shape.columns)
                raise ValueError(
                    f"row {row + 1}, column {column + 1} is a light square and holds a piece: put "
                    "it on a dark one"
                )
        top = (1 << shape.columns) - 1
        bottom = top << shape.index(shape.rows - 1, 0)
        wrong = {
            "holds no piece, so it cannot hold a king": kings & ~(black | white),
            "holds a black man on the last row: it must be a king": black & bottom & ~kings,
            "holds a white man on the last row: it must be a king": white & top & ~kings,
        }
        for what, squares in wrong.items():
            for square in squares_in(squares):
                raise ValueError(f"{self._square_text(square)} {what}")
        most = start_row(self.kernel)[0].bit_count()
        for color in Color:
            if self.pieces(color) > most:
                count = self.pieces(color)
                raise ValueError(f"{color} has {count} pieces: at most {most} on {shape}")

    def _square_text(self, square: int) -> str:
        return f"square {self._label(square) or square}"

    def _square(self, text: str) -> int:
        if not (text.isascii() and text.isdecimal()):
            last = self.shape.squares // 2
            raise InvalidMoveError(f"there is no square {text!r:.20}: squares are 1 to {last}")
        return numbered_square(int(text[:9]), self.shape)

    def is_king(self, square: str | int) -> bool:
        """Return whether a king stands on *square*, such as "18"; see `position["18"]`."""
        return bool(self.row[2] >> self._square(str(square)) & 1)

    @property
    def kings(self) -> int:
        """The set of the kings' squares, of both sides."""
        return self.row[2]

    def king_count(self, color: Color) -> int:
        """Return the number of kings of *color*."""
        return (self.row[0 if color is Color.BLACK else 1] & self.kings).bit_count()

    def parse_move(self, text: str, /) -> Move:
        """Return the legal move that *text* names: "11-15", "15x24x31", "15x31" in short, "1115".

        Of captures that take the same men and end on the same square it is the first. Raises
        `AmbiguousMoveError` if several others fit, `InvalidMoveError` if it cannot be read, and
        `IllegalMoveError` if no move fits.

        >>> Position.parse("B:W19,27,10:BK15").parse_move("15x31")
        Move.parse('15x24x31')
        """
        fitting = self._named(text)
        if not fitting:
            raise IllegalMoveError(f"illegal move {self._why_not(text.strip())}")
        outcomes: dict[object, Move] = {}
        for move in fitting:
            outcomes.setdefault((move.path[0], move.path[-1], frozenset(move.captured)), move)
        if len(outcomes) > 1:
            names = " or ".join(map(str, fitting))
            raise AmbiguousMoveError(
                f"{text.strip()!r} can be {names}: write one of them", tuple(outcomes.values())
            )
        return fitting[0]

    def _named(self, text: str) -> list[Move]:
        """Return the legal moves that *text* can be, only the one whose path it gives in full."""
        if (bare := checkers_text.bare_move(text)) is not None:
            return [move for move in self.legal_moves if bare in _bare_texts(move)]
        squares = checkers_text.parse_squares(text, self.shape)
        fitting = [move for move in self.legal_moves if _fits(squares, move.path)]
        return [move for move in fitting if move.path == squares] or fitting

    def short_text(self, move: Move) -> str:
        """Return the text of a legal move, only its first and last square if no other move fits.

        >>> position = Position.parse("B:W19,27,10:BK15")
        >>> [position.short_text(move) for move in position.legal_moves]
        ['15x6', '15x31']
        """
        ends = (move.path[0], move.path[-1])
        if sum(_fits(ends, other.path) for other in self.legal_moves) > 1:
            return str(move)
        return checkers_text.format_squares(ends, self.shape, is_capture=move.is_capture)

    def what_must_be(self, text: str, /) -> str:
        """Return the rule about captures that the illegal move *text* breaks, or "".

        >>> position = Position.parse("B:W19,27:BK15,1")
        >>> position.what_must_be("1-5"), position.what_must_be("15x24")
        ('a capture is compulsory', 'this capture goes on')
        """
        if not self.legal_moves or not self.legal_moves[0].is_capture:
            return ""
        if checkers_text.bare_move(text) is not None:
            return "a capture is compulsory"
        squares = checkers_text.parse_squares(text, self.shape)
        goes_on = any(move.path[: len(squares)] == squares for move in self.legal_moves)
        return "this capture goes on" if goes_on else "a capture is compulsory"

    def outcome(self) -> Outcome | None:
        """Return who won, or None while the side to move has a move; the `Game` decides draws."""
        if self.legal_moves:
            return None
        winner = self.turn if self.kernel == "lose-checkers" else self.turn.opposite
        difference = self.pieces(Color.BLACK) - self.pieces(Color.WHITE)
        return Outcome(winner, difference, by_count=False)

    def colors_exchanged(self) -> Self:
        """Return the board turned by 180 degrees with colours exchanged: the same for the mover."""
        black, white, kings = (_native.symmetry(self.shape.side, bits, 3) for bits in self.row[:3])
        return self._with((white, black, kings, not self.row[3], *self.row[4:]))

    def text(self) -> str:
        """Return the exact one-line form, PDN's: "B:W21,K22:B1,2"."""
        return checkers_text.format_board(self.shape, self.row)

    def __str__(self) -> str:
        return checkers_text.format_diagram(self.shape, self.row)

    def __repr__(self) -> str:
        game = "" if self.game == "checkers" else f", '{self.game}'"
        kernel = "" if self.kernel == self.game else f", kernel='{self.kernel}'"
        return f"Position.parse('{self.text()}'{game}{kernel})"

    def _label(self, square: int) -> str | None:
        return str(square_number(square, self.shape)) if is_dark(square, self.shape) else None

    def _count(self, color: Color) -> str:
        kings = self.king_count(color)
        men = self.pieces(color) - kings
        return f"{men} m{'a' if men == 1 else 'e'}n, {kings} king{'' if kings == 1 else 's'}"


def _fits(squares: Sequence[int], path: Sequence[int]) -> bool:
    """Return whether *squares* are *path* without some of its inner squares."""
    if (squares[0], squares[-1]) != (path[0], path[-1]) or len(squares) < 2:
        return False
    between = iter(path[1:-1])
    return all(square in between for square in squares[1:-1])


def _bare_texts(move: Move) -> tuple[str, str]:
    """Return the first and last square of a move without a sign, and with two digits each."""
    first, last = (square_number(square, move.shape) for square in (move.path[0], move.path[-1]))
    return f"{first}{last}", f"{first:02}{last:02}"


def _readings(words: Sequence[Word], position: Position, tries: list[int]) -> Iterator[list[Word]]:
    """Yield *words* with whole paths for each way in which all of them can be played.

    *tries* holds how many captures may still be tried, below 0 if some were not.
    """
    for index, word in enumerate(words):
        try:
            position = position.play(position.parse_move(word.text))
        except AmbiguousMoveError as error:
            for move in error.moves:
                tries[0] -= 1
                if tries[0] < 0:
                    return
                for rest in _readings(words[index + 1 :], position.play(move), tries):
                    yield [*words[:index], Word(str(move), word.index), *rest]
            return
        except (IllegalMoveError, InvalidMoveError):
            return
    yield list(words)


@dataclass(frozen=True, repr=False)
class Game(BoardGame[Position, Move]):
    """The record of a game: where it started, the moves played, and its rules about draws.

    Immutable: `play` returns a longer record. Raises `IllegalMoveError` if *moves* cannot be
    played from *start*, or go on after a draw.

    >>> game = Game.from_transcript("1. 11-15 23-19 2. 8-11 22-17")
    >>> game.position.turn, game.transcript(), game.play("11-16").position.ply
    (<Color.BLACK: 'black'>, '11-15 23-19 8-11 22-17', 5)
    """

    POSITION = Position

    start: Position = field(default_factory=Position)
    draws: DrawRules = USUAL_DRAWS

    @classmethod
    def from_words(
        cls, words: Iterable[Word], where: Callable[[int], str], start: Position, draws: DrawRules
    ) -> Self:
        """Return the game whose moves are *words*; see `BoardGame.from_words`.

        The jumps of a capture may be words of their own. Of captures that take different men it is
        the only one after which the later moves can be played, if there is only one.
        """
        words = checkers_text.with_jumps_joined(words)
        try:
            return super().from_words(words, where, start, draws)
        except AmbiguousMoveError:
            tries = [_MOST_TRIES]
            readings = list(islice(_readings(words, start, tries), 2))
            if len(readings) != 1 or tries[0] < 0:
                raise
            return super().from_words(readings[0], where, start, draws)

    @classmethod
    def from_transcript(
        cls,
        text: str,
        game: str = "checkers",
        draws: DrawRules = USUAL_DRAWS,
        kernel: str | None = None,
    ) -> Self:
        """Return the game written as *text*, such as "11-15 22x18" or "1. 11-15 22-18 2. 15x22".

        PDN's form of the start may come first. Comments, variations and annotations are skipped
        as in PDN, and a result ends the game. *kernel* is the name of the rules in the kernel.
        Raises `InvalidMoveError` for what cannot be read and `IllegalMoveError` with the number,
        text and place of the move and the position.
        """
        check_length(text)
        board, begin = checkers_text.split_leading_board(text)
        try:
            start = Position(game, kernel=kernel)
            if board is not None:
                start = Position.parse(board, game, kernel)
        except InvalidMoveError as error:
            begins = len(text) - len(text.lstrip())
            raise InvalidMoveError(f"in the position at {place(text, begins)}: {error}") from error
        words = list(checkers_text.movetext_words(text, begin))
        if words and words[-1].text == "[":
            raise InvalidMoveError(
                f"cannot read '[' at {place(text, words[-1].index)} as a move: a text with tags is"
                " PDN, which evoply.games.formats.pdn reads"
            )
        ends = next(
            (i for i, word in enumerate(words) if word.text in checkers_text.RESULTS), len(words)
        )
        if ends < len(words) - 1:
            where = place(text, words[ends + 1].index)
            raise InvalidMoveError(f"{words[ends + 1].text!r} at {where} follows the result")
        return cls.from_words(words[:ends], partial(place, text), start, draws)

    def __repr__(self) -> str:
        game = "" if self.start.game == "checkers" else f", '{self.start.game}'"
        draws = "" if self.draws == USUAL_DRAWS else f", draws={self.draws}"
        kernel = "" if self.start.kernel == self.start.game else f", kernel='{self.start.kernel}'"
        return f"Game.from_transcript('{self}'{game}{draws}{kernel})"


@dataclass(frozen=True)
class CheckersRules(GameRules):
    """One game of the family by name; see `evoply.games.GameRules`."""

    RECORD = Game

    draws: DrawRules = USUAL_DRAWS
    has_captures: bool = True
    moves_pieces: bool = True
    has_kings: bool = True
    turns_board: bool = True
    format: str = "pdn"
    guide: str = "material-kings:depth={},ties=random"

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        try:
            return Position.parse(text, self.name, self.kernel)
        except InvalidMoveError as error:
            raise InvalidMoveError(f"{self.name}: {error}") from error

    def record(self, text: str = "", draws: DrawRules | None = None) -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        draws = self.draws if draws is None else draws
        return Game.from_transcript(text, self.name, draws, self.kernel)


CHECKERS: Mapping[str, CheckersRules] = MappingProxyType(
    {
        "checkers": CheckersRules(
            "checkers",
            USUAL,
            "American checkers",
            adviser="strong",
            concepts="checkers",
            readable=("checkers-positional",),
        ),
        "lose-checkers": CheckersRules(
            "lose-checkers",
            USUAL,
            "Lose checkers",
            guide="random-leaf:depth={}",
            adviser="few-pieces:depth=6",
            readable=("lose-checkers-forcing",),
        ),
        "checkers-10": CheckersRules(
            "checkers-10",
            SHAPES[10],
            "American checkers 10x10",
            adviser="strong",
            concepts="checkers",
            readable=("checkers-positional-10",),
        ),
    }
)
"""The games of this family by name."""
