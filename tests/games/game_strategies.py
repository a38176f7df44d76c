"""Hypothesis strategies for positions and games, shared by the tests of games."""

from typing import Any

from hypothesis import strategies as st

from evoply._native import Stream
from evoply.games import checkers, othello
from evoply.protocols import BoardShape, Color

SIZES = st.sampled_from(othello.SIZES)
shapes = st.builds(BoardShape, st.integers(1, 30), st.integers(1, 26))


def _choices(seed: int, plies: int) -> list[int]:
    stream = Stream(seed, "choices")
    return [stream.below(2**16) for _ in range(plies)]


# Hypothesis' own lists are nearly always short; these reach every stage of a game.
CHOICES = st.builds(_choices, st.integers(0, 2**32), st.integers(0, 110))


def played(rules: Any, choices: list[int]) -> Any:
    """Return the game in which ply k takes legal move number choices[k], counted around."""
    game = rules.record()
    for choice in choices:
        if game.outcome() is not None:
            break
        legal = game.position.legal_moves
        game = game.play(legal[choice % len(legal)])
    return game


def games(name: str) -> st.SearchStrategy[othello.Game]:
    return CHOICES.map(lambda choices: played(othello.OTHELLO[name], choices))


def checkers_games(name: str) -> st.SearchStrategy[checkers.Game]:
    return CHOICES.map(lambda choices: played(checkers.CHECKERS[name], choices))


@st.composite
def reachable_positions(draw: st.DrawFn) -> othello.Position:
    name = draw(st.sampled_from(sorted(othello.OTHELLO)))
    return draw(games(name)).position


@st.composite
def any_positions(draw: st.DrawFn) -> othello.Position:
    """Any placement of discs, reachable or not: full, empty and one-sided boards included."""
    size = draw(SIZES)
    squares = st.integers(min_value=0, max_value=2 ** (size * size) - 1)
    black, other = draw(squares), draw(squares)
    return othello.Position(
        size,
        black=black,
        white=other & ~black,
        turn=draw(st.sampled_from(Color)),
        ply=draw(st.integers(min_value=0, max_value=200)),
    )


positions = st.one_of(reachable_positions(), any_positions())


@st.composite
def any_checkers_positions(draw: st.DrawFn) -> checkers.Position:
    """Any placement of pieces that the rules allow, reachable or not, with kings anywhere."""
    game = draw(st.sampled_from(sorted(checkers.CHECKERS)))
    size = checkers.CHECKERS[game].shape.side
    most = 3 * size // 2
    squares = draw(st.permutations([s for s in range(size * size) if (s // size + s % size) % 2]))
    black = squares[: draw(st.integers(0, most))]
    white = squares[len(black) : len(black) + draw(st.integers(0, most))]
    share = draw(st.integers(0, 4))
    kings = [
        square
        for number, square in enumerate(black + white)
        if number % 4 < share
        or (square // size == size - 1 and square in black)
        or (square // size == 0 and square in white)
    ]
    return checkers.Position(
        game,
        black=sum(1 << square for square in black),
        white=sum(1 << square for square in white),
        kings=sum(1 << square for square in kings),
        turn=draw(st.sampled_from(Color)),
        ply=draw(st.integers(min_value=0, max_value=300)),
        quiet_plies=draw(st.integers(min_value=0, max_value=100)),
    )


@st.composite
def reachable_checkers_positions(draw: st.DrawFn) -> checkers.Position:
    name = draw(st.sampled_from(sorted(checkers.CHECKERS)))
    return draw(checkers_games(name)).position


checkers_positions = st.one_of(reachable_checkers_positions(), any_checkers_positions())
