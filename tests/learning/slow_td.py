"""Learning by playing, slow and plain: the oracle of the kernel's loop.

Weights are lists of rows, a weight and then its time weights. Searches are plain minimax, and all
draws come from the keys that this module names. Only raw features come from the kernel, of its
slow interpreter.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from evoply._native import Positions, Program, Stream
from evoply.games import game_rules
from evoply.protocols import Color, Position, Row

Rows = list[list[float]]
WIN = 1e15
COLUMNS = (
    "starts", "points", "discs", "plies", "squared_errors", "updates", "clipped", "explored",
)  # fmt: skip


@dataclass(frozen=True)
class Board:
    """What a side thinks of a board: its features and the clock, or how the game has ended."""

    features: list[float] = field(default_factory=list)
    clock: float = 0.0
    outcome: float | None = None

    def value(self, weights: Rows) -> float:
        if self.outcome is not None:
            return self.outcome
        total = 0.0
        for row, feature in zip(weights, self.features, strict=True):
            total += row[0] * feature * factor(row, self.clock)
        return total

    def slopes(self, weights: Rows) -> Rows:
        if self.outcome is not None:
            return [[0.0] * len(row) for row in weights]
        u = 1.0 - 2.0 * self.clock
        slopes = []
        for row, feature in zip(weights, self.features, strict=True):
            slope, power = [feature * factor(row, self.clock)], 1.0
            for _ in row[1:]:
                power *= u
                slope.append(row[0] * feature * power)
            slopes.append(slope)
        return slopes

    def other_side(self) -> Board:
        return Board(
            [-feature for feature in self.features],
            self.clock,
            None if self.outcome is None else -self.outcome,
        )


def factor(row: Sequence[float], clock: float) -> float:
    """Return 2T + O_1 u + O_2 u^2 + ... with u = 1 - 2T."""
    total, power = 2.0 * clock, 1.0
    for time_weight in row[1:]:
        power *= 1.0 - 2.0 * clock
        total += time_weight * power
    return total


@dataclass
class SlowLearner:
    """The kernel's arguments by their names, but for the weights as rows and no threads."""

    game: str
    program: Program
    starts: Sequence[Row]
    weights: Rows
    scales: Sequence[float]
    key: int
    rates: Sequence[tuple[float, float]]
    rule: str
    clip: bool = True
    first_game: int = 0
    decay: float = 0.0
    learns: str = "both"
    opponent: Rows | None = None
    epsilon: float = 0.0
    depth: int = 1
    backed_up: bool = False
    outcome: str = "sign"
    batch: int = 1
    max_plies: int | None = None
    draws: tuple[int | None, int | None, int | None] = (None, None, None)
    adaptive: tuple[Rows, Rows] | None = None
    every: int = 1
    recorded: int | None = None

    def learn(self) -> dict[str, Any]:
        """Play a game for each row of the rates."""
        answer: dict[str, Any] = {"history": [], "failed": None}
        lessons: list[dict[str, Any]] = []
        for first in range(0, len(self.rates), self.batch):
            rates = self.rates[first : first + self.batch]
            played = [
                SlowGame(self, self.first_game + first + index, rate)
                for index, rate in enumerate(rates)
            ]
            for game in played:
                game.play()
            begun = copied(self.state)
            for game in played:
                if not game.is_lost:
                    before = copied(self.state)
                    if len(played) == 1:
                        self.state = game.state
                    else:
                        self.state = with_differences(self.state, game.state, begun)
                    if is_lost(self.weights):
                        self.state, game.is_lost = before, True
                        game.position_lost = game.lesson["plies"]
                if game.is_lost:
                    answer["failed"] = (game.number, game.position_lost)
                    break
                lessons.append(game.lesson)
                if len(lessons) % self.every == 0:
                    answer["history"].append(copied(self.state)[0])
            if answer["failed"]:
                break
        answer |= {"weights": self.weights, "adaptive": self.adaptive}
        answer["moves"] = next((one["moves"] for one in lessons if one["moves"]), None)
        names = [
            "starts",
            "points",
            "discs",
            "plies",
            "squared_errors",
            "updates",
            "clipped",
            "explored",
        ]
        return answer | {name: [lesson[name] for lesson in lessons] for name in names}

    @property
    def state(self) -> list[Rows]:
        return [self.weights, *(self.adaptive or ())]

    @state.setter
    def state(self, state: list[Rows]) -> None:
        self.weights = state[0]
        self.adaptive = (state[1], state[2]) if len(state) == 3 else None


class SlowGame:
    """One game."""

    def __init__(self, settings: SlowLearner, number: int, rates: tuple[float, float]) -> None:
        self.settings, self.number, self.rates = settings, number, rates
        self.state = copied(settings.state)
        self.key = Stream.from_key(settings.key).child(number)
        self.is_lost, self.position_lost = False, 0
        sides = {
            "both": (True, True), "black": (True, False), "white": (False, True),
            "alternate": (number % 2 == 0, number % 2 == 1),
        }[settings.learns]  # fmt: skip
        self.learns = dict(zip(Color, sides, strict=True))
        self.before: dict[Color, Board | None] = dict.fromkeys(Color)
        self.trace: dict[Color, Rows | None] = dict.fromkeys(Color)
        self.lesson: dict[str, Any] = dict.fromkeys(("clipped", "explored", "updates", "plies"), 0)
        self.lesson["squared_errors"] = 0.0
        self.lesson["moves"] = []

    @property
    def weights(self) -> Rows:
        return self.state[0]

    def play(self) -> None:
        settings = self.settings
        rules = game_rules(settings.game)
        place = self.key.child().below(len(settings.starts))
        position = rules.position_from_row(settings.starts[place])
        past, here = [position], Board()
        while position.legal_moves and not self.drawn(past):
            side, after_turn = position.turn, not position.legal_moves.must_pass
            index = 0
            if after_turn:
                own = self.learns[side] or settings.opponent is None
                index = self.turn(position, side, here, self.weights if own else settings.opponent)
                if self.is_lost:
                    self.position_lost = position.ply
                    return
            if self.number == settings.recorded:
                self.lesson["moves"].append(position.legal_moves[index].code(position.shape))
            position = position.play(position.legal_moves[index])
            past.append(position)
            self.lesson["plies"] += 1
            ((here, clipped),) = self.boards([position])
            self.lesson["clipped"] += clipped
            if after_turn and self.learns[side] and settings.rule != "td-leaf":
                self.before[side] = here.other_side()
        for side in Color:
            if self.learns[side]:
                self.arrive(side, Board(outcome=self.worth(position, side, self.drawn(past))))
        self.is_lost = self.is_lost or is_lost(self.weights)
        self.position_lost = position.ply
        black, white = position.pieces(Color.BLACK), position.pieces(Color.WHITE)
        decided = None if self.drawn(past) and position.legal_moves else position.outcome()
        points = 0.5 if decided is None else decided.points(Color.BLACK)
        self.lesson |= {"starts": place, "points": points, "discs": black - white}

    def turn(self, position: Position, side: Color, here: Board, weights: Rows | None) -> int:
        """Learn from what is known now, and return the number of the move."""
        settings, learns = self.settings, self.learns[side]
        searches = learns and (settings.backed_up or settings.rule == "td-leaf")
        if learns and not searches:
            self.arrive(side, here)
            if self.is_lost:
                return 0
        weights = self.weights if weights is None or self.learns[side] else weights
        key = self.key.child(0 if side == Color.BLACK else 1).child(position.ply)
        count, index = len(position.legal_moves), None
        explores = learns or settings.opponent is None
        if count == 1:
            index = 0
        elif explores and settings.epsilon > 0 and key.random() < settings.epsilon:
            index = key.below(count)
            self.lesson["explored"] += 1
        if index is None or searches:
            values, ends = self.searched(position, weights)
            equals = [i for i, value in enumerate(values) if value == max(values)]
            best = equals[key.below(len(equals))] if len(equals) > 1 else equals[0]
            if searches:
                self.arrive(side, ends[best])
            index = best if index is None else index
        return index

    def searched(self, position: Position, weights: Rows) -> tuple[list[float], list[Board]]:
        """Return the value of every move for its side, and the end of the best line after it."""
        settings, side = self.settings, position.turn
        children = [position.play(move) for move in position.legal_moves]
        if settings.depth > 1:
            found = [self.minimax(child, settings.depth - 1, weights) for child in children]
            values = [-value for value, _ in found]
            return values, [board.other_side() for _, board in found]
        boards = [board.other_side() for board, _ in self.boards(children)]
        for index, child in enumerate(children):
            if child.outcome() is not None:
                boards[index] = Board(outcome=self.worth(child, side, drawn=False))
        return [board.value(weights) for board in boards], boards

    def minimax(self, position: Position, depth: int, weights: Rows) -> tuple[float, Board]:
        """Return the value for the side to move and the end of the first best line."""
        outcome = position.outcome()
        if outcome is not None:
            value = {1.0: WIN, 0.5: 0.0, 0.0: -WIN}[outcome.points(position.turn)]
            return value, Board(outcome=self.worth(position, position.turn, drawn=False))
        if depth == 0:
            ((board, _),) = self.boards([position])
            return board.value(weights), board
        found = [
            self.minimax(position.play(move), depth - 1, weights) for move in position.legal_moves
        ]
        value, board = max(((-value, board) for value, board in found), key=lambda pair: pair[0])
        return value, board.other_side()

    def boards(self, positions: Sequence[Position]) -> list[tuple[Board, int]]:
        """Return what the side to move sees of each, and how many features were clipped."""
        settings = self.settings
        rows = [position.row for position in positions]
        raw = settings.program.evaluate(Positions(settings.game, rows), reference=True).tolist()
        found = []
        for position, values in zip(positions, raw, strict=True):
            scaled = [value / scale for value, scale in zip(values, settings.scales, strict=True)]
            clipped = sum(settings.clip and abs(feature) > 1.0 for feature in scaled)
            if settings.clip:
                scaled = [max(-1.0, min(1.0, feature)) for feature in scaled]
            found.append((Board(scaled, position.clock), clipped))
        return found

    def arrive(self, side: Color, now: Board) -> None:
        """Let a side that has its turn again, or whose game has ended, learn by the rule."""
        settings, before = self.settings, self.before[side]
        self.before[side] = now if settings.rule == "td-leaf" else None
        if before is None:
            return
        error = now.value(self.weights) - before.value(self.weights)
        direction = before.slopes(self.weights)
        if settings.rule != "td":
            trace = self.trace[side] or [[0.0] * len(row) for row in direction]
            direction = [
                [settings.decay * old + new for old, new in zip(*pair, strict=True)]
                for pair in zip(trace, direction, strict=True)
            ]
            self.trace[side] = direction
        self.lesson["updates"] += 1
        self.lesson["squared_errors"] += error * error
        for i, row in enumerate(direction):
            for j, slope in enumerate(row):
                rate, change = self.rates[min(j, 1)], error * slope
                if rate == 0:
                    continue
                if len(self.state) == 3:
                    sums, sizes = self.state[1][i], self.state[2][i]
                    rate *= abs(sums[j]) / sizes[j] if sizes[j] else 1.0
                    sums[j] += change
                    sizes[j] += abs(change)
                self.weights[i][j] += rate * change
                self.is_lost = self.is_lost or is_lost([[self.weights[i][j]]])

    def drawn(self, past: Sequence[Position]) -> bool:
        """Whether a rule that is not the board's ends the game, unless the board does."""
        settings = self.settings
        quiet, repetitions, most = settings.draws
        position, played = past[-1], len(past) - 1
        return bool(position.legal_moves) and (
            (settings.max_plies is not None and played >= settings.max_plies)
            or (quiet is not None and position.row[5] >= quiet)
            or (repetitions is not None and past.count(position) >= repetitions)
            or (most is not None and position.ply >= most)
        )

    def worth(self, position: Position, side: Color, drawn: bool) -> float:
        """Return what a finished game is worth for a side."""
        outcome = position.outcome()
        if drawn or outcome is None:
            return 0.0
        if self.settings.outcome == "discs":
            return (position.pieces(side) - position.pieces(side.opposite)) / position.shape.squares
        return 2.0 * outcome.points(side) - 1.0


def copied(state: Sequence[Rows]) -> list[Rows]:
    return [[list(row) for row in rows] for rows in state]


def with_differences(
    state: Sequence[Rows], learned: Sequence[Rows], begun: Sequence[Rows]
) -> list[Rows]:
    """Return the state with what *learned* has more than *begun*."""
    return [
        [
            [sum_ + (new - old) for sum_, new, old in zip(*rows, strict=True)]
            for rows in zip(*parts, strict=True)
        ]
        for parts in zip(state, learned, begun, strict=True)
    ]


def is_lost(weights: Rows) -> bool:
    return any(math.isnan(weight) or abs(weight) > 1e6 for row in weights for weight in row)
