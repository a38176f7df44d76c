"""A league as one HTML page that opens without a network, as a notebook's summary, and as JSON.

The page is made from results alone, finished or not: what is missing is said, and nothing is shown
in its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from evoply.experiments.design import Condition, Entrant
from evoply.games import game_rules
from evoply.leagues.champions import LeagueChampion, champions_of, player_text
from evoply.leagues.encounters import Encounter
from evoply.leagues.league_data import LeagueResults, MadePlayer
from evoply.leagues.standings import LeagueStanding, LeagueStandings
from evoply.look import table_html
from evoply.reports.charts import Chart, interval_chart
from evoply.reports.pages import page
from evoply.reports.series import Series
from evoply.wording import short_name, signed, span

Standings = Mapping[Condition, LeagueStandings]

_TITLES: Mapping[Condition, str] = {"time": "At equal time", "depth": "At equal depth"}
_GREY = 7
"""The place of the colour of lines of reference."""
_STRONGEST_TINT = 55
"""Percent of colour behind a score of 0 or 1: text on it stays readable in light and dark."""
_ROW = 26
"""Pixels of a row of the chart of ratings."""
_LARGE = 60
"""A tree of more nodes is folded away: it would push all else off the page."""


class _Cell(NamedTuple):
    """A score of the row against the column, with what its colour and its tip say."""

    text: str
    tint: int
    """Percent of colour."""
    side: str
    """Its class: above or below an even score."""
    tip: str


def league_html(
    results: LeagueResults, standings: Standings, *, state: str = "", goes_on: bool = False
) -> str:
    """Return the page about a league as text.

    *standings* are those of its conditions. *state* and *goes_on* are those of `reports.page`; of
    an unfinished league the state is by default what is missing.
    """
    champions = champions_of(results, standings)
    return page(
        "league.html",
        title=f"League {results.name}: {game_rules(results.game).title}",
        state=state or _missing(results),
        goes_on=goes_on,
        facts=_facts(results),
        conditions=[_condition(results, found) for found in _ordered(standings)],
        methods=_method_rows(results, champions),
        champions=champions,
        large=_LARGE,
        players=_player_rows(results),
        about=_about(results),
    )


def league_summary(results: LeagueResults, standings: Standings) -> str:
    """Return ratings and their chart, condition by condition, as a notebook shows them."""
    missing = _missing(results)
    parts = []
    for found in _ordered(standings):
        texts = [f"{missing}."] if missing else []
        parts.append(
            table_html(
                f"League {results.name}, {_title(found)}",
                [_rating_cells(row, found.why_no_interval) for row in _playing(found)],
                [name for name, _ in _RATING_COLUMNS],
                [*texts, *found.notes],
            )
        )
        if found.seeds:
            parts.append(_chart(found)._repr_html_())
    return "".join(parts)


def standings_data(results: LeagueResults, standings: Standings) -> dict[str, Any]:
    """Return a league as JSON-ready data: what was made, and the standings of each condition."""
    return {
        "name": results.name,
        "game": results.game,
        "budget": results.budget,
        "seeds": [*results.seeds],
        "games_a_pair": results.games_a_pair,
        "conditions": dict(results.conditions),
        "finished": not _missing(results),
        "entrants": [
            {
                "name": entrant.name,
                "title": entrant.title,
                "source": entrant.source,
                "is_ranked": entrant.is_ranked,
                "counted": entrant.counted,
                "budget": entrant.budget,
            }
            for entrant in results.entrants
        ],
        "players": [
            {
                "entrant": made.entrant,
                "seed": made.seed,
                "player": player_text(made, results.game),
                "run": made.run,
                "step": made.step,
                "games": made.games,
                "work": made.work,
                "seconds": made.seconds,
                "measure": made.measure,
                "digest": made.digest,
            }
            for made in results.made
        ],
        "standings": {found.condition: found.to_dict() for found in _ordered(standings)},
        "facts": dict(results.facts),
    }


def _ordered(standings: Standings) -> list[LeagueStandings]:
    """Return the standings of all conditions, equal time first."""
    return [standings[condition] for condition in _TITLES if condition in standings]


def _title(found: LeagueStandings) -> str:
    return f"{_TITLES[found.condition]}: {found.words}"


def _missing(results: LeagueResults) -> str:
    """Return what an unfinished league lacks, as a sentence without its full stop; "" if none."""
    made, played = len(results.made), len(results.pairings)
    if made >= results.wanted_players and played >= results.wanted_pairings:
        return ""
    return (
        f"Unfinished: {made:,} of {results.wanted_players:,} players are made, and "
        f"{played:,} of {results.wanted_pairings:,} pairings of them are played"
    )


def _facts(results: LeagueResults) -> dict[str, str]:
    games = sum(len(pairing.points) for pairing in results.pairings)
    seconds = sum(made.seconds for made in results.made)
    ranked = sum(entrant.is_ranked for entrant in results.entrants)
    return {
        "methods": f"{ranked:,}",
        "lines of reference": f"{len(results.entrants) - ranked:,}",
        "seeds": ", ".join(map(str, results.seeds)),
        "budget a method and seed": results.budget,
        "games a pair and seed": f"{results.games_a_pair:,}",
        "games played": f"{games:,}",
        "conditions": "; ".join(results.conditions.values()),
        "cost of all players": _time(seconds),
        "reproducible": "all but the games at equal time"
        if "time" in results.conditions
        else "yes",
    }


def _about(results: LeagueResults) -> list[tuple[str, str]]:
    players, pairings = len(results.made), len(results.pairings)
    return [
        ("folder", str(results.path)),
        ("players", f"{players:,} of {results.wanted_players:,}"),
        ("pairings", f"{pairings:,} of {results.wanted_pairings:,}"),
        *((name, value) for name, value in results.facts.items() if value),
    ]


_RATING_COLUMNS = (
    ("rank", ""), ("method", "code"), ("what it is", ""), ("rating", "strong"),
    ("95 % interval", "whole"), ("ahead of the next method", ""), ("points a game", ""),
    ("games", ""),
)  # fmt: skip


def _condition(results: LeagueResults, found: LeagueStandings) -> dict[str, Any]:
    """Return what the page shows of a condition."""
    methods = [row for row in found.methods if row.nash_share is not None]
    rows = _playing(found)
    return {
        "title": _title(found),
        "condition": found.condition,
        "zero": found.zero,
        "notes": found.notes,
        "seeds": len(found.seeds),
        "columns": _RATING_COLUMNS,
        "rows": [_rating_cells(row, found.why_no_interval) for row in rows],
        "chart": _chart(found) if found.seeds else None,
        "nash": [
            (
                row.entrant,
                f"{row.nash_share:.1%}",
                signed(row.nash_average or 0.0).replace("+0", "0"),
            )
            for row in sorted(methods, key=lambda row: -(row.nash_average or 0.0))
        ],
        "names": [row.entrant for row in rows],
        "cells": [_cells(row, rows, found) for row in rows],
        "scores": [_score_cells(met, found.why_no_interval) for met in found.encounters],
    }


def _playing(found: LeagueStandings) -> list[LeagueStanding]:
    """Return the rows of those who played under a condition; all before the first game."""
    return [row for row in found.standings if row.games] or [*found.standings]


def _rating_cells(row: LeagueStanding, unsure: str) -> tuple[str, ...]:
    ahead = "" if row.lead is None else f"{signed(row.lead)} ({span(row.lead_interval, 'unsure')})"
    return (
        "" if row.rank is None else str(row.rank),
        row.entrant,
        _what(row.title, is_ranked=row.is_ranked),
        "none" if row.rating is None else signed(row.rating),
        "" if row.rating is None else span(row.interval, unsure),
        ahead,
        "" if row.score is None else f"{row.score:.1%}",
        f"{row.games:,}",
    )


def _what(title: str, *, is_ranked: bool) -> str:
    """Return what an entrant is; of a line of reference it is said that it is one."""
    says_so = is_ranked or "line of reference" in title
    return title if says_so else f"line of reference: {title}"


def _chart(found: LeagueStandings) -> Chart:
    """Return the ratings with their intervals, lines of reference apart by colour and shape."""
    rows = [row for row in found.standings if row.rating is not None]

    def series(name: str, *, is_ranked: bool, **look: Any) -> Series:
        shown = [row.is_ranked is is_ranked for row in rows]
        return Series(
            name,
            [row.rating if show else None for row, show in zip(rows, shown, strict=True)],
            [row.interval if show else None for row, show in zip(rows, shown, strict=True)],
            **look,
        )

    all_series = [
        series("methods", is_ranked=True),
        series("lines of reference", is_ranked=False, color=_GREY, symbol="diamond"),
    ]
    used = [line for line in all_series if any(value is not None for value in line.values)]
    chart = interval_chart(
        f"Ratings, {_TITLES[found.condition].lower()}",
        [row.entrant for row in rows],
        used,
        f"rating (Elo; 0 is {found.zero})",
        note="with 95 % intervals",
        reference=0.0,
    )
    return _in_single_rows(chart)


def _in_single_rows(chart: Chart) -> Chart:
    """Return *chart* with all series on the lines of its rows: no row has values of two."""
    specification = dict(chart.specification)
    specification["layer"] = [
        {**layer, "encoding": {k: v for k, v in layer["encoding"].items() if k != "yOffset"}}
        for layer in specification["layer"]
    ]
    specification["height"] = {"step": _ROW}
    return replace(chart, specification=specification)


def _cells(
    row: LeagueStanding, rows: Sequence[LeagueStanding], found: LeagueStandings
) -> list[_Cell | None]:
    """Return the scores of a row of the crosstable; None where two have not met."""
    mets = [found.of(row.entrant, other.entrant) for other in rows]
    return [None if met is None else _cell(met, found.why_no_interval) for met in mets]


def _cell(met: Encounter, unsure: str) -> _Cell:
    tint = round(2 * abs(met.score - 0.5) * _STRONGEST_TINT)
    side = "above" if met.score > 0.5 else "below"
    _, _, score, interval, games = _score_cells(met, unsure)
    tip = f"{met.first} against {met.second}: {score} in {games} games, 95 % interval: {interval}"
    return _Cell(f"{100 * met.score:.0f}", tint, side, tip)


def _score_cells(met: Encounter, unsure: str) -> tuple[str, ...]:
    interval = unsure if met.interval is None else "{:.1%} to {:.1%}".format(*met.interval)
    return met.first, met.second, f"{met.score:.1%}", interval, f"{met.games:,}"


def _method_rows(
    results: LeagueResults, champions: Sequence[LeagueChampion]
) -> list[tuple[str, ...]]:
    """Return what each method is, what its players cost on average, and how large its champion is.

    Lines of reference come last; nothing was made for them.
    """
    drawn = {champion.entrant.name: champion.portrait for champion in champions}
    ranked = [champion.entrant for champion in champions]
    others = [entrant for entrant in results.entrants if entrant not in ranked]
    rows: list[tuple[str, ...]] = []
    for entrant in [*ranked, *others]:
        own = [made for made in results.made if made.entrant == entrant.name]
        found = drawn.get(entrant.name)
        rows.append(
            (
                entrant.name,
                _what(entrant.title, is_ranked=entrant.is_ranked),
                entrant.source,
                _budget(entrant),
                _mean(own, "seconds"),
                _mean(own, "games"),
                "" if found is None else found.size,
                "" if found is None or not found.terms else f"{found.terms:,}",
                "" if found is None else found.needs,
            )
        )
    return rows


def _budget(entrant: Entrant) -> str:
    """Return what each player may use; a unit that has no words of its own stands as it is."""
    unit = {"work": "units of work"}.get(entrant.counted, entrant.counted)
    return f"{_amount(entrant.budget)} {unit}" if unit else "none"


def _time(seconds: float) -> str:
    """Return the time of one core in words."""
    amount = f"{seconds:,.0f} seconds" if seconds < 300 else f"{seconds / 60:,.0f} minutes"
    return f"{amount} of one core"


def _mean(made: Sequence[MadePlayer], name: str) -> str:
    """Return the mean of what the players of a method used; "" if they were not made."""
    values = [float(getattr(player, name)) for player in made]
    return _amount(sum(values) / len(values)) if any(values) else ""


def _amount(value: float) -> str:
    """Return a large number as people read it.

    >>> _amount(1.5e9), _amount(20_000), _amount(2.25)
    ('1,500 million', '20,000', '2.2')
    """
    if value >= 1e7:
        return f"{value / 1e6:,.0f} million"
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}" if value >= 1e3 else f"{value:.2g}"


def _player_rows(results: LeagueResults) -> list[tuple[str, ...]]:
    return [
        (
            made.entrant,
            str(made.seed),
            short_name(made.player.label),
            "" if made.measure is None else f"{made.measure:.4g}",
            f"{made.step:,}" if made.run else "",
            f"{made.games:,.0f}" if made.games else "",
            f"{made.work:,.0f}" if made.work else "",
            f"{made.seconds:,.1f}" if made.seconds else "",
            made.digest[:16],
        )
        for made in results.made
    ]
