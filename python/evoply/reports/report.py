"""A run as one HTML page that opens without a network.

The page is made from the run folder alone, for runs of any length: unfinished ones have fewer
sections. Everything a user could have written is escaped.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports import charts
from evoply.reports.champion import champion_section
from evoply.reports.evolution_page import EvolutionPage
from evoply.reports.explanation import explain
from evoply.reports.html import Html, block, chart, details, element, page, shortened, table
from evoply.runs import Run, RunError, played_matches

__all__ = ["report_html", "status_in_words", "write_report"]

Rows = Sequence[Mapping[str, Any]]

_STATUS = {
    "new": "not started",
    "running": "still running",
    "paused": "paused",
    "finished": "finished",
    "limit": "finished (time limit)",
    "stopped": "stopped, can be resumed",
}


class KindPage(Protocol):
    """What a kind of learner adds to the page of its runs; all of it may be empty."""

    def facts(self, run: Run, rows: Rows, /) -> Mapping[str, str]:
        """Return what stands at the top of the page."""

    def champion_note(self, run: Run, /) -> str:
        """Return what is to be known of the champion."""

    def charts(self, run: Run, rows: Rows, /) -> list[Html]:
        """Return the charts of all generations."""

    def numbers(self, rows: Rows, /) -> Html:
        """Return the numbers of the charts as a table."""

    def sections(self, run: Run, /) -> list[Html]:
        """Return what follows the charts."""


class PlainPage:
    """A page of statistics alone, for any learner."""

    def facts(self, run: Run, rows: Rows, /) -> Mapping[str, str]:
        """Return who learned."""
        return {"learner": run.kind.name}

    def champion_note(self, run: Run, /) -> str:
        """Return nothing: the player explains itself."""
        return ""

    def charts(self, run: Run, rows: Rows, /) -> list[Html]:
        """Return a chart of each statistic."""
        return [
            chart(name, charts.statistic_figure(rows, name), "of each generation")
            for name in _statistics(rows)
        ]

    def numbers(self, rows: Rows, /) -> Html:
        """Return the statistics of each generation."""
        names = _statistics(rows)
        cells = [[str(row["number"]), *(f"{row[name]:,.6g}" for name in names)] for row in rows]
        return table(("generation", *names), cells)

    def sections(self, run: Run, /) -> list[Html]:
        """Return nothing."""
        return []


PAGES: Mapping[str, KindPage] = {"evolution": EvolutionPage()}
"""By the name of the kind of learner; any other has a `PlainPage`."""


def _statistics(rows: Rows) -> list[str]:
    names = rows[0] if rows else ()
    return [name for name in names if name not in ("number", "digest")]


def status_in_words(status: str) -> str:
    """Return what `Run.status` says in words.

    >>> status_in_words("limit")
    'finished (time limit)'
    """
    return _STATUS.get(status, status)


def write_report(run: Run, path: str | os.PathLike[str] | None = None) -> Path:
    """Write the page about *run* and return its path, by default `report.html` in its folder.

    The file is replaced as a whole or not at all. Raises `RunError` if it cannot be written.
    """
    target = run.path / "report.html" if path is None else Path(path)
    try:
        write_atomically(target, report_html(run))
    except OSError as error:
        raise RunError(f"{target} cannot be written: {error.strerror}") from None
    return target


def report_html(run: Run) -> str:
    """Return the page about *run* as text, of about 5 MB: plotly's JavaScript is in it."""
    rows = run.generation_rows()
    kind_page = PAGES.get(run.kind.name, PlainPage())
    title = f"{run.name}: {game_rules(run.config.game).title}"
    sections = [_header(kind_page, run, rows, title)]
    if not rows:
        sections.append(element("p", "No generation is finished yet.", class_="sentence"))
    else:
        champion = run.champion_player
        explanation = explain(champion, game=run.config.game)
        sections += [
            element("p", _unbroken(explanation.sentence), class_="sentence"),
            _matches(run),
            champion_section(champion, run.config.game, explanation, kind_page.champion_note(run)),
            _progress(kind_page, run, rows),
            *kind_page.sections(run),
        ]
    sections.append(_what_was_run(run, rows))
    return page(title, *sections)


def _header(kind_page: KindPage, run: Run, rows: Rows, title: str) -> Html:
    facts = {"status": status_in_words(run.status), "generations": f"{len(rows):,}"}
    if rows:
        seconds = sum(step.seconds for step in run.steps())
        facts |= {**kind_page.facts(run, rows), "time": _duration(seconds)}
    if not run.kind.is_reproducible(run.config):
        facts["reproducible"] = "no: an opponent may play otherwise in the same game"
    return block(
        element("h1", title),
        element("p", f"evoply {run.version}, started {_moment(run.created)}", class_="note"),
        _facts(facts),
    )


def _facts(facts: Mapping[str, str]) -> Html:
    cells = (
        element("div", element("dt", name), element("dd", value)) for name, value in facts.items()
    )
    return element("dl", *cells, class_="facts")


def _matches(run: Run) -> Html:
    played = played_matches(run)
    note = (
        "Points per game of the player (win 1, draw ½) on openings used nowhere in training; "
        "every opening is played twice with colours swapped, and intervals come from these pairs."
    )
    if played.champion:
        champion = block(
            element("p", note, class_="note"), _match_table(map(_match_row, played.champion))
        )
    else:
        champion = element(
            "p",
            "No test matches were played yet: ",
            element("code", f"evoply resume {shlex.quote(run.name)}"),
            " plays them at the end of the run, and writes this page again.",
        )
    earlier = (
        _match_row({**one, "first": f"champion after generation {one['generation']}"})
        for one in played.earlier
    )
    return block(
        element("h2", "Matches"),
        champion,
        _further("Earlier champions", "Before the run went on.", played.earlier, earlier),
        _further(
            "Other matches",
            "They were kept with the run and may be of any player.",
            played.others,
            map(_match_row, played.others),
        ),
    )


def _further(title: str, note: str, results: Rows, rows: Iterable[tuple[str, ...]]) -> Html:
    if not results:
        return Html()
    return block(element("h3", title), element("p", note, class_="note"), _match_table(rows))


def _match_table(rows: Iterable[tuple[str, ...]]) -> Html:
    head = ("player", "opponent", "result", "score", "95 % interval", "", "games", "seed")
    return table(head, list(rows), class_="matches")


def _match_row(result: Mapping[str, Any]) -> tuple[str, ...]:
    interval = result.get("interval")
    games, distinct = int(result["games"]), int(result["distinct_games"])
    return (
        shortened(str(result["first"]), 30),
        shortened(str(result["second"]), 30),
        element(
            "span",
            f"+{result['wins']} ={result['draws']} \N{MINUS SIGN}{result['losses']}",
            class_="whole",
        ),
        element("b", f"{result['score']:.1%}"),
        f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else "none: too few distinct games",
        _interval_picture(result["score"], interval),
        f"{games:,} ({distinct:,} distinct)",
        str(result["seed"]),
    )


def _interval_picture(score: float, interval: Sequence[float] | None) -> Html:
    """Return the score as a dot and its interval as a bar on a scale from 0 to 1."""
    low, high = interval or (score, score)
    return Html(
        '<svg class="interval" viewBox="0 0 130 16" aria-hidden="true">'
        '<path d="M5 8H125M65 3V13" stroke="currentColor" opacity=".35" fill="none"/>'
        f'<rect x="{5 + 120 * low:.1f}" y="5" width="{max(120 * (high - low), 1):.1f}" height="6"'
        ' rx="2" fill="currentColor" opacity=".55"/>'
        f'<circle cx="{5 + 120 * score:.1f}" cy="8" r="4" fill="currentColor"/></svg>'
    )


def _progress(page: KindPage, run: Run, rows: Rows) -> Html:
    return block(
        element("h2", "Generations"),
        element("div", *page.charts(run, rows), class_="charts"),
        Html(
            "<noscript><p>The charts need JavaScript; the numbers are in the table.</p></noscript>"
        ),
        details("All numbers", page.numbers(rows)),
    )


def _what_was_run(run: Run, rows: Rows) -> Html:
    command = run.command or "(from Python)"
    facts: list[tuple[str, str]] = [
        ("command", element("code", command)),
        ("game", game_rules(run.config.game).title),
        ("seed", str(run.config.seed)),
        ("version", f"evoply {run.version}, signature {run.signature}"),
    ]
    for what, part in run.python_parts().items():
        source = part["source"][:16]
        facts.append((f"Python {what}", element("code", f"{part['name']} ({source})")))
    if rows:
        play = f"evoply play --against champion@{run.name}"
        facts.append(("play against it", element("code", play)))
    events = [
        element("li", f"{_moment(event['time'])}: {event['kind']} {event.get('status', '')}")
        for event in run.events()
    ]
    config = (run.path / "config.toml").read_text(encoding="utf-8")
    digests = table(
        ("generation", "digest"),
        ((str(row["number"]), element("code", str(row["digest"]))) for row in rows),
        class_="digests",
    )
    return block(
        element("h2", "What was run"),
        table(("", "of the run"), facts, class_="plain"),
        details("Config (config.toml)", element("pre", config)),
        details("History", element("ul", *events)) if events else Html(),
        details("Digest of every generation", _digest_note(), digests) if rows else Html(),
    )


def _digest_note() -> Html:
    return element(
        "p",
        "Two runs with equal digests computed the same: config, individuals, seeds, fitness.",
        class_="note",
    )


def _unbroken(text: str) -> str:
    """Return *text* with percentages that stay on one line."""
    return text.replace(" %", "\N{NO-BREAK SPACE}%")


def _moment(text: str) -> str:
    """Return an ISO time in UTC without its fractions."""
    return f"{text[:16].replace('T', ' ')} UTC"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
