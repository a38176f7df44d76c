"""`evoply watch`: saved games move by move in the terminal, or a tournament as it is played."""

from __future__ import annotations

import asyncio
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from cyclopts import Parameter
from cyclopts.validators import Number
from rich.columns import Columns
from rich.console import Group
from rich.live import Live
from rich.text import Text

from evoply.cli.board_view import board_text, print_game
from evoply.cli.games_in_files import rules_added
from evoply.cli.output import Output, StoppedError
from evoply.cli.shared_options import Delay, Json, Password, Whole
from evoply.protocols import Color
from evoply.server import WatchedGame, Watching, parse_address
from evoply.wording import shorten

if TYPE_CHECKING:
    from rich.console import Console


_ADDRESS = re.compile(r"[^/\\]+:[0-9]+")


def watch(
    file: str,
    /,
    *,
    game: Annotated[Whole | None, Parameter(validator=Number(gte=0))] = None,
    rules: str | None = None,
    delay: Delay = 0.5,
    password: Password = None,
    json: Json = False,
) -> None:
    """Show saved games, move by move, or a tournament as it is played.

    Without a terminal the moves and the last board of every game are printed;
    in a tournament, when the game is over.

    In JSON: file; games (those that were shown, as they are saved, each with
    its number); refused (number, place and reason of each game that cannot be
    read); doubts (what games say twice and not alike).

    Parameters
    ----------
    file
        What `evoply match --save-games` wrote, or any other format that `evoply convert` reads;
        or, if there is no such file, HOST:PORT of an `evoply serve`.
    game
        Show only the game of this number; the first is 0.
    rules
        A file of rules, if the game is one of your own.
    password
        The password of the server; it is never sent.
    """
    from evoply.cli.board_view import show_game
    from evoply.cli.convert import Notes, games_in

    if rules is not None:
        rules_added(rules)
    output = Output(json)
    if not Path(file).exists() and _ADDRESS.fullmatch(file):
        watch_live(file, output, game=game, password=password)
        return
    shown = []
    notes = Notes()
    for number, played in enumerate(games_in(file, notes)):
        if game is None or number == game:
            show_game(played, output.people, delay, title=f"Game {number}")
            shown.append({"number": number, **played.to_dict()})
        if number == game:
            break
    if not shown and (game is None or notes.refused):
        why = notes.refused[0] if notes.refused else "there are no games in it"
        raise ValueError(f"{file}: {why}")
    if not shown:
        raise ValueError(f"--game: there is no game {game} in {file}; the first is 0")
    notes.tell()
    output.result({"file": file, "games": shown, **notes.to_dict()})


# Games of a server in the terminal, several beside one another, while they are played.

_MOST_BOARDS = 4
_LONGEST_NAME = 14
_LAST_MOVES = 6
_REFRESH_SECONDS = 0.2


class _OneGameShownError(Exception):
    """The one game that was asked for is over."""


def watch_live(
    address: str, output: Output, *, game: int | None = None, password: str | None = None
) -> None:
    """Show what the server at *address* plays, or its game number *game*, to the end."""
    host, port = parse_address(address)
    console = output.people
    watching = Watching(host, port, password=password)
    over: dict[int, WatchedGame] = {}

    def see(changed: WatchedGame) -> None:
        if changed.is_over and changed.number not in over and game in (None, changed.number):
            over[changed.number] = changed
            print_game(changed.played, console, title=f"Game {changed.number}")
            if game is not None:
                raise _OneGameShownError

    watching.on_change = see
    try:
        with Live(console=console, auto_refresh=False, transient=True) as live:
            asyncio.run(_watch(watching, live, game))
    except _OneGameShownError:
        pass
    except KeyboardInterrupt:
        raise StoppedError("stopped", _result(address, over)) from None
    if game is not None and not over:
        raise ValueError(f"--game: game {game} was not shown: it was over, or never began")
    output.result(_result(address, over))


async def _watch(watching: Watching, live: Live, game: int | None) -> None:
    """Watch to the end, with a picture now and then where there is a terminal to show it in."""

    async def draw() -> None:
        while True:
            live.update(_boards(watching, game, live.console), refresh=True)
            await asyncio.sleep(_REFRESH_SECONDS)

    drawing = asyncio.create_task(draw()) if live.console.is_terminal else None
    try:
        await watching.run()
    finally:
        if drawing is not None:
            drawing.cancel()


def _result(address: str, over: dict[int, WatchedGame]) -> dict[str, Any]:
    games = [{"number": number, **game.played.to_dict()} for number, game in sorted(over.items())]
    return {"file": address, "games": games}


def _boards(watching: Watching, game: int | None, console: Console) -> Columns:
    playing = [
        watched
        for watched in watching.games.values()
        if not watched.is_over and (game is None or watched.number == game)
    ]
    return Columns([_board(watched, console) for watched in playing[:_MOST_BOARDS]], padding=(1, 4))


def _board(game: WatchedGame, console: Console) -> Group:
    played = game.played
    sides = [
        f"{color}: {shorten(played.label(color), _LONGEST_NAME):<{_LONGEST_NAME}}"
        f" {max(game.left.get(color, 0.0), 0.0):8.1f} s"
        for color in Color
    ]
    moves = " ".join(played.record.move_texts()[-_LAST_MOVES:])
    return Group(
        Text(f"Game {game.number}", style="bold"),
        *map(Text, sides),
        board_text(played.record, console, legal=False),
        Text(f"ply {len(played.record)}: {moves}"),
    )
