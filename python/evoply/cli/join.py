"""`evoply join`: a player of ours in a tournament over the network."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.output import Output, StoppedError
from evoply.cli.shared_options import (
    USUAL_PROGRAMS,
    USUAL_TERMS,
    Json,
    Password,
    Programs,
    Quiet,
    Whole,
    WrittenTerms,
    only,
)
from evoply.cli.shell_hints import suggested

if TYPE_CHECKING:
    from evoply.server import Joining


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
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Let a player take part in a tournament over the network.

    SERVER is where `evoply serve` runs; it says which game is played. A lost
    connection is made again, while the clock runs. The games change nothing
    about the player, and the command writes no file.

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
    from evoply.server import Joining, game_at, parse_address
    from evoply.server.lines import plain_name

    host, port = parse_address(server)
    played = asyncio.run(game_at(host, port))
    if game not in (None, played):
        raise ValueError(f"--game: the server plays {played}: leave --game out")
    _, (read,) = read_players([player], played, programs)
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
        at_once=at_once,
        seed=conditions.seed,
        patience=patience,
        on_news=(lambda _: None) if quiet else output.say,
    )
    try:
        asyncio.run(joining.run())
    except KeyboardInterrupt:
        again = suggested(f"join {server} --player ... --token {joining.token}")
        message = "stopped" if joining.token is None else f"stopped; come back with: {again}"
        raise StoppedError(message, _result(server, joining)) from None
    result = _result(server, joining)
    output.say(f"{joining.name}: {result['points']:g} points in {result['played']} games")
    output.result(result)


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
