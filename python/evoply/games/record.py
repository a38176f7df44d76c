"""The record of a game on any board of the kernel: start, moves, rules about draws.

Reasons: docs/design/kernel.md.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Generic, Self, TypeVar

from evoply import _native
from evoply.games import drawing
from evoply.games.position import NO_DRAWS, BoardMove, BoardPosition, DrawRules, moves_of
from evoply.games.squares import Word
from evoply.protocols import Color, Ending, IllegalMoveError, InvalidMoveError, Outcome, Row

P = TypeVar("P", bound=BoardPosition[Any])
M = TypeVar("M", bound=BoardMove)

_NO_MOVE = 2**64 - 1
"""A number in the kernel's range that is not the code of any move."""


@dataclass(frozen=True, repr=False)
class BoardGame(Generic[P, M]):
    """A game as it was played: where it started, the moves, forced passes included, its draws.

    Immutable: `play` returns a longer record. Raises `IllegalMoveError` if *moves* cannot be
    played from *start*, or go on after a draw by *draws*.
    """

    POSITION: ClassVar[type[BoardPosition[Any]]]
    """The positions of the family."""

    start: P
    moves: tuple[M, ...] = ()
    draws: DrawRules = NO_DRAWS

    def __post_init__(self) -> None:
        if not isinstance(self.start, self.POSITION):
            raise TypeError(
                f"start: {self.start!r:.40} is no position of {self.POSITION.FAMILY}: a game is "
                "read from its text by Game.from_transcript"
            )
        positions = [self.start]
        for number, move in enumerate(self.moves, start=1):
            try:
                self._check_goes_on(positions, str(move))
                positions.append(positions[-1].play(move))
            except IllegalMoveError as error:
                raise IllegalMoveError(f"ply {number}: {error}") from error
        vars(self).update(moves=tuple(self.moves), positions=tuple(positions))

    @classmethod
    def from_words(
        cls, words: Iterable[Word], where: Callable[[int], str], start: P, draws: DrawRules
    ) -> Self:
        """Return the game whose moves are *words*, forced passes written or not.

        *where* describes the location of an index in the text. Raises `InvalidMoveError` for what
        cannot be read and `IllegalMoveError`, both with the number, text and place of the move,
        whose number counts passes only where it is one.
        """
        positions, moves, passes = [start], list[M](), 0
        record = cls._build(start, (), (start,), draws)
        for word in words:
            try:
                record._check_goes_on(positions, word.text)
                move = positions[-1].parse_move(word.text)
                if positions[-1].legal_moves.must_pass and not move.is_pass:
                    moves.append(positions[-1].legal_moves[0])
                    positions.append(positions[-1].play(moves[-1]))
                    passes += 1
                positions.append(positions[-1].play(move))
            except (IllegalMoveError, InvalidMoveError) as error:
                number = len(moves) - passes + 1
                head = f"move {number} ({word.text}) at {where(word.index)}"
                # The board is shown once, so that people can read it.
                why, place, what = str(error).partition(f" in {positions[-1].text()}")
                board = f"\n{positions[-1]}" if place else ""
                raise type(error)(f"{head}: {why}{what}{board}") from error
            moves.append(move)
            passes += move.is_pass
        return cls._build(start, tuple(moves), tuple(positions), draws)

    @classmethod
    def from_codes(cls, codes: Iterable[int], start: P) -> Self:
        """Return the game whose moves have the kernel's numbers *codes*, without draws by rule.

        Forced passes may be left out. Raises `IllegalMoveError` with the number of the ply.
        """
        wanted = list(codes)
        try:
            played, accepted, last = _native.replay(start.kernel, start.row, wanted)
        except OverflowError:
            held = [code if 0 <= code < _NO_MOVE else _NO_MOVE for code in wanted]
            played, accepted, last = _native.replay(start.kernel, start.row, held)
        if accepted < len(wanted):
            move = start.MOVE.from_code(wanted[accepted], start.shape)
            why = start._with(last)._why_not(str(move))
            raise IllegalMoveError(f"ply {len(played) + 1}: illegal move {why}")
        return cls.replayed(start, played, last)

    @classmethod
    def replayed(cls, start: P, codes: Iterable[int], last: Row) -> Self:
        """Return the game that the kernel has played from *start* by *codes* to the row *last*.

        Nothing is checked. The positions in between are made on first access.
        """
        game = object.__new__(cls)
        move_of = moves_of(start.MOVE.from_code, start.shape)
        moves = tuple([move_of[code] for code in codes])
        vars(game).update(start=start, moves=moves, draws=NO_DRAWS, position=start._with(last))
        return game

    @classmethod
    def _build(
        cls, start: P, moves: tuple[M, ...], positions: tuple[P, ...], draws: DrawRules
    ) -> Self:
        """Return a game whose moves were already played, without playing them again."""
        game = object.__new__(cls)
        played = {"moves": moves, "positions": positions, "position": positions[-1]}
        vars(game).update(played, start=start, draws=draws)
        return game

    @cached_property
    def positions(self) -> tuple[P, ...]:
        """The positions from the start to the end, one more than there are moves."""
        start = self.start
        codes = [move.code(start.shape) for move in self.moves]
        return tuple(map(start._with, _native.rows_along(start.kernel, start.row, codes)))

    @cached_property
    def position(self) -> P:
        """The position after the last move."""
        return self.positions[-1]

    @property
    def reversible(self) -> tuple[P, ...]:
        """The positions since the last irreversible move, the latest one included.

        There are none in games where repetitions do not count.
        """
        if self.draws.repetitions is None:
            return ()
        return self.positions[-1 - self.position.quiet_plies :]

    def play(self, move: M | str, /) -> Self:
        """Return the game with *move* added; errors as `Position.play`, also after a draw."""
        self._check_goes_on(self.positions, str(move))
        played: M = self.position.parse_move(move) if isinstance(move, str) else move
        moves = (*self.moves, played)
        positions = (*self.positions, self.position.play(played))
        return self._build(self.start, moves, positions, self.draws)

    def play_unchecked(self, code: int, /) -> Self:
        """Return the game with the legal move of the kernel's number *code* added, unchecked."""
        before = self.position
        after = before._with(_native.row_after(before.kernel, before.row, code))
        moves = (*self.moves, moves_of(before.MOVE.from_code, before.shape)[code])
        return self._build(self.start, moves, (*self.positions, after), self.draws)

    def first(self, plies: int, /) -> Self:
        """Return the game as it was after *plies*."""
        positions = self.positions[: plies + 1]
        return self._build(self.start, self.moves[:plies], positions, self.draws)

    def _check_goes_on(self, positions: Sequence[P], move: str) -> None:
        """Raise `IllegalMoveError` if the game with *positions* is a draw before *move*."""
        reason = self.draws.reason(positions)
        if reason is not None and positions[-1].legal_moves:
            raise IllegalMoveError(f"illegal move {move}: the game is a draw: {reason}")

    def outcome(self) -> Outcome | None:
        """Return the outcome, which may be a draw by this game's rules; None while it goes on."""
        decided = self.position.outcome()
        if decided is not None or self.draw_reason() is None:
            return decided
        return Outcome(None, self.position.pieces(Color.BLACK) - self.position.pieces(Color.WHITE))

    def ending(self) -> Ending | None:
        """Return what ended the game, None while it goes on."""
        if not self.position.legal_moves:
            return Ending.BOARD
        return self.draws.ending(self.positions)

    def draw_reason(self) -> str | None:
        """Return in words why the game is a draw, or None."""
        return self.draws.reason(self.positions) if self.position.legal_moves else None

    def move_texts(self) -> tuple[str, ...]:
        """Return the text of each move, as short as its position allows, including passes."""
        pairs = zip(self.positions, self.moves, strict=False)
        return tuple(position.short_text(move) for position, move in pairs)

    def transcript(self) -> str:
        """Return the moves as text that `from_transcript` reads."""
        return " ".join(self.move_texts())

    def __len__(self) -> int:
        return len(self.moves)

    def __str__(self) -> str:
        """Return text that `from_transcript` reads: the start if it is unusual, then the moves."""
        transcript = self.transcript()
        if self._start_goes_without_saying():
            return transcript
        return f"{self.start.text()} {transcript}".rstrip()

    def _start_goes_without_saying(self) -> bool:
        return self.start == self.start.at_start()

    def _repr_html_(self) -> str:
        return drawing.game_html(self)
