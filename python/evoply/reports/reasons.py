"""Why this move: which terms of a player's evaluator decided it against the second best.

A search prefers a move for the board that its principal variation ends at. So the terms are
compared there: what each adds to the value of the best line, and to that of the second.

Reasons: docs/design/page.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from evoply._native import Stream
from evoply.arena.json_data import JsonData
from evoply.expressions import Expression, ExpressionError, Number
from evoply.expressions.sides import for_the_other_side
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.players import ExpressionEvaluator, ValuingPlayer, analyse
from evoply.players.analysis import own_plies, record_of
from evoply.players.grammar import Runs
from evoply.protocols import Clock, Color, GameRecord
from evoply.reports.game_analysis import CERTAIN
from evoply.reports.open_evaluator import Opened, is_sum, read_opened
from evoply.reports.phrases import joined
from evoply.reports.terms import TIMES, Term

_SAME = 1e-12
"""Values nearer to each other than this differ by rounding only."""
_MOST_SAID = 3
_NOTABLE = 0.05
"""A term that makes less of the difference is not worth a word."""


@dataclass(frozen=True, slots=True)
class Reason(JsonData):
    """A feature, all its terms together, and what it adds to both lines' values."""

    also = ("difference",)

    text: str
    """Its terms as a formula."""
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
    value: float | None
    """What the move is worth to *color*."""
    second: str | None
    second_value: float | None
    best_line: tuple[str, ...]
    """How the game would go on after each of the two."""
    second_line: tuple[str, ...]
    reasons: tuple[Reason, ...]
    """The features, what makes the largest difference first. They add up to the values but for a
    constant; empty where the player's value is no sum, or where a line ends the game."""
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def why(player: object, game: Any, *, runs: Runs | None = None) -> Why:
    """Return why *player* chooses its move at the end of *game*, a record or a position.

    A player is taken as `evoply.analyse` does, with *runs* for champions; one that begins with
    random moves or has overlapping stages is explained by its steady part. Raises `ValueError` if
    the game is over, or if the player values nothing: then there is no reason.

    >>> import evoply as ep
    >>> print(ep.why("greedy", ep.othello.Game.from_transcript("f5d6c4")))
    It plays g5 (2) rather than b3 (0): it scores better on many own discs (+1) and few discs for
    the opponent (+1).
    """
    record = record_of(game)
    position, name = record.position, record.position.game
    whole, parts = read_opened(player, name, runs)
    if parts is None:
        raise ValueError(f"{whole.label}: this player values nothing, so there is no reason")
    choice = analyse(parts.model, record, every_move=True)
    texts = {move: position.short_text(move) for move in position.legal_moves}
    known = {"player": whole.label, "game": name, "position": position.text()}
    if len(choice.moves) < 2:
        what = "it has to pass" if position.legal_moves.must_pass else "there is no other move"
        return Why(
            **known, color=position.turn, best=texts[choice.move], value=choice.score, second=None,
            second_value=None, best_line=(texts[choice.move],), second_line=(), reasons=(),
            sentence=f"It plays {texts[choice.move]}: {what}.",
        )  # fmt: skip
    values = dict(choice.moves)
    best = choice.move
    second = next(move for move, _ in choice.moves if move != best)
    lines = [_line(parts, record, move) for move in (best, second)]
    reasons = _reasons(parts, record, lines, [values[best], values[second]])
    head = _head([texts[best], texts[second]], [values[best], values[second]], reasons)
    return Why(
        **known,
        color=position.turn,
        best=texts[best],
        value=values[best] + 0.0,
        second=texts[second],
        second_value=values[second] + 0.0,
        best_line=lines[0].move_texts(),
        second_line=lines[1].move_texts(),
        reasons=reasons,
        sentence=head,
    )


def _line(parts: Opened, record: GameRecord, move: Any) -> GameRecord:
    """Return the game that the player expects from the position on, with *move* first."""
    position, player = record.position, parts.model
    line = game_rules(position.game).game(position, (), NO_DRAWS).play(move)
    left = player.plies_ahead - 1
    while left and line.outcome() is None and len(line.position.legal_moves) == 1:
        line, left = line.play(line.position.legal_moves[0]), left - 1
    if not left or line.outcome() is not None:
        return line
    if line.position.turn is not position.turn:
        player = _across(parts)
    seat = player.with_options({"depth": left}).seat(position.game)
    after = game_rules(position.game).game(line.position, (), NO_DRAWS)
    stream = Stream(0, "analyse").child(0, 0)
    plies = Clock(moves=own_plies(record))
    for next_move in seat.analyse(after, stream, plies).line:
        line = line.play(next_move)
    return line


def _across(parts: Opened) -> ValuingPlayer:
    """Return a player with the opponent's pieces that values boards as the player's search does.

    A search looks for replies that are bad for the player. A player of its kind on the other side
    would look for what is good by its own view: the same only if what the evaluator says of a
    board is minus what it says with the sides exchanged.
    """
    player = parts.model
    if player.view == "turn":
        return player
    try:
        seen = for_the_other_side(parts.expression)
    except ExpressionError:
        return player
    if not isinstance(seen, Number):
        return player
    return player.with_evaluator(ExpressionEvaluator(expression=(-seen).to_dict()))


def _reasons(
    parts: Opened, record: GameRecord, lines: Sequence[GameRecord], values: Sequence[float]
) -> tuple[Reason, ...]:
    """Return what each feature adds at the ends of both *lines*; none if that explains nothing.

    It explains the move if the terms add up to the *values* that the search found.
    """
    color, terms = record.position.turn, parts.terms
    if max(map(abs, values)) >= CERTAIN:
        return ()
    added = []
    for line, value in zip(lines, values, strict=True):
        row = parts.row(line.position, color)
        sign = 1.0 if row[3] == (color is Color.BLACK) else -1.0
        seen = parts.seen(row)
        added.append([sign * product for product in seen.terms])
        if not is_sum(added[-1], value) or not is_sum([sign * seen.value], value):
            return ()
    groups: dict[frozenset[Expression], list[int]] = {}
    for index, term in enumerate(terms):
        if not term.is_constant:
            groups.setdefault(_features(term), []).append(index)
    reasons = []
    for indices in groups.values():
        best, second = (sum(products[index] for index in indices) for products in added)
        # The term that does not change with time says best what the feature is.
        plain = min((terms[index] for index in indices), key=lambda term: len(term.factors))
        text = " + ".join(terms[index].text for index in indices)
        reasons.append(Reason(text, parts.words.wanted_term(plain)[0], best + 0.0, second + 0.0))
    return tuple(sorted(reasons, key=lambda reason: -abs(reason.difference)))


def _features(term: Term) -> frozenset[Expression]:
    """Return the factors of *term* that are not the time."""
    return frozenset(factor for factor in (*term.factors, *term.divisors) if factor.op not in TIMES)


def _head(texts: Sequence[str], values: Sequence[float], reasons: Sequence[Reason]) -> str:
    """Return the sentence about the move."""
    best, second = (f"{text} ({_worth(value)})" for text, value in zip(texts, values, strict=True))
    start = f"It plays {best} rather than {second}"
    if abs(values[0] - values[1]) <= _SAME * (1 + abs(values[0])):
        return f"{start}: both are worth the same to it."
    if not reasons:
        return f"{start}, whose board is worth less to it at the end of its search."
    total = sum(abs(reason.difference) for reason in reasons)
    notable = [reason for reason in reasons if abs(reason.difference) >= _NOTABLE * total]
    for_it = [reason for reason in notable if reason.difference > 0][:_MOST_SAID]
    against = [reason for reason in notable if reason.difference < 0][:_MOST_SAID]
    clause = ""
    if for_it:
        clause = f": it scores better on {joined([_reason_text(reason) for reason in for_it])}"
    if against:
        link = ", and worse on" if for_it else ": it scores worse on"
        clause += f"{link} {joined([_reason_text(reason) for reason in against])}"
    return f"{start}{clause}."


def _reason_text(reason: Reason) -> str:
    return f"{reason.words} ({reason.difference:+.3g})"


def _worth(value: float) -> str:
    if abs(value) >= CERTAIN:
        return "a win" if value > 0 else "a loss"
    return f"{round(value, 6) + 0.0:.4g}"
