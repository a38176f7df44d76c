"""Steps a second of environments with a random policy: ours beside those of others.

    python benchmarks/environments.py

Each side plays whole games on one core and hands over what a learner gets at every step:
observation, legal actions, reward. OpenSpiel's games are in C++ below its Python environment.
"""

import time
from collections.abc import Callable, Iterator
from importlib.util import find_spec

import numpy as np
from open_spiel.python.rl_environment import Environment

from evoply._native import Stream
from evoply.field import openspiel, pettingzoo
from evoply.field.openspiel import SHARED

COMPARED = ("othello", "breakthrough", "connect-four", "hex-9", "checkers")
_SECONDS = 2.0


def rate(game: Callable[[Stream], int], repeats: int = 3) -> float:
    """Return the steps a second of processor time of random games, the best of a few runs."""
    rates = []
    for number in range(repeats):
        stream, steps, began = Stream(number, "environments"), 0, time.process_time()
        while time.process_time() - began < _SECONDS / repeats:
            steps += game(stream)
        rates.append(steps / (time.process_time() - began))
    return max(rates)


def aec_game(env: pettingzoo.BoardGameEnv) -> Callable[[Stream], int]:
    """Return what plays a game in an environment of PettingZoo, ours or its own."""

    def play(stream: Stream) -> int:
        env.reset()
        steps = 0
        for _ in env.agent_iter():
            seen, _, termination, truncation, _ = env.last()
            if termination or truncation:
                env.step(None)
                continue
            # As truths: numpy takes several times as long to look for what is not 0 among numbers.
            legal = np.flatnonzero(seen["action_mask"].view(np.bool_))
            env.step(int(legal[stream.below(len(legal))]))
            steps += 1
        return steps

    return play


def openspiel_game(env: Environment) -> Callable[[Stream], int]:
    """Return what plays a game in OpenSpiel's environment."""

    def play(stream: Stream) -> int:
        now, steps = env.reset(), 0
        while not now.last():
            legal = now.observations["legal_actions"][now.observations["current_player"]]
            now = env.step([legal[stream.below(len(legal))]])
            steps += 1
        return steps

    return play


def rows() -> Iterator[tuple[str, str, float, str, float, float]]:
    """Yield the name, the unit, our rate, the peer, its rate, and the ratio."""
    for name in COMPARED:
        shared = next(each for each in SHARED if each.game == name)
        ours = rate(aec_game(pettingzoo.env(name)))
        theirs = rate(openspiel_game(Environment(shared.load())))
        yield f"environment: {name}", "steps/s", ours, "OpenSpiel, in C++", theirs, ours / theirs
        inside = rate(openspiel_game(Environment(openspiel.game(name))))
        what = f"in OpenSpiel: {name}"
        yield what, "steps/s", inside, "OpenSpiel, in C++", theirs, inside / theirs
    if find_spec("pygame") is not None:  # PettingZoo's own board games ask for it
        from pettingzoo.classic import connect_four_v3

        ours = rate(aec_game(pettingzoo.env("connect-four")))
        theirs = rate(aec_game(connect_four_v3.env()))
        what = "environment: connect-four, again"
        yield what, "steps/s", ours, "PettingZoo's own", theirs, ours / theirs


if __name__ == "__main__":
    for what, unit, ours, peer, theirs, ratio in rows():
        print(f"{what:36} {unit} {ours:10,.0f}   {peer} {theirs:10,.0f}   {ratio:.3g}", flush=True)
