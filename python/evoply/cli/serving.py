"""`evoply serve` and `join`: a tournament over the network, and a player in one."""

from __future__ import annotations

import secrets
import shlex
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli import shared_options
from evoply.cli.long_work import ending_early, give
from evoply.cli.match import names_of
from evoply.cli.output import FailureError, Output, StoppedError, made, quiet
from evoply.cli.saving import saving, say_report, say_saved
from evoply.cli.shared_options import (
    USUAL_PROGRAMS,
    USUAL_TERMS,
    Json,
    Password,
    Programs,
    Whole,
    WrittenTerms,
    only,
)
from evoply.cli.shell_hints import suggested
from evoply.cli.tournament import say_standings
from evoply.environment.addresses import MOST_OF_AN_ADDRESS

if TYPE_CHECKING:
    from evoply.players.player import PlayerModel
    from evoply.server import GameServer, Joining, Journal


_CLOCK = "150"
_MOST_FILES = 10_000


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class ServedConditions:
    """The conditions of a tournament that begins; None: the usual ones."""

    game: Annotated[
        str | None, Parameter(help=f"{shared_options.GAME_NAMES}. Default: othello.")
    ] = None
    clock: Annotated[str | None, Parameter(metavar="SECONDS[+INCREMENT]", show_default=False)] = (
        None
    )
    """Seconds that each side has for all its moves of a game, and seconds more after each:
    default 150, two and a half minutes."""
    players: shared_options.WholeOrDefault = None
    """How many players to wait for, default 2."""
    games: shared_options.WholeOrDefault = None
    """Games of every two players, default 10; even, because every opening is played twice, with
    colours swapped."""
    openings: shared_options.RandomPlies | None = None
    """Random legal plies before the players begin, by default 8 in Othello and 4 in checkers;
    none plays from the start."""
    seed: shared_options.WholeOrDefault = None
    """A whole number that decides the openings, default 1."""
    file: Annotated[Path | None, Parameter(show_default=False)] = None
    """Where everything is kept, default tournament-1.db, or the next free number."""


USUAL_CONDITIONS = ServedConditions()


def serve(
    *,
    host: Annotated[str | None, Parameter(show_default=False)] = None,
    port: Annotated[
        int | None, Parameter(validator=Number(gte=0, lt=2**16), show_default=False)
    ] = None,
    conditions: ServedConditions = USUAL_CONDITIONS,
    password: shared_options.Password = None,
    resume: Path | None = None,
    connections: shared_options.Connections = MOST_OF_AN_ADDRESS,
    save_games: shared_options.OutputFile = None,
    html: shared_options.OutputFile = None,
    json: shared_options.Json = False,
) -> None:
    """Hold a tournament over the network.

    The server waits for players, who come by `evoply join`. Then every two of
    them meet, with both colours and under a clock, several games at a time.
    Every move is on disk before anybody is told of it: if the server is
    killed, --resume goes on, and the players come back by themselves. The
    protocol is lines of text, so any program can play: see docs/server.md.

    Parameters
    ----------
    host
        Where to listen, default 127.0.0.1: only programs of this machine come in. With any other
        address, such as 0.0.0.0, players need a password.
    port
        The port, default 7450; 0 is any that is free.
    resume
        Go on with the tournament in this file, under its own conditions.
    save_games
        Write the games into this file at the end, one line of JSON per game.
    html
        Write a page about the tournament, which opens offline, into this file.
    """
    import asyncio

    from evoply.server import DEFAULT_PORT, GameServer, is_this_machine

    shared_options.check_password(password)
    journal = _create(conditions) if resume is None else _resume(resume, conditions)
    output = Output(json)
    known_host, known_port = journal.address or ("127.0.0.1", DEFAULT_PORT)
    host, port = host or known_host, known_port if port is None else port
    if password is None and not is_this_machine(host):
        password = secrets.token_hex(8)
        output.say(f"Password for those who join: {password}")
    output.say(f"Everything is kept in {journal.path}")
    _say_who_comes_back(output, journal, host, port)
    server = GameServer(journal, password=password, on_news=_news(output), connections=connections)
    try:
        with ending_early() as early:
            asyncio.run(server.run(host, port))
    finally:
        if resume is None and server.address is None:
            journal.discard()
        journal.close()
    result = _say_result(output, server, save_games, html)
    again = ["serve", "--resume", str(journal.path)]
    for option, path in (("--save-games", save_games), ("--html", html)):
        again += [] if path is None else [option, str(path)]
    message = f"stopped; players wait for a while; go on with: {suggested(shlex.join(again))}"
    give(output, result, message * early.is_stopped)


def _say_who_comes_back(output: Output, journal: Journal, host: str, port: int) -> None:
    """Say who plays in a tournament that goes on, and how they come back."""
    names = [player.name for player in journal.players()]
    if not names:
        return
    from evoply.server import shown_address

    join = f"join {shown_address(host, port)} --player ... --name NAME"
    output.say(
        f"These may come back: {names_of(names)}. Those that still run do it by themselves; others "
        f"with: {suggested(join)} (as the user who joined; elsewhere with --token, which was shown)"
    )


def _news(output: Output) -> Any:
    """Return a function that shows news, with --quiet only where the server listens."""

    def say(text: str) -> None:
        if not quiet.get() or text.startswith("listening"):
            output.say(text)

    return say


def _create(given: ServedConditions) -> Journal:
    from evoply.protocols import TimeControl
    from evoply.server import Journal, TournamentConditions

    own = {
        name: value
        for name in ("openings", "players", "games", "seed")
        if (value := getattr(given, name)) is not None
    }
    with shared_options.named_options():
        clock = TimeControl.from_text(given.clock or _CLOCK)
        conditions = TournamentConditions.of(given.game or "othello", clock, **own)
    return Journal.create(given.file or _free_file(), conditions)


def _free_file() -> Path:
    files = (Path(f"tournament-{number}.db") for number in range(1, _MOST_FILES))
    return next(path for path in files if not path.exists())


def _resume(path: Path, given: ServedConditions) -> Journal:
    from evoply.server import Journal

    for name, value in asdict(given).items():
        if value is not None:
            raise ValueError(
                f"--{name}: a tournament goes on under its own conditions - leave it out"
            )
    return Journal.open(path)


def _say_result(
    output: Output, server: GameServer, save_games: Path | None, html: Path | None
) -> dict[str, Any]:
    tournament = server.tournament
    result = {**server.conditions.to_dict(), "file": str(server.journal.path)}
    if tournament is None:
        _write_begun(html, result["game"], "Stopped before all players were there")
        return {**result, "planned": 0, "played": 0}
    with saving(save_games) as save:
        if save is not None:
            for game in tournament.games():
                save(game)
    say_saved(output, save_games)
    rated = tournament.rated()
    played, planned = len(tournament.played), len(tournament.schedule)
    state = f"Stopped: {played:,} of {planned:,} games are played" * (played < planned)
    if rated is None:
        _write_begun(html, result["game"], state)
        output.say("No opening was played with both colours, so nobody can be rated.")
        result |= {"players": list(tournament.names)}
    else:
        say_standings(output, rated)
        say_report(output, html, rated, state=state)
        result |= rated.to_dict()
    if played < planned:
        output.say(f"{played:,} of {planned:,} games are over; ratings are of whole opening pairs.")
    scores = [
        {"player": name, "points": points, "games": games}
        for name, points, games in tournament.scores()
    ]
    return made({**result, "planned": planned, "played": played, "scores": scores})


def _write_begun(path: Path | None, game: str, state: str) -> None:
    """Write the page of a tournament without ratings, if there is a path for it."""
    if path is None:
        return
    from evoply.games import game_rules
    from evoply.protocols.sections import Page
    from evoply.reports import write_result

    write_result(Page(f"Round robin: {game_rules(game).title}", ()), path, state=state)


# `evoply join`: a player of ours in a tournament over the network.


def join(
    server: str,
    /,
    *,
    player: str,
    name: str | None = None,
    password: Password = None,
    token: Annotated[str | None, Parameter(show_default=False)] = None,
    game: Annotated[str | None, Parameter(show_default=False)] = None,
    at_once: Annotated[Whole, Parameter(validator=Number(gte=1, lte=16))] = 1,
    conditions: Annotated[WrittenTerms, only("seed")] = USUAL_TERMS,
    patience: Annotated[float, Parameter(validator=Number(gte=0, lte=86_400))] = 300,
    programs: Programs = USUAL_PROGRAMS,
    json: Json = False,
) -> None:
    """Let a player take part in a tournament over the network.

    SERVER is where `evoply serve` runs; it says which game is played. A lost
    connection is made again, while the clock runs, and so it is when the server
    was stopped and goes on. Ended before its time, the same command comes back:
    a file that only you can read keeps its token until the tournament is over.
    The games change nothing about the player.

    Parameters
    ----------
    server
        HOST:PORT, such as localhost:7450.
    player
        The player: see `evoply match --help`.
    name
        The name of the player in the tournament, without spaces; default: its text.
    token
        The token that an earlier connection was given when it joined: go on with its games.
    game
        The file of the game's rules, if the server plays a game that does not come with evoply.
    at_once
        How many games it plays at a time. They share this machine, and each has its own clock.
    patience
        How many seconds to try to reach a lost server.
    """
    import asyncio

    from evoply.cli.player_texts import read_players, saved_file
    from evoply.server import CallError, Joining, game_at, parse_address, usual_tokens
    from evoply.server.connection import plain_name

    host, port = parse_address(server)
    played = asyncio.run(game_at(host, port))
    if game not in (None, played):
        raise ValueError(f"--game: the server plays {played}: leave --game out")
    _, (read,) = read_players([player], played, programs)
    _check_plays(player, read, played)
    output = Output(json)
    file = saved_file(player)
    joining = Joining(
        read,
        host,
        port,
        # Others see it: where the file lies is nobody's business.
        name=name or (file and plain_name(Path(file).stem)),
        password=password,
        token=token,
        tokens=usual_tokens(),
        at_once=at_once,
        seed=conditions.seed,
        patience=patience,
        on_news=(lambda _: None) if quiet.get() else output.say,
    )

    def again(token: str) -> str:
        own = ["join", server, "--player", player, *(["--game", game] if game else [])]
        called = joining.name or name
        own += ["--name", called] if called else []
        return suggested(shlex.join([*own, "--token", token]))

    try:
        asyncio.run(joining.run())
    except KeyboardInterrupt:
        known = joining.token
        message = "stopped" if known is None else f"stopped; come back with: {again(known)}"
        raise StoppedError(message, _result(server, joining)) from None
    except OSError as error:
        if joining.token is None:
            raise
        raise FailureError(
            f"{server}: {error.strerror} - come back when it is there: {again(joining.token)}",
            _result(server, joining),
        ) from None
    except CallError as error:
        if error.code == "begun":
            raise ValueError(
                f"{server}: the tournament has begun, and nobody new can play in it - who does "
                f"comes back with: {again('TOKEN')}, and the token that was shown there; to see "
                f"it: {suggested(f'watch {server}')}"
            ) from None
        if error.code == "token":
            raise ValueError(
                f"--token: nobody who plays at {server} has this one - look whether it is whole, "
                "or join without it"
            ) from None
        raise
    result = _result(server, joining)
    output.say(f"{joining.name}: {result['points']:g} points in {result['played']} games")
    output.result(result)


def _check_plays(text: str, player: PlayerModel, game: str) -> None:
    """Raise `ValueError` that says why, and what to do, if a bot cannot play *game*."""
    if player.kind != "bot":
        return
    from evoply.players import trial

    bots: dict[str, Any] = {text: player}
    failed = trial(bots, game, has_clock=True)
    if failed:
        raise ValueError(f"{text} cannot play: {failed[text]}")


def _result(server: str, joining: Joining) -> dict[str, Any]:
    games = [game for _, game in sorted(joining.games.items())]
    over = [game for game in games if game.said is not None]
    points = sum(game.points for game in over), len(over)
    points = joining.scores.get(joining.name or "", points)
    return {
        "server": server,
        "name": joining.name,
        "token": joining.token,
        "player": joining.player.label,
        "game": joining.game,
        "clock": None if joining.control is None else str(joining.control),
        "points": points[0],
        "played": points[1],
        "games": [game.to_dict() for game in games],
        "scores": [
            {"player": name, "points": points, "games": count}
            for name, (points, count) in joining.scores.items()
        ],
        "farewell": joining.farewell,
    }
