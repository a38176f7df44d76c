"""A population as players in the kernel, and its opponents."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from evoply import _native, arena, gp
from evoply.arena import PreparedPlayer
from evoply.evolution.fitness.contract import Population, Task
from evoply.evolution.play.opponents import Games, Opponents, read_opponent
from evoply.players import KernelSeat
from evoply.players.mcts import guided


def population_of(games: Games, trees: Sequence[gp.Genotype]) -> Population:
    """Return the population of *trees* as players; each different tree is lowered once."""
    places: dict[gp.Genotype, int] = {}
    who = [places.setdefault(tree, len(places)) for tree in trees]
    programs = gp.lower(list(places), games.game)
    return Population(
        trees=tuple(places),
        players=tuple(_players(games, list(places), programs)),
        programs=tuple(programs),
        operations=np.array([program.operations for program in programs], dtype=np.int64),
        who=np.array(who, dtype=np.int64),
    )


def seats_of(games: Games, trees: Sequence[gp.Genotype]) -> list[PreparedPlayer]:
    """Return a seat in the kernel for each tree, lowered together, or its player in Python."""
    return _players(games, trees, gp.lower(trees, games.game))


def _players(
    games: Games, trees: Sequence[gp.Genotype], programs: Sequence[_native.Program]
) -> list[PreparedPlayer]:
    if games.player_code is not None:
        return [games.player(tree) for tree in trees]
    # The player needs no evaluator, because it is lowered already.
    model: Any = games.player_kind.model_construct(**games.player_options)
    if games.tree_search is not None:
        model = guided(model, games.tree_search)
    return [
        KernelSeat(model.with_program(games.game, program), player=partial(games.player, tree))
        for tree, program in zip(trees, programs, strict=True)
    ]


def opponents_of(games: Games, task: Task, earlier: Sequence[tuple[int, gp.Genotype]]) -> Opponents:
    """Return the opponents of a run: its own, and *earlier* champions (generation, tree)."""
    models = [read_opponent(opponent.player, task.game) for opponent in task.opponents]
    return Opponents(
        players=(
            *arena.prepared(models, task.game),
            *seats_of(games, [tree for _, tree in earlier]),
        ),
        labels=(
            *(player.label for player in models),
            *(f"champion of generation {generation}" for generation, _ in earlier),
        ),
        games=(
            *(opponent.games or 2 * opponent.pairs for opponent in task.opponents),
            *(2 * task.earlier_generations.pairs for _ in earlier),
        ),
        sides=task.sides,
    )
