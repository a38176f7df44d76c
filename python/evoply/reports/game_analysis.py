"""Games looked at by one player, move by move: what each move was worth, and what it lost.

Worths are for the side to move, every move searched apart, in the unit of the player's `Scale`:
discs in Othello, points of a game elsewhere. Where few squares are empty in Othello they come from
the solver instead: exact differences of discs under perfect play. Moves that are mistakes get a
reason if the player is explained by what moves do on the board.
"""

from __future__ import annotations

import threading
from array import array
from collections.abc import Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean
from typing import Any

from evoply._native import Stream
from evoply.environment import core_count
from evoply.games import game_rules
from evoply.games.formats import UNKNOWN, GamePlayed
from evoply.games.position import NO_DRAWS
from evoply.players import Player, player_of
from evoply.protocols import CERTAIN, Color, GameRecord
from evoply.protocols.sections import NOTHING, JsonData, share
from evoply.reports.adviser import EXACT_EMPTIES, Adviser
from evoply.reports.causes import cause_of, gives_causes
from evoply.reports.scale import Grade, Scale

_WAITING = 4  # games read ahead for each thread


@dataclass(frozen=True, slots=True)
class AnalysedMove(JsonData):
    """One move of a game; moves that nobody chose (openings, the only legal one) have no value."""

    also = ("loss",)

    ply: int
    """1 for the first move of the game."""
    color: Color
    move: str
    score: float | None = None
    """What the move was worth to *color*, in the unit."""
    best: str | None = None
    """A best move instead."""
    best_score: float | None = None
    line: tuple[str, ...] = ()
    """How the game would have gone on from here, the best move first."""
    exact: bool = False
    """Whether these are the worths of perfect play."""
    depth: int = 0
    """Plies looked ahead."""
    grade: Grade = ""
    """"inaccuracy", "mistake" or "blunder", by `Scale.bounds`; "" for a good move."""
    reason: str = ""
    """Why the best move is better, for a move with a grade; "" where nothing says it."""
    played_line: tuple[str, ...] = ()
    """How the game would go on after a move with a reason."""

    @property
    def loss(self) -> float | None:
        """What the move lost against the best one, 0 or more."""
        if self.score is None or self.best_score is None:
            return None
        return self.best_score - self.score

    @property
    def is_decisive(self) -> bool:
        """Whether the move gave a certain win or draw away, where values have no unit."""
        return self.loss is not None and self.loss >= CERTAIN


@dataclass(frozen=True, slots=True)
class Accuracy(JsonData):
    """How well somebody chose; choices are moves where there were others."""

    also = ("share as accuracy",)

    choices: int = 0
    best: int = 0
    """Choices that lost nothing."""
    good: int = 0
    """Choices that lost less than an inaccuracy does."""
    loss: float | None = None
    """The mean loss of a choice, in the unit; those that gave a certain win or draw away where
    values have no unit are only counted."""
    exact: int = 0
    """Choices whose loss is known exactly."""
    decisive: int = 0

    @property
    def share(self) -> float | None:
        """The share of choices that lost nothing, in [0, 1]; None without choices."""
        return self.best / self.choices if self.choices else None

    @property
    def good_share(self) -> float | None:
        """The share of good moves; None without a choice."""
        return self.good / self.choices if self.choices else None


@dataclass(frozen=True, slots=True)
class AnalysedGame:
    """A game and what is known of its moves."""

    number: int
    """0 for the first game of the file."""
    source: GamePlayed
    moves: tuple[AnalysedMove, ...] = field(repr=False)
    scale: Scale = field(repr=False)
    """What worths mean."""

    def player(self, color: Color) -> str:
        """Return who played *color*: its name, or the color where nothing says it."""
        name = self.source.label(color)
        return str(color) if name == UNKNOWN else name

    def accuracy(self, color: Color) -> Accuracy:
        """Return how well a side chose."""
        return accuracy_of(self.moves_of(color))

    def moves_of(self, color: Color) -> Iterator[AnalysedMove]:
        """Yield the moves of a side."""
        return (move for move in self.moves if move.color is color)

    def best_moves(self, color: Color) -> str:
        """Return the share of a side's choices that lost nothing, for people."""
        found = self.accuracy(color).share
        return NOTHING if found is None else share(found)

    def in_short(self) -> tuple[str, ...]:
        """Return number, players, how well they chose, and the result, for people."""
        return (
            str(self.number),
            *map(self.player, Color),
            *map(self.best_moves, Color),
            self.source.in_words(),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        source = self.source
        return {
            "number": self.number,
            "players": {color.value: self.player(color) for color in Color},
            "start": source.record.start.text(),
            "opening_plies": source.opening_plies,
            "result": source.in_words(),
            "unit": self.scale.unit,
            "accuracy": {color.value: self.accuracy(color).to_dict() for color in Color},
            "moves": [move.to_dict() for move in self.moves],
        }


def analyse_games(
    player: object,
    games: Iterable[GamePlayed],
    *,
    exact: int | None = EXACT_EMPTIES,
    seed: int = 1,
    threads: int = 0,
    stop: threading.Event | None = None,
) -> Iterator[AnalysedGame]:
    """Yield *games* as *player* sees them, in order, whatever the number of *threads*.

    From *exact* empty squares on moves of Othello are solved; None solves none. *threads* is 0 for
    all cores. When *stop* is set nothing more is begun, and games that are not done are left out.
    Raises `ValueError` for a player that does not value moves, or that does not play the game.
    """
    judge = player_of(player)
    stop = stop or threading.Event()
    numbered = enumerate(games)
    workers = threads or core_count()
    with ThreadPoolExecutor(workers) as pool:
        waiting: dict[int, Future[AnalysedGame | None]] = {}
        number = 0
        try:
            while True:
                for index, game in islice(numbered, workers * _WAITING - len(waiting)):
                    waiting[index] = pool.submit(_analyse, judge, index, game, exact, seed, stop)
                if not waiting:
                    return
                # In short waits, so that Ctrl-C is heard.
                wait([waiting[number]], timeout=0.1, return_when=FIRST_COMPLETED)
                while number in waiting and waiting[number].done():
                    analysed = waiting.pop(number).result()
                    number += 1
                    if analysed is None:
                        return
                    yield analysed
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


def _analyse(
    player: Player,
    number: int,
    game: GamePlayed,
    exact: int | None,
    seed: int,
    stop: threading.Event,
) -> AnalysedGame | None:
    """Return one game with the worths of its moves; None if it was stopped."""
    record = game.record
    moves = []
    stream = Stream(seed, "analyse", number)
    with Adviser(record.position.game, player, stream=stream) as adviser:
        for ply in range(len(record)):
            if stop.is_set():
                return None
            moves.append(analysed_move(adviser, record, ply, game.opening_plies, exact=exact))
        return AnalysedGame(number, game, tuple(moves), adviser.scale)


def analysed_move(
    adviser: Adviser,
    record: GameRecord,
    ply: int,
    opening_plies: int = 0,
    *,
    exact: int | None,
    depth: int | None = None,
    forced: bool = False,
) -> AnalysedMove:
    """Return the move of *record* after *ply* plies, with its worth if it was a choice.

    Moves before *opening_plies* were drawn, so nobody chose them. *exact* and *depth* are those of
    `Adviser.values`. With *forced* the only legal move has a worth, too.
    """
    position, move = record.positions[ply], record.moves[ply]
    texts = game_rules(position.game).game(position, (), NO_DRAWS).play(move).move_texts()
    analysed = AnalysedMove(ply + 1, position.turn, texts[0])
    if ply < opening_plies or (len(position.legal_moves) < 2 and not forced):
        return analysed
    advice = adviser.values(record.first(ply), depth=depth, exact=exact, forced=forced)
    best, best_score = advice.moves[0]
    score = dict(advice.moves)[move]
    # A player that explores, or breaks ties at random, may have chosen another.
    line = game_rules(position.game).game(position, (), NO_DRAWS)
    for next_move in advice.line if advice.line[:1] == (best,) else (best,):
        line = line.play(next_move)
    best_texts = line.move_texts()
    grade = adviser.scale.grade(best_score - score)
    cause = None
    if grade and gives_causes(adviser):
        cause = cause_of(
            adviser, record.first(ply), advice, best, move, is_tested=True, first="worse"
        )
    return replace(
        analysed,
        score=score,
        best=best_texts[0],
        best_score=best_score,
        line=best_texts,
        exact=advice.is_exact,
        depth=advice.depth,
        grade=grade,
        reason="" if cause is None else cause.text,
        played_line=() if cause is None else cause.worse_line,
    )


def accuracy_of(moves: Iterable[AnalysedMove]) -> Accuracy:
    """Return how well the *moves* that were choices were chosen."""
    choices = _Choices()
    choices.add(moves)
    return choices.accuracy


@dataclass(slots=True)
class _Choices:
    """Choices, counted one after another."""

    losses: array[float] = field(default_factory=lambda: array("d"))
    """Those of choices that are not decisive: their mean is that of all at once."""
    best: int = 0
    good: int = 0
    exact: int = 0
    decisive: int = 0

    def add(self, moves: Iterable[AnalysedMove]) -> None:
        """Count those of *moves* that were choices."""
        for move in moves:
            if move.loss is None:
                continue
            self.best += move.loss == 0
            self.good += not move.grade
            self.exact += move.exact
            if move.is_decisive:
                self.decisive += 1
            else:
                self.losses.append(move.loss)

    @property
    def accuracy(self) -> Accuracy:
        """How well they were chosen."""
        return Accuracy(
            choices=len(self.losses) + self.decisive,
            best=self.best,
            good=self.good,
            loss=fmean(self.losses) if self.losses else None,
            exact=self.exact,
            decisive=self.decisive,
        )


MOST_WHOLE, MOST_IN_SHORT = 8, 1000
"""Games of which a page shows all, and of further ones a line."""
MOST_MISTAKES = 10
"""Mistakes that a terminal shows."""


@dataclass(slots=True)
class Analysis:
    """What is said of analysed games, of which only the first are kept whole: there may be many."""

    whole: list[AnalysedGame] = field(default_factory=list)
    in_short: list[tuple[str, ...]] = field(default_factory=list)
    """Further games, as `AnalysedGame.in_short` has them."""
    largest: list[tuple[AnalysedGame, AnalysedMove]] = field(default_factory=list)
    """The largest mistakes, the largest first."""
    games: int = 0
    moves: int = 0
    mistakes: int = 0
    is_exact: bool = False
    """Whether some worths are exact."""
    names: set[str] = field(default_factory=set)
    """The games by name."""
    _choices: dict[str, _Choices] = field(default_factory=dict)

    @classmethod
    def of(cls, games: Iterable[AnalysedGame]) -> Analysis:
        """Return what is said of *games*."""
        seen = cls()
        for game in games:
            seen.add(game)
        return seen

    def add(self, game: AnalysedGame) -> None:
        """Take one game more."""
        if len(self.whole) < MOST_WHOLE:
            self.whole.append(game)
        elif len(self.in_short) < MOST_IN_SHORT:
            self.in_short.append(game.in_short())
        mistakes = [(game, move) for move in game.moves if move.loss]
        self.largest = sorted([*self.largest, *mistakes], key=lambda pair: -(pair[1].loss or 0.0))[
            :MOST_MISTAKES
        ]
        self.games += 1
        self.moves += len(game.moves)
        self.mistakes += len(mistakes)
        self.is_exact |= any(move.exact for move in game.moves)
        self.names.add(game.source.record.position.game)
        for color in Color:
            self._choices.setdefault(game.player(color), _Choices()).add(game.moves_of(color))

    @property
    def scale(self) -> Scale | None:
        """What worths mean; None without a game."""
        return self.whole[0].scale if self.whole else None

    @property
    def players(self) -> dict[str, Accuracy]:
        """How well each player chose, by name, the most accurate first."""
        found = {name: choices.accuracy for name, choices in self._choices.items()}
        return dict(sorted(found.items(), key=lambda pair: -(pair[1].share or 0.0)))
