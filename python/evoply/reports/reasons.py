"""Why this move: what decided it against another one, in words for people.

Moves of `strong`, and of the adviser of a game, are explained by what they do on the board
(`causes`). A formula is its own reason. Its search prefers a move for the board that its principal
variation ends at, so two boards are compared: the ends of the lines after the move and after the
next best. Parts are named only if they add up to what the search found; tables of patterns are
added up by regions of the board.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from evoply.players import PlayerKind, model_of
from evoply.players.grammar import Runs, read_player_of
from evoply.players.searcher import record_of
from evoply.players.strong import Strong
from evoply.protocols import CERTAIN, Color, GameRecord
from evoply.protocols.sections import JsonData
from evoply.reports.adviser import EXACT_EMPTIES, Advice, Adviser
from evoply.reports.causes import Cause, CauseFound, cause_of, gives_causes
from evoply.reports.expected_lines import ExpectedLines
from evoply.reports.open_evaluator import is_sum, opened
from evoply.reports.part_words import joined
from evoply.reports.scale import Scale
from evoply.reports.value_parts import ValuePart, taken_apart

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
    causes: tuple[Cause, ...]
    """What the moves do on the board, if that is how the player is explained: at most two that
    speak for the best move, then at most one against it."""
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
        # A formula's own values are asked for; a coach knows the end of the game.
        exact = EXACT_EMPTIES if gives_causes(adviser) else None
        advice = adviser.values(record, exact=exact)
        return reasons_of(adviser, record, advice, chosen=chosen, label=model.label, is_tested=True)


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
    is_tested: bool = False,
) -> Why:
    """Return why the best move of *advice* is better than the second, in the eyes of *adviser*.

    *chosen* is a move that the player, called *label*, has chosen instead. The lines after both
    moves are searched for at most so many *seconds* each (None: as long as it takes); without them
    there are no reasons, only values. *is_tested* is that of `cause_of`.
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
            second_worth=None, best_line=(texts[best],), second_line=(), reasons=(), causes=(),
            sentence=f"It plays {texts[best]}: {what}.", hint="There is no other move.",
        )  # fmt: skip
    worths, values = dict(advice.moves), dict(advice.raw or advice.moves)
    second = next(move for move, _ in advice.moves if move != best)
    found, cause = None, None
    reasons: tuple[Reason, ...] = ()
    is_caused = gives_causes(adviser)
    if is_caused or not advice.is_exact:
        found = ExpectedLines.search(adviser, record, advice, (best, second), seconds)
    if found is not None and not advice.is_exact:
        reasons = _reasons(adviser, position.turn, found, values, best, second)
    if is_caused and found is not None and values[best] >= values[second]:
        cause = cause_of(
            adviser, record, advice, best, second,
            lines=found, seconds=seconds, is_tested=is_tested,
        )  # fmt: skip
    lines = [(texts[best],), (texts[second],)] if found is None else found.texts
    sentence, hint = _sentences(
        advice,
        [texts[best], texts[second]],
        [worths[best], worths[second]],
        [values[best], values[second]],
        reasons,
        cause,
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
        causes=() if cause is None else cause.causes,
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
    cause: CauseFound | None,
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
    if is_close and not is_same:
        then = f"{texts[1]} is worth almost the same"
    if values[0] < values[1] and not is_same:
        errs = f"It plays {best}, though it values {second} more: at its level it errs on purpose."
        return errs, errs
    if is_same:
        why = _why_equal(cause)
        return (
            f"{start}: {why or 'both are worth the same to it'}.",
            f"{texts[1]} is worth the same{f': {why}' if why else ''}.",
        )
    if values[0] >= CERTAIN:
        how = f"; {cause.text}" if cause is not None and cause.causes else ""
        return f"It plays {best}: it wins by force{how}.", f"It wins by force{how}."
    if cause is not None and (cause.causes or values[1] > -CERTAIN):
        how = ", with best play of both" * advice.is_exact
        return f"{start}{how}: {cause.text}.", f"{then}{how}: {cause.text}."
    if values[1] <= -CERTAIN and not advice.is_exact:
        return f"{start}, which loses by force.", f"{texts[1]} loses by force."
    if advice.is_exact:
        how = "how the game ends with best play"
        return f"{start}: that is {how} after each.", f"{then}: {how}."
    return _parts_said(start, then, texts[0], worths, values, reasons, scale, is_close=is_close)


def _why_equal(cause: CauseFound | None) -> str:
    """Return why two moves are worth the same, if a symmetry of the board says it; else ""."""
    return cause.text if cause is not None and cause.is_mirrored else ""


def _parts_said(
    start: str,
    then: str,
    best: str,
    worths: Sequence[float],
    values: Sequence[float],
    reasons: Sequence[Reason],
    scale: Scale,
    *,
    is_close: bool,
) -> tuple[str, str]:
    """Return the sentences of a player whose parts are its reasons."""
    if not reasons:
        end = "whose board is worth less to it at the end of its search"
        return f"{start}, {end}.", f"{then}."
    clause = _clause(reasons, (worths[0] - worths[1]) / (values[0] - values[1]), scale)
    if not clause:
        many = "many differences decide that cancel each other, none alone"
        return f"{start}: {many}.", f"{then}." if is_close else f"{then}: {many}."
    return (
        f"{start}: it scores better on {clause}.",
        f"{then}." if is_close else f"{then}; {best} scores better on {clause}.",
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
