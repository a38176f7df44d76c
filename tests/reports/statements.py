"""What is said of a player, statement by statement, played out on other positions and games.

The check knows the formula of a part and its words, and nothing of how the explanation measured
them: it reads the formula anew, chooses moves by the values of all boards, one position at a time,
and plays games with other openings.
"""

from __future__ import annotations

import ast
import operator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from evoply.arena import match
from evoply.expressions import Expression, PrimitiveSet, divide, number
from evoply.games import game_rules
from evoply.gp.algebra.terms import with_feature
from evoply.players import AfterState, ExpressionEvaluator, ValuingPlayer
from evoply.reports import Explanation, Influence
from evoply.reports.feature_words import FeatureWords
from evoply.reports.game_choices import positions_of_games
from evoply.reports.open_evaluator import Opened, opened, positions_with_choice

POSITIONS, GAMES, SEED = 400, 1000, 77
PREFERRED = 0.6
"""What is told from 65 % up must be seen again in so many, of other positions."""
AVOIDED = 0.9
NEAR = 0.055
"""Two scores of 1,000 games each differ by less, but for one pair of equals in fifty."""
_OPERATIONS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: divide,
}


class Statement(NamedTuple):
    """A statement of a sentence, and what came of it."""

    says: str
    seen: str
    holds: bool


@dataclass(frozen=True)
class Told:
    """A player that looks one ply ahead, and what is said of it."""

    player: ValuingPlayer
    explanation: Explanation
    primitives: PrimitiveSet

    @cached_property
    def parts(self) -> Opened:
        """Its evaluator, for positions and words."""
        return opened(self.player, self.explanation.game)

    @cached_property
    def boards(self) -> list[tuple[Any, list[Any], int]]:
        """For each position its side to move, the boards after its moves, and the choice."""
        found = []
        rules = game_rules(self.explanation.game)
        for row in positions_of_games(self.parts, POSITIONS, SEED):
            position = rules.position_from_row(row)
            after = [position.play(move) for move in position.legal_moves]
            values = [self.parts.expression.evaluate(board, position.turn) for board in after]
            found.append((position.turn, after, values.index(max(values))))
        return found

    def values(self, part: Expression) -> list[tuple[list[float], int]]:
        """Return the values of *part* after the moves of each position, and the choice."""
        return [
            ([float(part.evaluate(board, own)) for board in after], chosen)
            for own, after, chosen in self.boards
        ]

    def share_above(self, part: Expression) -> float:
        """Return how often the choice has more of *part* than the mean, where moves differ."""
        signs = [
            values[chosen] - sum(values) / len(values)
            for values, chosen in self.values(part)
            if min(values) < max(values)
        ]
        decided = [sign for sign in signs if sign]
        return sum(sign > 0 for sign in decided) / len(decided) if decided else 0.5

    def share_at_zero(self, part: Expression) -> float:
        """Return how often *part* is 0 after the choice, where moves differ in that."""
        kept = [
            values[chosen] == 0
            for values, chosen in self.values(part)
            if 0 < sum(value == 0 for value in values) < len(values)
        ]
        return sum(kept) / len(kept) if kept else 0.0

    def expression(self, text: str) -> Expression:
        """Return what the formula *text* over the names of primitives computes."""
        return self._read(ast.parse(text, mode="eval").body)

    def _read(self, node: ast.AST) -> Any:
        match node:
            case ast.BinOp(left, op, right):
                return _OPERATIONS[type(op)](self._read(left), self._read(right))
            case ast.UnaryOp(ast.USub(), operand):
                return number(-1.0) * self._read(operand)
            case ast.Constant(value):
                return number(float(value))
            case ast.Name(name):
                return self.primitives[name].expression
        raise ValueError(ast.dump(node))

    def factors(self, text: str) -> list[tuple[Expression, FeatureWords]]:
        """Return the features in the formula *text*, and the sums of them, that have words."""
        nodes = [
            node
            for node in ast.walk(ast.parse(text, mode="eval"))
            if isinstance(node, ast.Name | ast.BinOp)
        ]
        found = [(part, self.parts.words.known(part)) for part in map(self._read, nodes)]
        return [(part, words) for part, words in found if words is not None]

    def without(self, part: Influence) -> float:
        """Return the points a game of the player without *part* against the whole player."""
        whole = self.parts.expression
        missing = self.expression(part.text)
        if self.explanation.about == "terms":
            value = whole - missing  # type: ignore[operator]
        else:
            rows = positions_with_choice(self.explanation.game, 500, SEED)
            mean = self.parts.outputs(self.parts.lowered(missing), rows).mean()
            value = with_feature(whole, missing, number(float(mean)), self.parts.names)
        evaluator = ExpressionEvaluator(expression=value.to_dict())
        other = AfterState(evaluator=evaluator, ties=self.player.ties, view=self.player.view)
        played = match(
            other, self.player, game=self.explanation.game, games=GAMES, seed=SEED, threads=1
        )
        return played.score


def statements(told: Told) -> list[Statement]:
    """Return every statement of the sentence about the parts of a player, each tried."""
    found = []
    for part in told.explanation.parts:
        if part.wants.removesuffix(")") not in told.explanation.sentence:
            continue
        found += _preference(told, part)
        found += _worth(told, part)
    return found


def _preference(told: Told, part: Influence) -> list[Statement]:
    says = f"{part.verb} {part.wants}"
    for factor, words in told.factors(part.text):
        if part.verb.endswith("leaves") and part.wants.startswith(words.single or "-"):
            is_always = " while " not in part.wants
            share = told.share_at_zero(factor if is_always else told.expression(part.text))
            return [Statement(says, f"kept at 0 in {share:.0%}", share >= AVOIDED)]
        for is_more in (True, False):
            if part.verb == "wants" and part.wants.startswith(words.wanted(is_more)):
                share = told.share_above(factor)
                share = share if is_more else 1 - share
                return [Statement(says, f"in {share:.0%}", share >= PREFERRED)]
            if part.wants.endswith(f"its moves leave {'many' if is_more else 'few'} all the same"):
                share = told.share_above(factor)
                share = share if is_more else 1 - share
                return [Statement(says, f"in {share:.0%}", share >= PREFERRED)]
    if part.verb in ("weighs", "values"):
        return []
    share = told.share_above(told.expression(part.text))
    share = 1 - share if told.explanation.about == "features" and "low" in part.wants else share
    return [Statement(says, f"its term in {share:.0%}", share >= PREFERRED)]


def _worth(told: Told, part: Influence) -> list[Statement]:
    assert part.played is not None
    score = told.without(part)
    says = f"{part.played.points:.0%} without: {part.wants}"
    found = [Statement(says, f"{score:.1%}", abs(score - part.played.points) <= NEAR)]
    bounds = {"holds it up": (0.0, 0.47), "does nothing": (0.46, 0.54), "in the way": (0.51, 1.0)}
    if part.role:
        low, high = bounds[part.role]
        found.append(Statement(f"{part.wants} {part.role}", f"{score:.1%}", low <= score <= high))
    return found
