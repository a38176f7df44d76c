"""Which concepts a game has, with their fitted weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple

from evoply.games import game_rules
from evoply.games.data import DataGameRules
from evoply.reports.checkers_concepts import checkers_concepts
from evoply.reports.concepts import Concept, Concepts, Line, fitted
from evoply.reports.fact_concepts import fact_concepts
from evoply.reports.othello_concepts import OTHELLO, answer_words


class _Table(NamedTuple):
    """The concepts of some games, which share their weights."""

    games: tuple[str, ...]
    """Empty: games whose rules are data."""
    concepts: Callable[[str], Mapping[str, Concept]]
    """Of the name of a game."""
    least: float
    answer_words: Callable[[Line], str] | None = None


TABLES: Mapping[str, _Table] = MappingProxyType(
    {
        "othello": _Table(
            ("othello", "othello-6", "othello-10"), lambda _: OTHELLO, 0.5, answer_words
        ),
        "checkers": _Table(
            ("checkers", "checkers-10"),
            lambda game: checkers_concepts(game_rules(game).shape),
            0.15,
        ),
        "facts": _Table((), fact_concepts, 0.15),
    }
)
"""The tables, by the names of their files of weights."""


def unweighted(name: str, game: str, bounds: tuple[int, ...] = ()) -> Concepts:
    """Return the concepts of the table *name* for *game*, with stages but without weights."""
    table = TABLES[name]
    return Concepts(game, table.concepts(game), table.least, bounds, None, table.answer_words)


@lru_cache(maxsize=32)
def concepts_of(game: str) -> Concepts | None:
    """Return the concepts of *game* with their weights; None if it has none."""
    is_data = isinstance(game_rules(game), DataGameRules)
    name = "facts" if is_data else _name_of(game)
    data = None if name is None else fitted(name)
    if name is None or data is None:
        return None
    return replace(unweighted(name, game, tuple(data["bounds"])), weights=data["weights"])


def _name_of(game: str) -> str | None:
    return next((name for name, table in TABLES.items() if game in table.games), None)
