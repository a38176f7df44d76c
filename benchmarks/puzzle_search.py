"""Finds puzzles in games of evoply with itself: positions whose best move is clear and missed.

A position is a puzzle if all of this holds:

* There are at least four legal moves.
* Its best move is better than the second by six discs, or by one piece where a game is not counted
  in pieces at its end. Discs are what the tables of `strong` expect 12 plies ahead, or exact near
  the end. Pieces are counted 12 plies ahead with all captures played out; kings count like men, the
  count holds at the end of both lines, and the tables, 12 plies ahead, prefer the same move.
* It is worth 0 or more, the second best at most 20 discs or two pieces. Where moves are solved,
  the second best loses.
* The tables one ply ahead prefer another move: it takes some looking ahead.
* The lowest level of `strong` that wins more than half its games against `greedy` finds it in at
  most two fifths of its draws.
* No other puzzle is the same up to symmetry, or of the same game.

Games whose rules are data have no tables. There the best move wins by force and no other does, or
it holds and all others lose by force: a search that sees certain ends proves it, and what is not
proved does not happen within its plies. Level N is `material:depth=N`.

Cheap questions are asked first. Everything depends on the seed only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from puzzle_themes import with_theme

from evoply._native import Stream
from evoply.arena import match
from evoply.games import game_rules
from evoply.games.data import DataGameRules
from evoply.games.position import NO_DRAWS
from evoply.learning.choices import boards_met
from evoply.players import PlayerKind, Searcher, model_of
from evoply.players.endgame import solve
from evoply.players.grammar import parse_player
from evoply.players.searcher import asked, record_of
from evoply.players.strong import LEVEL_NAMES, USUAL_LEVEL, Strong
from evoply.protocols import CERTAIN, GameRecord, Position
from evoply.reports.puzzle_book import WIN, Puzzle, Unit, same_up_to_symmetry

DEPTH = 12
LEAST_MOVES = 4
LEAST_GAP = {"discs": 6.0, "pieces": 1.0, "results": 1.0}
MOST_FOUND = 0.4
DRAWS = 200
EXACT_EMPTIES = 16
"""Empty squares from which moves are solved."""
_LEAST_EMPTIES = 8
"""With fewer a person can count everything."""
_STAGES: dict[Unit, tuple[tuple[int, int, float], ...]] = {
    "discs": ((30, 37, 0.1), (38, 47, 0.4), (48, 56, 1.0)),
    "pieces": ((18, 24, 0.35), (12, 17, 0.7), (5, 11, 1.0)),
}
"""The parts of a game in their order: the fewest and the most pieces on the board, and the share
of the puzzles that are found by its end; fewer if the games have no more. Early positions take
longest."""
_AHEAD = {"discs": 20.0, "pieces": 2.0}
"""Who is ahead by more even with the second best move learns little from the best one."""
_MARGINS: dict[Unit, dict[int, float]] = {"discs": {4: -1.0, 8: 3.0}, "pieces": {}}
"""How much more than asked is asked of shallower searches, by their depth: deep ones take long, and
find smaller gaps."""
_MOST_NODES = 700_000
"""A position whose shallower search takes more would take minutes 12 plies ahead."""
_GAMES = 2000
_PLAYS: dict[Unit, int] = {"discs": 5, "pieces": 5, "results": 2}
"""The level that plays the games: it errs often enough for the other side to gain."""
_MATCH = 400
LEVELS: dict[Unit, int] = {"discs": USUAL_LEVEL - 1, "pieces": USUAL_LEVEL - 1, "results": 4}
"""The weak levels are those up to this one."""


class Proof(NamedTuple):
    """How a game from rules is looked at."""

    plies: int
    """Plies that are looked ahead."""
    decided: int
    """The plies in which what is proved happens at most."""
    least: int
    """Pieces on the board, at least and at most."""
    most: int


PROOFS = {
    "breakthrough": Proof(7, 5, 8, 26),
    "connect-four": Proof(24, 24, 18, 32),
    "gomoku-9": Proof(5, 5, 10, 40),
}
_SHORT = 0.5
"""At most this share of the puzzles of a game from rules are wins in so few plies."""
_LAST = 12
"""Plies before the end of a game from rules in which something is decided."""
_LEAST_WIN = 3
"""Plies to a win: one in one ply is seen by everybody."""
_HELD = 4
"""Plies that are shown of a line that nobody wins."""


@dataclass(frozen=True, slots=True)
class BestTwo:
    """The best two moves at a position, with their values and lines."""

    best: Any
    value: float
    second: Any
    second_value: float
    line: tuple[Any, ...] = ()
    second_line: tuple[Any, ...] = ()
    depth: int = DEPTH
    is_exact: bool = False
    nodes: int = 0

    @property
    def gap(self) -> float:
        """How much better the best one is."""
        return self.value - self.second_value


class Judge:
    """Says what the best two moves of positions of a game are worth, in its unit."""

    def __init__(self, game: str) -> None:
        self.game, self.rules, self.unit = game, game_rules(game), unit_of(game)
        self._tables = Searcher("strong:depth=1", game=game, table=20)
        if self.unit == "discs":
            self._counts = self._tables
            self._quick = Searcher("strong:depth=1,selective=1.5", game=game, table=20)
        else:
            self._counts = Searcher("material:depth=1,quiescence=yes", game=game, table=20)
            self._quick = self._counts
        """How a game goes on after the second best move may be a little wrong."""

    def close(self) -> None:
        """End its searches."""
        for searcher in (self._tables, self._counts, self._quick):
            searcher.close()

    def can_solve(self, position: Position) -> bool:
        """Return whether the moves at *position* are solved."""
        return self.rules.is_solvable(position, EXACT_EMPTIES)

    def at(self, position: Position, depth: int) -> BestTwo:
        """Return the best two moves, looking *depth* plies ahead, with the line of the best."""
        return self._ask(self._counts, position, depth)

    def preferred(self, position: Position, depth: int) -> Any:
        """Return the move that the tables prefer, looking *depth* plies ahead."""
        return self._ask(self._tables, position, depth).best

    def solved(self, position: Position) -> BestTwo:
        """Return the best two moves under perfect play, with their lines."""
        solution = solve(position, every_move=True)
        (best, value), (second, second_value) = solution.moves[:2]
        lines = [(move, *solve(position.play(move)).line) for move in (best, second)]
        return BestTwo(best, value, second, second_value, lines[0], lines[1], len(lines[0]), True)

    def whole(self, position: Position, answer: BestTwo) -> BestTwo | None:
        """Return *answer* with its lines; None if they do not show what it says.

        In pieces a line goes on until the count is the value.
        """
        lines = [answer.line, self._line(position, answer.second, answer.depth)]
        if self.unit == "pieces":
            told = (answer.value, answer.second_value)
            for number, value in enumerate(told):
                line = self._until(position, lines[number], value)
                if line is None:
                    return None
                lines[number] = line
        return replace(answer, line=lines[0], second_line=lines[1])

    def _ask(self, searcher: Searcher, position: Position, depth: int) -> BestTwo:
        choice = searcher.think(position, depth=depth, multi=2)
        (best, value), (second, second_value) = (
            (move, self._worth(value)) for move, value in choice.moves
        )
        line = choice.line if choice.line[:1] == (best,) else self._line(position, best, depth)
        return BestTwo(best, value, second, second_value, line, depth=depth, nodes=choice.nodes)

    def _worth(self, value: float) -> float:
        if self.unit == "pieces" and abs(value) >= CERTAIN:
            return WIN if value > 0 else -WIN
        return min(max(value, -float(self.rules.shape.squares)), float(self.rules.shape.squares))

    def _line(self, position: Position, move: Any, depth: int) -> tuple[Any, ...]:
        """Return *move* and how the game goes on, about *depth* plies in all."""
        record: GameRecord = self.rules.game(position, (), NO_DRAWS).play(move)
        while record.outcome() is None and len(record) < depth:
            if len(record.position.legal_moves) == 1:
                record = record.play(record.position.legal_moves[0])
                continue
            choice = self._quick.think(record.position, depth=depth - len(record))
            for next_move in choice.line:
                record = record.play(next_move)
            break
        return record.moves

    def _until(
        self, position: Position, line: tuple[Any, ...], value: float
    ) -> tuple[Any, ...] | None:
        """Return *line*, with pending captures played out, as far as it needs to show *value*."""
        record: GameRecord = self.rules.game(position, (), NO_DRAWS)
        for move in line:
            record = record.play(move)
        while record.outcome() is None and self._has_capture(record.position):
            record = record.play(self._counts.think(record.position, depth=1).move)
        if abs(value) >= WIN:
            outcome = record.outcome()
            wins = outcome is not None and outcome.winner is not None
            return record.moves if wins else None
        counts = [self._lead(board, position) for board in record.positions]
        if counts[-1] != value:
            return None
        # What comes after the last capture shows nothing.
        needed = next(
            index for index in range(len(counts)) if all(count == value for count in counts[index:])
        )
        return record.moves[:needed] if needed > 1 else record.moves

    def _has_capture(self, position: Position) -> bool:
        pieces = position.row[0] | position.row[1]
        after = position.play(position.legal_moves[0])
        return (after.row[0] | after.row[1]).bit_count() < pieces.bit_count()

    def _lead(self, position: Position, first: Position) -> int:
        return position.pieces(first.turn) - position.pieces(first.turn.opposite)


class Prover:
    """Says which move of a game from rules wins by force, or holds, if it is the only one."""

    unit: Unit = "results"

    def __init__(self, game: str) -> None:
        self.rules, self.proof = game_rules(game), PROOFS[game]
        self._searcher = Searcher("material:depth=1", game=game, table=20)

    def close(self) -> None:
        """End its searches."""
        self._searcher.close()

    def at(self, position: Position) -> BestTwo | None:
        """Return the only move that wins, or that holds, with the next best; None without one.

        Of moves that lose the next best is that which loses last; of others one that the best line
        makes later, if there is one.
        """
        self._searcher.forget()
        left = self.rules.moves_left(position)
        plies = self.proof.plies if left is None else min(left, self.proof.plies)
        sees_end = plies == left
        decided = 0
        for depth in sorted({*range(1, plies, 2), 2, plies}):
            if not decided and depth > self.proof.decided:
                return None
            moves = self._searcher.think(position, depth=depth, multi=2).moves
            (best, value), (second, second_value) = ((one, _result(worth)) for one, worth in moves)
            if value < 0 or second_value > 0:
                return None
            if not decided and value > second_value:
                decided = depth
        if decided < _LEAST_WIN:
            return None
        line = self._line(position, best, plies if sees_end or value else _HELD)
        if second_value < 0:
            second = self._longest(position, best, plies)
        else:
            tempting = (move for move in line[2::2] if move in position.legal_moves)
            second = next((one for one in tempting if self._is_open(position, one, plies)), second)
        second_plies = plies if sees_end or second_value else _HELD
        second_line = self._line(position, second, second_plies)
        is_exact = sees_end or bool(value and second_value)
        return BestTwo(best, value, second, second_value, line, second_line, plies, is_exact)

    def _is_open(self, position: Position, move: Any, plies: int) -> bool:
        """Return whether nobody wins after *move*."""
        moves = self._searcher.think(position.play(move), depth=plies - 1, multi=1).moves
        return not _result(moves[0][1])

    def _longest(self, position: Position, best: Any, plies: int) -> Any:
        """Return the move beside *best* that loses last, of equal ones one of its line."""
        lasting: list[Any] = []
        for depth in range(1, plies + 1):
            moves = self._searcher.think(position, depth=depth, every_move=True).moves
            holding = [move for move, worth in moves if move != best and _result(worth) >= 0]
            if not holding:
                break
            lasting = holding
        line = self._line(position, lasting[0], plies)
        return next((move for move in line[1:] if move in lasting), lasting[0])

    def _line(self, position: Position, move: Any, plies: int) -> tuple[Any, ...]:
        """Return *move* and how the game goes on: who wins is quick, who loses holds out."""
        record: GameRecord = self.rules.game(position, (), NO_DRAWS).play(move)
        while record.outcome() is None and len(record) < plies:
            record = record.play(self._next(record.position, plies - len(record)))
        return record.moves

    def _next(self, position: Position, plies: int) -> Any:
        self._searcher.forget()
        longest = None
        for depth in range(1, plies + 1):
            choice = self._searcher.think(position, depth=depth, multi=1)
            result = _result(choice.moves[0][1])
            if result >= 0:
                longest = choice.move
            elif depth <= 2:
                longest = self._obstacle(position) or longest or choice.move
            if result:
                break
        return longest

    def _obstacle(self, position: Position) -> Any:
        """Return a move to where the other side would win at once; None if there is none."""
        row = (*position.row[:3], not position.row[3], *position.row[4:])
        other = self.rules.position_from_row(row)
        for move in other.legal_moves:
            if move in position.legal_moves and other.play(move).outcome() is not None:
                return move
        return None


def _result(value: float) -> float:
    """Return 1 for a certain win, -1 for a loss, 0 for what is not decided."""
    return math.copysign(1.0, value) if abs(value) >= CERTAIN else 0.0


class Drawer:
    """A level whose draws at a position are counted."""

    def __init__(self, game: str, level: int, seed: int) -> None:
        self.level, self._seed = level, seed
        self._seat = player_at(game, level).seat(game)

    def found(self, position: Position, best: Any, draws: int = DRAWS) -> int:
        """Return how many of *draws* moves are *best*."""
        record = record_of(position)
        stream = Stream(self._seed, "draws")
        return sum(
            asked(self._seat, record, stream.child(number)).move == best for number in range(draws)
        )


def unit_of(game: str) -> Unit:
    """Return what moves of *game* are worth in puzzles."""
    rules = game_rules(game)
    if isinstance(rules, DataGameRules):
        return "results"
    return "discs" if rules.solver else "pieces"


def player_at(game: str, level: int) -> PlayerKind:
    """Return the player that is *level* in *game*."""
    if unit_of(game) == "results":
        return model_of(parse_player(f"material:depth={level},ties=random", game=game))
    return Strong(game=game, level=level)


def level_beyond_greedy(game: str, seed: int = 1) -> tuple[int, float]:
    """Return the lowest level that wins over half its games against `greedy`.

    Also return its share of games won.
    """
    for level in range(1, len(LEVEL_NAMES) + 1):
        player = player_at(game, level)
        won = match(player, "greedy", game=game, games=_MATCH, seed=seed).wins
        if won > _MATCH / 2:
            return level, won / _MATCH
    raise ValueError(f"game: no level beats greedy in {game}")


class PuzzleSearch:
    """A search for puzzles in the games of one seed."""

    def __init__(self, game: str, seed: int) -> None:
        self.game, self.seed = game, seed
        self.rules = game_rules(game)
        self.level, self.share = level_beyond_greedy(game)
        self.judge = Judge(game) if unit_of(game) != "results" else Prover(game)
        levels = range(1, LEVELS[self.judge.unit] + 1)
        self._drawers = [Drawer(game, level, seed) for level in levels]
        self.counts: dict[str, int] = {}
        """How many positions each question left, by its name."""

    def puzzles(
        self, count: int, told: Callable[[Puzzle], object] | None = None
    ) -> tuple[Puzzle, ...]:
        """Return *count* puzzles, spread over the parts of a game, the easiest first.

        *told* hears of each as it is found. They are fewer if the games have no more.
        """
        found: list[Puzzle] = []
        seen: set[tuple[int, int, int]] = set()
        used: set[int] = set()
        for least, most, share in _stages(self.game):
            wanted = round(share * count) - len(found)
            if wanted < 1:
                continue
            for game, position, source in self._candidates(least, most, used):
                puzzle = self._puzzle(position, source)
                same = same_up_to_symmetry(position)
                if puzzle is None or same in seen or self._is_common(puzzle, found, count):
                    continue
                seen.add(same)
                used.add(game)
                found.append(replace(puzzle, number=len(found) + 1))
                if told is not None:
                    told(found[-1])
                wanted -= 1
                if not wanted:
                    break
        return in_order(found)

    def _is_common(self, puzzle: Puzzle, found: list[Puzzle], count: int) -> bool:
        """Return whether enough puzzles are as short as this one."""
        short = [one for one in (*found, puzzle) if len(one.line) <= _LEAST_WIN]
        return puzzle.unit == "results" and puzzle in short and len(short) > _SHORT * count

    def _candidates(
        self, least: int, most: int, used: set[int]
    ) -> Iterator[tuple[int, Position, str]]:
        """Yield positions with *least* to *most* pieces in a random order."""
        player = player_at(self.game, _PLAYS[self.judge.unit])
        met = boards_met(
            [player], self.game, games=_GAMES, seed=self.seed,
            random_moves=0.0, opening_plies=self.rules.opening_plies,
        )  # fmt: skip
        found = list(zip(met.rows, met.games.tolist(), strict=True))
        ends = {game: row[4] for row, game in found}
        first = _LAST if self.judge.unit == "results" else math.inf
        fitting = [
            (row, game)
            for row, game in found
            if least <= (row[0] | row[1]).bit_count() <= most and ends[game] - row[4] <= first
        ]
        order = np.argsort(Stream(self.seed, "order").keys(len(fitting)), kind="stable")
        for row, game in (fitting[index] for index in order.tolist()):
            if game in used:
                continue
            # As it is read again, so that nothing but the board counts.
            text = self.rules.position_from_row(row).text()
            yield game, self.rules.parse(text), f"seed {self.seed}, game {game + 1}, ply {row[4]}"

    def _puzzle(self, position: Position, source: str) -> Puzzle | None:
        answer = self._answer(position)
        if answer is None:
            return None
        drawn = [drawer.found(position, answer.best) for drawer in self._drawers]
        found = drawn[self.level - 1]
        if found > MOST_FOUND * DRAWS:
            return None
        self._count("missed by the level")
        solver = next((level for level, times in enumerate(drawn, 1) if 2 * times > DRAWS), None)
        record: GameRecord = self.rules.game(position, (), NO_DRAWS)
        board: Any = position
        puzzle = Puzzle(
            game=self.game, number=0, position=position.text(),
            best=board.short_text(answer.best), value=_rounded(answer.value),
            second=board.short_text(answer.second), second_value=_rounded(answer.second_value),
            line=_texts(record, answer.line), second_line=_texts(record, answer.second_line),
            unit=self.judge.unit, depth=answer.depth, is_exact=answer.is_exact, level=self.level,
            found=found, draws=DRAWS, solved_by=solver, source=source, theme="", cause="",
        )  # fmt: skip
        return with_theme(puzzle)

    def _answer(self, position: Position) -> BestTwo | None:
        """Return the best two moves if they are as far from each other as asked, else None."""
        if len(position.legal_moves) < LEAST_MOVES:
            return None
        self._count("at least four moves")
        if isinstance(self.judge, Prover):
            proved = self.judge.at(position)
            if proved is not None:
                self._count("proved")
            return proved
        judge, least = self.judge, LEAST_GAP[self.judge.unit]
        if judge.can_solve(position):
            left = self.rules.moves_left(position)
            if left is not None and left < _LEAST_EMPTIES:
                return None
            answer = judge.solved(position)
            is_clear = answer.gap >= least and judge.preferred(position, 1) != answer.best
            # Only one move holds what there is.
            return answer if is_clear and answer.value >= 0 > answer.second_value else None
        obvious = judge.preferred(position, 1)
        for depth in (4, 8, DEPTH):
            answer = judge.at(position, depth)
            if answer.gap < least + _MARGINS[self.judge.unit].get(depth, 0.0):
                return None
            if depth < DEPTH and answer.nodes > _MOST_NODES:
                return None
            if answer.best == obvious or not self._is_open(answer):
                return None
            self._count(f"clear {depth} plies ahead")
        is_same = self.judge.unit == "discs" or judge.preferred(position, DEPTH) == answer.best
        return judge.whole(position, answer) if is_same else None

    def _is_open(self, answer: BestTwo) -> bool:
        most = _AHEAD[self.judge.unit]
        return answer.value >= 0 and answer.second_value <= most

    def _count(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1


def find_puzzles(
    game: str, count: int, seed: int, told: Callable[[Puzzle], object] | None = None
) -> tuple[Puzzle, ...]:
    """Return *count* puzzles of *game*, as `PuzzleSearch.puzzles` does."""
    return PuzzleSearch(game, seed).puzzles(count, told)


def in_order(found: Iterable[Puzzle]) -> tuple[Puzzle, ...]:
    """Return puzzles with new numbers: by stars, and then what is found most often first."""
    ordered = sorted(found, key=lambda one: (one.stars, -one.found, one.position))
    return tuple(replace(puzzle, number=number) for number, puzzle in enumerate(ordered, 1))


def _stages(game: str) -> tuple[tuple[int, int, float], ...]:
    if game in PROOFS:
        return ((PROOFS[game].least, PROOFS[game].most, 1.0),)
    return _STAGES[unit_of(game)]


def _texts(record: GameRecord, line: tuple[Any, ...]) -> tuple[str, ...]:
    for move in line:
        record = record.play(move)
    return record.move_texts()


def _rounded(value: float) -> float:
    """Return *value* as it is written: tables are in thousandths of a disc."""
    return round(value, 3) + 0.0
