"""`evoply match`: two players, every opening twice with colours swapped, one honest result."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter

from evoply.cli import shared_options
from evoply.cli.long_work import give_played, played, progress_bar
from evoply.cli.output import Output, rows_table
from evoply.cli.saving import saving, say_saved
from evoply.cli.shared_options import USUAL_TERMS, WrittenTerms
from evoply.protocols.sections import NOTHING, Column, counted, share, shares
from evoply.wording import short_name

if TYPE_CHECKING:
    from rich.table import Table

    from evoply.arena import LostGames, MatchResult, SprtResult
    from evoply.games.formats import GamePlayed

_GAMES = 1000
_WATCHED_GAMES = 2
_SAVED_GAMES = 1000
"""Games whose moves are in memory at a time."""
_MOST_SPRT_GAMES = 100_000
_COUNTS = ("wins", "draws", "losses")
_INTERVAL = "95 % interval"
_NUMBERS = ("games", *_COUNTS, "score", _INTERVAL)
_LONGEST_NAME = 60
"""Characters of a name in a table; trees may be longer, and are shown in full elsewhere."""
_SHORTENED_NAME = 18
"""Names are cut to this many characters before the interval is left out."""
_MOST_FORFEITS = 20
DOUBTS = "Time or an engine decided some moves or games: the same {} may end differently."
_SANDBOXED = "in a sandbox (bubblewrap), without network"
_NOBODY = (
    "without a sandbox, as the user nobody: what every user here can read and reach, so can they"
)
_FREE = "without a sandbox: they can do what you can"
_MOST_NAMED = 8
_PAIRS = (
    Column("", "pair scored", str, read=lambda _: "pairs"),
    *(
        Column("", points, counted, read=itemgetter(place))
        for place, points in enumerate(("0", "½", "1", "1½", "2"))
    ),
)
_FEWEST_GAMES = 20
"""Fewer games never give an interval: see `evoply.arena.statistics`."""


def match(
    first: str,
    second: str,
    /,
    *,
    games: shared_options.WholeOrDefault = None,
    conditions: Annotated[WrittenTerms, Parameter(name="*")] = USUAL_TERMS,
    sprt: Annotated[tuple[float, float] | None, Parameter(negative="")] = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    save_games: Path | None = None,
    watch: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    delay: shared_options.Delay = 0.5,
    programs: shared_options.Programs = shared_options.USUAL_PROGRAMS,
    json: shared_options.Json = False,
) -> None:
    """Play a match between two players.

    A player is one of these:

    - a name: strong, mcts, random, greedy, material, mobility, random-leaf, online;
      in Othello firebrand, swh, edgar-like; in checkers material-kings; in lose
      checkers few-pieces
    - a tree such as '( + white white_corners )'
    - champion@RUN, or a saved file
    - a bot: FILE.py or FILE.py:CLASS
    - an engine: engine:gtp:COMMAND, engine:nboard:COMMAND, or engine:NAME from
      the file of --engines

    Options follow a colon: material:depth=4, champion@RUN:depth=2,ties=random.
    docs/players.md has them all.

    Parameters
    ----------
    first
        The player whose wins are counted.
    second
        Its opponent.
    games
        How many games: an even number, because every opening is played twice, with colours swapped.
        Default: 1000, with --watch 2. With --sprt the greatest number of games, default 100000.
    sprt
        A sequential test between two Elo differences, such as 0 10: stop as soon as it is known
        which of them is likelier.
    alpha
        With --sprt: how often the larger difference may be accepted although the smaller one is
        true.
    beta
        With --sprt: how often the smaller difference may be accepted although the larger one is
        true.
    save_games
        Write the games into this file, one line of JSON per game; `evoply watch` shows them.
    watch
        When a game has been played, show it in the terminal, move by move.
    """
    from evoply import arena
    from evoply.cli.player_texts import read_players, read_terms

    if watch and sprt is not None:
        raise ValueError("--watch shows a match of a few games, and --sprt plays thousands")
    game, (player, opponent) = read_players([first, second], conditions.game, programs)
    terms = read_terms(conditions, game)
    test = None if sprt is None else arena.Sprt(*sprt, alpha, beta)
    if games is None:
        games = _GAMES if test is None else _MOST_SPRT_GAMES
        games = _WATCHED_GAMES if watch else games
    output = Output(json)
    title = f"{short_name(player.label)} against {short_name(opponent.label)}"
    with (
        saving(save_games) as save,
        progress_bar(title, games, is_shown=not watch) as moved,
    ):
        if test is not None:
            tested, is_stopped = played(
                lambda: arena.sprt_match(
                    player,
                    opponent,
                    test,
                    games=games,
                    progress=lambda done, _: moved(done),
                    on_game=save,
                    **terms,
                )
            )
        else:
            result, is_stopped = played(
                lambda: arena.match(
                    player,
                    opponent,
                    games=games,
                    progress=moved,
                    on_game=_viewer(output, delay, save) if watch else save,
                    games_at_a_time=_WATCHED_GAMES if watch else _SAVED_GAMES,
                    **terms,
                )
            )
            if is_stopped and save is not None:
                save.keep(result.games)
    say_saved(output, save_games)
    if test is not None:
        _say_test(output, tested, is_stopped=is_stopped)
        give_played(output, tested.to_dict(), f"stopped after {tested.games:,} games" * is_stopped)
        return
    _say_match(output, result)
    of = f"stopped after {result.games:,} of {games:,} games: this is the result of those"
    give_played(output, result.to_dict(), of * is_stopped)


def _say_match(output: Output, result: MatchResult) -> None:
    grid = match_table([result.to_dict()], output.people.width)
    output.people.print(grid)
    shown = {column.header for column in grid.columns}
    if not shown.issuperset(_NUMBERS):
        between = NOTHING if result.interval is None else shares(result.interval)
        output.say(
            f"{result.games:,} games: {result.wins:,} won, {result.draws:,} drawn, "
            f"{result.losses:,} lost" + (f"; 95 % interval {between}" * (_INTERVAL not in shown))
        )
    output.say(_how_it_was_played(result))
    drawn = {
        name: count for name, count in result.endings.items() if name not in ("board", "forfeit")
    }
    if drawn:
        ways = ", ".join(f"{count:,} by {name}" for name, count in drawn.items())
        output.say(f"Drawn by rule: {ways}")
    if result.interval is None:
        output.say(_too_few(result.distinct_games))
    _say_doubts(output, result)


def _viewer(
    output: Output, delay: float, save: Callable[[GamePlayed], object] | None
) -> Callable[[GamePlayed], object]:
    """Return a function that shows a game, after *save* if that is given."""
    from evoply.cli.board_view import show_game

    def see(game: GamePlayed) -> None:
        if save is not None:
            save(game)
        show_game(game, output.people, delay)

    return see


def say_programs(output: Output, players: Iterable[tuple[str, Mapping[str, Any]]]) -> None:
    """Say what engines call themselves and how they are started, and what programs can do here.

    *players* are labels, and what is known about each.
    """
    confined: dict[str, list[str]] = {}
    for label, about in players:
        if "command" in about:
            engine, version = about["engine"] or "", about["version"] or ""
            # Over NBoard, and with some engines over GTP, the version is a part of the name.
            is_told = re.search(rf"(?<![\d.]){re.escape(version)}(?![\d.]*\d)", engine) is not None
            name = engine if is_told else f"{engine} {version}".strip()
            output.say(f"{short_name(label)} is {name or 'nameless'}: {about['command']}")
        if "sandbox" in about:
            how = _NOBODY if about.get("user") == "nobody" else _FREE
            confined.setdefault(_SANDBOXED if about["sandbox"] else how, []).append(label)
    for how, labels in confined.items():
        output.say(f"{names_of(labels)} ran {how}.")


def say_forfeits(output: Output, forfeits: Sequence[LostGames]) -> None:
    """Say who forfeited games and why, a line for each reason of a player."""
    kinds: dict[tuple[str, str], list[LostGames]] = {}
    for lost in forfeits:
        kinds.setdefault((lost.player, lost.reason), []).append(lost)
    for (player, reason), each in [*kinds.items()][:_MOST_FORFEITS]:
        if len(each) == 1:
            output.say(str(each[0]))
            continue
        games = sum(lost.games for lost in each)
        opponents = names_of([lost.opponent for lost in each])
        output.say(f"{short_name(player)} forfeited {games:,} games against {opponents}: {reason}")
    if len(kinds) > _MOST_FORFEITS:
        output.say(f"and {len(kinds) - _MOST_FORFEITS:,} more kinds of forfeits")


def names_of(labels: Sequence[str]) -> str:
    """Return the names of players in a sentence; of very many only the first."""
    more = len(labels) - _MOST_NAMED
    named = ", ".join(map(short_name, labels[:_MOST_NAMED]))
    return f"{named} and {more:,} more" if more > 0 else named


def _say_doubts(output: Output, result: MatchResult | SprtResult) -> None:
    say_programs(output, zip((result.first, result.second), result.players, strict=True))
    say_forfeits(output, result.forfeits)
    if result.clock is not None:
        both = zip((result.first, result.second), result.players, strict=True)
        took = "; ".join(
            "{}: {mean:.3g} s a game, at most {most:.3g} s".format(
                short_name(name), **side["seconds"]
            )
            for name, side in both
        )
        output.say(f"Clock {result.clock}; time used by {took}")
    if not result.reproducible:
        output.say(DOUBTS.format("match"))


def _say_test(output: Output, result: SprtResult, *, is_stopped: bool) -> None:
    lower, upper = result.test.bounds
    output.table(_PAIRS, [result.pairs])
    output.say(
        f"LLR {result.ratio:+.2f} (accept at {upper:.2f}, reject at {lower:.2f}) after "
        f"{result.games:,} games, score {share(result.score)}"
    )
    output.say("undecided: stopped" if is_stopped else result.in_words(), style="bold")
    output.say(f"Seed {result.seed}; {result.openings}, each played twice with colours swapped")
    if result.repeated_pairs:
        output.say(f"{result.repeated_pairs:,} pairs repeated earlier ones and were left out")
    _say_doubts(output, result)


def _how_it_was_played(result: MatchResult) -> str:
    if not result.openings:
        return f"Seed {result.seed}; no openings: every game begins at the same position"
    pairs = result.games // 2
    openings = result.openings if pairs > 1 else result.openings.replace("openings", "opening", 1)
    return f"Seed {result.seed}; {pairs:,} {openings}, each played twice with colours swapped"


def _too_few(distinct: int) -> str:
    are = "game is" if distinct == 1 else "games are"
    return (
        f"{distinct} different {are} too few for an interval: play at least {_FEWEST_GAMES} "
        "with openings"
    )


def match_table(results: Sequence[Mapping[str, Any]], width: int) -> Table:
    """Return results, as `MatchResult.to_dict` gives them, as a table of at most *width* columns.

    Where there is no room, counts of games go first; names are cut last and never broken.
    """
    from rich.table import Table

    fewer = (*_COUNTS, "games")
    tries: list[tuple[Sequence[str], int]] = [((), _LONGEST_NAME), (_COUNTS, _LONGEST_NAME)]
    tries += [(fewer, longest) for longest in range(_LONGEST_NAME, _SHORTENED_NAME - 1, -1)]
    tries += [((*fewer, _INTERVAL), longest) for longest in range(_SHORTENED_NAME, 7, -1)]
    grid = Table()
    for dropped, longest in tries:
        grid = _table(results, dropped, longest)
        if _width(grid) <= width:
            break
    return grid


def _table(results: Sequence[Mapping[str, Any]], dropped: Sequence[str], longest: int) -> Table:
    from evoply.arena.matches import MATCH

    kept = (column for column in MATCH if column.label not in dropped)
    grid = rows_table([replace(column, longest=longest) for column in kept], results)
    for column in grid.columns:
        column.no_wrap = True
    return grid


def _width(grid: Table) -> int:
    from evoply.cli.console import CommandConsole

    return CommandConsole(width=10_000).measure(grid).maximum
