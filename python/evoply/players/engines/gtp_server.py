"""A player of evoply as an engine that speaks GTP, version 2.

Every command is a function of the server and the words of the command. It returns the text of the
answer, or raises a `GtpError`, which is answered as `? text`.

If a command names the side that is not to move, and the other side must pass, the server plays this
pass first. After the end of a game `genmove` answers pass. If the time is given in periods
(byo-yomi), the player has a limit for each move.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

from evoply import _native
from evoply.files import read_limited
from evoply.formats import as_game_of, sgf
from evoply.games import game_rules
from evoply.players.engines.gtp import GAME, SET_POSITION
from evoply.players.engines.served_player import TOO_LONG, ServedGame
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
            command = COMMANDS.get(name)
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

COMMANDS: Mapping[str, Command] = MappingProxyType(
    {
        "protocol_version": lambda server, words: "2",
        "name": lambda server, words: f"evoply {server.board.name}",
        "version": lambda server, words: _native.__version__,
        "known_command": lambda server, words: str(" ".join(words) in COMMANDS).lower(),
        "list_commands": lambda server, words: "\n".join(COMMANDS),
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
        SET_POSITION: _set_position,
    }
)
"""The commands by name, in the order of `list_commands`."""
