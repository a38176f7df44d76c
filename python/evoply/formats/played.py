"""A game with what a file or a match says about it: who played it, how it ended, when and where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord
from evoply.wording import short_name

UNKNOWN = "?"
"""Who played, where nothing says so."""

_WINNERS = {"1-0": Color.WHITE, "2-0": Color.WHITE, "0-1": Color.BLACK, "0-2": Color.BLACK}
_RESULTS = {Color.WHITE: "1-0", Color.BLACK: "0-1", None: "1/2-1/2"}


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A game: who played it, its moves, how it ended, and what else is known about it."""

    record: GameRecord
    black: str = UNKNOWN
    white: str = UNKNOWN
    winner: Color | None = None
    ending: Ending | None = None
    """What ended the game; None while it goes on, or where nothing says more than who won."""
    opening_plies: int = 0
    """Random plies that it began with."""
    key: int = 0
    """The key of the game, from which all draws of the players came."""
    opening_key: int = 0
    forfeit: str | None = None
    """Why the loser could not go on, if that ended the game."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """What else a file says: Event, Site, Date, Round and others as PDN calls them, two capital
    letters as GGF does. Result is there only where it is not what the game itself says."""

    @classmethod
    def of(
        cls,
        record: GameRecord,
        *,
        black: str = UNKNOWN,
        white: str = UNKNOWN,
        result: str = "",
        forfeit: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> GamePlayed:
        """Return a game that ended as its record says, or else as *result* does.

        *result* is written as in PDN: 1-0 says that White won, 0-1 that Black did, * nothing. One
        that contradicts the record is kept among the tags.
        """
        outcome = record.outcome()
        if outcome is not None:
            winner, ending = outcome.winner, record.ending()
        else:
            winner = _WINNERS.get(result)
            ending = None if winner is None else Ending.FORFEIT
        others = {tag: value for tag, value in (tags or {}).items() if tag != "Result"}
        if result not in ("", "*", "*" if ending is None else _RESULTS[winner]):
            others["Result"] = result
        reason = forfeit if outcome is None else None
        return cls(record, black, white, winner, ending, forfeit=reason, tags=others)

    @property
    def result(self) -> str:
        """The result as PDN writes it: 1-0 says that White won, * that the game goes on."""
        if "Result" in self.tags:
            return self.tags["Result"]
        return "*" if self.ending is None else _RESULTS[self.winner]

    def label(self, color: Color) -> str:
        """Return the name of a side's player."""
        return self.black if color is Color.BLACK else self.white

    def in_words(self) -> str:
        """Return how the game ended, as a sentence without a full stop."""
        if self.ending is None:
            return f"not over after {len(self.record)} plies"
        if self.winner is None:
            how = "" if self.ending is Ending.BOARD else f" by {self.ending.value}"
            return f"a draw{how}"
        won = f"{short_name(self.label(self.winner))} wins as {self.winner}"
        if self.ending is Ending.FORFEIT:
            loser = short_name(self.label(self.winner.opposite))
            return f"{won}: {loser} {f'forfeits, {self.forfeit}' if self.forfeit else 'gives up'}"
        position = self.record.position
        counts = [position.pieces(color) for color in (self.winner, self.winner.opposite)]
        return f"{won}, {counts[0]} to {counts[1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data; see `evoply.formats.saved`."""
        position = self.record.position
        data = {
            "game": position.game,
            "players": {"black": self.black, "white": self.white},
            "start": self.record.start.text(),
            "moves": list(self.record.move_texts()),
            "opening_plies": self.opening_plies,
            "key": self.key,
            "opening_key": self.opening_key,
            "result": {
                "winner": None if self.winner is None else self.winner.value,
                "ending": None if self.ending is None else self.ending.value,
                "points": {color.value: self._points(color) for color in Color},
                "pieces": {color.value: position.pieces(color) for color in Color},
                "plies": len(self.record),
                "forfeit": self.forfeit,
            },
        }
        return data | ({"tags": dict(self.tags)} if self.tags else {})

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
            winner, ending = result["winner"], result["ending"]
            tags = dict(data.get("tags", {}))
            if not all(isinstance(one, str) for pair in tags.items() for one in pair):
                raise ValueError("tags: write texts by name")
            return cls(
                black=str(players["black"]),
                white=str(players["white"]),
                record=record,
                winner=None if winner is None else Color(winner),
                ending=None if ending is None else Ending(ending),
                opening_plies=int(data["opening_plies"]),
                key=int(data["key"]),
                opening_key=int(data["opening_key"]),
                forfeit=None if result["forfeit"] is None else str(result["forfeit"]),
                tags=tags,
            )
        except KeyError as error:
            raise ValueError(f"{error.args[0]} is missing") from None
        except (TypeError, AttributeError, OverflowError):
            raise ValueError("this is not a saved game") from None


def as_played(game: GamePlayed | GameRecord) -> GamePlayed:
    """Return *game*; a bare record ended as it says, and nobody knows who played it."""
    return game if isinstance(game, GamePlayed) else GamePlayed.of(game)
