"""`evoply measure`: players beside each other, each against the same opponents."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.long_work import give_played, played, progress_bar
from evoply.cli.output import Output, say_section
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, only


def measure(
    *players: str,
    against: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None,
    games: shared_options.Whole = 2000,
    conditions: Annotated[WrittenTerms, only("seed", "game", "openings", "threads")] = USUAL_TERMS,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    json: shared_options.Json = False,
) -> None:
    """Measure readable players, each against the same opponents.

    In Othello these are swh and mobility (a tenth of the moves of both sides is
    random), strong:depth=1, nine numbers by hand, and champions of earlier demos.
    A player is stronger than another if at least two opponents say so and none
    says otherwise.

    Parameters
    ----------
    players
        Players, as for `evoply match`.
    against
        One more opponent, such as an engine, which plays a tenth of the games; may be given several
        times.
    games
        Games against each opponent, an even number.
    """
    from evoply import arena
    from evoply.cli.player_texts import read_players, read_terms

    if not players:
        raise ValueError("give one or more players, such as: evoply measure champion by-hand")
    others = against or []
    game, read = read_players([*players, *others], conditions.game, programs)
    terms = read_terms(conditions, game)
    output = Output(json)
    total = len(players) * games * (len(arena.yardsticks(game)) + len(others))
    with (
        shared_options.named_options("games"),
        progress_bar("Games", total) as moved,
    ):
        found, is_stopped = played(
            lambda: arena.measure(
                read[: len(players)],
                game=game,
                against=read[len(players) :],
                games=games,
                openings=terms["openings"],
                seed=terms["seed"],
                threads=terms["threads"],
                progress=lambda done, whole: moved(done * total / whole),
            )
        )
    (table,) = found.shown().sections
    say_section(table, output)
    output.say(f"{table.note} Seed {found.seed}, {games:,} games against each.")
    give_played(output, found.to_dict(), "stopped: these rows are whole" * is_stopped)
