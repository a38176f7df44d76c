"""A run as one HTML page that opens without a network.

The page is made from the run folder alone, for runs of any length: unfinished ones have fewer
sections. Everything a user could have written is escaped.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evoply.evolution import (
    Generation,
    HallOfFameEntry,
    fitness_text,
    front_of,
    is_reproducible,
    is_share,
)
from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.reports import charts
from evoply.reports.champion import champion_section, explained_champion
from evoply.reports.html import Html, block, chart, details, element, page, shortened, table
from evoply.runs import Run, RunError

__all__ = ["report_html", "status_in_words", "write_report"]

_STATUS = {
    "new": "not started",
    "running": "still running",
    "paused": "paused",
    "finished": "finished",
    "limit": "finished (time limit)",
    "stopped": "stopped, can be resumed",
}


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
    last = run.last()
    title = f"{run.name}: {game_rules(run.config.game).title}"
    sections = [_header(run, rows, title)]
    if last is None:
        sections.append(element("p", "No generation is finished yet.", class_="sentence"))
    else:
        entry = run.champion
        explanation = explained_champion(run, entry)
        sections += [
            element("p", _unbroken(explanation.sentence), class_="sentence"),
            _matches(run),
            champion_section(run, entry, explanation),
            _progress(run, rows),
            _hall_of_fame(run, last),
            _front(run, last),
        ]
    sections.append(_what_was_run(run, rows))
    return page(title, *sections)


def _header(run: Run, rows: Sequence[Mapping[str, Any]], title: str) -> Html:
    facts = {"status": status_in_words(run.status), "generations": f"{len(rows):,}"}
    if rows:
        games = sum(int(row["games"]) for row in rows)
        playing = sum(row["seconds_playing"] for row in rows)
        facts |= {
            "population": f"{run.config.population_size:,}",
            "games played": f"{games:,}",
            "games per second": f"{games / max(playing, 1e-9):,.0f}",
            "time": _duration(rows[-1]["seconds_elapsed"]),
        }
    if not is_reproducible(run.config):
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
    results = run.matches()
    if not results:
        resume = f"evoply resume {shlex.quote(run.name)}"
        return block(
            element("h2", "Matches"),
            element(
                "p",
                "No test matches were played yet: ",
                element("code", resume),
                " plays them at the end of the run, and writes this page again.",
            ),
        )
    head = ("player", "opponent", "result", "score", "95 % interval", "", "games", "seed")
    note = (
        "Points per game of the player (win 1, draw ½) on openings used nowhere in training; "
        "every opening is played twice with colours swapped, and intervals come from these pairs."
    )
    return block(
        element("h2", "Matches"),
        element("p", note, class_="note"),
        table(head, [_match_row(result) for result in results], class_="matches"),
    )


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


def _progress(run: Run, rows: Sequence[Mapping[str, Any]]) -> Html:
    fresh = "Fresh games are played on openings nobody was selected on."
    censuses = run.censuses()
    size = run.config.population_size
    behaviours = [
        census["distinct_behaviours"] / size if census.get("distinct_behaviours") else None
        for census in censuses
    ]
    is_share = _is_share(run)
    shares = charts.fitness_figure(rows, with_training=is_share)
    figures = [chart("Fitness", shares, f"in points per game. {fresh}")]
    if not is_share:
        training = charts.training_figure(rows, _unit(run))
        figures.append(chart("Training fitness", training, "as selection saw it: higher is better"))
    figures += [
        chart("The best against each opponent", charts.opponents_figure(rows), "on fresh games"),
        chart("Tree sizes", charts.size_figure(rows), "in nodes"),
        chart("Tree depths", charts.depth_figure(rows), "in levels"),
        chart(
            "Diversity",
            charts.diversity_figure(rows, behaviours),
            "different trees, and trees that value 16 random positions differently",
        ),
    ]
    if any(census.get("operators") for census in censuses):
        operators = charts.operators_figure(rows, censuses)
        figures.append(chart("Operators", operators, "that made the individuals"))
    figures += _structure(run, rows, censuses)
    figures.append(chart("Time", charts.time_figure(rows), "of each generation, by step"))
    return block(
        element("h2", "Generations"),
        element("div", *figures, class_="charts"),
        Html(
            "<noscript><p>The charts need JavaScript; the numbers are in the table.</p></noscript>"
        ),
        details("All numbers", _numbers(rows)),
    )


def _structure(
    run: Run, rows: Sequence[Mapping[str, Any]], censuses: Sequence[Mapping[str, Any]]
) -> list[Html]:
    """Return the charts of introns, no-ops and weights that the run has something to say about."""
    figures = []
    if any(census.get("dead_introns") or census.get("live_introns") for census in censuses):
        note = "never computed: of all; computed without effect: of 16 individuals"
        figures.append(chart("Introns", charts.introns_figure(rows, censuses), note))
    if any(census.get("no_op_chains") for census in censuses):
        chains = charts.chains_figure(rows, censuses, run.config.population_size)
        figures.append(chart("Chains of no-ops", chains, "that stand one above the other"))
    if any(census.get("mean_weight") is not None for census in censuses):
        weights = charts.weights_figure(rows, censuses)
        figures.append(chart("Weights of leaves", weights, "by their place, of 16 individuals"))
    return figures


def _is_share(run: Run) -> bool:
    return is_share(run.config) and "fitness" not in run.python_parts()


def _unit(run: Run) -> str:
    if "fitness" in run.python_parts():
        return "your own fitness"
    return run.config.fitness.measure.unit


def _numbers(rows: Sequence[Mapping[str, Any]]) -> Html:
    head = ("generation", "best", "mean", "best, fresh", "mean, fresh", "nodes", "depth", "games")
    return table(
        head,
        (
            (
                str(row["number"]),
                *(f"{row[key]:.3f}" for key in ("best", "mean", "best_fresh", "mean_fresh")),
                f"{row['mean_size']:.1f}",
                f"{row['mean_depth']:.1f}",
                f"{row['games']:,.0f}",
            )
            for row in rows
        ),
    )


def _hall_of_fame(run: Run, last: Generation) -> Html:
    stored = run.final_test()
    final: dict[str, float] = {}
    entries: Sequence[HallOfFameEntry] = last.hall_of_fame
    note = "Ranked by fresh games of all generations, recent ones counting more."
    if stored is not None and stored["generation"] == last.number:
        final = {one["tree"]: one["fitness"] for one in stored["ranking"]}
        entries = sorted(entries, key=lambda entry: -final.get(str(entry.tree), -1.0))
        note = (
            f"Ranked by the final test: {stored['games']:,} games each, on openings used nowhere "
            "else, against the run's opponents, earlier champions and one another."
        )
    head = ("rank", "tree", "nodes", "entered", "fresh games", "final test")
    rows = [
        (
            str(rank),
            shortened(str(entry.tree)),
            str(len(entry.tree)),
            f"generation {entry.generation}",
            f"{entry.fitness:.1%}",
            f"{final[str(entry.tree)]:.1%}" if str(entry.tree) in final else "not yet",
        )
        for rank, entry in enumerate(entries, start=1)
    ]
    return block(
        element("h2", "Hall of fame"), element("p", note, class_="note"), table(head, rows)
    )


def _front(run: Run, last: Generation) -> Html:
    """Return strength against size: whoever no other beats in both, in the last generation."""
    front = front_of(last.individuals)
    if run.config.selection.kind != "pareto" or not front:
        return Html()
    places = {last.individuals.index(one) for one in front}
    everybody = [(len(one.tree), one.fitness) for one in last.individuals]
    figure = charts.front_figure(everybody, places, "training fitness")
    head = ("nodes", "training fitness", "tree")
    is_own = "fitness" in run.python_parts()
    rows = [
        (
            str(len(one.tree)),
            fitness_text(run.config, one.fitness, is_own=is_own),
            shortened(str(one.tree)),
        )
        for one in front
    ]
    note = f"Of generation {last.number}: nobody smaller is as strong as one of these."
    return block(
        element("h2", "Strength against size"),
        element("p", note, class_="note"),
        element("div", chart("Front", figure), class_="charts"),
        table(head, rows),
    )


def _what_was_run(run: Run, rows: Sequence[Mapping[str, Any]]) -> Html:
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
