"""A board in a terminal: colored discs, plain discs, or letters."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evoply.cli.checkers_view import checkers_text
from evoply.games import checkers
from evoply.games.othello import Game, Position
from evoply.protocols import Color, GameRecord
from evoply.protocols import Position as AnyPosition

__all__ = ["board_text", "what_must_be"]

_BOARD, _LAST = "on rgb(38,110,70)", "on rgb(90,150,60)"
_INK = {Color.BLACK: "rgb(10,10,10)", Color.WHITE: "rgb(250,250,250)"}
_LETTERS = {Color.BLACK: "X", Color.WHITE: "O"}
_DISCS = {Color.BLACK: "●", Color.WHITE: "○"}


def board_text(game: GameRecord, console: Console, *, legal: bool = True) -> Text:
    """Return the board after the last move of *game*, in what *console* can show."""
    if isinstance(game, checkers.Game):
        return checkers_text(game, console, legal=legal)
    if isinstance(game, Game):
        return _othello_text(game, console, legal=legal)
    return Text(str(game.position))


def what_must_be(position: AnyPosition, move: str) -> str:
    """Return what the rules ask for that the illegal *move* is not, or ""."""
    return position.what_must_be(move) if isinstance(position, checkers.Position) else ""


def _othello_text(game: Game, console: Console, *, legal: bool) -> Text:
    """Return the board after the last move of *game*, in what *console* can show.

    Legal moves are marked by a small dot (`*` in letters), the last move by a brighter square
    or by brackets.
    """
    is_unicode = console.encoding.lower().startswith("utf") and console.is_terminal
    is_colored = is_unicode and console.color_system is not None and not console.no_color
    position = game.position
    last = game.moves[-1].square if game.moves else None
    moves = position.legal_moves.squares if legal else 0
    size = position.size
    text = Text()
    head = "".join(f" {chr(ord('a') + column)} " for column in range(size))
    text.append(f"   {head}\n", style="dim" if is_colored else "")
    for row in range(size):
        text.append(f"{row + 1:>2} ", style="dim" if is_colored else "")
        for square in range(row * size, (row + 1) * size):
            color = _color_on(position, square)
            is_legal = bool(moves >> square & 1)
            if is_colored:
                _append_colored(text, color, is_legal=is_legal, is_last=square == last)
            else:
                marks = _DISCS if is_unicode else _LETTERS
                mark = marks[color] if color else ("*" if is_legal else ".")
                text.append(f"[{mark}]" if square == last else f" {mark} ")
        text.append("\n")
    names = _LETTERS if not is_unicode else _DISCS
    for color in Color:
        text.append(f"   {'●' if is_colored else names[color]}", style=_legend(color, is_colored))
        text.append(f" {color} {position.discs(color)}")
    return text


def _color_on(position: Position, square: int) -> Color | None:
    if position.black >> square & 1:
        return Color.BLACK
    return Color.WHITE if position.white >> square & 1 else None


def _append_colored(text: Text, color: Color | None, *, is_legal: bool, is_last: bool) -> None:
    ground = _LAST if is_last else _BOARD
    if color is None:
        text.append(" · " if is_legal else "   ", style=f"bold rgb(255,220,120) {ground}")
    else:
        text.append(" ● ", style=f"{_INK[color]} {ground}")


def _legend(color: Color, is_colored: bool) -> str:
    return f"{_INK[color]} {_BOARD}" if is_colored else ""
