"""The types of individuals of Bellin and Gasperin, and their evolution.

A type is a set of primitives: its features, whether places weigh them, its no-ops. Everything else
is gpjpp's defaults (preset `gpjpp`): fitness is the sum of the opponent's discs over three games as
White, one against Edgar, here `edgar-like`, and two against a random player.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena import Results, Schedule, play
from evoply.evolution import Census, EvolutionConfig, Generation, config_from_toml, evolve
from evoply.expressions import PRIMITIVE_SETS, PrimitiveSet, bellin
from evoply.games.othello import Position
from evoply.gp import Tree, lower
from evoply.players import KernelSeat, parse_player
from evoply.presets import preset_text
from evoply.studies.study import Reproduction, paper

GAME = "othello"
OPPONENTS = ("edgar-like", "random", "random")
FRESH_TIMES = 300
"""The number of fresh repetitions of the three games."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type of individual: its title, primitives, printed fitness range, players of its bracket.

    *printed* is None for the two brackets that the paper does not describe.
    """

    title: str
    primitives: PrimitiveSet
    printed: tuple[float, float] | None
    players: int = 5

    @property
    def is_weighed(self) -> bool:
        """Whether places weigh its leaves."""
        return self.primitives.weights is not None


_PRIMITIVES: Mapping[str, PrimitiveSet] = {
    "E1": PRIMITIVE_SETS["liao"],
    "E2": PRIMITIVE_SETS["bellin"],
    "E3": bellin("letters", mode=None),
    "E4": PRIMITIVE_SETS["bellin-letters"],
    "E5": PRIMITIVE_SETS["bellin-noops"],
    "V1": bellin(constants=False),
    "V2": bellin("letters", mode="noop_only"),
}


def _types() -> Iterator[tuple[str, Type]]:
    for name, told in paper("bellin")["types"].items():
        printed = tuple(told["printed"]) if "printed" in told else None
        yield name, Type(told["title"], _PRIMITIVES[name], printed, told.get("players", 5))


TYPES = dict(_types())
"""The types by name, of which the paper describes E1 to E5."""
EXPERIMENTS = tuple(name for name, kind in TYPES.items() if kind.printed is not None)


@dataclass(frozen=True, slots=True)
class Evolved:
    """The best individual of a run: its fitness when it was found, and on fresh games."""

    tree: Tree
    fitness: float
    """Sum of the opponent's discs over three games, the least of the run."""
    fresh: float
    """The same on fresh games: the mean of `FRESH_TIMES` times the three games."""
    beats_edgar: bool
    """Whether it wins its game against the Edgar-like player."""
    first: Census
    """Of the random first generation."""
    last: Census
    """Of the last generation."""


def config_of(name: str, request: Reproduction, run: int) -> EvolutionConfig:
    """Return the config of one run of a type."""
    opponents = ",".join(
        f'{{player="{player}",games={OPPONENTS.count(player)}}}'
        for player in dict.fromkeys(OPPONENTS)
    )
    seed = _native.Stream(request.seed, "bellin", name, run).key % 2**63
    settings = [
        f"seed={seed}",
        f"population_size={request.size('population')}",
        f"generations={request.size('generations')}",
        f"fitness.opponents=[{opponents}]",
        # The study tests its own individuals, so the engine need not.
        "hall_of_fame={size=1,candidates=1,sample=1,pairs=1,final_pairs=1}",
    ]
    config = config_from_toml(preset_text("gpjpp"), settings)
    return EvolutionConfig(
        **{**config.model_dump(), "primitives": TYPES[name].primitives.to_dict()}
    )


def evolve_type(name: str, request: Reproduction, run: int) -> Evolved:
    """Return the individual with the best training fitness of one run of a type."""
    config = config_of(name, request, run)
    first: Generation | None = None
    best: tuple[float, Tree] | None = None
    for generation in evolve(config, threads=request.threads):
        first = first or generation
        fittest = generation.best
        if isinstance(fittest.tree, Tree) and (best is None or -fittest.fitness < best[0]):
            best = -fittest.fitness, fittest.tree
    assert best is not None
    assert first is not None
    stream = _native.Stream(config.seed, "fresh")
    results = three_games([best[1]], stream, request.threads, FRESH_TIMES)
    discs = opponents_discs(results, 1)
    return Evolved(
        tree=best[1],
        fitness=best[0],
        fresh=float(discs[0]) / FRESH_TIMES,
        # The first game, against Edgar, is always the same: both players are deterministic.
        beats_edgar=bool(results.white_discs[0] > results.black_discs[0]),
        first=first.census,
        last=generation.census,
    )


def three_games(
    trees: Sequence[Tree], stream: _native.Stream, threads: int, times: int = 1
) -> Results:
    """Return the three games of each tree as White, *times* times, tree after tree.

    All trees have the same keys.
    """
    opponents = [parse_player(text) for text in OPPONENTS]
    natives = [_native.Player(GAME, "after_state", program) for program in lower(trees, GAME)]
    players = [KernelSeat(native) for native in natives]
    each = len(OPPONENTS) * times
    white = np.arange(len(trees)).repeat(each) + len(opponents)
    schedule = Schedule(
        black=np.tile(np.arange(each) % len(OPPONENTS), len(trees)).astype(np.uint32),
        white=white.astype(np.uint32),
        opening_keys=np.tile(stream.child("opening").keys(each), len(trees)),
        game_keys=np.tile(stream.child("game").keys(each), len(trees)),
        opening_plies=0,
        starts=(Position().row,),
    )
    return play(GAME, [*opponents, *players], schedule, threads=threads)


def opponents_discs(results: Results, trees: int) -> NDArray[np.int64]:
    """Return the sum of the opponents' discs of each of *trees* in `three_games`."""
    sums: NDArray[np.int64] = results.black_discs.reshape(trees, -1).sum(axis=1)
    return sums
