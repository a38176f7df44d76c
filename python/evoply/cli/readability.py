"""`evoply readability`: strength against the number of terms, for several ways to make players."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from evoply.cli.experiments import give_so_far, make_all, save_page
from evoply.cli.long_work import progress_bar, seconds_in_words
from evoply.cli.output import Output, say_section
from evoply.cli.shared_options import (
    NO_CLUSTER,
    Charts,
    CodeInRuns,
    Json,
    RunGame,
    Threads,
    Whole,
    named_options,
    prepared_folder,
)

if TYPE_CHECKING:
    from evoply.experiments import ExperimentFolder

_PAGE = "readability.html"


def readability(
    *,
    game: RunGame = None,
    scale: str = "small",
    terms: str = "",
    seeds: Whole | None = None,
    seconds: float | None = None,
    ways: str = "",
    games: Whole | None = None,
    name: str | None = None,
    charts: Charts = None,
    workers: Threads = 0,
    code_in_runs: CodeInRuns = False,
    json: Json = False,
) -> None:
    """Show what readability costs: the strength of players against their number of terms.

    Players of at most so many terms are made in several ways, and each is
    measured as by `evoply measure`. Ctrl-C stops; the same command goes on.

    Parameters
    ----------
    game
        Default: othello.
    scale
        How much is done: smoke takes seconds, small some minutes, full half a day.
    terms
        Numbers of terms with commas between, instead of those of the scale: what players may use.
        The table counts what they have, all brackets multiplied out, so that a difference of both
        sides is two.
    seeds
        Players of each way and number of terms, instead of those of the scale.
    seconds
        Seconds of one core for each run, instead of those of the scale.
    ways
        Names with commas between, such as trees,map,distilled,found. Default: all of the game.
    games
        Games with each opponent that measures, instead of those of the scale.
    name
        Folder for the runs within runs/ (or $EVOPLY_RUNS). Default: readability-GAME.
    workers
        Runs at a time; 0, the default: one a core.
    """
    from evoply.experiments import made_players, readability_folder
    from evoply.experiments.readable_sizes import COUNTED
    from evoply.reports import save_charts
    from evoply.reports.charts import charts_of
    from evoply.runs import checked_name

    prepared_folder(charts)
    output = Output(json)
    given = {"terms": _terms(terms), "seeds": seeds, "seconds": seconds, "games": games}
    with named_options("scale", "ways"):
        folder = readability_folder(
            None if name is None else checked_name(name),
            game=game or "othello",
            scale=scale,
            ways=_listed("ways", ways, "names of ways", "trees,terms"),
            **{key: value for key, value in given.items() if value not in (None, ())},
        )
    is_stopped = make_all(folder, output, workers, NO_CLUSTER, _costs)
    with progress_bar("Measured", len(folder.units())) as moved:
        found = made_players(
            folder,
            threads=workers,
            progress=lambda done, total: moved(done * len(folder.units()) / total),
        )
    strength, _, every = found.shown().sections
    say_section(every, output)
    output.say(COUNTED)
    for most, player in found.best.items():
        output.say(f"At most {most} terms: {player.way}, {player.mean:.1%}: {player.formula}")
    save_page(found, folder.path / _PAGE, "all players so far are kept", output)
    if charts is not None:
        files = save_charts(charts_of(strength), charts)
        output.labelled("Charts", f"{len(files)} files in {charts}")
    give_so_far(output, found.to_dict(), "finished steps of runs are kept" * is_stopped)


def _listed(option: str, text: str, what: str, example: str) -> tuple[str, ...]:
    """Return the parts of *text* between commas; raise `ValueError` for an empty one."""
    parts = tuple(part.strip() for part in text.split(","))
    if text and not all(parts):
        raise ValueError(f"--{option} {text}: write {what} with commas between, as in {example}")
    return parts if text else ()


def _terms(text: str) -> tuple[int, ...]:
    parts = _listed("terms", text, "numbers from 1 to 100", "3,8,20")
    if not all(part.isdecimal() and 1 <= int(part) <= 100 for part in parts):
        raise ValueError(f"--terms {text}: write numbers from 1 to 100 with commas, as in 3,8,20")
    return tuple(sorted({*map(int, parts)}))


def _costs(folder: ExperimentFolder, slots: int) -> Iterator[str]:
    from evoply.environment import core_count
    from evoply.experiments.readable_sizes import seconds_needed

    count = len(folder.waiting())
    time = seconds_in_words(seconds_needed(folder, slots or core_count()))
    yield f"{count} run{'s' * (count != 1)} to make, and the players to measure: {time} in all"
