"""Labels: boards with what searches say of each; tables fitted to them, and packed in files.

The tables play shallow games against themselves, one ply ahead and with slips. Every other board of
these is labelled by a search, because a player one ply ahead compares such boards. From one
position of each, after up to some random moves, a deep game goes on: some plies ahead, its end
played perfectly. Its boards get labels that mix the value of the search there with the end of the
game. In checkers boards with a capture due get none: searches follow captures and never value them.
`_native.fit_tables` then fits the tables to the labels by least squares; what earlier boards
said of an entry holds it where it is.
Sources: Buro, "Improving heuristic mini-max search by supervised learning" (2002); Veness et al.,
"Bootstrapping from game tree search" (2009).

Reasons: docs/design/learning.md, docs/design/players.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import inf, isnan, nan
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena.schedule import Schedule, end_for_black, play_in_kernel
from evoply.expressions import OTHELLO_PATTERNS, number, program_with_parameters
from evoply.expressions.arithmetic_sets import must_be_taken
from evoply.games import game_rules
from evoply.learning.configs import PATTERN_LEARNER, PatternConfig, load_pattern_config
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.players.packed import Cut, Foretelling, PackedPattern, PackedTables, rounded
from evoply.protocols import CERTAIN, Position, Row
from evoply.runs.presets import PRESETS

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
    asked = _ask_the_tables(config, rows)
    rows = [row for row, is_asked in zip(rows, asked, strict=True) if is_asked]
    batch = _native.Positions(game_rules(config.game).kernel, rows)
    _, scores = batch.choose(native, stream.keys(len(rows)), threads=threads)
    for row, score in zip(rows, scores.tolist(), strict=True):
        # A forced move has no value (NaN), and that of a finished game is no number of discs.
        if abs(score) < (CERTAIN if config.counts_discs else inf):
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
        found = found[: len(found) - opening][::-1]
        asked = _ask_the_tables(config, [row for row, *_ in found])
        yield from (board for board, is_asked in zip(found, asked, strict=True) if is_asked)


def _ask_the_tables(config: PatternConfig, rows: Sequence[Row]) -> list[bool]:
    """Return for each board whether a search values it by the tables, or follows captures there."""
    assert config.labels is not None, "the caller checks labels"
    rules = game_rules(config.game)
    search = search_of_tables(config, config.labels.depth)
    if not (search.quiescence and rules.has_kings):
        return [True] * len(rows)
    caught = _captures(config.game).evaluate(_native.Positions(rules.kernel, rows))[:, 0]
    return [number == 0.0 for number in caught.tolist()]


@lru_cache(maxsize=2)
def _captures(game: str) -> _native.Program:
    """Return what counts the pieces that the side to move could capture first."""
    return program_with_parameters(must_be_taken("opponent"), game)


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
    return Fit(
        np.array(program.parameters) + found["moves"], remembered + found["visits"], found["errors"]
    )


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


# The fit of a selective search: how well shallow searches foretell the values of deep ones.
#
# Positions come from games of the evaluator against itself, one ply ahead with some random moves.
# Each is searched to every depth, exactly; deep values are then regressed on shallow ones, for
# every pair of depths and stage. Source: Buro (1997), see `evoply.players.packed`.

PAIRS: Mapping[int, int] = MappingProxyType(
    {3: 1, 4: 2, 5: 1, 6: 2, 7: 3, 8: 4, 9: 3, 10: 4, 11: 5, 12: 4}
)
"""Depths, and the shallow ones that foretell them: an even number of plies less, because the side
that moves last matters to a value."""

_AT_ONCE = 32
"""Positions that are searched side by side, on all cores."""
_RANDOM_MOVES = 0.1
_OPENING = (4, 12)
_MOST_PLIES = 200
"""Most plies of a game from which positions are taken: where pieces move, it need not end."""


@dataclass(frozen=True)
class ValuesByDepth:
    """The values of positions by depth, for the side to move."""

    pieces: NDArray[np.int64]
    """Number of pieces on the board of each position."""
    values: Mapping[int, NDArray[np.float64]]
    """One value a position for each depth."""


def measured_values(
    player: AlphaBeta,
    program: _native.Program,
    game: str,
    *,
    stages: Sequence[int],
    positions: int,
    depth: int,
    seed: int,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> ValuesByDepth:
    """Return the values of *positions* positions of every stage at the depths of `PAIRS`.

    No depth is greater than *depth*. *player* decides how leaves are seen; *program* is its lowered
    evaluator. *progress* gets the number of searched positions, and that of all.
    """
    stream = Stream(seed, "fitting")
    chosen = _positions(player, program, game, stages, positions, stream)
    depths = sorted({ply for deep, low in PAIRS.items() if deep <= depth for ply in (deep, low)})
    searches = [_searcher(player, program, game, depth) for depth in depths]
    values: dict[int, list[float]] = {depth: [] for depth in depths}
    for first in range(0, len(chosen), _AT_ONCE):
        rows = [position.row for position in chosen[first : first + _AT_ONCE]]
        batch = _native.Positions(game_rules(game).kernel, rows)
        keys = np.full(len(rows), stream.key, dtype=np.uint64)
        for plies, search in zip(depths, searches, strict=True):
            _, scores = batch.choose(search, keys, threads=0)
            values[plies] += scores.tolist()
        progress(first + len(rows), len(chosen))
    pieces = np.array([_pieces(position) for position in chosen], dtype=np.int64)
    return ValuesByDepth(pieces, {plies: np.array(column) for plies, column in values.items()})


def fitted_cuts(measured: ValuesByDepth, game: str, stages: Sequence[int]) -> tuple[Cut, ...]:
    """Return how shallow values foretell deep ones in each stage, by least squares.

    A depth is left out if a stage has fewer than three positions from which neither search
    reaches the end of the game, or if deep values do not rise with shallow ones.
    """
    rules = game_rules(game)
    # A search of all moves that are left ends the game.
    left = [rules.moves_left(int(pieces)) for pieces in measured.pieces]
    longest = np.array([np.inf if moves is None else moves for moves in left])
    stage_of = np.searchsorted(np.array(stages), measured.pieces, side="right")
    cuts = []
    for deep, shallow in PAIRS.items():
        if deep not in measured.values:
            continue
        x, y = measured.values[shallow], measured.values[deep]
        is_open = (np.abs(x) < CERTAIN) & (np.abs(y) < CERTAIN)
        is_open &= deep < longest
        lines: list[Foretelling] = []
        for stage in range(len(stages) + 1):
            here = is_open & (stage_of == stage)
            line = _line(x[here], y[here])
            if line is None and lines:
                # No search of this depth ends within such a stage, so its line is never used.
                line = lines[-1]
            if line is not None:
                lines.append(line)
        if len(lines) == len(stages) + 1:
            cuts.append(Cut(depth=deep, shallow=shallow, lines=tuple(lines)))
    return tuple(cuts)


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> Foretelling | None:
    if len(x) < 3 or np.ptp(x) == 0:
        return None
    centred = x - x.mean()
    slope = float(centred @ (y - y.mean()) / (centred @ centred))
    offset = float(y.mean() - slope * x.mean())
    sigma = float(np.sqrt(np.sum((y - slope * x - offset) ** 2) / (len(x) - 2)))
    # Rounded, so that a file does not depend on how a library adds.
    line = (round(slope, 4), round(offset, 4), round(sigma, 4))
    return line if line[0] > 0 else None


def _searcher(player: AlphaBeta, program: _native.Program, game: str, depth: int) -> _native.Player:
    exact = {"selective": None, "temperature": None, "endgame": 0, "epsilon": 0.0}
    table = 16 if depth > 4 else 0
    return player.model_copy(
        update={**exact, "depth": depth, "table": table, "ties": "first"}
    ).with_program(game, program)


def _positions(
    player: AlphaBeta,
    program: _native.Program,
    game: str,
    stages: Sequence[int],
    wanted: int,
    stream: Stream,
) -> list[Position]:
    """Return *wanted* positions of every stage, in the order of games and plies.

    A stage that games hardly reach has fewer.
    """
    mover = player.model_copy(update={"depth": 1, "epsilon": _RANDOM_MOVES, "selective": None})
    native, rules = mover.with_program(game, program), game_rules(game)
    of_stage: list[list[Position]] = [[] for _ in range(len(stages) + 1)]
    for tried in range(50 * max(wanted, 1)):
        if all(len(stage) >= wanted for stage in of_stage):
            break
        key = stream.child(tried)
        opening = _native.Positions.random(rules.kernel, 1, key.child(0).key, *_OPENING)
        position = rules.position_from_row(opening[0])
        in_game: list[list[Position]] = [[] for _ in of_stage]
        while position.outcome() is None and position.row[4] < _MOST_PLIES:
            stage = int(np.searchsorted(np.array(stages), _pieces(position), side="right"))
            if len(position.legal_moves) > 1:
                in_game[stage].append(position)
            code = _native.analyse(native, *position.row, key.key)[0]
            position = position.play(rules.move_from_code(code))
        # One of each stage, because positions of a game are alike.
        for positions, candidates in zip(of_stage, in_game, strict=True):
            if candidates and len(positions) < wanted:
                positions.append(candidates[key.child(1).below(len(candidates))])
    return [position for stage in of_stage for position in stage]


def _pieces(position: Position) -> int:
    black, white, *_ = position.row
    return (black | white).bit_count()


# Packing of learned tables into the file that ships: rounded, with cuts and their origin.

DEEPEST = max(PAIRS)
POSITIONS = 60
DEPTH = 8


def pack(
    config: PatternConfig,
    parameters: NDArray[np.float64],
    *,
    about: dict[str, Any] | None = None,
    positions: int = POSITIONS,
    depth: int = DEPTH,
    seed: int = 1,
    progress: Callable[[int, int], object] = lambda done, of: None,
) -> PackedTables:
    """Return the tables of *parameters*, learned as *config* says, as a file holds them.

    Cuts are fitted to *positions* positions of every stage, searched to at most *depth* plies.
    *about* holds further facts about the origin of the tables for the file.
    """
    rules = game_rules(config.game)
    if not 1 <= positions <= 100_000:
        raise ValueError(f"positions: {positions:,} is not from 1 to 100,000")
    if not 1 <= depth <= DEEPEST:
        raise ValueError(f"depth: {depth} is not from 1 to {DEEPEST}")
    tables = PackedTables(
        game=config.game,
        made={
            "version": _native.__version__,
            "commands": _commands(config, positions, depth, seed),
            **(about or {}),
            "fitting": {"positions": positions, "depth": depth, "seed": seed},
            "config": config.model_dump(mode="json"),
        },
        patterns=tuple(
            PackedPattern(
                squares=OTHELLO_PATTERNS.get(pattern.squares, pattern.squares),
                symmetries=rules.symmetries if pattern.symmetries is None else pattern.symmetries,
            )
            for pattern in config.patterns
        ),
        stages=config.stages,
        mixed=config.mixed,
        cuts=(),
        entries=rounded(parameters),
        unit="discs" if config.labels is not None and config.counts_discs else "wins",
    )
    # The fit is to the rounded tables, which ship.
    measured = measured_values(
        search_of_tables(config, depth + 1),
        tables.program,
        config.game,
        stages=config.stages,
        positions=positions,
        depth=depth,
        seed=seed,
        progress=progress,
    )
    cuts = fitted_cuts(measured, config.game, config.stages)
    return PackedTables(**{**tables.model_dump(), "cuts": cuts})


def _commands(config: PatternConfig, positions: int, depth: int, seed: int) -> list[str]:
    """Return the commands that make the file again, with the preset if one has this config."""
    presets = [name for name, preset in PRESETS.items() if preset.learner == PATTERN_LEARNER]
    known = {name: load_pattern_config(name) for name in presets}
    source = next((name for name, preset in known.items() if preset == config), None)
    if source is None:
        other = (
            f"{name} --game {config.game}"
            for name, preset in known.items()
            if preset.model_copy(update={"game": config.game}) == config
        )
        source = next(other, "CONFIG")
    return [
        f"evoply learn {source} --name RUN",
        f"evoply pack RUN FILE --positions {positions} --depth {depth} --seed {seed}",
    ]
