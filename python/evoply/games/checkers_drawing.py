"""Boards of checkers as pictures, in the manner of `evoply.games.drawing`.

It draws what it is given and decides nothing about rules. Dark squares carry their numbers,
kings a crown; the path of the last move is a line with a dot at its end.
"""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

from evoply.games.checkers_move import square_number
from evoply.games.drawing import (
    _FOOTER,
    _FRAME_TEXT,
    _LAST_MOVE,
    _MARGIN,
    _RIM,
    _SQUARE,
    _center,
    _disc,
    _heat_squares,
    _picture,
    _ring,
    _text,
)
from evoply.games.squares import squares_in
from evoply.protocols import Color

if TYPE_CHECKING:
    from evoply.games.checkers import Game
    from evoply.games.checkers_move import Move
    from evoply.games.checkers_position import Position

_LIGHT, _DARK, _NUMBER = "#ece7d8", "#3f8f63", "#d5e8dc"
# A crown within 20 x 14 units around the middle of the disc.
_CROWN = "M-10 6V-5L-5 0L0 -8L5 0L10 -5V6Z"
_CROWN_FILL = "#e0a526"


def board_svg(position: "Position", *, last_move: "Move | None" = None, legal: bool = True) -> str:
    """Return the board as SVG: pieces, numbers of the squares, piece counts, who is to move.

    Small rings mark the squares where legal moves end unless *legal* is false; *last_move* is
    drawn as its path.
    """
    size = position.size
    shapes = _squares(size)
    if last_move is not None:
        shapes.append(_path(last_move))
    for color, squares in ((Color.BLACK, position.black), (Color.WHITE, position.white)):
        for square in squares_in(squares):
            x, y = _center(square, size)
            shapes.append(_disc(x, y, color, 0.38))
            if position.kings >> square & 1:
                shapes.append(
                    f'<path d="{_CROWN}" transform="translate({x} {y})" fill="{_CROWN_FILL}"'
                    f' stroke="{_RIM[color]}"/>'
                )
    if legal:
        for square in sorted({move.path[-1] for move in position.legal_moves}):
            shapes.append(_ring(*_center(square, size), position.turn))
    if last_move is not None:
        x, y = _center(last_move.path[-1], size)
        shapes.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{_LAST_MOVE}"/>')
    status = _status(position)
    shapes += _footer(position, status)
    return _picture(size, status, shapes, footer=_FOOTER, coordinates=False)


def heat_map_svg(size: int, values: Sequence[float], *, title: str = "Value of each square") -> str:
    """Return a board whose dark squares are colored by *values* and carry them as numbers.

    *values* has size * size numbers, row by row, and those of light squares are left out; else as
    `evoply.games.drawing.heat_map_svg`. Small numbers are those of the squares.
    """
    labels = {
        square: str(square_number(square, size))
        for square in range(size * size)
        if (square // size + square % size) % 2 == 1
    }
    side = size * _SQUARE
    light = f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" fill="{_LIGHT}"/>'
    shapes = [light, *_heat_squares(size, values, labels)]
    return _picture(size, title, shapes, footer=0, coordinates=False)


def game_html(game: "Game") -> str:
    """Return a game as HTML: its last position beside the numbered moves and how it ended."""
    last = game.moves[-1] if game.moves else None
    reason = game.draw_reason()
    end = _status(game.position) if reason is None else f"Draw: {reason}"
    texts = [
        position.short_text(move)
        for position, move in zip(game.positions, game.moves, strict=False)
    ]
    cells = ([""] if game.start.turn is Color.WHITE else []) + texts
    rows = [
        f'<tr><td style="text-align:right;padding:1px 10px 1px 0;opacity:.6">{index // 2 + 1}</td>'
        + "".join(
            f'<td style="text-align:left;padding:1px 10px 1px 0">{escape(cell)}</td>'
            for cell in cells[index : index + 2]
        )
        + "</tr>"
        for index in range(0, len(cells), 2)
    ]
    columns = [rows[index : index + 15] for index in range(0, len(rows), 15)]
    tables = "".join(
        '<table style="border-collapse:collapse;color:inherit;font-variant-numeric:tabular-nums">'
        f"{''.join(column)}</table>"
        for column in columns
    )
    return (
        '<div style="display:flex;flex-wrap:wrap;gap:20px;align-items:flex-start">'
        f'<div style="flex:0 1 360px">{board_svg(game.position, last_move=last)}</div>'
        f'<div><p style="margin:0 0 6px"><strong>{escape(end)}</strong>, {len(game)} plies</p>'
        f'<div style="display:flex;gap:18px">{tables}</div></div></div>'
    )


def _squares(size: int) -> list[str]:
    """Return the light and dark squares, with the numbers of the dark ones."""
    side = size * _SQUARE
    shapes = [f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{side}" height="{side}" fill="{_LIGHT}"/>']
    dark = [square for square in range(size * size) if (square // size + square % size) % 2 == 1]
    corners = [
        (_MARGIN + square % size * _SQUARE, _MARGIN + square // size * _SQUARE) for square in dark
    ]
    cells = "".join(f"M{x} {y}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z" for x, y in corners)
    shapes.append(f'<path d="{cells}" fill="{_DARK}"/>')
    for square, (x, y) in zip(dark, corners, strict=True):
        number = str(square_number(square, size))
        shapes.append(_text(x + 3, y + 7, number, _NUMBER, size=9, anchor="start"))
    return shapes


def _path(move: "Move") -> str:
    """Return the line that a piece went."""
    points = " ".join(f"{x},{y}" for x, y in (_center(s, move.size) for s in move.path))
    return (
        f'<polyline points="{points}" fill="none" stroke="{_LAST_MOVE}" stroke-width="4"'
        ' stroke-linejoin="round" stroke-linecap="round"/>'
    )


def _footer(position: "Position", status: str) -> Sequence[str]:
    """Return the line below the board: a disc and a count for each side, and *status*."""
    middle = position.size * _SQUARE + _MARGIN + (_MARGIN + _FOOTER) / 2
    shapes = []
    x: float = _MARGIN + 10
    for color in Color:
        shapes.append(_disc(x, middle, color, 0.2))
        count = str(position.pieces(color))
        shapes.append(_text(x + 58 * 0.3, middle, count, _FRAME_TEXT, size=15, anchor="start"))
        x += 58
    right = position.size * _SQUARE + _MARGIN
    shapes.append(_text(right, middle, status, _FRAME_TEXT, size=15, anchor="end"))
    return shapes


def _status(position: "Position") -> str:
    """Return the state in a few words: who is to move or has won."""
    outcome = position.outcome()
    if outcome is None:
        return f"{position.turn} to move"
    return f"{outcome.winner} wins"
