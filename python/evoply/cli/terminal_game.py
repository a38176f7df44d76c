"""A game between a person and a player, in a terminal or over a pipe."""

from __future__ import annotations

import contextlib
import re
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING

from rich.console import Console
from rich.text import Text

from evoply._native import Stream
from evoply.cli.analyse import note_lines, value_text
from evoply.cli.board_view import board_text, weights_text
from evoply.cli.output import rows_table
from evoply.games import game_rules
from evoply.players.searcher import asked
from evoply.protocols import (
    Choice,
    Color,
    ForfeitError,
    GameInProgress,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Player,
    Seat,
)
from evoply.protocols.sections import Column
from evoply.wording import short_name

if TYPE_CHECKING:
    from evoply.reports.adviser import Adviser

_NOBODY_KNOWS = "but nobody here knows this game well."
_HINT_DEPTH = 4
"""Plies ahead that a hint looks."""

_MOVE_NUMBER = re.compile(r"\b[0-9]{1,3}\.+")

_HELP = """Type a move such as {move}, or several to play one after the other (all of
them, or none if one turns out not to be legal), or
  moves   list the legal moves
  hint    the best move here and why, and what all moves are worth
  undo    take back your last move
  board   show the board again
  quit    stop (so does Ctrl-D)"""


def time_text(seconds: float) -> str:
    """Return what a clock shows: minutes and seconds, tenths of them below 20.

    >>> time_text(150), time_text(9.87), time_text(-1)
    ('2:30', '0:09.8', '0:00.0')
    """
    tenths = max(int(seconds * 10), 0)
    minutes, rest = divmod(tenths, 600)
    return f"{minutes}:{rest // 10:02}" + (f".{rest % 10}" if tenths < 200 else "")


@dataclass(slots=True)
class TerminalGame:
    """A game that is being played; `play` asks and answers until its end or the person leaves."""

    console: Console
    opponent: Player
    against: str
    """The text that names the opponent."""
    color: Color
    """The person's side."""
    playing: GameInProgress
    """The game; the person's clock runs while a move is waited for."""
    seed: int
    now: Callable[[], float] = time.monotonic
    refused: int = 0
    """Lines that were neither a legal move nor a command."""
    is_left: bool = False
    _seat: Seat = field(init=False)
    _adviser: Adviser | None = field(init=False, default=None)
    """Who gives hints, from the first one on."""
    _words: deque[str] = field(init=False, default_factory=deque)
    _before_line: GameRecord | None = field(init=False, default=None)
    """The game before a line of several words, None within a line of one."""

    def __post_init__(self) -> None:
        if self._has_line_editing:
            # Once imported, `input` edits lines: the arrow keys work. Not every system has it.
            with contextlib.suppress(ImportError):
                import readline  # noqa: F401
        self._seat = self.opponent.seat(self.game.position.game)
        self._seat.use_all_cores()

    @property
    def game(self) -> GameRecord:
        """The moves so far."""
        return self.playing.record

    @property
    def is_interactive(self) -> bool:
        """Whether a person is asked at a terminal."""
        return sys.stdin.isatty() and self.console.is_terminal

    @property
    def _has_line_editing(self) -> bool:
        """Whether `input` may ask: its prompt goes to standard output, as the board must."""
        return self.is_interactive and not self.console.stderr and sys.stdout.isatty()

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        is_new = True
        self._get_ready()
        while not self.playing.is_over:
            moves = self.game.position.legal_moves
            if self.game.position.turn is not self.color:
                self._answer()
                is_new = True
            elif moves.must_pass:
                self._say("You have no move and pass.")
                self.playing = self.playing.play(moves[0])
            else:
                if self.playing.began is None:
                    self.playing = self.playing.ask(self.now())
                if is_new:
                    self._show()
                word = self._word_in_time()
                if self.playing.is_over:
                    return
                if word is None or word in ("quit", "exit", "q"):
                    self.is_left = True
                    return
                is_new = self._obey(word)

    def _get_ready(self) -> None:
        self._seat.check()
        if self.playing.control is not None:
            try:
                self._seat.get_ready()
            except ForfeitError as error:
                self.playing = self.playing.forfeit(self.color.opposite, str(error))

    def _answer(self) -> None:
        position = self.game.position
        if position.legal_moves.must_pass:
            self._say(f"{short_name(self.opponent.label)} has no move and passes.")
            self.playing = self.playing.play(position.legal_moves[0])
            return
        self.playing = self.playing.ask(self.now())
        try:
            if self.is_interactive:
                # A string would be read as rich's markup, and a label may hold brackets.
                with self.console.status(Text(f"{short_name(self.opponent.label)} is thinking")):
                    choice = self._choice()
            else:
                choice = self._choice()
        except ForfeitError as error:
            self.playing = self.playing.stop(self.now()).forfeit(position.turn, str(error))
            return
        self.playing = self.playing.play(choice.move, self.now())
        if self.playing.loser is not None:
            return
        value = "" if choice.score is None else f" (value {value_text(choice.score)})"
        self._say(f"{short_name(self.opponent.label)} plays {choice.move}{value}")
        if "weights" in choice.notes:
            self._show_strategy(choice)

    def _show_strategy(self, choice: Choice) -> None:
        self._say(weights_text(self.game, choice.notes["weights"], self.console))
        self._say("; ".join([*note_lines(choice), f"{choice.seconds:.2f} s"]))

    def _choice(self) -> Choice:
        stream = Stream(self.seed, "play", "game")
        clock = self.playing.clocks[self.playing.turn]
        return asked(self._seat, self.game, stream, clock=clock)

    @property
    def seconds_left(self) -> dict[str, float] | None:
        """What both sides have left, by name; None without a clock."""
        if self.playing.control is None:
            return None
        return {color.value: max(self._left(color), 0.0) for color in Color}

    def _left(self, color: Color) -> float:
        return self.playing.left(color, self.now())

    def _word_in_time(self) -> str | None:
        """Return the next word that was typed, None at the end of the input.

        If the person's flag has fallen meanwhile, the game is forfeited.
        """
        try:
            with self._alarm():
                word = self._next_word()
        except TimeoutError:
            word = ""
            self._say()  # the line that was being typed
        if self._left(self.color) < 0:
            self.playing = self.playing.stop(self.now())
        return word

    @contextlib.contextmanager
    def _alarm(self) -> Iterator[None]:
        """Raise TimeoutError when the person's flag falls, where the system can do that."""
        is_main = threading.current_thread() is threading.main_thread()
        if self.playing.control is None or not is_main or not hasattr(signal, "setitimer"):
            yield
            return

        def fall(*_: object) -> None:
            raise TimeoutError

        before = signal.signal(signal.SIGALRM, fall)
        try:
            signal.setitimer(signal.ITIMER_REAL, max(self._left(self.color), 0.0) + 0.001)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def close(self) -> None:
        """Release what the opponent holds."""
        self._seat.close()
        if self._adviser is not None:
            self._adviser.close()

    def _obey(self, word: str) -> bool:
        """Do what *word* says; return whether the board is to be shown again."""
        match word:
            case "help" | "?" | "h":
                start = game_rules(self.game.position.game).start()
                # It breaks between words, as a terminal itself would not.
                self.console.print(_HELP.format(move=start.legal_moves[0]))
            case "moves":
                self._say(str(self.game.position.legal_moves))
            case "hint":
                self._hint()
            case "board":
                return True
            case "undo":
                return self._undo()
            case _:
                return self._move(word)
        return False

    def _move(self, word: str) -> bool:
        try:
            self.playing = self.playing.play(word, self.now())
        except IllegalMoveError:
            position = self.game.position
            must = position.what_must_be(word)
            return self._refuse(
                f"{word} is not legal here{must and ': '}{must}; legal: {position.legal_moves}"
            )
        except InvalidMoveError as error:
            return self._refuse(f"{error} (help lists the commands)")
        if self.playing.loser is None and not self.is_interactive:
            self._say(f"you play {self.game.moves[-1]}")
        return True

    def _hint(self) -> None:
        """Say what the game's adviser would play, and why; the opponent is not asked."""
        from evoply.reports.adviser import Adviser
        from evoply.reports.reasons import reasons_of

        name = self.game.position.game
        if self._adviser is None:
            self._adviser = Adviser(name)
        advice = self._adviser.values(self.game, depth=_HINT_DEPTH, threads=0)
        why = reasons_of(self._adviser, self.game, advice)
        if not advice.moves:
            self._say(f"{why.best} is the only move.")
            return
        says = f"{short_name(advice.player)}, looking {advice.depth} plies ahead"
        if advice.is_exact or advice.scale.unit != "none":
            exact = ", exact" if advice.is_exact else ""
            most = advice.text(advice.moves[0][1])
            self._say(f"{why.best} is best ({most}{exact}), says {says}. {why.hint}")
        elif len({worth for _, worth in advice.moves}) > 1:
            # What sees certain ends and counts pieces is a rough guide.
            self._say(f"{why.best} is best, says {says}, {_NOBODY_KNOWS}")
        else:
            alike = f"sees no difference between the {len(advice.moves)} moves"
            self._say(f"{says}, {alike}, {_NOBODY_KNOWS}")
            return
        worths = (
            Column("move", "move", self.game.position.short_text, read=itemgetter(0)),
            Column("worth", "worth", advice.text, read=itemgetter(1)),
        )
        self.console.print(rows_table(worths, advice.moves))

    def _undo(self) -> bool:
        count = self.playing.last_choice([self.color])
        if count is None:
            return self._refuse("there is nothing to take back")
        self.playing = self.playing.undo(count)
        return True

    def _next_word(self) -> str | None:
        """Return the next word that was typed, None at the end of the input."""
        while not self._words:
            line = self._next_line()
            if not line:
                if self.is_interactive:
                    self._say()
                return None
            self._words.extend(_MOVE_NUMBER.sub(" ", line.lower()).split())
            self._before_line = self.game if len(self._words) > 1 else None
        return self._words.popleft()

    def _next_line(self) -> str:
        """Return the next line that was typed with its end, "" at the end of the input."""
        time_left = "" if self.playing.control is None else f", {time_text(self._left(self.color))}"
        prompt = f"{self.color} (you{time_left}): "
        if self._has_line_editing:
            try:
                return f"{input(prompt)}\n"
            except EOFError:
                return ""
        if self.is_interactive:
            self.console.print(prompt, end="", style="bold")
        return sys.stdin.readline()

    def _show(self) -> None:
        self.console.print()
        self.console.print(board_text(self.game, self.console))
        if self.playing.control is not None:
            times = (f"{color} {time_text(self._left(color))}" for color in Color)
            self._say("Clocks: " + ", ".join(times))

    def _refuse(self, message: str) -> bool:
        """Say what is wrong and drop the whole line; return whether the board has changed."""
        self.refused += 1
        self._words.clear()
        self._say(message)
        before, self._before_line = self._before_line, None
        if before is None:
            return False
        is_changed = before != self.game
        self.playing = replace(self.playing, record=before)
        self._say("Nothing of this line counts" + "; here is the board as it was." * is_changed)
        return is_changed

    def _say(self, text: str = "") -> None:
        self.console.print(text, soft_wrap=True)
