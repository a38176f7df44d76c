"""The config of tuning."""

import json
from collections.abc import Callable
from typing import Any, ClassVar, Literal, Self

from pydantic import Field

from evoply.configs.part import Problem
from evoply.learning.games_config import GameName, LearnerConfig
from evoply.learning.tunable import Parameters, player_from, tunable
from evoply.players import PlayerKind, model_of
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.rules.game_key import RulesDigest

TUNING_LEARNER = "tuning"
"""The value of `learner` in `config.toml`."""
USUAL_GENERATIONS = 61


class TuningConfig(LearnerConfig):
    """Everything that decides a run of tuning; the same config and seed give the same player.

    A mistake raises `ConfigError` (a `ValueError`) that lists every error with its path.
    """

    about: ClassVar[str] = "tuning"
    most: ClassVar[int] = 2000
    learner: Literal["tuning"] = "tuning"
    """The key that tells this file from those of other learners."""
    game: GameName = "othello"
    """As in configs of evolution."""
    rules_digest: RulesDigest = None
    """The digest of the rules of a game from data, which evoply writes; other rules are refused."""
    seed: int = Field(default=1, ge=0, lt=2**63)
    """The number from which everything random in the run follows."""
    player: str
    """The player whose numbers are tuned, as text, or as JSON as in saved files."""
    opponents: tuple[str, ...] = Field(min_length=1, max_length=20, strict=False)
    """The opponents: players as text or as JSON."""
    parameters: Parameters = "terms"
    """`terms`: the numbers of the simplified formula, and a factor for each of its terms that has
    none; `constants`: the numbers as they are in the tree. Borders of stages and numbers inside
    features stay."""
    generations: int | None = Field(default=None, ge=1, le=2000)
    """Generations of CMA-ES, the original player included; None for no limit."""
    time_limit: float | None = Field(default=None, gt=0)
    """Seconds, read between generations only; None for no limit."""
    population_size: int | None = Field(default=None, ge=4, le=1000)
    """Vectors in a generation; None: twice 4 + 3 log(parameters), because games are noisy."""
    pairs: int = Field(default=50, ge=1, le=100_000)
    """Openings that each vector plays against each opponent, twice with colours swapped."""
    opening_plies: int = Field(default=8, ge=0, le=60)
    """Uniformly random plies that games begin with."""
    random_moves: float = Field(default=0.05, ge=0, le=1)
    """Probability that either side plays a random move, so that the numbers fit odd boards too."""
    spread: float = Field(default=0.3, gt=0, le=10)
    """How far the first vectors lie from the current numbers, as a share of these."""
    test_every: int = Field(default=5, ge=1, le=1000)
    """Generations after which the mean is tested on separate games."""
    test_pairs: int = Field(default=250, ge=1, le=100_000)
    """Openings of a test against each opponent; they are the same in every test."""

    def problems(self) -> list[Problem]:
        """Return the problems of parts that do not fit together."""
        problems = super().problems()
        try:
            tunable(self.player, self.game, self.parameters)
        except (ValueError, OSError) as error:
            problems.append(("player", str(error)))
        for index, text in enumerate(self.opponents):
            try:
                player_from(text, self.game)
            except (ValueError, OSError) as error:
                problems.append((f"opponents.{index}", str(error)))
        return problems

    def games_of_a_step(self) -> dict[str, int]:
        """Return the games of the smallest generation."""
        return {"pairs": 2 * self.pairs * (self.population_size or 4) * len(self.opponents)}

    @classmethod
    def for_player(
        cls,
        player: object,
        game: str,
        *,
        runs: Callable[[str], Player] | None = None,
        **settings: Any,
    ) -> Self:
        """Return the config for *player* and other *settings*; *runs* gives `champion@RUN`.

        The usual opponents are the current player, the same one ply deeper, `greedy` and
        `mobility`. Opponents may be players of any form, too. Without *generations* and
        *time_limit* there are 61 generations.
        """
        if settings.get("time_limit") is None:
            settings.setdefault("generations", USUAL_GENERATIONS)
        chosen = _model(player, game, runs)
        players = settings.pop("opponents", None)
        if players is None:
            # A player that cannot be tuned is refused for that, not because it cannot look deeper.
            steady = tunable(_text(chosen), game, settings.get("parameters", "terms")).player
            deeper = steady.with_options({"depth": steady.plies_ahead + 1})
            players = [chosen, deeper, "greedy", "mobility"]
        opponents = [_text(_model(rival, game, runs)) for rival in players]
        return cls(game=game, player=_text(chosen), opponents=tuple(opponents), **settings)


def _model(player: object, game: str, runs: Callable[[str], Player] | None) -> PlayerKind:
    read = model_of(read_player_of(player, game, runs))
    read.check_fits(game)
    return read


def _text(player: PlayerKind) -> str:
    """Return *player* as JSON that can be read without other files."""
    data = player.anywhere().model_dump(mode="json", exclude={"name"})
    return json.dumps(data, separators=(",", ":"))
