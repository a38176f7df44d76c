"""A player of evoply as an engine that speaks GTP, version 2, or NBoard.

Every command is a function of the server and the words of the command. It returns the text of the
answer, or raises a `GtpError`, which is answered as `? text`.

If a command names the side that is not to move, and the other side must pass, the server plays this
pass first. After the end of a game `genmove` answers pass. If the time is given in periods
(byo-yomi), the player has a limit for each move.
"""

import re
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from evoply import _native
from evoply.environment.files import read_limited
from evoply.games import game_rules
from evoply.games.formats import as_game_of, ggf, sgf
from evoply.games.squares import square_name
from evoply.players.engines.dialogue import GAME, SET_POSITION
from evoply.players.engines.served_game import TOO_LONG, ServedGame
from evoply.protocols import (
    Clock,
    Color,
    ForfeitError,
    GameInProgress,
    GameRecord,
    IllegalMoveError,
    InvalidMoveError,
    Player,
)

_COLORS = {"b": Color.BLACK, "black": Color.BLACK, "w": Color.WHITE, "white": Color.WHITE}
_COMMAND = re.compile(r"\s*(?:(\d{1,10})(?:\s+|$))?(\S*)\s*(.*)", re.DOTALL)
_LARGEST_FILE = 1_000_000


class GtpError(Exception):
    """A command that cannot be done; its text says why."""


class GtpServer:
    """A player that answers GTP; its first game is one of *game*."""

    def __init__(self, player: Player, game: str, seed: int) -> None:
        self.board = ServedGame(player, game, seed)
        self.history: list[GameRecord] = []
        """The games before each move, for `undo`."""
        self.settings = Clock()
        """The time of both sides at the beginning of a game."""
        self.period = 0.0
        """The seconds of a period after the main time."""

    def answers(self, line: str) -> Iterator[str]:
        """Yield the answer to a line and an empty line; raise EOFError after `quit`."""
        line = "".join(c for c in line.replace("\t", " ") if c.isprintable()).partition("#")[0]
        self.board.end_pondering()
        match = _COMMAND.fullmatch(line)
        if match is None or not line.strip():
            return
        number, name, rest = match[1] or "", match[2], match[3]
        try:
            command = GTP_COMMANDS.get(name)
            if command is None:
                raise GtpError("unknown command")
            text = command(self, rest.split())
            yield f"={number}{' ' * (text[:1] not in ('', chr(10)))}{text}\n"
            if name == "genmove":
                self.board.ponder()
        except GtpError as error:
            yield f"?{number} {error}\n"
        if name == "quit":
            raise EOFError

    def refusal(self, line: str) -> Iterator[str]:
        """Yield the error for a line that is too long; a long comment is not an error."""
        match = _COMMAND.match(line.partition("#")[0])
        if match is not None and match[0].strip():
            yield f"?{match[1] or ''} {TOO_LONG}\n"


def _play(server: GtpServer, words: list[str]) -> str:
    color, move = _color(words, 2), words[1].lower()
    before = server.board.playing
    if before.is_over and move == "pass":
        return ""
    playing = before if move == "pass" else server.board.with_pass_before(color)
    if playing.turn is not color:
        raise GtpError(f"illegal move: it is the turn of {color.opposite.value}")
    try:
        server.board.playing = playing.play(move)
    except InvalidMoveError:
        raise GtpError(f"invalid coordinate {move[:40]}") from None
    except IllegalMoveError:
        raise GtpError("illegal move") from None
    server.history.append(before.record)
    return ""


def _genmove(server: GtpServer, words: list[str]) -> str:
    playing, move = _choose(server, words)
    if not playing.is_over:
        server.history.append(server.board.playing.record)
        server.board.playing = playing
        server.board.play(move, server.board.took.pop(playing.turn, 0.0))
    return move


def _reg_genmove(server: GtpServer, words: list[str]) -> str:
    return _choose(server, words)[1]


def _choose(server: GtpServer, words: list[str]) -> tuple[GameInProgress, str]:
    """Return the game, after a forced pass if needed, and the move; "pass" at the end."""
    color = _color(words, 1)
    playing = server.board.with_pass_before(color)
    if playing.is_over:
        return playing, "pass"
    if playing.turn is not color:
        raise GtpError(f"it is the turn of {color.opposite.value}")
    try:
        return playing, str(server.board.choice(playing.record).move)
    except ForfeitError as error:
        raise GtpError(f"cannot choose a move: {error}") from None


def _undo(server: GtpServer, words: list[str]) -> str:
    if not server.history:
        raise GtpError("cannot undo")
    server.board.playing = replace(server.board.playing, record=server.history.pop())
    return ""


def _boardsize(server: GtpServer, words: list[str]) -> str:
    if len(words) != 1 or not re.fullmatch(r"[0-9]{1,3}", words[0]):
        raise GtpError("syntax error: boardsize NUMBER")
    game = server.board.game_of_size(int(words[0]))
    if game is None:
        raise GtpError("unacceptable size")
    return _begin(server, game)


def _begin(server: GtpServer, game: str, record: GameRecord | None = None) -> str:
    server.board.begin(game, record)
    server.board.set_clocks(dict.fromkeys(Color, server.settings))
    server.history.clear()
    return ""


def _set_position(server: GtpServer, words: list[str]) -> str:
    game = server.board.game
    rules = game_rules(game)
    try:
        return _begin(server, game, rules.game(rules.parse(" ".join(words))))
    except InvalidMoveError as error:
        raise GtpError(str(error)) from None


def _set_game(server: GtpServer, words: list[str]) -> str:
    if " ".join(words).lower() != GAME.lower():
        raise GtpError(f"unknown game: this engine plays {GAME}")
    return _begin(server, server.board.game)


def _loadsgf(server: GtpServer, words: list[str]) -> str:
    if not words:
        raise GtpError("syntax error: loadsgf FILE [MOVE_NUMBER]")
    try:
        played = next(sgf.read(read_limited(words[0], _LARGEST_FILE)), None)
        if played is None:
            raise InvalidMoveError("there is no game in it")
        game = server.board.game_of_size(played.record.start.shape.side)
        if game is None:
            raise GtpError("unacceptable size")
        record = as_game_of(game, played.record)
        if len(words) > 1:
            record = record.first(max(_number(words[1]) - 1, 0))
    except OSError as error:
        raise GtpError(f"cannot load file: {error.strerror}") from None
    except ValueError as error:
        raise GtpError(f"cannot load file: {str(error).splitlines()[0]}") from None
    _begin(server, game, record)
    return str(record.position.turn.value)


def _number(word: str) -> int:
    if not re.fullmatch(r"[0-9]{1,9}", word):
        raise GtpError(f"syntax error: {word[:40]} is not a number")
    return int(word)


def _time_settings(server: GtpServer, words: list[str]) -> str:
    if len(words) != 3:
        raise GtpError("syntax error: time_settings MAIN_TIME BYO_YOMI_TIME BYO_YOMI_STONES")
    main, period, stones = _seconds(words[0]), _seconds(words[1]), _number(words[2])
    if stones and not main:
        settings = Clock(move_seconds=period / stones)
    elif main and (stones or not period):
        settings = Clock(seconds_left=main + period)
    else:
        settings = Clock()  # a period of no moves is no limit
    server.settings, server.period = settings, period if stones else 0.0
    server.board.set_clocks(dict.fromkeys(Color, settings))
    return ""


def _time_left(server: GtpServer, words: list[str]) -> str:
    color = _color(words, 3)
    left, stones = _seconds(words[1]), _number(words[2])
    clock = (
        Clock(move_seconds=left / stones) if stones else Clock(seconds_left=left + server.period)
    )
    server.board.set_clocks({color: clock})
    return ""


def _seconds(word: str) -> float:
    """Return seconds; the protocol has whole seconds only, but parts are read too."""
    if not re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,6})?", word):
        raise GtpError(f"syntax error: {word[:40]} is no number of seconds from 0 to 999999999")
    return float(word)


def _final_score(server: GtpServer, words: list[str]) -> str:
    """Return who has won, and by how many discs; the empty squares are the winner's."""
    score = server.board.playing.record.position.official_difference()
    if score is None:
        raise GtpError("cannot score: the game is not over")
    return f"{'B' if score > 0 else 'W'}+{abs(score)}" if score else "0"


def _final_status_list(server: GtpServer, words: list[str]) -> str:
    """Return the squares of all discs, a line for each side, as alive: no disc is ever dead."""
    if words not in (["alive"], ["seki"], ["dead"]):
        raise GtpError("syntax error: final_status_list alive, seki or dead")
    if words != ["alive"]:
        return ""
    position = server.board.playing.record.position
    names = [square_name(number, position.shape) for number in range(position.shape.squares)]
    sides = (" ".join(name for name in names if position[name] is color) for color in Color)
    return "\n".join(filter(None, sides))


# GoGui asks for analyze commands, lines of `type/label/command`, and draws their answers.


def _legal_moves(server: GtpServer, words: list[str]) -> str:
    moves = server.board.playing.record.position.legal_moves
    return "" if moves.must_pass else " ".join(map(str, moves))


def _move_values(server: GtpServer, words: list[str]) -> str:
    """Return the value of every legal move to the side to move, as GoGui's labels of points."""
    if not _legal_moves(server, words):
        return ""
    try:
        choice = server.board.choice(every_move=True)
    except ForfeitError as error:
        raise GtpError(f"cannot value moves: {error}") from None
    values = [f"{move} {value:+z.2f}" for move, value in choice.moves]
    return f"LABEL {' '.join(values)}" if values else ""


_ANALYZE_COMMANDS = (
    "gfx/Values of Moves/evoply-move_values",
    "plist/Legal Moves/evoply-legal_moves",
    "string/Final Score/final_score",
    "string/CPU Time/cputime",
)


def _showboard(server: GtpServer, words: list[str]) -> str:
    position = server.board.playing.record.position
    lines = str(position).splitlines()
    if position.outcome() is not None:
        lines[-1] = f"The game is over: {_final_score(server, [])}"
    return "\n".join(["", *lines])


def _komi(server: GtpServer, words: list[str]) -> str:
    if len(words) != 1 or not re.fullmatch(r"[+-]?[0-9]{0,9}\.?[0-9]{0,9}", words[0]):
        raise GtpError("syntax error: komi NUMBER")
    return ""


def _color(words: list[str], count: int) -> Color:
    color = _COLORS.get(words[0].lower()) if len(words) == count else None
    if color is None:
        raise GtpError("syntax error: a color is black or white")
    return color


Command = Callable[[GtpServer, list[str]], str]

GTP_COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "protocol_version": lambda server, words: "2",
        "name": lambda server, words: f"evoply {server.board.name}",
        "version": lambda server, words: _native.__version__,
        "known_command": lambda server, words: str(" ".join(words) in GTP_COMMANDS).lower(),
        "list_commands": lambda server, words: "\n".join(GTP_COMMANDS),
        "quit": lambda server, words: "",
        "boardsize": _boardsize,
        "clear_board": lambda server, words: _begin(server, server.board.game),
        "komi": _komi,
        "play": _play,
        "genmove": _genmove,
        "reg_genmove": _reg_genmove,
        "undo": _undo,
        "time_settings": _time_settings,
        "time_left": _time_left,
        "set_game": _set_game,
        "list_games": lambda server, words: GAME,
        "loadsgf": _loadsgf,
        "showboard": _showboard,
        "final_score": _final_score,
        "final_status_list": _final_status_list,
        "cputime": lambda server, words: f"{time.process_time():.2f}",
        "gogui-analyze_commands": lambda server, words: "\n".join(_ANALYZE_COMMANDS),
        "evoply-legal_moves": _legal_moves,
        "evoply-move_values": _move_values,
        SET_POSITION: _set_position,
    }
)
"""The commands by name, in the order of `list_commands`."""


# A player of evoply as an engine that speaks the NBoard protocol, versions 1 and 2.
#
# `set depth` and `set contempt` are accepted and change nothing. The player has the time of the
# game (TI) less the seconds that its moves took; `hint` has no limit. Unknown lines are ignored, as
# the protocol wants. If a game cannot be read, a `status` line says so and the board stays as it
# was.

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
        command = NBOARD_COMMANDS.get(name)
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


NBOARD_COMMANDS: Mapping[str, Callable[[ServedGame, str], Iterator[str]]] = MappingProxyType(
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
