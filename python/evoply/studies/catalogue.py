"""The studies there are: one literal table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from evoply.studies.bellin import BELLIN
from evoply.studies.benbassat import BENBASSAT
from evoply.studies.frankland import FRANKLAND
from evoply.studies.liao import LIAO
from evoply.studies.study import SCALES, Request, Result, Study, checked_rules
from evoply.wording import did_you_mean

STUDIES: Mapping[str, Study] = MappingProxyType(
    {"liao": LIAO, "frankland": FRANKLAND, "bellin": BELLIN, "benbassat": BENBASSAT}
)


def find_study(name: str) -> Study:
    """Return the study called *name*; `ValueError` lists the names there are."""
    if name not in STUDIES:
        hint = did_you_mean(name, STUDIES) or "."
        raise ValueError(f"no study is called {name!r}{hint} There are {', '.join(STUDIES)}")
    return STUDIES[name]


def reproduce(study: str, table: str, request: Request = Request()) -> Result:  # noqa: B008
    """Run a table or experiment of a study; the same request gives the same result.

    Raises `ValueError` for a study, table, scale or rules that there are not.

    >>> result = reproduce("liao", "1")
    >>> result.rows[1].name, result.rows[1].paper, result.rows[1].verdict
    ('( white_corners )', 1.0, 'differs')
    """
    experiment = find_study(study).experiment(table)
    if request.scale not in SCALES:
        raise ValueError(f"scale: {request.scale!r} is not one of {', '.join(SCALES)}")
    if (request.opponent or request.games) and not experiment.takes_opponent:
        raise ValueError(f"table {table} of {study} has opponents and games of its own")
    if request.games % 2 or request.games < 0:
        raise ValueError(f"games: {request.games} is not even: every opening is played twice")
    return experiment.run(replace(request, rules=checked_rules(experiment, request.rules)))
