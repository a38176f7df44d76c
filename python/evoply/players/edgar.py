"""A player with a weight for every square at every move number: the shape of Edgar.

Edgar, by Astro Teller, was the fixed opponent that came with the course of Liao and of Bellin &
Gasperin ("Genetic Programming and Othello", section 3): a table over move number and square, made
from 70,000 games. Its numbers are lost. The table here has the same shape and was learned anew by
`evoply.studies.edgar`; it is not the original, and nothing says that it plays like it.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from evoply.expressions import Number, board, weighted_sum

__all__ = ["EDGAR_FILE", "edgar_expression", "edgar_table"]

EDGAR_FILE = "edgar.json"


@cache
def edgar_table() -> tuple[tuple[float, ...], ...]:
    """Return the weights: 60 tables, one a ply of the choosing position, of 64 squares from a1."""
    text = (files("evoply.players") / EDGAR_FILE).read_text(encoding="utf-8")
    return tuple(tuple(row) for row in json.loads(text)["tables"])


def edgar_expression(tables: Sequence[Sequence[float]]) -> Number:
    """Return the weights of own discs minus those of the opponent's, by the ply of the choice.

    From the 60th ply on, which passes make possible, the last table stays.
    """
    own = weighted_sum(board.own, tables, board.root_ply)
    return own - weighted_sum(board.opponent, tables, board.root_ply)
