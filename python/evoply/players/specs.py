"""Players as data: small frozen models that the kernel runs, tagged by `kind`.

A player is the same for every game; `seat` is where it learns which one it plays. What plays
without being data stands in `bots` and `python_players`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

from pydantic import (
    Field,
    model_validator,
)

from evoply import _native
from evoply.expressions import Expression, outputs_to_json
from evoply.games import game_rules
from evoply.gp.forest import is_ordered
from evoply.gp.lowering import lower
from evoply.notebook import table_html
from evoply.players.evaluators import Evaluator, ExpressionEvaluator, TreeEvaluator
from evoply.players.kernel_seat import KernelSeat, TimeUse
from evoply.players.kind import PlayerKind, option_text, player_text, unusual_options
from evoply.players.selectivity import Selectivity
from evoply.players.timing import Timing

MAX_DEPTH = 60
MAX_NODES = 10**12
MAX_WORK = 10**15
MAX_TIME = 86_400.0
MAX_TABLE = 22
MAX_ENDGAME = 30
MAX_NOISE = 1000
MIN_TEMPERATURE = 1e-6
MAX_TEMPERATURE = 1e6
NOT_REPRODUCIBLE = " (not reproducible)"

Ties = Literal["first", "last", "random", "column", "advanced"]
View = Literal["turn", "player"]
Ordering = Literal["usual", "none", "hash", "evaluator", "refutation", "killer", "tree"]
Alternate = Literal["game", "move", "leaf"]
Noise = Literal["uniform"] | Annotated[int, Field(ge=1, le=MAX_NOISE, strict=True)]


class KernelPlayer(PlayerKind):
    """What all players share that the kernel runs: a subclass says what they are there."""

    def seat(self, game: str) -> KernelSeat:
        """Return a seat for *game*; `ValueError` if it does not fit."""
        return KernelSeat(self.native(game), self.uses_time(), player=lambda: self)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        raise NotImplementedError(f"{type(self).__name__} does not say what the kernel runs")

    def uses_time(self) -> TimeUse | None:
        """Return how the player uses the time of a game; None for one that chooses at once."""
        return None


class RandomPlayer(KernelPlayer):
    """Chooses uniformly among the legal moves."""

    kind: Literal["random"] = "random"

    @property
    def label(self) -> str:
        """The name, or "random"."""
        return self.name or "random"

    def _repr_html_(self) -> str:
        rows = (("chooses", "uniformly among its legal moves"),)
        return table_html(f"Player {self.label}", rows)

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*."""
        return _native.Player(game_rules(game).kernel, "random")

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if there is no such game."""
        game_rules(game)

    def steady(self) -> RandomPlayer:
        """Return the player itself."""
        return self


class _Valuing(KernelPlayer):
    """What the players share that compare values of boards."""

    evaluator: Evaluator
    ties: Ties = "first"
    view: View = "player"
    epsilon: float = Field(default=0.0, ge=0.0, le=1.0, title="probability")

    def _repr_html_(self) -> str:
        rows = (
            ("values boards by", self.evaluator.parsed),
            ("plies ahead", getattr(self, "depth", 1)),
            ("ties", self.ties),
            ("view", self.view),
            ("random moves", f"{self.epsilon:.1%}"),
        )
        return table_html(f"Player {self}", rows)

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if the evaluator or the ties need another game than *game*."""
        self.evaluator.check_fits(game)
        check_ties(self.ties, game)

    def self_contained(self) -> Self:
        """Return the same player with its primitives as data."""
        return self.model_copy(update={"evaluator": self.evaluator.self_contained()})


class AfterState(_Valuing):
    """Chooses the move whose board after it has the greatest value; looks no further.

    *ties*: which of equally good moves is taken, the "first" or "last" in the order of legal moves,
    a "random" one, the first "column" by column (by the file of the square moved to, then by its
    row), or, where pieces move, the "advanced" one: of the piece that is nearest to the far side.

    *view*: for whom own stands in the evaluator, "player" (who chooses) or "turn" (who is to
    move at the evaluated board). *epsilon* is the probability of a uniformly random move.
    """

    kind: Literal["after_state"] = "after_state"

    @property
    def label(self) -> str:
        """The name, or the evaluator and what is unusual about the player."""
        return self.name or player_text(self.evaluator.label, _own_options(self))

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        return self.with_program(game, self.evaluator.program(game))

    def with_program(self, game: str, program: _native.Program) -> _native.Player:
        """Return the kernel's form with an evaluator that is lowered already; its own is unused."""
        return _native_player(self, game, self.kind, program)

    def steady(self) -> AfterState:
        """Return the player itself."""
        return self


class AlphaBeta(_Valuing):
    """Searches *depth* plies, the own move included, by alpha-beta; finished games count exactly.

    With a limit in *nodes*, *work* or *time* (seconds) it looks deeper and deeper, and the last
    depth that was completed answers; *depth* is then `MAX_DEPTH` unless given. One ply is always
    looked ahead. *work* is nodes times operations of the lowered evaluator, so that a larger
    evaluator sees fewer nodes (`nodes_for`); of a value and an ordering the larger counts. A player
    with a limit in time is not `reproducible`.

    *ordering*: which moves are looked at first, "none" (as they come), "hash" (the table's best
    move), "evaluator" (the best board after the move), "refutation" (own moves by the boards after
    them, then replies that refuted other moves; with a limit or a table as "hash"), "killer" (few
    replies, and what cut off elsewhere), "tree" (the board after the move that the evaluator's
    second tree finds best, in an individual of role "ordered") or "usual" ("killer" from four plies
    on, "refutation" with three, "none" below, and where an order could change the choice: with
    *nodes*, *work* or *deeper*). *table* keeps 2**table positions, at least four (32 bytes each; 0:
    no table).
    They change speed, never the move or its value. *deeper* also uses what the table knows from
    looking further than asked: then they do.

    *quiescence*, in checkers: a board at the horizon whose side to move must capture is not valued;
    all its moves are looked at, and so on until no capture is pending. They count as nodes.

    *endgame*, in Othello: with at most so many empty squares the exact solver chooses, among all
    moves that keep the final score by *ties*; the score is then the final difference in discs.
    Limits in nodes and work are those of the search before; with a limit in time the solver gets
    half of it, and a search the other half if the solver did not finish.

    *temperature*: instead of the best move one is drawn; a move whose value is a temperature less
    than the best is about e times less likely, and a move that loses at once is drawn only where
    all do. Every move's exact value at *depth* counts, so it goes with no other limit. With an
    *endgame* the exact solver chooses there all the same.

    *selective*: where a shallow search foretells that the value is far outside the window, the deep
    one is left out (Multi-ProbCut). Value and move are then not always those of the depth.

    *timing*: how the time of a game with a clock is divided among the moves, by "firebrand" (a
    timed probe and an alarm) or "modern" (deeper and deeper under a deadline), see
    `evoply.players.timing`. The limits above are then for games without a clock.

    Two ways to play so that nobody foresees it (Benbassat & Sipper's guides): *noise* adds to the
    value of each leaf a draw of its own, "uniform" from [0, 1) or a whole number from 0 to *noise*;
    *second* is another evaluator, which takes over from the first when a coin says so, thrown for
    each game, move or leaf (*alternate*).

    *view*, *ties* and *epsilon* as in `AfterState`.
    """

    kind: Literal["alpha_beta"] = "alpha_beta"
    depth: int = Field(default=1, ge=1, le=MAX_DEPTH, strict=True)
    nodes: int | None = Field(default=None, ge=1, le=MAX_NODES, strict=True)
    work: int | None = Field(default=None, ge=1, le=MAX_WORK, strict=True)
    time: float | None = Field(default=None, ge=0.001, le=MAX_TIME, title="number of seconds")
    ordering: Ordering = "usual"
    table: int = Field(default=0, ge=0, le=MAX_TABLE, strict=True)
    deeper: bool = Field(default=False, strict=True)
    noise: Noise | None = None
    second: ExpressionEvaluator | None = None
    alternate: Alternate = "move"
    quiescence: bool = Field(default=False, strict=True)
    timing: Timing | None = None
    endgame: int = Field(default=0, ge=0, le=MAX_ENDGAME, strict=True)
    temperature: float | None = Field(default=None, ge=MIN_TEMPERATURE, le=MAX_TEMPERATURE)
    selective: Selectivity | None = None

    @model_validator(mode="before")
    @classmethod
    def _as_deep_as_the_limit_allows(cls, data: Any) -> Any:
        if isinstance(data, Mapping) and "depth" not in data:
            is_limited = any(data.get(limit) is not None for limit in SEARCH_LIMITS)
            return {**data, "depth": MAX_DEPTH} if is_limited else data
        return data

    @model_validator(mode="after")
    def _counts_in_one_way(self) -> AlphaBeta:
        if self.nodes is not None and self.work is not None:
            raise ValueError("give nodes or work, not both: work stands for a number of nodes")
        return self

    @model_validator(mode="after")
    def _has_the_table_it_needs(self) -> AlphaBeta:
        for option in ("ordering=hash", "deeper=yes"):
            if not self.table and option in _search_options(self):
                raise ValueError(f"{option} needs a table, as in table=18")
        return self

    @model_validator(mode="after")
    def _has_the_tree_that_orders(self) -> AlphaBeta:
        evaluator = self.evaluator
        has_tree = isinstance(evaluator, TreeEvaluator) and is_ordered(evaluator.parsed)
        if self.ordering == "tree" and not has_tree:
            raise ValueError(
                "ordering=tree needs a second tree, as in { ordered ( white ) ( white_corners ) }"
            )
        return self

    @model_validator(mode="after")
    def _knows_what_leaves_are_worth(self) -> AlphaBeta:
        if self.second is None:
            if self.alternate != "move":
                raise ValueError("alternate needs a second evaluator")
        elif self.noise is not None:
            raise ValueError("give noise or a second evaluator, not both")
        elif not isinstance(self.evaluator, ExpressionEvaluator):
            raise ValueError("evaluators that alternate must be expressions, not trees")
        is_by_leaf = self.noise is not None or self.alternate == "leaf"
        if is_by_leaf and self.table:
            raise ValueError(
                "table: values of leaves are drawn anew each time (noise, alternate=leaf), and "
                "a table would remember them: leave table out"
            )
        return self

    @model_validator(mode="after")
    def _draws_among_exact_values(self) -> AlphaBeta:
        if self.selective is not None and (self.noise is not None or self.second is not None):
            raise ValueError("selective: values drawn for leaves cannot be foretold: leave it out")
        if self.temperature is None:
            return self
        if self.selective is not None:
            raise ValueError("temperature needs every move's exact value: leave selective out")
        if any(getattr(self, limit) is not None for limit in (*SEARCH_LIMITS, "timing")):
            raise ValueError(
                "temperature values every move to one depth: give depth, and neither nodes, work, "
                "time nor timing"
            )
        return self

    @property
    def reproducible(self) -> bool:
        """Whether the same game gets the same moves again: not with a limit in time."""
        return self.time is None

    @property
    def label(self) -> str:
        """The name, or the evaluator, the depth and what is unusual; a limit in time is marked."""
        second = f" or {self.second.label}" if self.second else ""
        options = [*_search_options(self), *_own_options(self)]
        label = self.name or player_text(self.evaluator.label + second, options)
        return label if self.reproducible else label + NOT_REPRODUCIBLE

    def native(self, game: str) -> _native.Player:
        """Return the kernel's form for *game*; `ValueError` if it does not fit."""
        return self.with_program(game, self._two_programs(game) or self.evaluator.program(game))

    def with_program(self, game: str, program: _native.Program) -> _native.Player:
        """Return the kernel's form with an evaluator that is lowered already; its own is unused."""
        cost = dearest(program) if self.ordering == "tree" else program.operations
        return _native_player(
            self,
            game,
            self.kind,
            program,
            depth=self.depth,
            nodes=self.nodes if self.work is None else nodes_for(self.work, cost),
            milliseconds=None if self.time is None else round(self.time * 1000),
            ordering=self.ordering,
            table=self.table,
            deeper=self.deeper,
            noise=0 if self.noise == "uniform" else self.noise,
            alternate=None if self.second is None else self.alternate,
            quiescence=self.quiescence,
            endgame=self.endgame,
            temperature=self.temperature,
            selective=None if self.selective is None else self.selective.native,
        )

    def uses_time(self) -> TimeUse | None:
        """Return the policy by which the player divides the time of a game, or its own limit.

        None for a player with a temperature, which values all moves to its depth.
        """
        if self.temperature is not None:
            return None
        return TimeUse(self.timing, math.inf if self.time is None else self.time)

    def steady(self) -> AlphaBeta:
        """Return the player itself."""
        return self

    def check_fits(self, game: str) -> None:
        """Raise `ValueError` if an evaluator or the search needs another game than *game*."""
        super().check_fits(game)
        if self.selective is not None:
            self.selective.check_fits(game)
        if self.endgame and not game_rules(game).fills_board:
            raise ValueError(f"{game} has no exact solver: endgame is for Othello")
        if self.quiescence and not game_rules(game).has_captures:
            raise ValueError(f"{game} has no captures: quiescence is for checkers")
        if self.second is not None:
            self.second.check_fits(game)

    def _two_programs(self, game: str) -> _native.Program | None:
        """Return two evaluators, or one and what orders moves, as a program with two outputs.

        None if there is only one to be used.
        """
        if self.ordering == "tree":
            assert isinstance(self.evaluator, TreeEvaluator)  # or the model would have refused it
            return lower([self.evaluator.parsed], game)[0]
        if self.second is None:
            return None
        first = self.evaluator.parsed
        assert isinstance(first, Expression)  # or the model would have refused a second one
        rules = game_rules(game)
        return _native.Program(
            rules.kernel, outputs_to_json([first, self.second.parsed], rules.size)
        )


def nodes_for(work: int, operations: int) -> int:
    """Return how many nodes a choice may count whose every node costs *operations*; at least 1.

    >>> nodes_for(100_000, 30)
    3333
    """
    return max(work // max(operations, 1), 1)


def dearest(program: _native.Program) -> int:
    """Return the operations of the largest of the programs that *program*'s outputs are."""
    return max(program.operations_by_output())


SEARCH_LIMITS = ("nodes", "work", "time")
"""What ends a search before its depth."""

_SEARCH_OPTIONS = (
    *SEARCH_LIMITS, "timing", "ordering", "table", "deeper", "quiescence", "endgame", "noise",
    "alternate", "temperature",
)  # fmt: skip

SteadyModel = Annotated[RandomPlayer | AfterState | AlphaBeta, Field(discriminator="kind")]
"""A player that is the same from the first move to the last."""


def check_ties(ties: Ties, game: str) -> None:
    """Raise `ValueError` if *game* has no such ties."""
    if ties == "advanced" and not game_rules(game).moves_pieces:
        raise ValueError(f"pieces of {game} stay where they are: ties=advanced is for checkers")


def _native_player(
    player: _Valuing,
    game: str,
    kind: str,
    program: _native.Program,
    **search: Any,
) -> _native.Player:
    return _native.Player(
        game_rules(game).kernel,
        kind,
        program,
        view=player.view,
        ties=player.ties,
        epsilon=player.epsilon,
        **search,
    )


def _search_options(player: AlphaBeta) -> list[str]:
    options = unusual_options(player, _SEARCH_OPTIONS)
    if player.selective is not None:
        options.append(f"selective={option_text(player.selective.sigmas)}")
    is_limited = any(getattr(player, limit) is not None for limit in SEARCH_LIMITS)
    return (
        options if is_limited and player.depth == MAX_DEPTH else [f"depth={player.depth}", *options]
    )


def _own_options(player: _Valuing) -> list[str]:
    return [*player.evaluator.options, *unusual_options(player, ("ties", "view", "epsilon"))]
