"""Ataxx 7x7: a piece doubles to a square beside, or jumps two; pieces beside it change sides."""

from evoply.expressions import board
from evoply.rules import Rules, place, step

FAR = [
    (down, right)
    for down in range(-2, 3)
    for right in range(-2, 3)
    if max(abs(down), abs(right)) == 2
]
captured = board.moved_to.neighbours() & board.opponent
after = {
    "own": (board.own - board.moved_from) | board.moved_to | captured,
    "opponent": board.opponent - captured,
}

ataxx = Rules(
    name="ataxx",
    title="Ataxx 7x7",
    rows=7,
    columns=7,
    black="a1 g7",
    white="a7 g1",
    moves=(
        place(board.own.neighbours() & board.empty, **after),
        step(board.own, FAR, onto=board.empty, **after),
    ),
    no_move="passes",
    both_pass="most",
    symmetries="turn",
    max_plies=300,
    repetitions=3,
)
