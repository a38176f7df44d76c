"""A board of checkers in a terminal: every dark square with its number, as moves name it."""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from evoply.games.checkers import Game, Position
from evoply.games.checkers_move import square_number
from evoply.protocols import Color

__all__ = ["checkers_text"]

_DARK, _LIGHT, _LAST = "on rgb(38,110,70)", "on rgb(205,198,178)", "on rgb(90,150,60)"
_INK = {Color.BLACK: "rgb(10,10,10)", Color.WHITE: "rgb(250,250,250)"}
_LETTERS = {Color.BLACK: "bB", Color.WHITE: "wW"}
_SYMBOLS = {Color.BLACK: "●♚", Color.WHITE: "○♔"}
"""Men and kings, for consoles without and with more than letters."""


def checkers_text(game: Game, console: Console, *, legal: bool = True) -> Text:
    """Return the board after the last move of *game*, in what *console* can show.

    Squares where legal moves end are marked by `*`, those of the last move by a brighter ground
    or by `<`.
    """
    is_unicode = console.encoding.lower().startswith("utf") and console.is_terminal
    is_colored = is_unicode and console.color_system is not None and not console.no_color
    position = game.position
    last = game.moves[-1].path if game.moves else ()
    ends = {move.path[-1] for move in position.legal_moves} if legal else set()
    text = Text()
    for row in range(position.size):
        text.append("  ")
        for square in range(row * position.size, (row + 1) * position.size):
            if (row + square % position.size) % 2 == 0:
                text.append("    ", style=_LIGHT if is_colored else "")
                continue
            color, symbol = _piece_on(position, square, is_unicode)
            symbol = symbol or ("*" if square in ends else "·" if is_unicode else ".")
            number = f"{square_number(square, position.size):>2}"
            if is_colored:
                ground = _LAST if square in last else _DARK
                text.append(number, style=f"rgb(150,190,165) {ground}")
                ink = "bold rgb(255,220,120)" if color is None else _INK[color]
                filled = {"○": "●", "♔": "♚"}.get(symbol, symbol)
                text.append(f"{filled} ", style=f"{ink} {ground}")
            else:
                text.append(f"{number}{symbol}{'<' if square in last else ' '}")
        text.append("\n")
    symbols = _SYMBOLS if is_unicode else _LETTERS
    for color in Color:
        kings = position.king_count(color)
        men = position.pieces(color) - kings
        text.append("   ")
        if is_colored:
            # As on the board: on a dark ground of the terminal a black disc would look white.
            text.append(" ● ", style=f"{_INK[color]} {_DARK}")
        else:
            text.append(symbols[color][0])
        text.append(
            f" {color} {men} m{'a' if men == 1 else 'e'}n, {kings} king{'' if kings == 1 else 's'}"
        )
    return text


def _piece_on(position: Position, square: int, is_unicode: bool) -> tuple[Color | None, str]:
    for color, squares in ((Color.BLACK, position.black), (Color.WHITE, position.white)):
        if squares >> square & 1:
            symbols = _SYMBOLS if is_unicode else _LETTERS
            return color, symbols[color][position.kings >> square & 1]
    return None, ""
