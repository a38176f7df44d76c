"""The concepts of games whose rules are data: what these rules name.

They are moves that win at once, pieces won or attacked, open lines, the distance to the goal, and
moves that only one side has. A game has those that its rules state.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import cast

from evoply.expressions import Number
from evoply.expressions.rule_facts import facts_set
from evoply.games import GameRules
from evoply.reports.checkers_concepts import piece_words, won, won_words
from evoply.reports.concepts import END, Concept, Words, counted

_AFTER = "{a} leaves {opp} {x}, {c} {y}"
_MAKES_ONE = "{a} gives {me} {x} with one piece missing, {c} {y}"
_MAKES_TWO = "{a} gives {me} {x} with two pieces missing, {c} {y}"
_AFTER_ONE = "{a} leaves {opp} {x} with one piece missing, {c} {y}"
_AFTER_TWO = "{a} leaves {opp} {x} with two pieces missing, {c} {y}"
_STEPS = "{me} has {x} left to the goal after {a}, {y} after {c}"

_STONES = "{} needs {{x}} to join its borders after {{a}}, {{y}} after {{c}}"
_ATTACKED = "{a} leaves {x} of {me} attacked, {c} {y}"
_HANGING = "{a} leaves {x} of {me} to be taken for nothing, {c} {y}"
_ALONE = "{me} has {x} of its own after {a}, {y} after {c}"

_Row = tuple[str, int, int, Callable[[str], Words] | None]
"""The family, the sign, the plies, and the words of a game's pieces."""


def _words(template: str, things: str) -> Callable[[str], Words]:
    return lambda piece: counted(template, things.format(piece=piece))


_ROWS: Mapping[str, tuple[_Row | None, _Row | None]] = {
    # For own and for the opponent, both seen by the side whose move it is.
    "wins_next": (
        ("wins", 1, 1, _words("{a} makes {x} to win at once, {c} {y}", "threat")),
        ("wins", -1, 1, _words("{a} leaves {opp} {x} to win at once, {c} {y}", "way")),
    ),
    "winning_squares": (("wins", 1, END, None), ("wins", -1, END, None)),
    "lacking_one": (
        ("lines", 1, 1, _words(_MAKES_ONE, "open line")),
        ("lines", -1, 1, _words(_AFTER_ONE, "open line")),
    ),
    "lacking_two": (
        ("lines", 1, 1, _words(_MAKES_TWO, "open line")),
        ("lines", -1, 1, _words(_AFTER_TWO, "open line")),
    ),
    "lacking_three": (("lines", 1, END, None), ("lines", -1, END, None)),
    "steps_to_go": (("race", -1, END, None), ("race", 1, END, None)),
    "first_steps_to_go": (("race", -1, END, _words(_STEPS, "step")), ("race", 1, END, None)),
    "stones_to_go": (
        ("race", -1, END, _words(_STONES.format("{me}"), "{piece}")),
        ("race", 1, END, _words(_STONES.format("{opp}"), "{piece}")),
    ),
    "targets": (None, ("exchange", -1, 1, _words(_ATTACKED, "{piece}"))),
    "free_targets": (None, ("exchange", -1, 1, _words(_HANGING, "{piece}"))),
    "moves": (("mobility", 1, END, None), ("mobility", -1, 1, _words(_AFTER, "move"))),
    "exclusive_moves": (("mobility", 1, END, _words(_ALONE, "move")), None),
    "pieces": (("exchange", 1, END, lambda _: piece_words), ("exchange", -1, END, None)),
    "linked": (("mobility", 1, END, None), None),
    "groups": (("race", -1, END, None), None),
}  # fmt: skip
"""What is said of each fact."""


def fact_concepts(rules: GameRules) -> Mapping[str, Concept]:
    """Return the concepts of a game whose *rules* are data."""
    facts = facts_set(rules.name).primitives
    known = {primitive.name: primitive.expression for primitive in facts}
    found = {"won": Concept("wins", 1, END, won, won_words)}
    for fact, rows in _ROWS.items():
        for side, row in zip(("own", "opponent"), rows, strict=True):
            value = known.get(f"{side}_{fact}")
            if row is None or value is None:
                continue
            family, sign, plies, words = row
            said = None if words is None else words(rules.piece)
            found[f"{side}_{fact}"] = Concept(family, sign, plies, cast(Number, value), said)
    return found
