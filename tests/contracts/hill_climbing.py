"""A learner as a user writes it outside evoply: hill climbing of two weights by matches."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from time import perf_counter
from typing import Any

from evoply import AfterState, Stream, board, count, match
from evoply.expressions import squares
from evoply.players import ExpressionEvaluator


@dataclass(frozen=True)
class Climb:
    game: str
    seed: int = 1
    generations: int = 5
    games: int = 20


@dataclass(frozen=True)
class Weights:
    number: int
    corners: float
    frontier: float
    score: float
    digest: str
    seconds: float = field(compare=False)

    @property
    def statistics(self) -> Mapping[str, float]:
        return {"score": self.score, "corners": self.corners, "frontier": self.frontier}

    @property
    def champions(self) -> tuple[Any, ...]:
        return (player(self.corners, self.frontier),)


def player(corners: float, frontier: float) -> AfterState:
    value = corners * count(board.own & squares("corners")) + frontier * count(
        board.own & board.empty.neighbours()
    )
    return AfterState(evaluator=ExpressionEvaluator(expression=value))


@dataclass(frozen=True)
class HillClimbing:
    threads: int = 1
    config_type = Climb

    def first(self, config: Climb, /) -> Weights:
        return self._judged(config, 0, 0.0, 0.0, perf_counter())

    def after(self, config: Climb, step: Weights, /) -> Weights:
        began = perf_counter()
        stream = Stream(config.seed, "climb", step.number + 1)
        corners, frontier = (
            step.corners + stream.random() - 0.4,
            step.frontier + stream.random() - 0.4,
        )
        tried = self._judged(config, step.number + 1, corners, frontier, began)
        if tried.score >= step.score:
            return tried
        return self._judged(config, step.number + 1, step.corners, step.frontier, began)

    def is_finished(self, config: Climb, step: Weights, /) -> bool:
        return step.number + 1 >= config.generations

    def dump(self, step: Weights, /) -> Any:
        return asdict(step)

    def load(self, config: Climb, data: Any, /) -> Weights:
        return Weights(**data)

    def _judged(
        self, config: Climb, number: int, corners: float, frontier: float, began: float
    ) -> Weights:
        played = match(
            player(corners, frontier),
            "random",
            game=config.game,
            games=config.games,
            seed=config.seed,
            threads=self.threads,
        )
        text = repr(
            (config.game, config.seed, config.games, number, corners, frontier, played.score)
        )
        digest = hashlib.sha256(text.encode()).hexdigest()
        return Weights(number, corners, frontier, played.score, digest, perf_counter() - began)
