"""Why this move: what decided it against another one, in words for people.

A search prefers a move for the board that its principal variation ends at. So two boards are
compared: the ends of the lines after the move and after the next best. What each part of the
evaluator adds to both values tells what decided; tables of patterns are added up by regions of the
board. Parts are named only if they add up to what the search found.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

from evoply.expressions import ExpressionError, Number
from evoply.expressions.functions import for_the_other_side
from evoply.games import game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import ExpressionEvaluator, PlayerKind, ValuingPlayer, model_of
from evoply.players.grammar import Runs, read_player_of
from evoply.players.searcher import record_of
from evoply.players.strong import Strong
from evoply.protocols import CERTAIN, Color, GameRecord, Position
from evoply.protocols.sections import JsonData
from evoply.reports.adviser import Advice, Adviser
from evoply.reports.open_evaluator import is_sum, opened
from evoply.reports.part_words import joined
from evoply.reports.scale import Scale
from evoply.reports.value_parts import ValuePart, taken_apart

# The games that a player expects after two moves, where their values come from.
#
# A search tells the value of a move and the line to it, but not where it knew a position already,
# nor the captures after its last ply. Those moves are looked for here.

_MOST_CAPTURES = 40


class ExpectedLines(NamedTuple):
    """The games that are expected after two moves."""

    first: GameRecord
    second: GameRecord

    @property
    def texts(self) -> list[tuple[str, ...]]:
        """Both as texts of moves."""
        return [self.first.move_texts(), self.second.move_texts()]

    @classmethod
    def search(
        cls,
        adviser: Adviser,
        record: GameRecord,
        advice: Advice,
        moves: Sequence[Any],
        seconds: float | None,
    ) -> ExpectedLines | None:
        """Return the lines after *moves*, as deep as the advice is; None if that takes too long."""
        first, second = (
            _until_quiet(adviser, _line(adviser, record.position, move, advice, seconds), seconds)
            for move in moves
        )
        return None if first is None or second is None else cls(first, second)


def _line(
    adviser: Adviser, position: Position, move: Any, advice: Advice, seconds: float | None
) -> GameRecord | None:
    """Return the game that the player expects from the position on, with *move* first."""
    rules = game_rules(position.game)
    line: GameRecord = rules.game(position, (), NO_DRAWS)
    known = advice.line if advice.line[:1] == (move,) else (move,)
    for next_move in known[: max(advice.depth, 1)]:
        line = line.play(next_move)
    # A search that knows a position already tells its value, but no moves: they are looked for.
    while (left := advice.depth - len(line)) > 0 and line.outcome() is None:
        if len(line.position.legal_moves) == 1:
            line = line.play(line.position.legal_moves[0])
            continue
        after = rules.game(line.position, (), NO_DRAWS)
        is_across = line.position.turn is not position.turn
        answer = adviser.line_from(after, left, seconds, across=_across if is_across else None)
        if not answer:
            return None
        for next_move in answer[:left]:
            line = line.play(next_move)
    return line


def _until_quiet(
    adviser: Adviser, line: GameRecord | None, seconds: float | None
) -> GameRecord | None:
    """Return *line* with the captures after it, if the player's search goes on with them.

    Where captures are compulsory, a quiescent search of a leaf is a search of one ply more.
    """
    player = model_of(adviser.player)
    rules = game_rules(adviser.game)
    is_quiescent = (
        rules.has_captures if isinstance(player, Strong) else getattr(player, "quiescence", False)
    )
    for _ in range(_MOST_CAPTURES if is_quiescent else 0):
        if line is None or line.outcome() is not None:
            break
        position = line.position
        other = position.turn.opposite
        first = line.play(position.legal_moves[0])
        if first.position.pieces(other) == position.pieces(other):
            break
        after = rules.game(position, (), NO_DRAWS)
        answer = adviser.line_from(after, 1, seconds)
        line = None if not answer else line.play(answer[0])
    return line


def _across(player: PlayerKind, game: str) -> PlayerKind:
    """Return a player with the opponent's pieces that values boards as the player's search does.

    A search looks for replies that are bad for the player. A player of its kind on the other side
    would look for what is good by its own view: the same only if what the evaluator says of a
    board is minus what it says with the sides exchanged.
    """
    if not isinstance(player, ValuingPlayer) or player.view == "turn":
        return player
    try:
        seen = for_the_other_side(opened(player, game).expression)
    except ExpressionError:
        return player
    if not isinstance(seen, Number):
        return player
    return player.with_evaluator(ExpressionEvaluator(expression=(-seen).to_dict()))


_SAME = 1e-12
"""Values nearer to each other than this differ by rounding only."""
_MOST_SAID = 2
_NOTABLE = 0.1
"""A part that makes less of the difference is not worth a word."""
_CANCELLING = 4.0
"""A part that is so many times the whole difference decides nothing: others cancel it."""
_DEEPEST = 6
"""Plies at which a deeper level of `strong` is explained."""


@dataclass(frozen=True, slots=True)
class Reason(JsonData):
    """A feature, all its terms together, and what it adds to both lines' values."""

    also = ("difference",)

    text: str
    """Its terms as a formula, or the region of tables."""
    words: str
    """What the best line has more or less of."""
    best: float
    second: float

    @property
    def difference(self) -> float:
        """How much it speaks for the best move: positive for it, negative against it."""
        return self.best - self.second


@dataclass(frozen=True, slots=True)
class Why(JsonData):
    """What a player chooses, and what decided it against the second best move."""

    player: str
    game: str
    position: str
    color: Color
    best: str
    """The move that it chooses; where a weak player slips, not the one it values most."""
    value: float | None
    """What the move is worth to *color*, on the player's scale."""
    second: str | None
    """The move that it values most of the others."""
    second_value: float | None
    unit: str
    """"discs", "points" or "none", which is the player's own scale."""
    worth: float | None
    """The value in the unit."""
    second_worth: float | None
    best_line: tuple[str, ...]
    """How the game would go on after each of the two."""
    second_line: tuple[str, ...]
    reasons: tuple[Reason, ...]
    """What makes the largest difference first. They add up to the values but for a constant; empty
    where the player's value is no sum, or where a line ends the game."""
    sentence: str
    hint: str
    """The same for whoever has been told the move already."""

    def __str__(self) -> str:
        return self.sentence


def why(
    player: object,
    game: Any,
    *,
    chosen: Any = None,
    runs: Runs | None = None,
) -> Why:
    """Return why *player* chooses its move at the end of *game*, a record or a position.

    *chosen* is a move that it has chosen there; by default the one that it values most. A player is
    taken as `evoply.analyse` does, with *runs* for champions; one that begins with random moves or
    has overlapping stages is explained by its steady part. Raises `ValueError` if the game is over,
    or if the player values nothing: then there is no reason.

    >>> import evoply as ep
    >>> print(ep.why("greedy", ep.othello.Game.from_transcript("f5d6c4")))
    It plays g5 (+0.050 discs) rather than b3 (+0.000): it scores better on many own discs (+0.025)
    and few discs of the opponent (+0.025).
    """
    record = record_of(game)
    model = model_of(read_player_of(player, record.position.game, runs))
    model.check_fits(record.position.game)
    steady = steady_model(model, record.position.game)
    with Adviser(record.position.game, steady) as adviser:
        advice = adviser.values(record, exact=None)
        return reasons_of(adviser, record, advice, chosen=chosen, label=model.label)


def steady_model(model: PlayerKind, game: str) -> PlayerKind:
    """Return *model* without chance and not too deep, so that its values explain its moves.

    Raises `ValueError` for a player that values nothing.
    """
    if isinstance(model, Strong):
        return model.with_options({"depth": min(model.plies_ahead, _DEEPEST), "epsilon": 0.0})
    if model.valuing() is None:
        raise ValueError(f"{model.label}: this player values nothing, so there is no reason")
    return opened(model, game).model


def reasons_of(
    adviser: Adviser,
    record: GameRecord,
    advice: Advice,
    *,
    chosen: Any = None,
    label: str | None = None,
    seconds: float | None = None,
) -> Why:
    """Return why the best move of *advice* is better than the second, in the eyes of *adviser*.

    *chosen* is a move that the player, called *label*, has chosen instead. The lines after both
    moves are searched for at most so many *seconds* each (None: as long as it takes); without them
    there are no reasons, only values.
    """
    position, name = record.position, record.position.game
    texts = {move: position.short_text(move) for move in position.legal_moves}
    known = {
        "player": advice.player if label is None else label,
        "game": name,
        "position": position.text(),
        "color": position.turn,
        "unit": advice.scale.unit,
    }
    best = advice.best if chosen is None else chosen
    if len(advice.moves) < 2:
        what = "it has to pass" if position.legal_moves.must_pass else "there is no other move"
        worth = advice.worth
        return Why(
            **known, best=texts[best], value=None, second=None, second_value=None, worth=worth,
            second_worth=None, best_line=(texts[best],), second_line=(), reasons=(),
            sentence=f"It plays {texts[best]}: {what}.", hint="There is no other move.",
        )  # fmt: skip
    worths, values = dict(advice.moves), dict(advice.raw or advice.moves)
    second = next(move for move, _ in advice.moves if move != best)
    found = None
    if not advice.is_exact:
        found = ExpectedLines.search(adviser, record, advice, (best, second), seconds)
    reasons = () if found is None else _reasons(adviser, position.turn, found, values, best, second)
    lines = [(texts[best],), (texts[second],)] if found is None else found.texts
    sentence, hint = _sentences(
        advice,
        [texts[best], texts[second]],
        [worths[best], worths[second]],
        [values[best], values[second]],
        reasons,
    )
    return Why(
        **known,
        best=texts[best],
        value=values[best] + 0.0,
        second=texts[second],
        second_value=values[second] + 0.0,
        worth=worths[best],
        second_worth=worths[second],
        best_line=lines[0],
        second_line=lines[1],
        reasons=reasons,
        sentence=sentence,
        hint=hint,
    )


def _reasons(
    adviser: Adviser,
    color: Color,
    lines: ExpectedLines,
    values: Mapping[Any, float],
    best: Any,
    second: Any,
) -> tuple[Reason, ...]:
    """Return what each part adds at the ends of both *lines*; none if that explains nothing.

    It explains the move if the parts add up to the *values* that the search found.
    """
    found = [values[best], values[second]]
    player = model_of(adviser.player)
    if max(map(abs, found)) >= CERTAIN or (
        not isinstance(player, Strong) and player.valuing() is None
    ):
        return ()
    explainer = taken_apart(player, adviser.game)
    groups: dict[object, list[list[ValuePart]]] = {}
    for side, (line, value) in enumerate(zip(lines, found, strict=True)):
        seen, parts = explainer.parts(line.position, color)
        if not is_sum([part.adds for part in parts], value) or not is_sum([seen], value):
            return ()
        for part in parts:
            if not part.is_constant:
                groups.setdefault(part.key, [[], []])[side].append(part)
    reasons = []
    for sides in groups.values():
        first, other = (sum(part.adds for part in parts) for parts in sides)
        parts = sides[0] or sides[1]
        plain = min(parts, key=lambda part: part.factors)
        text = " + ".join(part.text for part in parts)
        reasons.append(Reason(text, plain.words, first + 0.0, other + 0.0))
    return tuple(sorted(reasons, key=lambda reason: -abs(reason.difference)))


def _sentences(
    advice: Advice,
    texts: Sequence[str],
    worths: Sequence[float],
    values: Sequence[float],
    reasons: Sequence[Reason],
) -> tuple[str, str]:
    """Return the sentence about the move, and that of a hint, which has named the move."""
    scale = advice.scale
    shown = [advice.text(worth) for worth in worths]
    is_same = abs(values[0] - values[1]) <= _SAME * (1 + abs(values[0]))
    is_close = shown[0] == shown[1]
    if is_close and not is_same:
        shown = [scale.precise_text(worth) for worth in worths]
    unit = " discs" if scale.unit == "discs" else ""
    best, second = f"{texts[0]} ({shown[0]}{unit})", f"{texts[1]} ({shown[1]})"
    start = f"It plays {best} rather than {second}"
    then = f"Next is {second}"
    if is_same:
        return f"{start}: both are worth the same to it.", f"{texts[1]} is worth the same."
    if values[0] < values[1]:
        errs = f"It plays {best}, though it values {second} more: at its level it errs on purpose."
        return errs, errs
    if values[0] >= CERTAIN:
        return f"It plays {best}: it wins by force.", "It wins by force."
    if is_close:
        then = f"{texts[1]} is worth almost the same"
    if values[1] <= -CERTAIN and not advice.is_exact:
        return f"{start}, which loses by force.", f"{texts[1]} loses by force."
    if advice.is_exact:
        how = "how the game ends with best play"
        return f"{start}: that is {how} after each.", f"{then}: {how}."
    if not reasons:
        end = "whose board is worth less to it at the end of its search"
        return f"{start}, {end}.", f"{then}."
    clause = _clause(reasons, (worths[0] - worths[1]) / (values[0] - values[1]), scale)
    if not clause:
        many = "many differences decide that cancel each other, none alone"
        return f"{start}: {many}.", f"{then}." if is_close else f"{then}: {many}."
    return (
        f"{start}: it scores better on {clause}.",
        f"{then}." if is_close else f"{then}; {texts[0]} scores better on {clause}.",
    )


def _clause(reasons: Sequence[Reason], change: float, scale: Scale) -> str:
    """Return the reasons that are said; times *change* their differences are in the unit.

    Nothing where each is many times the whole difference: then none of them decides.
    """
    whole = sum(reason.difference for reason in reasons)
    least = _NOTABLE * sum(abs(reason.difference) for reason in reasons)
    notable = [reason for reason in reasons if abs(reason.difference) >= least]
    largest = next(reason for reason in reasons if reason.difference > 0)
    # One or two that speak for it, and come nearest to the whole difference: not only praise.
    choices = [
        chosen
        for count in range(1, _MOST_SAID + 1)
        for chosen in combinations(notable, count)
        if sum(reason.difference for reason in chosen) > 0
    ]
    said = min(
        choices or [(largest,)],
        key=lambda few: abs(sum(reason.difference for reason in few) - whole),
    )
    if max(abs(reason.difference) for reason in said) > _CANCELLING * whole:
        return ""
    sides = (
        [reason for reason in said if is_for == (reason.difference > 0)] for is_for in (True, False)
    )
    groups = [joined([_reason_text(reason, change, scale) for reason in side]) for side in sides]
    return " and worse on ".join(group for group in groups if group)


def _reason_text(reason: Reason, change: float, scale: Scale) -> str:
    return f"{reason.words} ({scale.change_text(reason.difference * change)})"
