"""Labels: boards of games, and what searches and the ends of games say of each.

The tables play shallow games against themselves, one ply ahead and with slips. Every other board of
these is labelled by a search, because a player one ply ahead compares such boards. From one
position of each, after up to some random moves, a deep game goes on: some plies ahead, its end
played perfectly. Its boards get labels that mix the value of the search there with the end of the
game. `_native.fit_tables` then fits the tables to the labels by least squares; what earlier boards
said of an entry holds it where it is.
Sources: Buro, "Improving heuristic mini-max search by supervised learning" (2002); Veness et al.,
"Bootstrapping from game tree search" (2009).

Reasons: docs/design/learning.md.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan, nan

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena.schedule import Schedule, end_for_black, play_in_kernel
from evoply.expressions import number
from evoply.games import game_rules
from evoply.learning.pattern_config import PatternConfig
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.protocols import CERTAIN, Row

_GAMES_AT_ONCE = 2_000
_GAMES_TO_SCALE = 4_000
_ROUNDS = 12
"""Rounds of a fit; more of them change the errors by less than a thousandth."""
_USUAL_PLIES = 100
"""Where games of any length are possible, deep games begin before this ply."""

Array = NDArray[np.float64]
_Board = tuple[Row, float, float]
"""A position, the end of its game and its value."""


@dataclass(frozen=True, slots=True)
class Labelled:
    """Boards of games, and what they are worth to the side to move; in discs, or from -1 to 1."""

    rows: list[Row]
    ends: Array
    """The end of the deep game of each: the difference in discs (empty squares count for the
    winner), or 1, 0, -1; NaN for a board of a shallow game."""
    values: Array
    """The value that the search found; the end where it found none."""

    def mixed(self, mix: float) -> Array:
        """Return labels with the share *mix* of the end of the game, where there is one."""
        return np.where(np.isnan(self.ends), self.values, mix * self.ends + (1 - mix) * self.values)

    def of_deep_games(self) -> Labelled:
        """Return the boards of deep games alone."""
        kept = np.flatnonzero(~np.isnan(self.ends))
        rows = [self.rows[index] for index in kept.tolist()]
        return Labelled(rows, self.ends[kept], self.values[kept])


def labelled_boards(
    config: PatternConfig,
    program: _native.Program,
    *,
    games: int,
    stream: Stream,
    threads: int = 0,
) -> Labelled:
    """Return the labelled boards of *games* games of the tables in *program* with themselves.

    *threads*: 0 for all cores, which do not change the answer.
    """
    settings, boards = config.labels, list[_Board]()
    assert settings is not None, "the caller checks labels"
    search = search_of_tables(config, settings.depth, endgame=settings.endgame)
    native = search.with_program(config.game, program)
    for part, first in enumerate(range(0, games, _GAMES_AT_ONCE)):
        count, of_part = min(_GAMES_AT_ONCE, games - first), stream.child("part", part)
        shallow = _shallow_games(config, program, count, of_part.child("shallow"), threads)
        boards += _valued(config, native, shallow, of_part.child("values"), threads)
        opening = of_part.child("opening").below(settings.random_moves + 1)
        starts = _starts(config, shallow, of_part.child("plies"))
        boards += _deep_games(config, native, starts, opening, of_part, threads)
    return Labelled(
        [row for row, _, _ in boards],
        np.array([end for _, end, _ in boards]),
        np.array([value for _, _, value in boards]),
    )


def _shallow_games(
    config: PatternConfig, program: _native.Program, games: int, stream: Stream, threads: int
) -> list[list[Row]]:
    """Return the positions of *games* games one ply ahead and with slips, but the last of each."""
    assert config.labels is not None, "the caller checks labels"
    rules = game_rules(config.game)
    start = rules.start().row
    erring = search_of_tables(config, 1, epsilon=config.labels.epsilon)
    seats = np.zeros((games + 1) // 2, dtype=np.uint32)
    schedule = Schedule.pairs(seats, seats, stream=stream, opening_plies=0, start=start)
    native = erring.with_program(config.game, program)
    played = play_in_kernel(config.game, [native], schedule, threads=threads, record_moves=True)
    assert played.moves is not None  # they were recorded
    return [_native.rows_along(rules.kernel, start, codes)[:-1] for codes in played.moves[:games]]


def _valued(
    config: PatternConfig,
    native: _native.Player,
    games: Sequence[Sequence[Row]],
    stream: Stream,
    threads: int,
) -> Iterator[_Board]:
    """Yield every other position of each game with the value of a search, but no end."""
    rows = [row for number, game in enumerate(games) for row in game[number % 2 :: 2]]
    batch = _native.Positions(game_rules(config.game).kernel, rows)
    _, scores = batch.choose(native, stream.keys(len(rows)), threads=threads)
    for row, score in zip(rows, scores.tolist(), strict=True):
        # A forced move has no value, and that of a finished game is no number of discs.
        if abs(score) < CERTAIN:
            yield row, nan, _in_units(config, score)


def _starts(config: PatternConfig, games: Sequence[Sequence[Row]], draws: Stream) -> list[Row]:
    """Return a position of each game that is long enough: each ply is as likely."""
    longest = game_rules(config.game).length or _USUAL_PLIES
    plies = [draws.below(longest) for _ in games]
    return [game[ply] for game, ply in zip(games, plies, strict=True) if ply < len(game)]


def _deep_games(
    config: PatternConfig,
    native: _native.Player,
    starts: Sequence[Row],
    opening: int,
    stream: Stream,
    threads: int,
) -> Iterator[_Board]:
    """Yield the positions of a game from each of *starts* after its *opening*, ends and values."""
    count = len(starts)
    schedule = Schedule(
        black=np.zeros(count, dtype=np.uint32),
        white=np.zeros(count, dtype=np.uint32),
        opening_keys=stream.child("openings").keys(count),
        game_keys=stream.child("games").keys(count),
        opening_plies=opening,
        starts=tuple(starts),
        start_of=np.arange(count, dtype=np.uint32),
    )
    played = play_in_kernel(
        config.game, [native], schedule, threads=threads, record_moves=True, record_values=True
    )
    assert played.moves is not None  # they were recorded
    assert played.values is not None  # with the moves
    kernel = game_rules(config.game).kernel
    for game, (start, codes, scores) in enumerate(
        zip(starts, played.moves, played.values, strict=True)
    ):
        along = _native.rows_along(kernel, start, codes)
        end = end_for_black(played, game, config.game)
        found: list[_Board] = []
        worth = end
        # Backwards, because a forced move has the value of the position after it.
        for row, score in zip(along[-2::-1], scores[::-1], strict=True):
            sign = 1.0 if row[3] else -1.0
            if not isnan(score):
                is_known = abs(score) < CERTAIN
                worth = sign * _in_units(config, score) if is_known else end
            found.append((row, sign * end, sign * worth))
        yield from found[: len(found) - opening][::-1]


def _in_units(config: PatternConfig, score: float) -> float:
    return score if config.counts_discs else float(squashed(np.array(score)))


def in_discs(
    config: PatternConfig, program: _native.Program, *, games: int, stream: Stream, threads: int
) -> _native.Program:
    """Return tables that say who wins, turned to discs by the ends of at most *games* games."""
    few = min(games, _GAMES_TO_SCALE)
    boards = labelled_boards(config, program, games=few, stream=stream, threads=threads)
    return program.with_parameters(scaled_to_discs(config, program, boards.of_deep_games()))


def scaled_to_discs(config: PatternConfig, program: _native.Program, boards: Labelled) -> Array:
    """Return the entries of *program* times a factor for each stage, which fits the ends best."""
    batch = _native.Positions(game_rules(config.game).kernel, boards.rows)
    sums = program.evaluate(batch)[:, 0]
    pieces = np.array([(row[0] | row[1]).bit_count() for row in boards.rows])
    stage_of = np.searchsorted(np.array(config.stages), pieces, side="right")
    parameters = np.array(program.parameters)
    stage_of_entry = _stages_of_entries(config)
    for stage in range(len(config.stages) + 1):
        here = stage_of == stage
        squares = float(np.add.accumulate(sums[here] ** 2)[-1]) if here.any() else 0.0
        if squares > 0:
            products = float(np.add.accumulate(sums[here] * boards.ends[here])[-1])
            parameters[stage_of_entry == stage] *= max(products / squares, 0.0)
    return parameters


def _stages_of_entries(config: PatternConfig) -> NDArray[np.int64]:
    """Return the stage of each entry, in the order of parameters."""
    tables = len(config.stages) + 1
    parts = [np.repeat(np.arange(tables), entries) for entries in config.entries_of_tables()]
    return np.concatenate(parts)


@dataclass(frozen=True, slots=True)
class Fit:
    """What came of fitting tables to boards."""

    parameters: Array
    visits: Array
    """The boards that hold each entry: these, and what is remembered of earlier ones."""
    errors: Array
    """For each board its label less what the tables said before."""


def fitted(
    config: PatternConfig, program: _native.Program, boards: Labelled, visits: Array, threads: int
) -> Fit:
    """Return what comes of fitting to *boards*, when *visits* earlier boards had each entry."""
    settings = config.labels
    assert settings is not None, "the caller checks labels"
    remembered = settings.memory * visits
    found = _native.fit_tables(
        program,
        _native.Positions(game_rules(config.game).kernel, boards.rows),
        boards.mixed(settings.mix),
        pulls=settings.pull + remembered,
        rounds=_ROUNDS,
        squashes=not config.counts_discs,
        threads=threads,
    )
    return Fit(found["parameters"], remembered + found["visits"], found["errors"])


def search_of_tables(
    config: PatternConfig, depth: int, *, endgame: int = 0, epsilon: float = 0.0
) -> AlphaBeta:
    """Return the player that searches for the tables; its evaluator is a placeholder."""
    rules = game_rules(config.game)
    return AlphaBeta(
        evaluator=ExpressionEvaluator(expression=number(0.0).to_dict()),
        view="turn",
        ties="random",
        depth=depth,
        quiescence=rules.has_captures and depth > 1,
        endgame=endgame if rules.solver else 0,
        epsilon=epsilon,
    )


def squashed(values: Array) -> Array:
    """Return tanh of *values* as the kernel computes it: a fraction of exact operations."""
    square = values * values
    above = values * (135_135.0 + square * (17_325.0 + square * (378.0 + square)))
    below = 135_135.0 + square * (62_370.0 + square * (3_150.0 + square * 28.0))
    return np.clip(above / below, -1.0, 1.0)
