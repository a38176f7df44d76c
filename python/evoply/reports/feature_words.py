"""What the features of players are called: one row a feature, for both sides.

A new feature needs a row (in `_ROWS`, or in `_rows_of_shape` if it hangs on the board's shape) and
nothing else; a test finds primitives of shipped sets that have none. This module knows nothing of
trees, games played, or influence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, NamedTuple

from evoply.expressions import PRIMITIVE_SETS, Expression, Number, arithmetic_sets, board, count
from evoply.expressions import features as counted
from evoply.games.squares import USUAL
from evoply.protocols import BoardShape

_SIDES: Mapping[str, Mapping[str, str]] = {
    "own": {"own": "own ", "of": "", "to": "", "who": "it", "whom": ""},
    "opponent": {
        "own": "",
        "of": " of the opponent",
        "to": " for the opponent",
        "who": "the opponent",
        "whom": "the opponent ",
    },
}
"""What stands for the names in braces of a row, by side; `their_own` and so on for the other side.

`{own}corners{of}` becomes "own corners" and "corners of the opponent".
"""
_NOTE = re.compile(r" \([^()]*\)$")


@dataclass(frozen=True, slots=True)
class FeatureWords:
    """How a feature is said; as a row, with names in braces for side and piece."""

    things: str
    """What it counts: follows "many", "few" and "weighs"."""
    holds: str = ""
    """A clause that says that it is not 0, after "while"; by default that there are such things."""
    single: str = ""
    """One of the things, with its article, after "leaves"; "" if nobody leaves such things."""
    more: str = ""
    """What a player wants that wants much of it; by default many of the things."""
    less: str = ""
    """What a player wants that wants little of it; by default few of the things."""

    def wanted(self, is_more: bool) -> str:
        """Return what a player wants that wants more of it, or less."""
        if is_more:
            return self.more or f"many {self.things}"
        return self.less or f"few {self.things}"

    @property
    def condition(self) -> str:
        """A clause that says that it is not 0."""
        return self.holds or f"there are {without_note(self.things)}"

    @property
    def is_avoidable(self) -> bool:
        """Whether the player can leave none of them: they are its own, and said one by one."""
        return bool(self.single) and "opponent" not in self.single.partition(" that ")[0]

    def filled(self, side: str, piece: str) -> FeatureWords:
        """Return the words of a row for *side* in a game whose pieces are called *piece*."""
        other = _SIDES["opponent" if side == "own" else "own"]
        names = {**_SIDES[side], **{f"their_{name}": word for name, word in other.items()}}
        texts = (self.things, self.holds, self.single, self.more, self.less)
        return FeatureWords(*(text.format(piece=piece, **names) for text in texts))

    def lead(self, other: FeatureWords) -> FeatureWords:
        """Return the words for this feature of the own side less that of the other one."""
        things, theirs = self.things.removeprefix("own "), other.things
        return FeatureWords(
            f"the difference of {self.things} and {theirs}",
            more=f"more {things} than the opponent",
            less=f"fewer {things} than the opponent",
        )


def without_note(phrase: str) -> str:
    """Return *phrase* without the explanation in brackets at its end."""
    return _NOTE.sub("", phrase)


def sum_words(parts: Sequence[FeatureWords]) -> FeatureWords | None:
    """Return the words for the sum of several counts; None if one is no plain count."""
    if any(part.more or part.less for part in parts):
        return None
    things, singles = ([getattr(part, name) for part in parts] for name in ("things", "single"))
    holds = " or ".join(part.condition for part in parts)
    return FeatureWords(" and ".join(things), holds, " or ".join(singles) if all(singles) else "")


class FeatureRow(NamedTuple):
    """A feature with its words."""

    of: Callable[..., Any]
    """The feature of a side, "own" or "opponent"; of a side and a shape in `_rows_of_shape`."""
    words: FeatureWords


def _in_set(name: str, feature: str, side: str) -> Expression:
    """Return the *feature* of a side as the set *name* of primitives has it."""
    return PRIMITIVE_SETS[name][f"{side}_{feature}"].expression


def _any_game(feature: str) -> Callable[[str], Expression]:
    return partial(_in_set, "any-game", feature)


def _with(function: Callable[..., Any], *options: str) -> Callable[[str], Any]:
    return lambda side: function(side, *options)


def _all_pieces(side: str) -> Number:
    """Return the pieces of a side as a set of checkers counts them."""
    return count(getattr(board, f"{side}_men") | getattr(board, f"{side}_kings"))


_DISCS = "{own}{piece}s{of}"
_ROWS: Sequence[FeatureRow] = (
    # Othello, and counts that any game has.
    FeatureRow(counted.discs, FeatureWords(_DISCS)),
    FeatureRow(_all_pieces, FeatureWords(_DISCS)),
    FeatureRow(counted.corners, FeatureWords("{own}corners{of}", "{who} holds a corner")),
    FeatureRow(counted.near_corners, FeatureWords(_DISCS + " next to a corner")),
    FeatureRow(
        _with(counted.near_corners, "x"), FeatureWords(_DISCS + " diagonally next to a corner")
    ),
    FeatureRow(counted.edges, FeatureWords(_DISCS + " on the edge")),
    FeatureRow(
        lambda side: counted.edges(side, 24),
        FeatureWords(_DISCS + " on the edge outside the corners"),
    ),
    FeatureRow(counted.mobility, FeatureWords("{own}legal moves{to}", "{who} can move")),
    FeatureRow(counted.frontier, FeatureWords(_DISCS + " beside an empty square")),
    FeatureRow(
        counted.corner_moves,
        FeatureWords("{own}corners to take next{to}", "{who} can take a corner next"),
    ),
    FeatureRow(
        counted.edge_moves,
        FeatureWords("{own}legal moves to the edge{to}", "{who} can move to the edge"),
    ),
    FeatureRow(
        counted.safe_moves,
        FeatureWords(
            "{own}safe moves{to} (safe: not beside an empty corner)", "{who} has a safe move"
        ),
    ),
    FeatureRow(
        _with(counted.risky, "x"),
        FeatureWords(
            "{own}X {piece}s{of} (diagonally beside an empty corner)",
            "{who} has an X {piece}",
            "an X {piece}{of} (diagonally beside an empty corner)",
        ),
    ),
    FeatureRow(
        _with(counted.risky, "c"),
        FeatureWords(
            "{own}C {piece}s{of} (on the edge beside an empty corner)",
            "{who} has a C {piece}",
            "a C {piece}{of} (on the edge beside an empty corner)",
        ),
    ),
    FeatureRow(
        counted.risky,
        FeatureWords(
            _DISCS + " beside an empty corner",
            "{who} stands beside an empty corner",
            "a {piece}{of} beside an empty corner",
        ),
    ),
    FeatureRow(
        counted.anchored_discs,
        FeatureWords(
            "{own}anchored {piece}s{of} (in runs along the edge from a corner)",
            "{who} holds a corner",
        ),
    ),
    # Any game.
    FeatureRow(
        _any_game("targets"),
        FeatureWords("{their_own}{piece}s{their_of} that {who} attacks", "{who} attacks a {piece}"),
    ),
    FeatureRow(
        _any_game("rows_to_go"),
        FeatureWords(
            "rows that {own}{piece}s{of} have to go",
            more="{own}{piece}s{of} kept back or many",
            less="{own}{piece}s{of} far advanced or few",
        ),
    ),
    FeatureRow(_any_game("twos"), FeatureWords("{own}twos{of} in a row")),
    FeatureRow(_any_game("threes"), FeatureWords("{own}threes{of} in a row")),
    FeatureRow(_any_game("fours"), FeatureWords("{own}fours{of} in a row")),
    FeatureRow(_any_game("linked"), FeatureWords(_DISCS + " beside another one")),
    # Checkers.
    FeatureRow(arithmetic_sets.men, FeatureWords("{own}men{of}")),
    FeatureRow(arithmetic_sets.kings, FeatureWords("{own}kings{of}", "{who} has a king")),
    FeatureRow(
        arithmetic_sets.runaway_men,
        FeatureWords(
            "{own}runaway men{of} (that no piece can meet)",
            "{who} has a runaway man (that no piece can meet)",
        ),
    ),
    FeatureRow(
        arithmetic_sets.trapped_kings,
        FeatureWords("{own}trapped kings{of}", "{who} has a trapped king", "a trapped king{of}"),
    ),
    FeatureRow(
        arithmetic_sets.must_be_taken,
        FeatureWords(
            "{own}{piece}s{of} that {their_who} could capture",
            "{their_who} could capture",
            "a {piece}{of} that {their_who} could capture",
        ),
    ),
    FeatureRow(
        partial(_in_set, "lose-checkers-forcing", "must_take"),
        FeatureWords(
            "whether {who} must capture",
            "{who} must capture",
            more="{whom}to have to capture",
            less="{whom}not to have to capture",
        ),
    ),
    FeatureRow(
        partial(_in_set, "lose-checkers-forcing", "forced_replies"),
        FeatureWords("{own}forced captures{to} to choose from", "{who} must capture"),
    ),
)


def _rows_of_shape(shape: BoardShape) -> list[FeatureRow]:
    """Return the rows of features that hang on the *shape* of the board."""
    rows = [
        FeatureRow(
            lambda side: arithmetic_sets.advancement(side, shape),
            FeatureWords(
                "rows that {own}men{of} have advanced",
                more="{own}men{of} far advanced",
                less="{own}men{of} kept back",
            ),
        ),
        FeatureRow(
            lambda side: arithmetic_sets.back_row(side, shape),
            FeatureWords("{own}men{of} on the back row", "{who} has men on its back row"),
        ),
        FeatureRow(
            lambda side: arithmetic_sets.centre(side, shape),
            FeatureWords(_DISCS + " in the centre", "{who} has a {piece} in the centre"),
        ),
        FeatureRow(
            lambda side: arithmetic_sets.has_the_move(side, shape),
            FeatureWords(
                "whether {who} has the move (the opposition)",
                "{who} has the move (the opposition)",
                more="{whom}to have the move (the opposition)",
                less="{whom}not to have the move (the opposition)",
            ),
        ),
    ]
    for order in counted.ORDERS:
        where = "" if order == "corner_first" else " (lettered from the centre)"
        for letter in "abcdefghijklmno":
            words = FeatureWords(f"{_DISCS} on the squares of class {letter}{where}")
            rows.append(FeatureRow(partial(_class, letter, order), words))
    return rows


def _class(letter: str, order: str, side: str) -> Expression:
    return counted.square_class(side, letter, order)


_WHERE_CAPTURES_ARE_FORCED: Sequence[FeatureRow] = (
    # A side that can capture has only its captures as moves, so few moves say little of mobility.
    FeatureRow(
        counted.mobility,
        FeatureWords(
            "{own}legal moves{to} (captures alone where there is one)",
            "{who} can move",
            more="{whom}to have many moves and no capture open",
            less="{whom}to have a capture open or few moves",
        ),
    ),
)
_NUMBERS: Mapping[Expression, FeatureWords] = {
    board.t: FeatureWords("the time of the game", more="a late time", less="an early time"),
    board.root_t: FeatureWords("the time of the game when it chooses"),
    count(board.empty): FeatureWords("empty squares"),
    board.pieces: FeatureWords("pieces on the board"),
}


@lru_cache(maxsize=8)
def known_features(
    piece: str, shape: BoardShape = USUAL, *, has_kings: bool = False
) -> Mapping[Expression, FeatureWords]:
    """Return the words for every known feature of both sides, and for their differences.

    *piece* is what the game calls a piece, *shape* that of its board; in games that have kings
    captures are forced.

    >>> words = known_features("disc")[counted.corner_moves("opponent")]
    >>> words.wanted(False), words.condition
    ('few corners to take next for the opponent', 'the opponent can take a corner next')
    """
    known: dict[Expression, FeatureWords] = dict(_NUMBERS)
    shapes = [(counted.SHAPES[name], words) for name, words in _SHAPES.items()]
    forced = _WHERE_CAPTURES_ARE_FORCED if has_kings else ()
    rows = [*_ROWS, *shapes, *_rows_of_shape(shape), *forced]
    for of, words in rows:
        own, opponent = (words.filled(side, piece) for side in _SIDES)
        known |= {of("own"): own, of("opponent"): opponent}
        if own.things.startswith("own ") and not own.more:
            known[of("own") - of("opponent")] = own.lead(opponent)
    return known


_TESTS: Mapping[str, str] = {
    "IsEmptySquare": "{} is empty",
    "IsFriendlyPiece": "an own piece is on {}",
    "IsManPiece": "a man is on {}",
    "IsKingPiece": "a king is on {}",
}
"""The primitives that ask what is on a square, whose names say which one."""


def asked_phrase(name: str) -> str | None:
    """Return what a primitive such as `IsEmptySquare[c4]` asks, None for any other name.

    >>> asked_phrase("IsEmptySquare[c4]")
    'c4 is empty'
    """
    called, _, square = name.rstrip("]").partition("[")
    return _TESTS[called].format(square) if called in _TESTS and square else None


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
