"""Pictures drawn by evoply: boards, trees, heat maps, sets of squares."""

from __future__ import annotations

from evoply.expressions import find_primitive_set, square_sets
from evoply.games import SHAPES
from evoply.games.drawing import board_svg, heat_map_svg
from evoply.games.othello import Game, Position
from evoply.gp import parse_tree, tree_svg
from evoply.players import parse_player
from evoply.reports import square_effects


def board(text: str) -> str:
    """Return the position after a transcript, or the start for "start"."""
    if text == "start":
        return board_svg(Position())
    game = Game.from_transcript(text)
    return board_svg(game.position, last_move=game.moves[-1])


def tree(text: str) -> str:
    """Return the picture of a tree over liao+mobility."""
    return tree_svg(parse_tree(text, find_primitive_set("liao+mobility")))


def heat_map(text: str) -> str:
    """Return what each square is worth to a player."""
    values = square_effects(parse_player(text), game="othello")
    if values is None:
        raise ValueError(f"{text} does not value squares")
    return heat_map_svg(SHAPES[8], values)


def squares(text: str) -> str:
    """Return a named set of squares of the 8x8 board."""
    chosen = square_sets(SHAPES[8])[text]
    values = [float(chosen >> square & 1) for square in range(64)]
    return heat_map_svg(SHAPES[8], values, title=text)
