"""Any game as an environment of PettingZoo, whose agents take turns (AEC).

Source: Terry et al., "PettingZoo: Gym for Multi-Agent Reinforcement Learning" (2021).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.field.arguments import game_named, missing
from evoply.field.rendering import MODES, check_mode, rendered
from evoply.games.observations import DecisionPoint, action_numbers
from evoply.protocols import Color

try:
    from gymnasium.spaces import Box, Dict, Discrete
    from pettingzoo import AECEnv
except ModuleNotFoundError as error:
    raise missing(error.name or "pettingzoo") from None

AGENTS = ("player_0", "player_1")
"""Black, who moves first, and White."""
_COLORS = dict(zip(AGENTS, Color, strict=True))


def spaces(game: str) -> tuple[Dict, Discrete]:
    """Return the spaces of the observations and of the actions of *game*."""
    numbers = action_numbers(game)
    observation = Dict(
        {
            "observation": Box(0.0, 1.0, numbers.observation_shape, np.float32),
            "action_mask": Box(0, 1, (numbers.count,), np.int8),
        }
    )
    return observation, Discrete(numbers.count)


class BoardGameEnv(AECEnv):
    """A game between `player_0`, who is Black and moves first, and `player_1`.

    Observations are `DecisionPoint.planes` of the agent and a mask of its legal actions, all 0 for
    an agent that is not to move. Rewards come at the end: 1, 0 or -1. An action that is not legal
    raises `IllegalMoveError` and changes nothing.
    """

    def __init__(self, game: str, render_mode: str | None = None) -> None:
        super().__init__()
        self.game = game_named(game)
        self.render_mode = check_mode(render_mode)
        self.metadata = {
            "name": f"evoply_{self.game}",
            "render_modes": list(MODES),
            "render_fps": 1,
            "is_parallelizable": False,
        }
        self.possible_agents = list(AGENTS)
        made = {agent: spaces(self.game) for agent in AGENTS}  # each draws samples of its own
        self.observation_spaces = {agent: observed for agent, (observed, _) in made.items()}
        self.action_spaces = {agent: actions for agent, (_, actions) in made.items()}
        self.agents: list[str] = []
        self._no_action = np.zeros(action_numbers(self.game).count, dtype=np.int8)
        self.point = self._start = DecisionPoint.start(self.game)
        """The game as it stands."""

    def observation_space(self, agent: str) -> Any:
        """Return the space of the observations of *agent*."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of the actions of *agent*."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. Nothing is drawn, so *seed* changes nothing; *options* are not read."""
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection = None
        self._stand_at(self._start)

    def _stand_at(self, point: DecisionPoint) -> None:
        self.point = point
        self.agent_selection = AGENTS[point.turn is Color.WHITE]

    def step(self, action: Any) -> None:
        """Play *action* for the agent to move; None for an agent whose game is over."""
        if not self.agents:
            raise RuntimeError("step: no game is going on - call reset first")
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        after = self.point.after(action)
        self._cumulative_rewards[agent] = 0
        self._stand_at(after)
        if after.is_over:
            self.rewards = {each: after.reward(color) for each, color in _COLORS.items()}
            self.terminations = dict.fromkeys(AGENTS, True)
            self._accumulate_rewards()

    def observe(self, agent: str) -> dict[str, NDArray[Any]]:
        """Return what *agent* sees, as arrays of its own."""
        mask = self.point.mask() if agent == self.agent_selection else self._no_action.copy()
        return {"observation": self.point.planes(_COLORS[agent]), "action_mask": mask}

    def render(self) -> Any:
        """Return the board as a text or as pixels, or print it, as `render_mode` says."""
        return rendered(self.point, self.render_mode)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""


def env(game: str, render_mode: str | None = None) -> BoardGameEnv:
    """Return an environment of *game*: a name, or a file of rules as `--game FILE` takes it.

    *render_mode* is "ansi", "rgb_array" or "human". Raises `ValueError` for an unknown game.

    >>> board = env("connect-four", render_mode="ansi")
    >>> board.reset()
    >>> observation, reward, termination, truncation, info = board.last()
    >>> observation["observation"].shape, observation["action_mask"].nonzero()[0].tolist()
    ((4, 6, 7), [35, 36, 37, 38, 39, 40, 41])
    """
    return BoardGameEnv(game, render_mode)
