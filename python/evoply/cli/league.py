"""`evoply league`: every method made afresh at an equal budget, and all against all."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evoply.cli.compare import give_so_far, make_all, save_page
from evoply.cli.long_work import seconds_in_words
from evoply.cli.output import Output, say_section
from evoply.cli.shared_options import (
    NO_CLUSTER,
    ClusterOptions,
    CodeInRuns,
    Json,
    RunGame,
    Threads,
    Whole,
)

if TYPE_CHECKING:
    from evoply.experiments import ExperimentFolder
    from evoply.leagues import League

_PAGE = "league.html"


def league(
    *,
    game: RunGame = None,
    methods: str = "",
    with_: Annotated[
        list[str] | None, Parameter("--with", negative="", consume_multiple=False)
    ] = None,
    budget: str = "full",
    seeds: Whole = 5,
    games: Whole = 8,
    move_time: float = 0.01,
    depth: Whole = 4,
    name: str | None = None,
    workers: Annotated[
        Threads,
        Parameter(
            help="Runs and games at a time; 0, the default: one a core. No player depends on it."
        ),
    ] = 0,
    cluster: ClusterOptions = NO_CLUSTER,
    code_in_runs: CodeInRuns = False,
    json: Json = False,
) -> None:
    """Make the best player of every method afresh, let all play all, and write a page.

    Every method gets the same budget of counted computation, seed by seed. The players of a
    seed then meet: at equal time a move, and at equal depth. Ctrl-C stops; the same command
    goes on.

    Parameters
    ----------
    game
        Default: othello.
    methods
        Names with commas between, such as liao,firebrand,patterns. Default: all of the game.
    with_
        A method of your own: a config, a preset or the folder of a run, made with the same
        budget; or a player, as for `evoply match`, which is a line of reference. May be given
        several times.
    budget
        What each player may use: full (3 minutes of two cores), small (3 seconds), or seconds
        of one core. They are counted in games or work, so they are the same on every machine.
    seeds
        Players of each method.
    games
        Games of every two players of a seed, under each condition.
    move_time
        Seconds for a move in the games at equal time.
    depth
        Plies that all look ahead in the other games; 0: there are none.
    name
        Folder of the league within runs/ (or $EVOPLY_RUNS). Default: league-GAME.
    """
    from evoply.leagues.league_data import results_of
    from evoply.leagues.league_result import League, budget_of, league_folder
    from evoply.runs import checked_name

    output = Output(json)
    folder = league_folder(
        None if name is None else checked_name(name),
        game=game or "othello",
        seeds=seeds,
        budget=budget_of(budget),
        games=games,
        move_time=move_time,
        depth=depth,
        methods=tuple(part.strip() for part in methods.split(",") if part.strip()),
        own=tuple(with_ or ()),
    )
    is_stopped = make_all(folder, output, workers, cluster, _costs)
    found = League.of(results_of(folder))
    _say(found, output)
    save_page(found, folder.path / _PAGE, "all players and games so far are kept", output)
    kept = "finished steps of players and finished games are kept"
    give_so_far(output, found.to_dict(), kept * is_stopped)


def _costs(folder: ExperimentFolder, slots: int) -> Iterator[str]:
    from evoply.experiments.all_play_all import measure_of_league
    from evoply.processes import core_count

    plan, measure = folder.experiment, measure_of_league(folder)
    many = len(measure.entrants)
    runs = plan.seeds * (many - len(folder.players))
    seconds = seconds_in_words(measure.budget * runs / (slots or core_count()))
    seeds = f"{plan.seeds} seed{'s' * (plan.seeds > 1)}"
    unsure = " (too few for an interval: three or more have one)" * (plan.seeds == 2)
    yield (
        f"{many} take part with {seeds}{unsure}: {seconds} to make {runs} players, then their games"
    )


def _say(found: League, output: Output) -> None:
    from evoply.leagues.league_page import ratings_of

    for standings in found.standings.values():
        output.say()
        output.say(f"At {standings.words}")
        say_section(ratings_of(standings), output)
    if not found.is_whole:
        output.say("Not everything is made and played yet.")
