"""Exercise 6: look ahead."""

from evoply import othello

INFINITY = float("inf")


def search(position, depth, value, alpha=-INFINITY, beta=INFINITY):
    """Return what *position* is worth to the side to move, looking *depth* plies ahead.

    A ply is one move of one side. *value* is a function: value(position) is what a position is
    worth to its side to move, without looking ahead.
    """
    moves = position.legal_moves
    if depth == 0 or not moves:
        return value(position)
    best = -INFINITY
    for move in moves:
        best = max(best, -search(position.play(move), depth - 1, value, -beta, -alpha))
        alpha = max(alpha, best)
        if alpha >= beta:
            break
    return best


def disc_lead(position):
    """Return how many discs the side to move has more than the other side."""
    return position.own.bit_count() - position.opponent.bit_count()


if __name__ == "__main__":  # what `python search.py` shows
    start = othello.Position(6)
    for depth in range(5):
        print(depth, search(start, depth, disc_lead))
