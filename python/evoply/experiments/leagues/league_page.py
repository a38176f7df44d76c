"""What is shown of a league: on a page that opens without a network, in notebooks and terminals.

It is made from results alone, finished or not: what is missing is said, and nothing is shown in its
place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import itemgetter
from statistics import fmean
from typing import Any

from evoply.arena.statistics import listed_in_words
from evoply.experiments.design import Condition, Entrant
from evoply.experiments.leagues.encounters import Encounter, LeagueResults, MadePlayer
from evoply.experiments.leagues.portraits import LeagueChampion, champions_of
from evoply.experiments.leagues.standings import LeagueStanding, LeagueStandings
from evoply.games import game_rules
from evoply.protocols.sections import (
    FACTS,
    Column,
    Page,
    Section,
    Tinted,
    between,
    cells_of,
    counted,
    share,
    shares,
)
from evoply.reports.charts import Chart, Series, interval_chart
from evoply.wording import short_name, signed, span

_TITLES: Mapping[Condition, str] = {"time": "At equal time", "depth": "At equal depth"}
_GREY = 7
"""The place of the colour of lines of reference."""
_STRONGEST_TINT = 55
"""Percent of colour behind a score of 0 or 1: text on it stays readable in light and dark."""
_ROW = 26
"""Pixels of a row of the chart of ratings."""
_LARGE = 60
"""A tree of more nodes is folded away: it would push all else off the page."""
_LONGEST = 40


def page_of(results: LeagueResults, standings: Mapping[Condition, LeagueStandings]) -> Page:
    """Return what is shown of a league; *standings* are those of its conditions."""
    champions = champions_of(results, standings)
    ordered = [standings[condition] for condition in _TITLES if condition in standings]
    ratings = [ratings_of(found) for found in ordered]
    return Page(
        f"League {results.name}: {game_rules(results.game).title}",
        [
            *([Section("", sentences=[" ".join(results.marks)])] if results.marks else []),
            *(
                replace(
                    rated,
                    note="" if place else _RATINGS_NOTE.format(found.zero, _over_seeds(found)),
                    parts=[
                        _readable(found),
                        _nash(found, is_first=not place),
                        _all_against_all(found),
                    ],
                )
                for place, (found, rated) in enumerate(zip(ordered, ratings, strict=True))
            ),
            _methods(results, champions),
            _costs(results),
            Section("Champions", parts=[*map(_champion, champions)]),
            Section(
                "What was played",
                FACTS,
                _about(results),
                look="plain",
                parts=[
                    Section(
                        "",
                        _PLAYERS,
                        results.made,
                        "Two players with equal digests were made by the same steps.",
                        folded="Every player",
                        look="numbers",
                    )
                ],
            ),
        ],
        _facts(results),
        note=_NOTE,
        summary=[
            Section(
                "",
                sentences=[
                    *([f"{results.missing}."] if results.missing else []),
                    *results.marks,
                ],
            ),
            *ratings,
        ],
    )


def ratings_of(found: LeagueStandings) -> Section:
    """Return the ratings under a condition, with what must be known to read them."""
    few = [] if found.seeds else ["There are no ratings yet: too few games are played."]
    return Section(
        _title(found),
        (
            Column("rank", "rank", str, missing=""),
            Column("entrant", "method", str, look="code"),
            Column("", "what it is", str, read=_what, is_listed=False),
            Column("", "rating", _rating, read=_rated, look="strong", missing="none"),
            Column(
                "interval",
                "95 % interval",
                between(signed),
                look="whole",
                missing=found.why_no_interval,
            ),
            Column("terms", "terms", "{:,g}".format, missing=""),
            Column("lead", "ahead of the next method", str, read=_ahead, is_listed=False),
            Column("score", "score", share, missing=""),
            Column("games", "games", counted),
        ),
        _playing(found),
        sentences=[*few, *found.notes],
        charts=[_chart(found)] if found.seeds else (),
        look="named",
        longest=_LONGEST,
    )


def _rated(row: LeagueStanding) -> LeagueStanding | None:
    return None if row.rating is None else row


def _rating(row: LeagueStanding) -> str:
    return f"{row.rating_is} {signed(row.rating or 0.0)}".strip()


def _nash_average(row: LeagueStanding) -> str:
    return f"{row.nash_is} {_at_most_0(row.nash_average or 0.0)}".strip()


def _at_most_0(value: float) -> str:
    return signed(value).replace("+0", "0")


def _title(found: LeagueStandings) -> str:
    return f"{_TITLES[found.condition]}: {found.words}"


def _over_seeds(found: LeagueStandings) -> str:
    return _INTERVAL_NOTE if len(found.seeds) > 1 else ""


def _facts(results: LeagueResults) -> dict[str, str]:
    games = sum(len(pairing.points) for pairing in results.pairings)
    seconds = sum(made.processor_seconds for made in results.made)
    ranked = sum(entrant.is_ranked for entrant in results.entrants)
    return {
        "methods": f"{ranked:,}",
        "lines of reference": f"{len(results.entrants) - ranked:,}",
        "seeds": ", ".join(map(str, results.seeds)),
        "budget a method and seed": results.budget,
        "games a pair and seed": f"{results.games_a_pair:,}",
        "games played": f"{games:,}",
        "conditions": "; ".join(results.conditions.values()),
        "openings": listed_in_words(results.openings) if results.openings else "",
        "paces": _PACES.get(results.paces_from, f"those of the league {results.paces_from}"),
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


def _playing(found: LeagueStandings) -> list[LeagueStanding]:
    """Return the rows of those who played under a condition; all before the first game."""
    return [row for row in found.standings if row.games] or [*found.standings]


def _ahead(row: LeagueStanding) -> str:
    return "" if row.lead is None else f"{signed(row.lead)} ({span(row.lead_interval, 'unsure')})"


def _what(entrant: LeagueStanding | Entrant) -> str:
    """Return what an entrant is; of a line of reference it is said that it is one."""
    says_so = entrant.is_ranked or "line of reference" in entrant.title
    return entrant.title if says_so else f"line of reference: {entrant.title}"


def _chart(found: LeagueStandings) -> Chart:
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


def _readable(found: LeagueStandings) -> Section:
    """Return how strong the best method is whose players have at most so many terms."""
    rows: list[tuple[int, list[LeagueStanding]]] = []
    for most in _TERMS:
        few = [row for row in found.methods if row.terms is not None and row.terms <= most]
        if few and (not rows or few[0] != rows[-1][1][0]):
            rows.append((most, few))
    return Section(
        f"Strength at a number of terms, {_title(found).lower()}",
        _STRENGTH,
        [(most, few[0]) for most, few in rows],
        _TERMS_NOTE,
        look="numbers",
    )


def _costs(results: LeagueResults) -> Section:
    """Return what each player took, and how far methods are from an equal cost."""
    by_method: dict[str, dict[int, float]] = {}
    for made in results.made:
        if made.processor_seconds:
            by_method.setdefault(made.entrant, {})[made.seed] = made.processor_seconds
    columns = (
        Column("", "method", str, read=itemgetter(0), look="code"),
        Column("", "mean", "{:,.1f}".format, read=lambda row: fmean(row[1].values())),
        *(
            Column("", f"seed {seed}", "{:,.1f}".format, read=partial(_of_seed, seed), missing="")
            for seed in results.seeds
        ),
    )
    said = [results.cost_in_words] if results.cost_in_words else []
    return Section(
        "Cost", columns, [*by_method.items()], _COSTS_NOTE, sentences=said, look="numbers"
    )


def _of_seed(seed: int, row: tuple[str, Mapping[int, float]]) -> float | None:
    return row[1].get(seed)


def _nash(found: LeagueStandings, *, is_first: bool) -> Section:
    rows = [row for row in found.methods if row.nash_share is not None]
    return Section(
        f"Nash averages, {_title(found).lower()}",
        _NASH,
        sorted(rows, key=lambda row: -(row.nash_average or 0.0)),
        _NASH_NOTE if is_first else "",
        look="numbers",
    )


def _all_against_all(found: LeagueStandings) -> Section:
    rows = [*enumerate(_playing(found), 1)]
    columns = (
        Column("", "", str, read=lambda row: row[0]),
        Column("", "", str, read=lambda row: row[1].entrant, look="head"),
        *(
            Column("", str(number), read=partial(_score_against, found, other.entrant), look="tint")
            for number, other in rows
        ),
    )
    scores = Section(
        "",
        (
            Column("first", "first", str),
            Column("second", "second", str),
            Column("score", "score of the first", share),
            Column("interval", "95 % interval", shares, missing=found.why_no_interval),
            Column("games", "games", counted),
        ),
        found.encounters,
        "The interval is the wider of that over seeds and that over opening pairs.",
        folded="Scores with their games and intervals",
        look="numbers",
    )
    return Section(
        f"All against all, {_title(found).lower()}",
        columns,
        rows if found.encounters else (),
        "Points in 100 games of the row against the column, over all seeds: orange above 50, blue "
        "below.",
        parts=[scores],
        look="cross",
    )


def _score_against(
    found: LeagueStandings, other: str, row: tuple[int, LeagueStanding]
) -> Tinted | None:
    """Return the score of a row against *other*; None where two have not met."""
    met: Encounter | None = found.of(row[1].entrant, other)
    if met is None:
        return None
    interval = found.why_no_interval if met.interval is None else shares(met.interval)
    return Tinted(
        f"{100 * met.score:.0f}",
        round(2 * abs(met.score - 0.5) * _STRONGEST_TINT),
        "above" if met.score > 0.5 else "below",
        f"{met.first} against {met.second}: {share(met.score)} in {met.games:,} games, "
        f"95 % interval: {interval}",
    )


def _methods(results: LeagueResults, champions: Sequence[LeagueChampion]) -> Section:
    """Return what each method is, what its players cost on average, and how large its champion is.

    Lines of reference come last; nothing was made for them.
    """
    drawn = {champion.entrant.name: champion.portrait for champion in champions}
    ranked = [champion.entrant for champion in champions]
    rows: list[tuple[str, ...]] = []
    for entrant in [*ranked, *(each for each in results.entrants if each not in ranked)]:
        own = [made for made in results.made if made.entrant == entrant.name]
        found = drawn.get(entrant.name)
        rows.append(
            (
                entrant.name,
                _what(entrant),
                entrant.source,
                _budget(entrant),
                _mean(own, "processor_seconds"),
                _mean(own, "games"),
                "" if found is None else found.size,
                "" if found is None or not found.terms else f"{found.terms:,}",
                "" if found is None else found.needs,
            )
        )
    return Section("Methods", _METHODS, rows, _METHODS_NOTE, look="named", longest=_LONGEST)


def _champion(champion: LeagueChampion) -> Section:
    portrait = champion.portrait
    is_large = portrait.nodes > _LARGE
    play = [f"Play it: `{champion.command}`"] if champion.command else []
    return Section(
        f"{champion.entrant.name}: {champion.entrant.title}",
        points=[
            f"`{portrait.label}`",
            f"{champion.why} To read it one needs {portrait.needs}. {portrait.sentence}",
            *play,
        ],
        pictures=() if is_large else portrait.pictures,
        parts=[
            Section("", folded="Pictures", pictures=portrait.pictures if is_large else ()),
            Section("", _PARTS, portrait.parts, portrait.shares_are, folded="Its parts"),
        ],
    )


def _budget(entrant: Entrant) -> str:
    """Return what each player may use; a unit that has no words of its own stands as it is."""
    unit = {"work": "units of work"}.get(entrant.counted, entrant.counted)
    return f"{_amount(entrant.budget)} {unit}" if unit else "none"


def _time(seconds: float) -> str:
    amount = f"{seconds:,.0f} seconds" if seconds < 300 else f"{seconds / 60:,.0f} minutes"
    return f"{amount} of one core"


def _mean(made: Sequence[MadePlayer], name: str) -> str:
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


def _if_any(name: str, label: str, text: str) -> Column:
    """Return the column of a number of a player that is empty where there is none."""
    return Column(
        name, label, text.format, read=lambda made: getattr(made, name) or None, missing=""
    )


_NASH = (
    Column("entrant", "method", str),
    Column("nash_share", "share of the mixture", share),
    Column("", "Nash average", _nash_average, read=lambda row: row),
    Column(
        "nash_interval", "95 % interval", between(_at_most_0), look="whole", missing="too few games"
    ),
)
_STRENGTH = (
    Column("", "terms at most", counted, read=itemgetter(0)),
    Column("", "the best method", str, read=lambda row: row[1].entrant, look="code"),
    Column("", "its terms", "{:,g}".format, read=lambda row: row[1].terms),
    Column("", "rating", _rating, read=lambda row: row[1], look="strong"),
    Column("", "95 % interval", lambda row: span(row.interval, "none"), read=lambda row: row[1]),
)
_TERMS = (2, 5, 10, 20, 50, 100, 200, 500, 1000)
_PACES = {"measured": "measured on this machine", "reference": "those of a machine of reference"}
_METHODS = cells_of(
    "method", "what it is", "source", "budget", "processor seconds", "games of training", "size",
    "terms", "to read it one needs", method="code",
)  # fmt: skip
_PARTS = (
    Column("text", "part", str, look="code"),
    Column("wants", "wants", str),
    Column("share", "share", share),
)
_PLAYERS = (
    Column("entrant", "method", str),
    Column("seed", "seed", counted),
    Column("player", "player", lambda player: short_name(player.label)),
    Column("measure", "training measure", "{:.4g}".format, missing=""),
    Column("step", "step", counted, read=lambda made: made.step if made.run else None, missing=""),
    _if_any("games", "games", "{:,.0f}"),
    _if_any("work", "work", "{:,.0f}"),
    _if_any("processor_seconds", "processor seconds", "{:,.1f}"),
    Column("digest", "digest", lambda digest: str(digest[:16])),
)
_NOTE = (
    "Every method made its players afresh with the same counted budget, seed by seed. The players "
    "of a seed played each other and the lines of reference; nothing but their games decides the "
    "ranking."
)
_RATINGS_NOTE = (
    "A rating says how strong a method is: one that is rated 400 points above another scores ten "
    "points for each of the other's (Bradley and Terry's model on Elo's scale); 0 is {}. It is the "
    "mean over seeds{}. A method's rank is 1 and the number of methods that are surely rated above "
    "it: the 95 % interval of the difference is above 0. So methods that cannot be told apart "
    'share a rank. Who lost all games is rated "at most" so, who won all "at least". Lines of '
    "reference are players that were made otherwise, and show where the scale lies."
)
_INTERVAL_NOTE = (
    ". A 95 % interval holds the rating that endlessly many seeds would give in 19 of 20 leagues, "
    "so it has the chance in making players as well as that in games"
)
_NASH_NOTE = (
    "A rating depends on who takes part: a method gains if many of those are there that it beats. "
    "The Nash average does not. It is the expected result, in points of rating, against the "
    "mixture of methods that no method beats; the shares are this mixture. A method in it has 0, "
    "all others less (Balduzzi, Tuyls, Perolat and Graepel 2018). The interval comes from leaving "
    "out seeds, one after the other, or openings where there are fewer than five seeds; then it is "
    'about these players alone. It allows for the mixture being found in the same games. "At '
    'most": all games with the mixture were lost, and how far below it is cannot be said.'
)
_METHODS_NOTE = (
    "What one player of a method cost, the mean over seeds, and how large its champion is. Budgets "
    "are counted; seconds are those that processors really took."
)
_COSTS_NOTE = (
    "Seconds of processor time for each player, writing its steps included. Steps are whole, so "
    "the last may go beyond the budget, and what a second brings changes in the course of a run."
)
_TERMS_NOTE = (
    "Terms are those of a method's simplified formula: the median over seeds, and each weight of a "
    "square is one. Methods without a formula, such as tables of patterns, are left out."
)
