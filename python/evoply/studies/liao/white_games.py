"""The games of Liao's tables: a hypothesis as White against a player that moves at random."""

from dataclasses import dataclass

import numpy as np

from evoply import _native
from evoply.arena import Schedule, play
from evoply.games.othello import Position
from evoply.gp import Genotype
from evoply.players import RandomPlayer, Staged, TreeEvaluator, player_of
from evoply.studies.liao.reconstruction import play_reconstruction

RULES = ("plain", "reconstruction")
UNIT = "wins of 50 games as White against a random player"

GAME = "othello"


@dataclass(frozen=True, slots=True)
class WhiteResults:
    """The results of games as White."""

    wins: int
    games: int
    distinct: int


def staged_of(text: str, **options: object) -> Staged:
    """Return the player of a hypothesis in the paper's form; surplus operands are ignored."""
    evaluator = TreeEvaluator(tree=text, primitives="liao", lenient="drop")
    return Staged(evaluator=evaluator, **options)  # type: ignore[arg-type]


def games_as_white(
    hypothesis: str | Staged | Genotype,
    *,
    games: int,
    seed: int,
    rules: str = RULES[0],
    threads: int = 0,
) -> WhiteResults:
    """Return the results of *hypothesis* as White against a random Black.

    All hypotheses play with the same keys, so Black plays alike in like positions of a game.
    """
    stream = _native.Stream(seed, "liao")
    if rules == "reconstruction":
        if not isinstance(hypothesis, str):
            raise ValueError("the reconstruction reads the text of a hypothesis")
        return WhiteResults(*play_reconstruction(hypothesis, games=games, stream=stream))
    white = staged_of(hypothesis) if isinstance(hypothesis, str) else player_of(hypothesis)
    schedule = Schedule(
        black=np.zeros(games, dtype=np.uint32),
        white=np.ones(games, dtype=np.uint32),
        opening_keys=stream.child("opening").keys(games),
        game_keys=stream.child("game").keys(games),
        opening_plies=0,
        starts=(Position().row,),
    )
    results = play(GAME, (RandomPlayer(), white), schedule, threads=threads)
    return WhiteResults(
        wins=int((results.white_discs > results.black_discs).sum()),
        games=games,
        distinct=len(np.unique(results.hashes)),
    )
