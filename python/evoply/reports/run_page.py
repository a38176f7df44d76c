"""A run as one HTML page that opens without a network.

The page is made from the run folder alone, for runs of any length: unfinished ones have fewer
sections.
"""

import math
import os
import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from evoply.files import write_atomically
from evoply.games import game_rules
from evoply.gp import tree_svg
from evoply.players import Player
from evoply.refusals import reason
from evoply.reports.charts import Chart
from evoply.reports.evolution_page import EvolutionPage
from evoply.reports.explanation import explain
from evoply.reports.influence import square_effects
from evoply.reports.kind_page import KindPage, Rows
from evoply.reports.learning_page import LearningPage
from evoply.reports.open_evaluator import is_drawn, tree_of
from evoply.reports.pages import page
from evoply.reports.series import sampled
from evoply.reports.status import status_in_words
from evoply.runs import Run, RunError, played_matches
from evoply.runs.columns import table

_MOST_ROWS = 1000  # generations in a table


PAGES: Mapping[str, KindPage] = {
    "evolution": EvolutionPage(),
    "learning": LearningPage(),
}
"""Pages by the name of the kind of learner; any other kind has a `KindPage`."""


def page_of(run: Run) -> KindPage:
    """Return what the kind of learner of *run* adds to pages about it."""
    return PAGES.get(run.kind.name, KindPage())


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
    rows = run.rows()
    return page_of(run).charts(run, rows) if rows else []


def report_html(run: Run) -> str:
    """Return the page about *run* as text; pages of very long runs show a sample of them."""
    rows = run.rows()
    kind_page = page_of(run)
    shown = sampled(rows, _MOST_ROWS)
    return page(
        "run.html",
        title=f"{run.name}: {game_rules(run.config.game).title}",
        run=run,
        rows=rows,
        facts=_facts(kind_page, run, rows),
        what_was_run=_what_was_run(run),
        commands=_commands(run, rows),
        config_text=(run.path / "config.toml").read_text(encoding="utf-8"),
        events=[{"status": "", **event} for event in run.events()],
        step_word=run.step_word,
        digests=[(row["number"], row["digest"]) for row in shown],
        is_sampled=len(shown) < len(rows),
        export_command=f"evoply runs {shlex.quote(run.name)} --csv FOLDER",
        **(_learning_data(kind_page, run, rows, shown) if rows else {}),
    )


def _learning_data(kind_page: KindPage, run: Run, rows: Rows, shown: Rows) -> dict[str, Any]:
    """Return the parts of the page that need at least one generation."""
    played = played_matches(run)
    champion = run.champion_player
    tree = tree_of(champion)
    return {
        "explanation": explain(champion, game=run.config.game),
        "matches": [_match_row(result, result["first"]) for result in played.champion],
        "earlier_matches": [
            _match_row(result, f"champion after {run.step_word} {result['generation']}")
            for result in played.earlier
        ],
        "other_matches": [_match_row(other, other["first"]) for other in played.others],
        "resume_command": f"evoply resume {shlex.quote(run.name)}",
        "champion": champion,
        "champion_note": kind_page.champion_note(run),
        "tree": None if tree is None else str(tree),
        "nodes": 0 if tree is None else len(tree),
        "tree_svg": tree_svg(tree) if tree is not None and is_drawn(tree) else None,
        "heat_map": _heat_map(champion, run.config.game),
        "charts": kind_page.charts(run, rows),
        "numbers_of": table(run.columns(rows), shown, is_whole=True),
        "sections": kind_page.sections(run),
    }


def _facts(kind_page: KindPage, run: Run, rows: Rows) -> dict[str, str]:
    facts = {
        "status": status_in_words(run.status, run.ended_by),
        f"{run.step_word}s": f"{len(rows):,}",
    }
    if rows:
        seconds = sum(step.seconds for step in run.steps())
        facts |= {**kind_page.facts(run, rows), "time": _duration(seconds)}
    if not run.kind.display.games(run.config).are_reproducible:
        facts["reproducible"] = "no: an opponent may play otherwise in the same game"
    return facts


def _match_row(result: Mapping[str, Any], player: object) -> Sequence[object]:
    interval = result.get("interval")
    return (
        str(player),
        str(result["second"]),
        f"+{result['wins']} ={result['draws']} \N{MINUS SIGN}{result['losses']}",
        f"{result['score']:.1%}",
        f"{interval[0]:.1%} to {interval[1]:.1%}" if interval else "none: too few distinct games",
        (result["score"], interval),
        f"{int(result['games']):,} ({int(result['distinct_games']):,} distinct)",
        str(result["seed"]),
    )


def _heat_map(player: Player, game: str) -> tuple[str, str] | None:
    """Return a caption and a picture of what each square is worth, if any is worth anything."""
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
    return caption, rules.heat_map([round(value, digits) for value in effects])


def _what_was_run(run: Run) -> list[tuple[str, str]]:
    return [
        ("game", game_rules(run.config.game).title),
        ("seed", str(run.config.seed)),
        ("version", f"evoply {run.version}, signature {run.signature}"),
    ]


def _commands(run: Run, rows: Rows) -> list[tuple[str, str]]:
    commands = [("command", run.command or "(from Python)")]
    for what, part in run.python_parts().items():
        commands.append((f"Python {what}", f"{part['name']} ({part['source'][:16]})"))
    if rows:
        commands.append(
            ("play against it", f"evoply play --against {shlex.quote(f'champion@{run.name}')}")
        )
    return commands


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"
