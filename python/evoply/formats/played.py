"""A game with the facts that a file or a match has about it: players, ending, date and place."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord
from evoply.wording import short_name

UNKNOWN = "?"
"""The name of an unknown player."""

_WINNERS = {"1-0": Color.WHITE, "2-0": Color.WHITE, "0-1": Color.BLACK, "0-2": Color.BLACK}
_RESULTS = {Color.WHITE: "1-0", Color.BLACK: "0-1", None: "1/2-1/2"}


@dataclass(frozen=True, slots=True)
class GamePlayed:
    """A game with its players, moves, ending, and all that else is known about it."""

    record: GameRecord
    black: str = UNKNOWN
    white: str = UNKNOWN
    winner: Color | None = None
    ending: Ending | None = None
    """The reason for the end; None while the game goes on, or if only the winner is known."""
    opening_plies: int = 0
    """The number of random plies at the beginning."""
    key: int = 0
    """The key of the game, the source of all random draws of the players."""
    opening_key: int = 0
    forfeit: str | None = None
    """The reason why the loser could not go on, if that ended the game."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Further facts from a file: Event, Site, Date, Round and others under PDN's names, two capital
    letters under GGF's. Result is present only if it differs from that of the game itself."""

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
        """Return a game with the ending of its record, or else the ending of *result*.

        *result* has PDN's form: 1-0 means that White won, 0-1 that Black won, * nothing. A result
        that contradicts the record becomes a tag.
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
        """The result in PDN's form: 1-0 means that White won, * that the game goes on."""
        if "Result" in self.tags:
            return self.tags["Result"]
        return "*" if self.ending is None else _RESULTS[self.winner]

    def label(self, color: Color) -> str:
        """Return the name of the player of a side."""
        return self.black if color is Color.BLACK else self.white

    def in_words(self) -> str:
        """Return the ending of the game in words, without a full stop."""
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
        """Return all fields as JSON-ready data; see `evoply.formats.saved`."""
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
            # The data says what ended the game, so no draw rule may end it earlier.
            record = rules.game(rules.parse(str(data["start"])), (), NO_DRAWS)
            for move in data["moves"]:
                record = record.play(str(move))
            winner, ending = result["winner"], result["ending"]
            tags = dict(data.get("tags", {}))
            if not all(isinstance(text, str) for pair in tags.items() for text in pair):
                raise ValueError("tags must be a table of names and texts")
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
    """Return *game*; a bare record becomes a game of unknown players."""
    return game if isinstance(game, GamePlayed) else GamePlayed.of(game)
