"""Boards as arrays of pixels, drawn with numpy alone, in the colours of all other pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.games.drawing import COLORS
from evoply.protocols import Color, Diagram, Position

SIDE = 32
"""Pixels along a square."""
_RADIUS, _RIM, _CROWN, _DOT = 13.0, 11.5, 5.0, 3.0


def _rgb(name: str) -> tuple[int, ...]:
    return tuple(bytes.fromhex(COLORS[name].removeprefix("#")))


_ACROSS = np.arange(SIDE) - (SIDE - 1) / 2
_FROM_MIDDLE = np.hypot(_ACROSS[:, None], _ACROSS[None, :])


def board_pixels(position: Position, last_move: Any = None) -> NDArray[np.uint8]:
    """Return a board as rows, columns and red, green, blue from 0 to 255.

    A dot marks where *last_move* ended; a king has a spot in the colour of crowns.
    """
    diagram = position.diagram(last_move=last_move, legal=False)
    shape = diagram.shape
    image = np.empty((shape.rows * SIDE, shape.columns * SIDE, 3), dtype=np.uint8)
    for square in range(shape.squares):
        row, column = divmod(square, shape.columns)
        tile = image[row * SIDE : (row + 1) * SIDE, column * SIDE : (column + 1) * SIDE]
        _draw(tile, diagram, square)
    return image


def _draw(tile: NDArray[np.uint8], diagram: Diagram, square: int) -> None:
    cell = diagram.cells[square]
    tile[:] = _rgb("board" if cell.is_playable else "board-light")
    tile[0] = tile[:, 0] = _rgb("board-line")
    if cell.color is not None:
        side = "black" if cell.color is Color.BLACK else "white"
        tile[_FROM_MIDDLE <= _RADIUS] = _rgb(f"{side}-rim")
        tile[_FROM_MIDDLE <= _RIM] = _rgb(f"{side}-disc")
    if cell.is_king:
        tile[_FROM_MIDDLE <= _CROWN] = _rgb("crown")
    if diagram.last[-1:] == (square,):
        tile[_FROM_MIDDLE <= _DOT] = _rgb("last-move")
