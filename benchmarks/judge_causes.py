"""Measures the causes that the coach gives, on positions that no weight was fitted on.

For differences of two discs or more (in other games: four times the least that has a reason) it
tells how often there is a cause, how often there is one for the worse move (the moves exchanged),
what share of printed counts is what the rules say, and what it costs.

    python benchmarks/judge_causes.py othello --seed 11
    python benchmarks/judge_causes.py checkers --seed 11
"""

import argparse
import re
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from fit_concepts import Pair, fit_of, pairs

from evoply.expressions import Number
from evoply.expressions.functions import for_the_other_side
from evoply.reports.adviser import Adviser
from evoply.reports.causes import (
    Cause,
    CauseFound,
    TestedAnswer,
    cause_between,
    tested_answer,
)
from evoply.reports.concept_tables import concepts_of
from evoply.reports.concepts import Concepts
from evoply.reports.expected_lines import ExpectedLines

KINDS = ("second", "another", "mistake")


def _found(
    concepts: Concepts, pair: Pair, answer: TestedAnswer | None, *, exchanged: bool
) -> CauseFound:
    lines = ExpectedLines(*pair.lines[::-1]) if exchanged else pair.lines
    return cause_between(concepts, lines, pair.difference, answer=answer)


def wrong_counts(concepts: Concepts, pair: Pair, found: CauseFound) -> tuple[int, int]:
    """Return how many numbers *found* prints, and how many of them the boards do not confirm.

    Each count is evaluated anew, on one position, as a feature of the side to move or of the other
    side. What is printed is such a count, or how much it changed since before the moves.
    """
    seen = wrong = 0
    for cause in found.causes:
        concept = concepts.concepts.get(cause.concept)
        if concept is None or not isinstance(concept.value, Number):
            continue
        known = set()
        for line, count in zip(pair.lines, (cause.better, cause.worse), strict=True):
            at = line.positions[min(concept.plies, len(line))]
            is_own = at.turn is line.positions[0].turn
            expression: Any = concept.value if is_own else for_the_other_side(concept.value)
            value = float(expression.evaluate(at))
            known |= {value, abs(value - float(concept.value.evaluate(line.positions[0])))}
            wrong += value != count
        printed = _printed(cause)
        seen += len(printed)
        wrong += sum(number not in known for number in printed)
    return seen, wrong


_LINE = re.compile(r" \([^)]*\)")
_ZERO = ("no", "none")
_ONE = "a piece"


def _printed(cause: Cause) -> list[float]:
    """Return the numbers in the words of *cause*, without those of moves in brackets."""
    words = _LINE.sub("", cause.words.replace(_ONE, "1 piece")).replace(",", " ").split()
    return [
        0.0 if word in _ZERO else float(word) for word in words if word.isdigit() or word in _ZERO
    ]


def rates(
    concepts: Concepts, data: Sequence[tuple[Pair, TestedAnswer | None, TestedAnswer | None]]
) -> str:
    """Return in words how often there are causes, without and with tested answers."""
    if not data:
        return "none"
    told = []
    for is_tested in (False, True):
        causes = placebo = 0
        for pair, answer, other in data:
            right = _found(concepts, pair, answer if is_tested else None, exchanged=False)
            wrong = _found(concepts, pair, other if is_tested else None, exchanged=True)
            causes += bool(right.causes)
            placebo += bool(wrong.causes)
        told.append(f"cause {causes / len(data):5.1%}, exchanged {placebo / len(data):5.1%}")
    return f"n {len(data):4}: {told[0]}; with tested answers {told[1]}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("game")
    parser.add_argument("--seed", type=int, default=11)
    parser.add_argument("--positions", type=int, default=400)
    parser.add_argument("--show", type=int, default=0, help="print so many sentences")
    asked = parser.parse_args()
    concepts = concepts_of(asked.game)
    if concepts is None:
        raise SystemExit(f"{asked.game} has no concepts: fit them first")
    least = 4 * concepts.least
    counts = Counter[str]()
    data: list[tuple[Pair, TestedAnswer | None, TestedAnswer | None]] = []
    fit = fit_of(asked.game)
    took_tests = took_causes = 0.0
    with Adviser(asked.game) as adviser:
        for pair in pairs(asked.game, asked.seed, asked.positions):
            begun = time.perf_counter()
            is_large = pair.difference >= least
            answer, other = (
                tested_answer(adviser, lines, fit.depth, pair.difference) if is_large else None
                for lines in (pair.lines, ExpectedLines(*pair.lines[::-1]))
            )
            took_tests += (time.perf_counter() - begun) / 2
            begun = time.perf_counter()
            found = cause_between(concepts, pair.lines, pair.difference)
            took_causes += time.perf_counter() - begun
            seen, wrong = wrong_counts(concepts, pair, found)
            counts.update(pairs=1, seen=seen, wrong=wrong)
            counts.update(cause.family for cause in found.causes)
            counts["trades"] += any(cause.adds < 0 for cause in found.causes)
            data.append((pair, answer, other))
    large = [one for one in data if one[0].difference >= least]
    print(f"{asked.game}, seed {asked.seed}, {len(data)} pairs")
    print(f"all           {rates(concepts, data)}")
    print(f">= {least:g}          {rates(concepts, large)}")
    for source in ("random", "played"):
        for kind in KINDS:
            some = [one for one in large if one[0].source == source and one[0].kind == kind]
            print(f"{source:6} {kind:7}{rates(concepts, some)}")
    print(f"printed counts {counts['seen']}, wrong {counts['wrong']}")
    said = ", ".join(f"{name} {n}" for name, n in counts.most_common() if name not in _NOT_FAMILIES)
    print(f"families: {said}; trades {counts['trades']}")
    print(f"{1e3 * took_causes / len(data):.1f} ms a cause, lines and values given")
    print(f"{1e3 * took_tests / max(len(large), 1):.1f} ms a tested answer")
    for pair, answer, _ in large[:: max(len(large) // max(asked.show, 1), 1)][: asked.show]:
        text = _found(concepts, pair, answer, exchanged=False).text or "no single reason"
        print(f"{pair.kind:8}{pair.difference:5.1f}  {pair.lines.first.start.text()}  {text}")


_NOT_FAMILIES = ("pairs", "seen", "wrong", "trades")


if __name__ == "__main__":
    main()
