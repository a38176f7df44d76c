"""`evoply league`: every method made afresh at an equal budget, and all against all."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

from cyclopts import Parameter

from evoply.cli.experiments import give_so_far, make_all, save_page
from evoply.cli.long_work import seconds_in_words, share_bar
from evoply.cli.output import Output, made, say_section
from evoply.cli.shared_options import (
    NO_CLUSTER,
    USUAL_GAMES,
    ClusterOptions,
    CodeInRuns,
    Json,
    LeagueGames,
    RunGame,
    Threads,
    Whole,
)

if TYPE_CHECKING:
    from evoply.experiments import ExperimentFolder
    from evoply.experiments.leagues import League

_PAGE = "league.html"


def league(
    played: str | None = None,
    /,
    *,
    game: RunGame = None,
    methods: str = "",
    with_: Annotated[
        list[str] | None, Parameter("--with", negative="", consume_multiple=False)
    ] = None,
    budget: str = "full",
    seeds: Whole = 5,
    league_games: LeagueGames = USUAL_GAMES,
    paces: str = "",
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

    Every method gets the same budget of counted computation, seed by seed. The
    players of a seed then meet: at equal time a move, and at equal depth. Ctrl-C
    stops; the same command goes on. The name of a league alone shows its results.

    Parameters
    ----------
    played
        A league that was made: shows its results and writes its page again, and plays nothing.
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
        of one core. They are counted in games or work.
    seeds
        Players of each method.
    paces
        What a core does in a second, which counts budgets: measured (here, before it begins),
        reference (another machine's), a league whose paces are taken, or LEAGUE:made, what its
        runs really did. Default: measured; a league that was begun keeps its own.
    name
        Folder of the league within runs/ (or $EVOPLY_RUNS). Default: league-GAME.
    """
    from evoply.cli.player_texts import listed_openings
    from evoply.experiments.leagues.encounters import results_of
    from evoply.experiments.leagues.league_result import League, budget_of, league_folder
    from evoply.experiments.leagues.machine import play_league
    from evoply.runs import checked_name

    output = Output(json)
    given = (game, methods, with_, budget, seeds, league_games, paces, name, workers, cluster)
    if played is not None:
        _show(played, output, is_alone=given == _NOTHING_GIVEN)
        return
    listed = None
    if league_games.openings is not None:
        listed = listed_openings(league_games.openings, game or "othello")
    with share_bar("what one core does in a second") as move:
        folder = league_folder(
            None if name is None else checked_name(name),
            game=game or "othello",
            seeds=seeds,
            budget=budget_of(budget),
            **asdict(league_games) | {"openings": listed},
            methods=tuple(part.strip() for part in methods.split(",") if part.strip()),
            own=tuple(with_ or ()),
            paces=paces,
            tell=lambda what, share: move(share, what, None),
        )
    is_stopped = make_all(folder, output, workers, cluster, _costs, play_league)
    found = League.of(results_of(folder))
    _say(found, output)
    save_page(found, folder.path / _PAGE, "all players and games so far are kept", output)
    kept = "finished steps of players and finished games are kept"
    give_so_far(output, found.to_dict(), kept * is_stopped)


_NOTHING_GIVEN = (None, "", None, "full", 5, USUAL_GAMES, "", None, 0, NO_CLUSTER)


def _show(name: str, output: Output, *, is_alone: bool) -> None:
    """Show what a league has, and write its page again."""
    from evoply.experiments.leagues.league_result import load_league

    if not is_alone:
        raise ValueError(
            f"league {name}: a name alone shows a league that was made - leave the options out, or "
            f"go on with it by --name {shlex.quote(name)}"
        )
    found = load_league(name)
    _say(found, output)
    save_page(found, found.results.path / _PAGE, "the league is as it was", output)
    status = "finished" if found.is_whole else "unfinished"
    output.result(made({**found.to_dict(), "status": status}))


def _costs(folder: ExperimentFolder, slots: int) -> Iterator[str]:
    from evoply.environment import core_count
    from evoply.experiments.running import measure_of_league

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
    from evoply.experiments.leagues.league_page import ratings_of

    for standings in found.standings.values():
        output.say()
        output.say(f"At {standings.words}")
        say_section(ratings_of(standings), output)
    for mark in found.results.marks:
        output.say(mark, style="bold")
    if not found.is_whole:
        output.say("Not everything is made and played yet.")
