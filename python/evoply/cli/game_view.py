"""A game that was played, move by move in the terminal, or as text where there is none."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from evoply.wording import short_name

if TYPE_CHECKING:
    from rich.console import Console, Group

    from evoply.formats import GamePlayed
    from evoply.protocols import GameRecord

_MOST_MOVES_SHOWN = 12


def show_game(game: GamePlayed, console: Console, delay: float, *, title: str = "Game") -> None:
    """Show one game, with *delay* seconds for every move if there is a terminal to show it in."""
    from rich.live import Live

    from evoply.games import game_rules
    from evoply.games.draws import NO_DRAWS

    if not console.is_terminal:
        print_game(game, console, title=title)
        return
    console.print(_head(game, title), style="bold", soft_wrap=True)
    rules = game_rules(game.record.position.game)
    record = rules.game(game.record.start, (), NO_DRAWS)
    with Live(_picture(record, game, console), console=console, auto_refresh=False) as live:
        for move in game.record.moves:
            time.sleep(delay)
            record = record.play(move)
            live.update(_picture(record, game, console), refresh=True)
    console.print(f"{game.in_words()}\n", soft_wrap=True)


def print_game(game: GamePlayed, console: Console, *, title: str) -> None:
    """Print the moves, the last board and the end of a game."""
    from evoply.cli.board_view import board_text

    console.print(_head(game, title), style="bold", soft_wrap=True)
    console.print(f"Moves: {game.record.transcript()}", soft_wrap=True)
    console.print(board_text(game.record, console, legal=False))
    console.print(f"{game.in_words()}\n", soft_wrap=True)


def _head(game: GamePlayed, title: str) -> str:
    return f"{title}: {short_name(game.black)} (Black) against {short_name(game.white)} (White)"


def _picture(record: GameRecord, game: GamePlayed, console: Console) -> Group:
    """Return the board, how far the game has gone, and the last moves."""
    from rich.console import Group
    from rich.text import Text

    from evoply.cli.board_view import board_text

    played = len(record)
    begin = max(0, played - _MOST_MOVES_SHOWN)
    moves = " ".join(record.move_texts()[begin:])
    opening = f", opening of {game.opening_plies} random plies" * (played <= game.opening_plies)
    caption = f"ply {played} of {len(game.record)}{opening}: {'… ' * (begin > 0)}{moves}"
    return Group(board_text(record, console, legal=False), Text(caption, no_wrap=True))
