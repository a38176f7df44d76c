"""Games whose rules are data: positions, moves and records of any game in the JSON form of rules.

`evoply.rules` writes and checks the form. Here it is played: this module knows facts of the game
and asks the kernel for everything else.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from types import MappingProxyType
from typing import Any, Self

from evoply import _native
from evoply.games.position import NO_DRAWS, BoardPosition, DrawRules
from evoply.games.record import BoardGame
from evoply.games.rules import GameRules
from evoply.games.squares import USUAL, Word, check_length, parse_square, place, square_name
from evoply.protocols import BoardShape, Color, InvalidMoveError, Outcome
from evoply.wording import shorten

__all__ = [
    "DECIDES",
    "SYMMETRIES",
    "TOLD",
    "DataGameRules",
    "Game",
    "Move",
    "Position",
    "digest_of",
]

DECIDES = (
    *("format", "rows", "columns", "playable", "start", "moves", "ends"),
    *("no_move", "both_pass", "expression"),
)
"""The parts of the JSON form that decide how the game is played."""
TOLD = ("clock", "quiet")
"""The parts that a form may have and that decide what players are told of a board."""
SYMMETRIES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "none": (0,),
        "mirror": (0, 1),
        "turn": (0, 3),
        "rectangle": (0, 1, 2, 3),
        "all": tuple(range(8)),
    }
)
"""What leaves the rules as they are, by name, with the kernel's numbers."""
_PASS_WORDS = frozenset({"pass", "pa", "ps"})
_WORD = re.compile(r"[a-z]{2,4}(?![a-z0-9])|[a-z][0-9]{1,2}(?:\s*[-x]\s*[a-z][0-9]{1,2})?|\S", re.I)
_NUMBER = re.compile(r"[0-9]+\.+")
_HOLE = "#"
_CAP = 1000
"""Plies that make a draw if the rules name no cap and moves do more than fill squares."""
_FACTS: dict[str, Mapping[str, Any]] = {}
_SHAPES: dict[str, BoardShape] = {}
_NATIVE: Mapping[str, str] = {
    "ac38af1b2bf33b32b20f06f86e8fbf9166bdd62a3f5f6e5c7aebd7f46f354345": "othello",
    "387c849a0a42db71bb3b9c0bdb4f4c3c45d770265524ff2ccef82e34d7972c53": "othello-4",
    "4ed249093ea8e8e9f1926a502405b3a9c9daa825d3d3561529be8a2fdba55aa7": "othello-6",
    "74c05fc9ea070fd4a459a7e6b109e2c277923da82c8b50095a3e5428ac17a019": "othello-10",
}
"""The kernel's names of compiled rules, by the digests of the same rules as data.

The environment variable EVOPLY_RULES=data has the data played all the same, for tests.
"""


def digest_of(data: Mapping[str, Any]) -> str:
    """Return the SHA-256 of the parts of a JSON form that decide how the game is played."""
    decides = {name: data[name] for name in DECIDES}
    decides |= {name: data[name] for name in TOLD if data.get(name) is not None}
    text = json.dumps(decides, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()


def _within_empty(nodes: list[Any]) -> list[bool]:
    """Return for each node of a written expression whether its squares are empty in every board."""
    are_empty: list[bool] = []
    for op, *arguments in nodes:
        are_empty.append(
            op == "empty"
            or (op == "and" and any(are_empty[argument] for argument in arguments))
            or (op in ("minus", "first") and are_empty[arguments[0]])
        )
    return are_empty


def _with_digest(name: str, digest: str) -> str:
    return f"{name}@{digest[:16]}"


@dataclass(frozen=True, slots=True, repr=False)
class Move:
    """A move: the square where a piece is put, two squares from and to, or none for a pass.

    >>> str(Move((12,))), str(Move((12, 20))), str(Move(()))
    ('e2', 'e2-e3', 'pass')
    """

    path: tuple[int, ...]
    shape: BoardShape = USUAL

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", tuple(self.path))
        if len(self.path) > 2 or not all(0 <= square < self.shape.squares for square in self.path):
            raise InvalidMoveError(f"{self.path} are not the squares of a move on {self.shape}")

    @property
    def is_pass(self) -> bool:
        """Whether it is a forced pass."""
        return not self.path

    @classmethod
    def parse(cls, text: str, shape: BoardShape = USUAL) -> "Move":
        """Return the move that *text* names, such as "e4", "e2-e3", "e2xe3" or "pass".

        Raises `InvalidMoveError` if it cannot be read; the position decides whether it is legal.
        """
        words = text.strip().lower()
        if words in _PASS_WORDS:
            return cls((), shape)
        try:
            squares = re.split(r"\s*[-x]\s*", words, maxsplit=1)
            return cls(tuple(parse_square(square, shape) for square in squares), shape)
        except InvalidMoveError:
            last = square_name(shape.squares - 1, shape)
            raise InvalidMoveError(
                f"cannot read {shorten(text)!r} as a move: squares are a1 to {last}, one or two as"
                " in e4 and e2-e3"
            ) from None

    @classmethod
    def from_code(cls, code: int, shape: BoardShape = USUAL) -> "Move":
        """Return the move that the kernel knows as *code* on a board of *shape*."""
        squares = shape.squares
        if not 0 <= code <= squares + squares * squares:
            raise InvalidMoveError(f"{code} is not a move code of a board of {shape}")
        if code < squares:
            return cls((int(code),), shape)
        return (
            cls((), shape) if code == squares else cls(divmod(code - squares - 1, squares), shape)
        )

    def code(self, shape: BoardShape) -> int:
        """Return the kernel's number of this move on a board of *shape*."""
        if not self.path:
            return shape.squares
        if len(self.path) == 1:
            return self.path[0]
        return shape.squares + 1 + self.path[0] * shape.squares + self.path[1]

    def __str__(self) -> str:
        return "-".join(square_name(square, self.shape) for square in self.path) or "pass"

    def __repr__(self) -> str:
        return f"Move.parse('{self}'{'' if self.shape == USUAL else f', {self.shape!r}'})"


@dataclass(frozen=True, init=False, repr=False, eq=False)
class Position(BoardPosition[Move]):
    """A board and the side to move in a game whose rules are data; immutable."""

    FAMILY = "data"
    SHAPES = _SHAPES
    MOVE = Move

    @property
    def _facts(self) -> Mapping[str, Any]:
        return _FACTS[self.game]

    @property
    def PIECE(self) -> str:  # type: ignore[override]  # noqa: N802
        """The name of a piece."""
        return str(self._facts["piece"])

    @property
    def SYMBOLS(self) -> Mapping[Color, tuple[str, str]]:  # type: ignore[override]  # noqa: N802
        """A piece of each side as a letter and as a symbol."""
        letters, symbols = self._facts["symbols"]
        return dict(zip(Color, zip(letters, symbols, strict=True), strict=True))

    @classmethod
    def parse(cls, text: str, game: str, kernel: str) -> Self:
        """Return the position of *game* that *text* shows, on one line or as a printed board."""
        check_length(text)
        shape, facts = _SHAPES[kernel], _FACTS[game]
        cells, first = _cells(text, shape, facts), facts["symbols"][0].upper()
        if len(cells) != shape.squares + 1 or cells[-1] not in first:
            raise InvalidMoveError(
                f"cannot read the position {shorten(text.strip())!r}: write the {shape.squares}"
                f" squares row by row as {' '.join(first)} -, then the side to move"
            )
        sets = [
            sum(1 << square for square, cell in enumerate(cells[:-1]) if cell == letter)
            for letter in first
        ]
        row = (sets[0], sets[1], 0, cells[-1] == first[0], 0, 0)
        try:
            return cls.from_row(kernel, row, game)
        except ValueError as error:
            raise InvalidMoveError(str(error)) from error

    def _check(self) -> None:
        if self.row[2] or self.row[5]:
            raise ValueError(f"{self.game} has neither kings nor quiet plies")
        playable = self._facts["playable"]
        if playable is not None:
            allowed = set(playable)
            for square in range(self.shape.squares):
                if (self.row[0] | self.row[1]) >> square & 1 and square not in allowed:
                    raise ValueError(f"{self._square_text(square)} cannot hold a {self.PIECE}")

    def _square_text(self, square: int) -> str:
        return square_name(square, self.shape)

    def _square(self, text: str) -> int:
        return parse_square(text, self.shape)

    def _label(self, square: int) -> str | None:
        playable = self._facts["playable"]
        return "" if playable is None or square in playable else None

    def parse_move(self, text: str, /) -> Move:
        """Return the move that *text* names; `play` checks whether it is legal.

        Where pieces drop, so that each column has one move at most, its letter names it.
        """
        word = text.strip().lower()
        if len(word) == 1 and word in self.shape.letters:
            moves = {
                move.path[-1] % self.shape.columns: move for move in self.legal_moves if move.path
            }
            column = self.shape.letters.index(word)
            if len(moves) == len(self.legal_moves) and column in moves:
                return moves[column]
        return Move.parse(text, self.shape)

    def outcome(self) -> Outcome | None:
        """Return the outcome by the rules, or None while the side to move has a move."""
        found = _native.outcome(self.kernel, self.row)
        if found is None:
            return None
        winner, difference = found
        ends = self._facts["ends"]
        by_count = self._facts["no_move"] == "passes" and not any(
            ends.get(name) is not None for name in ("wins", "loses", "draws")
        )
        return Outcome(None if winner is None else Color(winner), difference, by_count)

    def colors_exchanged(self) -> Self:
        """Return the position with colours exchanged, the board changed as the rules say."""
        black, white, kings, black_to_move, ply, quiet_plies = self.row
        black, white = (self._exchanged(squares) for squares in (black, white))
        return self._with((white, black, kings, not black_to_move, ply, quiet_plies))

    def _exchanged(self, squares: int) -> int:
        shape, how = self.shape, self._facts["colors"]
        if how == "same":
            return squares
        image = 0
        for square in range(shape.squares):
            if squares >> square & 1:
                row, column = divmod(square, shape.columns)
                turned = how == "turned"
                image |= 1 << (shape.squares - 1 - square if turned else shape.index(column, row))
        return image

    def text(self) -> str:
        """Return the exact one-line form: every square row by row, a space, the side to move."""
        return f"{self._cells()} {self._facts['symbols'][0][0 if self.row[3] else 1]}"

    def _cells(self) -> str:
        black, white = self._facts["symbols"][0]
        return "".join(
            black
            if self.row[0] >> square & 1
            else white
            if self.row[1] >> square & 1
            else _HOLE
            if self._label(square) is None
            else "-"
            for square in range(self.shape.squares)
        )

    def __str__(self) -> str:
        shape, cells = self.shape, self._cells()
        width = len(str(shape.rows))
        lines = [f"{'':{width}} {' '.join(shape.letters)}"]
        for number in range(shape.rows):
            row = cells[shape.index(number, 0) : shape.index(number + 1, 0)]
            lines.append(f"{number + 1:>{width}} {' '.join(row)}")
        return "\n".join([*lines, f"{self.text()[-1]} to move"])

    def __repr__(self) -> str:
        return f"<Position of {self.game} {self.text()}>"


def _cells(text: str, shape: BoardShape, facts: Mapping[str, Any]) -> str:
    """Return the characters of *text* that stand for squares and the side to move."""
    known = {letter.upper() for letter in facts["symbols"][0]} | {"-", ".", _HOLE}
    header = "".join(shape.letters)
    cells = []
    for line in text.splitlines():
        bare = "".join(line.split())
        if bare.lower() == header and shape.columns > 1 and len(line.split()) == shape.columns:
            continue
        bare = re.sub(r"^[0-9]{1,2}|to(move|play)$", "", bare, flags=re.I)
        cells += [cell.upper() for cell in bare if cell.upper() in known]
    return "".join(cells)


@dataclass(frozen=True, repr=False)
class Game(BoardGame[Position, Move]):
    """The record of a game whose rules are data: where it started, and the moves played."""

    POSITION = Position

    def __repr__(self) -> str:
        return f"<Game of {self.start.game} {self}>"


@dataclass(frozen=True)
class DataGameRules(GameRules):
    """One game by its rules in JSON; see `evoply.games.GameRules`."""

    RECORD = Game

    written: Mapping[str, Any] = field(default_factory=dict, repr=False, compare=False)
    """The JSON form of the rules."""
    rules_digest: str = ""
    """The SHA-256 of what decides how the game is played."""

    @classmethod
    def from_written(cls, data: Mapping[str, Any]) -> "DataGameRules":
        """Return the game of a JSON form, which `evoply.rules` has checked.

        Raises `ValueError` that says which rule the kernel cannot play.
        """
        name, digest = data["name"], digest_of(data)
        shape = BoardShape(data["rows"], data["columns"])
        kernel = "" if os.environ.get("EVOPLY_RULES") == "data" else _NATIVE.get(digest, "")
        if not kernel:
            kernel = _with_digest(name, digest)
            _native.add_rules(kernel, json.dumps(dict(data)))
        _SHAPES[kernel], _FACTS[name] = shape, data
        kinds = {move["kind"] for move in data["moves"]}
        nodes = data["expression"]["nodes"]
        outputs, are_empty = data["expression"]["outputs"], _within_empty(nodes)
        may_go_on = any(
            move["kind"] != "place" or move["own"] is not None or not are_empty[outputs[move["on"]]]
            for move in data["moves"]
        )
        limits = data["max_plies"] or (_CAP if may_go_on else None), data["repetitions"]
        draws = NO_DRAWS if limits == (None, None) else DrawRules(None, limits[1], limits[0])
        return cls(
            name,
            shape,
            data["title"],
            opening_plies=data["opening_plies"],
            draws=draws,
            kernel=kernel,
            piece=data["piece"],
            has_captures=data.get("quiet") is not None,
            has_own_clock=data.get("clock") is not None,
            moves_pieces=bool(kinds - {"place"}),
            pieces_added=int(kinds == {"place"}),
            fills_evenly=not may_go_on,
            turns_board=data["colors"] == "turned",
            symmetries=SYMMETRIES[data["symmetries"]],
            late_ply=max(2, shape.squares // 3),
            written=data,
            rules_digest=digest,
            format="transcript",
            drawn=data["drawn"],
            concepts="facts",
            readable=(f"facts-{name}",),
            adviser=data["adviser"] or GameRules.adviser,
        )

    @property
    def spoken(self) -> str:
        """What other processes are told of the game: its name, and which rules it has."""
        return _with_digest(self.name, self.rules_digest)

    @property
    def family(self) -> str:
        """The name of the game: it is a family of its own."""
        return self.name

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        try:
            return Position.parse(text, self.name, self.kernel)
        except InvalidMoveError as error:
            raise InvalidMoveError(f"{self.name}: {error}") from error

    def record(self, text: str = "", draws: DrawRules | None = None) -> Game:
        """Return the game that the transcript *text* records, by default one not yet begun.

        A board and the side to move may come first.
        """
        check_length(text)
        draws = self.draws if draws is None else draws
        start, begin = self.start(), 0
        letters = re.escape("".join(self.written["symbols"][0]) + "-." + _HOLE)
        cells = rf"\s*[{letters}]{{{self.shape.squares}}}\s+[{letters}](?=\s|$)"
        board = re.match(cells, text, re.I)
        if board is not None:
            start, begin = self.parse(board[0]), board.end()
        words = [
            Word(match[0], match.start())
            for match in _WORD.finditer(_NUMBER.sub(lambda n: " " * len(n[0]), text), begin)
            if match[0] not in ",;|"
        ]
        return Game.from_words(words, partial(place, text), start, draws)  # type: ignore[arg-type]
