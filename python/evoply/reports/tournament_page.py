"""A tournament as one HTML page that opens without a network."""

import os
from pathlib import Path
from typing import Any

from evoply.arena import RoundRobin, Tournament
from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports.charts import interval_chart
from evoply.reports.pages import page
from evoply.reports.series import Series
from evoply.sections import share
from evoply.wording import short_name, signed, span

_MOST_IN_GRID = 16
"""Players of a round robin whose results against each other are still shown as a grid."""
_MOST_RUNS = 100
_WHOM = {"all": "all players", "same": "players of the same bracket", "other": "other brackets"}


def write_tournament(
    result: RoundRobin | Tournament, path: str | os.PathLike[str], *, state: str = ""
) -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    *state* says how far a tournament came that was stopped.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), tournament_html(result, state=state))
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
            (forfeit.player, forfeit.opponent, forfeit.reason, f"{forfeit.games:,}")
            for forfeit in result.forfeits
        ],
        **(_round_robin(result) if isinstance(result, RoundRobin) else _elimination(result)),
    )


def _round_robin(result: RoundRobin) -> dict[str, Any]:
    standings = result.standings
    scores = {(pairing.first, pairing.second): pairing.score for pairing in result.pairings}
    scores |= {(other, player): 1 - score for (player, other), score in scores.items()}
    places = [standing.place for standing in standings]
    rating = Series(
        "rating",
        [standing.rating for standing in standings],
        [standing.interval for standing in standings],
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
                str(standing.rank),
                standing.player,
                signed(standing.rating),
                span(standing.interval, "too few games"),
                share(standing.score),
                f"{standing.games:,}",
            )
            for standing in standings
        ],
        "charts": [
            interval_chart(
                "Ratings",
                [standing.player for standing in standings],
                [rating],
                "rating (Elo, mean 0)",
                note="with 95 % intervals",
                reference=0.0,
            )
        ],
        "grid": [
            (
                result.players[index_],
                [
                    f"{100 * score:.0f} %"
                    if (score := scores.get((index_, other))) is not None
                    else ""
                    for other in places
                ],
            )
            for index_ in places
        ]
        if len(places) <= _MOST_IN_GRID
        else [],
        "pairings": [
            (
                result.players[pairing.first],
                result.players[pairing.second],
                f"+{pairing.wins} ={pairing.draws} \N{MINUS SIGN}{pairing.losses}",
                share(pairing.score),
            )
            for pairing in result.pairings
        ],
    }


def _elimination(result: Tournament) -> dict[str, Any]:
    stars = result.stars
    columns = [("", ""), ("player", "code"), ("bracket", ""), ("mean rank", "strong")]
    columns += [(name, "") for name in ("titles", "finals", "rating", "95 % interval")]
    rows = [
        [
            str(rank),
            star.player,
            star.bracket,
            f"{star.mean_rank:.2f}",
            f"{star.titles:,}",
            f"{star.finals:,}",
            signed(star.rating),
            span(star.rating_interval, "too few games"),
        ]
        for rank, star in enumerate(stars, start=1)
    ]
    if result.fitness_correlation is not None:
        columns.append(("fitness", ""))
        for row, star in zip(rows, stars, strict=True):
            row.append("" if star.fitness is None else f"{star.fitness:g}")
    names = [star.player for star in stars]
    ranks = Series(
        "mean rank", [star.mean_rank for star in stars], [star.rank_interval for star in stars]
    )
    finals = Series(
        "finals",
        [star.finals / result.runs for star in stars],
        [star.finals_interval for star in stars],
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
    again = {} if result.reproducible else {"reproducible": "no"}
    clock = {} if result.clock is None else {"seconds a side (clock)": result.clock}
    return {
        "opening plies": str(result.opening_plies or "none"),
        **clock,
        "seed": str(result.seed),
        **again,
    }


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
