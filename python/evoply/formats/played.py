"""A game with the facts that a file or a match has about it: players, ending, date and place."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.protocols import Color, Ending, GameRecord
from evoply.wording import short_name, shorten

UNKNOWN = "?"
"""The name of an unknown player."""

_UNFINISHED = "*"
_LOST_BY_BOTH = "0-0"
# The first figure is the points of the side that moves first, which is Black in all games here.
_RESULTS = {Color.BLACK: "1-0", Color.WHITE: "0-1", None: "1/2-1/2"}
_MEANINGS = {"2-0": "1-0", "0-2": "0-1", "1-1": "1/2-1/2"}
_WORDS = {
    "1-0": "that Black won",
    "0-1": "that White won",
    "1/2-1/2": "a draw",
    _LOST_BY_BOTH: "that both sides lost",
}


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
    doubts: tuple[str, ...] = field(default=(), compare=False)
    """What a file states twice and not alike, and which statement decided, in sentences."""
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
        doubts: Iterable[str] = (),
        tags: Mapping[str, str] | None = None,
    ) -> GamePlayed:
        """Return a game with the ending of its record, or else the ending of *result*.

        *result* has PDN's form, the side that moves first at the left: 1-0 means that Black won,
        0-1 that White won, 0-0 that both lost, * nothing. One that contradicts the record becomes
        a tag and a doubt. *forfeit* is known if the loser could not go on.
        """
        outcome = record.outcome()
        stated = meaning_of(result)
        winner, ending = None, None
        if outcome is not None:
            winner, ending, forfeit = outcome.winner, record.ending(), None
            if stated not in (None, _RESULTS[winner]):
                decided = _WORDS[_RESULTS[winner]]
                what = f"the result {result} says {_WORDS[stated]}, and the board {decided}"
                doubts = (*doubts, f"{what}: the board decides")
        elif stated is not None:
            winner = next((side for side, text in _RESULTS.items() if text == stated), None)
            ending = Ending.STATED if forfeit is None else Ending.FORFEIT
        own = _UNFINISHED if ending is None else _RESULTS[winner]
        others = {tag: value for tag, value in (tags or {}).items() if tag != "Result"}
        if result not in ("", _UNFINISHED, own):
            others["Result"] = result
        return cls(
            record,
            black,
            white,
            winner,
            ending,
            forfeit=forfeit,
            doubts=tuple(doubts),
            tags=others,
        )

    @property
    def result(self) -> str:
        """The result in PDN's form: 1-0 means that Black won, * that nothing is known."""
        if "Result" in self.tags:
            return self.tags["Result"]
        return _UNFINISHED if self.ending is None else _RESULTS[self.winner]

    @property
    def is_lost_by_both(self) -> bool:
        """Whether a file states that neither side has any points."""
        return self.ending is Ending.STATED and self.result == _LOST_BY_BOTH

    def at(self, place: str) -> GamePlayed:
        """Return the game with its *place* before each doubt."""
        if not self.doubts:
            return self
        return replace(self, doubts=tuple(f"{place}: {doubt}" for doubt in self.doubts))

    def label(self, color: Color) -> str:
        """Return the name of the player of a side."""
        return self.black if color is Color.BLACK else self.white

    def in_words(self) -> str:
        """Return the ending of the game in words, without a full stop."""
        if self.ending is None:
            count = len(self.record)
            return f"not over after {count} {'ply' if count == 1 else 'plies'}"
        stated = ", as the file states" * (self.ending is Ending.STATED)
        if self.is_lost_by_both:
            return f"lost by both sides{stated}"
        if self.winner is None:
            is_by_rule = self.ending not in (Ending.BOARD, Ending.STATED)
            return f"a draw{stated}{f' by {self.ending.value}' if is_by_rule else ''}"
        won = f"{short_name(self.label(self.winner))} wins as {self.winner}{stated}"
        if self.ending is Ending.FORFEIT:
            loser = short_name(self.label(self.winner.opposite))
            return f"{won}: {loser} {f'forfeits, {self.forfeit}' if self.forfeit else 'gives up'}"
        if stated:
            return won
        position = self.record.position
        counts = [position.pieces(color) for color in (self.winner, self.winner.opposite)]
        return f"{won}, {counts[0]} to {counts[1]}"

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-ready data; see `evoply.formats.saved`."""
        data = {
            "game": self.record.position.game,
            "players": {"black": self.black, "white": self.white},
            "start": self.record.start.text(),
            "moves": list(self.record.move_texts()),
            "opening_plies": self.opening_plies,
            "key": self.key,
            "opening_key": self.opening_key,
            "result": self._result(),
        }
        return data | ({"tags": dict(self.tags)} if self.tags else {})

    def _result(self) -> dict[str, Any]:
        position = self.record.position
        return {
            "winner": None if self.winner is None else self.winner.value,
            "ending": None if self.ending is None else self.ending.value,
            "points": {color.value: self._points(color) for color in Color},
            "pieces": {color.value: position.pieces(color) for color in Color},
            "plies": len(self.record),
            "forfeit": self.forfeit,
        }

    def _points(self, color: Color) -> float | None:
        """Return the points of a side; None for a game whose result is not known."""
        if self.ending is None:
            return None
        if self.winner is None:
            return 0.0 if self.is_lost_by_both else 0.5
        return float(self.winner is color)

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
            game = cls(
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
            return game._as_played(result)
        except KeyError as error:
            raise ValueError(f"{error.args[0]} is missing") from None
        except (TypeError, AttributeError, OverflowError):
            raise ValueError("this is not a saved game") from None

    def _as_played(self, stated: Mapping[str, Any]) -> GamePlayed:
        """Return the game with the ending of its board and doubts, if *stated* has another one."""
        outcome, game = self.record.outcome(), self
        if outcome is not None and self.ending is not Ending.FORFEIT:
            game = replace(self, winner=outcome.winner, ending=Ending.BOARD)
        elif self.ending is Ending.BOARD or (self.ending is None and self.winner is not None):
            game = replace(self, ending=Ending.STATED)
        own = game._result()
        doubts = [
            f"{name} says {shorten(json.dumps(stated[name]))}, and the moves and the ending "
            f"{json.dumps(own[name])}: they decide"
            for name in own
            if name in stated and stated[name] != own[name]
        ]
        return replace(game, doubts=tuple(doubts))


def meaning_of(result: str) -> str | None:
    """Return one of 1-0, 0-1, 1/2-1/2 and 0-0 for a *result* in PDN's form, None for any other.

    >>> meaning_of("2-0"), meaning_of("0-0"), meaning_of("*"), meaning_of("unclear")
    ('1-0', '0-0', None, None)
    """
    meaning = _MEANINGS.get(result, result)
    return meaning if meaning in _WORDS else None


def as_played(game: GamePlayed | GameRecord) -> GamePlayed:
    """Return *game*; a bare record becomes a game of unknown players."""
    return game if isinstance(game, GamePlayed) else GamePlayed.of(game)
