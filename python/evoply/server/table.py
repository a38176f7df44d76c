"""One game of a tournament: its turns and clocks; moves are on disk before they are announced.

A table knows no connections: it receives the players' lines and returns lines for them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from evoply.arena import Forfeit
from evoply.arena.playing import PlayedGame
from evoply.games import game_rules
from evoply.games.formats import GamePlayed
from evoply.protocols import (
    Color,
    Ending,
    GameInProgress,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    TimeControl,
)
from evoply.server.connection import Line, plain
from evoply.server.journal import Begun, Journal
from evoply.wording import shorten

MOST_ILLEGAL = 3
"""With the illegal move of this number a side forfeits the game."""
OUT_OF_TIME = "ran out of time"


class TableError(Exception):
    """A player's line is not allowed in this game; *code* is for programs."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


@dataclass(eq=False)
class GameTable:
    """A game between two players with clocks; `play` returns when it is over."""

    number: int
    names: dict[Color, str]
    opening: GameRecord
    """The random moves before the players begin."""
    control: TimeControl
    journal: Journal
    tell: Callable[[GameTable, Color | None, str], None]
    """Called with this table, whom a line is for, and the line; None: players and watchers."""
    playing: GameInProgress = field(init=False)
    """The game as far as it is on disk and was announced."""
    forfeit: Forfeit | None = None
    is_over: bool = False
    """Whether it has ended, with its end on disk."""
    _is_closed: bool = False
    """Whether it has ended, though nobody knows that yet."""
    _illegal: dict[Color, int] = field(default_factory=lambda: dict.fromkeys(Color, 0))
    _question: asyncio.Future[GameInProgress | None] | None = None
    """The question to the side to move; its answer is the game after it."""
    _stored: int = 0
    """Plies that are on disk."""

    def __post_init__(self) -> None:
        record = game_rules(self.opening.position.game).record()
        self.playing = GameInProgress.begin(record, self.control)

    @property
    def record(self) -> GameRecord:
        """The moves that are on disk and were announced."""
        return self.playing.record

    def go_on(self, begun: Begun) -> None:
        """Take the game from where another server left it, before its end."""
        self.playing = replace(self.playing, record=begun.record).with_left(begun.left)
        self._stored = len(begun.record)

    def show(self, played: PlayedGame) -> None:
        """Take a game that is over and on disk, so that its `lines` can be told."""
        self.playing = replace(self.playing, record=played.record)
        self.forfeit = played.forfeit
        self.is_over = self._is_closed = True

    async def play(self) -> PlayedGame:
        """Let both sides play until the game is over; everything is on disk before it is told."""
        if not self._stored:
            await self._take(replace(self.playing, record=self.opening).play_forced())
        while self.forfeit is None and self.record.outcome() is None:
            after = await self._answer()
            if self.forfeit is not None:
                break
            if after is None or after.loser is not None:
                late = self.playing.stop(asyncio.get_running_loop().time())
                self.playing = late if after is None else after
                self.lose(self.playing.turn, OUT_OF_TIME, by_time=True)
                break
            await self._take(after.play_forced())
        self._is_closed = True
        if self.record.outcome() is not None:
            self.forfeit = None  # who gave up meanwhile gave up too late
        await self._write(self.journal.end, self.number, self.forfeit)
        self.is_over = True
        self.tell(self, None, self._end())
        return PlayedGame(self.record, self.forfeit, self.playing.used(len(self.opening)))

    def says(self, color: Color, line: Line, now: float) -> None:
        """Process a side's line at the time *now*; `TableError` if it is not allowed."""
        if line.word == "RESIGN":
            self.lose(color, f"resigned: {line['text']}" if "text" in line.fields else "resigned")
            return
        if line.word == "PASS":
            raise TableError("pass", "nobody sends PASS: the server passes for a side that must")
        if (
            self._question is None
            or self._question.done()
            or self.record.position.turn is not color
        ):
            raise TableError("turn", f"it is not your turn in game {self.number}: wait for TURN")
        try:
            after = self.playing.play(line["move"], now)
        except (IllegalMoveError, InvalidMoveError) as error:
            self._illegal[color] += 1
            if self._illegal[color] >= MOST_ILLEGAL:
                self.lose(color, f"played {MOST_ILLEGAL} illegal moves")
            left = MOST_ILLEGAL - self._illegal[color]
            chances = f"{left} more and the game is lost" if left else "the game is lost"
            raise TableError("move", f"{self._why_not(line['move'], error)}; {chances}") from None
        self._question.set_result(after)

    def _why_not(self, move: str, error: ValueError) -> str:
        if isinstance(error, InvalidMoveError):
            return str(error)
        position = self.record.position
        must = position.what_must_be(move)
        head = f"{shorten(move)} is illegal here{f', {must}' * bool(must)}"
        return f"{head} - play one of {self._legal()}"

    def lose(self, color: Color, reason: str, *, by_time: bool = False) -> None:
        """Let *color* forfeit the game for that reason."""
        if self.forfeit is None and not self._is_closed:
            self.forfeit = Forfeit(self.number, color, plain(reason), by_time)
        if self._question is not None and not self._question.done():
            self._question.set_result(None)

    def lines(self, color: Color | None, now: float) -> Iterator[str]:
        """Yield the lines of the whole game for *color*, None for watchers."""
        number, names = self.number, self.names
        if color is None:
            yield f"GAME {number} {names[Color.BLACK]} {names[Color.WHITE]} {len(self.opening)}"
        else:
            yield f"COLOR {number} {color.value} {names[color.opposite]} {len(self.opening)}"
        yield from self._moves(0)
        yield self._time(now)
        if self._is_asked and color is self.record.position.turn:
            yield self._turn()
        if self.is_over:
            yield self._end()

    @property
    def _is_asked(self) -> bool:
        return self._question is not None and not self._question.done()

    async def _answer(self) -> GameInProgress | None:
        """Return what the side to move answers; None if its time is over, or the game is lost."""
        loop = asyncio.get_running_loop()
        turn = self.playing.turn
        self._question = loop.create_future()
        self.playing = self.playing.ask(loop.time())
        self.tell(self, turn, self._turn())
        await asyncio.wait([self._question], timeout=self.playing.left(turn))
        answer = self._question.result() if self._question.done() else None
        self._question = None
        return answer

    async def _take(self, longer: GameInProgress) -> None:
        """Write a game with more moves, then announce them."""
        before, left = self._stored, {color: longer.left(color) for color in Color}
        await self._write(self.journal.add, self.number, longer.record, before, left)
        self.playing, self._stored = longer, len(longer.record)
        for line in self._moves(before):
            self.tell(self, None, line)
        self.tell(self, None, self._time())

    async def _write(self, write: Callable[..., None], *arguments: object) -> None:
        loop = asyncio.get_running_loop()
        await loop.run_in_executor(self.journal.in_background, write, *arguments)

    def _moves(self, since: int) -> Iterator[str]:
        """Yield the moves from ply number *since* on."""
        texts, moves = self.record.move_texts(), self.record.moves
        for ply in range(since, len(moves)):
            is_pass = moves[ply].is_pass
            yield f"PASS {self.number}" if is_pass else f"MOVE {self.number} {texts[ply]}"

    def _time(self, now: float | None = None) -> str:
        """Return what both clocks show, running *now* while somebody is asked."""
        now = now if self._is_asked else None
        black, white = (self.playing.left(color, now) for color in Color)
        return f"TIME {self.number} {black:.3f} {white:.3f}"

    def _end(self) -> str:
        """Return how the game ended."""
        played = PlayedGame(self.record, self.forfeit)
        return f"END {self.number} {_result_text(played, self.names)}"

    def _turn(self) -> str:
        """Return what asks the side to move."""
        return f"TURN {self.number} {self._legal()}"

    def _legal(self) -> str:
        position = self.record.position
        return " ".join(position.short_text(move) for move in position.legal_moves)


def in_words(played: PlayedGame, names: Mapping[Color, str]) -> str:
    """Return how a game ended, in words."""
    outcome, forfeit = played.record.outcome(), played.forfeit
    game = GamePlayed(
        played.record,
        names[Color.BLACK],
        names[Color.WHITE],
        forfeit.color.opposite if forfeit else outcome.winner if outcome else None,
        Ending.FORFEIT if forfeit else played.record.ending(),
        forfeit=None if forfeit is None else forfeit.reason,
    )
    return game.in_words()


def _result_text(played: PlayedGame, names: Mapping[Color, str]) -> str:
    """Return who has won, what ended the game, and why or how, as END says it."""
    outcome, forfeit = played.record.outcome(), played.forfeit
    if forfeit is not None:
        return f"{forfeit.color.opposite.value} {Ending.FORFEIT.value} {plain(forfeit.reason)}"
    winner = "draw" if outcome is None or outcome.winner is None else outcome.winner.value
    ending = played.record.ending() or Ending.BOARD
    return f"{winner} {ending.value.replace(' ', '-')} {plain(in_words(played, names))}"
