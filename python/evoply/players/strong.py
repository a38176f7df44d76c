"""The player `strong`: patterns that evoply learned from its own games, searched at twelve levels.

Levels differ in how far they look, in how much of the search they leave out and in how many empty
squares they solve exactly. Weak ones err as people do: they overlook moves, and they draw among
those they see, the likelier the better. The tables of a game lie in one file, which `evoply pack`
writes; docs/strong.md says how, and how strong each level is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import Field, model_validator

from evoply import _native
from evoply.environment.files import read_limited
from evoply.expressions import number
from evoply.games import GAMES, game_rules
from evoply.players.evaluators import ExpressionEvaluator
from evoply.players.packed import LARGEST_PACKED, PackedTables, read_packed
from evoply.players.player_kind import NamedKind, Wrapping
from evoply.players.search_options import MAX_DEPTH, MAX_ENDGAME
from evoply.players.specs import AlphaBeta


class SearchLevel(NamedTuple):
    """The search of a level."""

    depth: int
    temperature: float | None = None
    overlooks: float = 0.0
    """The probability that it does not see a move."""
    selective: float | None = None
    """The sigmas outside the window from which a search is left out."""
    endgame: int = 0
    """The number of empty squares from which it plays exactly."""


_WITH_SOLVER = (
    # Temperatures are in discs.
    SearchLevel(1, temperature=30.0, overlooks=0.85),
    SearchLevel(1, temperature=12.0, overlooks=0.7),
    SearchLevel(1, temperature=8.0, overlooks=0.5),
    SearchLevel(1, temperature=4.5, overlooks=0.3),
    SearchLevel(1, temperature=2.5, overlooks=0.18),
    SearchLevel(1, temperature=1.2, overlooks=0.08),
    SearchLevel(2, temperature=1.0, overlooks=0.04),
    SearchLevel(2, endgame=14),
    SearchLevel(4, selective=1.5, endgame=14),
    SearchLevel(6, selective=1.5, endgame=16),
    SearchLevel(10, selective=1.5, endgame=18),
    SearchLevel(16, selective=1.5, endgame=20),
)
_WITHOUT = (
    # Temperatures are on the scale of the tables: 0.1 is a tenth of the way to a certain win.
    SearchLevel(1, temperature=1.0, overlooks=0.8),
    SearchLevel(1, temperature=0.5, overlooks=0.35),
    SearchLevel(1, temperature=0.22, overlooks=0.13),
    SearchLevel(1, temperature=0.13, overlooks=0.07),
    SearchLevel(2, temperature=0.15, overlooks=0.08),
    SearchLevel(2, temperature=0.085, overlooks=0.04),
    SearchLevel(2, temperature=0.03, overlooks=0.01),
    SearchLevel(3),
    SearchLevel(4),
    SearchLevel(6),
    SearchLevel(8),
    SearchLevel(10),
)

_FROM_TABLE = 5
"""The least depth at which a search keeps positions."""
_SOLVED_BEYOND = 8
"""Empty squares more than plies from which a player of a depth solves the end, as NTest does."""
_MOST_SOLVED = 20


LEVEL_NAMES = (
    "Beginner", "Novice", "Learner", "Casual", "Hobbyist", "Club player",
    "Advanced", "Strong", "Tournament", "Candidate", "Expert", "Master",
)  # fmt: skip
"""The names of the levels, from 1 on."""
USUAL_LEVEL = 8
"""The level of `strong` without options."""


def levels_of(game: str) -> tuple[SearchLevel, ...]:
    """Return the levels of *game*, from 1 on.

    >>> levels_of("othello")[USUAL_LEVEL - 1].depth
    2
    """
    return _WITH_SOLVER if game_rules(game).solver else _WITHOUT


@lru_cache(maxsize=1)
def strong_games() -> tuple[str, ...]:
    """Return the games whose tables come with evoply: those that have a file."""
    return tuple(game for game in GAMES if _file(game).is_file())


@lru_cache(maxsize=8)
def strong_tables(game: str = "othello") -> PackedTables:
    """Return the tables of *game* that come with evoply; they are read when first asked for."""
    file = _file(game)
    try:
        return read_packed(read_limited(file, LARGEST_PACKED))
    except ValueError as error:
        raise ValueError(f"{file}: {error} - install evoply again") from None


@lru_cache(maxsize=8)
def _evaluator(game: str) -> ExpressionEvaluator:
    """Return the tables of *game* as an expression, which takes most of a second to write."""
    return ExpressionEvaluator(expression=strong_tables(game).expression().to_dict())


def _file(game: str) -> Path:
    return Path(__file__).with_name(f"strong-{game}.json")


class Strong(NamedKind, Wrapping):
    """Searches with the tables that come with evoply; see the docstring of the module.

    >>> Strong(level=9).label, Strong(level=9).level_name
    ('strong:level=9', 'Tournament')
    """

    names: ClassVar[Mapping[str, str]] = MappingProxyType(
        {"strong": "pattern tables learned by self-play; options level, depth and others"}
    )

    kind: Literal["strong"] = "strong"
    game: str = "othello"
    """The game of its tables."""
    level: int = Field(default=USUAL_LEVEL, ge=1, le=len(LEVEL_NAMES), strict=True)
    """1 (Beginner) to 12 (Master); 8 takes at most 50 ms a move."""
    depth: int | None = Field(default=None, ge=1, le=MAX_DEPTH, strict=True)
    """Plies instead of a level: no temperature, and nothing left out. In Othello it plays exactly
    from 8 more empty squares on than that, at most from 20."""
    selective: float | None = Field(default=None, ge=0.1, le=100, title="number of sigmas")
    """Leave out what a shallow search foretells to be so many standard deviations outside."""
    endgame: int | None = Field(default=None, ge=0, le=MAX_ENDGAME, strict=True)
    """The number of empty squares from which it plays exactly; None: that of the level."""
    guard: bool = Field(default=True, strict=True)
    """Whether it sees replies that take its last discs, in Othello."""
    epsilon: float = Field(default=0.0, ge=0, le=1, title="probability")
    """The probability of a random move."""
    tables: str | None = Field(default=None, pattern="^[0-9a-f]{16}$")
    """The digest of the tables, by which a config or a file identifies them."""

    @model_validator(mode="after")
    def _is_a_level_or_a_depth(self) -> Self:
        if self.game not in strong_games():
            raise ValueError(f"game: {_plays()}")
        if (
            self.depth is not None
            and "level" in self.model_fields_set
            and self.level != USUAL_LEVEL
        ):
            raise ValueError("give level or depth, not both: a level has a depth of its own")
        if self.selective is not None and self._level.temperature is not None:
            raise ValueError(f"level {self.level} values every move exactly: leave selective out")
        return self

    @classmethod
    def from_text(cls, text: str, game: str) -> Self | None:
        player = super().from_text(text, game)
        if player is None or game not in strong_games():
            return player  # for a game without tables `check_fits` says which there are
        return player.model_copy(update={"game": game})

    @classmethod
    def text_options(cls) -> Sequence[str]:
        return ("level", "depth", "selective", "endgame", "guard", "epsilon")

    def with_options(self, options: Mapping[str, Any]) -> Self:
        """Return the player with other *options*; a level and a depth take each other's place."""
        if options.get("depth") is not None:
            return super().with_options({"level": USUAL_LEVEL, **options})
        return super().with_options({"depth": None, **options} if "level" in options else options)

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        return self._level._asdict().items()

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` for another game than its own, and for other tables than meant."""
        if game not in strong_games():
            raise ValueError(_plays())
        if game != self.game:
            raise ValueError(f"this is strong of {self.game}: name it anew for {game}")
        if self.endgame and not game_rules(game).solver:
            raise ValueError(f"{game} has no exact solver: leave endgame out")
        packed = strong_tables(game)
        if self.tables is not None and self.tables != packed.digest:
            raise ValueError(
                f"strong was made with other tables ({self.tables}) than come with this version of "
                f"evoply ({packed.digest}): use that version, or leave `tables` out"
            )

    def native(self, game: str) -> _native.Player:
        self.check_fits(game)
        return self.inner.with_program(game, strong_tables(self.game).program)

    def self_contained(self) -> AlphaBeta:
        """Return the player with its tables as an expression, which needs no file of evoply's."""
        update = {"evaluator": _evaluator(self.game), "name": self.label}
        return self.inner.model_copy(update=update)

    def anywhere(self) -> Strong:
        """Return the player with the digest of its tables."""
        return self.model_copy(update={"tables": strong_tables(self.game).digest})

    def identity(self) -> dict[str, Any]:
        """Return how it searches, and which tables: a digest need not hold all entries."""
        search = self.inner.model_dump(mode="json", exclude={"name", "evaluator"})
        return {**search, "kind": "strong", "tables": strong_tables(self.game).digest}

    def valuing(self) -> AlphaBeta:
        """Return the search with its tables as an expression."""
        return self.self_contained()

    @property
    def level_name(self) -> str | None:
        """The name of its level; None if it has a depth instead."""
        return LEVEL_NAMES[self.level - 1] if self.depth is None else None

    @property
    def _level(self) -> SearchLevel:
        if self.depth is None:
            level = levels_of(self.game)[self.level - 1]
        else:
            solved = min(self.depth + _SOLVED_BEYOND, _MOST_SOLVED)
            has_solver = bool(game_rules(self.game).solver)
            level = SearchLevel(self.depth, endgame=solved if has_solver else 0)
        own: dict[str, Any] = {"selective": self.selective, "endgame": self.endgame}
        return level._replace(**{name: value for name, value in own.items() if value is not None})

    @property
    def inner(self) -> AlphaBeta:
        """Its search, with a placeholder for the tables as its evaluator."""
        depth, temperature, overlooks, sigmas, endgame = self._level
        return AlphaBeta(
            evaluator=ExpressionEvaluator(expression=number(0.0).to_dict()),
            view="turn",
            ties="random",
            depth=depth,
            temperature=temperature,
            overlooks=overlooks,
            selective=None if sigmas is None else strong_tables(self.game).selectivity(sigmas),
            endgame=endgame,
            quiescence=game_rules(self.game).has_captures and depth > 1,
            guard=self.guard and bool(game_rules(self.game).solver),
            presses_on=game_rules(self.game).has_captures,
            table=0 if depth < _FROM_TABLE else min(10 + depth, 18),
            epsilon=self.epsilon,
        )


def _plays() -> str:
    *first, last = strong_games()
    return f"strong plays {', '.join(first)} and {last}"
