"""A board of any game in a terminal, in colours, plain discs or letters, and games move by move."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.console import Console, Group
from rich.text import Text

from evoply.protocols import Cell, Color, Diagram, DiagramSide, GameRecord
from evoply.wording import short_name

if TYPE_CHECKING:
    from evoply.games.formats import GamePlayed

_BOARD, _LIGHT, _LAST = "on rgb(38,110,70)", "on rgb(205,198,178)", "on rgb(90,150,60)"
_INK = {Color.BLACK: "rgb(10,10,10)", Color.WHITE: "rgb(250,250,250)"}
_COLORED = {Color.BLACK: "●♚", Color.WHITE: "○♔"}
"""A piece and a king where there are colours: shapes tell the sides apart, too, also in a copy."""


def board_text(game: GameRecord, console: Console, *, legal: bool = True) -> Text:
    """Return the board after the last move of *game*, in what *console* can show.

    Squares with labels of their own are four columns wide, others three between letters and row
    numbers. Legal moves are marked by a dot or `*`, the squares of the last move by a brighter
    ground, or by brackets or `<`.
    """
    is_unicode = console.encoding.lower().startswith("utf") and console.is_terminal
    is_colored = is_unicode and console.color_system is not None and not console.no_color
    last_move = game.moves[-1] if game.moves else None
    diagram = game.position.diagram(last_move=last_move, legal=legal)
    shape, append = diagram.shape, _append_numbered if diagram.is_numbered else _append_lettered
    faint = "dim" if is_colored else ""
    text = Text()
    if not diagram.is_numbered:
        head = "".join(f" {letter} " for letter in shape.letters)
        text.append(f"   {head}\n", style=faint)
    for row in range(shape.rows):
        text.append(*(("  ",) if diagram.is_numbered else (f"{row + 1:>2} ", faint)))
        for square in range(shape.index(row, 0), shape.index(row + 1, 0)):
            cell, is_last = diagram.cells[square], square in diagram.last
            symbol = _symbol(cell, diagram, is_unicode=is_unicode, is_colored=is_colored)
            if is_colored:
                append(text, cell, symbol, _LAST if is_last else _BOARD)
            elif diagram.is_numbered:
                mark = f"{cell.label:>2}{symbol}{'<' if is_last else ' '}"
                text.append(mark if cell.is_playable else "    ")
            else:
                text.append(f"[{symbol}]" if is_last else f" {symbol} ")
        text.append("\n")
    for color, side in diagram.sides.items():
        if is_colored:
            # As on the board: on a dark ground of the terminal a black disc would look white.
            text.append("   " if diagram.is_numbered else "")
            disc = f" {_COLORED[color][0]} " if diagram.is_numbered else f"   {_COLORED[color][0]}"
            text.append(disc, style=f"{_INK[color]} {_BOARD}")
        else:
            text.append(f"   {_marks(side, is_unicode)[0]}")
        text.append(f" {color} {side.count}")
    return text


def weights_text(game: GameRecord, weights: Sequence[int], console: Console) -> str:
    """Return the board after *game* with a number, of *weights*, on every empty square.

    The squares of the last move are in brackets.
    """
    is_unicode = console.encoding.lower().startswith("utf") and console.is_terminal
    diagram = game.position.diagram(last_move=game.moves[-1] if game.moves else None)
    width = max(len(str(weight)) for weight in weights)
    shape = diagram.shape
    names = "".join(f"{letter:>{width + 2}}" for letter in shape.letters)
    lines = [f"   {names}"]
    for row in range(shape.rows):
        line = f"{row + 1:>2} "
        for square in range(shape.index(row, 0), shape.index(row + 1, 0)):
            cell = diagram.cells[square]
            content = f"{weights[square]}" if cell.is_playable else ""
            if cell.color is not None:
                content = _marks(diagram.sides[cell.color], is_unicode)[cell.is_king]
            before, after = "[]" if square in diagram.last else "  "
            line += f"{before + content:>{width + 1}}{after}"
        lines.append(line.rstrip())
    return "\n".join(lines)


def _symbol(cell: Cell, diagram: Diagram, *, is_unicode: bool, is_colored: bool) -> str:
    if cell.color is not None:
        plain = _marks(diagram.sides[cell.color], is_unicode)
        return (_COLORED[cell.color] if is_colored else plain)[cell.is_king]
    if diagram.is_numbered:
        return "*" if cell.is_legal else "·" if is_unicode else "."
    if is_colored:
        return "·" if cell.is_legal else " "
    return "*" if cell.is_legal else "."


def _marks(side: DiagramSide, is_unicode: bool) -> str:
    return side.symbols if is_unicode else side.letters


def _append_lettered(text: Text, cell: Cell, symbol: str, ground: str) -> None:
    text.append(f" {symbol} ", style=f"{_ink(cell)} {ground}")


def _append_numbered(text: Text, cell: Cell, symbol: str, ground: str) -> None:
    if not cell.is_playable:
        text.append("    ", style=_LIGHT)
        return
    text.append(f"{cell.label:>2}", style=f"rgb(150,190,165) {ground}")
    text.append(f"{symbol} ", style=f"{_ink(cell)} {ground}")


def _ink(cell: Cell) -> str:
    return "bold rgb(255,220,120)" if cell.color is None else _INK[cell.color]


_MOST_MOVES_SHOWN = 12


def show_game(game: GamePlayed, console: Console, delay: float, *, title: str = "Game") -> None:
    """Show one game, with *delay* seconds for every move if there is a terminal to show it in."""
    from rich.live import Live

    from evoply.games import game_rules
    from evoply.games.position import NO_DRAWS

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
    console.print(_head(game, title), style="bold", soft_wrap=True)
    console.print(f"Moves: {game.record.transcript()}", soft_wrap=True)
    console.print(board_text(game.record, console, legal=False))
    console.print(f"{game.in_words()}\n", soft_wrap=True)


def _head(game: GamePlayed, title: str) -> str:
    return f"{title}: {short_name(game.black)} (Black) against {short_name(game.white)} (White)"


def _picture(record: GameRecord, game: GamePlayed, console: Console) -> Group:
    """Return the board, how far the game has gone, and the last moves."""
    played = len(record)
    begin = max(0, played - _MOST_MOVES_SHOWN)
    moves = " ".join(record.move_texts()[begin:])
    opening = f", opening of {game.opening_plies} random plies" * (played <= game.opening_plies)
    caption = f"ply {played} of {len(game.record)}{opening}: {'… ' * (begin > 0)}{moves}"
    return Group(board_text(record, console, legal=False), Text(caption, no_wrap=True))
