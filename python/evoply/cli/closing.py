"""What is said and kept when a run has ended: champion, matches, report, and how to play it."""

from __future__ import annotations

from typing import Any

from evoply.arena import match
from evoply.cli.explaining import say_explanation
from evoply.cli.match import match_table, progress_bar
from evoply.cli.output import Output, table
from evoply.cli.report import REPORT_FILE
from evoply.cli.suggesting import suggested
from evoply.evolution import fitness_text, front_of, individual_player
from evoply.players import Player, parse_player, with_options
from evoply.reports import explain
from evoply.runs import Run
from evoply.wording import shorten

__all__ = ["TEST_GAMES", "TEST_OPPONENTS", "close_run"]

TEST_GAMES = 1000
TEST_OPPONENTS = ("random", "greedy", "swh")
"""Whom a champion meets at the end; swh only where it fits the board."""


def close_run(run: Run, output: Output, *, threads: int, with_tests: bool) -> dict[str, Any]:
    """Show the champion, test it, write the report; return all of it as JSON-ready data."""
    champion = run.champion
    player = with_options(
        individual_player(run.config, champion.tree), {}, name=f"champion@{run.name}"
    )
    digests = run.digests()
    output.say()
    output.say(
        f"Champion of {run.name}: {len(champion.tree)} nodes, from generation "
        f"{champion.generation} of {len(digests)}",
        style="bold",
    )
    explained = explain(player, game=run.config.game)
    say_explanation(output, explained)
    front = _front(run, output) if run.config.selection.kind == "pareto" else []
    matches = []
    if with_tests:
        matches = _kept_matches(run, str(champion.tree)) or _matches(run, player, threads)
        output.say()
        output.say(
            f"Matches of {TEST_GAMES:,} games: {TEST_GAMES // 2} openings of "
            f"{matches[0]['openings']} random plies, each played twice with colours swapped"
        )
        output.people.print(match_table(matches, output.people.width))
    report = _write_report(run, output) if with_tests else None
    play = suggested(f"play --against champion@{run.name}")
    output.labelled("Run folder", str(run.path))
    output.labelled("Play it", play)
    return {
        "run": str(run.path),
        "name": run.name,
        "status": run.status,
        "generations": len(digests),
        "digest": digests[-1],
        "champion": {
            "nodes": len(champion.tree),
            "generation": champion.generation,
            **explained.to_dict(),
        },
        **({"front": front} if front else {}),
        "matches": matches,
        "report": report,
        "play": play,
    }


def _front(run: Run, output: Output) -> list[dict[str, Any]]:
    """Show the front of strength against size of the last generation, and return it as data."""
    last = run.last()
    front = () if last is None else front_of(last.individuals)
    listed = table("nodes", "training", "tree", left=("tree",))
    for one in front:
        fitness = fitness_text(run.config, one.fitness)
        listed.add_row(str(len(one.tree)), fitness, shorten(str(one.tree), 100))
    output.say()
    output.say("Strength against size in the last generation: nobody smaller is as strong")
    output.people.print(listed)
    return [
        {"nodes": len(one.tree), "fitness": one.fitness, "tree": str(one.tree)} for one in front
    ]


def _kept_matches(run: Run, tree: str) -> list[dict[str, Any]]:
    """Return the test matches of this champion if they were played before."""
    wanted = {"tree": tree, "generation": run.count() - 1}
    return [match for match in run.matches() if wanted.items() <= match.items()]


def _matches(run: Run, player: Player, threads: int) -> list[dict[str, Any]]:
    """Play the test matches; keep and return their results, with the tree they are about."""
    game = run.config.game
    opponents = [name for name in TEST_OPPONENTS if _fits(name, game)]
    about = {"tree": str(run.champion.tree), "generation": run.count() - 1}
    results = []
    with progress_bar("test matches", TEST_GAMES * len(opponents), is_shown=True) as progress:
        for number, opponent in enumerate(opponents):

            def told(done: int, before: int = number * TEST_GAMES) -> None:
                progress(before + done)

            result = match(
                player,
                opponent,
                game=game,
                games=TEST_GAMES,
                draws=run.config.draws.rules(game),
                # Matches have keys of their own purpose: never the openings of training.
                seed=run.config.seed,
                threads=threads,
                progress=told,
            )
            results.append({**result.to_dict(), **about})
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
