"""A game between a person and a player, in a terminal or over a pipe."""

from __future__ import annotations

import sys
from collections import deque
from dataclasses import dataclass, field

from rich.console import Console

from evoply import _native as native
from evoply.cli.board_view import board_text
from evoply.games.othello import Game, Move, Position
from evoply.players import Player, RandomPlayer, parse_player
from evoply.protocols import Color, IllegalMoveError, InvalidMoveError

__all__ = ["TerminalGame"]

_HINT_PLAYER = "mobility:depth=4"
"""Who gives hints where the opponent has no opinion."""

_HELP = """Type a square such as f5, or
  moves   list the legal moves
  hint    what the opponent would play here
  undo    take back your last move
  board   show the board again
  quit    stop (so does Ctrl-D)"""


@dataclass(slots=True)
class TerminalGame:
    """One game in the making; `play` asks and answers until it is over or the person leaves."""

    console: Console
    opponent: Player
    color: Color
    """The person's side."""
    game: Game
    seed: int
    refused: int = 0
    """Lines that were neither a legal move nor a command."""
    is_left: bool = False
    _engine: native.Player = field(init=False)
    _words: deque[str] = field(init=False, default_factory=deque)

    def __post_init__(self) -> None:
        self._engine = self.opponent.native(self.game.position.game)

    @property
    def is_interactive(self) -> bool:
        """Whether a person is asked at a terminal."""
        return sys.stdin.isatty() and self.console.is_terminal

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        is_new = True
        while moves := self.game.position.legal_moves:
            if self.game.position.turn is not self.color:
                self._answer()
                is_new = True
            elif moves.must_pass:
                self._say("You have no move and pass.")
                self.game = self.game.play(Move.PASS)
            else:
                if is_new:
                    self._show()
                word = self._next_word()
                if word is None or word in ("quit", "exit", "q"):
                    self.is_left = True
                    return
                is_new = self._obey(word)

    def _answer(self) -> None:
        position = self.game.position
        if position.legal_moves.must_pass:
            self._say(f"{self.opponent.label} has no move and passes.")
            self.game = self.game.play(Move.PASS)
            return
        if self.is_interactive:
            with self.console.status(f"{self.opponent.label} is thinking"):
                move, value = self._choice(self._engine, position)
        else:
            move, value = self._choice(self._engine, position)
        self._say(f"{self.opponent.label} plays {move}{value}")
        self.game = self.game.play(move)

    def _choice(self, player: native.Player, position: Position) -> tuple[Move, str]:
        key = native.Stream(self.seed, "play", "game").key
        code, score, *_ = native.analyse(player, *position.row, key)
        value = "" if score is None else f" (value {round(score, 6) + 0.0:.4g})"
        return Move.from_code(code, position.size), value

    def _obey(self, word: str) -> bool:
        """Do what *word* says; return whether the board is to be shown again."""
        match word:
            case "help" | "?" | "h":
                self._say(_HELP)
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
            self.game = self.game.play(word)
        except IllegalMoveError:
            self._refuse(f"{word} is not legal here; legal: {self.game.position.legal_moves}")
            return False
        except InvalidMoveError as error:
            self._refuse(f"{error} (help lists the commands)")
            return False
        if not self.is_interactive:
            self._say(f"you play {self.game.moves[-1]}")
        return True

    def _hint(self) -> None:
        position = self.game.position
        name, player = self.opponent.label, self._engine
        if isinstance(self.opponent, RandomPlayer):
            name = _HINT_PLAYER
            player = parse_player(name, game=position.game).native(position.game)
        move, value = self._choice(player, position)
        self._say(f"{name} would play {move}{value}")

    def _undo(self) -> bool:
        """Go back to the person's last choice."""
        for count in range(len(self.game) - 1, -1, -1):
            before = self.game.positions[count]
            if before.turn is self.color and not before.legal_moves.must_pass:
                self.game = Game(self.game.start, self.game.moves[:count])
                return True
        self._refuse("there is nothing to take back")
        return False

    def _next_word(self) -> str | None:
        """Return the next word that was typed, None at the end of the input."""
        while not self._words:
            if self.is_interactive:
                self.console.print(f"{self.color} (you): ", end="", style="bold")
            line = sys.stdin.readline()
            if not line:
                if self.is_interactive:
                    self._say()
                return None
            self._words.extend(line.lower().split())
        return self._words.popleft()

    def _show(self) -> None:
        self.console.print()
        self.console.print(board_text(self.game, self.console))

    def _refuse(self, message: str) -> None:
        self.refused += 1
        self._words.clear()
        self._say(message)

    def _say(self, text: str = "") -> None:
        self.console.print(text, soft_wrap=True)
