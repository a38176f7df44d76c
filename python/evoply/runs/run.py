"""A run on disk: one folder, written by one process at a time, read by any number.

`config.toml` holds the config, `run.db` every step of the learner, such as a generation of
evolution. Whatever happens to the process, the folder holds whole steps only. This module does not
drive a learner: `evoply.runs.advance` does. `evoply.runs.kind` has the contract of what depends on
the kind of learner.
"""

import json
import math
import os
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, ClassVar, NoReturn, Self, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from evoply.configs.own_code import FORM, OwnCode, carried, carried_code, is_own_code
from evoply.environment.checksums import UNREADABLE, BoundedConnection, ChecksumError, Database
from evoply.environment.files import DATABASE, read_kept_text
from evoply.environment.refusals import refusal_of
from evoply.players.grammar import read_player
from evoply.protocols import ConfigError, RunError, Step, StorableLearner
from evoply.runs import schema
from evoply.runs.folder import (
    CONFIG,
    GAME,
    WriterLock,
    add_game_of,
    check_is_run,
    create_folder,
    game_content,
    how_to_go_on,
    status_in,
    stored_learner,
)
from evoply.runs.kept_learners import (
    PythonArguments,
    RunEnding,
    RunGames,
    checked_learner,
    learner_code,
    loaded_learner,
)
from evoply.runs.kind import Columns, Kind, Row, check_installed, even_rows
from evoply.runs.schema import identity, reading, unreadable

# The kind of learner of a run or a config: one of a table, or one that a user brings.

Kinds = Mapping[str, Kind]
"""Kinds of learners by the name that `config.toml` gives them; `evoply.kinds` has evoply's own."""


def outside_kind(code: OwnCode, learner: StorableLearner | None = None) -> Kind:
    """Return the kind of the user's *learner* that *code* names; None if it is missing.

    A run can be read without its learner: status, digests, statistics, champions.
    """
    return Kind(name=code.label, learner=learner, own=str(code))


def kind_of(kinds: Kinds, config: Any, learner: Any = None) -> Kind:
    """Return the kind of *learner*; if that is None, the one of *kinds* for *config*.

    Raises `RunError` if there is none, or if the learner's steps cannot be kept.
    """
    if isinstance(learner, str):
        return named_kind(kinds, learner)
    if learner is None:
        # The nearest: a config of one kind may be that of another with more keys.
        for model in type(config).__mro__:
            for kind in kinds.values():
                if kind.learners.given.config_type is model:
                    return kind
        if isinstance(config, str):
            raise RunError(
                f"config: {config!r:.60} is a text: give the config itself, such as"
                f" evoply.load_config({config!r:.60})"
            )
        raise RunError(
            f"{type(config).__name__} is not a config of a known learner: name its learner, as in "
            "evoply.Run.create(path, config, learner=...), which knows evoply's own"
        )
    for kind in kinds.values():
        if isinstance(learner, type(kind.learners.given)):
            return replace(kind, learner=learner)
    if not isinstance(learner, type):
        checked_learner(learner)
    return outside_kind(learner_code(learner), loaded_learner(learner))


def named_kind(kinds: Kinds, name: str) -> Kind:
    """Return the kind of *kinds* called *name*, or that of `python:FILE.py:NAME`, imported now.

    Raises `ConfigError` if there is none.
    """
    if is_own_code(name):
        try:
            code = learner_code(name)
            return outside_kind(code, loaded_learner(code))
        except ValueError as error:
            raise ConfigError([("learner", str(error))]) from None
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError([("learner", f"{name!r}: evoply's own are {known}; your own is {FORM}")])
    return kinds[name]


def stored_kind(kinds: Kinds, config_file: Path, learner: Any = None) -> Kind:
    """Return the kind of learner that made the run of *config_file*, from *kinds* if possible.

    *learner* is the user's own, or a text that names it, if it is at hand; `RunError` if another
    one made the run.
    """
    try:
        name = stored_learner(tomllib.loads(read_kept_text(config_file)))
    except (OSError, ValueError, RecursionError):
        name = "evolution"  # whose config reports the error
    try:
        code = carried_code(name) if is_own_code(name) else None
    except ValueError as error:
        raise RunError(
            f"run {config_file.parent}: its config.toml is damaged, put the original back."
            f"\nlearner: {error}"
        ) from None
    if learner is None:
        if code is not None:
            return outside_kind(code)
        return kinds.get(name) or Kind(name=name, learner=None, own="")
    try:
        kind = kind_of(kinds, None, learner)
    except ValueError as error:
        raise RunError(f"learner: {error}") from None
    # By its name alone: who goes on with the run looks at more.
    stored, given = (name if code is None else code.label), kind.name
    if _last(stored) != _last(given) or (code is None) != (kind.own is None):
        raise RunError(
            f"run {config_file.parent} was made by the learner {stored}, not by {given}: "
            "give that one, or none for reading only"
        )
    return kind


def _last(label: str) -> str:
    return label.rpartition(":")[2].rpartition(".")[2]


_PRUNED = ("generation", "player", "formula", "stages", "terms", "left_out", "compared")
_STRENGTH = ("generation", "rows")
_T = TypeVar("_T")


class Run:
    """A run folder, open for reading; every change needs the right to write (see `lock`).

    Make one with `Run.create` or `Run.open`. Use it as a context manager or call `close`.
    Everything read is compared with its checksum first: `RunError` names the damage. `evoply.Run`
    knows evoply's own learners; this class knows only those passed to it.
    """

    kinds: ClassVar[Kinds] = MappingProxyType({})
    """The kinds of learners that need not be passed."""

    def __init__(self, path: Path, kind: Kind, config: Any, opened: Database) -> None:
        self.path = path
        self.kind = kind
        self.config = config
        self._open: Database | None = opened
        self._lock: WriterLock | None = None
        self._is_whole = False
        self._last: Any = None
        self._file = identity(path / DATABASE)

    @classmethod
    def create(
        cls,
        path: str | os.PathLike[str],
        config: Any,
        *,
        learner: Any = None,
        command: str = "",
        **parts: Unpack[PythonArguments],
    ) -> Self:
        """Make the folder *path* for a new run; raise `RunError` if it exists or cannot be made.

        *config* is an `EvolutionConfig`, a `LearningConfig`, or the config of *learner*, your own
        `StorableLearner` or a text that names it; `ConfigError` if it cannot be written. *command*
        is the command line, kept for the report. *parts* are the user's own
        fitness, operators, selection and survival, as `evolve` takes them: the config of the run
        names them. The folder appears as a whole or not at all.
        """
        folder = Path(path)
        kind = kind_of(cls.kinds, config, learner)
        config = kind.learners.with_parts(config, **parts)
        texts = {CONFIG: kind.configs.write(config), GAME: game_content(config)}
        contents = {name: text.encode() for name, text in texts.items() if text is not None}
        check_installed(kind, config)

        def fill(new: Path) -> None:
            for name, content in contents.items():
                (new / name).write_bytes(content)
            meta = schema.first_meta(command, contents)
            schema.create_tables(new / DATABASE, meta)

        create_folder(folder, fill)
        return cls.open(folder, learner=learner)

    @classmethod
    def open(
        cls, path: str | os.PathLike[str], *, learner: StorableLearner | str | None = None
    ) -> Self:
        """Open the run in the folder *path*; raise `RunError` if there is none or it is damaged.

        A run of your own learner can be read without it; reading whole steps and resuming need
        the *learner* that made it, or the text that names it: `python:FILE.py:NAME`.
        """
        folder = Path(path)
        check_is_run(folder)
        opened = schema.open_database(folder / DATABASE)
        try:
            reading(folder, lambda: schema.check_files(opened, folder))
            add_game_of(folder)
            kind = stored_kind(cls.kinds, folder / CONFIG, learner)
            with carried():
                config = kind.configs.load(folder / CONFIG)
            return cls(folder, kind, config, opened)
        except BaseException as error:
            opened.connection.close()
            if isinstance(error, ConfigError):
                raise RunError(f"run {folder}: its config.toml cannot be read.\n{error}") from None
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Run {self.path}>"

    def close(self) -> None:
        """Close the database and give back the right to write; a second call does nothing."""
        if self._open is not None:
            self._open.connection.close()
            self._open = None
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def _database(self) -> Database:
        if self._open is None:
            raise RunError(
                f"run {self.path} is closed: read it inside its `with`, or open it again with "
                f"Run.open({str(self.path)!r})"
            )
        return self._open

    @property
    def name(self) -> str:
        """The folder's name."""
        return self.path.name

    @property
    def game(self) -> str:
        """The game of the run."""
        return str(self.config.game)

    @property
    def created(self) -> str:
        """When the run was created, as ISO 8601 text in UTC."""
        return self.meta("created")

    @property
    def command(self) -> str:
        """The command line that created the run; empty if there was none."""
        return self.meta("command")

    @property
    def version(self) -> str:
        """The version of evoply that wrote the run last."""
        return self.meta("version")

    @property
    def signature(self) -> str:
        """The behaviour signature the run was written with last."""
        return self.meta("signature")

    @property
    def status(self) -> str:
        """The status of the run: new, running, paused, finished, limit or stopped.

        "finished" has made all steps, "limit" has used up its time, its work or the budget of an
        experiment (see `ended_by`), "stopped" was interrupted and can be resumed; so can a run
        whose process was killed.
        """
        status = self.meta("status")
        return status if self._lock is not None else status_in(self.path, status)

    @property
    def ended_by(self) -> str:
        """The limit that ended the run: a key of its config, or `budget.games` and so on.

        "" if it goes on, was stopped, or has a learner of your own, which alone knows.
        """
        return self.meta("ended_by")

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the right to write inside a `with`; raise `RunError` if another process has it.

        The first time checks everything, because new steps build on the stored ones.
        """
        if self._lock is not None:
            yield
            return
        if (self.path / DATABASE).is_symlink():
            raise RunError(
                f"run {self.path}: run.db is a link - go on with the run that it leads to"
            )
        self._lock = WriterLock(self.path)
        try:
            if not self._is_whole:
                self.check()
            yield
        finally:
            if self._lock is not None:
                self._lock.release()
                self._lock = None

    def check(self) -> int:
        """Compare everything stored with its checksums; return the number of checksums.

        Raises `RunError` that names the damage.
        """
        count = self.reading(lambda opened: opened.check(schema.GROUPS))
        count += self.reading(lambda opened: schema.check_files(opened, self.path))
        self._is_whole = True
        return count

    def save(self, step: Step) -> None:
        """Write one step as a whole, the next one only; raise `RunError` on a full disk."""
        expected = self.count()
        if step.number != expected:
            raise RunError(
                f"run {self.path}: step {step.number} cannot follow, the next one is {expected}"
            )
        self.kind.store.check_step(self.config, step)
        with self._writing() as opened:
            self.kind.store.write(opened, step)

    def count(self) -> int:
        """Return the number of stored steps."""
        return self.reading(schema.count_steps)

    def step(self, number: int) -> Any:
        """Return a stored step; raise `RunError` if it is not there or cannot be read.

        It is a step of the learner: for evolution a `Generation`.
        """
        if not 0 <= number < self.count():
            raise RunError(f"run {self.path} has no step {number}: it has {self.count()}")
        return self.reading(lambda opened: self.kind.store.read(opened, self.config, number))

    def generation(self, number: int) -> Any:
        """Return `step`, by the name that evolution has for it."""
        return self.step(number)

    def whole_steps(self) -> Iterator[Any]:
        """Yield the stored steps in order."""
        return map(self.step, range(self.count()))

    def last(self) -> Any:
        """Return the newest step, or None."""
        count = self.count()
        if not count:
            return None
        # Several parts of a page need it, and it is the slowest to read.
        if self._last is None or self._last.number != count - 1:
            self._last = self.step(count - 1)
        return self._last

    def steps(self, first: int = 0) -> list[schema.StepRow]:
        """Return number, digest, statistics and seconds of the steps from *first* on."""
        return self.reading(lambda opened: schema.read_steps(opened, first))

    def digests(self, first: int = 0) -> list[str]:
        """Return the digest of every step from *first* on, in order."""
        return [step.digest for step in self.steps(first)]

    def table(self, query: str, parameters: tuple[Any, ...] = ()) -> list[dict[str, Any]]:
        """Return the rows of a SELECT over the run's tables as mappings.

        They are not checked: call `check` first if the file may be damaged.
        """
        try:
            connection = self._database.connection
            if isinstance(connection, BoundedConnection):
                connection.renew(is_bounded=False)  # a question may take as long as it likes
            for name, select in self.kind.tables.views(self.config).items():
                connection.execute(f"CREATE TEMP VIEW IF NOT EXISTS {name} AS {select}")
            cursor = connection.execute(query, parameters)
            names = [column[0] for column in cursor.description]
            return [dict(zip(names, row, strict=True)) for row in cursor]
        except UNREADABLE as error:
            unreadable(self.path, error)

    def columns(self, rows: Sequence[Row]) -> Columns:
        """Return the columns of steps, of which *rows* are some."""
        return self.kind.display.columns(self.config, rows[-1] if rows else {})

    @property
    def step_word(self) -> str:
        """What people call a step of the run: "generation" or "step"."""
        return self.columns([])[0].label

    def steps_in_words(self) -> str:
        """Return how many steps the run has, such as "40 generations"."""
        count = self.count()
        return f"{count:,} {self.step_word}{'s' * (count != 1)}"

    def table_names(self) -> tuple[str, ...]:
        """Return the names of the tables that `rows` returns; evolution has most of them."""
        return (*self.kind.store.exports(self.config), "matches")

    def rows(self, table: str = "generations") -> list[dict[str, Any]]:
        """Return a table of the run as rows of plain cells by name; `ValueError` if it has none.

        *table* is one of `table_names`: generations has a row for each step, with all its numbers;
        matches has the kept matches; evolution also has individuals (of all generations) and
        hall_of_fame (after every generation). All rows have the same cells: what only some steps
        have is None in the others.
        """
        if table not in self.table_names():
            names = ", ".join(self.table_names())
            raise ValueError(f"{table!r} is not a table of run {self.path}: it has {names}")
        read = {**self.kind.store.exports(self.config), "matches": schema.match_rows}[table]
        return even_rows(self.reading(read))

    def drawn_rows(self) -> list[dict[str, Any]]:
        """Return the rows of `generations` with the numbers that only charts show."""
        return self.reading(lambda opened: self.kind.store.drawn_rows(opened, self.config))

    @property
    def games(self) -> RunGames:
        """The facts about the games of the run."""
        if self.kind.own is not None:
            return RunGames()
        found: RunGames = self.kind.learners.given.games(self.config)
        return found

    def to_arrays(self, table: str = "generations") -> dict[str, NDArray[Any]]:
        """Return a table as one array per column: numbers as numbers, all else as objects.

        A number that is missing is nan. *table* is as in `rows`.
        """
        rows = self.rows(table)
        names = list(rows[0]) if rows else []
        return {name: _array([row[name] for row in rows]) for name in names}

    def to_dataframe(self, table: str = "generations") -> Any:
        """Return a table as a `pandas.DataFrame`; without pandas what `to_arrays` returns.

        Either gives a column by its name. *table* is as in `rows`.
        """
        arrays = self.to_arrays(table)
        try:
            import pandas
        except ImportError:
            return arrays
        return pandas.DataFrame(arrays)

    @property
    def champion(self) -> Any:
        """The champion as the learner keeps it; for evolution an entry of the hall of fame.

        It is the winner of the final test, or before it the first of the hall of fame. Raises
        `RunError` before the first step.
        """
        last = self.last()
        if last is None:
            self._has_no_champion()
        return self.reading(lambda _: self.kind.learners.champion(last, self.note))

    @property
    def champion_player(self) -> Any:
        """The champion as a player, even if the learner is missing.

        Raises `RunError` before the first step.
        """
        count = self.count()
        if not count:
            self._has_no_champion()
        note = self.note("champion", ("generation", "player"))
        if note is not None and note["generation"] == count - 1:
            return self.reading(lambda _: read_player(note["player"]))
        return self.reading(lambda opened: schema.read_champions(opened, count - 1)[0])

    @property
    def pruned(self) -> Mapping[str, Any] | None:
        """What the end of the run found its champion can do without; None if nothing, or before.

        `player` is the pruned champion as data; the other keys are those of `Pruned`.
        """
        return self._of_last("pruned", _PRUNED)

    @property
    def strength(self) -> Mapping[str, Any] | None:
        """How strong the end of the run found its champion, against players that it never met.

        None if that was not measured. The keys are those of `evoply.arena.Strength`.
        """
        return self._of_last("strength", _STRENGTH)

    def _of_last(self, name: str, keys: tuple[str, ...]) -> Mapping[str, Any] | None:
        note = self.note(name, keys)
        return note if note is not None and note["generation"] == self.count() - 1 else None

    @property
    def pruned_player(self) -> Any:
        """The champion without what it can do without; `RunError` if there is none."""
        note = self.pruned
        if note is None:
            raise RunError(
                f"run {self.path} has no pruned champion: `evoply prune champion@{self.name}` may "
                "find what it can do without"
            )
        return self.reading(lambda _: read_player(note["player"]))

    def _has_no_champion(self) -> NoReturn:
        raise RunError(f"run {self.path} has no champion yet: no step is finished")

    def end(self, number: int, ending: RunEnding) -> None:
        """Store the ending of the run after step *number*, and its champion."""
        champion = {"generation": number, "player": schema.player_data(ending.champion)}
        self.set_meta(champion=json.dumps(champion), ended_by=ending.ended_by, **ending.notes)

    def note(self, name: str, keys: tuple[str, ...] = ()) -> dict[str, Any] | None:
        """Return a JSON object of the table `meta`, None if it is missing.

        Raises `RunError` if it is damaged or one of *keys* is missing.
        """
        text = self.meta(name)
        return self._object(text, keys) if text else None

    def save_match(self, result: Mapping[str, Any]) -> None:
        """Keep the result of a match (as its `to_dict` gives it) for the report."""
        with self._writing() as opened:
            schema.add_match(opened, result)

    def matches(self) -> list[dict[str, Any]]:
        """Return the kept results of matches, oldest first."""
        return self.reading(schema.read_matches)

    def record(self, kind: str, **details: Any) -> None:
        """Note an event of the run (started, resumed, ended) with the time."""
        with self._writing() as opened:
            schema.add_event(opened, kind, details)

    def events(self) -> list[dict[str, Any]]:
        """Return the noted events, oldest first."""
        return self.reading(schema.read_events)

    def meta(self, key: str) -> str:
        """Return one value of the table `meta`, empty if it is not there."""
        return str(self.reading(schema.read_meta).get(key, ""))

    def set_meta(self, **values: str) -> None:
        """Write values of the table `meta`."""
        with self._writing() as opened:
            schema.write_meta(opened, values)

    def reading(self, read: Callable[[Database], _T]) -> _T:
        """Return the result of *read* on the database; `RunError` if it cannot be read."""
        opened = self._database
        return reading(self.path, lambda: read(opened))

    @contextmanager
    def _writing(self) -> Iterator[Database]:
        """Yield the database for one transaction, to the only writer."""
        opened = self._database
        with self.lock():
            # The open files would still take writes that nobody could find again.
            if self._file is None or identity(self.path / DATABASE) != self._file:
                raise RunError(
                    f"run {self.path} was deleted or moved meanwhile, or its disk is gone: nothing "
                    "is added to it"
                )
            try:
                with opened.transaction():
                    yield opened
            except (*UNREADABLE, ChecksumError, OSError) as error:
                refusal = refusal_of(error, self.path / DATABASE)
                if refusal is None:
                    unreadable(self.path, error)
                raise RunError(
                    f"run {self.path} cannot be written: {refusal.what}. All steps so far are "
                    f"safe; {refusal.to_do}, then go on with `{how_to_go_on(self.path)}`"
                ) from None

    def _object(self, text: str, keys: tuple[str, ...] = ()) -> dict[str, Any]:
        return self.reading(lambda _: schema.read_object(text, keys))


def _array(cells: list[Any]) -> NDArray[Any]:
    kinds = {type(cell) for cell in cells}
    if kinds <= {float, int, type(None)} and float in kinds:
        return np.array([math.nan if cell is None else cell for cell in cells], dtype=np.float64)
    if kinds in ({int}, {bool}):
        return np.array(cells)
    return np.array(cells, dtype=object)
