"""American checkers, lose checkers, and American checkers on 10x10.

Black moves first, down the board from squares 1, 2, 3. Captures are compulsory, a multi-jump is
one move, and a side that cannot move loses (wins in lose checkers). A position knows wins and
losses only; draws by quiet plies, repetition and length are rules of a `Game`, which keeps them.
This module knows no players and no evaluation; the rules themselves are the kernel's.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Self

from evoply.games import checkers_text, drawing
from evoply.games.checkers_move import LegalMoves, Move
from evoply.games.checkers_position import SIZES, Position
from evoply.games.draws import NO_DRAWS, USUAL_DRAWS, DrawRules
from evoply.games.text import Word, check_length, place
from evoply.protocols import Ending, IllegalMoveError, InvalidMoveError, Outcome, Row

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


@dataclass(frozen=True, repr=False)
class Game:
    """The record of a game: where it started, the moves played, and its rules about draws.

    Immutable: `play` returns a longer record. Raises `IllegalMoveError` if *moves* cannot be
    played from *start*, or go on after a draw.

    >>> game = Game.from_transcript("1. 11-15 23-19 2. 8-11 22-17")
    >>> game.position.turn, game.transcript(), game.play("11-16").position.ply
    (<Color.BLACK: 'black'>, '11-15 23-19 8-11 22-17', 5)
    """

    start: Position = field(default_factory=Position)
    moves: tuple[Move, ...] = ()
    draws: DrawRules = USUAL_DRAWS
    positions: tuple[Position, ...] = field(init=False, compare=False)
    """The positions from the start to the end, one more than moves."""

    def __post_init__(self) -> None:
        positions = [self.start]
        for number, move in enumerate(self.moves, start=1):
            try:
                self._check_goes_on(positions, str(move))
                positions.append(positions[-1].play(move))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"ply {number}: {error}") from error
        vars(self).update(moves=tuple(self.moves), positions=tuple(positions))

    @property
    def position(self) -> Position:
        """The position after the last move."""
        return self.positions[-1]

    @classmethod
    def from_transcript(
        cls,
        text: str,
        game: str = "checkers",
        draws: DrawRules | None = None,
        kernel: str | None = None,
    ) -> Self:
        """Return the game written as *text*, such as "11-15 22x18" or "1. 11-15 22-18 2. 15x22".

        PDN's form of the start may come first. Comments, variations and annotations are skipped
        as in PDN, and a result ends the game. *draws* are the rules about draws, by default
        `DrawRules()`; *kernel* is the name of the rules in the kernel. Raises
        `InvalidMoveError` for what cannot be read and `IllegalMoveError` with the number, text
        and place of the move and the position.
        """
        check_length(text)
        board, begin = checkers_text.split_leading_board(text)
        try:
            start = (
                Position(game, kernel=kernel)
                if board is None
                else Position.parse(board, game, kernel)
            )
        except InvalidMoveError as error:
            begins = len(text) - len(text.lstrip())
            raise InvalidMoveError(f"in the position at {place(text, begins)}: {error}") from error
        words = list(checkers_text.movetext_words(text, begin))
        if words and words[-1].text == "[":
            raise InvalidMoveError(
                f"cannot read '[' at {place(text, words[-1].index)} as a move: a text with tags is"
                " PDN, which evoply.games.pdn reads"
            )
        ends = next((i for i, word in enumerate(words) if is_result(word.text)), len(words))
        if ends < len(words) - 1:
            where = place(text, words[ends + 1].index)
            raise InvalidMoveError(f"{words[ends + 1].text!r} at {where} follows the result")
        return cls.from_words(words[:ends], text, start, DrawRules() if draws is None else draws)

    @classmethod
    def from_words(
        cls,
        words: Iterable[Word],
        text: str,
        start: Position,
        draws: DrawRules,
    ) -> Self:
        """Return the game whose moves are the *words* of *text*; errors as `from_transcript`."""
        positions, moves = [start], list[Move]()
        record = cls._build(start, (), (start,), draws)
        for number, word in enumerate(words, start=1):
            try:
                record._check_goes_on(positions, word.text)
                move = positions[-1].parse_move(word.text)
            except (IllegalMoveError, InvalidMoveError) as error:
                where = f"move {number} ({word.text}) at {place(text, word.index)}"
                raise type(error)(f"{where}: {error}") from error
            moves.append(move)
            positions.append(positions[-1].play(move))
        return cls._build(start, tuple(moves), tuple(positions), draws)

    @classmethod
    def from_codes(
        cls,
        codes: Iterable[int],
        start: Position | None = None,
        draws: DrawRules | None = None,
    ) -> Self:
        """Return the game whose moves the kernel recorded as *codes*."""
        start = Position() if start is None else start
        moves = tuple(Move.from_code(code, start.size) for code in codes)
        return cls(start, moves, DrawRules() if draws is None else draws)

    @classmethod
    def _build(
        cls,
        start: Position,
        moves: tuple[Move, ...],
        positions: tuple[Position, ...],
        draws: DrawRules,
    ) -> Self:
        """Return a game whose moves were already played, without playing them again."""
        game = object.__new__(cls)
        vars(game).update(start=start, moves=moves, positions=positions, draws=draws)
        return game

    def _check_goes_on(self, positions: Sequence[Position], move: str) -> None:
        """Raise `IllegalMoveError` if the game with *positions* is a draw before *move*."""
        reason = self.draws.reason(positions)
        if reason is not None and positions[-1].legal_moves:
            raise IllegalMoveError(f"illegal move {move}: the game is a draw: {reason}")

    def play(self, move: Move | str, /) -> Self:
        """Return the game with *move* added; errors as `Position.play`, also after a draw."""
        self._check_goes_on(self.positions, str(move))
        if isinstance(move, str):
            move = self.position.parse_move(move)
        position = self.position.play(move)
        moves, positions = (*self.moves, move), (*self.positions, position)
        return self._build(self.start, moves, positions, self.draws)

    def outcome(self) -> Outcome | None:
        """Return the outcome, a draw by the rules of this game among them, or None."""
        decided = self.position.outcome()
        if decided is not None or self.draw_reason() is None:
            return decided
        black, white = self.position.black, self.position.white
        return Outcome(None, black.bit_count() - white.bit_count())

    def ending(self) -> Ending | None:
        """Return what ended the game, None while it goes on."""
        if self.position.outcome() is not None:
            return Ending.BOARD
        return self.draws.ending(self.positions)

    def draw_reason(self) -> str | None:
        """Return in words why the game is a draw, or None if it is not."""
        decided = self.position.outcome() is not None
        return None if decided else self.draws.reason(self.positions)

    def move_texts(self) -> tuple[str, ...]:
        """Return each move as "11-15" or "22x18", captures in short where only one move fits."""
        pairs = zip(self.positions, self.moves, strict=False)
        return tuple(position.short_text(move) for position, move in pairs)

    def transcript(self) -> str:
        """Return the moves as "11-15 22x18", captures in short where only one move fits."""
        return " ".join(self.move_texts())

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        """Return text that `from_transcript` reads back: start if it is unusual, then moves."""
        transcript = self.transcript()
        if self.start == Position(self.start.game, kernel=self.start.kernel):
            return transcript
        return f"{self.start.text()} {transcript}".rstrip()

    def __repr__(self) -> str:
        game = "" if self.start.game == "checkers" else f", '{self.start.game}'"
        draws = "" if self.draws == DrawRules() else f", draws={self.draws}"
        kernel = "" if self.start.kernel == self.start.game else f", kernel='{self.start.kernel}'"
        return f"Game.from_transcript('{self}'{game}{draws}{kernel})"

    def _repr_html_(self) -> str:
        return drawing.game_html(self)


def is_result(word: str) -> bool:
    """Return whether a word of a game is its result: no move names a square 0, and 1-1 is none.

    >>> is_result("1-0"), is_result("1/2-1/2"), is_result("*"), is_result("11-15")
    (True, True, True, False)
    """
    return word in RESULTS


RESULTS = frozenset({"1-0", "0-1", "1/2-1/2", "*", "2-0", "0-2", "1-1", "0-0"})
"""The ends of a game in PDN: the first number is White's. The last four are international."""


@dataclass(frozen=True, slots=True)
class CheckersRules:
    """One game of the family by name: a `evoply.games.GameRules`, whose facts are the fields.

    *kernel* is the kernel's name for the rules, by default that of the game. Raises `ValueError`
    if the kernel has no such rules of checkers on a board of *size*.
    """

    name: str
    size: int
    title: str
    opening_plies: int = 4
    draws: DrawRules = USUAL_DRAWS
    kernel: str = ""
    piece: str = "piece"
    has_captures: bool = True
    fills_board: bool = False
    late_ply: int = 50
    guide: str = "material-kings:depth={},ties=random"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kernel", self.kernel or self.name)
        if SIZES.get(self.kernel) != self.size:
            names = ", ".join(f"{name} on {size}x{size}" for name, size in SIZES.items())
            raise ValueError(
                f"{self.name}: the kernel has no rules {self.kernel!r} of checkers on"
                f" {self.size}x{self.size}: write kernel, one of {names}"
            )

    def start(self) -> Position:
        """Return the start position."""
        return Position(self.name, kernel=self.kernel)

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        try:
            return Position.parse(text, self.name, self.kernel)
        except InvalidMoveError as error:
            raise InvalidMoveError(f"{self.name}: {error}") from error

    def position_from_row(self, row: Row) -> Position:
        """Return the position that the kernel holds as *row*."""
        return Position.from_row(self.kernel, row, self.name)

    def move_from_code(self, code: int) -> Move:
        """Return the move that the kernel knows as *code*."""
        return Move.from_code(code, self.size)

    def record(self, text: str = "") -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun."""
        return Game.from_transcript(text, self.name, self.draws, self.kernel)

    def read(self, text: str) -> Game:
        """Return what *text* shows: a board, moves, or a board and moves."""
        has_numbers = any(character.isdigit() for character in text)
        return self.record(text) if has_numbers else self.game(self.parse(text))

    def game(
        self, start: Position, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> Game:
        """Return the game from *start* whose moves the kernel knows as *codes*."""
        return Game.from_codes(codes, start, self.draws if draws is None else draws)

    def heat_map(self, values: Sequence[float], caption: str = "") -> str:
        """Return *values*, one for each square, row by row, as a picture of the dark squares (SVG).

        *caption* is a line below the board.
        """
        cells = enumerate(self.start().diagram().cells)
        labels = {square: cell.label for square, cell in cells if cell.is_playable}
        return drawing.heat_map_svg(self.size, values, caption=caption, labels=labels)


CHECKERS: Mapping[str, CheckersRules] = MappingProxyType(
    {
        "checkers": CheckersRules("checkers", 8, "American checkers"),
        "lose-checkers": CheckersRules(
            "lose-checkers", 8, "Lose checkers", guide="random-leaf:depth={}"
        ),
        "checkers-10": CheckersRules("checkers-10", 10, "American checkers 10x10"),
    }
)
"""The games of this family by name."""
