"""`evoply tournament`: many players, ratings, brackets and stars."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli import shared_options
from evoply.cli.long_work import give_played, on_cluster, played
from evoply.cli.match import DOUBTS, say_engine, say_forfeits
from evoply.cli.output import Output, StoppedError, rows_table, say_section
from evoply.cli.progress import progress_and_page
from evoply.cli.saving import saving, say_report, say_saved
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms, only
from evoply.sections import Column
from evoply.wording import did_you_mean, shorten

if TYPE_CHECKING:
    from evoply.arena import RoundRobin, Standing, Star, Tournament

_PAIRING_GAMES = 100
_ROUND_GAMES = 20
_TIMES = (
    Column("player", "player", str, look="code"),
    Column("seconds", "seconds a game", lambda seconds: f"{seconds.mean:.3g}"),
    Column("seconds", "at most", lambda seconds: f"{seconds.most:.3g}"),
)
_AGAIN = "; the same command goes on"


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class EliminationOptions:
    """Options of --mode elimination."""

    bracket: Annotated[list[str] | None, Parameter(negative="", consume_multiple=False)] = None
    """Elimination: PLAYER=BRACKET puts a player into a bracket (a group); may be given several
    times."""
    opponents: Literal["all", "same", "other"] = "all"
    """Elimination: whom a player meets, all, only the same bracket, or only other ones."""
    threshold: float = 0.6
    """Elimination: a player stays if it wins more than this share of its games, from 0.5 to below
    1."""
    runs: Annotated[shared_options.Whole, Parameter(validator=Number(gte=1, lte=100_000))] = 1
    """Elimination: how often the tournament is played."""


USUAL_ELIMINATION = EliminationOptions()


def tournament(
    *players: str,
    mode: Literal["round-robin", "elimination"] = "round-robin",
    games: shared_options.WholeOrDefault = None,
    conditions: Annotated[
        WrittenTerms, only("openings", "seed", "game", "clock", "threads")
    ] = USUAL_TERMS,
    field: Path | None = None,
    elimination: EliminationOptions = USUAL_ELIMINATION,
    file: Annotated[Path | None, Parameter(show_default=False)] = None,
    save_games: shared_options.OutputFile = None,
    html: shared_options.OutputFile = None,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    cluster: shared_options.ClusterOptions = shared_options.NO_CLUSTER,
    quiet: shared_options.Quiet = False,
    json: shared_options.Json = False,
) -> None:
    """Play a tournament of two or more players and rate them.

    In a round robin everybody plays everybody. In an elimination tournament a
    player meets randomly drawn opponents in every round, and is out unless it
    wins more than 60 % of its games; draws are not wins. With --runs the
    tournament is played many times.

    Parameters
    ----------
    players
        Players, as for `evoply match`; a folder stands for all bots (.py files) in it. Those that
        cannot be loaded are named and left out.
    mode
        Everybody plays everybody, or players who do not win enough are out.
    games
        Round robin: games of every two players, default 100. Elimination: games of a player in a
        round, default 20. An even number, because every opening is played with both colours.
    field
        A TOML file of players: tables [[player]] with the key player, and if you like name, bracket
        and fitness.
    file
        Keep every game in this file. After a stop the same command goes on with the games that are
        missing, to the same result.
    save_games
        Write the games into this file at the end, one line of JSON per game; `evoply watch` shows
        them.
    html
        Write a page about it, which opens offline, into this file.
    """
    from evoply import arena
    from evoply.cli.entrants import (
        Entry,
        entrants,
        leave_out_what_does_not_load,
        read_field,
    )
    from evoply.cli.player_texts import read_players, read_terms
    from evoply.games import game_rules

    entries = [] if field is None else read_field(field)
    found = entrants(players)
    entries += [Entry.model_construct(player=text) for text in found.texts]
    output = Output(json)
    game, read = read_players([entry.player for entry in entries], conditions.game, programs)
    texts = [entry.player for entry in entries]
    leave_out_what_does_not_load(found, list(zip(texts, read, strict=True)), game)
    for path, reason in sorted(found.left_out.items()):
        output.say(f"{path} is left out: {reason}")
    staying = [place for place, text in enumerate(texts) if text not in found.left_out]
    entries, texts = [entries[place] for place in staying], [texts[place] for place in staying]
    read = [read[place] for place in staying]
    labels = [entry.name or player.label for entry, player in zip(entries, read, strict=True)]
    terms = {**read_terms(conditions, game), "file": file}
    is_elimination = mode == "elimination"
    if not is_elimination and elimination != replace(
        USUAL_ELIMINATION, threshold=elimination.threshold
    ):
        raise ValueError("--bracket, --runs and --opponents are for --mode elimination")
    if cluster.cluster is not None:
        from evoply.arena.on_cluster import check_sendable

        check_sendable(game, read, terms["clock"])
    play: Callable[..., Any]
    if is_elimination:
        brackets = [entry.bracket or "all" for entry in entries]
        _put_into_brackets(brackets, texts, elimination.bracket or [])
        play = partial(
            arena.tournament,
            read,
            names=labels,
            brackets=brackets,
            fitness=[entry.fitness for entry in entries],
            mode=elimination.opponents,
            games=_ROUND_GAMES if games is None else games,
            threshold=elimination.threshold,
            times=elimination.runs,
        )
        title, kind, whole, unit = "tournaments", "Tournament", elimination.runs, "runs"
    else:
        each = _PAIRING_GAMES if games is None else games
        called = [
            player.model_copy(update={"name": label})
            for player, label in zip(read, labels, strict=True)
        ]
        play = partial(arena.round_robin, called, games=each)
        whole = each * len(read) * (len(read) - 1) // 2
        title, kind, unit = "round robin", "Round robin", "games"
    with (
        _going_on(file),
        on_cluster(cluster, output) as terms["cluster"],
        saving(save_games) as save,
        progress_and_page(
            title,
            whole,
            html,
            f"{kind}: {game_rules(game).title}",
            _page,
            lambda done: f"{done:,} of {whole:,} {unit} are played",
            is_shown=not quiet,
        ) as (terms["progress"], terms["on_standings"]),
    ):
        result, is_stopped = played(lambda: play(on_game=save, **terms))
        if is_stopped and save is not None:
            save.keep(result.games)
    say: Callable[[Output, Any], None] = _say_stars if is_elimination else say_standings
    say(output, result)
    say_saved(output, save_games)
    data = {**result.to_dict(), **({"left_out": found.left_out} if found.left_out else {})}
    done = f"{data[unit]:,} of {whole:,} {unit}"
    say_report(output, html, result, state=f"Stopped: {done} are played" * is_stopped)
    of = f"stopped after {done}: this is the result of those{_AGAIN if file else ''}"
    give_played(output, data, of * is_stopped)


@contextmanager
def _going_on(file: Path | None) -> Iterator[None]:
    """Say after Ctrl-C that the same command goes on, if there is a *file*."""
    try:
        yield
    except KeyboardInterrupt:
        if file is None:
            raise
        raise StoppedError(f"stopped{_AGAIN}", {"file": str(file)}) from None


def _put_into_brackets(brackets: list[str], texts: list[str], options: list[str]) -> None:
    for text in options:
        player, equals, name = text.rpartition("=")
        if not equals or not name.strip():
            raise ValueError(f"--bracket: {shorten(text)!r} is not PLAYER=BRACKET")
        if player not in texts:
            hint = did_you_mean(player, texts)
            raise ValueError(f"--bracket: no player {shorten(player)!r} takes part{hint}")
        for index, entrant in enumerate(texts):
            if entrant == player:
                brackets[index] = name.strip()


def say_standings(output: Output, result: RoundRobin) -> None:
    """Show the table of a round robin, how it was played, and what is doubtful about it."""
    say_section(result.shown().sections[0], output)
    output.say(
        f"Seed {result.seed}; {result.games:,} games, {result.distinct_games:,} of them different; "
        f"ratings on Elo's scale, their mean 0{_openings(result.opening_plies)}"
    )
    _say_times(output, result.clock, result.standings)
    _say_doubts(output, [standing.interval for standing in result.standings], result)


def _say_stars(output: Output, result: Tournament) -> None:
    say_section(result.shown().sections[0], output)
    if result.runs == 1:
        for number, names in enumerate(result.out[0], start=1):
            output.say(f"out in round {number}: {', '.join(shorten(n, 40) for n in names) or '-'}")
    output.say(
        f"Seed {result.seed}; {result.runs:,} run{'s' * (result.runs > 1)}, {result.games:,} "
        f"games; out unless more than {100 * result.threshold:g} % of a round's games are won"
        f"{_openings(result.opening_plies)}"
    )
    if result.mode == "same":
        output.say("Ratings of different brackets cannot be compared: they never met.")
    _say_times(output, result.clock, result.stars)
    _say_doubts(output, [star.rating_interval for star in result.stars], result)


def _say_times(output: Output, clock: str | None, players: Sequence[Standing | Star]) -> None:
    if clock is None:
        return
    output.people.print(rows_table(_TIMES, players))
    output.say(f"Clock {clock}: seconds for a game, and what each move adds")


def _say_doubts(output: Output, intervals: list[Any], result: RoundRobin | Tournament) -> None:
    if None in intervals:
        output.say("Too few different games for some intervals: play more games, with openings.")
    for about in result.about:
        say_engine(output, about["player"], about)
    say_forfeits(output, result.forfeits)
    if not result.reproducible:
        output.say(DOUBTS.format("tournament"))


def _openings(plies: int) -> str:
    if not plies:
        return "; no openings"
    return f"; openings of {plies} random plies, played with both colours"


def _page(result: RoundRobin | Tournament, **state: Any) -> str:
    from evoply.reports import result_html

    return result_html(result, **state)
