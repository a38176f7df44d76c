"""A player offered as an engine: the board it sees, the seat it has, and the loop over lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TextIO

from evoply._native import Stream
from evoply.games import GAMES, game_rules
from evoply.players.analysis import asked
from evoply.protocols import Choice, Color, GameRecord, Player, Seat
from evoply.wording import short_name

__all__ = ["Board", "serve"]

LONGEST_LINE = 100_000


class Board:
    """A game in progress and the player who chooses in it; games may follow one another.

    *game* is changed for another board of the same rules; draws of the n-th game come from a
    stream of its own, so the same session gets the same moves.
    """

    def __init__(self, player: Player, game: str, seed: int) -> None:
        if not game_rules(game).fills_board:
            raise ValueError(f"{game}: engines play Othello only: name a game with --game")
        self.player = player
        self.name = short_name(player.label)
        self._key = Stream(seed, "engine")
        self._games = 0
        self._seat: Seat = player.seat(game)
        self._game = game
        self.record: GameRecord = game_rules(game).record()
        self.begin(game)

    @property
    def game(self) -> str:
        """The name of the game that is played."""
        return self._game

    def game_of_size(self, size: int) -> str | None:
        """Return the name of the same game on a board of *size*, None if the player has none."""
        names = [self._game, *GAMES]
        for name in names:
            rules = GAMES[name]
            if rules.fills_board and rules.size == size:
                try:
                    self.player.check_fits(name)
                except ValueError:
                    continue
                return name
        return None

    def begin(self, game: str, record: GameRecord | None = None) -> None:
        """Begin a game, by default at its start; `ValueError` if the player does not play it."""
        if game != self._game:
            seat = self.player.seat(game)
            self._seat.close()
            self._seat, self._game = seat, game
        self._games += 1
        self._stream = self._key.child(self._games)
        self.record = game_rules(game).record() if record is None else record

    def choice(self, record: GameRecord | None = None, *, every_move: bool = False) -> Choice:
        """Return what the player chooses at the end of *record*, by default of the game."""
        record = self.record if record is None else record
        return asked(self._seat, record, self._stream, every_move=every_move)

    def passed_to(self, color: Color) -> GameRecord:
        """Return the game with the forced pass that stands between *color* and its turn, if any."""
        position = self.record.position
        if position.turn is not color and position.legal_moves.must_pass:
            return self.record.play(position.legal_moves[0])
        return self.record

    def close(self) -> None:
        """Give back the player's seat."""
        self._seat.close()


def serve(answers: Callable[[str], Iterator[str]], source: TextIO, target: TextIO) -> None:
    """Write the answers to each line of *source* until it ends, or *answers* raises EOFError.

    Lines that are too long are passed over. Whoever does not listen any more ends it, too.
    """
    while line := source.readline(LONGEST_LINE):
        if not line.endswith("\n") and len(line) >= LONGEST_LINE:
            while (rest := source.readline(LONGEST_LINE)) and not rest.endswith("\n"):
                pass
            continue
        try:
            for text in answers(line):
                target.write(f"{text}\n")
                target.flush()
        except (EOFError, BrokenPipeError):
            return
