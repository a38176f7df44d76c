"""What the parts of a player are worth to it, and the sentence that says so.

A part is judged by games of the player without it against the whole player, or, where no games
were played, by how many moves change. This module only words what was measured elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby

from evoply.learning.equivalence import AgainstWhole
from evoply.protocols.sections import Column, JsonData
from evoply.reports.part_words import joined

HOLDS_UP = 0.05
"""Who scores so much less than half without a part, with certainty, is held up by it."""
DOES_NOTHING = 0.02
"""Who certainly scores half but for so much without a part does not need it."""
_MOST_LISTED = 4
_MOST_IDLE = 3
_LEAST_SHARE = 0.01
"""Parts that change fewer moves than this are only counted."""


def percent(share: float) -> str:
    """Return a share in [0, 1] as a whole percentage, honest near the ends.

    >>> percent(0.0), percent(0.004), percent(0.614), percent(0.999)
    ('0 %', 'under 1 %', '61 %', 'over 99 %')
    """
    if 0 < share < 0.01:
        return "under 1 %"
    if 0.99 < share < 1:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")


@dataclass(frozen=True, slots=True)
class Influence(JsonData):
    """A part of an evaluator, what the player does about it, and what it is worth."""

    also = ("role",)
    text: str
    """The part as a formula."""
    wants: str
    """What the player wants or avoids by it, or what it weighs, in words."""
    share: float
    """The share of moves, in [0, 1], that change without the part."""
    verb: str = "wants"
    """What it does about it: it "wants" or "never leaves" what its choices show, "weighs" what they
    do not, and "values" what its own moves hardly change."""
    preferred: float | None = None
    """The share of positions, in [0, 1], whose choice has more than the mean of all moves of what
    the part adds to the value (of a feature: of the feature), of those where moves differ in it."""
    positions: int = 0
    """The positions where moves differ in it."""
    played: AgainstWhole | None = None
    """How the player without the part plays against the whole one."""

    @property
    def is_in_words(self) -> bool:
        """Whether words say it, and no formula."""
        return "`" not in self.wants

    @property
    def rank(self) -> tuple[float, float]:
        """Sorts the parts, what costs most to leave out first."""
        return (self.played.points if self.played else 0.0), -self.share

    @property
    def role(self) -> str:
        """What games say of it, "" if they are not clear."""
        played = self.played
        if played is None:
            return ""
        if played.high <= 0.5 - HOLDS_UP:
            return "holds it up"
        if played.low >= 0.5 + DOES_NOTHING:
            return "in the way"
        is_even = played.low >= 0.5 - DOES_NOTHING and played.high <= 0.5 + DOES_NOTHING
        return "does nothing" if is_even else ""

    @property
    def lost(self) -> float | None:
        """The points of a hundred games that the player loses to the whole one without it."""
        return None if self.played is None else 100 * (0.5 - self.played.points)


def lost_text(part: Influence) -> str:
    """Return the points lost in 100 games without *part*, with their interval.

    >>> part = Influence("- x", "few x", 0.1, played=AgainstWhole(0.186, 0.162, 0.211, 1000))
    >>> lost_text(part)
    '31.4 [28.9, 33.8]'
    """
    if part.played is None:
        return ""
    points = (part.played.points, part.played.high, part.played.low)
    # Rounded first, and then without the sign of nothing.
    lost, low, high = (f"{round(50 - 100 * share, 1) + 0.0:.1f}" for share in points)
    return f"{lost} [{low}, {high}]"


def columns_filled(columns: Sequence[Column], parts: Sequence[Influence]) -> Sequence[Column]:
    """Return *columns* of *parts* without those of games, if none were played."""
    if any(part.played for part in parts):
        return columns
    return [column for column in columns if column.name not in ("lost", "role")]


def constant_sentence(where: str, ties: str) -> str:
    """Return the sentence about an evaluator that gives the positions *where* the same value."""
    which = {
        "first": "always plays the first of its legal moves",
        "last": "always plays the last of its legal moves",
        "random": "plays any legal move at random",
        "column": "always plays the first of its legal moves, column by column",
        "advanced": "always moves its most advanced piece that can move",
    }
    return f"It gives {where} the same value, so it {which[ties]}."


@dataclass(frozen=True, slots=True)
class PartKind:
    """What parts are called, and what is said to be done to one that is missing."""

    noun: str
    without: str
    """Follows "it scores 40 % against itself"."""
    missing: str
    """Before "changes 30 % of its moves"."""


TERM = PartKind("part", "without this", "leaving this out")
FEATURE = PartKind("feature", "with this at its average", "holding this at its average")


def influence_sentence(parts: Sequence[Influence], kind: PartKind) -> str:
    """Return what the player does, what matters most first; parts without words are counted."""
    in_words = [part for part in parts if part.is_in_words]
    if in_words and len(in_words) < len(parts):
        others = _counted(len(parts) - len(in_words), kind, "other ")
        verb = "has" if len(parts) - len(in_words) == 1 else "have"
        return f"{influence_sentence(in_words, kind)} {others} {verb} a formula and no words."
    ordered = sorted(parts, key=lambda part: part.rank)
    if not ordered:
        return ""
    if all(part.share < _LEAST_SHARE and part.role in ("", "does nothing") for part in ordered):
        return _redundant(ordered, kind)
    if ordered[0].played is None:
        return _by_moves(ordered, kind)
    return _by_games(ordered, kind)


def plain_reading(parts: Sequence[Influence]) -> str:
    """Return as advice what the player does about the parts that its play stands on, "" for none.

    Parts that games show to do nothing, or to be in the way, are no advice. Neither is what its
    choices do not show, what only a formula says, and what nobody sees on a board: an entry of a
    table, a product.

    >>> safe = Influence("- x", "few safe moves for the opponent (safe: not beside it)", 0.3)
    >>> plain_reading([safe, Influence("- y", "an X disc", 0.4, "hardly ever leaves")])
    'In short: hardly ever leave an X disc; prefer few safe moves for the opponent.'
    """
    ordered = sorted(parts, key=lambda part: part.rank)
    told = [
        part
        for part in ordered
        if part.role in ("", "holds it up")
        and (part.share >= _LEAST_SHARE or part.role)
        and part.verb in _ADVICE
        and part.is_in_words
        and not part.wants.startswith(_OF_NUMBERS)
    ]
    if len(ordered) < 2 or not told:
        return ""
    advice = []
    for verb, group in groupby(told[:_MOST_ADVISED], key=lambda part: part.verb):
        wanted = [_advised(part.wants) for part in group]
        last = "or" if verb != "wants" else "and"
        advice.append(f"{_ADVICE[verb]} {joined(wanted, last)}")
    return f"In short: {'; '.join(advice)}."


_ADVICE = {
    "wants": "prefer",
    "never leaves": "never leave",
    "hardly ever leaves": "hardly ever leave",
}
_MOST_ADVISED = 3
_OF_NUMBERS = ("a high ", "a low ")
"""How what is wanted of a number begins, where it is no count of things."""


def _advised(wants: str) -> str:
    """Return what is wanted without its notes, said to who plays."""
    told = _NOTES.sub("", wants)
    return told.replace("it has", "you have").replace("it still needs", "you still need")


_NOTES = re.compile(r" \([^()]*\)")


def _by_games(ordered: Sequence[Influence], kind: PartKind) -> str:
    pillars = [part for part in ordered if part.role == "holds it up"]
    idle = [part for part in ordered if part.role == "does nothing"]
    hindering = [part for part in ordered if part.role == "in the way"]
    plain = [part for part in ordered if not part.role]
    shown, rest = plain[:_MOST_LISTED], plain[_MOST_LISTED:]
    if len(ordered) == 1:
        return f"It {_said(ordered[0], kind, in_full=True)} and nothing else."
    sentences = []
    if pillars:
        sentences.append(f"It {_listed(pillars, kind, in_full=True)}{_holding(pillars, kind)}")
    if shown:
        also = "also " if pillars else ""
        sentences.append(f"It {also}{_listed(shown, kind, in_full=not pillars)}")
    if rest:
        least = min(part.played.low for part in rest if part.played)
        costs = "costs" if len(rest) == 1 else "cost"
        most = max(1, round(50 - 100 * least))
        points = f"{most} point{'s' * (most > 1)} of 100{' each' * (len(rest) > 1)}"
        worth = f"{costs} at most {points}"
        sentences.append(f"{_counted(len(rest), kind, 'other ')} {worth}")
    if idle:
        few = idle if len(idle) <= _MOST_IDLE else idle[: _MOST_IDLE - 1]
        named = [part.wants for part in few]
        named += [f"{len(idle) - len(few)} more"] if few is not idle else []
        verb = "does" if len(idle) == 1 else "do"
        games = idle[0].played.games if idle[0].played else 0
        sentences.append(
            f"{_counted(len(idle), kind)} {verb} nothing that {games:,} games show: {joined(named)}"
        )
    if hindering:
        named = [f"{part.wants} ({_points(part)})" for part in hindering]
        sentences.append(f"It plays better {_without(len(hindering), kind)}: {joined(named)}")
    return ". ".join(sentences) + "."


def _listed(parts: Sequence[Influence], kind: PartKind, *, in_full: bool) -> str:
    """Return the clauses on *parts* in order, those with one verb together."""
    clauses = []
    first = parts[0]
    for verb, group in groupby(parts, key=lambda part: part.verb):
        named = [_bracketed(part, kind, in_full=in_full and part is first) for part in group]
        clauses.append(f"{verb} {joined(named)}")
    return joined(clauses) if len(clauses) < 3 else ", ".join(clauses[:-1]) + f", and {clauses[-1]}"


def _said(part: Influence, kind: PartKind, *, in_full: bool) -> str:
    return f"{part.verb} {_bracketed(part, kind, in_full=in_full)}"


def _bracketed(part: Influence, kind: PartKind, *, in_full: bool) -> str:
    """Return what is wanted with its figure, in the brackets that it has already."""
    if part.played is None:
        figure = f"{kind.missing} changes {percent(part.share)} of its moves"
        figure = figure if in_full else percent(part.share)
    else:
        figure = f"{kind.without} it scores {_points(part)} against itself"
        figure = figure if in_full else _points(part)
    if part.wants.endswith(")"):
        return f"{part.wants[:-1]}; {figure})"
    return f"{part.wants} ({figure})"


def _points(part: Influence) -> str:
    return percent(part.played.points) if part.played else ""


def _holding(pillars: Sequence[Influence], kind: PartKind) -> str:
    if len(pillars) == 1:
        return f": this {kind.noun} holds it up"
    return f": these {_NUMBERS.get(len(pillars), str(len(pillars)))} {kind.noun}s hold it up"


_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}


def _counted(count: int, kind: PartKind, which: str = "") -> str:
    if count == 1:
        return f"One {which}{kind.noun}"
    return f"{_NUMBERS.get(count, str(count)).capitalize()} {which}{kind.noun}s"


def _without(count: int, kind: PartKind) -> str:
    these = f"this {kind.noun}" if count == 1 else f"any of these {kind.noun}s"
    return kind.without.replace("this", these, 1) + " against itself"


def _by_moves(ordered: Sequence[Influence], kind: PartKind) -> str:
    listed = [part for part in ordered if part.share >= _LEAST_SHARE][:_MOST_LISTED]
    rest = ordered[len(listed) :]
    first = listed[0]
    if len(ordered) == 1:
        return f"It {_said(first, kind, in_full=True)} and nothing else."
    is_clear = first.share >= 1.25 * ordered[1].share
    sentence = f"It {'mostly ' * is_clear}{_listed(listed, kind, in_full=True)}"
    return f"{sentence}; {_summary(rest, kind.noun)}." if rest else f"{sentence}."


def _redundant(parts: Sequence[Influence], kind: PartKind) -> str:
    wants = joined([part.wants for part in parts[:3]])
    if len(parts) > 3:
        more = f"{len(parts) - 3} more {kind.noun}s"
        wants = f"{', '.join(part.wants for part in parts[:3])} and {more}"
    verb = parts[0].verb if len({part.verb for part in parts}) == 1 else "looks at"
    changed = percent(parts[0].share)
    if len(parts) == 1:
        return f"It {verb} {wants}, but {kind.missing} changes {changed} of its moves."
    leaving_any = kind.missing.replace("this", "any one of them").replace("its", "the")
    most = max(part.share for part in parts)
    return (
        f"It {verb} {wants}, none of which decides alone: "
        f"{leaving_any} changes {_at_most(most)} of its moves."
    )


def _summary(rest: Sequence[Influence], noun: str) -> str:
    largest = rest[0].share
    if largest == 0:
        share = "no move"
    elif largest < _LEAST_SHARE or len(rest) == 1:
        share = f"{percent(largest)} of moves"
    else:
        share = f"at most {percent(largest)} of moves each"
    if len(rest) == 1:
        return f"the other {noun} changes {share}"
    return f"the other {len(rest)} {noun}s change {share}"


def _at_most(share: float) -> str:
    return percent(share) if share < _LEAST_SHARE else f"at most {percent(share)}"
