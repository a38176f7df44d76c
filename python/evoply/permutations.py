"""Random orders. Every draw comes from a stream, so the same key gives the same order."""

from evoply._native import Stream


def shuffled(count: int, stream: Stream) -> list[int]:
    """Return the numbers below *count* in a uniformly random order (Fisher and Yates)."""
    order = list(range(count))
    for last in range(count - 1, 0, -1):
        other = stream.below(last + 1)
        order[last], order[other] = order[other], order[last]
    return order


def derangement(count: int, stream: Stream) -> list[int]:
    """Return a uniformly random permutation of *count* >= 2 numbers that moves each of them.

    About e orders are drawn until one does.
    """
    while True:
        order = shuffled(count, stream)
        if all(index != number for index, number in enumerate(order)):
            return order
