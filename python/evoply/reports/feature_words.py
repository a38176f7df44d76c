"""What the features of players are called: one row a feature, for both sides.

A new feature needs a row (in `_ROWS`, or in `_rows_of_shape` if it hangs on the board's shape) and
nothing else; a test finds primitives of shipped sets that have none. This module knows nothing of
trees, games played, or influence.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from evoply.expressions import Expression, Number, board, count
from evoply.expressions import features as counted
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

_SIDES: Mapping[str, Mapping[str, str]] = {
    "own": {"own": "own ", "of": "", "to": "", "who": "it"},
    "opponent": {"own": "", "of": " of the opponent", "to": " for the opponent"}
    | {"who": "the opponent"},
}
"""What stands for the names in braces of a row that begin so, by side.

`{own}corners{of}` becomes "own corners" and "corners of the opponent"; with `their_` before it, a
name stands for the other side.
"""


@dataclass(frozen=True, slots=True)
class FeatureWords:
    """How a feature is said; as a row, with names in braces for side and piece."""

    things: str
    """What it counts: follows "many" and "few"."""
    holds: str = ""
    """A clause that says that it is not 0: follows "while"."""
    one: str = ""
    """One of the things, with its article: follows "never"."""
    more: str = ""
    """What a player wants that wants much of it; by default many of the things."""
    less: str = ""
    """What a player wants that wants little of it; by default few of the things."""

    def wanted(self, is_more: bool) -> str:
        """Return what a player wants that wants more of it, or less."""
        if is_more:
            return self.more or f"many {self.things}"
        return self.less or f"few {self.things}"

    def filled(self, side: str, piece: str) -> FeatureWords:
        """Return the words of a row for *side* in a game whose pieces are called *piece*."""
        other = "opponent" if side == "own" else "own"
        names = {**_SIDES[side], **{f"their_{name}": word for name, word in _SIDES[other].items()}}
        texts = (self.things, self.holds, self.one, self.more, self.less)
        return FeatureWords(*(text.format(piece=piece, **names) for text in texts))


Of = Callable[[str], Number]
"""The feature of a side, "own" or "opponent"."""
_DISCS = "{own}{piece}s{of}"
_ROWS: Sequence[tuple[Of, FeatureWords]] = (
    (counted.discs, FeatureWords(_DISCS)),
    (counted.corners, FeatureWords("{own}corners{of}", "{who} holds a corner")),
    (counted.near_corners, FeatureWords(_DISCS + " next to a corner")),
    (
        lambda side: counted.near_corners(side, "x"),
        FeatureWords(_DISCS + " diagonally next to a corner"),
    ),
    (counted.edges, FeatureWords(_DISCS + " on the edge")),
    (
        lambda side: counted.edges(side, 24),
        FeatureWords(_DISCS + " on the edge outside the corners"),
    ),
    (counted.mobility, FeatureWords("{own}legal moves{to}", "{who} has a move")),
    (counted.frontier, FeatureWords(_DISCS + " beside an empty square")),
    (
        counted.corner_moves,
        FeatureWords("{own}corners to take next{to}", "{who} can take a corner next"),
    ),
    (
        counted.edge_moves,
        FeatureWords("{own}legal moves to the edge{to}", "{who} can move to the edge"),
    ),
    (
        counted.safe_moves,
        FeatureWords(
            "{own}safe moves{to} (safe: not beside an empty corner)", "{who} has a safe move"
        ),
    ),
    (
        lambda side: counted.risky(side, "x"),
        FeatureWords(
            "{own}X {piece}s{of} (diagonally beside an empty corner)",
            "{who} has an X {piece} (diagonally beside an empty corner)",
            "an X {piece}{of} (diagonally beside an empty corner)",
        ),
    ),
    (
        lambda side: counted.risky(side, "c"),
        FeatureWords(
            "{own}C {piece}s{of} (on the edge beside an empty corner)",
            "{who} has a C {piece} (on the edge beside an empty corner)",
            "a C {piece}{of} (on the edge beside an empty corner)",
        ),
    ),
    (
        counted.anchored_discs,
        FeatureWords("{own}anchored {piece}s{of} (in runs along the edge from a corner)"),
    ),
    (lambda side: count(getattr(board, f"{side}_men")), FeatureWords("{own}men{of}")),
    (
        lambda side: count(getattr(board, f"{side}_kings")),
        FeatureWords("{own}kings{of}", "{who} has a king"),
    ),
)
"""Each feature with its words."""


def _rows_of_shape(shape: BoardShape) -> list[tuple[Of, FeatureWords]]:
    """Return the rows of features that hang on the *shape* of the board."""
    rows: list[tuple[Of, FeatureWords]] = []
    for order in counted.ORDERS:
        where = "" if order == "corner_first" else " (lettered from the centre)"
        for letter in "abcdefghijklmno":
            words = FeatureWords(f"{_DISCS} on the squares of class {letter}{where}")
            rows.append((lambda side, a=letter, b=order: counted.square_class(side, a, b), words))
    return rows


@lru_cache(maxsize=8)
def known_features(piece: str, shape: BoardShape = USUAL) -> Mapping[Expression, FeatureWords]:
    """Return the words for every known feature of both sides, on a board of *shape*.

    >>> words = known_features("disc")[counted.corner_moves("opponent")]
    >>> words.wanted(False), words.holds
    ('few corners to take next for the opponent', 'the opponent can take a corner next')
    """
    shapes = [(counted.SHAPES[name], words) for name, words in _SHAPES.items()]
    return {
        of(side): words.filled(side, piece)
        for of, words in (*_ROWS, *shapes, *_rows_of_shape(shape))
        for side in ("own", "opponent")
    }


def pattern_phrase(expression: Expression) -> str:
    """Return which squares a pattern looks up.

    >>> from evoply.expressions import pattern, symmetric_copies
    >>> from evoply.games import SHAPES
    >>> pattern_phrase(pattern(symmetric_copies(["a1", "b1"], SHAPES[8])))
    'what stands on a1 b1 (and 7 more such places)'
    """
    copies = expression.arguments[4]
    squares = " ".join(str(square) for square in copies[0])
    more = len(copies) - 1
    others = f" (and {more} more such place{'s' if more > 1 else ''})" if more else ""
    return f"what stands on {squares}{others}"


# Shapes of Othello's edges and corners, and what the rules of a game say, by their names.

_SHAPES: Mapping[str, FeatureWords] = {
    "wedges": FeatureWords(
        "{own}wedges{of} (one empty square between two {piece}s on the edge)",
        "{who} has a wedge",
        "a wedge{of} (one empty square between two {piece}s on the edge)",
    ),
    "gaps": FeatureWords(
        "{own}gaps{of} (two empty squares between two {piece}s on the edge)",
        "{who} has a gap",
        "a gap{of} (two empty squares between two {piece}s on the edge)",
    ),
    "touch": FeatureWords(
        "{own}edge {piece}s{of} that touch {their_own}{piece}s{their_of} along the edge",
        "edges touch",
    ),
    "unbalanced": FeatureWords(
        "{own}unbalanced edges{of} (full but for the corners and one C square)",
        "{who} has an unbalanced edge",
        "an unbalanced edge{of} (full but for the corners and one C square)",
    ),
    "open_c": FeatureWords(
        "{own}C {piece}s{of} beside a corner that can be taken next",
        "{who} has a C {piece} beside a corner that can be taken next",
        "a C {piece}{of} beside a corner that can be taken next",
    ),
    "no_safe_move": FeatureWords(
        "lack of a safe move{to} (safe: not beside an empty corner)",
        "{who} has no safe move",
        more="no safe move{to} (safe: not beside an empty corner)",
        less="a safe move{to} (safe: not beside an empty corner)",
    ),
    "reach": FeatureWords("empty squares beside {own}{piece}s{of}"),
    "inner_frontier": FeatureWords(
        "{own}inner {piece}s{of} beside an empty square (inner: not on the edge)"
    ),
    "second_ring": FeatureWords("{own}{piece}s{of} one step inside the edge"),
    "exclusive_moves": FeatureWords(
        "moves that only {who} has", "there are moves that only {who} has"
    ),
    "few_discs": FeatureWords("{own}{piece}s{of} (counted up to eight)"),
}
"""The words for `features.SHAPES`."""
_FACTS: Mapping[str, FeatureWords] = {
    "wins_next": FeatureWords(
        "{own}moves{to} that win at once", "{who} can win at once", "a move{to} that wins at once"
    ),
    "winning_squares": FeatureWords(
        "empty squares where {who} would win",
        "there is an empty square where {who} would win",
        "an empty square where {who} would win",
    ),
    **{
        f"lacking_{number}": FeatureWords(
            f"{{own}}open lines{{of}} that lack {number} {{piece}}{plural}",
            f"{{who}} has an open line that lacks {number} {{piece}}{plural}",
        )
        for number, plural in (("one", ""), ("two", "s"), ("three", "s"))
    },
    "steps_to_go": FeatureWords("steps to the goal for all {own}{piece}s{of}"),
    "first_steps_to_go": FeatureWords("steps to the goal for the nearest {own}{piece}{of}"),
    "stones_to_go": FeatureWords("{piece}s that {who} still needs to join its borders"),
    "groups": FeatureWords("{own}groups of joined {piece}s{of}"),
    "targets": FeatureWords(
        "{their_own}{piece}s{their_of} that {who} can take", "{who} can take a {piece}"
    ),
    "free_targets": FeatureWords(
        "{their_own}{piece}s{their_of} that {who} can take for nothing",
        "{who} can take a {piece} for nothing",
    ),
    "linked": FeatureWords("{own}{piece}s{of} beside another one"),
}
"""The words for the features of `facts_set` that no other set has.

Their expressions hang on the game, so they are known by their names.
"""


def named_fact(name: str, piece: str) -> FeatureWords | None:
    """Return the words of a feature that the rules of a game gave, by the name it has in the set.

    >>> named_fact("opponent_wins_next", "piece").things
    'moves for the opponent that win at once'
    """
    side, _, fact = name.partition("_")
    return _FACTS[fact].filled(side, piece) if side in _SIDES and fact in _FACTS else None
