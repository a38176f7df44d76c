"""Facts about a game, how it is begun and read, its rules in words, and whether they agree."""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from evoply import _native
from evoply.games import drawing
from evoply.games.position import NO_DRAWS, DrawRules, start_row
from evoply.games.record import BoardGame
from evoply.protocols import BoardShape, Color, GameRecord, InvalidMoveError, Outcome, Position, Row
from evoply.when_used import module_when_used


@dataclass(frozen=True)
class GameRules:
    """A game: its facts, how to begin it and how to read it.

    A subclass for a family of games has the types of positions and records; an instance is one
    game. *kernel* may be left out if only one of the kernel's rules fits. Raises `ValueError` if
    the kernel has no such rules of the family on a board of *shape*.
    """

    RECORD: ClassVar[type[BoardGame[Any, Any]]]
    """The records of the family; they know their positions, which know their moves."""

    name: str
    """The name, a key of `GAMES`."""
    shape: BoardShape
    """The rows and columns of the board."""
    title: str
    """The name for people."""
    opening_plies: int = 4
    """The usual number of random plies in an opening."""
    draws: DrawRules = NO_DRAWS
    """The usual rules about draws besides those of the board."""
    kernel: str = ""
    """The kernel's name for the rules, an argument of every call into the kernel."""
    piece: str = "piece"
    """The word for a piece; its plural ends in s."""
    has_captures: bool = False
    """Whether searches may be quiescent: pieces are taken, or the rules say what is quiet."""
    has_own_clock: bool = False
    """Whether the rules say how far a game is; usually its pieces do."""
    moves_pieces: bool = False
    """Whether moves take pieces from square to square, so that a piece can be advanced."""
    pieces_added: int = 0
    """Pieces that every move but a pass adds; with 1, empty squares are the moves left."""
    fills_evenly: bool = False
    """Whether every move but a pass adds one piece and takes none away, so that the boards after
    the moves of a position have equally many."""
    has_kings: bool = False
    """Whether pieces are men and kings."""
    turns_board: bool = False
    """Whether colours move in opposite directions, so exchanging them turns the board around."""
    symmetries: tuple[int, ...] = (0,)
    """The kernel's numbers of the symmetries that leave the rules unchanged."""
    has_draw_rules: bool = True
    """Whether rules about draws apply; False if the board alone ends every game."""
    solver: str = ""
    """The exact solver for its endgames; "" if there is none."""
    engines: tuple[str, ...] = ()
    """The protocols of engines that play it."""
    format: str = ""
    """The usual format of its files, a key of `evoply.games.formats.FORMATS`; "" if it has none."""
    late_ply: int = 50
    """A ply that most random games reach; samples over whole games end there."""
    guide: str = "material:depth={},ties=random"
    """The guide of fitness "10ab2" and its like, with {} for the depth in plies.

    Benbassat and Sipper's papers choose a guide for each game.
    """
    drawn: str = "squares"
    """How a picture shows the board: squares, crossings of lines, or hexes with coloured edges."""
    adviser: str = "material:depth=4"
    """The player who says what moves are worth, as text."""
    concepts: str = ""
    """The table of what its players count (`reports/concept_tables.py`); "" if it has none."""
    readable: tuple[str, ...] = ()
    """Names of the sets of primitives whose features make up formulas for people."""

    def __post_init__(self) -> None:
        position = self.RECORD.POSITION
        fitting = [name for name, shape in position.SHAPES.items() if shape == self.shape]
        kernel = self.kernel or (fitting[0] if len(fitting) == 1 else self.name)
        if kernel not in fitting:
            names = ", ".join(f"{name} on {shape}" for name, shape in position.SHAPES.items())
            raise ValueError(
                f"{self.name}: the kernel has no rules {kernel!r} of {position.FAMILY} on"
                f" {self.shape}: write kernel, one of {names}"
            )
        object.__setattr__(self, "kernel", kernel)

    def start(self) -> Position:
        """Return the start position."""
        return self.position_from_row(start_row(self.kernel))

    @property
    def family(self) -> str:
        """The name of the family: the games with these rules on boards of any size."""
        return self.RECORD.POSITION.FAMILY

    @property
    def length(self) -> int | None:
        """The number of moves of a game without passes; None if games have no usual length."""
        return self.moves_left(self.start())

    def moves_left(self, board: Position | int) -> int | None:
        """Return how many moves without passes fill *board*, a position or its number of pieces.

        None for a game whose moves do not fill the board.
        """
        pieces = board if isinstance(board, int) else sum(map(board.pieces, Color))
        return (self.shape.squares - pieces) // self.pieces_added if self.pieces_added else None

    def is_solvable(self, position: Position, moves: int) -> bool:
        """Return whether there is a solver, and at most *moves* moves are left at *position*."""
        left = self.moves_left(position)
        return bool(self.solver) and left is not None and left <= moves

    def parse(self, text: str) -> Position:
        """Return the position that *text* shows; raise `InvalidMoveError` if it cannot be read."""
        raise NotImplementedError(f"{type(self).__name__} does not say how positions are written")

    def position_from_row(self, row: Row) -> Position:
        """Return the position with the kernel's *row*."""
        return self.RECORD.POSITION.from_row(self.kernel, row, self.name)

    def move_from_code(self, code: int) -> Any:
        """Return the move with the kernel's number *code*."""
        return self.RECORD.POSITION.MOVE.from_code(code, self.shape)

    def record(self, text: str = "", draws: DrawRules | None = None) -> GameRecord:
        """Return the game that the transcript *text* records, by default one not yet begun.

        *draws* are its rules about draws, by default those of this game.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how games are written")

    def read(self, text: str) -> GameRecord:
        """Return what *text* shows: a board, moves, or a board and moves.

        Raises `InvalidMoveError` or `IllegalMoveError`.
        """
        if not any(character.isdigit() for character in text):
            return self.game(self.parse(text))
        try:
            return self.record(text)
        except InvalidMoveError:
            # A printed board has numbers of rows or squares.
            with suppress(InvalidMoveError):
                return self.game(self.parse(text))
            raise

    def game(
        self, start: Any, codes: Iterable[int] = (), draws: DrawRules | None = None
    ) -> GameRecord:
        """Return the game from *start* whose moves have the kernel's numbers *codes*.

        *draws* are its rules about draws, by default those of this game. Raises `ValueError` if
        there are any and the game has only draws of the board.
        """
        draws = self.draws if draws is None else draws
        if not self.has_draw_rules and draws != NO_DRAWS:
            raise ValueError(f"{self.title} has no draws but those of the board")
        if draws == NO_DRAWS:
            return self.RECORD.from_codes(codes, start)
        return self.RECORD(start, tuple(map(self.move_from_code, codes)), draws)

    def heat_map(self, values: Sequence[float], caption: str = "") -> str:
        """Return *values*, one for each square, row by row, as a picture of the board (SVG).

        *caption* is a line below the board.
        """
        diagram = self.start().diagram()
        labels = {square: cell.label for square, cell in enumerate(diagram.cells) if cell.label}
        return drawing.heat_map_svg(self.shape, values, caption=caption, labels=labels or None)


# How each game is played, in words for people: the texts of the page and of docs/rules.md.

_FILE = Path(__file__).with_name("how_to_play.toml")


@dataclass(frozen=True, slots=True)
class RulesInWords:
    """The rules of a game in a minute of reading, with three tips."""

    games: tuple[str, ...]
    """The games that share the text: they differ in the size of the board."""
    aim: str
    moves: str
    end: str
    tips: tuple[str, ...]
    """Three; the first sentence of each says it in short."""


def rules_in_words(game: str) -> RulesInWords:
    """Return how *game* is played; `ValueError` if nobody has written it down.

    >>> rules_in_words("hex-9").tips[0].partition(".")[0]
    'Use bridges'
    """
    texts = written_rules()
    if game not in texts:
        raise ValueError(
            f"there is no text about {game[:60]!r}: `evoply game NAME` shows its board and moves"
        )
    return texts[game]


@cache
def written_rules() -> Mapping[str, RulesInWords]:
    """Return all texts by the game, in the order of the file."""
    data = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    texts = (
        RulesInWords(
            tuple(text["games"]),
            text["aim"],
            text["moves"].strip(),
            text["end"].strip(),
            tuple(text["tips"]),
        )
        for text in data["text"]
    )
    return {game: text for text in texts for game in text.games}


# Whether the rules of a game from outside say what the kernel's rules say, on random games.
#
# The kernel trains and plays matches by its own rules; records and pictures ask the position in
# Python. If both differed, results and records would contradict each other without a word.

if TYPE_CHECKING:
    import numpy as np
else:
    np = module_when_used("numpy")

_GAMES = 100
_WHOLE = 8
"""Games of which each position is looked at, not the last alone: Python is slow."""
_WINNERS = {1: Color.BLACK, 0: None, -1: Color.WHITE}


def check_agrees(rules: GameRules) -> None:
    """Raise `ValueError` that names the position if *rules* differ from the kernel's.

    Looks at what 100 games of random moves come to, and at legal moves, the positions after them,
    the clock and the outcome at every ply of the first 8. Rules that differ more rarely pass.
    """
    start = rules.start()
    stream = _native.Stream(0, "games of a game from outside")
    one = np.zeros(_GAMES, dtype=np.uint32)
    games = _native.play(
        rules.kernel,
        [_native.Player(rules.kernel, "random")],
        one,
        one,
        stream.child("openings").keys(_GAMES),
        stream.child("games").keys(_GAMES),
        starts=[start.row],
        opening_plies=0,
        draws=rules.draws.limits,
        record_moves=True,
    )
    assert games.moves is not None  # they were asked for
    for number, codes in enumerate(games.moves):
        rows = _native.rows_along(rules.kernel, start.row, codes)
        if number < _WHOLE:
            _compare_plies(rules, rows, codes)
        black, white = int(games.black_discs[number]), int(games.white_discs[number])
        said = Outcome(_WINNERS[int(games.winners[number])], black - white)
        last = rules.position_from_row(rows[-1])
        if not _native.legal_moves(rules.kernel, last.row):
            _compare(rules, last, "outcome()", last, said)
        if number < _WHOLE:  # draws by rule are known to the record alone
            _compare(rules, last, "the record's outcome()", rules.game(start, codes), said)


def _compare_plies(rules: GameRules, rows: Sequence[Row], codes: Sequence[int]) -> None:
    """Compare what is asked at each of *rows*, which the moves *codes* lead along."""
    for row, code, after in zip(rows, codes, rows[1:], strict=False):
        position = rules.position_from_row(row)
        for what, here, kernel in _asked(rules, position):
            if here != kernel:
                _refuse(rules, position, what, _words(here), _words(kernel))
        _compare(rules, position, "outcome()", position, None)
        move = rules.move_from_code(code)
        played = position.play(move)
        if played.row != after:
            wanted = rules.position_from_row(after)
            _refuse(rules, position, f"play({str(move)!r})", played.text(), wanted.text())


def _asked(rules: GameRules, position: Any) -> Iterator[tuple[str, Any, Any]]:
    codes = _native.legal_moves(rules.kernel, position.row)
    yield "legal_moves", list(position.legal_moves), [rules.move_from_code(code) for code in codes]
    yield "clock", position.clock, _native.clock_at(rules.kernel, position.row)


def _compare(
    rules: GameRules, position: Any, what: str, asked: Any, kernel: Outcome | None
) -> None:
    """Compare the outcome of *asked*, a position or a record, with the *kernel*'s."""
    here = asked.outcome()
    if here != kernel:
        if kernel is not None and isinstance(here, Outcome):
            kernel = replace(kernel, by_count=here.by_count)
        _refuse(rules, position, what, _words(here), _words(kernel))


def _refuse(rules: GameRules, position: Any, what: str, here: str, kernel: str) -> None:
    raise ValueError(
        f"{rules.name}: {what} of {position.text()} is {here}, and the kernel's rules"
        f" {rules.kernel} say {kernel}. Training and matches go by the kernel: take out what"
        " differs, or write the rules in Rust (docs/add-a-game.md)"
    )


def _words(value: Any) -> str:
    if isinstance(value, list):
        return " ".join(map(str, value)) or "none"
    return "that the game goes on" if value is None else str(value)
