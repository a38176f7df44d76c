"""Learning pattern tables by self-play, TD(0), step by step; how its runs are shown.

A step is some games of the kernel (`crates/core/src/learning/tables.rs`); it holds all entries, so
a run resumes as if it had never stopped. Games learn one after another, in one thread. After the
last of them, if the config says so, games that look ahead give labels (`learning/labels.py`).
"""

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from time import perf_counter
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply._native import Stream
from evoply.expressions import program_with_parameters, with_parameters
from evoply.expressions.linear import LARGEST_WEIGHT
from evoply.games import game_rules
from evoply.learning.configs import PATTERN_LEARNER, PatternConfig, games_ahead, load_pattern_config
from evoply.learning.labels import fitted, in_discs, labelled_boards, pack
from evoply.learning.learner import PlayedAgain, replayed
from evoply.learning.learning_kind import seconds_of_games
from evoply.players import AlphaBeta, ExpressionEvaluator
from evoply.players.packed import PackedTables
from evoply.protocols import RunError, StoppedWithinStepError, steps
from evoply.protocols.sections import Column, Section, counted, share
from evoply.runs.kept_learners import KeptLearner
from evoply.runs.kept_steps import Doubles, KeptStep
from evoply.runs.kind import ChampionFacts, Kind, LiveFacts

_MOST_PLIES = 300
_AT_ONCE = 2_000
"""Games between two looks at Ctrl-C, which loses no more: tables depend on the games, not on where
steps end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternStep(KeptStep):
    """The tables after some games, and all that the next games need."""

    counts_games: ClassVar[bool] = True
    games: int
    """Games played so far."""
    entries: Doubles
    """Entries of all tables, in the order of `parameters_of`."""
    labelled: int = 0
    """Games that gave labels so far."""
    visits: Doubles = b""
    """How often labelled boards had each entry; empty before the first."""
    taught: Doubles = b""
    """The entries that games taught, on the scale of labels; empty before the first."""

    def player(self, config: PatternConfig, /) -> AlphaBeta:
        """Return the player with these tables."""
        return pattern_player(config, self.tables(config))

    def tables(self, config: PatternConfig) -> NDArray[np.float64]:
        """Return the entries that play: with labels a mean of what games and labels taught."""
        if config.labels is None or not self.taught:
            return self.parameters
        known = np.frombuffer(self.taught, dtype="<f8")
        return config.labels.keep * known + (1.0 - config.labels.keep) * self.parameters

    def check(self, config: PatternConfig, /) -> None:
        """Raise `ValueError` unless there are as many entries as *config* has."""
        entries = 8 * len(_program(config).parameters)
        labelled = {len(self.visits), len(self.taught)}
        if len(self.entries) != entries or labelled not in ({0}, {entries}):
            raise ValueError("this step has other tables than the patterns")

    @property
    def parameters(self) -> NDArray[np.float64]:
        """The entries as an array."""
        return np.frombuffer(self.entries, dtype="<f8").astype(np.float64)


@dataclass(frozen=True)
class PatternLearning(KeptLearner[PatternStep]):
    """The learner that `evoply.runs` drives; *threads* play for labels, 0 for all cores."""

    step_type: ClassVar[type[PatternStep]] = PatternStep
    config_type: ClassVar[type[PatternConfig]] = PatternConfig
    one_machine: ClassVar[str] = (
        "cluster: tables are learned game after game, by one core - leave the cluster out; "
        "`evoply compare --cluster` makes several runs beside one another"
    )

    def first(self, config: PatternConfig, /) -> PatternStep:
        """Return tables full of zeros."""
        began = perf_counter()
        entries = bytes(8 * len(_program(config).parameters))
        statistics = _statistics(config, 0, entries)
        return PatternStep.made(
            config, None, began, games=0, entries=entries, statistics=statistics
        )

    def after(self, config: PatternConfig, step: PatternStep, /) -> PatternStep:
        """Play the games of the next step and return the new tables.

        Raises `RunError` if an entry becomes too large; the tables before stay as they are. After
        Ctrl-C `StoppedWithinStepError` has the step that the games so far come to.
        """
        began = perf_counter()
        if config.labels_left(step):
            return self._label(config, step, began)
        left = config.games_per_step if config.games is None else config.games - step.games
        games = max(1, min(games_ahead(config, step.games), left))
        parts: list[dict[str, Any]] = []
        done, parameters = step.games, step.parameters
        while done < step.games + games:
            count = min(_AT_ONCE, step.games + games - done)
            try:
                part = self._play(config, parameters, done, count)
            except KeyboardInterrupt:
                if not parts:
                    raise
                learned = _learned(config, step, began, parts, parameters, done)
                raise StoppedWithinStepError(learned) from None
            if part["failed"] is not None:
                game, ply = part["failed"]
                raise RunError(_too_large(game, ply, step.games))
            done, parameters = done + count, part.pop("parameters")
            parts.append(part)
        return _learned(config, step, began, parts, parameters, done)

    def _label(self, config: PatternConfig, step: PatternStep, began: float) -> PatternStep:
        """Return the step after the next games that give labels.

        Until then tables say who wins. In Othello the first labels turn them to discs.
        """
        settings = config.labels
        assert settings is not None, "the caller checks labels"
        games = min(settings.games_per_step, settings.games - step.labelled)
        program = _program(config).with_parameters(step.parameters)
        stream, threads = Stream(config.seed, "labels", step.labelled), self.threads
        visits, taught = np.frombuffer(step.visits, "<f8"), step.taught
        if not taught:
            visits = np.zeros(len(step.parameters))
            if config.counts_discs:
                scale = stream.child("scale")
                program = in_discs(config, program, games=games, stream=scale, threads=threads)
            taught = np.array(program.parameters).astype("<f8").tobytes()
        boards = labelled_boards(config, program, games=games, stream=stream, threads=threads)
        after = fitted(config, program, boards, visits, threads)
        entries = after.parameters.astype("<f8").tobytes()
        squares = np.add.accumulate(after.errors**2)
        error = float(squares[-1] / len(squares)) ** 0.5 if len(squares) else 0.0
        return PatternStep.made(
            config,
            step,
            began,
            games=step.games,
            labelled=step.labelled + games,
            visits=after.visits.astype("<f8").tobytes(),
            taught=taught,
            entries=entries,
            statistics=_statistics(
                config, step.games, entries, error, labelled=step.labelled + games
            ),
        )

    def played_again(
        self, config: PatternConfig, step: PatternStep, games: int, recorded: int, /
    ) -> PlayedAgain:
        """Play the *games* after *step* again and keep the moves of the game number *recorded*."""
        answer = self._play(config, step.parameters, step.games, games, recorded)
        entries = answer["parameters"].astype("<f8").tobytes()
        return PlayedAgain(answer, [game_rules(config.game).start().row], entries, "entries")

    def _play(
        self,
        config: PatternConfig,
        parameters: NDArray[np.float64],
        first: int,
        games: int,
        recorded: int | None = None,
    ) -> dict[str, Any]:
        rules = game_rules(config.game)
        usual = _MOST_PLIES if rules.has_draw_rules else None
        result: dict[str, Any] = _native.learn_tables(
            _taught_by_games(config).with_parameters(parameters),
            [rules.start().row],
            key=Stream(config.seed, "patterns").key,
            first_game=first,
            rates=np.array([config.rates.rate(first + game) for game in range(games)]),
            epsilon=config.epsilon,
            random_plies=config.random_plies,
            outcome=config.outcome,
            max_plies=config.max_plies or usual,
            recorded=recorded,
        )
        return result


def _learned(
    config: PatternConfig,
    step: PatternStep,
    began: float,
    parts: Sequence[dict[str, Any]],
    parameters: NDArray[np.float64],
    games: int,
) -> PatternStep:
    """Return the step after *step*, with *games* in all, that *parts* of its games come to."""
    entries = parameters.astype("<f8").tobytes()
    updates, squares, points = (
        np.concatenate([part[name] for part in parts])
        for name in ("updates", "squared_errors", "points")
    )
    count = int(np.sum(updates))
    error = (float(np.sum(squares)) / count) ** 0.5 if count else 0.0
    return PatternStep.made(
        config,
        step,
        began,
        games=games,
        labelled=step.labelled,
        entries=entries,
        statistics=_statistics(config, games, entries, error, float(np.mean(points))),
    )


def _too_large(game: int, ply: int, kept: int) -> str:
    return (
        f"rates: in game {game + 1:,} at ply {ply} an entry became too large "
        f"(beyond {LARGEST_WEIGHT:,.0f}), so the rate is too large. The tables after "
        f"{kept:,} games are kept; start again with smaller rates"
    )


@lru_cache(maxsize=4)
def _lower(patterns: str) -> _native.Program:
    config = PatternConfig(**json.loads(patterns))
    return program_with_parameters(config.value(), config.game)


def _program(config: PatternConfig) -> _native.Program:
    """Return the patterns of *config* in the kernel's form, every entry 0."""
    decisive = config.model_dump(mode="json", include={"game", "patterns", "stages", "mixed"})
    return _lower(json.dumps(decisive, sort_keys=True))


def _taught_by_games(config: PatternConfig) -> _native.Program:
    """Return the same with the tables of stages as games teach them."""
    return _program(config.model_copy(update={"mixed": False}))


def pattern_player(
    config: PatternConfig, parameters: NDArray[np.float64], *, depth: int = 1
) -> AlphaBeta:
    """Return the player that looks *depth* plies ahead with these tables."""
    expression = with_parameters(config.value(), parameters)
    evaluator = ExpressionEvaluator(expression=expression.to_dict())
    return AlphaBeta(evaluator=evaluator, view="turn", depth=depth, ties="random")


def _statistics(
    config: PatternConfig,
    games: int,
    entries: bytes,
    error: float = 0.0,
    points: float = 0.0,
    labelled: int = 0,
) -> dict[str, float]:
    """Return the statistics of a step: *error* and Black's *points* are 0 without games.

    *labelled*: games so far that gave labels; then the error is that of the last ones, before
    tables learned from them, in discs or from 0 to 2.
    """
    values = np.frombuffer(entries, dtype="<f8")
    return {
        "games": games,
        "rate": config.rates.rate(games),
        "entries_used": float(np.count_nonzero(values)) / len(values),
        "largest_entry": float(np.abs(values).max()),
        "error": error,
        "black_points": points,
        "labelled_games": labelled,
    }


def learn_patterns(
    config: PatternConfig | str | os.PathLike[str],
    *,
    resume_from: PatternStep | None = None,
    **settings: Any,
) -> Iterator[PatternStep]:
    """Yield the steps of learning pattern tables, from zeros or after *resume_from*.

    *config* is a config, the path of its file, or the name of a preset. Further keywords are keys
    of the config, which change it.

    >>> *_, last = learn_patterns("patterns-8", games=200, games_per_step=100)
    >>> last.games, last.number, last.champions[0].kind
    (200, 2, 'alpha_beta')
    """
    if settings or not isinstance(config, PatternConfig):
        config = load_pattern_config(config, settings=settings)
    return steps(PatternLearning(), config, resume_from)


# Learning of pattern tables as a kind of learner: how its runs are shown and packed.


def _pack(config: PatternConfig, last: PatternStep, **options: Any) -> PackedTables:
    """Return the tables of *last* as a file that ships."""
    about = {"games": last.games, "digest": last.digest}
    return pack(config, last.tables(config), about=about, **options)


def _live(usual: LiveFacts, config: PatternConfig, step: PatternStep) -> LiveFacts:
    """Return *usual* with the size of the tables, and the seconds of the remaining games."""
    left = seconds_of_games(config, step)
    if config.labels is not None:  # they follow the games
        games = config.labels.games - step.labelled
        left = games / config.labels.games_per_step * step.seconds if step.labelled else None
    return replace(
        usual, champion=f"tables of {len(step.entries) // 8:,} entries", seconds_left=left
    )


def _facts(champion: Any, last: PatternStep) -> ChampionFacts:
    """Return the size of the tables."""
    about = {"generation": last.number, "games": last.games}
    title = f"{len(last.entries) // 8:,} table entries, after {last.games:,} games"
    return ChampionFacts(title, about, {"digest": last.digest, "generation": last.number})


def _listings(config: PatternConfig, last: PatternStep) -> list[Section]:
    """Return the patterns, with their numbers of tables."""
    tables = len(config.stages) + 1
    rows = [{"squares": pattern.squares, "tables": tables} for pattern in config.patterns]
    columns = Column("squares", "squares", str), Column("tables", "tables", counted)
    return [Section("Patterns", columns, rows, name="patterns")]


KIND = Kind(
    name=PATTERN_LEARNER,
    learner=PatternLearning(),
    read=load_pattern_config,
    columns=(
        Column("games", "games", "{:,.0f}".format),
        Column("labelled_games", "games with labels", "{:,.0f}".format),
        Column("error", "error", "{:.4f}".format, "error"),
        Column("entries_used", "entries used", share, "entries used"),
        Column("largest_entry", "largest entry", "{:.3f}".format),
        Column("rate", "rate", "{:g}".format),
        Column("black_points", "Black's points", share),
    ),
    facts=_facts,
    live=_live,
    listings=_listings,
    uses={"packed": _pack, "replayed": replayed},
)
