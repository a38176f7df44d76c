"""The adviser of a game, which says what moves are worth.

Each game has one (`GameRules.adviser`), or whom a person chooses. Near the end of Othello the
solver answers instead, exactly.

Reasons: docs/design/page.md.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from time import monotonic
from typing import Any

from evoply import _native
from evoply._native import Stream
from evoply.configs.own_code import carried
from evoply.games import SHAPES, game_rules
from evoply.games.position import NO_DRAWS
from evoply.players import KernelSeat, Player, PlayerKind, Searcher, model_of, player_of
from evoply.players.endgame import solve
from evoply.players.grammar import Runs, parse_player, read_player_of
from evoply.players.kernel_seat import ALL_MOVES
from evoply.players.searcher import move_stream, own_plies, record_of
from evoply.protocols import Choice, Clock, Color, GameRecord, Position
from evoply.reports.scale import Scale, scale_of

EXACT_EMPTIES = 16
"""Empty squares from which the moves of Othello are solved unless told otherwise."""
_TABLE_MIB = 16
_DEEPEST = 20
"""Plies that a search with a limit in seconds looks ahead at most."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What all moves at a position are worth to the side to move, in the unit of *scale*."""

    player: str
    scale: Scale
    color: Color
    moves: tuple[tuple[Any, float], ...]
    """Every legal move with its worth, best first; a forced move has none."""
    raw: tuple[tuple[Any, float], ...]
    """The same on the player's own scale; empty where the solver answers."""
    best: Any
    line: tuple[Any, ...]
    """The moves that are expected, the best one first."""
    depth: int
    """Plies looked ahead; those to the end of the game where it is exact."""
    is_exact: bool

    @property
    def worth(self) -> float | None:
        """What the position is worth to the side to move; None where a move is forced."""
        return self.moves[0][1] if self.moves else None

    def text(self, worth: float) -> str:
        """Return a worth as people read it."""
        return self.scale.text(worth, is_exact=self.is_exact)


class Adviser:
    """A player that is asked about positions of a game; its answers have a unit.

    >>> import evoply as ep
    >>> with Adviser("othello") as adviser:
    ...     advice = adviser.values(ep.othello.Game.from_transcript("f5d6c4"), depth=4)
    >>> advice.scale.unit, str(advice.best), len(advice.moves)
    ('discs', 'd3', 5)
    """

    def __init__(
        self,
        game: str,
        player: object = None,
        *,
        stream: Stream | None = None,
        runs: Runs | None = None,
    ) -> None:
        """Take *player*, by default the adviser of *game*.

        Draws come from *stream*, that of the game (default: that of `evoply.analyse`). Raises
        `ValueError` if the player does not play the game, or does not value moves.
        """
        self.game = game
        if player is None:  # rules carry its name, and may come from somebody else
            with carried():
                self.player: Player = parse_player(game_rules(game).adviser, game=game)
        else:
            self.player = player_of(read_player_of(player, game, runs))
        self.player.check_fits(game)
        self.stream = Stream(0, "analyse") if stream is None else stream
        self._seat: KernelSeat | None = None
        self._searcher: Searcher | None = None

    @cached_property
    def scale(self) -> Scale:
        """What its values mean."""
        return scale_of(self.player, self.game)

    def values(
        self,
        game: Any,
        *,
        depth: int | None = None,
        seconds: float | None = None,
        exact: int | None = EXACT_EMPTIES,
        threads: int = 1,
        forced: bool = False,
    ) -> Advice:
        """Return what the moves at the end of *game*, a record or a position, are worth.

        It looks *depth* plies ahead; or ever deeper for so many *seconds*, which is not
        reproducible; or as the player itself does. From *exact* empty squares on Othello is solved
        instead, with so many *threads* (0: all cores); None: never. With *forced* the only legal
        move has a worth, too: that of the position after it. Raises `ValueError` if the game is
        over.
        """
        record = record_of(game)
        position = record.position
        legal = position.legal_moves
        if not legal:
            raise ValueError("the game is over there - ask about an earlier position")
        rules = game_rules(self.game)
        if len(legal) == 1 and not forced:
            return self._advice(record, (), legal[0], (legal[0],), 0)
        if len(legal) == 1:
            return self._forced(record, depth, seconds, exact, threads)
        if exact is not None and rules.is_solvable(position, exact):
            solution = solve(position, every_move=True, table_mib=_TABLE_MIB, threads=threads)
            moves = tuple((move, float(score)) for move, score in solution.moves)
            left = rules.moves_left(position) or 0
            return self._advice(record, moves, moves[0][0], solution.line, left, is_exact=True)
        choice = self._choice(record, depth, seconds)
        found = choice.moves
        if not found:
            raise ValueError(
                f"{self.player.label:.60} does not say what moves are worth, it only chooses one: "
                "ask a player that values boards, such as material:depth=4"
            )
        is_exact = "exact" in choice.notes
        raw: Sequence[tuple[Any, float]] = ()
        if not is_exact:
            scale = self.scale
            raw = _same_where_alike(position, found)
            found = tuple((move, scale.worth(value, position)) for move, value in raw)
        # Of equally good moves the first; a player may have drawn another one.
        best = found[0][0]
        line = choice.line if choice.line[:1] == (best,) else (best,)
        return self._advice(record, found, best, line, choice.depth, is_exact=is_exact, raw=raw)

    def _forced(
        self,
        record: GameRecord,
        depth: int | None,
        seconds: float | None,
        exact: int | None,
        threads: int,
    ) -> Advice:
        """Return what the only move is worth: what the position after it is."""
        (move,) = record.position.legal_moves
        after = record.play(move)
        if after.outcome() is not None:
            moves = ((move, self._end(after, record.position.turn)),)
            return self._advice(record, moves, move, (move,), 1, is_exact=True)
        next_one = self.values(
            after, depth=depth, seconds=seconds, exact=exact, threads=threads, forced=True
        )
        worth = next_one.moves[0][1]
        if next_one.color is not record.position.turn:
            worth = self.scale.opposite(worth)
        line = (move, *next_one.line)
        return self._advice(
            record, ((move, worth),), move, line, next_one.depth + 1, is_exact=next_one.is_exact
        )

    def _end(self, over: GameRecord, color: Color) -> float:
        if self.scale.unit == "discs":
            own, other = (over.position.pieces(side) for side in (color, color.opposite))
            empty = self.scale.squares - own - other
            return float(own - other + empty * ((own > other) - (own < other)))
        outcome = over.outcome()
        winner = None if outcome is None else outcome.winner
        result = 0.0 if winner is None else 1.0 if winner is color else -1.0
        return (1.0 + result) / 2.0 if self.scale.unit == "points" else result

    def _advice(
        self,
        record: GameRecord,
        moves: Sequence[tuple[Any, float]],
        best: Any,
        line: Sequence[Any],
        depth: int,
        *,
        is_exact: bool = False,
        raw: Sequence[tuple[Any, float]] = (),
    ) -> Advice:
        return Advice(
            raw=tuple(raw),
            player=self.player.label,
            scale=self.scale,
            color=record.position.turn,
            moves=tuple((move, worth + 0.0) for move, worth in moves),
            best=best,
            line=tuple(line),
            depth=depth,
            is_exact=is_exact,
        )

    def _choice(self, record: GameRecord, depth: int | None, seconds: float | None) -> Choice:
        if depth is not None:
            return self._deepening.think(record, depth=depth, every_move=True)
        if seconds is not None:
            # The first search may have to read tables, which is no measure of the next.
            choice = self._deepening.think(record, depth=1, every_move=True)
            begun = monotonic()
            for plies in range(2, _DEEPEST + 1):
                # The next ply takes some three times as long as all before it.
                if not choice.moves or monotonic() - begun > seconds / 4:
                    break
                choice = self._deepening.think(record, depth=plies, every_move=True)
            return choice
        if self._seat is None:
            seat = self.player.seat(self.game)
            if not isinstance(seat, KernelSeat):
                seat.close()
                return Choice(record.position.legal_moves[0])
            self._seat = seat
        bare = game_rules(self.game).game(record.position, (), NO_DRAWS)
        at_move = move_stream(self.stream, record)
        return self._seat.analyse(bare, at_move, Clock(moves=own_plies(record)), best=ALL_MOVES)

    @property
    def _deepening(self) -> Searcher:
        """What keeps positions from one question to the next."""
        if self._searcher is None:
            self._searcher = Searcher(self.player, game=self.game, stream=self.stream)
        return self._searcher

    def line_from(
        self,
        record: GameRecord,
        depth: int,
        seconds: float | None,
        *,
        across: Callable[[PlayerKind, str], PlayerKind] | None = None,
    ) -> tuple[Any, ...] | None:
        """Return the line that the player expects at the end of *record*, *depth* plies ahead.

        *across* makes the player that answers for the other side. None if *seconds* are not enough.
        """
        searcher = self._deepening
        if across is not None:
            other = across(model_of(self.player), self.game)
            if other is not self.player:
                with Searcher(other, game=self.game, stream=self.stream) as across_table:
                    return _whole(across_table.think(record, depth=depth, hard=seconds), depth)
        return _whole(searcher.think(record, depth=depth, hard=seconds), depth)

    def afresh(self) -> Adviser:
        """Return the same adviser without what it remembers, so that no earlier question counts."""
        return Adviser(self.game, self.player, stream=self.stream)

    def close(self) -> None:
        """Release what it holds; a second call does nothing."""
        for held in (self._searcher, self._seat):
            if held is not None:
                held.close()
        self._searcher = self._seat = None

    def __enter__(self) -> Adviser:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _whole(choice: Choice, depth: int) -> tuple[Any, ...] | None:
    """Return the line of *choice* if its search has got as far as *depth*."""
    is_whole = choice.depth >= depth or "exact" in choice.notes or len(choice.line) < 2
    return choice.line if is_whole else None


def _same_where_alike(
    position: Position, moves: Sequence[tuple[Any, float]]
) -> tuple[tuple[Any, float], ...]:
    """Return *moves*, best first; those that a symmetry of the board exchanges are worth the same.

    Learned tables are symmetrical only as far as their games were; people see at once that the four
    first moves of Othello are one.
    """
    rules = game_rules(position.game)
    sides = position.row[:3]
    own = [
        index
        for index in rules.symmetries
        if rules.shape in SHAPES.values()
        and all(_native.symmetry(rules.shape.rows, side, index) == side for side in sides)
    ]
    if len(own) < 2:
        return tuple(moves)

    def kind(move: Any) -> tuple[int, ...]:
        after = _native.row_after(rules.kernel, position.row, move.code(rules.shape))[:3]
        return min(
            tuple(_native.symmetry(rules.shape.rows, side, index) for side in after)
            for index in own
        )

    alike: dict[tuple[int, ...], list[float]] = {}
    kinds = [kind(move) for move, _ in moves]
    for found, (_, value) in zip(kinds, moves, strict=True):
        alike.setdefault(found, []).append(value)
    means = {found: sum(values) / len(values) for found, values in alike.items()}
    same = [(move, means[found]) for found, (move, _) in zip(kinds, moves, strict=True)]
    order = {move: place for place, move in enumerate(position.legal_moves)}
    return tuple(sorted(same, key=lambda pair: (-pair[1], order[pair[0]])))
