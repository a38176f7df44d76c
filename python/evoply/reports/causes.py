"""Why one move is better than another: what it does on the board, in the words of players.

Concepts are read along the lines after both moves and added up by family. At most two families are
said, with figures, and only if they make a good part of the difference. A weight is no proof: with
the moves exchanged, too, something could be said. So small differences have no reason, and where
there is time an answer that a clause names is tested by a search without it.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import model_of
from evoply.players.grammar import parse_player
from evoply.players.strong import Strong
from evoply.protocols import CERTAIN, GameRecord
from evoply.protocols.sections import JsonData
from evoply.reports.adviser import Advice, Adviser
from evoply.reports.concept_tables import concepts_of
from evoply.reports.concepts import Concept, Concepts, ReadLine, Told
from evoply.reports.expected_lines import ExpectedLines
from evoply.reports.puzzle_book import same_up_to_symmetry

LINE_PLIES = 6
"""Plies of a line that concepts are read from at least, if the game lasts so long."""
_SHARE = 0.2
"""A family is said from this share of the difference on."""
_BESIDE = 0.35
"""A second family is said from this share of the first on."""
_WHOLE = 0.2
"""What is said must make this share of the difference."""
_PLAUSIBLE = (0.2, 3.0)
"""All concepts together must foretell so much of the difference, and no more times it."""
_TRADE = 0.4
"""A family against it is said from this share of what is said for it on."""
_MOST_AGAINST = 0.8
"""What speaks against it, but cannot be said, is less than this share of what is said for it."""
_LARGE = 4.0
"""So many times `Concepts.least` are enough for a family, whatever the difference."""
_FEWER = 0.8
"""Two counts are seen to differ if the smaller is at most this share of the larger."""
_MOST_EXPLAINED = 50.0
"""A difference of more times `Concepts.least` need not be foretold: weights know none so large."""
_LATER = 4
"""Concepts read after so many plies say nothing where both lines have nearly the same moves."""
_TESTED = 0.5
"""An answer counts if without it the bad move gains this share of the difference."""
_MOST_RESULT = 3.0
"""A certain win on the scale of results, where 0 is a draw."""

_MATERIAL = ("exchange", "mobility")
"""Families about how many pieces and moves a side has."""

First = Literal["better", "worse"]
"""Which move a clause that names both begins with."""


@dataclass(frozen=True, slots=True)
class Cause(JsonData):
    """Something that one move does and another does not."""

    family: str
    concept: str
    words: str
    """A clause, with figures."""
    adds: float
    """By how much its family speaks for the better move: negative against it. Discs, or on the
    scale of results."""
    better: float
    """What the concept counts after the better move."""
    worse: float


@dataclass(frozen=True, slots=True)
class CauseFound(JsonData):
    """Why *better* is better than *worse*."""

    better: str
    worse: str
    difference: float
    """How much better: discs, or on the scale of results (`difference_of`)."""
    causes: tuple[Cause, ...]
    """At most two for the better move, and then at most one against it."""
    text: str
    """Clauses that name both moves. Where there are no causes it says so, or that a symmetry of
    the board exchanges the moves."""
    is_mirrored: bool = False
    better_line: tuple[str, ...] = ()
    worse_line: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TestedAnswer:
    """The best answer to the worse move."""

    move: str
    gain: float
    """By how much the worse move would be better without it."""
    is_only: bool
    """Whether it alone makes half of the difference, and is not the best answer to both moves."""


def difference_of(advice: Advice, better: Any, worse: Any) -> float:
    """Return by how much *better* is better: in discs, or on the scale of results.

    On that scale 0 is a draw, and 3 and more a certain win: the inverse hyperbolic tangent of the
    expected result. Of values without a unit only certain ends count.
    """
    worths: dict[Any, float] = dict(advice.moves)
    first, second = worths[better], worths[worse]
    if advice.scale.unit == "discs":
        return first - second
    return _on_results(advice, first) - _on_results(advice, second)


def _on_results(advice: Advice, worth: float) -> float:
    if advice.scale.unit == "none":
        return math.copysign(_MOST_RESULT, worth) if abs(worth) >= CERTAIN else 0.0
    result = 2.0 * worth - 1.0
    found = math.atanh(result) if abs(result) < 1.0 else math.copysign(_MOST_RESULT, result)
    return max(-_MOST_RESULT, min(_MOST_RESULT, found))


def cause_of(
    adviser: Adviser,
    record: GameRecord,
    advice: Advice,
    better: Any,
    worse: Any,
    *,
    lines: ExpectedLines | None = None,
    seconds: float | None = None,
    is_tested: bool = False,
    first: First = "better",
) -> CauseFound | None:
    """Return why *better* is better than *worse* at the end of *record*, by *advice* of there.

    *lines* are those after both moves, which are searched otherwise, up to `LINE_PLIES` ahead and
    for at most *seconds* each.
    With *is_tested* what names an answer is searched without it. None for a game without concepts,
    or if the time is not enough.
    """
    concepts = concepts_of(record.position.game)
    if concepts is None:
        return None
    if advice.scale.unit == "none":  # there pieces foretell nothing, or few of them win
        concepts = concepts.without(*_MATERIAL)
    difference = difference_of(advice, better, worse)
    answer = None
    with adviser.afresh() as apart:  # or the next values would depend on what is searched here
        if lines is None:
            seen = (
                advice if advice.is_exact else replace(advice, depth=min(advice.depth, LINE_PLIES))
            )
            lines = ExpectedLines.search(apart, record, seen, (better, worse), seconds)
        longer = None if lines is None else lines.longer(apart, LINE_PLIES, seconds)
        if longer is None:
            return None
        if is_tested and difference >= concepts.least * _LARGE:
            answer = tested_answer(apart, longer, min(advice.depth, LINE_PLIES), difference)
    found = cause_between(concepts, longer, difference, answer=answer, first=first)
    if found.causes:
        return found
    if is_mirrored(longer):
        text = f"{found.better} and {found.worse} are mirror images"
        return replace(found, text=text, is_mirrored=True)
    worths = dict(advice.moves)
    size = advice.scale.difference_text(worths[better] - worths[worse], is_exact=advice.is_exact)
    if size.startswith("0 "):
        return replace(found, text="hardly any difference")
    what = "counting decides" if advice.is_exact else "no single reason"
    return replace(found, text=f"{what} ({size})")


def gives_causes(adviser: Adviser) -> bool:
    """Return whether moves of *adviser* are explained by what they do on the board.

    They are if it has tables, whose parts nobody can read, or is the adviser that its game names.
    """
    rules = game_rules(adviser.game)
    player = model_of(adviser.player)
    if concepts_of(adviser.game) is None:
        return False
    return isinstance(player, Strong) or player == model_of(
        parse_player(rules.adviser, game=adviser.game)
    )


def is_mirrored(lines: ExpectedLines) -> bool:
    """Return whether a symmetry of the board exchanges the two moves."""
    first, second = (same_up_to_symmetry(line.positions[1]) for line in lines)
    return first == second


def tested_answer(
    adviser: Adviser, lines: ExpectedLines, depth: int, difference: float
) -> TestedAnswer | None:
    """Return the best answer to the second move of *lines*, searched without it as well.

    None if there are no two answers to each move.
    """
    gains, answers = [], []
    for line in lines:
        after = line.positions[1]
        if after.outcome() is not None or len(after.legal_moves) < 2:
            return None
        record: GameRecord = game_rules(adviser.game).game(after, (), NO_DRAWS)
        advice = adviser.values(record, depth=max(depth - 1, 1))
        gains.append(difference_of(advice, advice.moves[0][0], advice.moves[1][0]))
        answers.append(after.short_text(advice.best))
    is_only = gains[1] - gains[0] >= _TESTED * difference and answers[0] != answers[1]
    return TestedAnswer(answers[1], gains[1], is_only)


def cause_between(
    concepts: Concepts,
    lines: ExpectedLines,
    difference: float,
    *,
    answer: TestedAnswer | None = None,
    first: First = "better",
) -> CauseFound:
    """Return why the first move of *lines* is better by *difference*, by *concepts* alone."""
    better, worse = concepts.read(lines)
    said = _said(concepts, better, worse, difference, answer, is_bad_first=first == "worse")
    texts = [cause.words for cause in said if cause.adds > 0]
    against = [cause.words for cause in said if cause.adds < 0]
    text = ", but ".join(["; ".join(texts), *against]) if texts else ""
    return CauseFound(
        better.move,
        worse.move,
        difference,
        tuple(said),
        text,
        better_line=better.texts,
        worse_line=worse.texts,
    )


def _said(
    concepts: Concepts,
    better: ReadLine,
    worse: ReadLine,
    difference: float,
    answer: TestedAnswer | None,
    *,
    is_bad_first: bool,
) -> list[Cause]:
    """Return the causes that are said, those for the better move first."""
    if difference < concepts.least:
        return []
    difference = min(difference, _MOST_EXPLAINED * concepts.least)
    parts = concepts.parts(better, worse)
    if _are_alike(better, worse):
        parts = {
            name: 0.0 if concepts.concepts[name].plies >= _LATER else part
            for name, part in parts.items()
        }
    families = _families(concepts, parts)
    predicted = sum(families.values())
    low, high = _PLAUSIBLE
    is_plausible = low * difference < predicted <= high * difference
    limit = min(max(concepts.least, _SHARE * difference), _LARGE * concepts.least)
    said: list[Cause] = []
    # An answer alone is no reason where all that players count speaks against the move.
    is_told = answer is not None and predicted > 0 and _tells(answer, better)
    if answer is not None and is_told:
        said.append(_tested_cause(concepts, better, worse, answer))
    for family, adds in sorted(families.items(), key=lambda pair: -pair[1]):
        needed = max(limit, _BESIDE * max((cause.adds for cause in said), default=0.0))
        if not is_plausible or adds < needed or len(said) == 2:
            break
        seen = _visible(concepts, family, parts, (better, worse), answer, difference, is_bad_first)
        if seen is not None:
            said.append(replace(seen, adds=adds))
    total = sum(cause.adds for cause in said)
    if not said or total < min(_WHOLE * difference, 2 * _LARGE * concepts.least):
        return []
    family, adds = min(families.items(), key=lambda pair: pair[1])
    if -adds < max(_TRADE * total, limit):
        return said
    seen = _visible(
        concepts, family, {name: -part for name, part in parts.items()}, (worse, better),
        None, difference, is_bad_first,
    )  # fmt: skip
    if seen is None:
        return said if -adds < _MOST_AGAINST * total or is_told else []
    return [*said[:1], replace(seen, adds=adds, better=seen.worse, worse=seen.better)]


def _families(concepts: Concepts, parts: Mapping[str, float]) -> dict[str, float]:
    """Return the sum of *parts* of each family."""
    families: dict[str, float] = {}
    for name, part in parts.items():
        family = concepts.concepts[name].family
        families[family] = families.get(family, 0.0) + part
    return families


def _visible(
    concepts: Concepts,
    family: str,
    parts: Mapping[str, float],
    lines: Sequence[ReadLine],
    answer: TestedAnswer | None,
    difference: float,
    is_bad_first: bool,
) -> Cause | None:
    """Return the concept of *family* that speaks most for the first of *lines*, and can be seen."""
    good, bad = lines
    # What has no weight of its own, because another of its family always comes with it, is said
    # after what has one.
    own = [name for name in parts if concepts.concepts[name].family == family and parts[name] >= 0]
    for name in sorted(own, key=lambda name: -parts[name]):
        concept = concepts.concepts[name]
        left = game_rules(concepts.game).moves_left(good.at(0))
        if concept.words is None or (left is not None and left <= concept.late):
            continue
        x, y = concepts.count(name, good, bad), concepts.count(name, bad, good)
        few, many = sorted((abs(x), abs(y)))
        if concept.sign * (x - y) < concept.least or (x * y > 0 and few > _FEWER * many):
            continue
        told = Told(good, bad, x, y, is_bad_first=is_bad_first)
        if _is_refuted(concept, told, answer, difference):
            continue
        words = concept.words(told)
        if words:
            return Cause(family, name, words, parts[name], x, y)
    return None


def _is_refuted(
    concept: Concept, told: Told, answer: TestedAnswer | None, difference: float
) -> bool:
    """Return whether the words name an answer that a search takes away without much change."""
    named = "" if concept.answer is None or answer is None else concept.answer(told)
    if not named or answer is None:
        return False
    # What is said of the answer itself already is not said again.
    return named != answer.move or answer.gain < _TESTED * difference or answer.is_only


def _tells(answer: TestedAnswer, better: ReadLine) -> bool:
    """Return whether *answer* makes the difference, and is not there after the better move, too."""
    after: Any = better.at(1)
    others = {after.short_text(move) for move in after.legal_moves}
    return answer.is_only and answer.move not in others


def _tested_cause(
    concepts: Concepts, better: ReadLine, worse: ReadLine, answer: TestedAnswer
) -> Cause:
    """Return that the worse move allows an answer without which it would be half as bad."""
    if answer.move == better.move:
        words = f"{better.move} is urgent: after {worse.move} {better.color.opposite} plays there"
        joint = " and "
    else:
        words, joint = f"{worse.move} allows {answer.move}", ", which "
    what = concepts.answer_words
    if what is not None and worse.texts[1:2] == (answer.move,) and (does := what(worse)):
        words += joint + does
    return Cause("answer", "answer", words, answer.gain, 0.0, 1.0)


def _are_alike(better: ReadLine, worse: ReadLine) -> bool:
    """Return whether the lines differ by hardly more than the order of their moves."""
    first, second = (set(line.texts[:LINE_PLIES]) for line in (better, worse))
    return len(first & second) >= LINE_PLIES - 1
