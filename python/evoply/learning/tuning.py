"""Tuning: CMA-ES changes the numbers of a player by its games, and keeps its structure.

CMA-ES (Hansen & Ostermeier, 2001) draws vectors around a mean, and moves mean and covariance
towards those that score best. The library is `cmaes`: it is small and draws from its own
generator, so that a step holds only the scores so far; `cma` needs more, and warns without
matplotlib. The mean is tested now and then on games that no choice used, and the champion is the
best in these tests, so it is never worse there than the original player.

Numbers are rounded before they play, so that people read what is played. The linear algebra
below is numpy's: on another machine its last digits may differ, and so may a run.

Reasons: docs/design/learning.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from importlib.util import find_spec
from time import perf_counter
from typing import TYPE_CHECKING, Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from evoply import _native
from evoply._native import Stream
from evoply.arena import play_against
from evoply.configs.part import Problem
from evoply.expressions import program_with_parameters
from evoply.games import game_rules
from evoply.learning.choices import Choices, choices_of
from evoply.learning.configs import GameName, LearnerConfig, config_of
from evoply.learning.tunable import Parameters, Tunable, player_from, tunable
from evoply.players import AlphaBeta, KernelSeat, PlayerKind, ValuingPlayer, model_of
from evoply.players.evaluators import Evaluator
from evoply.players.grammar import read_player_of
from evoply.protocols import Player, RunError, steps
from evoply.protocols.sections import Column, share
from evoply.rules.loading import RulesDigest
from evoply.runs.kept_learners import KeptLearner
from evoply.runs.kept_steps import KeptStep
from evoply.runs.kind import ChampionFacts, Kind, StepTables

if TYPE_CHECKING:
    from cmaes import CMA

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
    """How far the first vectors lie from the current numbers, as a share of what numbers weigh: of
    the difference that one usually makes between the boards of a choice."""
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


Array = NDArray[np.float64]
_GAMES_TO_WEIGH = 10
_DIGITS = 4
"""Significant digits of tuned numbers, in play as in print."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TuningStep(KeptStep):
    """A generation of CMA-ES and the best player so far; it holds all that the next one needs."""

    points: tuple[tuple[int, ...], ...]
    """Points of each vector of every generation so far: two for a win, one for a draw."""
    best: tuple[float, ...]
    """The parameters that did best in the tests, rounded."""
    best_score: float
    """Points a game of the best parameters in their test, in [0, 1]."""

    def player(self, config: TuningConfig, /) -> ValuingPlayer:
        """Return the player with the best parameters."""
        return _task(config).tunable.tuned(np.array(self.best))

    def check(self, config: TuningConfig, /) -> None:
        """Raise `ValueError` unless the parameters are those of the player."""
        task = _task(config)
        is_other = len(self.best) != len(task.scales)
        if is_other or any(len(row) != task.size for row in self.points):
            raise ValueError("this step has other parameters than the player")


@dataclass(frozen=True)
class Tuning(KeptLearner[TuningStep]):
    """The learner that `evoply.runs` drives; *threads* 0: all cores."""

    config_type: ClassVar[type[TuningConfig]] = TuningConfig
    step_type: ClassVar[type[TuningStep]] = TuningStep
    one_machine: ClassVar[str] = (
        "cluster: tuning plays on the cores of this machine - leave the cluster out"
    )
    _known: dict[str, CMA] = field(default_factory=dict, compare=False, repr=False)
    """The search after the newest step, by its digest: computing it again is slow."""

    def first(self, config: TuningConfig, /) -> TuningStep:
        """Return the player as it is, tested; `RunError` without the package `cmaes`."""
        check_installed()  # now rather than after these games
        began = perf_counter()
        task = _task(config)
        values = with_kept_digits(task.tunable.weights)
        score = self._test(task, values)
        return _new_step(task, None, began, (), values, score, mean=score, spread=config.spread)

    def after(self, config: TuningConfig, step: TuningStep, /) -> TuningStep:
        """Return the step after one more generation."""
        began = perf_counter()
        task = _task(config)
        search = self._known.pop(step.digest, None) or _search(task, step.points)
        number = step.number + 1
        vectors = ask(search, task.size)
        points = self._play(
            task,
            [task.rounded(vector) for vector in vectors],
            config.pairs,
            Stream(config.seed, "tuning", number),
        )
        tell(search, vectors, points)
        best, best_score = np.array(step.best), step.best_score
        if number % config.test_every == 0:
            mean = task.rounded(search.mean)
            score = self._test(task, mean)
            if score > best_score:
                best, best_score = mean, score
        new_step = _new_step(
            task,
            step,
            began,
            (*step.points, points),
            best,
            best_score,
            mean=sum(points) / (2 * len(points) * task.games(config.pairs)),
            spread=float(search._sigma),  # `cmaes` has no public name for it
        )
        self._known.clear()
        self._known[new_step.digest] = search
        return new_step

    def _test(self, task: _Task, values: Array) -> float:
        """Return the points a game on the openings of tests, which are the same for all."""
        stream = Stream(task.config.seed, "tuning tests")
        (points,) = self._play(task, [values], task.config.test_pairs, stream)
        return points / (2 * task.games(task.config.test_pairs))

    def _play(
        self, task: _Task, vectors: list[Array], pairs: int, stream: Stream
    ) -> tuple[int, ...]:
        """Return twice the points of each of *vectors*: all play the same games."""
        games = play_against(
            task.config.game,
            [task.seat(values) for values in vectors],
            task.opponents,
            stream=stream,
            pairs=pairs,
            opening_plies=task.config.opening_plies,
            threads=self.threads,
        )
        doubled = np.rint(2 * games.points).astype(np.int64)
        return tuple(doubled.sum(axis=(1, 2)).tolist())


@dataclass(frozen=True)
class _Task:
    """What all steps of a config share."""

    config: TuningConfig
    tunable: Tunable
    program: _native.Program
    scales: Array
    """The change of each parameter that a component 1 of a vector stands for: see `units_of`."""
    size: int
    """Vectors in a generation."""
    opponents: tuple[Player | KernelSeat, ...]

    def games(self, pairs: int) -> int:
        """Return the number of games that a vector plays."""
        return 2 * pairs * len(self.opponents)

    def rounded(self, vector: Array) -> Array:
        """Return the parameters of *vector*, rounded."""
        return with_kept_digits(vector * self.scales)

    def seat(self, values: Array) -> KernelSeat:
        """Return the seat that plays with these parameters, now and then at random."""
        player = self.tunable.player.erring(self.config.random_moves)
        program = self.program.with_parameters(self.tunable.parameters(values))
        return KernelSeat(player.with_program(self.config.game, program))


@lru_cache(maxsize=8)
def _task(config: TuningConfig) -> _Task:
    chosen = tunable(config.player, config.game, config.parameters)
    values = chosen.weights
    program = program_with_parameters(chosen.expression, config.game)
    boards = boards_to_weigh(chosen.player.evaluator, config.game, config.seed)

    def values_of(numbers: Array) -> Array:
        return program.with_parameters(chosen.parameters(numbers)).evaluate(boards.positions)[:, 0]

    opponents = [player_from(text, config.game) for text in config.opponents]
    return _Task(
        config,
        chosen,
        program,
        units_of(values, values_of, boards),
        config.population_size or usual_size(len(values)),
        tuple(opponent.erring(config.random_moves) for opponent in opponents),
    )


def _search(task: _Task, points: tuple[tuple[int, ...], ...]) -> CMA:
    """Return the search after generations that scored *points*, by asking and telling again."""
    mean = task.tunable.weights / task.scales
    stream = Stream(task.config.seed, "cma")
    search = new_search(mean, task.config.spread, stream, task.size)
    for row in points:
        tell(search, ask(search, task.size), row)
    return search


@dataclass(frozen=True, eq=False)
class WeighingBoards:
    """The boards after the moves of some positions, on which it shows what numbers weigh."""

    positions: _native.Positions
    choices: Choices


def boards_to_weigh(evaluator: Evaluator, game: str, seed: int) -> WeighingBoards:
    """Return boards of a few noisy games that *evaluator* plays with itself one ply ahead."""
    player = AlphaBeta(evaluator=evaluator, depth=1)
    choices = choices_of(player, game, games=_GAMES_TO_WEIGH, seed=seed)
    return WeighingBoards(_native.Positions(game_rules(game).kernel, choices.rows), choices)


def units_of(numbers: Array, values: Callable[[Array], Array], boards: WeighingBoards) -> Array:
    """Return how far each of *numbers* must move to decide as much as numbers usually do.

    *values* returns the values of *boards* with other numbers. A number of a feature that differs
    much between moves moves in small steps, and one that is small by chance can grow. The unit of
    a number that decides nothing there is the number itself, or 1.
    """
    base = values(numbers)
    steps = np.where(numbers == 0, 1.0, np.abs(numbers)) / 64
    slopes = np.zeros(len(numbers))
    for index, step in enumerate(steps.tolist()):
        moved = numbers.copy()
        moved[index] += step
        slopes[index] = boards.choices.spread(((values(moved) - base) / step)[:, np.newaxis])[0]
    weighed = np.abs(numbers) * slopes
    usual = float(np.sqrt((weighed[weighed > 0] ** 2).mean())) if (weighed > 0).any() else 0.0
    own = np.where(numbers == 0, 1.0, np.abs(numbers))
    units: Array = np.divide(usual, slopes, out=own, where=(slopes > 0) & (usual > 0))
    return units


def check_installed() -> None:
    """Raise `RunError` without the package `cmaes`."""
    if find_spec("cmaes") is None:
        from evoply.environment.prerequisites import missing_package

        raise RunError(f"tuning: {missing_package('cmaes')}")


def new_search(mean: Array, spread: float, stream: Stream, size: int) -> CMA:
    """Return a search that begins at *mean*; `RunError` without the package `cmaes`.

    The first *size* vectors have a standard deviation of *spread*; the key of *stream* decides all.
    """
    check_installed()
    from cmaes import CMA

    return CMA(
        mean=mean,
        sigma=spread,
        seed=stream.key % 2**32,
        population_size=size,
        cov=np.eye(len(mean)),
    )


def ask(search: CMA, size: int) -> list[Array]:
    """Return the next *size* vectors of *search*."""
    return [search.ask() for _ in range(size)]


def tell(search: CMA, vectors: Sequence[Array], points: Sequence[int]) -> None:
    """Tell *search* the score of each of its *vectors*: more is better."""
    # `cmaes` minimises. Equal scores stay in the order in which vectors were drawn.
    search.tell([(vector, -float(score)) for vector, score in zip(vectors, points, strict=True)])


def with_kept_digits(values: Array) -> Array:
    """Return *values* rounded to the digits that tuned numbers have."""
    return np.array([float(f"{value:.{_DIGITS}g}") for value in values])


def usual_size(parameters: int) -> int:
    """Return the default number of vectors in a generation: twice the usual of CMA-ES."""
    return 2 * (4 + math.floor(3 * math.log(parameters)))


def _new_step(
    task: _Task,
    before: TuningStep | None,
    began: float,
    points: tuple[tuple[int, ...], ...],
    best: Array,
    best_score: float,
    **statistics: float,
) -> TuningStep:
    config = task.config
    tests = 1 + len(points) // config.test_every
    games = len(points) * task.size * task.games(config.pairs)
    games += tests * task.games(config.test_pairs)
    return TuningStep.made(
        config,
        before,
        began,
        points=points,
        best=tuple(best.tolist()),
        best_score=best_score,
        statistics={"games": games, "best": best_score, **statistics},
    )


def tune(
    player: object,
    *,
    game: str = "othello",
    runs: Callable[[str], Player] | None = None,
    resume_from: TuningStep | None = None,
    threads: int = 0,
    **settings: Any,
) -> Iterator[TuningStep]:
    """Yield the generations of tuning *player*, each with the best player so far as its champion.

    *player* is a text, a tree, or a player as data whose evaluator gives boards a number; further
    keywords are keys of `TuningConfig`. *runs* gives the champion for `champion@RUN`; `evoply.tune`
    looks among your runs. The result does not depend on *threads* (0: all cores), nor
    on where it was interrupted (*resume_from*). Raises `ValueError` for a player without
    numbers, or with too many to tune by games, and `RunError` without the package `cmaes`.

    >>> *_, last = tune("( + white_corners ( * 2 white_mobility ) ):primitives=othello-access",
    ...     opponents=["greedy"], generations=2, pairs=2, test_pairs=2, population_size=4)
    >>> last.number, len(last.best)
    (1, 2)
    """
    config = TuningConfig.for_player(player, game, runs=runs, **settings)
    return steps(Tuning(threads), config, resume_from)


def _facts(champion: Any, last: TuningStep) -> ChampionFacts:
    """Return the score of the numbers in their test."""
    about = {"generation": last.number, "score": last.best_score}
    zeros = last.best.count(0.0)
    gone = f" ({zeros} are 0: their terms are gone)" if zeros else ""
    title = (
        f"{len(last.best)} numbers{gone}, {share(last.best_score)} in their test, after "
        f"{last.statistics['games']:,.0f} games"
    )
    return ChampionFacts(title, about, {"generation": last.number})


KIND = Kind(
    name=TUNING_LEARNER,
    learner=Tuning(),
    read=partial(config_of, TuningConfig),
    columns=(
        Column("best", "best in tests", share, "best in tests"),
        Column("mean", "mean of a generation", share, "mean"),
        Column("games", "games", "{:,.0f}".format),
        Column("spread", "spread", "{:.3f}".format),
    ),
    word="generation",
    tables=StepTables(grows=("points",)),
    facts=_facts,
    uses={"check_installed": lambda config: check_installed()},
)
"""What runs show of tuning."""
