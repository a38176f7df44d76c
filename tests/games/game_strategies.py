"""Hypothesis strategies for positions and games, shared by the tests of games."""

from hypothesis import strategies as st

from evoply._native import Stream
from evoply.games import GAMES, GameRules, othello
from evoply.protocols import Color

SIZES = st.sampled_from(othello.SIZES)


def _choices(seed: int, plies: int) -> list[int]:
    stream = Stream(seed, "choices")
    return [stream.below(2**16) for _ in range(plies)]


# Hypothesis' own lists are nearly always short; these reach every stage of a game.
CHOICES = st.builds(_choices, st.integers(0, 2**32), st.integers(0, 110))


def played(rules: GameRules, choices: list[int]) -> othello.Game:
    """Return the game in which ply k takes legal move number choices[k], counted around."""
    game = rules.record()
    for choice in choices:
        legal = game.position.legal_moves
        if not legal:
            break
        game = game.play(legal[choice % len(legal)])
    return game


def games(name: str) -> st.SearchStrategy[othello.Game]:
    return CHOICES.map(lambda choices: played(GAMES[name], choices))


@st.composite
def reachable_positions(draw: st.DrawFn) -> othello.Position:
    name = draw(st.sampled_from(sorted(GAMES)))
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
