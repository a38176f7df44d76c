"""The options of a search: whatever there is to one is declared at its field, and in the kernel.

Texts of players, labels, refusals, the kernel's arguments and explanations follow, see `options`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from evoply.games import game_rules
from evoply.gp.forest import is_ordered
from evoply.players.evaluators import ExpressionEvaluator
from evoply.players.options import (
    Option,
    number,
    option_text,
    option_texts,
    options_of,
)
from evoply.players.player_kind import ValuingPlayer
from evoply.players.selectivity import Selectivity
from evoply.players.timing import Timing
from evoply.wording import short_formula

MAX_DEPTH = 60
MAX_NODES = 10**12
MAX_WORK = 10**15
MAX_TIME = 86_400.0
MAX_TABLE = 22
MAX_ENDGAME = 30
MAX_NOISE = 1000
MIN_TEMPERATURE = 1e-6
MAX_TEMPERATURE = 1e6
MEASURED_DEPTH = 3
"""Reports measure deeper players at this depth: every variant searches every position."""
SEARCH_LIMITS = ("nodes", "work", "time")
"""What ends a search before its depth."""
OF_LEAVES = ("noise", "second")
"""What leaves are worth depends on these: who has one does not play without it unnoticed."""
NODES_OR_WORK = "give nodes or work, not both: work stands for a number of nodes"


def _check_captures(_: object, game: str) -> None:
    if not game_rules(game).has_captures:
        raise ValueError(f"{game} has no captures: quiescence is for checkers")


def _check_solver(_: object, game: str) -> None:
    if not game_rules(game).solver:
        raise ValueError(f"{game} has no exact solver: leave endgame out")


Noise = Literal["uniform"] | Annotated[int, Field(ge=1, le=MAX_NOISE, strict=True)]

# Options that the individuals of an evolution have too.
Nodes = Annotated[int | None, Field(ge=1, le=MAX_NODES, strict=True), Option(told_as=None)]
Work = Annotated[int | None, Field(ge=1, le=MAX_WORK, strict=True), Option(told_as=None)]
Quiescence = Annotated[
    bool,
    Field(strict=True),
    Option(says="Beyond that it follows captures to their end.", check_game=_check_captures),
]


def _says_ordering(player: SearchOptions) -> str:
    is_tree = player.ordering == "tree"
    return "Its second tree says which moves it looks at first." if is_tree else ""


def _says_endgame(player: SearchOptions) -> str:
    empty = "square is" if player.endgame == 1 else "squares are"
    return f"When at most {player.endgame} {empty} empty it plays perfectly."


def _says_noise(player: SearchOptions) -> str:
    most = "1" if player.noise == "uniform" else f"{player.noise}, a whole number"
    return f"To the value of every leaf it adds a random draw from 0 to {most}."


def _says_second(player: SearchOptions) -> str:
    assert player.second is not None  # that is what is said
    other = short_formula(str(player.second.parsed))
    return f"For every {player.alternate} a coin may choose {other} instead."


def _clashes(player: SearchOptions) -> Iterator[str]:
    """Yield which options of a search do not go together."""
    individual = player.evaluator.individual
    if player.nodes is not None and player.work is not None:
        yield NODES_OR_WORK
    if player.ordering == "hash" and not player.table:
        yield "ordering=hash needs a table, as in table=18"
    if player.deeper and not player.table:
        yield "deeper=yes needs a table, as in table=18"
    if player.ordering == "tree" and (individual is None or not is_ordered(individual)):
        yield "ordering=tree needs a second tree, as in { ordered ( white ) ( white_corners ) }"
    if player.second is None and player.alternate != "move":
        yield "alternate needs a second evaluator"
    if player.second is not None and individual is not None:
        yield "evaluators that alternate must be expressions, not trees"


def _clashes_by_chance(player: SearchOptions) -> Iterator[str]:
    """Yield which options do not go with draws of values or of moves."""
    if player.noise is not None and player.second is not None:
        yield "give noise or a second evaluator, not both"
    if player.table and (player.noise is not None or player.alternate == "leaf"):
        yield (
            "table: values of leaves are drawn anew each time (noise, alternate=leaf), and a table "
            "would remember them: leave table out"
        )
    if player.selective is not None and player.draws_leaves:
        yield "selective: values drawn for leaves cannot be foretold: leave it out"
    if player.temperature is not None and player.selective is not None:
        yield "temperature needs every move's exact value: leave selective out"
    if player.temperature is not None and (player.is_limited or player.timing is not None):
        yield (
            "temperature values every move to one depth: give depth, and neither nodes, work, time "
            "nor timing"
        )


class SearchOptions(ValuingPlayer):
    """What a player that looks ahead is asked for; `AlphaBeta` is how it is played."""

    depth: Annotated[
        int,
        Field(ge=1, le=MAX_DEPTH, strict=True),
        Option(read=number(int, 0, MAX_DEPTH), shown=None),
    ] = 1
    """Plies looked ahead, the own move included; in a text 0 is the player that only compares the
    boards after its moves."""
    nodes: Nodes = None
    """Positions that a choice may look at."""
    work: Work = None
    """The same in nodes times operations of the lowered evaluator, so that a larger one sees fewer
    nodes (`nodes_for`); of a value and an ordering the larger counts."""
    time: Annotated[
        float | None,
        Field(ge=0.001, le=MAX_TIME, title="number of seconds"),
        Option(told_as="milliseconds", native=lambda seconds: round(seconds * 1000)),
    ] = None
    """Seconds that a choice may take."""
    timing: Annotated[Timing | None, Option(told_as=None)] = None
    """How the time of a game with a clock is divided among the moves, by "firebrand" (a timed probe
    and an alarm) or "modern" (deeper and deeper under a deadline), see `evoply.players.timing`. The
    limits above are then for games without a clock."""
    ordering: Annotated[
        Literal["usual", "none", "hash", "evaluator", "refutation", "killer", "tree"],
        Option(says=_says_ordering),
    ] = "usual"
    """Which moves are looked at first, "none" (as they come), "hash" (the table's best move),
    "evaluator" (the best board after the move), "refutation" (own moves by the boards after them,
    then replies that refuted other moves; with a limit or a table as "hash"), "killer" (few
    replies, and what cut off elsewhere), "tree" (the board after the move that the evaluator's
    second tree finds best, in an individual of role "ordered") or "usual" ("killer" from four plies
    on, "refutation" with three, "none" below, and where an order could change the choice: with
    *nodes*, *work* or *deeper*)."""
    table: Annotated[int, Field(ge=0, le=MAX_TABLE, strict=True), Option()] = 0
    """Keeps 2**table positions, at least four (32 bytes each; 0: no table)."""
    deeper: Annotated[bool, Field(strict=True), Option()] = False
    """Also uses what the table knows from looking further than asked, which may change the move."""
    quiescence: Quiescence = False
    """In checkers: a board at the horizon whose side to move must capture is not valued; all its
    moves are looked at, and so on until no capture is pending. They count as nodes."""
    endgame: Annotated[
        int,
        Field(ge=0, le=MAX_ENDGAME, strict=True),
        Option(says=_says_endgame, check_game=_check_solver),
    ] = 0
    """In Othello: with at most so many empty squares the exact solver chooses, among all moves that
    keep the final score by *ties*; the score is then the final difference in discs. Limits in nodes
    and work are those of the search before; with a limit in time the solver gets half of it, and a
    search the other half if the solver did not finish."""
    noise: Annotated[
        Noise | None,
        Option(
            says=_says_noise,
            native=lambda noise: 0 if noise == "uniform" else noise,
            read=lambda text: text if text == "uniform" else number(int, 1, MAX_NOISE)(text),
        ),
    ] = None
    """Adds to the value of each leaf a draw of its own, "uniform" from [0, 1) or a whole number
    from 0 to *noise*."""
    second: Annotated[
        ExpressionEvaluator | None,
        Option(
            says=_says_second,
            check_game=lambda evaluator, game: evaluator.check_fits(game),
            told_as=None,
            read=False,
            shown=None,
        ),
    ] = None
    """Another evaluator, which takes over from the first when a coin says so."""
    alternate: Annotated[Literal["game", "move", "leaf"], Option()] = "move"
    """What the coin is thrown for: each game, move or leaf."""
    temperature: Annotated[
        float | None,
        Field(ge=MIN_TEMPERATURE, le=MAX_TEMPERATURE),
        Option(
            says="It draws its move, the likelier the better: one that is worth {:g} less than the "
            "best is about e times less likely."
        ),
    ] = None
    """Instead of the best move one is drawn; a move whose value is a temperature less than the best
    is about e times less likely, and a move that loses at once is drawn only where all do. Every
    move's exact value at *depth* counts, so it goes with no other limit. With an *endgame* the
    exact solver chooses there all the same."""
    selective: Annotated[
        Selectivity | None,
        Option(
            says="It leaves out searches whose result a shallow one foretells.",
            check_game=lambda selective, game: selective.check_fits(game),
            native=lambda selective: selective.native,
            read=False,
            shown=lambda selective: option_text(selective.sigmas),
        ),
    ] = None
    """Where a shallow search foretells that the value is far outside the window, the deep one is
    left out (Multi-ProbCut). Value and move are then not always those of the depth."""

    @model_validator(mode="before")
    @classmethod
    def _as_deep_as_the_limit_allows(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "depth" not in data:
            is_limited = any(data.get(limit) is not None for limit in SEARCH_LIMITS)
            return {**data, "depth": MAX_DEPTH} if is_limited else data
        return data

    @model_validator(mode="after")
    def _options_go_together(self) -> Self:
        for problem in (*_clashes(self), *_clashes_by_chance(self)):
            raise ValueError(problem)
        return self

    @property
    def plies_ahead(self) -> int:
        """The depth."""
        return self.depth

    @property
    def draws_leaves(self) -> bool:
        """Whether it adds noise, or alternates."""
        return self.noise is not None or self.second is not None

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again: not with a limit in time."""
        return self.time is None

    @property
    def is_limited(self) -> bool:
        """Whether something else than the depth may end the search."""
        return any(getattr(self, limit) is not None for limit in SEARCH_LIMITS)

    @property
    def search_texts(self) -> list[str]:
        """The depth and what is unusual about the search, as options of the player's text."""
        texts = option_texts(self, SEARCH)
        is_deepest = self.is_limited and self.depth == MAX_DEPTH
        return texts if is_deepest else [f"depth={self.depth}", *texts]

    @property
    def habits(self) -> tuple[str, ...]:
        """How far it looks ahead, and what there is to say of its other options."""
        plies = "its own move" if self.depth == 1 else f"{self.depth} plies"
        at_most = "at most " if self.is_limited and self.depth > 1 else ""
        measured = f" (measured at {MEASURED_DEPTH})" if self.depth > MEASURED_DEPTH else ""
        ahead = f"It looks {at_most}{plies} ahead{measured} and knows won and lost games exactly."
        return (ahead, *super().habits)


SEARCH = tuple(name for name in options_of(SearchOptions) if name not in options_of(ValuingPlayer))
"""The names of the options of a search."""
