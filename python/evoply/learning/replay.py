"""Games of learning runs again: they are not stored, but every one comes again from its key.

A step's games are played once more from the weights before it, and the moves of one are kept.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evoply.games import NO_DRAWS, game_rules
from evoply.protocols import Color, GameRecord, RunError


@dataclass(frozen=True, slots=True)
class LessonReplay:
    """A game that a run learned from."""

    game: GameRecord
    step: int
    number: int
    """The number of the game within its step, from 0."""
    games: int
    """Games of the step."""
    game_of_run: int
    """The number of the game within the run, from 0."""
    learners: tuple[Color, ...]
    """The colours whose errors changed the weights."""
    points: float
    """1, 0.5 or 0 for Black."""
    explored: int
    """Moves that were drawn instead of chosen."""


@dataclass(frozen=True, slots=True)
class PlayedAgain:
    """The games of a step, played once more from the values before it."""

    answer: Mapping[str, Any]
    """What the kernel says of them, with the moves of one."""
    starts: Sequence[Any]
    """The rows of the positions where games begin."""
    values: Any
    """The learned values after them."""
    field: str
    """The field of a step that holds such values."""

    def leads_to(self, step: Any) -> bool:
        """Return whether *step* has the same values."""
        return bool(self.values == getattr(step, self.field))


def replayed(run: Any, step: int, game: int) -> LessonReplay:
    """Play game number *game* of the games that led to *step* again.

    Raises `RunError` if there is no such game, or if this evoply plays it differently.
    """
    if step < 1:
        raise RunError(f"run {run.path}: step 0 is the beginning, which has no games")
    config, after, before = run.config, run.step(step), run.step(step - 1)
    count = after.games - before.games
    if not 0 <= game < count:
        has = "no games" if not count else f"games 0 to {count - 1:,}"
        raise RunError(f"run {run.path}: step {step} has {has}, so not {game:,}")
    number = before.games + game
    learner = run.kind.learners.given
    played = learner.played_again(config, before, count, number)
    if not played.leads_to(after):
        raise RunError(
            f"run {run.path}: this evoply plays step {step} differently: use {run.version}, "
            "which played it"
        )
    rules, answer = game_rules(config.game), played.answer
    start = rules.position_from_row(played.starts[int(answer["starts"][game])])
    return LessonReplay(
        rules.game(start, answer["moves"] or (), NO_DRAWS),
        step,
        game,
        count,
        number,
        _learners(getattr(config, "learns", "both"), number),
        float(answer["points"][game]),
        int(answer["explored"][game]),
    )


def _learners(learns: str, number: int) -> tuple[Color, ...]:
    """Return whose errors count in a game of a run; where they take turns, first Black's."""
    if learns == "both":
        return Color.BLACK, Color.WHITE
    if learns == "alternate":
        learns = "white" if number % 2 else "black"
    return (Color.BLACK if learns == "black" else Color.WHITE,)
