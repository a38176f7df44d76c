"""Games looked at by one player, move by move: what each move was worth, and what it lost.

Values are the player's, for the side to move, every move searched apart. Where few squares are
empty in Othello they come from the solver instead: exact differences of discs under perfect play.
"""

import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from itertools import islice
from statistics import fmean
from typing import Any

from evoply._native import Stream
from evoply.arena.json_data import JsonData
from evoply.formats import UNKNOWN, GamePlayed
from evoply.games import game_rules
from evoply.games.draws import NO_DRAWS
from evoply.players import KernelSeat, Player, player_of
from evoply.players.endgame import solve
from evoply.players.kernel_seat import ALL_MOVES
from evoply.processes import core_count
from evoply.protocols import Clock, Color

EXACT_EMPTIES = 14
"""Empty squares from which moves are solved unless told otherwise: some hundredths of a second."""
CERTAIN = 1e14
"""Values of won and lost games are larger than this, values of boards are not."""
_TABLE_MIB = 16
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
    """What the move was worth to *color*."""
    best: str | None = None
    """A best move instead."""
    best_score: float | None = None
    line: tuple[str, ...] = ()
    """How the game would have gone on from here, the best move first."""
    exact: bool = False
    """Whether the solver says so, in discs; else the values are on the player's scale."""

    @property
    def loss(self) -> float | None:
        """What the move lost against the best one, 0 or more."""
        if self.score is None or self.best_score is None:
            return None
        return self.best_score - self.score

    @property
    def is_decisive(self) -> bool:
        """Whether the move gave a certain win or draw away."""
        return self.loss is not None and self.loss >= CERTAIN


@dataclass(frozen=True, slots=True)
class Accuracy:
    """How well somebody chose; choices are moves where there were others."""

    choices: int = 0
    best: int = 0
    """Choices that lost nothing."""
    exact: int = 0
    """Choices whose loss is known exactly, in discs."""
    exact_loss: float | None = None
    """Their mean loss in discs."""
    loss: float | None = None
    """The mean loss of the others on the player's scale; those that gave a certain win or draw
    away are only counted."""
    decisive: int = 0

    @property
    def share(self) -> float | None:
        """The share of choices that lost nothing, in [0, 1]; None without choices."""
        return self.best / self.choices if self.choices else None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        return {
            "choices": self.choices,
            "best": self.best,
            "accuracy": self.share,
            "exact": self.exact,
            "exact_loss": self.exact_loss,
            "loss": self.loss,
            "decisive": self.decisive,
        }


@dataclass(frozen=True, slots=True)
class AnalysedGame:
    """A game and what is known of its moves."""

    number: int
    """0 for the first game of the file."""
    source: GamePlayed
    moves: tuple[AnalysedMove, ...] = field(repr=False)

    def player(self, color: Color) -> str:
        """Return who played *color*: its name, or the color where nothing says it."""
        name = self.source.label(color)
        return str(color) if name == UNKNOWN else name

    def accuracy(self, color: Color) -> Accuracy:
        """Return how well a side chose."""
        return accuracy_of(move for move in self.moves if move.color is color)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as JSON-ready data."""
        source = self.source
        return {
            "number": self.number,
            "players": {color.value: self.player(color) for color in Color},
            "start": source.record.start.text(),
            "opening_plies": source.opening_plies,
            "result": source.in_words(),
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
    """Return one game with the values of its moves; None if it was stopped."""
    record = game.record
    name = record.position.game
    player.check_fits(name)
    seat = player.seat(name)
    try:
        if not isinstance(seat, KernelSeat):
            raise ValueError(_no_values(player))
        stream = Stream(seed, "analyse", number)
        texts = record.move_texts()
        own = dict.fromkeys(Color, 0)
        moves = []
        for ply, (position, move) in enumerate(zip(record.positions, record.moves, strict=False)):
            if stop.is_set():
                return None
            analysed = AnalysedMove(ply + 1, position.turn, texts[ply])
            if ply >= game.opening_plies and len(position.legal_moves) > 1:
                values, line, is_exact = _values(seat, position, stream, own, exact)
                if not values:
                    raise ValueError(_no_values(player))
                analysed = _judge(analysed, position, move, values, line, is_exact)
            if ply >= game.opening_plies:
                own[position.turn] += 1
            moves.append(analysed)
        return AnalysedGame(number, game, tuple(moves))
    finally:
        seat.close()


def _no_values(player: Player) -> str:
    return (
        f"{player.label:.60} does not say what moves are worth, it only chooses one: analyse games "
        "with a player that values boards, such as material:depth=4"
    )


def _values(
    seat: KernelSeat, position: Any, stream: Stream, own: Mapping[Color, int], exact: int | None
) -> tuple[Sequence[tuple[Any, float]], Sequence[Any], bool]:
    """Return every legal move with its value, best first, the best line, and if it is exact."""
    rules = game_rules(position.game)
    if exact is not None and rules.is_solvable(position, exact):
        solution = solve(position, every_move=True, table_mib=_TABLE_MIB)
        values = [(move, float(score)) for move, score in solution.moves]
        return values, solution.line, True
    at_move = stream.child(int(position.turn is Color.WHITE), position.ply)
    clock = Clock(moves=own[position.turn])
    choice = seat.analyse(rules.game(position, (), NO_DRAWS), at_move, clock, best=ALL_MOVES)
    return choice.moves, choice.line, "exact" in choice.notes


def _judge(
    analysed: AnalysedMove,
    position: Any,
    move: Any,
    values: Sequence[tuple[Any, float]],
    line: Sequence[Any],
    is_exact: bool,
) -> AnalysedMove:
    best, best_score = values[0]
    # A player that explores, or breaks ties at random, may have chosen another.
    game = game_rules(position.game).game(position, (), NO_DRAWS)
    for next_move in line if line and line[0] == best else (best,):
        game = game.play(next_move)
    texts = game.move_texts()
    return replace(
        analysed,
        score=dict(values)[move] + 0.0,  # no minus zero
        best=texts[0],
        best_score=best_score + 0.0,
        line=texts,
        exact=is_exact,
    )


def accuracy_of(moves: Iterable[AnalysedMove]) -> Accuracy:
    """Return how well the *moves* that were choices were chosen."""
    chosen = [move for move in moves if move.loss is not None]
    exact = [move.loss or 0.0 for move in chosen if move.exact]
    decisive = [move for move in chosen if move.is_decisive]
    others = [move.loss or 0.0 for move in chosen if not move.exact and not move.is_decisive]
    return Accuracy(
        choices=len(chosen),
        best=sum(move.loss == 0 for move in chosen),
        exact=len(exact),
        exact_loss=fmean(exact) if exact else None,
        loss=fmean(others) if others else None,
        decisive=len(decisive),
    )


def summaries(games: Sequence[AnalysedGame]) -> dict[str, Accuracy]:
    """Return how well each player chose over all *games*, by name, the most accurate first."""
    moves: dict[str, list[AnalysedMove]] = {}
    for game in games:
        for color in Color:
            own = moves.setdefault(game.player(color), [])
            own += [move for move in game.moves if move.color is color]
    accuracies = {name: accuracy_of(own) for name, own in moves.items()}
    return dict(sorted(accuracies.items(), key=lambda pair: -(pair[1].share or 0.0)))
