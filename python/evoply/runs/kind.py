"""A kind of learner: what a run needs beside its steps, its columns and its store, in one value.

A run's folder, resuming, the live display, the commands and pages use it and know nothing about
trees or weights. All but a name, a learner and how its configs are read may be left out. A learner
that a user brings is such a value, too (`evoply.runs.run`).

Reasons: docs/design/runs.md.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from evoply.configs.own_code import qualified_name
from evoply.environment.checksums import Database
from evoply.players.player import KINDS
from evoply.players.player_kind import PlayerKind
from evoply.protocols import Progress, StorableLearner
from evoply.protocols.sections import Column, Section
from evoply.runs import schema
from evoply.runs.kept_learners import EndOfRun, Learners, ModelConfigs, OwnConfigs, present
from evoply.runs.kept_steps import dumped
from evoply.runs.schema import StepRow
from evoply.runs.states import joined, parted, zipped
from evoply.wording import shorten

# What a run shows: the numbers of every step as columns, charts, and facts about its champion.
#
# The live display, the table of steps, charts and the table of a page follow from the same columns.
# A row is a step from the store: number, digest, statistics, seconds.

Row = Mapping[str, Any]
_MOST_FACTS = 6
USUAL = ("number", "digest", "seconds")
"""Keys of a row beside its statistics."""


def even_rows(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *rows* with the same cells, in the order in which they first occur; None is a gap.

    >>> even_rows([{"number": 0}, {"number": 1, "by_hand": 1.0}])
    [{'number': 0, 'by_hand': None}, {'number': 1, 'by_hand': 1.0}]
    """
    if all(row.keys() == rows[0].keys() for row in rows):
        return rows
    names = dict.fromkeys(name for row in rows for name in row)
    return [{name: row.get(name) for name in names} for row in rows]


Columns = Sequence[Column]


def framed(word: str, columns: Columns, *, seconds: str = "seconds") -> tuple[Column, ...]:
    """Return *columns* between those that every step has; *word* is the name of a step."""
    return (
        Column("number", word, "{:,}".format, is_fact=False),
        *columns,
        Column(seconds, "seconds", "{:.2f}".format, is_fact=False),
        Column("digest", "digest", lambda digest: str(digest[:8]), is_fact=False),
    )


def facts(columns: Columns, row: Row) -> tuple[tuple[str, str], ...]:
    """Return labels and values of the most important columns that are facts."""
    important = [column for column in columns if column.is_fact][:_MOST_FACTS]
    return tuple((column.fact or column.label, column.text(row)) for column in important)


def curves(columns: Columns, row: Row) -> dict[str, float]:
    """Return the newest point of each curve, by the curve's label."""
    points = {column.curve: column.value(row) for column in columns if column.curve}
    return {label: float(value) for label, value in points.items() if value is not None}


@dataclass(frozen=True, slots=True)
class PlotLine:
    """A number of every step, as a line of a plot."""

    name: str
    of: str | Callable[[Row], float | None] = ""
    """Its key in a row, or a function of a row; empty: its name."""
    color: int | None = None
    """Its index among the colours; by default its index among the lines."""
    is_dashed: bool = False
    interval: Callable[[Row], tuple[float, float] | None] | None = None
    """Gives the interval of the number in a row; None: it has none."""

    def value(self, row: Row) -> float | None:
        """Return the number in *row*; None if it is not there."""
        return row.get(self.of or self.name) if isinstance(self.of, str) else self.of(row)


@dataclass(frozen=True, slots=True)
class Plot:
    """Lines over the steps of a run."""

    title: str
    unit: str
    lines: Sequence[PlotLine]
    note: str = ""
    x: str = "number"
    """The key in a row of the horizontal axis."""
    x_title: str = ""
    """The title of that axis; empty: its key."""
    is_share: bool = False
    """Whether the numbers are shares in [0, 1]."""
    from_zero: bool = False
    after: int = 0
    """Number of first steps without such a number, if there are more steps."""


@dataclass(frozen=True, slots=True)
class PlotOfRows:
    """A plot of rows that are not the steps of a run."""

    plot: Plot
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Scatter:
    """Points (x, y) of two groups; the second stands out."""

    title: str
    groups: Mapping[str, Sequence[tuple[float, float]]]
    x_title: str
    y_title: str


@dataclass(frozen=True, slots=True)
class ChampionFacts:
    """Facts about a champion beside its explanation."""

    title: str
    """Such as "19 nodes, from step 2"."""
    data: Mapping[str, Any]
    """The same facts as keys of the summary."""
    identity: Mapping[str, Any]
    """Keys that distinguish matches of this champion from those of another."""
    note: str = ""
    """What a page says beside the explanation."""


@dataclass(frozen=True, slots=True)
class LiveFacts:
    """What a live display shows of one finished step."""

    line: str
    """The step in one line of a log."""
    facts: tuple[tuple[str, str], ...]
    """Labels and values, the most important first."""
    points: Mapping[str, float]
    """The newest point of each curve, by the curve's label."""
    champion: str
    newest: Mapping[str, str] = field(default_factory=dict)
    """The newest points in words, for the curves that show them."""
    last_number: int | None = None
    """The last step the limits allow, if they count steps."""
    seconds_left: float | None = None
    note: str = ""
    """A sentence about the curves."""


# The steps of a run in `run.db`: what a learner dumps of each, and the tables made of them.


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


_MOST_CURVES = 3
_MOST_LISTED = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of learner."""

    name: str
    """Its name in `config.toml`; of a user's own learner, the name for people."""
    learner: Any
    """The learner; None if it is the user's own and missing."""
    read: Callable[..., Any] | None = None
    """Returns the config of a preset, a file or another config, with `--set` and keys; None for a
    user's own learner, whose configs are data of its `config_type`."""
    columns: Columns | Callable[[Any, Row], Columns] = ()
    """The columns of a step, or what makes them of a config and a row. Empty: one for each
    statistic."""
    word: str = "step"
    """What people call a step."""
    stages: Mapping[str, str] = field(default_factory=dict)
    """The stages of a step in words, by the names that its progress gives them; the first is shown
    before there is any."""
    tables: StepTables = field(default_factory=StepTables)
    """What the tables of a run have of its steps."""
    seconds: str = "seconds"
    """The key in a row of the seconds that a step took."""
    facts: Callable[[Any, Any], ChampionFacts] | None = None
    """Facts about a champion and the last step."""
    live: Callable[[LiveFacts, Any, Any], LiveFacts] | None = None
    """What a live display shows in place of the usual facts, of which and of a config and a step it
    is made."""
    plots: Callable[[Any, Sequence[Row]], Sequence[Plot]] | None = None
    """The plots of a config's rows; None: one of each column."""
    listings: Callable[[Any, Any], list[Section]] | None = None
    """Tables about a config's last step, for the end of a run."""
    page: Callable[[Any, Sequence[Row]], tuple[Mapping[str, str], list[Section]]] | None = None
    """Facts at the top of a run's page, and sections after its charts."""
    ending: EndOfRun | None = None
    """What a run ends with, such as a final test; None: with the champion of its last step."""
    no_arguments: str = ""
    """Why a user's Python is no argument of the learner; empty: the usual words."""
    own: str | None = None
    """None for evoply's learners; for a user's own the text that names it (`own_code`)."""
    uses: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Functions of its steps, by name: trees, patterns, edited, packed; and check_installed, which
    raises `RunError` if a package is missing that a run of its argument, a config, needs."""

    @property
    def configs(self) -> ModelConfigs | OwnConfigs:
        """How its configs are read and written."""
        if self.read is None:
            return OwnConfigs(self.name, self.own or self.name, self.learner)
        return ModelConfigs(self.learner, self.read)

    @property
    def learners(self) -> Learners:
        """How its learner is asked."""
        usual = f"only evolution takes these, not {self.name} - leave them out"
        return Learners(self.name, self.learner, self.own, self.no_arguments or usual, self.ending)

    @property
    def store(self) -> StepsStore:
        """How its steps are kept."""
        return StepsStore(self.name, self.learner, self.tables)

    @property
    def display(self) -> Display:
        """What people see of its runs."""
        return Display(self)


@dataclass(frozen=True, slots=True)
class Display:
    """What people see of a run, which follows from what its *kind* declares."""

    kind: Kind

    def columns(self, config: Any, row: Row, /) -> Columns:
        """Return the columns of steps, of which *row* is one.

        If none are declared, there is one for each statistic, with curves of the first three.
        """
        columns = self.kind.columns
        if callable(columns):
            columns = columns(config, row)
        return framed(self.kind.word, columns or _usual(row), seconds=self.kind.seconds)

    def plots(self, config: Any, rows: Sequence[Row], /) -> Sequence[Plot]:
        """Return the plots of *rows*, one a step, by default of each column."""
        if self.kind.plots is not None:
            return self.kind.plots(config, rows)
        _, *columns, _ = self.columns(config, rows[-1] if rows else {})
        return [
            Plot(column.label, column.label, [PlotLine(column.label, column.value)])
            for column in columns
        ]

    def live(self, config: Any, step: Any, /) -> LiveFacts:
        """Return the facts of *step* for a live display: the newest values of all columns."""
        row = self.kind.store.row_of(config, step)
        columns = self.columns(config, row)
        last = getattr(config, "generations", None)
        values = "".join(
            f", {column.label} {column.text(row)}" for column in columns if column.is_fact
        )
        live = LiveFacts(
            line=f"{self.kind.word} {step.number}: {step.seconds:.2f} s{values}",
            facts=facts(columns, row),
            points=curves(columns, row),
            champion=str(step.champions[0].label),
            newest={column.curve: column.text(row) for column in columns if column.curve},
            last_number=last - 1 if isinstance(last, int) else None,
        )
        return live if self.kind.live is None else self.kind.live(live, config, step)

    def stage(self, progress: Progress | None, number: int, /) -> str:
        """Return the current stage of step *number* in words; the first before there is any."""
        if not self.kind.stages:
            return f"{self.kind.word} {number}"
        if progress is None:
            return next(iter(self.kind.stages.values())).format(number)
        words = self.kind.stages[progress.stage]
        return words.format(number, done=progress.done, games=progress.games)

    def champion_facts(self, champion: Any, last: Any, /) -> ChampionFacts:
        """Return the facts about the champion of a run, by default its step."""
        if self.kind.facts is not None:
            return self.kind.facts(champion, last)
        about = {"generation": last.number}
        return ChampionFacts(f"from {self.kind.word} {last.number}", about, about)

    def listings(self, config: Any, last: Any, /) -> list[Section]:
        """Return tables about the last step, for the end of a run."""
        return [] if self.kind.listings is None else self.kind.listings(config, last)


def _usual(row: Row) -> list[Column]:
    names = [name for name in row if name not in USUAL]
    return [
        Column(
            name,
            name,
            curve=name if index < _MOST_CURVES else "",
            is_listed=index < _MOST_LISTED,
        )
        for index, name in enumerate(names)
    ]


def check_installed(kind: Kind, config: Any) -> None:
    """Raise `RunError` if a package is missing that a run of *config* needs at any time."""
    check = kind.uses.get("check_installed")
    if check is not None:
        check(config)
