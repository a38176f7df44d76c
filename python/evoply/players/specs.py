"""Players that are data and that the kernel plays: `RandomPlayer`, `AfterState`, `AlphaBeta`.

A player is an immutable model, the same for every game; only its seat knows which game it plays.
`search_options` has the options of a search. `staged` has players that change with the game, `bots`
and `own_player` those that are programs.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

from evoply import _native
from evoply.expressions import Expression, outputs_to_json
from evoply.games import game_rules
from evoply.gp.lowering import lower
from evoply.players.kernel_seat import TimeUse
from evoply.players.player_kind import KernelPlayer, ValuingPlayer, kernel_arguments, player_text
from evoply.players.search_options import (
    MAX_DEPTH,
    MEASURED_DEPTH,
    OF_LEAVES,
    OF_STAGES,
    SEARCH_LIMITS,
    SearchOptions,
)
from evoply.wording import did_you_mean, shorten


class RandomPlayer(KernelPlayer):
    """Chooses uniformly among the legal moves."""

    kind: Literal["random"] = "random"

    @property
    def habits(self) -> tuple[str, ...]:
        return ("It chooses uniformly among its legal moves.",)

    def _shown_facts(self) -> Iterable[tuple[str, object]]:
        return (("chooses", "uniformly among its legal moves"),)

    def native(self, game: str) -> _native.Player:
        return _native.Player(game_rules(game).kernel, "random")

    def with_options(self, options: Mapping[str, Any]) -> RandomPlayer:
        if options:
            raise ValueError("random has no options")
        return self


class AfterState(ValuingPlayer):
    """Compares the boards after each of its moves, chooses the best, and looks no further.

    *ties*: which of equally good moves is taken, the "first" or "last" in the order of legal moves,
    a "random" one, the first "column" by column (by the file of the square moved to, then by its
    row), or, where pieces move, the "advanced" one: of the piece that is nearest to the far side.

    *view*: for whom own stands in the evaluator, "player" (who chooses) or "turn" (who is to move
    at the evaluated board). *epsilon* is the probability of a uniformly random move.
    """

    kind: Literal["after_state"] = "after_state"

    def alike(self, game: str) -> frozenset[str]:
        """Return what the boards after all moves of a position share: side, plies, maybe pieces.

        Ends of games are valued as other boards are, so an offset common to all decides nothing.
        """
        rules = game_rules(game)
        pieces = {"pieces"} if rules.fills_evenly else set()
        clock = {"t"} if rules.fills_evenly and not rules.has_own_clock else set()
        return frozenset({"is_black", "ply", "root_ply", "root_t", *pieces, *clock})

    @property
    def own_text(self) -> str:
        return player_text(self.evaluator.label, self.own_options)

    def with_options(self, options: Mapping[str, Any]) -> AfterState | AlphaBeta:
        return _with_options(self, options)


class AlphaBeta(SearchOptions):
    """Searches *depth* plies, the own move included, by alpha-beta; finished games count exactly.

    With a limit in *nodes*, *work* or *time* it looks deeper and deeper, and the last depth that
    was completed answers; *depth* is then `MAX_DEPTH` unless given. One ply is always looked ahead.
    A player with a limit in time is not `reproducible`. *ordering* and *table* change speed, never
    the move or its value.

    Two options make its moves hard to foresee, as Benbassat & Sipper's guides do: *noise* at the
    leaves, and a *second* evaluator. *view*, *ties* and *epsilon* are those of `AfterState`.
    """

    kind: Literal["alpha_beta"] = "alpha_beta"

    @property
    def own_text(self) -> str:
        second = f" or {self.second.label}" if self.second else ""
        options = [*self.search_texts, *self.own_options]
        return player_text(self.evaluator.label + second, options)

    def with_options(self, options: Mapping[str, Any]) -> AfterState | AlphaBeta:
        """Return the player with other *options*, without its name; depth 0 is the after-state.

        A limit in nodes, work or time without a depth means as deep as the limit allows; nodes and
        work take each other's place.
        """
        return _with_options(self, options)

    def native(self, game: str) -> _native.Player:
        return self.with_program(game, self._two_programs(game) or self.evaluator.program(game))

    def with_program(self, game: str, program: _native.Program) -> _native.Player:
        cost = dearest(program) if self.ordering == "tree" else program.operations
        arguments = {
            **kernel_arguments(self),
            "nodes": self.nodes if self.work is None else nodes_for(self.work, cost),
            "alternate": None if self.second is None else self.alternate,
        }
        return _native.Player(game_rules(game).kernel, self.kind, program, **arguments)

    def by_value(self) -> AlphaBeta:
        """Return the player with the usual order of moves if a second tree orders them."""
        return self.model_copy(update={"ordering": "usual"}) if self.ordering == "tree" else self

    def measured(self) -> AlphaBeta:
        return AlphaBeta(
            evaluator=self.evaluator,
            ties=self.ties,
            view=self.view,
            depth=min(self.depth, MEASURED_DEPTH),
            quiescence=self.quiescence,
            guard=self.guard,
        )

    def uses_time(self) -> TimeUse | None:
        """Return the policy by which the player divides the time of a game, or its own limit.

        None for a player with a temperature, which values all moves to its depth.
        """
        if self.temperature is not None:
            return None
        return TimeUse(self.timing, math.inf if self.time is None else self.time)

    def _two_programs(self, game: str) -> _native.Program | None:
        """Return a program with two outputs: two evaluators, or an evaluator and an order of moves.

        None if the player uses one evaluator alone.
        """
        if self.ordering == "tree":
            assert self.evaluator.individual is not None  # or the model would have refused it
            return lower([self.evaluator.individual], game)[0]
        if self.second is None:
            return None
        first = self.evaluator.parsed
        assert isinstance(first, Expression)  # or the model would have refused a second one
        rules = game_rules(game)
        return _native.Program(
            rules.kernel, outputs_to_json([first, self.second.parsed], rules.shape)
        )


def _with_options(
    player: AfterState | AlphaBeta, options: Mapping[str, Any]
) -> AfterState | AlphaBeta:
    """Return *player* with other *options*: an `AlphaBeta` if it then looks ahead."""
    if not options:
        return player
    fields = {key: getattr(player, key) for key in type(player).model_fields}
    is_limited = any(options.get(limit) is not None for limit in SEARCH_LIMITS)
    plies = fields.get("depth", 1 if options.get("timing") else 0)
    depth = options.get("depth", MAX_DEPTH if is_limited else plies)
    model = AlphaBeta if depth else AfterState
    chosen = {key: value for key, value in options.items() if key != "depth"}
    if depth:
        chosen["depth"] = depth
    if {"nodes", "work"} & options.keys():
        fields |= {"nodes": None, "work": None}
    for option in (*chosen, *(key for key in OF_LEAVES if fields.get(key))):
        if option in model.model_fields:
            continue
        if option in AlphaBeta.model_fields:
            raise ValueError(
                f"{option} is for players that look ahead: give depth, nodes, work or time"
            )
        if option not in OF_STAGES:
            hint = did_you_mean(option, [*AlphaBeta.model_fields, "random_plies"]) or "."
            raise ValueError(f"no option {shorten(option)!r}{hint}")
        raise ValueError(f"{option} is for stages, such as ( white ),50,( white_corners ),50")
    kept = {key: value for key, value in fields.items() if key in model.model_fields}
    kind = model.model_fields["kind"].default
    return model(**{**kept, **chosen, "kind": kind, "name": None})


def nodes_for(work: int, operations: int) -> int:
    """Return the limit in nodes for a limit in *work*, with *operations* for each node; at least 1.

    >>> nodes_for(100_000, 30)
    3333
    """
    return max(work // max(operations, 1), 1)


def dearest(program: _native.Program) -> int:
    """Return the operations of that output of *program* that needs the most."""
    return max(program.operations_by_output())
