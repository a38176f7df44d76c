"""The sentence about a player, from what its parts want and how much each decides.

The most influential parts come first; parts that hardly matter are summed up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evoply.reports.phrases import joined, percent

__all__ = ["Influence", "constant_sentence", "influence_sentence"]

MOST_LISTED = 4
LEAST_SHARE = 0.01
"""Parts that change fewer moves than this are only counted."""


@dataclass(frozen=True, slots=True)
class Influence:
    """A part of an evaluator and the share of moves, in [0, 1], that change without it."""

    text: str
    """The part as a formula."""
    wants: str
    """What it makes the player want, in words."""
    share: float
    depends: bool = False
    """Whether it wants more or less of it by the rest of the board; *wants* is the thing then."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as JSON-ready data."""
        return {
            "text": self.text,
            "wants": self.wants,
            "share": self.share,
            "depends": self.depends,
        }


def constant_sentence(where: str, ties: str) -> str:
    """Return the sentence about an evaluator that gives the positions *where* the same value."""
    which = {
        "first": "always plays the first of its legal moves",
        "last": "always plays the last of its legal moves",
        "random": "plays any legal move at random",
    }
    return f"It gives {where} the same value, so it {which[ties]}."


def influence_sentence(parts: Sequence[Influence], *, left_out: str, noun: str) -> str:
    """Return what the player wants, most influential first.

    *left_out* says in words what was done to a part ("leaving this out"); *noun* is what a part is
    called ("term", "feature").
    """
    ordered = sorted(parts, key=lambda part: -part.share)
    listed = [part for part in ordered if part.share >= LEAST_SHARE][:MOST_LISTED]
    rest = ordered[len(listed) :]
    if not listed:
        return _redundant(ordered, left_out, noun)
    # What it always wants first, then what it wants or not; the first is said in full.
    wanted = [part for part in listed if not part.depends]
    weighed = [part for part in listed if part.depends]
    shares = {part: f"({percent(part.share)})" for part in listed}
    first = (wanted or weighed)[0]
    shares[first] = f"({left_out} changes {percent(first.share)} of its moves)"
    if len(ordered) == 1 and wanted:
        return f"It wants {first.wants} and nothing else {shares[first]}."
    clauses = []
    if wanted:
        is_clear = first is ordered[0] and first.share >= 1.25 * ordered[1].share
        others = [f"{part.wants} {shares[part]}" for part in wanted[1:]]
        clauses.append(
            f"It {'mostly ' * is_clear}wants {first.wants} {shares[first]}"
            + (f", then {joined(others)}" if others else "")
        )
    if weighed:
        named = joined([f"{part.wants} {shares[part]}" for part in weighed])
        clauses.append(
            f"{'it' if wanted else 'It'} weighs {named} for or against, "
            "depending on the rest of the board"
        )
    if rest:
        clauses.append(_summary(rest, noun))
    return "; ".join(clauses) + "."


def _redundant(parts: Sequence[Influence], left_out: str, noun: str) -> str:
    """Return the sentence for parts of which none matters alone."""
    wants = joined([part.wants for part in parts[:3]])
    if len(parts) > 3:
        wants = f"{', '.join(part.wants for part in parts[:3])} and {len(parts) - 3} more {noun}s"
    verb = "looks at" if parts[0].depends else "wants"
    if len(parts) == 1:
        return f"It {verb} {wants}, but {left_out} changes {percent(parts[0].share)} of its moves."
    one = left_out.replace("this", "any one of them").replace("its", "the")
    return (
        f"It {verb} {wants}, none of which decides alone: "
        f"{one} changes {_at_most(parts[0].share)} of its moves."
    )


def _summary(rest: Sequence[Influence], noun: str) -> str:
    largest = rest[0].share
    if largest == 0:
        share = "no move"
    elif largest < LEAST_SHARE or len(rest) == 1:
        share = f"{percent(largest)} of moves"
    else:
        share = f"at most {percent(largest)} of moves each"
    if len(rest) == 1:
        return f"the other {noun} changes {share}"
    return f"the other {len(rest)} {noun}s change {share}"


def _at_most(share: float) -> str:
    return percent(share) if share < LEAST_SHARE else f"at most {percent(share)}"
