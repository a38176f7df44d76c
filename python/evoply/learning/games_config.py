"""The common base of configs of learners by play: their limits, and how they are read."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, Field

from evoply.configs.keys import read_toml
from evoply.configs.part import Problem
from evoply.configs.run_config import RunConfig, changed_config
from evoply.games import game_rules
from evoply.own_code import reading
from evoply.presets import config_text
from evoply.protocols import ConfigError
from evoply.rules.game_key import RulesDigest, with_game_of_file

MOST_GAMES = 1_000_000_000
"""The largest number of games of a run."""


def _check_game_name(game: str) -> str:
    game_rules(game)
    return game


GameName = Annotated[str, AfterValidator(_check_game_name)]
"""The name of a game in evoply; any other is an error that lists the games."""


class LearnerConfig(RunConfig):
    """A run that ends after a number of games, or of generations, or after seconds."""

    def ended_by(self, step: Any) -> str:
        """Return the key whose limit *step* has reached; "" if none."""
        done = step.games if self.counts == "games" else step.number + 1
        return self.limit_reached({self.counts: done, "time_limit": step.total_seconds})

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        if all(getattr(self, name) is None for name in self.ends()):
            return [(self.counts, f"set {self.counts} or time_limit, or the run never ends")]
        return []


class GamesConfig(LearnerConfig):
    """A run that ends after a number of games, or seconds."""

    counts: ClassVar[str] = "games"
    most: ClassVar[int] = MOST_GAMES
    learner: str
    """The key that tells this file from those of other learners."""
    game: GameName
    """`othello` (8x8), `othello-4`, `-6`, `-10`, `checkers`, `lose-checkers`, `checkers-10`, a game
    from data such as `breakthrough`, or in a file a JSON file of rules."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows: the same seed, the same steps. A
    time limit decides how many of them."""
    games: int | None = Field(default=None, ge=1, le=MOST_GAMES)
    """Games in all; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds of learning, read between steps only; None for no limit."""
    games_per_step: int = Field(ge=1)
    """Games of a step, after which the learned values are kept."""

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games that each step plays."""
        return {"games_per_step": self.games_per_step}


def games_ahead(config: GamesConfig, played: int) -> int:
    """Return the games to the end of the step after *played* games, from which steps are counted.

    A run that ended in the middle of a step goes on to where the step would have ended.
    """
    return config.games_per_step - played % config.games_per_step


_Config = TypeVar("_Config", bound=RunConfig)


def config_of(
    model: type[_Config],
    source: _Config | str | os.PathLike[str],
    overrides: Iterable[str],
    settings: Mapping[str, Any],
) -> _Config:
    """Return the config of a TOML file or a preset, with changes as in `evoply.load_config`."""
    if isinstance(source, model):
        return changed_config(model, source.model_dump(), overrides, settings)
    name = os.fspath(source)  # type: ignore[arg-type]  # not a config, so a name
    with reading(name):
        data = with_game_of_file(read_toml(config_text(name), name), Path(name).parent)
        learner = model.model_fields["learner"].default
        if data.get("learner") != learner:
            wrong = f'{name} is not a config of {model.about}, which has learner = "{learner}"'
            raise ConfigError(
                [("learner", f"{wrong}: `evoply evolve` is for configs of evolution")]
            )
        return changed_config(model, data, overrides, settings)
