"""Why a player plays as it does: its formula, what each part decides, and a sentence.

Everything said is measured on positions, not read off the weights: a large weight on a feature
that never differs between two moves decides nothing.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, MutableMapping, Sequence
from dataclasses import astuple, dataclass, replace
from functools import cached_property, reduce
from operator import attrgetter, or_
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import NDArray

from evoply.environment.files import checksum
from evoply.expressions import Expression, number
from evoply.expressions.written_form import LEFT_OUT, formula
from evoply.games.squares import square_name
from evoply.gp.algebra import Simplified, simplify
from evoply.gp.algebra.terms import Term, sum_of, sum_text, terms_of, with_feature, without
from evoply.learning.equivalence import AgainstWhole, played_against_whole
from evoply.players import ExpressionEvaluator, ValuingPlayer, with_options
from evoply.players.grammar import Runs
from evoply.protocols import BoardShape, Row
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown
from evoply.reports.game_choices import GameChoices, choices_in_games
from evoply.reports.influences import (
    FEATURE,
    TERM,
    Influence,
    columns_filled,
    constant_sentence,
    influence_sentence,
    lost_text,
    percent,
    plain_reading,
)
from evoply.reports.open_evaluator import (
    Opened,
    opened,
    positions_with_choice,
    read_opened,
    shares_changed,
)
from evoply.reports.part_words import PartSaid, PartShown, joined
from evoply.reports.preferences import Preference

if TYPE_CHECKING:
    from evoply.runs import Run

_FAITHFUL = 0.9
"""With less agreement the simplified form is shown, but its terms explain nothing."""
_NOTABLE = 0.05
"""A term of this influence that only a formula can say: the features are said instead."""
_MOST_SQUARES = 12  # named one by one
_MOST_EXCEPTIONS = 3
_LONGEST_EXCEPTION = 100  # characters
_MOST_GAMES = 1000
_FEWEST_GAMES = 100
"""Fewer games than this say nothing, so none are played."""
_WORK = 4e9
"""Operations that games may take: about two seconds on two cores."""
_COST_OF_A_BOARD = 40
"""What making a board costs, in operations of an evaluator."""

PARTS = (
    Column("text", "part", str),
    Column("wants", "in words", "{0.verb} {0.wants}".format, read=lambda part: part),
    Column("lost", "points lost in 100 games", lost_text, read=lambda part: part),
    Column("share", "moves changed", percent),
    Column("role", "", str),
)


@dataclass(frozen=True, slots=True)
class Explanation(JsonData, Shown):
    """What a player's evaluator comes to and what of it decides moves."""

    also = ("reading",)
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
    """Terms of the simplified form, each left out in turn."""
    features: tuple[Influence, ...] = ()
    """What is measured on the board, each held at its mean in turn."""
    about: Literal["terms", "features"] = "terms"
    """What the sentence is about, which is what games were played without."""
    positions: int = 0
    seed: int = 0

    def __str__(self) -> str:
        lines = [self.player]
        if self.tree is not None and self.tree != self.player:
            lines.append(self.tree)
        if self.simplified is not None:
            lines.append(f"= {self.simplified}")
        lines += [*_first_exceptions(self.exceptions), self.sentence]
        lines += [self.reading] if self.reading else []
        lines += [
            f"{lost_text(part):>18}{percent(part.share):>10}  {part.text}" for part in self.parts
        ]
        return "\n".join(lines)

    @property
    def parts(self) -> tuple[Influence, ...]:
        """The parts that the sentence is about, terms or features, what matters most first."""
        parts = self.terms if self.parts_are_terms else self.features
        return tuple(sorted(parts, key=attrgetter("rank")))

    @property
    def parts_are_terms(self) -> bool:
        """Whether the sentence is about terms."""
        return bool(self.terms) and self.about == "terms"

    @property
    def reading(self) -> str:
        """What it does as advice to whoever would play like it, "" where that is not clear."""
        return plain_reading(self.parts)

    @property
    def games(self) -> int:
        """The games that the player played without each part against the whole one."""
        played = next((part.played for part in self.parts), None)
        return played.games if played else 0

    def shown(self) -> Page:
        """Return the parts, and what they come to in words."""
        texts = [text for text in (self.simplified, self.sentence, self.reading) if text]
        return Page(
            self.player,
            [Section("", columns_filled(PARTS, self.parts), self.parts, sentences=texts)],
        )


def explain(
    player: object,
    *,
    game: str = "othello",
    positions: int = 1000,
    games: int | None = None,
    seed: int = 0,
    threads: int = 0,
    runs: Runs | None = None,
    kept: MutableMapping[str, AgainstWhole] | None = None,
) -> Explanation:
    """Return what *player* does, and what its parts are worth to it.

    A tree, or an individual of a generation, is taken as `evoply.players.player_of` says, a text as
    `parse_player` does, with *runs* for champions.

    A part is worth what the player loses to the whole player without it, in *games* games a part:
    by default 1,000, fewer for players that take long, and none for those that would take more than
    seconds; 0 plays none. *positions* tell how often the chosen move changes without a part (those
    of random games over all stages) and what its choices show (those of its own games). All depends
    on *seed* only, not on *threads* (0: all cores). *kept* has results of such games, which are not
    played again, and gets new ones. Takes about two seconds for a player that looks one ply ahead;
    deeper ones choose at depth 3 at most here.

    >>> print(explain("random").sentence)
    It chooses uniformly among its legal moves.
    """
    whole, parts = read_opened(player, game, runs)
    if parts is None and whole.habits:
        return Explanation(whole.label, game, " ".join(whole.habits))
    parts = parts or opened(whole, game)  # or raises why it cannot
    rows = positions_with_choice(game, positions, seed)
    explained = _of_values(
        _Measured(parts, rows, games, seed, threads, {} if kept is None else kept)
    )
    sentence = " ".join([explained.sentence, *whole.habits])
    return replace(explained, player=whole.label, sentence=sentence)


_KEPT = "games_without_parts"
_KEY = 16  # digits of a checksum


def kept_games(run: Run) -> dict[str, AgainstWhole]:
    """Return the games without parts that were kept with *run*, for `explain`."""
    return {key: AgainstWhole(*played) for key, played in (run.note(_KEPT) or {}).items()}


def explain_champion(run: Run, *, keep: bool = False, threads: int = 0) -> Explanation:
    """Return what the champion of *run* does, by the games that are kept with it if there are any.

    *keep* writes the games that were played now into the run.
    """
    kept = kept_games(run)
    before = len(kept)
    player = with_options(run.champion_player, {}, name=f"champion@{run.name}")
    explained = explain(player, game=run.config.game, threads=threads, kept=kept)
    if keep and len(kept) > before:
        run.set_meta(**{_KEPT: json.dumps({key: astuple(each) for key, each in kept.items()})})
    return explained


@dataclass(frozen=True, eq=False)
class _Measured:
    """An evaluator, and what its parts are measured on."""

    parts: Opened
    rows: Sequence[Row]
    games_wanted: int | None
    seed: int
    threads: int
    kept: MutableMapping[str, AgainstWhole]

    @cached_property
    def choices(self) -> GameChoices:
        """What the player chooses in positions of games."""
        return choices_in_games(self.parts, len(self.rows), self.seed)

    def shares_changed(self, whole: Expression, variants: Sequence[Expression]) -> list[float]:
        """Return how often the moves of each variant differ from those of *whole*."""
        return shares_changed(self.parts, [whole, *variants], self.rows, seed=self.seed)

    def values(self, values: Sequence[Expression]) -> NDArray[np.float64]:
        """Return *values* on the boards of the choices."""
        return self.choices.values(self.parts.lowered(*values))

    def games(self, variants: int) -> int:
        """Return how many games each of so many variants plays."""
        if self.games_wanted is not None:
            return self.games_wanted
        if any(part.op == "pattern" for part in self.parts.features):
            return 0  # its tables are large: to read them anew for each part takes minutes
        mean_moves = len(self.choices.boards) / max(1, len(self.choices))
        depth = self.parts.model.plies_ahead
        work = self.parts.lowered(self.parts.expression).operations + _COST_OF_A_BOARD
        a_game = work * self.parts.rules.late_ply * mean_moves**depth
        games = int(_WORK / (a_game * max(1, variants))) // 2 * 2
        return min(games, _MOST_GAMES) if games >= _FEWEST_GAMES else 0

    def played(
        self, whole: Expression, variants: Sequence[Expression]
    ) -> list[AgainstWhole | None]:
        """Return how each of *variants* plays against the player that values by *whole*."""
        games = self.games(len(variants))
        if not variants or not games:
            return [None] * len(variants)
        player = self.parts.model.measured()
        if whole != self.parts.expression:
            player = player.with_evaluator(ExpressionEvaluator(expression=whole.to_dict()))
        who = [player.identity(), self.parts.game, games, self.seed]
        keys = [checksum([*who, variant.to_dict()])[:_KEY] for variant in variants]
        new = {
            key: variant
            for key, variant in zip(keys, variants, strict=True)
            if key not in self.kept
        }
        played = played_against_whole(
            player,
            list(new.values()),
            game=self.parts.game,
            games=games,
            seed=self.seed,
            threads=self.threads,
        )
        self.kept.update(zip(new, played, strict=True))
        return [self.kept[key] for key in keys]


def _of_values(measured: _Measured) -> Explanation:
    parts, rows = measured.parts, measured.rows
    player = parts.model
    form = simplify(parts.expression, parts.names, alike=player.alike(parts.game))
    is_constant = form.constant is not None and not form.exceptions
    is_constant = is_constant or not parts.features
    agreement, terms, sentence = _terms(measured, form, is_played=not is_constant)
    is_told = bool(sentence)
    features: tuple[Influence, ...] = ()
    if not is_constant:
        features = _features(measured, is_played=not is_told)
    if is_constant:
        is_same = len(rows) < 2 or np.ptp(parts.values(rows)) == 0
        sentence = _constant(player, "every position" if is_same else "all moves of a position")
    elif len(rows) > 1 and np.ptp(parts.values(rows)) == 0:
        # For example, all values beyond the kernel's bounds are the same to it.
        sentence = _constant(player, f"all {len(rows):,} positions tried")
    elif not sentence:
        sentence = influence_sentence(features, FEATURE)
    terms_text = sum_text(terms_of(form.expression, parts.names))
    return Explanation(
        player=player.label,
        game=parts.game,
        sentence=sentence,
        tree=_whole_text(parts),
        simplified=min(form.formula, terms_text, key=len),
        exceptions=form.exceptions,
        agreement=agreement,
        terms=terms,
        features=features,
        about="terms" if is_told else "features",
        positions=len(rows),
        seed=measured.seed,
    )


def _whole_text(parts: Opened) -> str | None:
    tree = parts.model.evaluator.individual
    if tree is not None:
        return str(tree)
    written = formula(parts.expression, parts.names)
    return written if LEFT_OUT not in written else None


def _terms(
    measured: _Measured, form: Simplified, *, is_played: bool
) -> tuple[float, tuple[Influence, ...], str]:
    """Return the agreement of the simplified form, its terms, and the sentence about these.

    The sentence is empty where the form is not faithful, or words cannot say the terms.
    """
    parts, words = measured.parts, measured.parts.words
    terms = [term for term in terms_of(form.expression, parts.names) if not term.is_constant]
    reduced, common = words.without_common(terms)
    groups = _groups(measured, terms, reduced) if is_played else []
    variants = [reduce(without, group.terms, form.expression) for group in groups]
    disagreement, *shares = measured.shares_changed(form.expression, [parts.expression, *variants])
    agreement = 1 - disagreement
    are_words = all(
        group.said.is_words or share < min(_NOTABLE, max(shares))
        for group, share in zip(groups, shares, strict=True)
    )
    is_told = is_played and bool(terms) and agreement >= _FAITHFUL and are_words
    played = measured.played(form.expression, variants) if is_told else [None] * len(groups)
    influences = [
        _influence(sum_text(group.terms), group.said, group.preference, share, games)
        for group, share, games in zip(groups, shares, played, strict=True)
    ]
    sentence = ""
    if is_told:
        sentence = influence_sentence(influences, TERM) + common
        sentence += _weights_sentences(terms, parts.rules.shape, measured.rows)
        if agreement < 0.99:
            sentence += f" This simplified form chooses {percent(agreement)} of the same moves."
    return agreement, tuple(influences), sentence


@dataclass(frozen=True, slots=True)
class _Group:
    """Terms that are told as one: one alone, or several about one feature."""

    terms: tuple[Term, ...]
    said: PartSaid
    preference: Preference


def _groups(measured: _Measured, terms: Sequence[Term], reduced: Sequence[Term]) -> list[_Group]:
    """Return *terms* as they are told: those about one feature do its work only together."""
    words = measured.parts.words
    shown = _shown(measured, terms, reduced)
    alone = [
        _Group((term,), words.said_term(less, each), each.whole)
        for term, less, each in zip(terms, reduced, shown, strict=True)
    ]
    together: dict[object, list[int]] = {}
    for place, (less, each) in enumerate(zip(reduced, shown, strict=True)):
        main = words.main_factor(less, each)
        together.setdefault(place if main is None else main, []).append(place)
    groups = []
    for about, places in together.items():
        chosen = tuple(terms[place] for place in places)
        if len(places) == 1 or not isinstance(about, Expression):
            groups += [alone[place] for place in places]
            continue
        whole, preferred = map(
            measured.choices.preference, measured.values([sum_of(chosen), about])
        )
        said = words.said_together(
            [reduced[place] for place in places],
            [shown[place] for place in places],
            about,
            whole=whole,
            preferred=preferred,
        )
        told = [alone[place] for place in places]
        groups += told if said is None else [_Group(chosen, said, whole)]
    return groups


def _shown(measured: _Measured, terms: Sequence[Term], reduced: Sequence[Term]) -> list[PartShown]:
    """Return what the choices show about each of *terms*, and about the factors in *reduced*."""
    factors = list(dict.fromkeys(part for term in reduced for part in term.factors))
    wholes = [term.expression for term in terms]
    values = measured.values([*wholes, *factors])
    preference = measured.choices.preference
    of_factors = dict(zip(factors, values[len(wholes) :], strict=True))
    return [
        PartShown(
            preference(whole),
            [preference(of_factors[part]) for part in term.factors],
            [float((of_factors[part] != 0).mean()) for part in term.factors],
        )
        for term, whole in zip(reduced, values, strict=False)
    ]


def _influence(
    text: str, said: PartSaid, preference: Preference, share: float, played: AgainstWhole | None
) -> Influence:
    preferred = preference.share_above if preference.differing else None
    return Influence(text, said.what, share, said.verb, preferred, preference.differing, played)


def _features(measured: _Measured, *, is_played: bool) -> tuple[Influence, ...]:
    parts, words = measured.parts, measured.parts.words
    means = parts.outputs(parts.lowered(*parts.features), measured.rows).mean(axis=1).tolist()
    variants = [
        with_feature(parts.expression, part, number(mean), parts.names)
        for part, mean in zip(parts.features, means, strict=True)
    ]
    shares = measured.shares_changed(parts.expression, variants)
    played = measured.played(parts.expression, variants) if is_played else [None] * len(variants)
    influences = []
    for part, values, share, games in zip(
        parts.features, measured.values(parts.features), shares, played, strict=True
    ):
        preference = measured.choices.preference(values)
        said = words.said_feature(part, preference)
        influences.append(_influence(words.formula(part), said, preference, share, games))
    return tuple(influences)


def _weights_sentences(terms: Sequence[Term], shape: BoardShape, rows: Sequence[Row]) -> str:
    """Return where the highest and lowest weights are, of squares that pieces ever stand on."""
    sentences = ""
    stood = reduce(or_, (row[0] | row[1] for row in rows), 0)
    for term in terms:
        if [factor.op for factor in term.factors] != ["weighted_sum"] or term.divisors:
            continue
        weights = [term.coefficient * weight for weight in term.factors[0].arguments[1][0]]
        if term.coefficient > 0:
            used = {square: weight for square, weight in enumerate(weights) if stood >> square & 1}
            best, worst = max(used.values()), min(used.values())
            sentences += (
                f" The highest weight, {best:g}, is on {_squares(used, best, shape)}; "
                f"the lowest, {worst:g}, on {_squares(used, worst, shape)}."
            )
    return sentences


def _squares(weights: Mapping[int, float], value: float, shape: BoardShape) -> str:
    names = [square_name(square, shape) for square, weight in weights.items() if weight == value]
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
