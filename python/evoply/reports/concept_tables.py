"""Which concepts a game has, with their fitted weights."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from evoply.games import GameRules, game_rules
from evoply.reports.checkers_concepts import checkers_concepts
from evoply.reports.concepts import Concept, Concepts, ReadLine, fitted
from evoply.reports.fact_concepts import fact_concepts
from evoply.reports.othello_concepts import answer_words, othello_concepts


class ConceptTable(NamedTuple):
    """The concepts of some games, which share their weights."""

    name: str
    """That of its file of weights, and `GameRules.concepts`."""
    concepts: Callable[[GameRules], Mapping[str, Concept]]
    least: float
    answer_words: Callable[[ReadLine], str] | None = None


TABLES = (
    ConceptTable("othello", othello_concepts, 0.5, answer_words),
    ConceptTable("checkers", checkers_concepts, 0.15),
    ConceptTable("facts", fact_concepts, 0.15),
)


def unweighted(game: str, bounds: tuple[int, ...] = ()) -> Concepts | None:
    """Return the concepts of *game*, with stages but without weights; None if it has none."""
    rules = game_rules(game)
    for table in TABLES:
        if table.name == rules.concepts:
            concepts = table.concepts(rules)
            return Concepts(game, concepts, table.least, bounds, None, table.answer_words)
    return None


@lru_cache(maxsize=32)
def concepts_of(game: str) -> Concepts | None:
    """Return the concepts of *game* with their weights; None if it has none."""
    plain = unweighted(game)
    if plain is None:
        return None
    data = fitted(game_rules(game).concepts)
    return replace(plain, bounds=tuple(data["bounds"]), weights=data["weights"])
