"""Why a player plays as it does: its formula, what each part decides, and a sentence.

Everything said is measured on positions, not read off the weights: a large weight on a feature
that never differs between two moves decides nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evoply import _native
from evoply.algebra import Simplified, simplify
from evoply.arena.json_data import JsonData
from evoply.expressions import Expression, build, number
from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.notebook import table_html
from evoply.players import ValuingPlayer, model_of, steady_player
from evoply.players.grammar import Runs, read_player_of
from evoply.protocols import BoardShape, Row
from evoply.reports.influence import (
    changed_moves,
    chosen_moves,
    positions_with_choice,
    values_of,
)
from evoply.reports.opened import evaluator_of
from evoply.reports.phrases import (
    Influence,
    Words,
    constant_sentence,
    influence_sentence,
    joined,
    percent,
)
from evoply.reports.terms import Term, features, sum_text, terms_of, with_feature, without

_FAITHFUL = 0.9
"""With less agreement the simplified form is shown, but its terms explain nothing."""
_NOTABLE = 0.05
"""A term of this influence that only a formula can say: the features are said instead."""
_MOST_SQUARES = 12  # named one by one
_MOST_EXCEPTIONS = 3
_LONGEST_EXCEPTION = 100  # characters
_CLEAR = 0.8
"""A feature is wanted if more of it raises the value in this share of positions."""


@dataclass(frozen=True, slots=True)
class Explanation(JsonData):
    """What a player's evaluator comes to and what of it decides moves."""

    player: str
    game: str
    sentence: str
    tree: str | None = None
    """The tree as it was evolved, or the formula of a player that is no tree."""
    simplified: str | None = None
    exceptions: tuple[str, ...] = ()
    """Where the simplified form does not hold, in words."""
    agreement: float | None = None
    """Share of positions where the simplified form chooses the same move."""
    terms: tuple[Influence, ...] = ()
    """Terms of the simplified form; share of moves that change when one is left out."""
    features: tuple[Influence, ...] = ()
    """What is measured on the board; share of moves that change when one is held at its mean."""
    positions: int = 0
    seed: int = 0

    def __str__(self) -> str:
        lines = [self.player]
        if self.tree is not None and self.tree != self.player:
            lines.append(self.tree)
        if self.simplified is not None:
            lines.append(f"= {self.simplified}")
        lines += [*_shown_exceptions(self.exceptions), self.sentence]
        lines += [f"{percent(part.share):>10}  {part.text}" for part in self.parts]
        return "\n".join(lines)

    @property
    def parts(self) -> tuple[Influence, ...]:
        """The terms, or the features where there are no terms, most influential first."""
        return tuple(sorted(self.terms or self.features, key=lambda part: -part.share))

    def _repr_html_(self) -> str:
        rows = [(part.text, part.wants, percent(part.share)) for part in self.parts]
        texts = [self.simplified, self.sentence] if self.simplified else [self.sentence]
        head = ("part", "wants", "moves changed")
        return table_html(self.player, rows, head if rows else (), texts)


def explain(
    player: object,
    *,
    game: str = "othello",
    positions: int = 1000,
    seed: int = 0,
    runs: Runs | None = None,
) -> Explanation:
    """Return what *player* wants, with the influence of its parts measured on *positions*.

    A tree, or an individual of a generation, is taken as `evoply.players.player_of` says, a text as
    `parse_player` does, with *runs* for champions.

    Influence is how often the chosen move changes when a part is left out. The positions come
    from random games over all stages, leave a choice, and depend on *seed* only. Takes well below
    a second for a player that looks one ply ahead; deeper ones are measured at depth 3 at most.

    >>> print(explain("random").sentence)
    It chooses uniformly among its legal moves.
    """
    whole = model_of(read_player_of(player, game, runs))
    if whole.valuing() is None and whole.habits:
        return Explanation(whole.label, game, " ".join(whole.habits))
    explained = _of_values(steady_player(whole), game, positions, seed)
    sentence = " ".join([explained.sentence, *whole.habits])
    return replace(explained, player=whole.label, sentence=sentence)


def _of_values(player: ValuingPlayer, game: str, positions: int, seed: int) -> Explanation:
    expression, names = evaluator_of(player, game)
    words = Words(game_rules(game).piece, names)
    rows = positions_with_choice(game, positions, seed)
    measured = _Measured(player, game, rows, seed, words)
    form = simplify(expression, names)
    agreement, terms, sentence = _terms(measured, expression, form)
    is_constant = form.constant is not None and not form.exceptions
    parts = () if is_constant else _features(measured, expression)
    values = values_of(measured.programs([expression])[0], rows, game)
    if is_constant or not parts:
        sentence = _constant(player, "every position")
    elif len(rows) > 1 and np.ptp(values) == 0:
        # Values beyond the kernel's bounds are all the same to it, for one.
        sentence = _constant(player, f"all {len(rows):,} positions tried")
    elif not sentence:
        sentence = influence_sentence(parts, left_out="holding this at its average", noun="feature")
    terms_text = sum_text(terms_of(form.expression, names))
    return Explanation(
        player=player.label,
        game=game,
        sentence=sentence,
        tree=str(player.evaluator.parsed),
        simplified=min(form.formula, terms_text, key=len),
        exceptions=form.exceptions,
        agreement=agreement,
        terms=terms,
        features=parts,
        positions=len(rows),
        seed=seed,
    )


@dataclass(frozen=True, slots=True)
class _Measured:
    """A player and the positions where its moves are compared."""

    player: ValuingPlayer
    game: str
    rows: Sequence[Row]
    seed: int
    words: Words

    def programs(self, expressions: Sequence[Expression]) -> list[_native.Program]:
        """Return the kernel's form of *expressions*."""
        rules = game_rules(self.game)
        return [_native.Program(rules.kernel, one.to_json(rules.shape)) for one in expressions]

    def changes(self, variants: Sequence[Expression]) -> list[float]:
        """Return for each variant after the first in how many moves it differs from the first."""
        moves = chosen_moves(
            self.player, self.programs(variants), self.rows, game=self.game, seed=self.seed
        )
        return changed_moves(moves)


def _terms(
    measured: _Measured, expression: Expression, form: Simplified
) -> tuple[float, tuple[Influence, ...], str]:
    """Return the agreement of the simplified form, its terms, and the sentence about these.

    The sentence is empty where the form is not faithful, or words cannot say the terms.
    """
    every = terms_of(form.expression, measured.words.names)
    terms = [term for term in every if not term.is_constant]
    variants = [expression, *(without(form.expression, term) for term in terms)]
    disagreement, *shares = measured.changes([form.expression, *variants])
    influences = []
    are_words = True
    worded, common = measured.words.without_common(terms)
    for term, reduced, share in zip(terms, worded, shares, strict=True):
        wants, is_words = measured.words.wanted_term(reduced)
        are_words &= is_words or share < min(_NOTABLE, max(shares))
        influences.append(Influence(term.text, wants, share))
    sentence = ""
    if terms and 1 - disagreement >= _FAITHFUL and are_words:
        sentence = influence_sentence(influences, left_out="leaving this out", noun="term") + common
        sentence += _weights_sentences(terms, game_rules(measured.game).shape)
        if 1 - disagreement < 0.99:
            sentence += (
                f" This simplified form chooses {percent(1 - disagreement)} of the same moves."
            )
    return 1 - disagreement, tuple(influences), sentence


def _features(measured: _Measured, expression: Expression) -> tuple[Influence, ...]:
    """Return the influence of each feature, held at its mean over the positions."""
    words = measured.words
    parts = features(expression, words.names)
    if not parts:
        return ()
    batch = _native.Positions(game_rules(measured.game).kernel, measured.rows)
    means = [float(np.mean(program.evaluate(batch))) for program in measured.programs(parts)]
    variants = [
        with_feature(expression, part, number(mean), words.names)
        for part, mean in zip(parts, means, strict=True)
    ]
    one_more = [
        with_feature(expression, part, build("add", part, number(1.0)), words.names)
        for part in parts
    ]
    base, *raised = (
        program.evaluate(batch) for program in measured.programs([expression, *one_more])
    )
    influences = []
    shares = measured.changes([expression, *variants])
    for part, values, share in zip(parts, raised, shares, strict=True):
        is_more = _direction(int((values > base).sum()), int((values < base).sum()))
        text = words.formula(part)
        noun = words.phrase(part) or text.replace("_", " ")
        wants = noun if is_more is None else words.wanted(part, noun, is_more)
        influences.append(Influence(text, wants, share, depends=is_more is None))
    return tuple(influences)


def _direction(rises: int, falls: int) -> bool | None:
    """Return whether one more of a feature raises the value; None if it depends."""
    share = rises / (rises + falls) if rises + falls else 0.5
    return True if share >= _CLEAR else False if share <= 1 - _CLEAR else None


def _weights_sentences(terms: Sequence[Term], shape: BoardShape) -> str:
    """Return which squares the tables of weights that are added like best and least."""
    sentences = ""
    for term in terms:
        if [one.op for one in term.factors] != ["weighted_sum"] or term.divisors:
            continue
        weights = [term.coefficient * weight for weight in term.factors[0].arguments[1][0]]
        if term.coefficient > 0:
            best, worst = max(weights), min(weights)
            sentences += (
                f" The highest weight, {best:g}, is on {_squares(weights, best, shape)}; "
                f"the lowest, {worst:g}, on {_squares(weights, worst, shape)}."
            )
    return sentences


def _squares(weights: Sequence[float], value: float, shape: BoardShape) -> str:
    names = [square_name(square, shape) for square, one in enumerate(weights) if one == value]
    return joined(names) if len(names) <= _MOST_SQUARES else f"{len(names)} squares"


def _shown_exceptions(exceptions: Sequence[str]) -> list[str]:
    """Return the first exceptions, the value left out where it is long."""
    shown = [
        text if len(text) <= _LONGEST_EXCEPTION else text.split(", where it is ")[0]
        for text in exceptions[:_MOST_EXCEPTIONS]
    ]
    more = len(exceptions) - len(shown)
    return [*shown, f"and {more} more exceptions" if more > 1 else "and one more exception"][
        : len(shown) + (more > 0)
    ]


def _constant(player: ValuingPlayer, where: str) -> str:
    """Return the sentence about an evaluator that gives the positions *where* the same value."""
    if player.draws_leaves:
        return f"It gives {where} the same value."
    return constant_sentence(where, player.ties)
