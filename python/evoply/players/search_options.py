"""The options of players that look ahead, each declared at its field.

From the declarations `evoply.players.player_kind` derives how texts and labels write an option,
what messages and explanations say of it, and the argument that the kernel takes. What an option
does is in the kernel.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator

from evoply.games import game_rules
from evoply.gp.tree import is_ordered
from evoply.players.evaluators import ExpressionEvaluator
from evoply.players.packed import Selectivity
from evoply.players.player_kind import (
    Option,
    ValuingPlayer,
    number,
    option_text,
    option_texts,
    options_of,
)
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
"""Reports measure players that look further at this depth: each position is searched often."""
SEARCH_LIMITS = ("nodes", "work", "time")
"""The limits that can end a search before its depth."""
OF_STAGES = ("overlap", "slide", "clock")
"""The options of players with stages."""
OF_LEAVES = ("noise", "second")
"""The options that change what leaves are worth: without them a player would be another one."""
NODES_OR_WORK = "give nodes or work, not both: work stands for a number of nodes"


def _check_captures(_: object, game: str) -> None:
    if not game_rules(game).has_captures:
        raise ValueError(
            f"{game} has no captures, nor do its rules say what is quiet: leave quiescence out"
        )


def check_solver(endgame: int | None, game: str) -> None:
    """Raise `ValueError` for an *endgame* of a *game* that has no exact solver."""
    if endgame and not game_rules(game).solver:
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


def says_endgame(player: Any) -> str:
    """Return the sentence about the solver of a player with an *endgame*."""
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
    if player.overlooks and player.temperature is None:
        yield "overlooks goes with a temperature: add one, as in temperature=0.1"
    if player.temperature is not None and (player.is_limited or player.timing is not None):
        yield (
            "temperature values every move to one depth: give depth, and neither nodes, work, time "
            "nor timing"
        )


class SearchOptions(ValuingPlayer):
    """The options of a player that looks ahead; `AlphaBeta` plays by them."""

    depth: Annotated[
        int,
        Field(ge=1, le=MAX_DEPTH, strict=True),
        Option(read=number(int, 0, MAX_DEPTH), shown=None),
    ] = 1
    """Plies that the search looks ahead, the own move included. In the text of a player 0 stands
    for one that only compares the boards after its moves."""
    nodes: Nodes = None
    """The greatest number of positions that the search of a choice may look at."""
    work: Work = None
    """The limit in nodes times operations of the lowered evaluator, so that a larger evaluator sees
    fewer nodes (`nodes_for`). Of an evaluator and an ordering the larger one counts."""
    time: Annotated[
        float | None,
        Field(ge=0.001, le=MAX_TIME, title="number of seconds"),
        Option(told_as="milliseconds", native=lambda seconds: round(seconds * 1000)),
    ] = None
    """Seconds that a choice may take."""
    timing: Annotated[Timing | None, Option(told_as=None)] = None
    """How the time of a game with a clock is divided among the moves: "firebrand" (a timed probe
    and an alarm) or "modern" (deeper and deeper under a deadline), see `evoply.players.timing`. The
    limits above then hold only in games without a clock."""
    ordering: Annotated[
        Literal["usual", "none", "hash", "evaluator", "refutation", "killer", "tree"],
        Option(says=_says_ordering),
    ] = "usual"
    """Which moves the search looks at first. "none": in the order of legal moves. "hash": the best
    move in the table. "evaluator": the move with the best board after it. "refutation": own moves
    with the best boards after them, and replies that refuted other moves; with a limit or a table
    the same as "hash". "killer": moves that leave few replies, and moves that cut off elsewhere.
    "tree": the move after which the evaluator's second tree finds the board best, in an individual
    of role "ordered". "usual": "killer" from four plies on, "refutation" with three, "none" below,
    and also "none" where an order could change the choice: with *nodes*, *work* or *deeper*."""
    table: Annotated[int, Field(ge=0, le=MAX_TABLE, strict=True), Option()] = 0
    """The search remembers 2**table positions, at least four (32 bytes each); 0: no table."""
    deeper: Annotated[bool, Field(strict=True), Option()] = False
    """Whether to use entries of the table from deeper searches too, which may change the move."""
    quiescence: Quiescence = False
    """In checkers: never value a board at the horizon whose side to move must capture, but look at
    all its moves, and so on until no capture is pending. These boards count as nodes."""
    guard: Annotated[
        bool,
        Field(strict=True),
        Option(says="With few pieces it sees replies that win the game at once.", is_later=True),
    ] = False
    """Whether to look one reply beyond the horizon where the side that just moved has at most
    eight pieces: if a reply ends the game and wins it, as by taking every disc in Othello, the
    board is lost for that side. Replies count as nodes."""
    endgame: Annotated[
        int,
        Field(ge=0, le=MAX_ENDGAME, strict=True),
        Option(says=says_endgame, check_game=check_solver),
    ] = 0
    """In Othello: with at most this many empty squares the exact solver chooses. Of the moves that
    keep the best final score it takes one by *ties*, and the score of the choice is the final
    difference in discs. Limits in nodes and work hold only for searches, not for the solver. With a
    limit in time the solver gets half of it; if it does not finish, a search gets the rest."""
    presses_on: Annotated[
        bool,
        Field(strict=True),
        Option(
            says="While it is ahead it does not go back to earlier positions of the game.",
            is_later=True,
        ),
    ] = False
    """Whether to press on while the search finds the side to move ahead: it then takes the best
    move that leads to no earlier position of the game, if that move keeps it ahead, too. For games
    where repetitions make draws, which no search sees. A search with a limit other than a depth
    looks two plies less far for this move. With a *temperature* it draws among the other moves."""
    noise: Annotated[
        Noise | None,
        Option(
            says=_says_noise,
            native=lambda noise: 0 if noise == "uniform" else noise,
            read=lambda text: text if text == "uniform" else number(int, 1, MAX_NOISE)(text),
        ),
    ] = None
    """A random number that is added to the value of each leaf: "uniform" from [0, 1), or a whole
    number from 0 to *noise*."""
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
    """Another evaluator; a coin decides which of the two is used."""
    alternate: Annotated[Literal["game", "move", "leaf"], Option()] = "move"
    """Whether the coin is thrown for each game, move or leaf."""
    temperature: Annotated[
        float | None,
        Field(ge=MIN_TEMPERATURE, le=MAX_TEMPERATURE),
        Option(
            says="It draws its move, the likelier the better: one that is worth {:g} less than the "
            "best is about e times less likely."
        ),
    ] = None
    """The player draws its move instead of taking the best. A move whose value is a temperature
    less than the best is about e times less likely; a move that loses at once is drawn only if all
    do. This needs the exact value of every move at *depth*, so it goes with no other limit. In an
    *endgame* the exact solver chooses all the same."""
    overlooks: Annotated[
        float,
        Field(ge=0, le=0.95, title="probability"),
        Option(
            says="It overlooks each move with a probability of {:g}.",
            read=number(float, 0, 0.95),
            is_later=True,
        ),
    ] = 0.0
    """The probability that the player does not see a move, drawn anew for each; if it sees none, it
    sees all. It goes with a *temperature*."""
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
    """A deep search is left out if a shallow one foretells a value far outside the window
    (Multi-ProbCut). The value and the move are then not always those of a full search."""

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
        """Whether the values of leaves have noise, or two evaluators alternate."""
        return self.noise is not None or self.second is not None

    @property
    def is_limited(self) -> bool:
        """Whether a limit other than the depth may end the search."""
        return any(getattr(self, limit) is not None for limit in SEARCH_LIMITS)

    @property
    def search_texts(self) -> list[str]:
        """The depth and what is unusual about the search, as options of the player's text."""
        texts = option_texts(self, SEARCH)
        is_deepest = self.is_limited and self.depth == MAX_DEPTH
        return texts if is_deepest else [f"depth={self.depth}", *texts]

    @property
    def habits(self) -> tuple[str, ...]:
        """Sentences that say how far it looks ahead, and what its other options do."""
        plies = "its own move" if self.depth == 1 else f"{self.depth} plies"
        at_most = "at most " if self.is_limited and self.depth > 1 else ""
        measured = f" (measured at {MEASURED_DEPTH})" if self.depth > MEASURED_DEPTH else ""
        ahead = f"It looks {at_most}{plies} ahead{measured} and knows won and lost games exactly."
        return (ahead, *super().habits)


SEARCH = tuple(name for name in options_of(SearchOptions) if name not in options_of(ValuingPlayer))
"""The names of the options of a search."""
