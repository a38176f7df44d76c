"""The steps of a run in `run.db`: what a learner dumps of each, and the tables made of them.

Reasons: docs/design/runs.md.
"""

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from evoply.checksums import Database
from evoply.own_code import qualified_name
from evoply.players.player import KINDS
from evoply.players.player_kind import PlayerKind
from evoply.protocols import StorableLearner
from evoply.runs import schema
from evoply.runs.columns import USUAL, Row
from evoply.runs.kept_steps import dumped
from evoply.runs.own_learner import present
from evoply.runs.schema import StepRow
from evoply.runs.states import joined, parted, zipped
from evoply.wording import shorten


def _nothing(_: Any) -> Mapping[str, Any]:
    return {}


def _row(config: Any, step: StepRow) -> dict[str, Any]:
    facts = {"number": step.number, "digest": step.digest}
    return {**facts, **step.statistics, "seconds": step.seconds}


def _change(before: Any, after: Any) -> str:
    """Return which field of a step differs after it was dumped and loaded, and what to do."""
    names = [name for name in _names(before) if not name.startswith("_")]
    # A digest is the consequence; times may differ.
    for name in sorted(names, key=lambda name: name == "digest"):
        if name == "seconds":
            continue
        found = _difference(name, getattr(before, name, None), getattr(after, name, None))
        if found is not None:
            path, old, new = found
            return (
                f"{path} was {shorten(repr(old))} and is {shorten(repr(new))} - dump plain values "
                "(of NumPy by item() or tolist()), and let load make of them what they were"
            )
    return "all fields are equal, so its digest depends on something else: take it from fields"


def _names(step: Any) -> list[str]:
    """Return the names of the fields of a step, in order."""
    slots = (name for kind in type(step).__mro__ for name in getattr(kind, "__slots__", ()))
    return list(dict.fromkeys([*getattr(step, "__dict__", {}), *slots]))


def _difference(path: str, old: Any, new: Any) -> tuple[str, Any, Any] | None:
    """Return path and both values of the first difference as texts; None if there is none."""
    if repr(old) == repr(new):
        return None
    pairs: list[tuple[object, Any, Any]] = []
    if type(old) is type(new) and isinstance(old, Mapping) and list(old) == list(new):
        pairs = [(key, old[key], new[key]) for key in old]
    elif type(old) is type(new) and isinstance(old, list | tuple) and len(old) == len(new):
        pairs = [(index, *both) for index, both in enumerate(zip(old, new, strict=True))]
    inner = (_difference(f"{path}.{key}", *both) for key, *both in pairs)
    return next(filter(None, inner), (path, old, new))


Rows = Iterable[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class StepTables:
    """What the tables of a run have of its steps."""

    beside: tuple[str, ...] = ()
    """The fields that rows of steps need: they stand beside the state, which is compressed."""
    grows: tuple[str, ...] = ()
    """The paths of lists of which each step keeps what it added, as in generations.*.archive."""
    row: Callable[[Any, StepRow], dict[str, Any]] = _row
    """Returns the row of a step of a config, with all its numbers."""
    drawn: Callable[[StepRow], Mapping[str, Any]] = _nothing
    """Returns further numbers of a step for charts, by name."""
    lists: Callable[[Any], Mapping[str, Callable[[int, Any], Rows]]] = _nothing
    """Further tables of a config: functions of a step's number and state that return its rows."""
    views: Callable[[Any], Mapping[str, str]] = _nothing
    """The tables in SQL, for questions: SELECTs by name, of a config."""
    data: Callable[[Row], dict[str, Any]] = dict
    """Returns the JSON-ready data of a row for programs."""


@dataclass(frozen=True, slots=True)
class StepsStore:
    """The steps of a run in `run.db`; *name* is the learner's, which may be missing."""

    name: str
    learner: StorableLearner | None
    tables: StepTables

    def check_step(self, config: Any, step: Any, /) -> None:
        """Raise ValueError if *step* breaks the contract of steps."""
        kind: Any = getattr(self._learner, "step_type", object)
        if not isinstance(step, kind):
            what = f"a {kind.__name__}: a run of {self.name} keeps nothing else"
            raise ValueError(f"{step!r:.80} is not {what}")
        if not isinstance(step.digest, str) or not step.digest:
            raise self._wrong(step, "its digest must be a text")
        self._check_statistics(step)
        if not step.champions:
            raise self._wrong(step, "it needs a champion, a player of evoply.players")
        for player in step.champions:
            player.check_fits(config.game)
            if isinstance(player, PlayerKind) and type(player) not in KINDS:
                raise self._wrong(
                    step,
                    f"its champion is of your own kind, {qualified_name(player)}, which no reader "
                    "of the run would know: give an OwnPlayer with its python:FILE.py:NAME",
                )
        if step.number == 0:
            with self._dumping(step):
                text = json.dumps(self._learner.dump(step), allow_nan=False)
            again = self._learner.load(config, json.loads(text))
            if again.number != 0 or again.digest != step.digest:
                change = _change(step, again)
                raise self._wrong(
                    step, f"load(config, dump(step)) must give the same step: {change}"
                )

    def _check_statistics(self, step: Any) -> None:
        for name, value in step.statistics.items():
            if name in USUAL:
                raise self._wrong(step, f"rename the statistic {name!r}: rows have this key")
            is_number = isinstance(value, int | float) and not isinstance(value, bool)
            if not isinstance(name, str) or not is_number or not math.isfinite(value):
                raise self._wrong(step, f"its statistic {name!r} must be a finite number")

    def write(self, database: Database, step: Any, /) -> None:
        """Write *step* inside a transaction."""
        had: Mapping[str, Any] = {}
        if self.tables.grows and step.number:
            (before,) = schema.read_steps(database, step.number - 1, step.number - 1)
            had = before.fields
        with self._dumping(step):
            data = self._learner.dump(step)
            fields, rest = parted(data, self.tables.beside, self.tables.grows, had)
            state = zipped(rest)
        schema.write_step(database, step, fields, state)

    def read(self, database: Database, config: Any, number: int, /) -> Any:
        """Return the step that the learner loads from the stored data."""
        with database.snapshot():
            rows = schema.read_steps(database, 0 if self.tables.grows else number, number)
            state = schema.read_state(database, number)
        fields = [row.fields for row in rows]
        step = self._learner.load(config, joined(fields, state, self.tables.grows))
        if step.number != number:
            raise ValueError(f"step {number} has the number {step.number}")
        return step

    def row_of(self, config: Any, step: Any, /) -> dict[str, Any]:
        """Return the row of *step*, as it is read when the step was kept."""
        names = self.tables.beside
        fields = dumped(step, include=set(names)) if names else {}
        row = StepRow(step.number, step.digest, step.statistics, step.seconds, fields)
        return self.tables.row(config, row)

    def drawn_rows(self, database: Database, config: Any) -> list[dict[str, Any]]:
        """Return the rows of all steps with the numbers that only charts show."""
        return [
            {**self.tables.row(config, step), **self.tables.drawn(step)}
            for step in schema.read_steps(database)
        ]

    def exports(self, config: Any) -> dict[str, Callable[[Database], list[dict[str, Any]]]]:
        """Return the functions that read the tables, by name."""

        def steps(database: Database) -> list[dict[str, Any]]:
            return [self.tables.row(config, step) for step in schema.read_steps(database)]

        def listed(rows: Callable[[int, Any], Rows], database: Database) -> list[dict[str, Any]]:
            with database.snapshot():
                return [
                    row
                    for number in range(schema.count_steps(database))
                    for row in rows(number, schema.read_state(database, number))
                ]

        lists = {name: partial(listed, rows) for name, rows in self.tables.lists(config).items()}
        return {"generations": steps, **lists}

    @property
    def _learner(self) -> StorableLearner:
        return present(self.learner, self.name)

    @contextmanager
    def _dumping(self, step: Any) -> Iterator[None]:
        try:
            yield
        except (TypeError, ValueError) as error:
            raise self._wrong(step, f"dump must give JSON-ready data: {error}") from None

    def _wrong(self, step: Any, what: str) -> ValueError:
        return ValueError(f"step {step.number} of {self.name} cannot be kept: {what}")
