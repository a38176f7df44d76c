"""Watches a remote tournament: every game, move by move."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from evoply.formats import GamePlayed
from evoply.games import game_rules
from evoply.protocols import Color, Ending, IllegalMoveError, InvalidMoveError
from evoply.server.connection import CallError, Connection
from evoply.server.lines import Line

_ENDINGS = {ending.value.replace(" ", "-"): ending for ending in Ending}


@dataclass(frozen=True, slots=True)
class WatchedGame:
    """A game as it is being played: what is known of it, and what both clocks show."""

    number: int
    played: GamePlayed
    left: dict[Color, float]

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self.played.ending is not None


@dataclass(eq=False)
class Watching:
    """All games that a server has shown; `run` returns when the tournament is over.

    *on_change* is called with every game that has changed.
    """

    host: str
    port: int
    password: str | None = None
    on_change: Callable[[WatchedGame], object] = field(default=lambda _: None)
    games: dict[int, WatchedGame] = field(init=False, default_factory=dict)
    """All games that were shown, by their numbers."""
    farewell: str | None = field(init=False, default=None)
    """What the server said at the end."""
    _game: str = field(init=False, default="")

    async def run(self) -> None:
        """Watch to the end; `OSError` if the server is lost, `CallError` if it refuses."""
        connection = await Connection.open(self.host, self.port)
        try:
            self._game = connection.game
            game_rules(connection.game)
            connection.prove(self.password)
            connection.say("WATCH")
            while self.farewell is None:
                self._take(await connection.line())
        finally:
            await connection.close()

    def _take(self, line: Line) -> None:
        match line.word:
            case "BYE":
                self.farewell = line["text"]
            case "ERROR":
                raise CallError(f"the server refuses: {line['text']}")
            case "GAME" | "MOVE" | "PASS" | "TIME" | "END":
                self.games[line.game] = game = self._update(line)
                self.on_change(game)

    def _update(self, line: Line) -> WatchedGame:
        """Update the game that a line is about, and return it."""
        if line.word == "GAME":
            played = GamePlayed(
                game_rules(self._game).record(),
                line["black"],
                line["white"],
                opening_plies=int(line["plies"]),
            )
            return WatchedGame(line.game, played, {})
        game = self.games.get(line.game)
        if game is None:
            raise CallError(f"the server speaks of game {line.game}, which it never showed")
        played = game.played
        match line.word:
            case "TIME":
                return replace(game, left={color: float(line[color.value]) for color in Color})
            case "END":
                ending = _ENDINGS.get(line["ending"], Ending.FORFEIT)
                ended = replace(
                    played,
                    winner=None if line["winner"] == "draw" else Color(line["winner"]),
                    ending=ending,
                    forfeit=line["text"] if ending is Ending.FORFEIT else None,
                )
                return replace(game, played=ended)
        moves = played.record.position.legal_moves
        move = line.fields.get("move") or (moves[0] if moves else "pass")
        try:
            return replace(game, played=replace(played, record=played.record.play(move)))
        except (IllegalMoveError, InvalidMoveError) as error:
            raise CallError(f"the server shows a move that is none: {error}") from None
