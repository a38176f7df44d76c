"""The summary of a run that has ended: champion, matches, report, and how to play it."""

import shlex
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

from evoply.arena import match
from evoply.cli.explaining import say_explanation
from evoply.cli.match import match_table
from evoply.cli.output import Output, say_listing
from evoply.cli.progress import progress_bar
from evoply.cli.report import REPORT_FILE
from evoply.cli.shell_hints import suggested
from evoply.players import Player, parse_player, with_options
from evoply.reports import explain
from evoply.runs import ChampionFacts, Run, match_of, played_matches

TEST_GAMES = 1000
_TIMED = (
    "Its time limit ended this run: on another machine, or next time, the same seed may end it "
    "after more or fewer {0}s. Ended by another limit, it is the same everywhere."
)
TEST_OPPONENTS = ("random", "greedy", "swh")
"""Whom a champion meets at the end; swh only where it fits the board."""


def close_run(run: Run, output: Output, *, threads: int, with_tests: bool) -> dict[str, Any]:
    """Show the champion, test it, write the report; return all of it as JSON-ready data."""
    facts = run.kind.display.champion_facts(run.champion, run.last())
    player = with_options(run.champion_player, {}, name=f"champion@{run.name}")
    digests = run.digests()
    output.say()
    if run.ended_by == "time_limit":
        output.say(_TIMED.format(run.step_word))
    output.say(f"Champion of {run.name}: {facts.title}", style="bold")
    explained = explain(player, game=run.config.game)
    say_explanation(output, explained)
    listings = run.kind.display.listings(run.config, run.last())
    for listing in listings:
        say_listing(listing, output)
    matches: list[Mapping[str, Any]] = []
    if with_tests:
        matches = [*played_matches(run).champion] or _matches(run, player, facts, threads)
        output.say()
        output.say(
            f"Matches of {TEST_GAMES:,} games: {TEST_GAMES // 2} openings of "
            f"{matches[0]['openings']} random plies, each played twice with colours swapped"
        )
        output.people.print(match_table(matches, output.people.width))
    report = _write_report(run, output) if with_tests else None
    play = suggested(f"play --against {shlex.quote(f'champion@{run.name}')}")
    output.labelled("Run folder", str(run.path))
    output.labelled("Play it", play)
    if find_spec("fastapi") is not None:  # which comes with evoply[web]
        output.labelled("Browser", suggested("web"))
    return {
        "run": str(run.path),
        "name": run.name,
        "status": run.status,
        "ended_by": run.ended_by or None,
        "generations": len(digests),
        "digest": digests[-1],
        "champion": {**facts.data, **explained.to_dict()},
        **{listing.name: listing.data() for listing in listings},
        "matches": matches,
        "report": report,
        "play": play,
    }


def _matches(
    run: Run, player: Player, facts: ChampionFacts, threads: int
) -> list[Mapping[str, Any]]:
    game = run.config.game
    opponents = [name for name in TEST_OPPONENTS if _fits(name, game)]
    results: list[Mapping[str, Any]] = []
    with progress_bar("test matches", TEST_GAMES * len(opponents), is_shown=True) as progress:
        for number, opponent in enumerate(opponents):

            def report_done(done: int, before: int = number * TEST_GAMES) -> None:
                progress(before + done)

            result = match(
                player,
                opponent,
                game=game,
                games=TEST_GAMES,
                draws=run.games.draws,
                # Matches have keys of their own purpose: never the openings of training.
                seed=run.config.seed,
                threads=threads,
                progress=report_done,
            )
            results.append(match_of(run.champion_player, result.to_dict(), facts.identity))
    for data in results:
        run.save_match(data)
    return results


def _fits(opponent: str, game: str) -> bool:
    try:
        parse_player(opponent, game=game)
    except ValueError:
        return False
    return True


def _write_report(run: Run, output: Output) -> str:
    from evoply.reports import write_report

    path = write_report(run, run.path / REPORT_FILE)
    output.labelled("Report", str(path))
    return str(path)
