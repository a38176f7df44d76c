"""Why a player plays as it does: its formula, what each part decides, and a sentence.

Everything said is measured on positions, not read off the weights: a large weight on a feature
that never differs between two moves decides nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from evoply.expressions import Expression, build, number
from evoply.expressions.written_form import LEFT_OUT, formula
from evoply.games.squares import square_name
from evoply.gp.algebra import Simplified, simplify
from evoply.gp.algebra.terms import Term, sum_text, terms_of, with_feature, without
from evoply.players import ValuingPlayer
from evoply.players.grammar import Runs
from evoply.protocols import BoardShape, Row
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown
from evoply.reports.open_evaluator import (
    Opened,
    opened,
    positions_with_choice,
    read_opened,
    shares_changed,
)
from evoply.reports.terms import (
    Influence,
    constant_sentence,
    influence_sentence,
    joined,
    percent,
)

_FAITHFUL = 0.9
"""With less agreement the simplified form is shown, but its terms explain nothing."""
_NOTABLE = 0.05
"""A term of this influence that only a formula can say: the features are said instead."""
_MOST_SQUARES = 12  # named one by one
_MOST_EXCEPTIONS = 3
_LONGEST_EXCEPTION = 100  # characters
_CLEAR = 0.8
"""A feature is wanted if more of it raises the value in this share of positions."""


_PARTS = (
    Column("text", "part", str),
    Column("wants", "wants", str),
    Column("share", "moves changed", percent),
)


@dataclass(frozen=True, slots=True)
class Explanation(JsonData, Shown):
    """What a player's evaluator comes to and what of it decides moves."""

    player: str
    game: str
    sentence: str
    tree: str | None = None
    """The tree as it was evolved, or the formula of a player that is not a tree, with the names of
    its parts; None if that is too long to be written."""
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
        lines += [*_first_exceptions(self.exceptions), self.sentence]
        lines += [f"{percent(part.share):>10}  {part.text}" for part in self.parts]
        return "\n".join(lines)

    @property
    def parts(self) -> tuple[Influence, ...]:
        """The terms, or the features where there are no terms, most influential first."""
        return tuple(sorted(self.terms or self.features, key=lambda part: -part.share))

    def shown(self) -> Page:
        """Return the parts, and what they come to in words."""
        texts = [text for text in (self.simplified, self.sentence) if text]
        return Page(self.player, [Section("", _PARTS, self.parts, sentences=texts)])


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
    whole, parts = read_opened(player, game, runs)
    if parts is None and whole.habits:
        return Explanation(whole.label, game, " ".join(whole.habits))
    explained = _of_values(parts or opened(whole, game), positions, seed)  # or raises why it cannot
    sentence = " ".join([explained.sentence, *whole.habits])
    return replace(explained, player=whole.label, sentence=sentence)


def _of_values(parts: Opened, positions: int, seed: int) -> Explanation:
    player, game = parts.model, parts.game
    rows = positions_with_choice(game, positions, seed)
    form = simplify(parts.expression, parts.names, alike=parts.model.alike(parts.game))
    agreement, terms, sentence = _terms(parts, rows, seed, form)
    is_constant = form.constant is not None and not form.exceptions
    measured = () if is_constant else _features(parts, rows, seed)
    if is_constant or not measured:
        is_same = len(rows) < 2 or np.ptp(parts.values(rows)) == 0
        sentence = _constant(player, "every position" if is_same else "all moves of a position")
    elif len(rows) > 1 and np.ptp(parts.values(rows)) == 0:
        # For example, all values beyond the kernel's bounds are the same to it.
        sentence = _constant(player, f"all {len(rows):,} positions tried")
    elif not sentence:
        left_out = "holding this at its average"
        sentence = influence_sentence(measured, left_out=left_out, noun="feature")
    terms_text = sum_text(terms_of(form.expression, parts.names))
    return Explanation(
        player=player.label,
        game=game,
        sentence=sentence,
        tree=_whole_text(parts),
        simplified=min(form.formula, terms_text, key=len),
        exceptions=form.exceptions,
        agreement=agreement,
        terms=terms,
        features=measured,
        positions=len(rows),
        seed=seed,
    )


def _whole_text(parts: Opened) -> str | None:
    tree = parts.model.evaluator.individual
    if tree is not None:
        return str(tree)
    written = formula(parts.expression, parts.names)
    return written if LEFT_OUT not in written else None


def _terms(
    parts: Opened, rows: Sequence[Row], seed: int, form: Simplified
) -> tuple[float, tuple[Influence, ...], str]:
    """Return the agreement of the simplified form, its terms, and the sentence about these.

    The sentence is empty where the form is not faithful, or words cannot say the terms.
    """
    words = parts.words
    terms = [term for term in terms_of(form.expression, parts.names) if not term.is_constant]
    variants = [parts.expression, *(without(form.expression, term) for term in terms)]
    disagreement, *shares = shares_changed(parts, [form.expression, *variants], rows, seed=seed)
    influences = []
    are_words = True
    worded, common = words.without_common(terms)
    for term, reduced, share in zip(terms, worded, shares, strict=True):
        wants, is_words = words.wanted_term(reduced)
        are_words &= is_words or share < min(_NOTABLE, max(shares))
        influences.append(Influence(term.text, wants, share))
    sentence = ""
    if terms and 1 - disagreement >= _FAITHFUL and are_words:
        sentence = influence_sentence(influences, left_out="leaving this out", noun="term") + common
        sentence += _weights_sentences(terms, parts.rules.shape)
        if 1 - disagreement < 0.99:
            sentence += (
                f" This simplified form chooses {percent(1 - disagreement)} of the same moves."
            )
    return 1 - disagreement, tuple(influences), sentence


def _features(parts: Opened, rows: Sequence[Row], seed: int) -> tuple[Influence, ...]:
    if not parts.features:
        return ()

    def with_features(replacements: Sequence[Expression]) -> list[Expression]:
        return [
            with_feature(parts.expression, part, other, parts.names)
            for part, other in zip(parts.features, replacements, strict=True)
        ]

    means = parts.outputs(parts.lowered(*parts.features), rows).mean(axis=1).tolist()
    variants = [parts.expression, *with_features([number(mean) for mean in means])]
    one_more = with_features([build("add", part, number(1.0)) for part in parts.features])
    base, *raised = parts.outputs(parts.lowered(parts.expression, *one_more), rows)
    influences = []
    words = parts.words
    shares = shares_changed(parts, variants, rows, seed=seed)
    for part, values, share in zip(parts.features, raised, shares, strict=True):
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
    sentences = ""
    for term in terms:
        if [factor.op for factor in term.factors] != ["weighted_sum"] or term.divisors:
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
    names = [square_name(square, shape) for square, weight in enumerate(weights) if weight == value]
    return joined(names) if len(names) <= _MOST_SQUARES else f"{len(names)} squares"


def _first_exceptions(exceptions: Sequence[str]) -> list[str]:
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
    if player.draws_leaves:
        return f"It gives {where} the same value."
    return constant_sentence(where, player.ties)
