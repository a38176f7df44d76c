"""Learning by play as a learner: games of the kernel change the weights, step by step.

A step is some games; it holds all that the next one needs, so a run resumes in the middle of a
stage as if it had never stopped. The updates are the kernel's (`crates/core/src/learning`), one
file for each rule.

Reasons: docs/design/learning.md.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.arena.on_cluster import check_game, know_game, rules_to_send
from evoply.expressions.linear import LARGEST_WEIGHT, LinearModel
from evoply.games import NO_DRAWS, game_rules
from evoply.learning.configs import LearningConfig, games_ahead, load_learning_config
from evoply.learning.curriculum import stages, starts_of
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.protocols import (
    MALFORMED,
    Cluster,
    Color,
    GameRecord,
    RunError,
    packed,
    steps,
    unpacked,
)
from evoply.runs.kept_learners import KeptLearner
from evoply.runs.kept_steps import KeptStep

# Steps of learning as values: weights after some games, their digest and statistics.

Array = NDArray[np.float64]
Weights = tuple[tuple[float, ...], ...]


class Edit(NamedTuple):
    """A change of a weight by hand."""

    feature: str
    weight: float
    """Addition to the weight."""
    time_weight: float
    """Addition to the first time weight."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LearningStep(KeptStep):
    """The weights after some games, and all that the next games need."""

    counts_games: ClassVar[bool] = True
    games: int
    """Games played so far."""
    weights: Weights
    """The weight of each feature, then its time weights."""
    earlier: tuple[Weights, ...]
    """Versions that play as opponents, the newest last; empty where the weights play themselves."""
    adaptive: tuple[Weights, ...]
    """Sums of steps and of their sizes, for adaptive rates, shaped like the weights."""
    edit: Edit | None = None
    """The edit that made this step, if no games did."""

    def player(self, config: LearningConfig, /) -> AlphaBeta:
        """Return the player with these weights."""
        return learned_player(model_of(config, self), depth=config.depth)

    def check(self, config: LearningConfig, /) -> None:
        """Raise `ValueError` unless there are as many weights as *config* has features."""
        shape = config.model().array.shape
        if any(np.shape(part) != shape for part in (self.weights, *self.earlier, *self.adaptive)):
            raise ValueError(f"this step has other weights than the {shape[0]} features")


@dataclass(frozen=True, slots=True)
class Place:
    """The place of the next game in the curriculum."""

    stage: int
    """Number of the stage, from 0; whole games follow the last."""
    blanks: tuple[int, ...]
    played: int
    """Games of the stage so far."""
    left: int | None
    """Games of the stage that remain; None: no end."""


def place_of(config: LearningConfig, games: int) -> Place:
    """Return the place in the curriculum after *games* games."""
    all_stages = stages(config.curriculum, config.game)
    for number, stage in enumerate(all_stages):
        if games < stage.games:
            return Place(number, stage.blanks, games, stage.games - games)
        games -= stage.games
    return Place(len(all_stages), (), games, None)


def model_of(config: LearningConfig, step: LearningStep) -> LinearModel:
    """Return the features with the weights of *step*."""
    return config.model().with_array(np.array(step.weights))


def learned_player(model: LinearModel, *, depth: int = 1, name: str | None = None) -> AlphaBeta:
    """Return the player that looks *depth* plies ahead with the values of *model*."""
    evaluator = ExpressionEvaluator(expression=model.expression.to_dict())
    return AlphaBeta(evaluator=evaluator, view="turn", depth=depth, ties="random", name=name)


def edited(
    config: LearningConfig,
    step: LearningStep,
    feature: str,
    *,
    weight: float = 0.0,
    time_weight: float = 0.0,
) -> LearningStep:
    """Return the step after *step* that only adds to the weights of one feature.

    Raises `ValueError` for a feature that the run does not have, and if nothing changes.
    """
    names = [feature.name for feature in config.features]
    if feature not in names:
        raise ValueError(f"{feature!r}: this run has the features {', '.join(names)}")
    if time_weight and not config.time_weights.degree:
        raise ValueError("this run has no time weights: set time_weights.degree in its config")
    if not weight and not time_weight:
        raise ValueError(f"{feature}: say by how much, as in --weight 0.4 or --time-weight=-0.1")
    array = np.array(step.weights)
    array[names.index(feature), 0] += weight
    array[names.index(feature), 1] += time_weight
    if not (np.abs(array) <= LARGEST_WEIGHT).all():
        raise ValueError(f"{feature}: a weight may be at most {LARGEST_WEIGHT:,.0f} either way")
    rows = rows_of(array)
    changed = replace(
        step,
        number=step.number + 1,
        weights=rows,
        statistics={**statistics_of(config, step.games, rows, None), "by_hand": 1.0},
        seconds=0.0,
        edit=Edit(feature, weight, time_weight),
    )
    return changed.completed(config)


def time_name(feature: str, power: int = 1) -> str:
    """Return the name of the statistic of a time weight, that of u to the *power*."""
    return f"{feature} (time{'' if power == 1 else f'^{power}'})"


def statistics_of(
    config: LearningConfig,
    games: int,
    rows: tuple[tuple[float, ...], ...],
    played: Mapping[str, Any] | None,
) -> dict[str, float]:
    """Return the statistics of a step: the last three are 0 if no game was played."""
    values: dict[str, float] = {"games": games, "stage": place_of(config, games).stage}
    for feature, row in zip(config.features, rows, strict=True):
        values[feature.name] = row[0]
    for power in range(1, config.time_weights.degree + 1):
        for feature, row in zip(config.features, rows, strict=True):
            values[time_name(feature.name, power)] = row[power]
    updates = 0 if played is None else int(np.sum(played["updates"]))
    terms = updates * len(rows)
    values["error"] = _share(played, "squared_errors", updates) ** 0.5
    values["clipped"] = _share(played, "clipped", terms)
    values["black_points"] = _share(
        played, "points", 0 if played is None else len(played["points"])
    )
    return values


def _share(played: Mapping[str, Any] | None, name: str, count: int) -> float:
    return float(np.sum(played[name])) / count if played is not None and count else 0.0


def rows_of(data: Array | Sequence[Sequence[float]]) -> tuple[tuple[float, ...], ...]:
    """Return rows of numbers as tuples."""
    return tuple(tuple(float(value) for value in row) for row in data)


# Games of learning runs again: they are not stored, but every one comes again from its key.
#
# A step's games are played once more from the weights before it, and the moves of one are kept.


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


_DEEP = 3
"""Plies from which an ordering of moves and a table pay; both leave moves and values unchanged."""
_TABLE = 16


@dataclass(frozen=True)
class Learning(KeptLearner[LearningStep]):
    """The learner that `evoply.runs` drives; *threads* 0: those of the config.

    On a *cluster* workers make the steps one after another: a step needs the weights before it.
    """

    cluster: Cluster | None = None
    config_type: ClassVar[type[LearningConfig]] = LearningConfig
    step_type: ClassVar[type[LearningStep]] = LearningStep

    def first(self, config: LearningConfig, /) -> LearningStep:
        """Return the weights before the first game, drawn at random."""
        began = perf_counter()
        model = config.model()
        draws = Stream(config.seed, "weights")
        weights = [config.initial * (2 * draws.random() - 1) for _ in model.features]
        array = model.array
        array[:, 0] = weights
        rows = rows_of(array)
        is_alone = config.opponent.kind == "itself"
        zeros = rows_of(np.zeros_like(array))
        return LearningStep.made(
            config,
            None,
            began,
            games=0,
            weights=rows,
            earlier=() if is_alone else (rows,),
            adaptive=(zeros, zeros) if config.rates.schedule == "adaptive" else (),
            statistics=statistics_of(config, 0, rows, None),
        )

    def after(self, config: LearningConfig, step: LearningStep, /) -> LearningStep:
        """Play the games of the next step and return the new weights.

        Raises `RunError` if a weight becomes too large; the weights before stay as they are.
        """
        if self.cluster is not None:
            return self._after_elsewhere(self.cluster, config, step)
        began = perf_counter()
        place = place_of(config, step.games)
        games = _games_ahead(config, step.games, place)
        played = self._play(config, step, place.blanks, games)
        if played["failed"] is not None:
            game, ply = played["failed"]
            raise RunError(
                f"rates: in game {game + 1:,} at ply {ply} a weight became too large "
                f"(beyond {LARGEST_WEIGHT:,.0f}), so the rate is too large. The weights after "
                f"{step.games:,} games are kept; start again with smaller rates, or with "
                "rates.schedule=decay"
            )
        array = np.column_stack([played["weights"], played["time_weights"]])
        rows, done = rows_of(array), step.games + games
        earlier = step.earlier
        if earlier and done % config.opponent.refresh == 0:
            most = config.opponent.size if config.opponent.kind == "pool" else 1
            earlier = (*earlier, rows)[-most:]
        adaptive = played.get("adaptive")
        return LearningStep.made(
            config,
            step,
            began,
            games=done,
            weights=rows,
            earlier=earlier,
            adaptive=() if adaptive is None else tuple(rows_of(sums) for sums in adaptive),
            statistics=statistics_of(config, done, rows, played),
        )

    def _after_elsewhere(
        self, cluster: Cluster, config: LearningConfig, step: LearningStep
    ) -> LearningStep:
        settings = config.model_dump(mode="json")
        part = packed({"config": settings, "step": self.dump(step), **rules_to_send(config.game)})
        (answer,) = cluster.results(step_part, [part], same=_digest_of)
        try:
            data, _ = unpacked(answer.content)
            loaded = self.load(config, data["step"])
            is_whole = loaded.digest == data["digest"]
        except MALFORMED as error:
            raise answer.wrong(f"a step that cannot be read ({error})") from None
        if not is_whole:
            raise answer.wrong("a step that is not what its digest says")
        return loaded

    def played_again(
        self, config: LearningConfig, step: LearningStep, games: int, recorded: int, /
    ) -> PlayedAgain:
        """Play the *games* after *step* again and keep the moves of the game number *recorded*."""
        blanks = place_of(config, step.games).blanks
        answer = self._play(config, step, blanks, games, recorded)
        weights = rows_of(np.column_stack([answer["weights"], answer["time_weights"]]))
        return PlayedAgain(answer, _starts(config, blanks), weights, "weights")

    def _play(
        self,
        config: LearningConfig,
        step: LearningStep,
        blanks: tuple[int, ...],
        games: int,
        recorded: int | None = None,
    ) -> dict[str, Any]:
        model = model_of(config, step)
        rules = game_rules(config.game)
        array = model.array
        key = Stream(config.seed, "learning")
        needs_value = config.depth > 1 or config.rule == "td-leaf" or config.backed_up
        value = model.value_program() if needs_value else None
        is_deep = config.depth >= _DEEP
        opponent = None
        if step.earlier:
            begin = step.games - place_of(config, step.games).played % config.games_per_step
            draw = Stream(config.seed, "opponent", begin).below(len(step.earlier))
            version = np.array(step.earlier[draw])
            opponent = version[:, 0].copy(), version[:, 1:].copy()
        result: dict[str, Any] = _native.learn_games(
            rules.kernel,
            model.feature_program(),
            _starts(config, blanks),
            weights=array[:, 0].copy(),
            time_weights=array[:, 1:].copy(),
            scales=model.scales if model.is_clipped else np.ones(len(model.features)),
            clip=model.is_clipped,
            key=key.key,
            first_game=step.games,
            games=games,
            rates=_rates(config, step.games, games),
            rule=config.rule,
            decay=config.decay,
            learns=config.learns,
            opponent=opponent,
            epsilon=config.epsilon,
            depth=config.depth,
            value=None if value is None else (value.program, value.weights, value.time_weights),
            backed_up=config.backed_up,
            outcome=config.outcome,
            batch=config.batch,
            threads=self.threads or config.machine.threads,
            adaptive=tuple(np.array(sums) for sums in step.adaptive) or None,
            every=games,
            recorded=recorded,
            ordering="killer" if is_deep else "none",
            table=_TABLE if is_deep else 0,
        )
        return result


def _starts(config: LearningConfig, blanks: tuple[int, ...]) -> list[Any]:
    """Return the rows of the positions where games with so many empty squares begin."""
    return list(starts_of(config.game, blanks, config.curriculum.positions, config.seed))


def step_part(data: bytes) -> bytes:
    """Make the next step of a run on one thread: the unit of work of a cluster."""
    task, _ = unpacked(data)
    know_game(task)
    config = LearningConfig(**task["config"])
    learner = Learning(threads=1)
    step = learner.after(config, learner.load(config, task["step"]))
    return packed({"step": learner.dump(step), "digest": step.digest})


def _digest_of(content: bytes) -> object:
    return unpacked(content)[0]["digest"]


def _games_ahead(config: LearningConfig, done: int, place: Place) -> int:
    """Return how many games the next step has: it ends where anything changes.

    A run that ended sooner goes on to where its steps would have ended, with whole batches: it
    comes to the same weights as one that was longer from the beginning.
    """
    ends = [games_ahead(config, place.played), place.left]
    if config.opponent.kind != "itself":
        ends.append(config.opponent.refresh - done % config.opponent.refresh)
    if config.time_weights.degree and done < config.time_weights.after:
        ends.append(config.time_weights.after - done)
    if config.games is not None:
        ends.append(-(-(config.games - done) // config.batch) * config.batch)
    return max(1, min(end for end in ends if end is not None))


def _rates(config: LearningConfig, done: int, games: int) -> Array:
    """Return the rates of weights and of time weights for each of the next games."""
    numbers = done + np.arange(games, dtype=np.float64)
    rates = np.empty((games, 2))
    rates[:, 0] = config.rates.weights
    is_timed = config.time_weights.degree > 0
    begins = numbers >= config.time_weights.after
    rates[:, 1] = np.where(begins & is_timed, config.rates.time_weights, 0.0)
    if config.rates.schedule == "decay":
        rates /= (1.0 + numbers / config.rates.half)[:, np.newaxis]
    return rates


def learn(
    config: LearningConfig | str | os.PathLike[str],
    *,
    resume_from: LearningStep | None = None,
    threads: int = 0,
    cluster: Cluster | None = None,
    **settings: Any,
) -> Iterator[LearningStep]:
    """Yield the steps of a run of learning, beginning with random weights or after *resume_from*.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it. The weights do not depend on *threads* (0: the config's
    setting), nor on where the run was interrupted, nor on a *cluster* (`evoply.cluster.connect`),
    whose workers make the steps.

    >>> *_, last = learn("firebrand-8", games=100, rates={"weights": 0.05})
    >>> last.games, last.champions[0].kind
    (100, 'alpha_beta')
    """
    if settings or not isinstance(config, LearningConfig):
        config = load_learning_config(config, settings=settings)
    if cluster is not None:
        check_game(config.game)
    return steps(Learning(threads, cluster), config, resume_from)
