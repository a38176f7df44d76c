"""How a player that looks ahead divides the time of a game among its moves.

A policy is a function of a search, a clock and a `TimeLeft`, which is all that it knows of the
game; it knows no boards.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, Protocol

from evoply.games import game_rules
from evoply.protocols import CERTAIN, Choice, Clock, Position

Timing = Literal["firebrand", "modern"]

LAG = 0.01
"""Seconds that a move may take beyond its limit, to end a search and to report it."""
SPARE = 0.2
"""Seconds of a game that are reserved for a busy machine at the end of a search."""
_FEW = 4
"""The number of moves whose lag is reserved if each move adds more than a lag."""
_USUAL_MOVES = 40
"""Own moves of a game that does not fill the board."""
_FEWEST_MOVES = 12
"""The least number of own moves still expected there."""


@dataclass(frozen=True, slots=True)
class TimeLeft:
    """The facts about time that a policy has for a move."""

    seconds: float
    """For this move and all later ones; infinite if only this move has a limit."""
    moves: int
    """Own moves that are left, this one included: an estimate, at least 1."""
    played: float
    """The part of the game that is over, 0 to 1."""
    most_depth: int
    """Plies until the game is over, as far as that is known; at least 1."""
    increment: float = 0.0
    """Seconds that each move brings."""
    move_seconds: float = math.inf
    """For this move alone."""

    @property
    def usable(self) -> float:
        """The seconds to spend while every later move can still be made at once; may be below 0."""
        slow = self.moves if self.increment < LAG else _FEW
        return min(self.seconds - SPARE - LAG * slow, self.move_seconds - LAG)

    @property
    def longest(self) -> float:
        """The seconds after which a search without a policy ends: half of `usable`."""
        return min(replace(self, move_seconds=math.inf).usable / 2, self.move_seconds - LAG)

    @property
    def share(self) -> float:
        """The seconds of this move if every move left gets as much; may be below 0."""
        whole = replace(self, move_seconds=math.inf).usable
        even = min(whole / self.moves + 0.9 * self.increment, _OF_ALL * whole)
        return min(even, self.move_seconds - LAG)


def time_left(clock: Clock, position: Position) -> TimeLeft:
    """Return the facts for a policy from *clock* and *position*."""
    rules = game_rules(position.game)
    left = rules.moves_left(position)
    if left is not None:
        moves = max((left + 1) // 2, 1)
        played = 1 - left / max(rules.length or 1, left)
        most_depth = max(left, 1)
    else:
        moves = max(_USUAL_MOVES - clock.moves, _FEWEST_MOVES)
        played = clock.moves / (clock.moves + moves)
        most_depth = rules.shape.squares
    return TimeLeft(
        seconds=math.inf if clock.seconds_left is None else clock.seconds_left,
        moves=moves,
        played=played,
        most_depth=most_depth,
        increment=clock.increment,
        move_seconds=math.inf if clock.move_seconds is None else clock.move_seconds,
    )


class Search(Protocol):
    """Looks ahead from the position where a move is to be chosen."""

    def __call__(self, depth: int, seconds: float, *, every_move: bool = False) -> Choice | None:
        """Return the choice *depth* plies ahead, None if that was not finished within *seconds*.

        One ply is always finished. With *every_move* the choice has the values of all moves.
        """


@dataclass(slots=True)
class MeasuredSearches:
    """What a seat has measured about its searches with a clock, from game to game."""

    branching: float = 5.0
    """The factor in time for one more ply."""


ALARM = 5.0
"""Seconds left of the whole game at which FIREBRAND stops whatever it is doing."""
LEAST = 1.0
"""Seconds left below which it looks one ply ahead."""
_PROBE = 3
_BRANCHING = (1.5, 30.0)


def firebrand(
    search: Search, time: TimeLeft, measured: MeasuredSearches, now: Callable[[], float]
) -> Choice:
    """Choose as FIREBRAND does, with a probe of three plies and an alarm.

    The share of a move in what is left rises on a line from half of the usual at the beginning of
    a game to one and a half at its end. A search of three plies is timed, and from its time and
    *measured* (which is corrected here) follows the depth that fits into the share. At the alarm
    the move of the probe is played; where the probe itself is too slow, one of a single ply. Once
    the alarm has rung, probes go on until one second is left.

    Source: Almgren, Berglund, Milstein, FIREBRAND; the numbers that it leaves open are chosen.
    """
    begun = now()
    if time.seconds < LEAST:
        return _at_once(search)
    reserve = ALARM if time.seconds > ALARM else LEAST
    most = min(time.seconds - reserve, time.move_seconds - LAG)
    probe = search(min(_PROBE, time.most_depth), most)
    if probe is None:
        return _at_once(search)
    took = max(probe.seconds, 1e-6)
    fitting = min(time.seconds * _share(time), time.move_seconds) / took
    more = math.log(max(fitting, 1.0)) / math.log(measured.branching)
    depth = min(_PROBE + math.floor(more), time.most_depth)
    before = now()
    if depth <= _PROBE or before - begun >= most or reserve < ALARM:
        return probe
    deep = search(depth, most - (before - begun))
    spent = now() - before if deep is None else deep.seconds
    growth = (max(spent, took) / took) ** (1 / (depth - _PROBE))
    if deep is None:
        growth = max(growth, measured.branching)  # it would have taken longer still
    least, greatest = _BRANCHING
    measured.branching = min(max(math.sqrt(measured.branching * growth), least), greatest)
    return probe if deep is None else deep


def _share(time: TimeLeft) -> float:
    """Return the part of the time left that this move gets; those of all moves left make 1."""
    step = (1 - time.played) / time.moves
    rises = [0.5 + time.played + step * move for move in range(time.moves)]
    return rises[0] / sum(rises)


_TEMPO = 2.0
"""How many times its mean share a usual move may take: a depth is begun if it should end by then,
so that on average about one share is used."""
_CHANGED = 3.5
"""The same while the best move changes from depth to depth."""
_ALONE = 0.6
"""The same where there is one sensible move."""
_HARD = 5.0
"""Shares after which a search is stopped in any case."""
_OF_ALL = 0.8
"""No move takes a greater part of what is left."""
_GROWTH = (2.0, 12.0)


def modern(
    search: Search, time: TimeLeft, measured: MeasuredSearches, now: Callable[[], float]
) -> Choice:
    """Choose by looking one ply deeper at a time under a hard deadline.

    A depth is begun if it should be finished in time, going by how much longer each depth took than
    the one before. A move whose best reply has just changed gets more time; one that is
    alone in being sensible after two plies, and stays it, gets less. What each move brings
    (increment) is used up.
    """
    begun = now()
    choice = _at_once(search)
    usable = time.usable
    share = min(usable / time.moves + 0.9 * time.increment, usable)
    hard = min(_HARD * share, _OF_ALL * usable if usable < math.inf else math.inf)
    if time.move_seconds - LAG <= usable:
        share = hard = time.move_seconds - LAG  # nothing of it is left for later moves
    is_alone, unrest = False, 0.0
    took, growth = 0.0, measured.branching
    for depth in range(2, time.most_depth + 1):
        spent = now() - begun
        tempo = _ALONE if is_alone else _TEMPO + (_CHANGED - _TEMPO) * unrest
        if spent + took * growth > min(tempo * share, hard) or spent >= hard:
            break
        answer = search(depth, hard - spent, every_move=depth == 2)
        if answer is None:
            break
        is_changed = answer.move != choice.move
        unrest = 1.0 if is_changed and depth > 2 else unrest / 2
        is_alone = _is_alone(answer) if depth == 2 else is_alone and not is_changed
        before, took = took, max(now() - begun - spent, 1e-6)
        if before > LAG:  # what is shorter says little
            growth = min(max(took / before, _GROWTH[0]), _GROWTH[1])
            measured.branching = math.sqrt(measured.branching * growth)
        choice = answer
        if answer.depth < depth or abs(answer.score or 0.0) > CERTAIN:
            break  # every line is a finished game, or one side has won
    return choice


def _at_once(search: Search) -> Choice:
    choice = search(1, math.inf)
    assert choice is not None  # one ply is always finished
    return choice


def _is_alone(choice: Choice) -> bool:
    """Return whether the best move is farther from the second than that is from the worst."""
    values = [value for _, value in choice.moves]
    return len(values) > 2 and values[0] - values[1] > values[1] - values[-1]


TIMINGS: Mapping[
    Timing, Callable[[Search, TimeLeft, MeasuredSearches, Callable[[], float]], Choice]
] = MappingProxyType({"firebrand": firebrand, "modern": modern})
"""The policies by name."""
