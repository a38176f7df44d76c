"""A run as one HTML page that opens without a network.

The page is made from the run folder alone, for runs of any length: unfinished ones have fewer
sections.
"""

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from evoply.arena.matches import MATCH, RESULT
from evoply.environment.files import write_atomically
from evoply.environment.refusals import reason
from evoply.games import game_rules
from evoply.gp import tree_svg
from evoply.learning import LearningConfig
from evoply.learning.learning_kind import weight_plots
from evoply.learning.pruning import terms_section
from evoply.players import Player
from evoply.protocols.sections import (
    FACTS,
    Column,
    Page,
    Picture,
    Section,
    cells_of,
    chosen,
    share,
    shares,
)
from evoply.reports.charts import Chart, plot_charts, sampled
from evoply.reports.explanation import Explanation, explain_champion
from evoply.reports.influences import Influence, columns_filled, lost_text, percent
from evoply.reports.open_evaluator import is_drawn, square_effects, tree_of
from evoply.reports.pages import result_html
from evoply.reports.part_words import joined
from evoply.runs import Run, RunError, played_matches
from evoply.wording import status_in_words

Rows = Sequence[Mapping[str, Any]]
_MOST_ROWS = 1000  # generations in a table


def write_report(run: Run, path: str | os.PathLike[str] | None = None) -> Path:
    """Write the page about *run* and return its path, by default `report.html` in its folder.

    The file is replaced as a whole or not at all. Raises `RunError` if it cannot be written.
    """
    target = run.path / "report.html" if path is None else Path(path)
    try:
        write_atomically(target, report_html(run))
    except OSError as error:
        raise RunError(f"{target} cannot be written: {reason(error, target)}") from None
    return target


def run_charts(run: Run) -> list[Chart]:
    """Return the charts of the page about *run*; none without a step."""
    rows = run.drawn_rows()
    return plot_charts(run.kind.display.plots(run.config, rows) if rows else [], rows)


def weight_charts(config: LearningConfig, rows: Rows) -> list[Chart]:
    """Return a chart of all weights against games, and one for each power of the time weights."""
    return plot_charts(weight_plots(config), rows)


def own_part(run: Run, rows: Rows) -> tuple[Mapping[str, str], Sequence[Section]]:
    """Return the facts and sections that the kind of learner of *run* adds to pages about it."""
    make = run.kind.page
    return ({"learner": run.kind.name}, ()) if make is None else make(run, rows)


def report_html(run: Run) -> str:
    """Return the page about *run* as text; pages of very long runs show a sample of them."""
    rows = run.rows()
    facts, sections = own_part(run, rows) if rows else ({}, ())
    shown = sampled(rows, _MOST_ROWS)
    more = f"`evoply runs {shlex.quote(run.name)} --csv FOLDER` writes all."
    sample = f"Evenly spaced {run.step_word}s; {more}" if len(shown) < len(rows) else ""
    found = Section("How it was found", FACTS, [*_facts(run, rows, facts).items()], look="plain")
    learned = _learned(run, shown, sample, found, sections) if rows else []
    return result_html(
        Page(
            f"{run.name}: {game_rules(run.config.game).title}",
            [
                *(learned or [Section("", sentences=[f"No {run.step_word} is finished yet."])]),
                _what_was_run(run, rows, shown, sample),
            ],
            {} if learned else _facts(run, rows, facts),
            f"evoply {run.version}, started {_moment(run.created)}",
        )
    )


def _learned(
    run: Run, shown: Rows, sample: str, found: Section, sections: Sequence[Section]
) -> list[Section]:
    """Return the sections that need at least one generation."""
    champion = run.champion_player
    explanation = explain_champion(run)
    numbers = Section("", run.columns(shown), shown, sample, look="numbers", folded="All numbers")
    return [
        Section(
            "",
            sentences=[*filter(None, [explanation.sentence, explanation.reading]), *_strength(run)],
        ),
        _champion(run, champion, explanation),
        _matches(run),
        found,
        Section(f"{run.step_word.capitalize()}s", charts=run_charts(run), parts=[numbers]),
        *sections,
    ]


def strength_sentence(measured: Mapping[str, Any]) -> str:
    """Return how strong a champion is, by the note that is `Run.strength`.

    >>> rows = [{"opponent": "swh", "score": 0.78, "games": 200}]
    >>> strength_sentence({"rows": rows})
    'it scores 78 % against swh, whom it never met (200 games, as by `evoply measure`)'
    """
    rows = measured["rows"]
    scores = joined([f"{percent(row['score'])} against {row['opponent']}" for row in rows])
    games = f"{rows[0]['games']} games{' each' * (len(rows) > 1)}"
    return f"it scores {scores}, whom it never met ({games}, as by `evoply measure`)"


def _strength(run: Run) -> list[str]:
    measured = run.strength
    return [] if measured is None else [f"I{strength_sentence(measured)[1:]}."]


def _matches(run: Run) -> Section:
    played = played_matches(run)
    earlier = [
        {**result, "first": f"champion after {run.step_word} {result['generation']}"}
        for result in played.earlier
    ]
    parts = [
        Section("Earlier champions", _MATCHES, earlier, "Before the run went on.", longest=30),
        Section(
            "Other matches",
            _MATCHES,
            played.others,
            "They were kept with the run and may be of any player.",
            longest=30,
        ),
    ]
    note = (
        "Points per game of the player (win 1, draw ½) on openings used nowhere in training; every "
        "opening is played twice with colours swapped, and intervals come from these pairs."
        if played.champion
        else f"No test matches were played yet: `evoply resume {shlex.quote(run.name)}` plays them "
        "at the end of the run, and writes this page again."
    )
    return Section(
        "Matches",
        _MATCHES if played.champion else (),
        played.champion,
        note,
        longest=30,
        parts=parts,
    )


def _champion(run: Run, champion: Player, explanation: Explanation) -> Section:
    tree = tree_of(champion)
    pictures = []
    if tree is not None and is_drawn(tree):
        pictures.append(Picture(tree_svg(tree), "The tree", "tree"))
    too_large = tree is not None and not pictures
    heat_map = board_map(champion, run.config.game)
    if heat_map is not None:
        pictures.append(heat_map)
    count = len(explanation.exceptions)
    exceptions = Section(
        "",
        points=[f"`{text}`" for text in explanation.exceptions],
        folded=f"Protected division: {count} exception{'s' * (count > 1)} (same move in "
        f"{percent(explanation.agreement or 0)} of positions)",
    )
    as_it_is = Section(
        "",
        text=str(tree or champion.label),
        folded="As data" if tree is None else "As it was evolved",
    )
    boards = f"{explanation.positions:,} positions of random games"
    of_terms = (
        f"What the player loses to itself in 100 games ({explanation.games:,} were played, with 95 "
        f"% intervals), and how often its move changes in {boards}, when the term is left out of "
        "the simplified form."
        if explanation.games and explanation.parts_are_terms
        else f"How often the chosen move changes in {boards} when the term is left out of the "
        "simplified form."
    )
    of_features = "The same, when what is measured on the board is replaced by its average."
    size = f"The tree of {len(tree or ()):,} nodes is too large for a picture."
    return Section(
        "Champion",
        note=_note(run),
        parts=[
            Section("", pictures=pictures, note=size * too_large),
            Section("Simplified", text=explanation.simplified or ""),
            exceptions,
            *_pruned(run),
            as_it_is,
            _influence("Influence of each term", of_terms, explanation.terms),
            _influence("Influence of each feature", of_features, explanation.features),
        ],
    )


def _pruned(run: Run) -> list[Section]:
    """Return the champion without what it can do without."""
    pruned = run.pruned
    if pruned is None:
        return []
    changes = ", ".join(f"`{change['name']}`" for change in pruned["left_out"])
    note = (
        f"Without {changes} it scores {share(pruned['compared'][0]['pruned'])} against the whole "
        f"champion. It plays as `champion@{run.name}@pruned`. The table has the points of 100 that "
        "it loses without each term."
    )
    table = terms_section(pruned["stages"], pruned["terms"])
    return [replace(table, title="Pruned", text=pruned["formula"], note=note)]


def _note(run: Run) -> str:
    if run.kind.facts is None:
        return ""
    return run.kind.facts(run.champion, run.last()).note


def _influence(title: str, note: str, influences: Sequence[Influence]) -> Section:
    parts = sorted(influences, key=attrgetter("rank"))
    columns, rest = columns_filled(_PARTS, parts), parts[_MOST_PARTS:]
    folded = Section("", columns, rest, folded=f"{len(rest)} more", longest=90)
    return Section(title, columns, parts[:_MOST_PARTS], note, longest=90, parts=[folded])


def _wants(part: Influence) -> str:
    # Where the words hold a formula, the term itself says it already.
    return "" if "`" in part.wants else f"{part.verb} {part.wants}"


_MATCHES = (
    *chosen(MATCH, "first second"),
    RESULT,
    *chosen(MATCH, "score"),
    Column("interval", "95 % interval", shares, missing="none: too few distinct games"),
    Column("", "", read=lambda result: (result["score"], result.get("interval")), look="scale"),
    Column("", "games", "{games:,.0f} ({distinct_games:,.0f} distinct)".format_map, read=dict),
    Column("seed", "seed", str),
)
_PARTS = (
    Column("text", "part", str, look="code"),
    Column("wants", "wants", str, read=_wants, look="faint"),
    Column("bar", "", read=attrgetter("share"), look="bar"),
    Column("lost", "points lost", lost_text, read=lambda part: part),
    Column("share", "moves changed", percent),
    Column("role", "", str),
)
_MOST_PARTS = 12
_COMMANDS = cells_of("", "of the run", **{"of the run": "code"})


def _facts(run: Run, rows: Rows, own: Mapping[str, str]) -> dict[str, str]:
    facts = {
        "status": status_in_words(run.status, run.ended_by),
        f"{run.step_word}s": f"{len(rows):,}",
    }
    if rows:
        seconds = sum(step.seconds for step in run.steps())
        facts |= {**own, "time": _duration(seconds)}
    if not run.games.are_reproducible:
        facts["reproducible"] = "no: an opponent may play otherwise in the same game"
    return facts


def board_map(player: Player, game: str) -> Picture | None:
    """Return what each square of the board is worth to *player*; None if it weighs no squares."""
    effects = square_effects(player, game)
    finite = [value for value in effects or () if math.isfinite(value)]
    if effects is None or not finite or max(map(abs, finite)) == 0:
        return None
    rules = game_rules(game)
    caption = (
        f"What an own {rules.piece} on a square adds, compared with an opponent's there"
        " (mean change)"
    )
    # More digits of small values would not fit the squares.
    exponent = math.floor(math.log10(max(map(abs, finite))))
    digits = (2 if exponent >= 0 else 1) - exponent
    return Picture(rules.heat_map([round(value, digits) for value in effects]), caption, "map")


def _what_was_run(run: Run, rows: Rows, shown: Rows, sample: str) -> Section:
    facts = [
        ("game", game_rules(run.config.game).title),
        ("seed", str(run.config.seed)),
        ("version", f"evoply {run.version}, signature {run.signature}"),
    ]
    commands = [("command", run.command or "(from Python)")]
    if rows:
        play = f"evoply play --against {shlex.quote(f'champion@{run.name}')}"
        commands.append(("play against it", play))
    events = [
        f"{_moment(event['time'])}: {event['kind']} {event.get('status', '')}"
        for event in run.events()
    ]
    digests = Section(
        "",
        (Column("number", run.step_word, str), Column("digest", "digest", str)),
        shown,
        "Two runs with equal digests computed the same: config, individuals, seeds, fitness. "
        + sample,
        folded=f"Digest of every {run.step_word}",
        look="numbers",
    )
    config = (run.path / "config.toml").read_text(encoding="utf-8")
    return Section(
        "What was run",
        FACTS,
        facts,
        look="plain",
        parts=[
            Section("", _COMMANDS, commands, look="plain", longest=1000),
            Section("", text=config, folded="Config (config.toml)"),
            Section("", points=events, folded="History"),
            digests,
        ],
    )


def _moment(text: str) -> str:
    return f"{text[:16].replace('T', ' ')} UTC"


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
