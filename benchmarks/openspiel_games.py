"""Games from data that OpenSpiel has, too: how it names their moves, and its search as a player.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import pyspiel

import evoply as ep
from evoply.games import game_rules
from evoply.games.squares import square_name
from evoply.protocols import Seat


@dataclass(frozen=True)
class OpenSpielGame:
    """How OpenSpiel calls a game and its moves."""

    name: str
    parameters: Mapping[str, Any]
    move_named: Callable[[int, str], str]
    """From an action's number and text to the move as evoply writes it."""
    short: Callable[[str], str] = str
    """What of a move of evoply OpenSpiel's action says."""

    def load(self) -> Any:
        """Return the game of OpenSpiel."""
        return pyspiel.load_game(self.name, dict(self.parameters))

    def actions(self, state: Any) -> dict[str, int]:
        """Return the legal actions of a state by the moves that they are."""
        return {
            self.move_named(action, state.action_to_string(action)): action
            for action in state.legal_actions()
        }


def _turned(rows: int) -> Callable[[int, str], str]:
    """Return a reader of moves whose ranks are counted from the other end."""

    def named(_: int, text: str) -> str:
        return "-".join(f"{text[i]}{rows + 1 - int(text[i + 1])}" for i in (0, 2))

    return named


def _square(game: str) -> Callable[[int, str], str]:
    return lambda action, _: square_name(action, game_rules(game).shape)


OPENSPIEL: Mapping[str, OpenSpielGame] = MappingProxyType(
    {
        "breakthrough": OpenSpielGame("breakthrough", {}, _turned(8)),
        "breakthrough-6": OpenSpielGame("breakthrough", {"rows": 6, "columns": 6}, _turned(6)),
        "clobber": OpenSpielGame(
            "clobber", {"rows": 6, "columns": 5}, lambda _, text: f"{text[:2]}-{text[2:4]}"
        ),
        # OpenSpiel names the column alone, into which a piece falls.
        "connect-four": OpenSpielGame(
            "connect_four", {}, lambda action, _: "abcdefg"[action], lambda move: move[0]
        ),
        "hex-9": OpenSpielGame("hex", {"board_size": 9}, _square("hex-9")),
        "tic-tac-toe": OpenSpielGame("tic_tac_toe", {}, _square("tic-tac-toe")),
    }
)
"""By evoply's names."""


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
        if game not in OPENSPIEL:
            raise ValueError(f"{game}: it is compared in {', '.join(OPENSPIEL)} only")

    def seat(self, game: str) -> Seat:
        return _SearchSeat(self, game)


class _SearchSeat(Seat):
    def __init__(self, player: OpenSpielSearch, game: str) -> None:
        self.player, self.there = player, OPENSPIEL[game]
        self.game = self.there.load()

    def choose(self, game: Any, stream: Any, clock: Any) -> Any:
        state = self.game.new_initial_state()
        for move in game.moves:
            state.apply_action(self.there.actions(state)[self.there.short(str(move))])
        seed = stream.below(2**31)
        bot = pyspiel.MCTSBot(
            self.game,
            pyspiel.RandomRolloutEvaluator(1, seed),
            self.player.curiosity,
            self.player.simulations,
            1000,
            True,
            seed,
            False,
        )
        action = bot.step(state)
        named = next(move for move, known in self.there.actions(state).items() if known == action)
        legal = game.position.legal_moves
        return ep.Choice(next(move for move in legal if self.there.short(str(move)) == named))
