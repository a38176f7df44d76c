"""A tournament as one HTML page that opens without a network."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from evoply.arena import RoundRobin, Tournament
from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports.charts import interval_chart
from evoply.reports.pages import page
from evoply.reports.series import Series
from evoply.wording import short_name, signed, span

_MOST_IN_GRID = 16
"""Players of a round robin whose results against each other are still shown as a grid."""
_MOST_RUNS = 100
_WHOM = {"all": "all players", "same": "players of the same bracket", "other": "other brackets"}


def write_tournament(result: RoundRobin | Tournament, path: str | os.PathLike[str]) -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), tournament_html(result))
    return Path(path)


def tournament_html(
    result: RoundRobin | Tournament, *, state: str = "", goes_on: bool = False
) -> str:
    """Return the page about a tournament as text; *state* and *goes_on* are those of `page`."""
    game = game_rules(result.game).title
    return page(
        "tournament.html",
        title=f"{'Round robin' if isinstance(result, RoundRobin) else 'Tournament'}: {game}",
        state=state,
        goes_on=goes_on,
        result=result,
        forfeits=[
            (one.player, one.opponent, one.reason, f"{one.games:,}") for one in result.forfeits
        ],
        **(_round_robin(result) if isinstance(result, RoundRobin) else _elimination(result)),
    )


def _round_robin(result: RoundRobin) -> dict[str, Any]:
    standings = result.standings
    scores = {(one.first, one.second): one.score for one in result.pairings}
    scores |= {(other, one): 1 - score for (one, other), score in scores.items()}
    places = [one.place for one in standings]
    rating = Series(
        "rating", [one.rating for one in standings], [one.interval for one in standings]
    )
    return {
        "stars": [],
        "facts": {
            "players": f"{len(standings):,}",
            "games": f"{result.games:,}",
            "different games": f"{result.distinct_games:,}",
            **_usual_facts(result),
        },
        "standings": [
            (
                str(one.rank),
                one.player,
                signed(one.rating),
                span(one.interval, "too few games"),
                f"{one.score:.1%}",
                f"{one.games:,}",
            )
            for one in standings
        ],
        "charts": [
            interval_chart(
                "Ratings",
                [one.player for one in standings],
                [rating],
                "rating (Elo, mean 0)",
                note="with 95 % intervals",
                reference=0.0,
            )
        ],
        "grid": [
            (
                result.players[one],
                ["" if one == other else f"{scores[one, other]:.0%}" for other in places],
            )
            for one in places
        ]
        if len(places) <= _MOST_IN_GRID
        else [],
        "pairings": [
            (
                result.players[one.first],
                result.players[one.second],
                f"+{one.wins} ={one.draws} \N{MINUS SIGN}{one.losses}",
                f"{one.score:.1%}",
            )
            for one in result.pairings
        ],
    }


def _elimination(result: Tournament) -> dict[str, Any]:
    stars = result.stars
    columns = [("", ""), ("player", "code"), ("bracket", ""), ("mean rank", "strong")]
    columns += [(name, "") for name in ("titles", "finals", "rating", "95 % interval")]
    rows = [
        [
            str(rank),
            one.player,
            one.bracket,
            f"{one.mean_rank:.2f}",
            f"{one.titles:,}",
            f"{one.finals:,}",
            signed(one.rating),
            span(one.rating_interval, "too few games"),
        ]
        for rank, one in enumerate(stars, start=1)
    ]
    if result.fitness_correlation is not None:
        columns.append(("fitness", ""))
        for row, one in zip(rows, stars, strict=True):
            row.append("" if one.fitness is None else f"{one.fitness:g}")
    names = [one.player for one in stars]
    ranks = Series(
        "mean rank", [one.mean_rank for one in stars], [one.rank_interval for one in stars]
    )
    finals = Series(
        "finals",
        [one.finals / result.runs for one in stars],
        [one.finals_interval for one in stars],
    )
    note = "with 95 % intervals"
    return {
        "facts": {
            "players": f"{len(stars):,}",
            "opponents": _WHOM[result.mode],
            "runs": f"{result.runs:,}",
            "games": f"{result.games:,}",
            **_usual_facts(result),
        },
        "columns": columns,
        "stars": rows,
        "correlation": _correlation(result),
        "charts": [
            interval_chart("Mean rank", names, [ranks], "mean rank (1 is the best)", note=note),
            interval_chart(
                "Finals",
                names,
                [finals],
                "share of runs",
                note=f"runs in which it played in the last round, {note}",
            ),
        ],
        "rounds": [
            (str(run), str(number), ", ".join(map(short_name, names)))
            for run, rounds in enumerate(result.out[:_MOST_RUNS], start=1)
            for number, names in enumerate(rounds, start=1)
        ],
    }


def _usual_facts(result: RoundRobin | Tournament) -> dict[str, str]:
    seed = str(result.seed) if result.reproducible else f"{result.seed} (not reproducible)"
    clock = {} if result.clock is None else {"seconds a side (clock)": result.clock}
    return {"opening plies": str(result.opening_plies or "none"), **clock, "seed": seed}


def _correlation(result: Tournament) -> str:
    correlation = result.fitness_correlation
    if correlation is None:
        return ""
    between = ""
    if correlation.interval is not None:
        between = " (95 %: {:+.2f} to {:+.2f})".format(*correlation.interval)
    return (
        f"Spearman's rank correlation of the given fitness with strength: {correlation.rho:+.2f}"
        f"{between}, {correlation.players} players. 1 would mean that the fittest always wins."
    )
