"""How each game is played, in words for people: the texts of the page and of docs/rules.md."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("how_to_play.toml")


@dataclass(frozen=True, slots=True)
class RulesInWords:
    """The rules of a game in a minute of reading, with three tips."""

    games: tuple[str, ...]
    """The games that share the text: they differ in the size of the board."""
    aim: str
    moves: str
    end: str
    tips: tuple[str, ...]
    """Three; the first sentence of each says it in short."""


def rules_in_words(game: str) -> RulesInWords:
    """Return how *game* is played; `ValueError` if nobody has written it down.

    >>> rules_in_words("hex-9").tips[0].partition(".")[0]
    'Use bridges'
    """
    texts = written_rules()
    if game not in texts:
        raise ValueError(
            f"there is no text about {game[:60]!r}: `evoply game NAME` shows its board and moves"
        )
    return texts[game]


@cache
def written_rules() -> Mapping[str, RulesInWords]:
    """Return all texts by the game, in the order of the file."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    texts = (
        RulesInWords(
            tuple(text["games"]),
            text["aim"],
            text["moves"].strip(),
            text["end"].strip(),
            tuple(text["tips"]),
        )
        for text in data["text"]
    )
    return {game: text for text in texts for game in text.games}
