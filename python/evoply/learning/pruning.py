"""Pruning: what a player can do without, found by games against the whole player.

A term is left out if the player is shown to stay within a point of the whole one (`equivalence`):
in games against the whole player itself, and against other opponents. What seems to cost least in a
few games is tried first, on fresh openings. In the end numbers are rounded by the same rule.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena import PreparedPlayer, StoppedWithResultError, play_against, prepared
from evoply.arena.conditions import MOST_GAMES
from evoply.arena.schedule import checked_whole
from evoply.expressions import Number
from evoply.expressions.written_form import FormulaNames, formula, in_order
from evoply.gp.algebra import simplify
from evoply.learning.equivalence import (
    LOOKS,
    AgainstWhole,
    Differences,
    is_hopeless,
    is_shown,
    played_against_whole,
    seat_with,
)
from evoply.learning.staged_sums import LARGEST_WEIGHTS, Factors, StagedSum
from evoply.players import ExpressionEvaluator, PlayerKind, ValuingPlayer, model_of
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown, item_of, share

Array = NDArray[np.float64]
MOST_TERMS = 200
"""The most terms of a player that is pruned: with more every one of them is worth too little."""
USUAL_GAMES = 200_000
_COARSE_PAIRS = 300
"""Of each change, to find the cheapest."""
_GAMES_OF_A_PAIR = 20
"""A test has a pair for so many of all games."""
FEWEST_GAMES = 2500
"""With fewer no change can be shown to cost less than a point, not even one that does nothing."""
_SEARCH = 0.7
"""The share of all games that finds what can be left out; the others test the result."""
_PAIRS_OF_A_TERM = 1000


# The result.


@dataclass(frozen=True, slots=True)
class PrunedTerm(JsonData):
    """A term of the pruned player, and what it is worth."""

    name: str
    weights: tuple[float, ...]
    """Its weight in each stage of the game."""
    lost: float | None = None
    """Points a game that the pruned player loses against itself without the term; None: not
    measured, because pruning was stopped."""
    low: float | None = None
    """The interval of 95 % of *lost*."""
    high: float | None = None


@dataclass(frozen=True, slots=True)
class LeftOut(JsonData):
    """A change that was taken, and the points a game that it cost with all those before it."""

    name: str
    lost: float
    """Against the whole player, in the games by which it was chosen."""


@dataclass(frozen=True, slots=True)
class Compared(JsonData):
    """The whole and the pruned player against an opponent, on the same fresh openings."""

    opponent: str
    whole: float
    """Points a game of the whole player."""
    pruned: float
    low: float
    """The interval of 95 % of the difference."""
    high: float


@dataclass(frozen=True, slots=True)
class Pruned(JsonData, Shown):
    """A player without what it can do without."""

    whole: str
    game: str
    within: float
    """The points a game that leaving out may cost in all."""
    terms: tuple[PrunedTerm, ...]
    """What is left, the most important first."""
    left_out: tuple[LeftOut, ...]
    """What was changed, in this order."""
    stages: tuple[str, ...]
    """When each stage is, as heads of columns."""
    formula: str
    """The value of boards of the pruned player."""
    player: ValuingPlayer = field(metadata={"json": ""})
    """The pruned player: the whole one if nothing was left out."""
    compared: tuple[Compared, ...]
    """The whole player itself first; empty if nothing was left out, or it was not tested."""
    games: int
    """All games that were played."""
    seed: int

    def __str__(self) -> str:
        texts = (
            f"{'/'.join(f'{weight:+g}' for weight in term.weights)} {term.name}"
            for term in self.terms
        )
        return f"{', '.join(texts)}: {self.summary}"

    @property
    def summary(self) -> str:
        """What was left out and what it cost, in a line."""
        count = _counted(len(self.terms), "term")
        if not self.left_out:
            return f"{count}, and no change is shown to be free in {self.games:,} games"
        changes = ", ".join(each.name for each in self.left_out)
        if not self.is_tested:
            return f"{count}, without {changes}; stopped: not tested on fresh openings"
        return f"{count}, without {changes}, {share(self.compared[0].pruned)} against the whole"

    @property
    def is_tested(self) -> bool:
        """Whether fresh openings confirmed what was left out; not if pruning was stopped before."""
        return bool(self.compared) or not self.left_out

    def shown(self) -> Page:
        """Return the terms with their weights and worth, what was left out, and the strength."""
        return Page(
            f"{self.whole}, pruned",
            [
                terms_section(self.stages, self.terms),
                Section("Left out", _LEFT_OUT, self.left_out),
                Section("Strength", _COMPARED, self.compared),
            ],
        )


def terms_section(stages: Sequence[str], terms: Sequence[Any]) -> Section:
    """Return the table of the *terms* of a pruned player, or of their data, in its *stages*."""
    columns = (
        Column("name", "term", str),
        *(
            Column("weights", stage, "{:+g}".format, read=item_of("weights", place))
            for place, stage in enumerate(stages)
        ),
        *(Column(name, head, _points) for name, head in _WORTH),
    )
    return Section("", columns, terms)


def _points(points: float) -> str:
    return f"{round(100 * points, 1) + 0.0:.1f}"  # without the sign of 0


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'s' * (count != 1)}"


_WORTH = (("lost", "points lost without"), ("low", "at least"), ("high", "at most"))
_LEFT_OUT = (Column("name", "left out", str), Column("lost", "points lost so far", _points))
_COMPARED = (
    Column("opponent", "against", str, look="code"),
    Column("whole", "whole", share),
    Column("pruned", "pruned", share),
    Column("low", "difference at least", _points),
    Column("high", "at most", _points),
)


# The search.


def prune(
    player: object,
    *,
    within: float = 0.01,
    most: int | None = None,
    against: Sequence[object] | None = None,
    game: str = "othello",
    games: int = USUAL_GAMES,
    seed: int = 1,
    runs: Callable[[str], Player] | None = None,
    threads: int = 0,
    progress: Callable[[float, int], object] | None = None,
) -> Pruned:
    """Return *player* without the terms that it can do without, and with rounder numbers.

    *player* is a text, a tree, or a player as data that values boards. Its value is simplified and
    taken apart into terms. Each change must be shown to cost at most *within* points a game, from 0
    to 0.5, against the whole player, and against each of *against* (players of any form; by default
    `material`, one ply deeper than the player), where whole and pruned player meet the same
    openings. All of it takes about *games* games at most; with few nothing can be shown, so nothing
    is left out. A player of more than *most* terms loses those that cost least, whatever they cost,
    until so many are left: what that costs is measured, and nothing is rounded. *progress* gets the
    share that is done and the games so far.
    *runs* gives the champion for `champion@RUN`; `evoply.prune` looks among your runs. The result
    does not depend on *threads* (0: all cores). Ctrl-C raises `StoppedWithResultError` with what
    was left out by then. Raises `NoTermsError`, a `ValueError`, for players whose value of boards
    is no sum of terms.

    >>> text = "( + ( * 2.1 white_corners ) ( * 4.2 white_mobility ) ):primitives=othello-access"
    >>> pruned = prune(text, games=10_000, against=["random"])
    >>> pruned.formula, [change.name for change in pruned.left_out]
    ('white_corners + 2 * white_mobility', ['whole numbers up to 10'])
    """
    return _Pruning(
        player, within, most, against, game, games, seed, runs, threads, progress
    ).result()


class NoTermsError(ValueError):
    """A player whose value of boards is not a sum of terms."""


class _SpentError(Exception):
    """There are no games left for more tests."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A way to make a sum shorter."""

    key: tuple[Any, ...]
    """The same for the same change to another sum."""
    name: str
    after: StagedSum


class _Pruning:
    """The work of `prune`, step by step, with what it has by now."""

    def __init__(
        self,
        player: object,
        within: float,
        most: int | None,
        against: Sequence[object] | None,
        game: str,
        games: int,
        seed: int,
        runs: Callable[[str], Player] | None,
        threads: int,
        progress: Callable[[float, int], object] | None,
    ) -> None:
        if not 0 < within <= 0.5:
            raise ValueError(f"within: {within} is no number of points above 0, up to 0.5")
        if most is not None and not 1 <= most <= MOST_TERMS:
            raise ValueError(f"most: {most} is no number of terms from 1 to {MOST_TERMS}")
        self.most = MOST_TERMS if most is None else most
        self.model = model_of(read_player_of(player, game, runs))
        self.whole, self.names, self.sum = _taken_apart(self.model, game)
        self.whole.check_fits(game)
        if against is None:
            against = [f"material:depth={self.whole.plies_ahead + 1}"]
        rivals = [model_of(read_player_of(rival, game, runs)) for rival in against]
        self.name = self.model.label if self.model.name is None else self.model.name
        self.labels = [self.name, *(rival.label for rival in rivals)]
        self.opponents = prepared([self.whole, *rivals], game)
        self.game, self.within, self.seed, self.threads = game, within, seed, threads
        self.games = checked_whole("games", games, MOST_GAMES)
        self.pairs = max(2, games // _GAMES_OF_A_PAIR)
        self.progress = progress or (lambda *_: None)
        self.played = 0
        self.steps = 0
        self.left_out: list[LeftOut] = []
        self.before: list[StagedSum] = []
        """The sum before each change."""

    def result(self) -> Pruned:
        """Return the pruned player, measured on fresh openings."""
        compared: tuple[Compared, ...] = ()
        is_longer = len(self.sum.weights) > self.most
        if self.games < FEWEST_GAMES and not is_longer:
            return self.made((), {})
        try:
            if is_longer:
                self.shorten()
                compared = self.compared(self.results())
            else:
                with suppress(_SpentError):
                    self.search()
                self.tell(0.9)
                compared = self.proved()
            return self.made(compared, self.worth())
        except KeyboardInterrupt:
            raise StoppedWithResultError(self.made(compared, {})) from None

    def search(self) -> None:
        """Take what passes until nothing more does; or raise `_SpentError`."""
        self.leave_out(0.0, 0.4, self.terms)
        self.leave_out(0.4, 0.5, self.stages)
        self.leave_out(0.5, 0.7, self.terms_of_stages)
        self.leave_out(0.7, 0.8, self.opposites)
        self.round()

    def shorten(self) -> None:
        """Leave out the terms that cost least, whatever that is, until `most` are left."""
        rivals = range(len(self.opponents))
        counts = range(self.most + 1, len(self.sum.weights) + 1)
        seats = sum(counts) * len(rivals)
        pairs = max(1, min(_COARSE_PAIRS, round(_SEARCH * self.games / (2 * seats))))
        for done in range(len(counts)):
            self.tell(done / len(counts))
            self.steps += 1
            changes = list(self.terms())
            sums = [change.after for change in changes]
            found = [self.differences(sums, rival, pairs, "shorter") for rival in rivals]
            gains = [sum(each.mean for each in one) for one in zip(*found, strict=True)]
            best = max(range(len(gains)), key=gains.__getitem__)
            self.before.append(self.sum)
            self.sum = sums[best]
            self.left_out.append(LeftOut(changes[best].name, -found[0][best].mean))

    # What can be left out.

    def terms(self) -> Iterator[_Change]:
        for part in self.sum.weights:
            yield _Change((part,), part.text, self.sum.without([part]))

    def opposites(self) -> Iterator[_Change]:
        for pair in self.sum.opposites():
            name = " and ".join(part.text for part in pair)
            yield _Change(pair, name, self.sum.without(pair))

    def stages(self) -> Iterator[_Change]:
        for stage, condition in enumerate(self.sum.conditions):
            for kept in (stage, stage + 1):
                name = f"stage {stage + 1} as one with stage {stage + 2}"
                yield _Change((condition, kept == stage), name, self.sum.merged(stage, kept))

    def terms_of_stages(self) -> Iterator[_Change]:
        if not self.sum.conditions:
            return
        for part, row in self.sum.weights.items():
            for stage, weight in enumerate(row):
                if weight:
                    name = f"{part.text} in stage {stage + 1}"
                    yield _Change((part, stage), name, self.sum.without([part], stage))

    def leave_out(self, begin: float, end: float, changes: Callable[[], Iterator[_Change]]) -> None:
        """Take the cheapest of *changes*, again and again, while one passes.

        What did not pass once is needed from then on: without others it is needed all the more.
        """
        needed: set[tuple[Any, ...]] = set()
        self.tell(begin)
        while True:
            open_ = [change for change in changes() if change.key not in needed]
            open_ = [change for change in open_ if change.after.weights]
            if not open_:
                return
            total = len(open_) + len(needed)
            self.tell(begin + (end - begin) * len(needed) / total)
            if not self.take_first(self.ranked(open_, needed), needed):
                return

    def ranked(self, changes: Sequence[_Change], needed: set[tuple[Any, ...]]) -> list[_Change]:
        """Return *changes*, the one first that surely costs least; add those without hope."""
        self.steps += 1
        sums = [change.after for change in changes]
        found = self.differences(sums, 0, min(_COARSE_PAIRS, self.pairs), "coarse")
        needed |= {
            change.key
            for change, each in zip(changes, found, strict=True)
            if is_hopeless(each, self.within, self.pairs)
        }
        least = {
            change.key: each.mean - each.error()
            for change, each in zip(changes, found, strict=True)
        }
        ranked = [change for change in changes if change.key not in needed]
        return sorted(ranked, key=lambda change: -least[change.key])

    def take_first(self, changes: Sequence[_Change], needed: set[tuple[Any, ...]]) -> bool:
        """Take the first of *changes* that passes; return whether there is one."""
        for change in changes:
            if self.take(change.name, change.after):
                return True
            needed.add(change.key)
        return False

    def round(self) -> None:
        """Take the roundest numbers that pass."""
        if self.sum.rounded() == self.sum or not self.sum.weights:
            return
        tried: list[StagedSum] = []
        for largest in LARGEST_WEIGHTS:
            rounded = self.sum.rounded(largest)
            if rounded not in tried and self.take(f"whole numbers up to {largest}", rounded):
                return
            tried.append(rounded)

    # Tests.

    def take(self, name: str, after: StagedSum) -> bool:
        """Take a change if it passes against every opponent; return whether it does."""
        self.steps += 1
        lost = 0.0
        for opponent in range(len(self.opponents)):
            found = self.tested(after, opponent)
            if found is None:
                return False
            if not opponent:
                lost = 0.0 - found.mean
        self.before.append(self.sum)
        self.sum = after
        self.left_out.append(LeftOut(name, lost))
        return True

    def tested(self, after: StagedSum, opponent: int) -> Differences | None:
        """Return what shows that a change passes against an opponent; None if nothing does."""
        found: Differences | None = None
        for look in range(LOOKS):
            done = 0 if found is None else len(found.values)
            pairs = self.pairs * 2**look // 2 ** (LOOKS - 1) - done
            (more,) = self.differences([after], opponent, pairs, "test", look)
            found = more if found is None else found + more
            if is_shown(found, self.within):
                return found
            if is_hopeless(found, self.within, self.pairs):
                break
        return None

    def differences(
        self, sums: Sequence[StagedSum], opponent: int, pairs: int, *purpose: str | int
    ) -> list[Differences]:
        """Return the differences of each of *sums* against one opponent; 0 is the whole player."""
        seats: list[PreparedPlayer]
        seats = [seat_with(self.whole, each.value, self.game) for each in sums]
        stream = Stream(self.seed, "pruning", self.steps).child(opponent, *purpose)
        rival = self.opponents[opponent]
        if opponent:
            # In one call with the others, so that all meet the same openings.
            seats.insert(0, self.opponents[0])
        size = 2 * pairs * len(seats)
        if purpose[0] in ("coarse", "test") and self.played + size > _SEARCH * self.games:
            raise _SpentError
        played = play_against(
            self.game, seats, [rival], stream=stream, pairs=pairs, threads=self.threads
        )
        self.played += size
        points = played.points.reshape(-1, pairs, 2).mean(axis=2)
        hashes = played.results.hashes.reshape(-1, pairs, 2)
        if not opponent:  # between equals a pair brings a half
            usual = np.full(pairs, 0.5)
            return [Differences(a - usual, usual, b) for a, b in zip(points, hashes, strict=True)]
        usual, others = points[0], hashes[0]
        return [
            Differences(a - usual, usual, np.concatenate([b, others], axis=1))
            for a, b in zip(points[1:], hashes[1:], strict=True)
        ]

    def tell(self, done: float) -> None:
        """Report progress."""
        self.progress(done, self.played)

    # The result.

    @property
    def pruned(self) -> ValuingPlayer:
        """The player by now."""
        if not self.left_out:
            return self.whole
        return self.whole.with_evaluator(ExpressionEvaluator.of(self.sum.value, self.names))

    def proved(self) -> tuple[Compared, ...]:
        """Take back the last changes until the rest passes on openings by which none was chosen.

        Return the strength of both players there.
        """
        while self.left_out:
            found = self.results()
            if all(is_shown(each, self.within, looks=1) for each in found):
                return self.compared(found)
            self.left_out.pop()
            self.sum = self.before.pop()
        return ()

    def results(self) -> list[Differences]:
        """Return the differences against each opponent, on openings by which nothing was chosen."""
        self.steps += 1
        return [
            self.differences([self.sum], opponent, self.pairs // (1 + bool(opponent)), "result")[0]
            for opponent in range(len(self.opponents))
        ]

    def compared(self, found: Sequence[Differences]) -> tuple[Compared, ...]:
        """Return the strength of both players, as *found* has it."""
        return tuple(
            Compared(label, mean, mean + each.mean, *each.interval)
            for label, each in zip(self.labels, found, strict=True)
            for mean in [float(each.usual.mean())]
        )

    def worth(self) -> dict[Factors, AgainstWhole]:
        """Return how the pruned player plays against itself without each term."""
        parts = list(self.sum.weights)
        games = 2 * min(_PAIRS_OF_A_TERM, self.games // (20 * len(parts)))
        if not games:
            return {}
        played = played_against_whole(
            self.pruned,
            [self.sum.without([part]).value for part in parts],
            game=self.game,
            games=games,
            seed=self.seed,
            threads=self.threads,
        )
        self.played += games * len(parts)
        return dict(zip(parts, played, strict=True))

    def written(self) -> str:
        """Return the shortest formula of the player by now."""
        value = self.pruned.evaluator.value
        simple = simplify(value, self.names, alike=self.whole.alike(self.game))
        texts = [formula(value, self.names), *([] if simple.exceptions else [simple.formula])]
        return min(texts, key=len)

    def made(self, compared: tuple[Compared, ...], worth: dict[Factors, AgainstWhole]) -> Pruned:
        """Return the result by now."""
        self.tell(1.0)
        terms = []
        for part, weights in self.sum.weights.items():
            played = worth.get(part)
            lost = () if played is None else (played.points, played.high, played.low)
            terms.append(PrunedTerm(part.text, weights, *(0.5 - points for points in lost)))
        terms.sort(key=lambda term: (-(term.lost or 0.0), -max(map(abs, term.weights))))
        last = len(self.sum.conditions)
        written = [formula(each, self.names) for each in self.sum.conditions]
        return Pruned(
            whole=self.name,
            game=self.game,
            within=self.within,
            terms=tuple(terms),
            left_out=tuple(self.left_out),
            stages=(*(f"while {text}" for text in written), "then") if last else ("weight",),
            formula=self.written(),
            player=self.pruned,
            compared=compared,
            games=self.played,
            seed=self.seed,
        )


def _taken_apart(model: PlayerKind, game: str) -> tuple[ValuingPlayer, FormulaNames, StagedSum]:
    """Return the player by whose values *model* moves, its names and its terms."""
    whole = model.valuing()
    if whole is None:
        raise NoTermsError(f"{model.label}: this player has no values of boards to prune")
    if whole.draws_leaves:
        raise NoTermsError(f"{whole.label}: leaves are worth chance values: prune a player without")
    expression = whole.evaluator.value
    if not isinstance(expression, Number):
        raise NoTermsError(f"{whole.label}: only a value that is a number has terms to prune")
    if any(node.op == "pattern" for node in in_order([expression])):
        raise NoTermsError(
            f"{model.name or whole.label}: it values boards by tables, which have no terms to leave"
            " out - distil it first, and prune the formula"
        )
    names = whole.evaluator.names_in(game)
    simple = simplify(expression, names, alike=whole.alike(game))
    terms = StagedSum.of(expression if simple.exceptions else simple.expression, names)
    if len(terms.weights) > MOST_TERMS:
        raise NoTermsError(
            f"{whole.label}: {len(terms.weights):,} terms, and at most {MOST_TERMS} are pruned by "
            "games: distil it first"
        )
    return whole, names, terms
