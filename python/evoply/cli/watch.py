"""`evoply watch`: saved games, move by move in the terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.options import Delay, Json, Whole
from evoply.cli.output import Output
from evoply.wording import short_name

if TYPE_CHECKING:
    from rich.console import Console, Group

    from evoply.formats import GamePlayed
    from evoply.protocols import GameRecord

__all__ = ["show_game", "watch"]

_MOST_MOVES_SHOWN = 12


def watch(
    file: str,
    /,
    *,
    game: Annotated[Whole | None, Parameter(validator=Number(gte=0))] = None,
    delay: Delay = 0.5,
    json: Json = False,
) -> None:
    """Show saved games, move by move.

    Without a terminal the moves and the last board of every game are printed.
    In JSON: file, and games, those that were shown, as they were saved, each
    with its number.

    Parameters
    ----------
    file
        What `evoply match --save-games` wrote.
    game
        Show only the game of this number; the first is 0.
    """
    path = Path(file)
    if not path.exists() or path.is_dir():
        raise ValueError(
            f"{file}: there is no such file to watch; `evoply match A B --save-games FILE` writes "
            "one"
        )
    output = Output(json)
    shown = []
    with path.open("rb") as opened:
        for number, one in enumerate(_games(file, opened)):
            if game is None or number == game:
                show_game(one, output.people, delay, title=f"Game {number}")
                shown.append({"number": number, **one.to_dict()})
            if number == game:
                break
    if not shown:
        raise ValueError(
            f"{file}: there are no games in it"
            if game is None
            else f"--game: there is no game {game} in {file}; the first is 0"
        )
    output.result({"file": file, "games": shown})


def _games(file: str, opened: IO[bytes]) -> Iterator[GamePlayed]:
    from evoply.formats import saved

    try:
        yield from saved.read(opened)
    except ValueError as error:
        raise ValueError(f"{file}: {error}") from None


def show_game(game: GamePlayed, console: Console, delay: float, *, title: str = "Game") -> None:
    """Show one game, with *delay* seconds for every move if there is a terminal to show it in."""
    from rich.live import Live

    from evoply.cli.board_view import board_text
    from evoply.games import game_rules
    from evoply.games.draws import NO_DRAWS

    head = f"{title}: {short_name(game.black)} (Black) against {short_name(game.white)} (White)"
    console.print(head, style="bold", soft_wrap=True)
    if not console.is_terminal:
        console.print(f"Moves: {game.record.transcript()}", soft_wrap=True)
        console.print(board_text(game.record, console, legal=False))
        console.print(f"{game.in_words()}\n", soft_wrap=True)
        return
    rules = game_rules(game.record.position.game)
    record = rules.game(game.record.start, (), NO_DRAWS)
    with Live(_picture(record, game, console), console=console, auto_refresh=False) as live:
        for move in game.record.moves:
            time.sleep(delay)
            record = record.play(move)
            live.update(_picture(record, game, console), refresh=True)
    console.print(f"{game.in_words()}\n", soft_wrap=True)


def _picture(record: GameRecord, game: GamePlayed, console: Console) -> Group:
    """Return the board, who is to move, and the last moves."""
    from rich.console import Group
    from rich.text import Text

    from evoply.cli.board_view import board_text

    played = len(record)
    begin = max(0, played - _MOST_MOVES_SHOWN)
    moves = " ".join(record.move_texts()[begin:])
    opening = f", opening of {game.opening_plies} random plies" * (played <= game.opening_plies)
    said = f"ply {played} of {len(game.record)}{opening}: {'… ' * (begin > 0)}{moves}"
    return Group(board_text(record, console, legal=False), Text(said, no_wrap=True))
