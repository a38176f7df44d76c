"""A learner that a user brings as a kind of learner: its steps are kept as its own data.

It is given as an argument, never by a config. Without it a run is still read: status, digests,
statistics, champions.
"""

from __future__ import annotations

import json
import math
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import TypeAdapter, ValidationError

from evoply.configs.keys import without_none
from evoply.evolution import Progress
from evoply.evolution.python_parts import PythonParts, identity
from evoply.games import game_rules
from evoply.protocols import Cluster, ConfigError, RunError, StorableLearner
from evoply.runs.database import Database, Group
from evoply.runs.kind import ChampionFacts, Ending, Listing, LiveFacts, Note, Row
from evoply.runs.tables import read_state, read_steps

__all__ = ["OutsideKind", "Settings"]

_LEARNER = "learner"
_USUAL = ("number", "digest", "seconds")
_MOST_FACTS = 6
_MOST_CURVES = 3


@dataclass(frozen=True, slots=True)
class Settings:
    """The config of a run whose learner is not at hand."""

    game: str
    seed: int
    data: Mapping[str, Any]
    """All of it, as it stands in config.toml."""


class OutsideKind:
    """See `evoply.runs.kind.Kind`; *name* is the qualified name of the learner."""

    is_built_in = False
    limits: frozenset[str] = frozenset({"generations", "time_limit"})
    counted: frozenset[str] = frozenset()
    tables = ""
    groups: tuple[Group, ...] = ()

    def __init__(self, learner: StorableLearner | None = None, name: str = "") -> None:
        self._learner = learner
        self.name = name if learner is None else identity(learner)["name"]

    def read_config(self, path: Path, /) -> Any:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
        data.pop(_LEARNER, None)
        if self._learner is None:
            return _settings(data)
        try:
            return TypeAdapter(self._learner.config_type).validate_python(data)
        except ValidationError as error:
            raise ConfigError(
                [(".".join(map(str, one["loc"])), one["msg"]) for one in error.errors()]
            ) from None

    def load_config(self, source: Any, overrides: Sequence[str], /) -> Any:
        raise RunError(f"configs of {self.name} are made in Python: give one to Run.create")

    def write_config(self, config: Any, /) -> str:
        adapter = TypeAdapter(self._given.config_type)
        data = without_none(adapter.dump_python(config, mode="json"))
        if not isinstance(data, dict) or _LEARNER in data:
            raise ConfigError([(_LEARNER, "is what evoply writes: call this field otherwise")])
        _settings(data)
        text = tomli_w.dumps({_LEARNER: self.name, **data})
        if adapter.validate_python(data) != config:
            raise ConfigError(
                [("config", f"does not come back from its data as an equal value: {config!r:.200}")]
            )
        return text

    def settled(self, config: Any, /) -> Any:
        return config

    def fixed(self, config: Any, /) -> Any:
        if isinstance(config, Settings):
            return config
        data = TypeAdapter(self._given.config_type).dump_python(config)
        return {key: value for key, value in data.items() if key not in self.limits}

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        if not limits:
            return config
        data = TypeAdapter(self._given.config_type).dump_python(config)
        return TypeAdapter(self._given.config_type).validate_python({**data, **limits})

    def endless(self, config: Any, /) -> Any:
        raise RunError(f"what ends a run of {self.name} is its own affair")

    @property
    def _given(self) -> StorableLearner:
        if self._learner is None:
            raise RunError(
                f"this run needs the learner {self.name}, written in Python: give it there, as in "
                "Run.open(PATH, learner=...)"
            )
        return self._learner

    def learner(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        parts: PythonParts | None = None,
        cluster: Cluster | None = None,
    ) -> StorableLearner:
        """Return the learner; threads and progress are its own affair."""
        if cluster is not None:
            self.check_sendable(None)
        if parts is not None and (parts.fitness is not None or parts.operators):
            raise RunError(f"fitness and operators are for evolution: {self.name} takes none")
        return self._given

    def check_sendable(self, config: Any, /) -> None:
        """Raise RunError: a learner of the user's own is Python that workers do not have."""
        raise RunError(
            f"cluster: the learner {self.name} is not evoply's own, and workers do not have it - "
            "run it without a cluster"
        )

    def check(self, learner: StorableLearner, config: Any, /) -> None:
        game_rules(config.game)

    def identities(self, learner: StorableLearner, /) -> dict[str, dict[str, str]]:
        return {"learner": identity(learner)}

    def end(self, learner: StorableLearner, config: Any, last: Any, /) -> Ending:
        return Ending("finished", last.champions[0])

    def check_step(self, config: Any, step: Any, /) -> None:
        """Raise ValueError if *step* is not what the contract of steps says."""
        if not isinstance(step.digest, str) or not step.digest:
            raise self._wrong(step, "its digest must be a text")
        for name, value in step.statistics.items():
            if name in _USUAL:
                raise self._wrong(step, f"call the statistic {name!r} otherwise: rows have one")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not isinstance(name, str) or not is_number or not math.isfinite(value):
                raise self._wrong(step, f"its statistic {name!r} must be a finite number")
        if not step.champions:
            raise self._wrong(step, "it needs a champion, a player of evoply.players")
        for player in step.champions:
            player.check_fits(config.game)
        if step.number == 0:
            again = self._given.load(config, json.loads(self._text(step)))
            if again.number != 0 or again.digest != step.digest:
                raise self._wrong(step, "load(config, dump(step)) must give the same step")

    def write(self, database: Database, step: Any, /) -> str:
        return self._text(step)

    def _text(self, step: Any) -> str:
        try:
            return json.dumps(self._given.dump(step), allow_nan=False, separators=(",", ":"))
        except (TypeError, ValueError) as error:
            raise self._wrong(step, f"dump must give JSON-ready data: {error}") from None

    def _wrong(self, step: Any, what: str) -> ValueError:
        return ValueError(f"step {step.number} of {self.name} cannot be kept: {what}")

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        return self._given.load(config, read_state(database, number))

    def is_unchanged(self, config: Any, step: Any, digest: str, /) -> bool:
        unchanged: bool = step.digest == digest
        return unchanged

    def rows(self, database: Database, /) -> list[dict[str, Any]]:
        return [
            {
                "number": step.number,
                "digest": step.digest,
                **step.statistics,
                "seconds": step.seconds,
            }
            for step in read_steps(database)
        ]

    def games_of_a_step(self, config: Any, /) -> Mapping[str, int]:
        return {}

    def costs(self, step: Any, previous: Any, /) -> Mapping[str, float]:
        """Return the statistic `games`, if there is one, as the games of the step."""
        games = step.statistics.get("games")
        return {} if games is None else {"games": games}

    @property
    def exports(self) -> Mapping[str, Callable[[Database], list[dict[str, Any]]]]:
        return {"generations": self.rows}

    def champion(self, last: Any, note: Note, /) -> Any:
        return last.champions[0]

    def player_of(self, config: Any, champion: Any, /) -> Any:
        return champion

    def champion_text(self, player: Any, /) -> str:
        return str(player.label)

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        about = {"generation": last.number}
        return ChampionFacts(
            f"from generation {last.number}", about, {"player": champion.label, **about}
        )

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        facts = tuple((name, _number(value)) for name, value in step.statistics.items())
        numbers = "".join(f", {name} {value}" for name, value in facts)
        generations = getattr(config, "generations", None)
        return LiveFacts(
            line=f"generation {step.number}: {step.seconds:.2f} s{numbers}",
            facts=facts[:_MOST_FACTS],
            points=self.earlier_points(step.statistics),
            champion=step.champions[0].label,
            newest=dict(facts),
            last_number=generations - 1 if isinstance(generations, int) else None,
        )

    def earlier_points(self, row: Row, /) -> Mapping[str, float]:
        names = [name for name in row if name not in _USUAL]
        return {name: float(row[name]) for name in names[:_MOST_CURVES]}

    def stage(self, progress: Progress | None, number: int, /) -> str:
        return f"generation {number}"

    def step_table(
        self, config: Any, rows: Sequence[Row], is_own: bool, /
    ) -> tuple[tuple[str, ...], list[tuple[str, ...]]]:
        names = [name for name in (rows[0] if rows else ()) if name not in _USUAL][:_MOST_FACTS]
        cells = [
            (
                f"{row['number']:,}",
                *(_number(row[name]) if name in row else "-" for name in names),
                f"{row['seconds']:.2f}",
                row["digest"][:8],
            )
            for row in rows
        ]
        return ("generation", *names, "seconds", "digest"), cells

    def step_data(self, row: Row, /) -> dict[str, Any]:
        return dict(row)

    def listings(self, config: Any, last: Any, /) -> list[Listing]:
        return []

    def is_reproducible(self, config: Any, /) -> bool:
        """Return True, on the word of who wrote the learner."""
        return True

    def draws(self, config: Any, /) -> Any:
        return None


def _settings(data: Mapping[str, Any]) -> Settings:
    """Return what every config says; `ConfigError` if it does not."""
    game, seed = data.get("game"), data.get("seed")
    if not isinstance(game, str):
        raise ConfigError([("game", "is missing: a config of a learner names its game")])
    try:
        game_rules(game)
    except ValueError as error:
        raise ConfigError([("game", str(error))]) from None
    if not isinstance(seed, int) or isinstance(seed, bool):
        raise ConfigError([("seed", "is missing: a config of a learner has a whole number there")])
    return Settings(game, seed, data)


def _number(value: float) -> str:
    return f"{value:,.4g}"
