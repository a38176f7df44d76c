"""Rules of a game as a value: written in Python, kept as JSON, played by the kernel."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Any

from evoply.expressions import Expression, Number, Squares, Truth
from evoply.expressions.operations import bits, named_squares, short, square_index
from evoply.expressions.written_form import in_order
from evoply.games import NAME
from evoply.games.data import SYMMETRIES, TOLD, DataGameRules, digest_of
from evoply.games.squares import square_name, squares_in
from evoply.protocols import BoardShape
from evoply.rules.moves import RuleOfMoves, RulesError, names_arguments, wrong_after
from evoply.rules.written import written
from evoply.wording import did_you_mean

__all__ = ["Rules", "check_facts"]


# Facts of rules that are no expressions: words, numbers and names, checked.

_WORDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "no_move": ("loses", "wins", "draws", "passes"),
        "both_pass": ("most", "fewest", "draw"),
        "symmetries": tuple(SYMMETRIES),
        "colors": ("", "same", "turned", "transposed"),
        "drawn": ("squares", "crossings", "hexes"),
    }
)
_TEXTS = {"title": 60, "piece": 60, "adviser": 60, "about": 500}
_LEAST = {"opening_plies": 1, "max_plies": 1, "repetitions": 2}
_MOST_LINES = 10
_MOST_PLIES = 10_000


def check_facts(rules: Any) -> None:
    """Raise `RulesError` for the first fact of *rules* that is wrong."""
    name = rules.name
    if not isinstance(name, str) or NAME.fullmatch(name) is None:
        raise RulesError(
            f"name - {short(name)} is no name of a game - write up to 40 lowercase letters,"
            " digits and hyphens, a letter first"
        )
    for fact, most in _TEXTS.items():
        text = getattr(rules, fact)
        if not isinstance(text, str) or len(text) > most or not text.isprintable():
            raise RulesError(f"{fact} - {short(text)} - write up to {most} printable characters")
    for fact in ("rows", "columns"):
        lines = getattr(rules, fact)
        if type(lines) is not int or not 1 <= lines <= _MOST_LINES:
            raise RulesError(f"{fact} - {short(lines)} - write a whole number from 1 to 10")
    _check_words(rules)
    for fact, least in _LEAST.items():
        count = getattr(rules, fact)
        if count is None and fact != "opening_plies":
            continue
        if type(count) is not int or not least <= count <= _MOST_PLIES:
            raise RulesError(
                f"{fact} - {short(count)} - write a whole number from {least} to {_MOST_PLIES}"
            )
    _check_symbols(rules.symbols)


def _check_words(rules: Any) -> None:
    for fact, choices in _WORDS.items():
        word = getattr(rules, fact)
        if word not in choices:
            known = [choice for choice in choices if choice]
            hint = did_you_mean(str(word), known)
            raise RulesError(f"{fact} - {short(word)}{hint} - write one of {', '.join(known)}")
    exchanges = rules.symmetries == "all" or rules.colors == "transposed"
    if exchanges and rules.rows != rules.columns:
        raise RulesError(
            f"symmetries - a board of {rules.rows}x{rules.columns} cannot exchange rows and"
            " columns - declare rectangle, mirror, turn or none"
        )


def _check_symbols(symbols: Any) -> None:
    is_pair = isinstance(symbols, tuple | list) and len(symbols) == 2
    if is_pair and all(isinstance(pair, str) and len(pair) == 2 for pair in symbols):
        letters = symbols[0]
        if letters.isascii() and letters.isalpha() and len({*letters.upper()}) == 2:
            return
    raise RulesError(
        f"symbols - {short(symbols)} - write two letters, and two symbols, Black's first, such as"
        " ('XO', '●○')"
    )


MOST_MOVES = 16
MOST_NODES = 2048
_ENDS = ("wins", "loses", "draws")
_SIDES = ("black", "white")
_RANKS = re.compile(r"([1-9][0-9]?)(?:-([1-9][0-9]?))?")
_READ: frozenset[str] = frozenset(
    [
        "own",
        "opponent",
        "empty",
        "squares",
        "squares_turned",
        "named_squares",
        "and",
        "or",
        "minus",
        "not",
        "shift",
        "fill",
        "symmetry",
        "first",
        "number",
        "pieces",
        "count",
        "add",
        "subtract",
        "multiply",
        "divide",
        "minimum",
        "maximum",
        "is_black",
        "truth",
        "is_odd",
        "is_empty",
        "contains",
        "less",
        "less_equal",
        "equal",
        "both",
        "either",
        "negation",
        "select",
    ]
)
_INSTEAD: Mapping[str, str] = MappingProxyType(
    {
        "destinations": "asks the rules themselves - write the squares as a set of the board",
        "number_of_moves": "asks the rules themselves - count a set of squares of the board",
        "ply": "is no part of the board - rules read pieces alone, so that equal boards are equal",
        "moved_to": "is known only after a move - read it in own= and opponent= of a move",
        "moved_from": "is known only after a move - read it in own= and opponent= of a move",
        "own_men": "tells men from kings, which games from data do not have - write board.own",
        "opponent_men": "tells men from kings, which such games do not have - write board.opponent",
    }
)


@names_arguments
@dataclass(frozen=True, eq=False)
class Rules:
    """A game for two: how it begins, which moves there are, and how it ends.

    Black moves first and begins at the top. Rules are board expressions of the side that moves and
    read nothing but the board: own and the opponent's pieces, and which side is Black. A wrong
    rule raises `RulesError`: *rule - what is wrong - what to do*.

    >>> from evoply.expressions import board, squares
    >>> from evoply.rules import Rules, step
    >>> race = Rules(
    ...     name="dash",
    ...     rows=5,
    ...     columns=4,
    ...     black="1",
    ...     white="5",
    ...     moves=step(board.own, ["forward", "forward_left"], onto=~board.own),
    ...     wins=board.own & squares("farthest_rank"),
    ... )
    >>> str(race.game().start().legal_moves)
    'a1-a2 a1-b2 b1-b2 b1-c2 c1-c2 c1-d2 d1-d2'
    """

    name: str
    rows: int
    columns: int
    moves: Any
    """Rules of moves: `place`, `step` and `slide`, one or several."""
    title: str = ""
    """The name for people; by default the name with a capital."""
    black: Any = 0
    """Black's squares at the start: ranks ("1-2"), names ("e4 d5"), or any set of squares."""
    white: Any = 0
    playable: Any = None
    """The squares that can be played; None for all of the board."""
    wins: Any = None
    """Whether the side that has just moved has won; a set of squares means that it has one."""
    loses: Any = None
    draws: Any = None
    no_move: str = "loses"
    """What happens to a side without a move: it loses, wins, draws or passes."""
    both_pass: str = "most"
    """Who wins where no side has a move and sides pass: most or fewest pieces, or draw."""
    clock: Any = None
    """How far a game is, as Black sees the board: a number, kept from 0 to 1; by default the share
    of squares that were filled, or of pieces that are gone."""
    quiet: Any = None
    """Whether a board is quiet for the side to move; quiescence looks up to four plies beyond
    others. By default there is none."""
    piece: str = "piece"
    symbols: tuple[str, str] = ("XO", "●○")
    """Black's and White's piece as letters, and as symbols."""
    symmetries: str = "none"
    """A key of `SYMMETRIES`: what leaves the rules as they are."""
    colors: str = ""
    """One of `COLORS`; by default turned if a direction or a set is turned for White."""
    opening_plies: int = 4
    max_plies: int | None = None
    """Plies after which a game is a draw; needed only where games may go on for ever."""
    repetitions: int | None = None
    """How often a board makes a draw."""
    drawn: str = "squares"
    adviser: str = ""
    """The player who advises on the page, as text; "" for the usual one."""
    about: str = ""
    """A sentence or two for people."""

    def __post_init__(self) -> None:
        check_facts(self)
        object.__setattr__(self, "symbols", tuple(self.symbols))
        shape = self.shape
        moves = (self.moves,) if isinstance(self.moves, RuleOfMoves) else self.moves
        moves = moves if isinstance(moves, Iterable) else (moves,)
        fields: dict[str, Any] = {"moves": tuple(moves), "title": self.title or self.name.title()}
        for side in _SIDES:
            fields[side] = _squares(shape, getattr(self, side), side)
        if self.playable is not None:
            fields["playable"] = _squares(shape, self.playable, "playable")
        for end in _ENDS:
            fields[end] = _truth(end, getattr(self, end))
        fields["quiet"] = _truth("quiet", self.quiet)
        if self.clock is not None and not isinstance(self.clock, Number):
            raise RulesError(
                f"clock - {short(self.clock)} is no number of the board - write one from 0 to 1,"
                " such as count(...) * 0.125"
            )
        for name, value in fields.items():
            object.__setattr__(self, name, value)
        self._check_start()
        self._check_expressions()
        if not self.colors:
            object.__setattr__(self, "colors", "turned" if self._is_turned() else "same")
            vars(self).pop("_written")

    @property
    def shape(self) -> BoardShape:
        """The rows and columns of the board."""
        return BoardShape(self.rows, self.columns)

    @cached_property
    def _written(self) -> dict[str, Any]:
        return written(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON form as plain values; see "Rules as JSON" in the documentation."""
        return dict(self._written)

    @property
    def digest(self) -> str:
        """The SHA-256 of all that decides how the game is played, not of names and pictures."""
        return digest_of(self._written)

    def game(self) -> DataGameRules:
        """Return the game with these rules; raises `RulesError` if the kernel cannot play it."""
        try:
            game = DataGameRules.from_written(self._written)
        except ValueError as error:
            raise RulesError(f"{self.name}: {error}") from error
        try:
            start = game.start()
        except ValueError:
            raise RulesError(self._why_it_is_over()) from None
        for wrong in wrong_after(start, self.moves, self.playable):
            raise RulesError(wrong)
        return game

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Rules) and self._written == other._written

    def __hash__(self) -> int:
        return hash(self.digest)

    def _why_it_is_over(self) -> str:
        """Return what is wrong with a game that is over before its first move."""
        moves = ", ".join(
            f"move {number} ({move.KIND})" for number, move in enumerate(self.moves, start=1)
        )
        ends = [f"{end}=" for end in _ENDS if getattr(self, end) is not None]
        or_ends = f", or {' or '.join(ends)} holds there" if ends else ""
        return (
            f"{moves} - Black has no move at the start{or_ends} - change the sets of squares, such"
            " as place(board.empty), or give pieces with black= and white="
        )

    def _check_start(self) -> None:
        both = self.black & self.white
        if both:
            square, *others = (square_name(one, self.shape) for one in squares_in(both))
            more = f" and {len(others)} more" if others else ""
            raise RulesError(
                f"black and white - {square}{more} would hold a piece of both at the start - give"
                " each square to one side"
            )
        if self.playable is not None:
            outside = (self.black | self.white) & ~self.playable
            if outside:
                square = square_name(next(squares_in(outside)), self.shape)
                raise RulesError(f"playable - {square} holds a piece at the start - add it")
            if not self.playable:
                raise RulesError("playable - there is no square - name some, or leave it out")

    def _check_expressions(self) -> None:
        if not 1 <= len(self.moves) <= MOST_MOVES:
            raise RulesError(
                f"moves - there are {len(self.moves)} rules - write 1 to {MOST_MOVES} of"
                " place(...), step(...), slide(...)"
            )
        for number, move in enumerate(self.moves, start=1):
            if not isinstance(move, RuleOfMoves):
                raise RulesError(
                    f"move {number} - {short(move)} is no rule of moves - write place(...),"
                    " step(...) or slide(...)"
                )
            for name, chosen in move.sets.items():
                self._check_reads(f"move {number}, {name}", chosen)
            for name in ("own", "opponent"):
                effect = getattr(move, name)
                if effect is not None:
                    self._check_reads(f"move {number}, {name}", effect, after_move=True)
        for name in (*_ENDS, *TOLD):
            told = getattr(self, name)
            if told is not None:
                self._check_reads(name, told)
        nodes = len(self._written["expression"]["nodes"])
        if nodes > MOST_NODES:
            raise RulesError(
                f"moves - the expressions have {nodes} operations - rules have at most {MOST_NODES}"
            )

    def _check_reads(self, rule: str, chosen: Expression, *, after_move: bool = False) -> None:
        known = _READ | {"moved_from", "moved_to"} if after_move else _READ
        for node in in_order([chosen]):
            if node.op not in known:
                why = _INSTEAD.get(node.op, "is not known in rules - write it with sets of squares")
                raise RulesError(f"{rule} - {node.op} {why}")
            try:
                if node.op == "named_squares":
                    named_squares(self.shape, node.arguments[0])
                elif node.op in ("squares", "squares_turned"):
                    for square in node.arguments[0]:
                        square_index(self.shape, square)
                elif node.op == "contains":
                    square_index(self.shape, node.arguments[1])
            except ValueError as error:
                raise RulesError(f"{rule} - {error} - name squares of {self.shape}") from None
            if node.op == "symmetry" and node.arguments[1] > 3 and not self.shape.is_square:
                raise RulesError(
                    f"{rule} - symmetry {node.arguments[1]} exchanges rows and columns of"
                    f" {self.shape} - use 0 to 3"
                )

    def _is_turned(self) -> bool:
        if any(offset.turned for move in self.moves for offset in move.offsets):
            return True
        nodes = self._written["expression"]["nodes"]
        return any(node[0] in ("squares_turned", "is_black") for node in nodes)


def _truth(end: str, value: object) -> Truth | None:
    from evoply.expressions import is_empty

    if value is None or isinstance(value, Truth):
        return value
    if isinstance(value, Squares):
        return ~is_empty(value)
    what = "a number" if isinstance(value, Expression) else short(value)
    raise RulesError(
        f"{end} - is {what} - write a truth, such as is_empty(board.opponent), or a set of squares,"
        " which means that it is not empty"
    )


def _squares(shape: BoardShape, chosen: object, side: str) -> int:
    """Return the set of squares that *chosen* describes."""
    if isinstance(chosen, bool) or not isinstance(chosen, int | str | Squares | Iterable):
        raise RulesError(
            f'{side} - {short(chosen)} - write ranks ("1-2"), squares ("e4 d5") or both'
        )
    if isinstance(chosen, int):
        if not 0 <= chosen < 1 << shape.squares:
            raise RulesError(f"{side} - has squares outside {shape} - name squares of the board")
        return chosen
    if isinstance(chosen, Squares):
        if chosen.op not in ("named_squares", "squares"):
            raise RulesError(f"{side} - is no constant set - name the squares")
        chosen = chosen.arguments[0]
    text: Any = chosen
    words = text.replace(",", " ").split() if isinstance(text, str) else list(text)
    found = 0
    for word in words:
        try:
            found |= _word(shape, word)
        except ValueError as error:
            raise RulesError(f"{side} - {error} - name squares or ranks of {shape}") from None
    return found


def _word(shape: BoardShape, word: object) -> int:
    ranks = _RANKS.fullmatch(word) if isinstance(word, str) else None
    if ranks is not None:
        first, last = int(ranks[1]), int(ranks[2] or ranks[1])
        if not 1 <= first <= last <= shape.rows:
            raise ValueError(f"ranks {word} are not on {shape}")
        rank = (1 << shape.columns) - 1
        return sum(rank << shape.index(row, 0) for row in range(first - 1, last))
    if isinstance(word, str) and re.fullmatch("[a-zA-Z][0-9]{1,2}", word):
        return bits([square_index(shape, word.lower())])
    if isinstance(word, int):
        return bits([square_index(shape, word)])
    return named_squares(shape, str(word))
