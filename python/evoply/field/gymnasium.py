"""Any game as an environment of gymnasium: an agent against any player of evoply.

Source: Towers et al., "Gymnasium: A Standard Interface for Reinforcement Learning Environments"
(2024).
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from evoply._native import Stream
from evoply.arena.playing import random_opening
from evoply.arena.schedule import checked_whole
from evoply.field.arguments import game_named, missing, player_for
from evoply.field.rendering import MODES, check_mode, rendered
from evoply.games.observations import DecisionPoint
from evoply.players.searcher import move_stream
from evoply.protocols import Clock, Color, ForfeitError, IllegalMoveError, choice_of

try:
    from gymnasium import Env

    from evoply.field.pettingzoo import spaces
except ModuleNotFoundError as error:
    raise missing(error.name or "gymnasium") from None

_MOST_OPENING_PLIES = 100
_MOST_TRIES = 100
"""Games that may be over before the agent moves, until an environment gives up."""


class AgainstPlayerEnv(Env[Any, Any]):
    """One side of a game, against a player that answers within `step`.

    Observations are `DecisionPoint.planes` of the agent and a mask of its legal actions. The reward
    is 1, 0 or -1 when the game ends. An action that is not legal loses the game: the reward is -1,
    and `info["illegal_move"]` says why.
    """

    metadata = {"render_modes": list(MODES), "render_fps": 1}  # noqa: RUF012 - as in the base

    def __init__(
        self,
        game: str,
        opponent: object = "random",
        *,
        seed: int | None = None,
        color: str | None = None,
        opening_plies: int = 0,
        render_mode: str | None = None,
    ) -> None:
        self.game = game_named(game)
        self.render_mode = check_mode(render_mode)
        if color not in (None, *(each.value for each in Color)):
            raise ValueError(f"color: {color!r:.40} - is no side - give black, white or None")
        self.opponent = player_for(opponent, self.game)
        self._seat = self.opponent.seat(self.game)
        self.observation_space, self.action_space = spaces(self.game)
        self._color = color
        self._opening_plies = checked_whole("opening_plies", opening_plies, _MOST_OPENING_PLIES)
        self._seed_with(0 if seed is None else seed)
        self.color = Color.BLACK
        """The side of the agent in this game."""
        self.point = DecisionPoint.start(self.game)
        """The game as it stands."""
        self._is_going_on, self._forfeit = False, ""

    def _seed_with(self, seed: int) -> None:
        whole = checked_whole("seed", seed, 2**64 - 1)
        self._stream, self._games = Stream(whole, "gymnasium", self.game), 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
        """Begin a game; *options* are not read.

        With *seed* the games that follow are the same again, else they are the next ones.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._seed_with(seed)
        for _ in range(_MOST_TRIES):
            self._begin()
            if self._is_going_on:
                return self._seen(), {}
        raise ValueError(
            f"opening_plies: {self._opening_plies} - games end before the agent moves - give fewer"
        )

    def _begin(self) -> None:
        """Begin the next game, up to the agent's first choice; it may be over before."""
        self._games += 1
        drawn = self._stream.child(self._games)
        white = drawn.child("color").below(2) if self._color is None else self._color == "white"
        self.color = Color.WHITE if white else Color.BLACK
        self._answers = drawn.child("opponent")
        start = DecisionPoint.start(self.game).position
        opening = random_opening(start, drawn.child("opening").key, self._opening_plies)
        self.point = DecisionPoint.of(opening)
        self._forfeit = ""
        self._answer()
        self._is_going_on = not self.point.is_over and not self._forfeit

    def step(
        self, action: int
    ) -> tuple[dict[str, NDArray[Any]], float, bool, bool, dict[str, Any]]:
        """Play *action* and the opponent's answer."""
        if not self._is_going_on:
            raise RuntimeError("step: no game is going on - call reset first")
        info: dict[str, Any] = {}
        try:
            self.point = self.point.after(action)
        except IllegalMoveError as error:
            self._is_going_on, info["illegal_move"] = False, str(error)
            return self._seen(), -1.0, True, False, info
        self._answer()
        reward = self.point.reward(self.color)
        if self._forfeit:
            reward, info["forfeit"] = 1, self._forfeit
        self._is_going_on = not self.point.is_over and not self._forfeit
        return self._seen(), float(reward), not self._is_going_on, False, info

    def _answer(self) -> None:
        """Play the moves of the opponent until the agent is to move."""
        while not self.point.is_over and self.point.turn is not self.color:
            game = self.point.record
            moves = game.position.legal_moves
            if len(moves) == 1:
                self.point = DecisionPoint.of(game.play(moves[0]))
                continue
            try:
                answer = self._seat.choose(game, move_stream(self._answers, game), Clock())
            except ForfeitError as error:
                self._forfeit = str(error)
                return
            self.point = DecisionPoint.of(game.play(choice_of(answer, game).move))

    def _seen(self) -> dict[str, NDArray[Any]]:
        mask = self.point.mask()
        if self.point.turn is not self.color:
            mask[:] = 0
        return {"observation": self.point.planes(self.color), "action_mask": mask}

    def render(self) -> Any:
        """Return the board as a text or as pixels, or print it, as `render_mode` says."""
        return rendered(self.point, self.render_mode)

    def close(self) -> None:
        """Release what the opponent's seat holds, such as the process of a bot."""
        self._seat.close()


def env(
    game: str,
    opponent: object = "random",
    *,
    seed: int | None = None,
    color: str | None = None,
    opening_plies: int = 0,
    render_mode: str | None = None,
) -> AgainstPlayerEnv:
    """Return an environment of *game* against *opponent*.

    *game* is a name or a file of rules as `--game FILE` takes it; *opponent* a player's text, or
    any player. The agent is *color*, "black" or "white"; None draws its side for each game.
    *opening_plies* random plies begin each game. Raises `ValueError` for what cannot be read.

    >>> board = env("othello", opponent="greedy", seed=1, color="black")
    >>> observation, info = board.reset()
    >>> observation, reward, terminated, truncated, info = board.step(37)
    >>> board.point.record.transcript(), reward, terminated
    ('f5f4', 0.0, False)
    """
    return AgainstPlayerEnv(
        game,
        opponent,
        seed=seed,
        color=color,
        opening_plies=opening_plies,
        render_mode=render_mode,
    )
