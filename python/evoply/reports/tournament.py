"""A tournament as one HTML page that opens without a network."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from evoply.arena import LostGames, RoundRobin, Tournament
from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports.html import Html, block, chart, details, element, page, shortened, table
from evoply.reports.interval_charts import Points, chart_height, intervals_figure
from evoply.wording import signed, span

__all__ = ["tournament_html", "write_tournament"]

_MOST_IN_GRID = 16
"""Players of a round robin whose results against each other are still shown as a grid."""
_MOST_RUNS = 100
_LONGEST_NAME = 60


def write_tournament(result: RoundRobin | Tournament, path: str | os.PathLike[str]) -> Path:
    """Write the page about *result* to *path*, whole or not at all, and return the path.

    Raises `OSError` if it cannot be written.
    """
    write_atomically(Path(path), tournament_html(result))
    return Path(path)


def tournament_html(result: RoundRobin | Tournament) -> str:
    """Return the page about a tournament as text, of about 5 MB: plotly's JavaScript is in it."""
    game = game_rules(result.game).title
    if isinstance(result, RoundRobin):
        sections = _round_robin(result, game)
        return page(f"Round robin: {game}", *sections, _forfeits(result.forfeits))
    return page(f"Tournament: {game}", *_elimination(result, game), _forfeits(result.forfeits))


def _forfeits(lost: Sequence[LostGames]) -> Html:
    """Return who gave games away and why, so that an author can mend a bot."""
    if not lost:
        return Html()
    rows = [
        (shortened(one.player), shortened(one.opponent), one.reason, f"{one.games:,}")
        for one in lost
    ]
    note = "A player that fails in a game loses that game, and the tournament goes on."
    return block(
        element("h2", "Forfeited games"),
        element("p", note, class_="note"),
        table(("player", "opponent", "why", "games"), rows),
    )


def _round_robin(result: RoundRobin, game: str) -> Sequence[Html]:
    standings = result.standings
    figure = intervals_figure(
        [one.player for one in standings],
        [Points("rating", [one.rating for one in standings], [one.interval for one in standings])],
        "rating (Elo, mean 0)",
        reference=0.0,
    )
    head = ("rank", "player", "rating", "95 % interval", "score", "games")
    rows = [
        (
            str(one.rank),
            shortened(one.player),
            element("b", signed(one.rating)),
            _span(one.interval),
            f"{one.score:.1%}",
            f"{one.games:,}",
        )
        for one in standings
    ]
    return (
        element("h1", f"Round robin: {game}"),
        _facts(
            {
                "players": f"{len(standings):,}",
                "games": f"{result.games:,}",
                "different games": f"{result.distinct_games:,}",
                "opening plies": str(result.opening_plies or "none"),
                "seed": _seed(result.seed, reproducible=result.reproducible),
            }
        ),
        element("h2", "Standings"),
        element("p", _RATINGS, class_="note"),
        table(head, rows),
        chart("Ratings", figure, "with 95 % intervals", height=chart_height(len(standings))),
        element("h2", "Everybody against everybody"),
        _grid(result),
    )


_RATINGS = (
    "Ratings are those under which the results were likeliest (Bradley and Terry), on Elo's scale: "
    "400 points are ten to one. A draw counts half. Intervals take the two games of an opening "
    "together, because they are not independent."
)


def _grid(result: RoundRobin) -> Html:
    scores = {(one.first, one.second): one.score for one in result.pairings}
    scores |= {(other, one): 1 - score for (one, other), score in scores.items()}
    places = [one.place for one in result.standings]
    if len(places) > _MOST_IN_GRID:
        rows = [
            (
                shortened(result.players[one.first], 40),
                shortened(result.players[one.second], 40),
                f"+{one.wins} ={one.draws} \N{MINUS SIGN}{one.losses}",
                f"{one.score:.1%}",
            )
            for one in result.pairings
        ]
        return details("All pairings", table(("player", "opponent", "result", "score"), rows))
    head = ("", *(str(rank) for rank, _ in enumerate(places, start=1)))
    grid = [
        (
            block(f"{rank}  ", shortened(result.players[one], 30)),
            *("" if one == other else f"{scores[one, other]:.0%}" for other in places),
        )
        for rank, one in enumerate(places, start=1)
    ]
    note = "Points a game of the row's player against the column's, players by rank."
    return block(element("p", note, class_="note"), table(head, grid))


def _elimination(result: Tournament, game: str) -> Sequence[Html]:
    stars = result.stars
    head = ["", "player", "bracket", "mean rank", "titles", "finals", "rating", "95 % interval"]
    rows = [
        [
            str(rank),
            shortened(one.player),
            one.bracket,
            element("b", f"{one.mean_rank:.2f}"),
            f"{one.titles:,}",
            f"{one.finals:,}",
            signed(one.rating),
            _span(one.rating_interval),
        ]
        for rank, one in enumerate(stars, start=1)
    ]
    if result.fitness_correlation is not None:
        head.append("fitness")
        for row, one in zip(rows, stars, strict=True):
            row.append("" if one.fitness is None else f"{one.fitness:g}")
    names = [one.player for one in stars]
    ranks = intervals_figure(
        names,
        [
            Points(
                "mean rank",
                [one.mean_rank for one in stars],
                [one.rank_interval for one in stars],
            )
        ],
        "mean rank (1 is the best)",
    )
    finals = intervals_figure(
        names,
        [
            Points(
                "finals",
                [one.finals / result.runs for one in stars],
                [one.finals_interval for one in stars],
            )
        ],
        "share of runs in which it played in the last round",
    )
    height = chart_height(len(stars))
    whom = {"all": "all players", "same": "players of the same bracket", "other": "other brackets"}
    note = (
        "In every round a player meets randomly drawn opponents with both colours, and is out "
        f"unless it wins more than {100 * result.threshold:g} % of its games."
    )
    return (
        element("h1", f"Tournament: {game}"),
        element("p", note, class_="note"),
        _facts(
            {
                "players": f"{len(stars):,}",
                "opponents": whom[result.mode],
                "runs": f"{result.runs:,}",
                "games": f"{result.games:,}",
                "opening plies": str(result.opening_plies or "none"),
                "seed": _seed(result.seed, reproducible=result.reproducible),
            }
        ),
        element("h2", "Stars"),
        element("p", _RATINGS, class_="note"),
        table(head, rows),
        _correlation(result),
        element(
            "div",
            chart("Mean rank", ranks, "with 95 % intervals", height=height),
            chart("Finals", finals, "with 95 % intervals", height=height),
            class_="charts",
        ),
        element("h2", "Who was out when"),
        details("Every round", _rounds(result)),
    )


def _rounds(result: Tournament) -> Html:
    rows = [
        (str(run), str(number), ", ".join(map(_cut, names)))
        for run, rounds in enumerate(result.out[:_MOST_RUNS], start=1)
        for number, names in enumerate(rounds, start=1)
    ]
    return table(("run", "round", "out"), rows)


def _cut(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else f"{name[: _LONGEST_NAME - 1]}…"


def _correlation(result: Tournament) -> Html:
    found = result.fitness_correlation
    if found is None:
        return Html()
    between = (
        "" if found.interval is None else " (95 %: {:+.2f} to {:+.2f})".format(*found.interval)
    )
    return element(
        "p",
        f"Spearman's rank correlation of the given fitness with strength: {found.rho:+.2f}"
        f"{between}, {found.players} players. 1 would mean that the fittest always wins.",
        class_="sentence",
    )


def _facts(facts: Mapping[str, str]) -> Html:
    cells = (
        element("div", element("dt", name), element("dd", value)) for name, value in facts.items()
    )
    return element("dl", *cells, class_="facts")


def _span(interval: tuple[float, float] | None) -> str:
    return span(interval, "too few games")


def _seed(seed: int, *, reproducible: bool) -> str:
    return str(seed) if reproducible else f"{seed} (not reproducible)"
