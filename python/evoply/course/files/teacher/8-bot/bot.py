"""Exercise 8: corners and moves, two plies ahead."""

CORNERS = 1 << 0 | 1 << 7 | 1 << 56 | 1 << 63
INFINITY = float("inf")


def worth(position):
    """Return what *position* is worth to the side to move."""
    if not position.legal_moves:  # the end: discs count
        return 1000 * (position.own.bit_count() - position.opponent.bit_count())
    corners = (position.own & CORNERS).bit_count() - (position.opponent & CORNERS).bit_count()
    moves = position.mobility(position.turn) - position.mobility(position.turn.opposite)
    return 10 * corners + moves


def search(position, depth, value, alpha=-INFINITY, beta=INFINITY):
    """Return what *position* is worth to the side to move, looking *depth* plies ahead."""
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


class CornersAndMoves:
    """Looks at its own move and at the answer."""

    def choose(self, game, stream, clock):
        """Return a legal move in *game*."""
        position = game.position
        return max(position.legal_moves, key=lambda move: -search(position.play(move), 1, worth))
