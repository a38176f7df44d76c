"""`evoply match`: two players, every opening twice with colours swapped, one honest result."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from evoply.cli.options import Game, Json, Position, Seed, Threads
from evoply.cli.output import Output, percent, stderr, table

if TYPE_CHECKING:
    from rich.table import Table


__all__ = ["interval_text", "match", "match_table", "progress_bar"]


def match(
    first: str,
    second: str,
    /,
    *,
    games: int = 1000,
    seed: Seed = 1,
    game: Game = None,
    openings: int | Literal["none"] = 8,
    position: Position = None,
    threads: Threads = 0,
    quiet: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    json: Json = False,
) -> None:
    """Play a match between two players.

    A player is random, greedy, swh, material, mobility, a tree such as
    '( + white white_corners )', champion@RUN, or a saved file. Options
    follow a colon: material:depth=4, champion@RUN:depth=2,ties=random.

    Parameters
    ----------
    first
        The player whose wins are counted.
    second
        Its opponent.
    games
        How many games; even, because every opening is played twice, with colours swapped.
    openings
        Random legal plies before the players begin; none plays from the start.
    quiet
        Show no progress.
    """
    from evoply.arena import match as play_match
    from evoply.cli.player_texts import read_players, read_position

    game, (one, other) = read_players([first, second], game)
    if openings != "none" and not 0 <= openings <= 1000:
        raise ValueError(f"--openings: {openings} is not a number from 0 to 1000, or none")
    start = read_position(game, position).position
    output = Output(json)
    with progress_bar(f"{one.label} against {other.label}", games, is_shown=not quiet) as progress:
        result = play_match(
            one,
            other,
            game=game,
            games=games,
            seed=seed,
            openings=None if openings == "none" else openings,
            start=start,
            threads=threads,
            progress=progress,
        )
    output.people.print(match_table([result.to_dict()]))
    if result.interval is None:
        output.say(
            f"Only {result.distinct_games} of the {result.games} games are different: too few "
            "for an interval."
        )
    if not result.reproducible:
        output.say("A player is limited in time: the same match may end differently next time.")
    output.result(result.to_dict())


@contextmanager
def progress_bar(title: str, total: int, *, is_shown: bool) -> Iterator[Callable[[int], object]]:
    """Show a bar on standard error while something is done; give the function that moves it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeft

    console = stderr()
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeLeft(),
        console=console,
        transient=True,
        disable=not (is_shown and console.is_terminal),
    )
    with bar:
        task = bar.add_task(title, total=total)
        yield lambda done: bar.update(task, completed=done)


def match_table(results: Sequence[Mapping[str, Any]]) -> Table:
    """Return results, as `MatchResult.to_dict` gives them, as a table."""
    made = table(
        "player",
        "opponent",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "95 % interval",
        left=("player", "opponent"),
    )
    for result in results:
        made.add_row(
            result["first"],
            result["second"],
            *(f"{result[name]:,}" for name in ("games", "wins", "draws", "losses")),
            percent(result["score"]),
            interval_text(result["interval"]),
        )
    return made


def interval_text(interval: Sequence[float] | None) -> str:
    """Return an interval of shares as text, "-" for none.

    >>> interval_text((0.7, 0.8123))
    '70.0 to 81.2 %'
    """
    return "-" if interval is None else f"{100 * interval[0]:.1f} to {100 * interval[1]:.1f} %"
