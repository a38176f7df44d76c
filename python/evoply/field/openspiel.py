"""Games and players for OpenSpiel: any game as a Python game of it, any player as a bot of it.

Source: Lanctot et al., "OpenSpiel: A Framework for Reinforcement Learning in Games" (2019).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from evoply._native import Stream
from evoply.arena.schedule import checked_whole
from evoply.field.arguments import game_named, missing, player_for
from evoply.games import NO_DRAWS, game_rules
from evoply.games.observations import ActionNumbers, DecisionPoint
from evoply.players.searcher import move_stream
from evoply.protocols import Clock, Color, Seat, choice_of

try:
    import pyspiel
    from open_spiel.python.observation import IIGObserverForPublicInfoGame
except ModuleNotFoundError:
    raise missing("open_spiel") from None

_COLORS = tuple(Color)
"""The sides of OpenSpiel's players 0 and 1."""

# Games of evoply in OpenSpiel.

_NAME = "evoply"
_TYPE = pyspiel.GameType(
    short_name=_NAME,
    long_name="A game of evoply",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
    information=pyspiel.GameType.Information.PERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=2,
    min_num_players=2,
    provides_information_state_string=True,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"game": "othello"},
)


class GameForOpenSpiel(pyspiel.Game):
    """A game of evoply, `evoply(game=NAME)` in OpenSpiel's words; player 0 is Black."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        self.start = DecisionPoint.start(str((params or {}).get("game", "othello")))
        """Where its states begin; made once, because OpenSpiel makes states without need."""
        numbers = self.start.numbers
        info = pyspiel.GameInfo(
            num_distinct_actions=numbers.count,
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=numbers.most_actions,
        )
        super().__init__(_TYPE, info, dict(params or {}))

    def new_initial_state(self, state: None = None) -> StateForOpenSpiel:
        """Return the start."""
        return StateForOpenSpiel(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what makes observations of states."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.start.numbers)
        return IIGObserverForPublicInfoGame(iig_obs_type, params)


class StateForOpenSpiel(pyspiel.State):
    """A state of such a game, whose actions are numbered as in `evoply.games.observations`."""

    def __init__(self, game: GameForOpenSpiel) -> None:
        super().__init__(game)
        self.point = game.start
        """The game as it stands."""

    def current_player(self) -> int:
        """Return 0 where Black is to move, 1 where White is, TERMINAL at the end."""
        if self.point.is_over:
            return int(pyspiel.PlayerId.TERMINAL)
        return int(self.point.turn is Color.WHITE)

    def _legal_actions(self, player: int) -> list[int]:
        return sorted(self.point.actions)

    def _apply_action(self, action: int) -> None:
        self.point = self.point.after(action)

    def _action_to_string(self, player: int, action: int) -> str:
        return self.point.numbers.text(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.point.is_over

    def returns(self) -> list[float]:
        """Return what the game is to Black and to White: 1, 0 or -1."""
        return [float(self.point.reward(color)) for color in Color]

    def __str__(self) -> str:
        return str(self.point)


class PlanesObserver:
    """Makes observations: `DecisionPoint.planes` as a tensor, the board as a string."""

    def __init__(self, numbers: ActionNumbers) -> None:
        self.tensor = np.zeros(int(np.prod(numbers.observation_shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(numbers.observation_shape)}

    def set_from(self, state: StateForOpenSpiel, player: int) -> None:
        """Put what *player* sees into `tensor`, of which `dict` has a view."""
        self.dict["observation"][:] = state.point.planes(_COLORS[player])

    def string_from(self, state: StateForOpenSpiel, player: int) -> str:
        """Return the board, which is the same for both players."""
        return str(state.point)


pyspiel.register_game(_TYPE, GameForOpenSpiel)


def game(name: str) -> Any:
    """Return a game of evoply as one of OpenSpiel: *name*, or a file of rules as `--game` takes it.

    OpenSpiel's text for it is `evoply(game=NAME)`. Raises `ValueError` for an unknown game.

    >>> state = game("tic-tac-toe").new_initial_state()
    >>> state.apply_action(4)
    >>> state.current_player(), state.action_to_string(0)
    (1, 'a1')
    """
    return pyspiel.load_game(_NAME, {"game": game_named(name)})


# Games that both have.


@dataclass(frozen=True)
class SharedGame:
    """How OpenSpiel calls a game that evoply has, too, and its actions."""

    game: str
    """The name in evoply."""
    name: str
    """The name in OpenSpiel."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """OpenSpiel's parameters of a game with these rules."""
    speaks: Literal["numbers", "columns", "squares"] = "numbers"
    """What of an action it says: evoply's number, the column, or the squares in its text."""
    is_mirrored: bool = False
    """Whether its columns run from right to left."""
    from_below: bool = False
    """Whether its rows are counted from below."""
    has_own_draws: bool = True
    """Whether OpenSpiel decides on draws by rule, not evoply."""

    def load(self) -> Any:
        """Return the game of OpenSpiel."""
        return pyspiel.load_game(self.name, dict(self.parameters))

    def start(self) -> DecisionPoint:
        """Return the start in evoply, which ends no game that goes on in OpenSpiel."""
        rules = game_rules(self.game)
        draws = NO_DRAWS if self.has_own_draws else rules.draws
        return DecisionPoint.of(rules.RECORD(rules.start(), (), draws))

    def actions(self, state: Any, point: DecisionPoint) -> dict[int, int]:
        """Return OpenSpiel's legal actions by evoply's numbers of them.

        Raises `ValueError` that names the position if the legal actions differ.
        """
        theirs = {self._key(state, action): action for action in state.legal_actions()}
        ours = {self._said(action, point): action for action in point.actions}
        if theirs.keys() != ours.keys():
            raise ValueError(
                f"{self.name}: {sorted(map(str, theirs))} are legal in OpenSpiel's\n{state}\nand "
                f"{sorted(map(str, ours))} in {point.position.text()} - give a game that begins as "
                "usual"
            )
        return {action: theirs[said] for said, action in ours.items()}

    def _key(self, state: Any, action: int) -> int | str:
        return str(state.action_to_string(action))[:4] if self.speaks == "squares" else action

    def _said(self, action: int, point: DecisionPoint) -> int | str:
        shape = point.position.shape
        if self.speaks == "numbers":
            return action
        cells = [divmod(square, shape.columns) for square in point.numbers.path(action)]
        if self.speaks == "columns":
            return cells[-1][1]
        letters = shape.letters[::-1] if self.is_mirrored else shape.letters
        rows = range(shape.rows, 0, -1) if self.from_below else range(1, shape.rows + 1)
        return "".join(f"{letters[column]}{rows[row]}" for row, column in cells)


SHARED: tuple[SharedGame, ...] = (
    SharedGame("othello", "othello"),
    SharedGame("breakthrough", "breakthrough", speaks="squares", from_below=True),
    SharedGame(
        "breakthrough-6",
        "breakthrough",
        {"rows": 6, "columns": 6},
        speaks="squares",
        from_below=True,
    ),
    SharedGame("checkers", "checkers", speaks="squares", is_mirrored=True),
    SharedGame("clobber", "clobber", {"rows": 6, "columns": 5}, speaks="squares"),
    SharedGame("connect-four", "connect_four", speaks="columns"),
    SharedGame("hex-9", "hex", {"board_size": 9}),
    SharedGame("tic-tac-toe", "tic_tac_toe"),
)
"""The games that both have with the same rules but for draws."""


_SHOWN = ("egocentric", "egocentric_obs_tensor", "plain_obs_tensor", "string_rep")
"""Parameters of OpenSpiel's games that change what is shown, and no rule."""


def _rules_of(theirs: Any) -> tuple[Any, ...]:
    """Return the name of a game of OpenSpiel, and its parameters that decide the rules."""
    parameters = theirs.get_parameters().items()
    rules = sorted((name, value) for name, value in parameters if name not in _SHOWN)
    return theirs.get_type().short_name, *rules


@cache
def _known() -> Mapping[tuple[Any, ...], SharedGame]:
    """Return the shared games by OpenSpiel's rules of them."""
    return MappingProxyType({_rules_of(shared.load()): shared for shared in SHARED})


def shared_game(theirs: Any) -> SharedGame:
    """Return the entry of a game of OpenSpiel; `ValueError` if evoply has no such game.

    >>> shared_game(pyspiel.load_game("breakthrough(rows=6,columns=6)")).game
    'breakthrough-6'
    """
    if theirs.get_type().short_name == _NAME:
        return SharedGame(theirs.get_parameters()["game"], _NAME, has_own_draws=False)
    known = _known().get(_rules_of(theirs))
    if known is None:
        names = ", ".join(str(shared.load()) for shared in SHARED)
        raise ValueError(f"{theirs}: evoply has no such game - give one of {names}")
    return known


# Players of evoply in OpenSpiel.


class BotForOpenSpiel(pyspiel.Bot):
    """A player of evoply, a text or an object, as a bot of OpenSpiel.

    It plays OpenSpiel's own games that are in `SHARED`, and all games of evoply there. *seed* is
    for players that draw: the same seed gives the same games. Raises `ValueError` for a player that
    cannot be read or does not fit the game, and for a game that evoply has not.

    >>> state = pyspiel.load_game("othello").new_initial_state()
    >>> state.action_to_string(Bot("greedy").step(state))
    'd3'
    """

    def __init__(self, player: object, *, seed: int = 0) -> None:
        super().__init__()
        self.player = player
        self._stream = Stream(checked_whole("seed", seed, 2**64 - 1), "openspiel")
        self._seats: dict[str, Seat] = {}
        self._games = 0
        self._shared: SharedGame | None = None
        self._forget()

    def _forget(self) -> None:
        self._games += 1
        self._shared, self._history = None, list[int]()
        self._plan: tuple[tuple[Any, ...], tuple[int, ...]] = ((), ())

    def restart(self) -> None:
        """Forget the game so far: the next one has draws of its own."""
        self._forget()

    def restart_at(self, state: Any) -> None:
        """Do the same: every state is told with its history."""
        self._forget()

    def inform_action(self, state: Any, player_id: int, action: int) -> None:
        """Do nothing: every state is told with its history."""

    def step(self, state: Any) -> int:
        """Return the action that the player chooses."""
        shared, point = self._follow(state)
        actions = shared.actions(state, point)
        chosen = next(iter(actions)) if len(actions) == 1 else self._chosen(shared, point)
        return actions[chosen]

    def _follow(self, state: Any) -> tuple[SharedGame, DecisionPoint]:
        """Return the game and the point in it that a state's history leads to."""
        theirs, history = state.get_game(), list(state.history())
        shared = shared_game(theirs)
        known = len(self._history)
        if self._shared != shared or history[:known] != self._history:
            self._forget()
            known = 0
        if known == 0:
            self._shared, self._state, self._point = (
                shared,
                theirs.new_initial_state(),
                shared.start(),
            )
        for action in history[known:]:
            ours = {each: our for our, each in shared.actions(self._state, self._point).items()}
            self._point = self._point.after(ours[action])
            self._state.apply_action(action)
        self._history = history
        return shared, self._point

    def _chosen(self, shared: SharedGame, point: DecisionPoint) -> int:
        """Return the action that goes on with the capture that was planned, or a new choice."""
        record, depth = point.record, len(point.begun)
        moves, plan = self._plan
        if moves != record.moves or not depth or plan[:depth] != point.begun:
            if shared.game not in self._seats:
                self._seats[shared.game] = player_for(self.player, shared.game).seat(shared.game)
            seat = self._seats[shared.game]
            stream = move_stream(self._stream.child(self._games), record)
            move = choice_of(seat.choose(record, stream, Clock()), record).move
            plan = point.numbers.steps(move.code(point.position.shape))
            self._plan = record.moves, plan
        # Others may have begun a capture that the player would not have chosen.
        return plan[depth] if plan[:depth] == point.begun else next(iter(point.actions))


Bot = BotForOpenSpiel
"""The same by the name that OpenSpiel gives to what plays."""
