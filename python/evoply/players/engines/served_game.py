"""A player offered as an engine: its board, its seat, and the loop over the lines of a protocol."""

import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Protocol, TextIO

from evoply._native import Stream
from evoply.games import GAMES, game_rules
from evoply.games.squares import SHAPES
from evoply.players.kernel_seat import KernelSeat
from evoply.players.search_options import MAX_DEPTH
from evoply.players.searcher import asked, best_moves, own_plies
from evoply.protocols import Choice, Clock, Color, GameInProgress, GameRecord, Player, Seat
from evoply.wording import short_name

LONGEST_LINE = 100_000
TOO_LONG = f"the line is too long: at most {LONGEST_LINE:,} characters are read"


class ServedGame:
    """A game in progress and the player who chooses in it; games may follow one another.

    *game* is changed for another board of the same rules; draws of the n-th game come from a
    stream of its own, so the same session gets the same moves.
    """

    def __init__(self, player: Player, game: str, seed: int) -> None:
        if not game_rules(game).engines:
            raise ValueError(f"no engine plays {game}: name another game with --game")
        self.player = player
        self.name = short_name(player.label)
        self._key = Stream(seed, "engine")
        self._games = 0
        self._seat: Seat = player.seat(game)
        self._game = game
        self.playing = GameInProgress(game_rules(game).record())
        """The game, with the times that the protocol reports; no side is ever late."""
        self.took: dict[Color, float] = {}
        """Seconds of the last choice of a side."""
        self.is_pondering_wanted = False
        """Whether to think while the other side is to move, in games with a clock."""
        self._end_pondering: Callable[[], None] | None = None
        self._latest: Choice | None = None
        self._turn = Color.BLACK
        self.begin(game)

    @property
    def game(self) -> str:
        """The name of the game that is played."""
        return self._game

    def game_of_size(self, size: int) -> str | None:
        """Return the name of the same game on *size* rows and columns, None if it has none."""
        wanted = GAMES[self._game].family, SHAPES.get(size)
        for name in (self._game, *GAMES):
            if (GAMES[name].family, GAMES[name].shape) == wanted:
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
        record = game_rules(game).record() if record is None else record
        self.playing = replace(self.playing, record=record)

    def set_clocks(self, clocks: Mapping[Color, Clock]) -> None:
        """Set the clocks of these sides from the protocol."""
        self.playing = replace(self.playing, clocks={**self.playing.clocks, **clocks})

    def choice(self, record: GameRecord | None = None, *, every_move: bool = False) -> Choice:
        """Return the player's choice at the end of *record*, by default of the game.

        It looks at the clock of the side that is to move, unless *every_move* is asked for.
        """
        record = self.playing.record if record is None else record
        turn, began = record.position.turn, time.monotonic()
        choice = asked(
            self._seat,
            record,
            self._stream,
            best=best_moves(every_move, 0),
            clock=self.playing.clocks[turn],
        )
        self.took[turn] = time.monotonic() - began
        self._latest, self._turn = choice, turn
        return choice

    def ponder(self) -> None:
        """Think about what comes next, if that is wanted and the other side is to move.

        The move that it is expected to make is that of the latest search.
        """
        record, latest = self.playing.record, self._latest
        if not self.is_pondering_wanted or latest is None or not isinstance(self._seat, KernelSeat):
            return
        clock = self.playing.clocks[self._turn]
        has_clock = clock.seconds_left is not None or clock.move_seconds is not None
        is_expected = len(latest.line) > 1 and latest.line[:1] == record.moves[-1:]
        if not has_clock or not is_expected or latest.line[1] not in record.position.legal_moves:
            return
        expected = record.play(latest.line[1])
        if expected.position.turn is self._turn and record.position.turn is not self._turn:
            self._end_pondering = self._seat.ponder(
                expected, self._stream.key, moves=own_plies(expected), depth=MAX_DEPTH
            )

    def end_pondering(self) -> None:
        """Stop pondering, if the player ponders."""
        end, self._end_pondering = self._end_pondering, None
        if end is not None:
            end()

    def play(self, move: Any, seconds: float) -> None:
        """Play *move*, which took so many of the seconds that its side has left, if any."""
        spent = min(seconds, self.playing.left(self.playing.turn))
        self.playing = self.playing.ask(0.0).play(move, spent)

    def with_pass_before(self, color: Color) -> GameInProgress:
        """Return the game after the forced pass before the turn of *color*, if there is one."""
        is_waiting = self.playing.turn is not color
        return self.playing.play_forced(passes_only=True) if is_waiting else self.playing

    def close(self) -> None:
        """Close the player's seat."""
        self.end_pondering()
        self._seat.close()


class Server(Protocol):
    """What answers the lines of one protocol."""

    def answers(self, line: str) -> Iterator[str]:
        """Yield the answers to *line*; raise EOFError where it ends the dialogue."""

    def refusal(self, line: str) -> Iterator[str]:
        """Yield the protocol's words for a line that is too long; *line* is its beginning."""


def serve(server: Server, source: TextIO, target: TextIO) -> None:
    """Write the answers to each line of *source* until it ends, or *server* raises EOFError.

    Lines that are too long are refused. The loop ends too when *target* is closed.
    """
    while line := source.readline(LONGEST_LINE):
        is_whole = line.endswith("\n") or len(line) < LONGEST_LINE
        rest = "" if is_whole else line
        while rest and not rest.endswith("\n"):
            rest = source.readline(LONGEST_LINE)
        try:
            for text in server.answers(line) if is_whole else server.refusal(line):
                target.write(f"{text}\n")
                target.flush()
        except (EOFError, BrokenPipeError):
            return
