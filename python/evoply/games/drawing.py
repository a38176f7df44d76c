"""Draws boards of any game as standalone SVG, readable on light and on dark pages.

It draws a position's diagram and knows no rules. Every picture has its own background and uses no
style sheet, script or downloaded font.

Reasons: docs/design/kernel.md.
"""

import math
from collections.abc import Mapping, Sequence
from html import escape
from itertools import product
from typing import Any

from evoply.protocols import BoardShape, Color, Diagram, GameRecord, Position
from evoply.protocols.sections import framed

FLEXIBLE = 'style="max-width:100%;height:auto"'
"""Lets a picture become narrower than it is drawn, on pages with no style of their own for it."""

_SQUARE = 44
_HALF = _SQUARE // 2
_MARGIN = 28
_FOOTER = 12  # the height of the status line beyond the lower margin
_FONT = "system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif"

_FRAME, _FRAME_TEXT, _FRAME_FAINT = "#22302a", "#dfe8e2", "#9fb0a6"
_BOARD, _LINE = "#3f8f63", "#2c6a49"
_DISC = {Color.BLACK: "#14191c", Color.WHITE: "#f7f7f2"}
_RIM = {Color.BLACK: "#3c4650", Color.WHITE: "#b9bdb6"}
_LAST_MOVE = "#f2a33a"
_LIGHT, _NUMBER = "#ece7d8", "#d5e8dc"
# A crown within 20 x 14 units around the middle of the disc.
_CROWN = "M-10 6V-5L-5 0L0 -8L5 0L10 -5V6Z"
_CROWN_FILL = "#e0a526"

COLORS: Mapping[str, str] = {
    "frame": _FRAME,
    "frame-text": _FRAME_TEXT,
    "frame-faint": _FRAME_FAINT,
    "board": _BOARD,
    "board-line": _LINE,
    "board-light": _LIGHT,
    "board-number": _NUMBER,
    "black-disc": _DISC[Color.BLACK],
    "white-disc": _DISC[Color.WHITE],
    "black-rim": _RIM[Color.BLACK],
    "white-rim": _RIM[Color.WHITE],
    "last-move": _LAST_MOVE,
    "crown": _CROWN_FILL,
}
"""The colours of boards by name, for other code that draws boards."""

_NEUTRAL, _POSITIVE, _NEGATIVE = (243, 241, 234), (196, 74, 20), (32, 92, 168)


def board_svg(
    position: Position,
    *,
    last_move: Any = None,
    legal: bool = True,
    moves: Sequence[tuple[Any, str]] = (),
    numbers: Mapping[int, str] | None = None,
) -> str:
    """Return the board as SVG: pieces, names of squares, piece counts and who is to move.

    Small rings mark the legal moves unless *legal* is false; *last_move* is marked by a dot where
    it ended and a line along its path. *moves* from the position, each with a color, are marked by
    rings where they would end and lines along their paths. *numbers* are written on the pieces on
    their squares, such as the plies at which these came there.
    """
    diagram = position.diagram(last_move=last_move, legal=legal)
    shape = diagram.shape
    path = [_center(square, shape) for square in diagram.last]
    shapes = _dark_squares(diagram) if diagram.is_numbered else _grid(shape)
    shapes += _line(path, _LAST_MOVE)
    shapes += _pieces(diagram)
    for square, cell in enumerate(diagram.cells):
        if cell.is_legal:
            shapes.append(_ring(*_center(square, shape), diagram.turn))
    written = _numbers(diagram, numbers or {})
    shapes += written
    for x, y in path[-1:] if not written else ():
        shapes.append(f'<circle cx="{x}" cy="{y}" r="5" fill="{_LAST_MOVE}"/>')
    for move, color in moves:
        path = [_center(square, shape) for square in position.diagram(last_move=move).last]
        shapes += _line(path, color)
        for x, y in path[-1:]:
            shapes.append(
                f'<circle cx="{x}" cy="{y}" r="12" fill="none" stroke="{escape(color)}"'
                ' stroke-width="5"/>'
            )
    shapes += _footer(diagram)
    is_lettered = not diagram.is_numbered
    return _picture(shape, diagram.status, shapes, footer=_FOOTER, coordinates=is_lettered)


def heat_map_svg(
    shape: BoardShape,
    values: Sequence[float],
    *,
    title: str = "Value of each square",
    caption: str = "",
    labels: Mapping[int, str] | None = None,
) -> str:
    """Return a board whose squares are colored by *values* and labelled with them.

    *values* has a number for each square, row by row. Orange is positive, blue negative, and zero
    the palest; the strongest colour marks the largest magnitude. Numbers that are not finite are
    gray. *caption* is a line below the board. With *labels*, names of squares by number, only these
    squares are drawn, on a light board. Raises `ValueError` if the count of values is wrong.
    """
    if labels is None:
        shapes = _heat_squares(shape, values, dict.fromkeys(range(shape.squares), ""))
    else:
        shapes = [_ground(shape, _LIGHT), *_heat_squares(shape, values, labels)]
    if caption:
        right, bottom = _ends(shape)
        middle = (_MARGIN + right) / 2, bottom + (_MARGIN + _FOOTER) / 2
        # A line that is too long for a small board becomes smaller.
        font = max(5, min(14, int(1.9 * shape.columns * _SQUARE / len(caption))))
        shapes = [*shapes, _text(*middle, caption, _FRAME_TEXT, size=font)]
    footer = _FOOTER if caption else 0
    return _picture(shape, title, shapes, footer=footer, coordinates=labels is None)


def game_html(game: GameRecord) -> str:
    """Return a game as HTML: its last position beside the numbered moves and how it ended."""
    last = game.moves[-1] if game.moves else None
    reason = game.draw_reason()
    end = game.position.diagram().status if reason is None else f"Draw: {reason}"
    cells = ([""] if game.start.turn is Color.WHITE else []) + list(game.move_texts())
    rows = [
        f"<tr><td>{index // 2 + 1}</td>"
        + "".join(f"<td>{escape(cell)}</td>" for cell in cells[index : index + 2])
        + "</tr>"
        for index in range(0, len(cells), 2)
    ]
    columns = [rows[index : index + 15] for index in range(0, len(rows), 15)]
    tables = "".join(f"<table>{''.join(column)}</table>" for column in columns)
    return framed(
        f'<div class="game"><div class="end">{board_svg(game.position, last_move=last)}</div>'
        f"<div><p><strong>{escape(end)}</strong>, {len(game)} plies</p>"
        f'<div class="moves">{tables}</div></div></div>'
    )


def _heat_squares(
    shape: BoardShape, values: Sequence[float], labels: Mapping[int, str]
) -> list[str]:
    """Return the squares that have a label, colored by *values*, with number and label."""
    numbers = [float(value) for value in values]
    if len(numbers) != shape.squares:
        raise ValueError(f"a {shape} board has {shape.squares} squares, not {len(numbers)}")
    drawn = [numbers[square] for square in labels]
    largest = max((abs(value) for value in drawn if math.isfinite(value)), default=0.0)
    shapes = []
    for (square, label), value in zip(labels.items(), drawn, strict=True):
        x, y = _center(square, shape)
        fill, ink = _heat(value, largest)
        corner = f'x="{x - _HALF}" y="{y - _HALF}"'
        shapes.append(
            f'<rect {corner} width="{_SQUARE}" height="{_SQUARE}" fill="{fill}" stroke="{_FRAME}"/>'
        )
        number = _short_number(value)
        shapes.append(_text(x, y, number, ink, size=12 if len(number) <= 6 else 9))
        if label:
            shapes.append(_text(x - _HALF + 3, y - _HALF + 7, label, ink, size=9, anchor="start"))
    return shapes


def _picture(
    shape: BoardShape, title: str, shapes: Sequence[str], *, footer: int, coordinates: bool = True
) -> str:
    """Return the SVG document: frame, letters and numbers if *coordinates*, then *shapes*."""
    right, bottom = _ends(shape)
    width, height = right + _MARGIN, bottom + _MARGIN + footer
    labels = []
    for index in range(max(shape.rows, shape.columns) if coordinates else 0):
        middle = _MARGIN + index * _SQUARE + _SQUARE / 2
        if index < shape.columns:
            labels.append(_text(middle, _MARGIN / 2, shape.letters[index], _FRAME_FAINT, size=14))
        if index < shape.rows:
            labels.append(_text(_MARGIN / 2, middle, str(index + 1), _FRAME_FAINT, size=14))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
        f' width="{width}" height="{height}" {FLEXIBLE}'
        f' role="img" font-family="{_FONT}"><title>{escape(title)}</title>'
        f'<rect width="{width}" height="{height}" rx="10" fill="{_FRAME}"/>'
        f"{''.join(labels)}{''.join(shapes)}</svg>"
    )


def _ends(shape: BoardShape) -> tuple[int, int]:
    """Return the coordinates of the right and bottom edges of the board."""
    return _MARGIN + shape.columns * _SQUARE, _MARGIN + shape.rows * _SQUARE


def _ground(shape: BoardShape, fill: str) -> str:
    """Return the board without its squares."""
    width, height = shape.columns * _SQUARE, shape.rows * _SQUARE
    return f'<rect x="{_MARGIN}" y="{_MARGIN}" width="{width}" height="{height}" fill="{fill}"/>'


def _grid(shape: BoardShape) -> list[str]:
    """Return the green board, its lines, and the four dots two squares in from the corners."""
    right, bottom = _ends(shape)
    lines = []
    for index in range(max(shape.rows, shape.columns) + 1):
        at = _MARGIN + index * _SQUARE
        lines += [f"M{at} {_MARGIN}V{bottom}"] if at <= right else []
        lines += [f"M{_MARGIN} {at}H{right}"] if at <= bottom else []
    shapes = [
        _ground(shape, _BOARD),
        f'<path d="{"".join(lines)}" stroke="{_LINE}" stroke-width="1.5" fill="none"/>',
    ]
    if min(shape.rows, shape.columns) >= 8:
        inwards = 2 * _SQUARE
        near = _MARGIN + inwards
        for x, y in product((near, right - inwards), (near, bottom - inwards)):
            shapes.append(f'<circle cx="{x}" cy="{y}" r="3.5" fill="{_LINE}"/>')
    return shapes


def _dark_squares(diagram: Diagram) -> list[str]:
    """Return the light board with the squares where pieces stand, which carry their labels."""
    centers = {
        square: _center(square, diagram.shape)
        for square, cell in enumerate(diagram.cells)
        if cell.is_playable
    }
    corners = {square: (x - _HALF, y - _HALF) for square, (x, y) in centers.items()}
    squares = "".join(f"M{x} {y}h{_SQUARE}v{_SQUARE}h-{_SQUARE}z" for x, y in corners.values())
    shapes = [_ground(diagram.shape, _LIGHT), f'<path d="{squares}" fill="{_BOARD}"/>']
    for square, (x, y) in corners.items():
        label = diagram.cells[square].label
        shapes.append(_text(x + 3, y + 7, label, _NUMBER, size=9, anchor="start"))
    return shapes


def _pieces(diagram: Diagram) -> list[str]:
    """Return the discs, smaller where squares carry labels, and the crowns of kings."""
    shapes = []
    radius = 0.38 if diagram.is_numbered else 0.41
    for square, cell in enumerate(diagram.cells):
        if cell.color is None:
            continue
        x, y = _center(square, diagram.shape)
        shapes.append(_disc(x, y, cell.color, radius))
        if cell.is_king:
            shapes.append(
                f'<path d="{_CROWN}" transform="translate({x} {y})" fill="{_CROWN_FILL}"'
                f' stroke="{_RIM[cell.color]}"/>'
            )
    return shapes


def _numbers(diagram: Diagram, numbers: Mapping[int, str]) -> list[str]:
    """Return *numbers* on the pieces of their squares, that of the last move in its colour."""
    shapes = []
    for square, number in sorted(numbers.items()):
        color = diagram.cells[square].color
        if color is not None:
            is_last = diagram.last[-1:] == (square,)
            # Orange on white would be pale.
            marked = _LAST_MOVE if color is Color.BLACK else "#a85b00"
            ink = marked if is_last else _DISC[color.opposite]
            shapes.append(_text(*_center(square, diagram.shape), number, ink, size=15))
    return shapes


def _line(path: Sequence[tuple[float, float]], color: str) -> list[str]:
    """Return the line of a piece along *path*; nothing for a piece that is placed on the board."""
    points = " ".join(f"{x},{y}" for x, y in path)
    line = (
        f'<polyline points="{points}" fill="none" stroke="{escape(color)}" stroke-width="4"'
        ' stroke-linejoin="round" stroke-linecap="round"/>'
    )
    return [line] if len(path) > 1 else []


def _center(square: int, shape: BoardShape) -> tuple[int, int]:
    row, column = divmod(square, shape.columns)
    return _MARGIN + column * _SQUARE + _HALF, _MARGIN + row * _SQUARE + _HALF


def _disc(x: float, y: float, color: Color, radius: float) -> str:
    r = radius * _SQUARE
    return (
        f'<circle cx="{x}" cy="{y + 1.5}" r="{r:g}" fill="#000" opacity=".28"/>'
        f'<circle cx="{x}" cy="{y}" r="{r:g}" fill="{_DISC[color]}"'
        f' stroke="{_RIM[color]}" stroke-width="1.5"/>'
    )


def _ring(x: float, y: float, color: Color) -> str:
    return (
        f'<circle cx="{x}" cy="{y}" r="6" fill="none" stroke="{_DISC[color]}"'
        ' stroke-width="2.5" opacity=".7"/>'
    )


def _footer(diagram: Diagram) -> list[str]:
    """Return the line below the board: a disc and a count for each side, and the status."""
    right, bottom = _ends(diagram.shape)
    middle = bottom + (_MARGIN + _FOOTER) / 2
    shapes = []
    small = diagram.shape.columns < 6
    font, step = (11, 40) if small else (15, 58)
    x: float = _MARGIN + (8 if small else 10)
    for color in Color:
        shapes.append(_disc(x, middle, color, 0.2))
        count = str(diagram.sides[color].pieces)
        shapes.append(_text(x + step * 0.3, middle, count, _FRAME_TEXT, size=font, anchor="start"))
        x += step
    shapes.append(_text(right, middle, diagram.status, _FRAME_TEXT, size=font, anchor="end"))
    return shapes


def _text(x: float, y: float, text: str, fill: str, *, size: int, anchor: str = "middle") -> str:
    # The y coordinate is shifted, because some renderers do not know dominant-baseline.
    return (
        f'<text x="{x:g}" y="{y + size * 0.35:g}" font-size="{size}" fill="{fill}"'
        f' text-anchor="{anchor}">{escape(text)}</text>'
    )


def _heat(value: float, largest: float) -> tuple[str, str]:
    """Return the fill for *value* when *largest* is the largest magnitude, and a legible ink."""
    if not math.isfinite(value):
        return "#8a8f94", "#ffffff"
    strength = abs(value) / largest if largest else 0.0
    end = _POSITIVE if value > 0 else _NEGATIVE
    red, green, blue = (
        round(pale + (strong - pale) * strength) for pale, strong in zip(_NEUTRAL, end, strict=True)
    )
    luminance = (0.299 * red + 0.587 * green + 0.114 * blue) / 255
    return f"#{red:02x}{green:02x}{blue:02x}", "#14191c" if luminance > 0.55 else "#ffffff"


def _short_number(value: float) -> str:
    """Return *value* to two or three digits in at most seven characters, with a minus sign."""
    magnitude = abs(value)
    if value == 0 or not math.isfinite(value):
        text = f"{magnitude:g}"
    elif 100 <= magnitude < 10_000:
        text = f"{magnitude:.0f}"
    elif 0.001 <= magnitude < 100:
        text = f"{magnitude:.3g}" if magnitude >= 0.01 else f"{magnitude:.2g}"
    else:
        mantissa, exponent = f"{magnitude:.1e}".split("e")
        text = f"{mantissa}e{int(exponent)}"
    return f"\N{MINUS SIGN}{text}" if value < 0 else text
