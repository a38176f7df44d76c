"""Exercise 1: let evolution see something new on the board."""

from evoply import board, count, othello

# How many empty squares lie beside a disc of the opponent.
feature = count(board.empty & board.opponent.neighbours())


def slow(position):
    """Return the same number by looking at one square after the other."""
    found = 0
    for square in range(position.shape.squares):
        touching = (has(position.opponent, other) for other in around(position, square))
        if has(position.empty, square) and any(touching):
            found += 1
    return found


def has(squares, square):
    """Return whether *square* is in the set *squares*, such as position.empty."""
    return bool(squares >> square & 1)


def around(position, square):
    """Return the squares beside *square*: up to eight."""
    shape = position.shape
    row, column = divmod(square, shape.columns)
    return [
        shape.index(row + down, column + right)
        for down in (-1, 0, 1)
        for right in (-1, 0, 1)
        if (down, right) != (0, 0) and (row + down, column + right) in shape
    ]


if __name__ == "__main__":  # what `python feature.py` shows
    position = othello.Game.from_transcript("f5d6c3d3c4").position
    print(position)
    print("feature", feature.evaluate(position), "slow", slow(position))
