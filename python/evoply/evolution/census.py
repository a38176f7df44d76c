"""The census of a generation: counts of operators, sizes, behaviours and work."""

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean
from typing import Any

from evoply import _native, gp
from evoply.evolution.generation_statistics import Census
from evoply.evolution.individuals import Individual
from evoply.games import game_rules

_POSITIONS = 16
_LOOKED_AT = 16
"""Individuals whose live introns and weights are counted: folding takes longer than breeding."""


def census_of(
    individuals: Sequence[Individual],
    programs: Sequence[_native.Program],
    *,
    game: str,
    seed: int,
    median_fresh: float,
    work: int,
    games: int,
    before: Census,
) -> Census:
    """Return the census of *individuals*; *programs* are the programs of their different trees.

    *before* is the census of the generation before.
    """
    operators = Counter(
        name for individual in individuals for name in individual.origin.split(", ")
    )
    crossed = operators["crossover"] + operators["one_way_crossover"]
    return Census(
        operators=dict(sorted(operators.items())),
        distinct_behaviours=len(set(behaviours(game, seed, programs))),
        one_way_share=operators["one_way_crossover"] / crossed if crossed else None,
        sizes=_quartiles([len(individual.tree) for individual in individuals]),
        work=work,
        total_work=before.total_work + work,
        total_games=before.total_games + games,
        median_fresh=median_fresh,
        **_structure([individual.tree for individual in individuals]),
    )


def _structure(individuals: Sequence[gp.Genotype]) -> dict[str, Any]:
    """Return the part of a census about introns, no-ops and weights."""
    trees = [tree for individual in individuals for tree in gp.branches(individual)]
    sets = {id(tree.primitive_set): tree.primitive_set for tree in trees}.values()
    structure: dict[str, Any] = {}
    if any(primitive.introns for primitives in sets for primitive in primitives):
        structure["dead_introns"] = sum(map(gp.dead_size, trees)) / sum(map(len, trees))
    if any(primitive.bits for primitives in sets for primitive in primitives):
        chains = gp.chain_statistics(trees)
        longest = max(chains.lengths, default=0)
        structure["no_op_chains"] = tuple(chains.lengths.get(n, 0) for n in range(1, longest + 1))
        structure["chains_above_terminals"] = chains.above_terminals
    sample = individuals[:: max(len(individuals) // _LOOKED_AT, 1)][:_LOOKED_AT]
    sizes = [gp.sizes(individual) for individual in sample]
    structure["live_introns"] = sum(size.live_introns for size in sizes) / sum(
        size.nodes for size in sizes
    )
    weights = [
        weight
        for individual in sample
        for tree in gp.branches(individual)
        for weight in gp.leaf_weights(tree)
        if weight is not None
    ]
    if weights:
        structure["mean_weight"] = fmean(weights)
    return structure


def behaviours(game: str, seed: int, programs: Sequence[_native.Program]) -> list[bytes]:
    """Return the values that each program gives to the same 16 random positions of *game*.

    They are equal for programs that value these positions alike, however they are written.
    """
    rules = game_rules(game)
    positions = _positions(rules.kernel, seed, rules.late_ply)
    # -0.0 and 0.0 are the same value.
    return [(program.evaluate(positions) + 0.0).tobytes() for program in programs]


@lru_cache(maxsize=16)
def _positions(kernel: str, seed: int, late_ply: int) -> _native.Positions:
    """Return the positions of `behaviours`: the same for all generations of a run."""
    key = _native.Stream(seed, "behaviour").key
    return _native.Positions.random(kernel, _POSITIONS, key, 0, late_ply)


def _quartiles(sizes: Sequence[int]) -> tuple[float, ...]:
    """Return the minimum, the quartiles and the maximum, those between two sizes by their distance.

    They are exact, and so the same as `numpy.quantile` gives, which takes longer than breeding.
    """
    ordered, last = sorted(sizes), len(sizes) - 1
    found = []
    for quarter in range(5):
        below, rest = divmod(quarter * last, 4)
        step = ordered[min(below + 1, last)] - ordered[below]
        found.append(ordered[below] + step * rest / 4)
    return tuple(found)
