"""Facts of rules that are no expressions: words, numbers and names, checked."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from evoply.expressions.operations import short
from evoply.games import NAME
from evoply.games.data import SYMMETRIES
from evoply.rules.moves import RulesError
from evoply.wording import did_you_mean

__all__ = ["check_facts"]

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "no_move": ("loses", "wins", "draws", "passes"),
        "both_pass": ("most", "fewest", "draw"),
        "symmetries": tuple(SYMMETRIES),
        "colors": ("", "same", "turned", "transposed"),
        "drawn": ("squares", "crossings", "hexes"),
    }
)
_TEXTS = {"title": 60, "piece": 60, "adviser": 60, "about": 500}
_LEAST = {"opening_plies": 1, "max_plies": 1, "repetitions": 2}
_MOST_LINES = 10
_MOST_PLIES = 10_000


def check_facts(rules: Any) -> None:
    """Raise `RulesError` for the first fact of *rules* that is wrong."""
    name = rules.name
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise RulesError(
            f"name - {short(name)} is no name of a game - write up to 40 lowercase letters,"
            " digits and hyphens, a letter first"
        )
    for fact, most in _TEXTS.items():
        text = getattr(rules, fact)
        if not isinstance(text, str) or len(text) > most or not text.isprintable():
            raise RulesError(f"{fact} - {short(text)} - write up to {most} printable characters")
    for fact in ("rows", "columns"):
        lines = getattr(rules, fact)
        if type(lines) is not int or not 1 <= lines <= _MOST_LINES:
            raise RulesError(f"{fact} - {short(lines)} - write a whole number from 1 to 10")
    _check_words(rules)
    for fact, least in _LEAST.items():
        count = getattr(rules, fact)
        if count is None and fact != "opening_plies":
            continue
        if type(count) is not int or not least <= count <= _MOST_PLIES:
            raise RulesError(
                f"{fact} - {short(count)} - write a whole number from {least} to {_MOST_PLIES}"
            )
    _check_symbols(rules.symbols)


def _check_words(rules: Any) -> None:
    for fact, choices in _WORDS.items():
        word = getattr(rules, fact)
        if word not in choices:
            known = [choice for choice in choices if choice]
            hint = did_you_mean(str(word), known)
            raise RulesError(f"{fact} - {short(word)}{hint} - write one of {', '.join(known)}")
    exchanges = rules.symmetries == "all" or rules.colors == "transposed"
    if exchanges and rules.rows != rules.columns:
        raise RulesError(
            f"symmetries - a board of {rules.rows}x{rules.columns} cannot exchange rows and"
            " columns - declare rectangle, mirror, turn or none"
        )


def _check_symbols(symbols: Any) -> None:
    is_pair = isinstance(symbols, tuple | list) and len(symbols) == 2
    if is_pair and all(isinstance(pair, str) and len(pair) == 2 for pair in symbols):
        letters = symbols[0]
        if letters.isascii() and letters.isalpha() and len({*letters.upper()}) == 2:
            return
    raise RulesError(
        f"symbols - {short(symbols)} - write two letters, and two symbols, Black's first, such as"
        " ('XO', '●○')"
    )
