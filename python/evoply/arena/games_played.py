"""Games of a match one by one, and their saved form: JSON, a line a game.

`{"game", "players": {"black", "white"}, "start", "moves", "opening_plies", "key", "opening_key",
"result": {"winner", "ending", "points": {"black", "white"}, "pieces": {"black", "white"}, "plies",
"forfeit"}}`. *start* is the text of the start position and *moves* are the moves as text, openings
and passes included; *winner* is black, white or null; from *key* and *opening_key* everything
random in the game came; *forfeit* says why the loser could not go on, or is null.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from evoply.arena.schedule import Results, Schedule
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord
from evoply.wording import short_name

LONGEST_LINE = 1_000_000
_WINNERS = {1: Color.BLACK, -1: Color.WHITE, 0: None}


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A finished game: who played it, its moves, and how it ended."""

    black: str
    white: str
    record: GameRecord
    winner: Color | None
    ending: Ending
    opening_plies: int
    key: int
    """The key of the game, from which all draws of the players came."""
    opening_key: int
    forfeit: str | None = None
    """Why the loser could not go on, if that ended the game."""

    def label(self, color: Color) -> str:
        """Return the name of a side's player."""
        return self.black if color is Color.BLACK else self.white

    def in_words(self) -> str:
        """Return how the game ended, as a sentence without a full stop."""
        if self.winner is None:
            how = "" if self.ending is Ending.BOARD else f" by {self.ending.value}"
            return f"a draw{how}"
        won = f"{short_name(self.label(self.winner))} wins as {self.winner}"
        if self.forfeit is not None:
            return f"{won}: {short_name(self.label(self.winner.opposite))} forfeits, {self.forfeit}"
        position = self.record.position
        counts = [position.pieces(color) for color in (self.winner, self.winner.opposite)]
        return f"{won}, {counts[0]} to {counts[1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; see the module."""
        position = self.record.position
        return {
            "game": position.game,
            "players": {"black": self.black, "white": self.white},
            "start": self.record.start.text(),
            "moves": list(self.record.move_texts()),
            "opening_plies": self.opening_plies,
            "key": self.key,
            "opening_key": self.opening_key,
            "result": {
                "winner": None if self.winner is None else self.winner.value,
                "ending": self.ending.value,
                "points": {color.value: self._points(color) for color in Color},
                "pieces": {color.value: position.pieces(color) for color in Color},
                "plies": len(self.record),
                "forfeit": self.forfeit,
            },
        }

    def _points(self, color: Color) -> float:
        return 0.5 if self.winner is None else float(self.winner is color)

    @classmethod
    def from_dict(cls, data: Any) -> GamePlayed:
        """Return the game that `to_dict` wrote; ValueError says what is wrong with *data*."""
        try:
            rules = game_rules(str(data["game"]))
            result, players = data["result"], data["players"]
            # What ended the game is written down: no rule is to end it earlier.
            record = rules.game(rules.parse(str(data["start"])), (), NO_DRAWS)
            for move in data["moves"]:
                record = record.play(str(move))
            winner = result["winner"]
            return cls(
                black=str(players["black"]),
                white=str(players["white"]),
                record=record,
                winner=None if winner is None else Color(winner),
                ending=Ending(result["ending"]),
                opening_plies=int(data["opening_plies"]),
                key=int(data["key"]),
                opening_key=int(data["opening_key"]),
                forfeit=None if result["forfeit"] is None else str(result["forfeit"]),
            )
        except KeyError as error:
            raise ValueError(f"{error.args[0]} is missing") from None
        except TypeError:
            raise ValueError("this is not a saved game") from None


def games_played(
    game: str, labels: Sequence[str], schedule: Schedule, results: Results
) -> Iterator[GamePlayed]:
    """Yield the games of a schedule whose moves were recorded."""
    rules = game_rules(game)
    reasons = {one.game: one.reason for one in results.forfeits}
    for place, codes in enumerate(results.moves or ()):
        yield GamePlayed(
            black=labels[int(schedule.black[place])],
            white=labels[int(schedule.white[place])],
            record=rules.game(rules.position_from_row(schedule.start_row(place)), codes, NO_DRAWS),
            winner=_WINNERS[int(results.winners[place])],
            ending=list(Ending)[int(results.endings[place])],
            opening_plies=schedule.opening_plies,
            key=int(schedule.game_keys[place]),
            opening_key=int(schedule.opening_keys[place]),
            forfeit=reasons.get(place),
        )


def read_games(lines: Iterable[str]) -> Iterator[GamePlayed]:
    """Yield the games of saved lines; ValueError names the line that cannot be read."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            if len(line) > LONGEST_LINE:
                raise ValueError("is too long for a game")
            yield GamePlayed.from_dict(json.loads(line))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number}: {error}") from None
