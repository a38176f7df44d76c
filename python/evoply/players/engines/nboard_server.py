"""A player of evoply as an engine that speaks the NBoard protocol, versions 1 and 2.

`set depth` and `set contempt` are accepted and change nothing. The player has the time of the game
(TI) less the seconds that its moves took; `hint` has no limit. Unknown lines are ignored, as the
protocol wants. If a game cannot be read, a `status` line says so and the board stays as it was.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from evoply import _native
from evoply.formats import as_game_of, ggf
from evoply.players.engines.served_player import TOO_LONG, ServedGame
from evoply.protocols import Clock, Color, ForfeitError, GameRecord, Player

_MOVE = re.compile(r"(?:[A-Ja-j](?:10|[1-9])|PA|pa)")
_MOST_HINTS = 100


class NBoardServer:
    """A player that answers NBoard; its first game is one of *game*."""

    def __init__(self, player: Player, game: str, seed: int) -> None:
        self.board = ServedGame(player, game, seed)

    def answers(self, line: str) -> Iterator[str]:
        """Yield the lines that answer a line; raise EOFError after `quit`."""
        self.board.end_pondering()
        line = "".join(c for c in line if c.isprintable()).strip()
        name, _, rest = line.partition(" ")
        if _MOVE.fullmatch(name.partition("/")[0]):
            name, rest = "move", line  # version 1
        command = COMMANDS.get(name)
        if command is None:
            return
        try:
            yield from command(self.board, rest.strip())
        except ForfeitError as error:
            yield f"status {self.board.name} cannot choose a move: {error}"
        except ValueError as error:
            yield f"status error: {str(error).splitlines()[0]}"

    def refusal(self, line: str) -> Iterator[str]:
        """Yield the status that says that a line is too long."""
        yield f"status error: {TOO_LONG}"


def _nboard(board: ServedGame, rest: str) -> Iterator[str]:
    yield f"set myname evoply {_native.__version__} {board.name}"


def _set(board: ServedGame, rest: str) -> Iterator[str]:
    name, _, text = rest.partition(" ")
    if name == "game":
        played = next(ggf.read(text), None)
        if played is None:
            raise ValueError("set game: write a game in GGF, (;GM[Othello]...;)")
        game = board.game_of_size(played.record.start.shape.side)
        if game is None:
            raise ValueError(f"{board.name} does not play on a board of this size")
        board.begin(game, as_game_of(game, played.record))
        board.set_clocks(
            _clocks(board.playing.record, ggf.read_time(played.tags.get("TI", "")), text)
        )
    yield from ()


def _clocks(record: GameRecord, time: tuple[float, float] | None, text: str) -> dict[Color, Clock]:
    """Return the clocks of both sides after the moves of the game's *text*; *time*: its limits."""
    if time is None:
        return dict.fromkeys(Color, Clock())
    used, (seconds, increment) = ggf.times_used(text), time
    left = {
        color: seconds
        - used[color]
        + increment * sum(position.turn is color for position in record.positions[:-1])
        for color in Color
    }
    return {color: Clock(seconds_left=max(left[color], 0), increment=increment) for color in Color}


def _move(board: ServedGame, rest: str) -> Iterator[str]:
    move, _, time = [*rest.split("/"), "", ""][:3]
    is_told = re.fullmatch(r"\s*[0-9]{1,6}(?:\.[0-9]{1,6})?\s*", time) is not None
    turn = board.playing.turn
    # The seconds that the other program gives for the move, else those that our clock measured.
    board.play(move.strip(), float(time) if is_told else board.took.get(turn, 0.0))
    board.took.pop(turn, None)
    board.ponder()
    yield from ()


def _go(board: ServedGame, rest: str) -> Iterator[str]:
    if board.playing.is_over:
        yield "=== PA"
        return
    yield f"status {board.name} is thinking"
    choice = board.choice()
    yield f"nodestats {choice.nodes} {choice.seconds:.2f}"
    yield f"=== {_text(choice.move)}/{_evaluation(board, choice.score)}/{choice.seconds:.2f}"
    yield f"status {board.name} is waiting"


def _hint(board: ServedGame, rest: str) -> Iterator[str]:
    if not board.playing.is_over:
        count = min(int(rest), _MOST_HINTS) if re.fullmatch(r"[0-9]{1,9}", rest) else 1
        yield f"status {board.name} is thinking"
        choice = board.choice(every_move=True)
        values: Sequence[tuple[Any, float | None]] = choice.moves or [(choice.move, choice.score)]
        for move, value in values[:count]:
            line = choice.line if move == choice.move and choice.line else (move,)
            yield (
                f"search {'-'.join(map(_text, line))} {_evaluation(board, value) or '0'} 0 "
                f"{max(choice.depth, 1)}"
            )
        yield f"nodestats {choice.nodes} {choice.seconds:.2f}"
    yield f"status {board.name} is waiting"


def _analyze(board: ServedGame, rest: str) -> Iterator[str]:
    record = board.playing.record
    for count in range(len(record), -1, -1):
        position = record.positions[count]
        if position.outcome() is not None:
            score: float | None = position.outcome().disc_difference
            score = -score if position.turn is Color.WHITE and score is not None else score
        else:
            score = board.choice(record.first(count), every_move=True).score
        if score is not None:
            yield f"analysis {count} {_evaluation(board, score)}"
    yield f"status {board.name} is waiting"


def _quit(board: ServedGame, rest: str) -> Iterator[str]:
    yield from ()
    raise EOFError


def _pong(board: ServedGame, rest: str) -> Iterator[str]:
    yield f"pong {rest[:40]}"


def _learn(board: ServedGame, rest: str) -> Iterator[str]:
    yield "learned"


def _text(move: Any) -> str:
    return "PA" if str(move) == "pass" else str(move).upper()


def _evaluation(board: ServedGame, score: float | None) -> str:
    """Return a score in discs, "" for none; a finished game counts all of them."""
    most = board.playing.record.position.shape.squares
    return "" if score is None else f"{min(max(score, -most), most):.2f}"


COMMANDS: Mapping[str, Callable[[ServedGame, str], Iterator[str]]] = MappingProxyType(
    {
        "nboard": _nboard,
        "set": _set,
        "move": _move,
        "hint": _hint,
        "go": _go,
        "ping": _pong,
        "learn": _learn,
        "analyze": _analyze,
        "quit": _quit,
    }
)
"""The commands by name."""
