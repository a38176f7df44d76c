"""OpenSpiel's search as a player, in the games that both have.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).
"""

from dataclasses import dataclass, field
from typing import Any

import pyspiel

import evoply as ep
from evoply.field.openspiel import SHARED, SharedGame
from evoply.protocols import Seat


def shared_as(game: str) -> SharedGame:
    """Return the entry of a game of evoply; `ValueError` if OpenSpiel has no such game."""
    for shared in SHARED:
        if shared.game == game:
            return shared
    raise ValueError(f"{game}: it is compared in {', '.join(each.game for each in SHARED)} only")


@dataclass(frozen=True)
class OpenSpielSearch:
    """OpenSpiel's Monte Carlo tree search with random playouts, as a player."""

    simulations: int = 1000
    curiosity: float = 2.0
    name: str = ""
    reproducible: bool = field(default=True, repr=False)

    @property
    def label(self) -> str:
        return self.name or f"OpenSpiel's MCTS of {self.simulations:,} playouts"

    def check_fits(self, game: str) -> None:
        shared_as(game)

    def seat(self, game: str) -> Seat:
        return _SearchSeat(self, game)


class _SearchSeat(Seat):
    def __init__(self, player: OpenSpielSearch, game: str) -> None:
        self.player, self.shared = player, shared_as(game)
        self.game = self.shared.load()

    def choose(self, game: Any, stream: Any, clock: Any) -> Any:
        state, point = self.game.new_initial_state(), self.shared.start()
        for move in game.moves:
            for step in point.numbers.steps(move.code(point.position.shape)):
                state.apply_action(self.shared.actions(state, point)[step])
                point = point.after(step)
        plies = len(point.record)
        while len(point.record) == plies:
            actions = {theirs: ours for ours, theirs in self.shared.actions(state, point).items()}
            action = self._search(stream.below(2**31)).step(state)
            state.apply_action(action)
            point = point.after(actions[action])
        return ep.Choice(point.record.moves[-1])

    def _search(self, seed: int) -> Any:
        return pyspiel.MCTSBot(
            self.game,
            pyspiel.RandomRolloutEvaluator(1, seed),
            self.player.curiosity,
            self.player.simulations,
            1000,
            True,
            seed,
            False,
        )
