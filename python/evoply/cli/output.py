"""Where text goes: results to standard output, all else to standard error; pages to files; hints.

With `--json` standard output carries one JSON object and nothing more, also if the command fails.
Colours follow rich: none without a terminal or with NO_COLOR. Rich is imported by what prints with
it, so that `evoply --version`, `--json` and a page for a browser do without it.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, TextIO

from evoply.wording import json_line

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from evoply.protocols.sections import Column, Section


_LABEL_WIDTH = 12
_LONG_WORD = 20
"""Letters of a word that may be broken: a path or a formula, hardly a name."""
_BETWEEN = 3
"""Columns of a terminal between two of a table."""
_IN_MEMORY = 1 << 20
"""Characters of a long list that wait in memory."""
_PIPE_WIDTH = 160
"""Columns of a table that goes into a file or a pipe: nothing is cut there for want of room."""


quiet = ContextVar("quiet", default=False)
"""Whether --quiet was given: no progress is shown."""


class EndedError(Exception):
    """A command ended otherwise than it should, but it has a result.

    The message is for people; *result* is still the JSON object.
    """

    code: ClassVar[int] = 2
    """The exit code: wrong use."""

    def __init__(self, message: str, result: dict[str, Any]) -> None:
        super().__init__(message)
        self.result = result


class StoppedError(EndedError):
    """The user stopped the command; the message says what is left and how to go on."""

    code: ClassVar[int] = 130


class FailureError(EndedError):
    """What the command was asked for is not as it should be, through no wrong use."""

    code: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class Output:
    """The two audiences of a command: people, and with `--json` a program."""

    is_json: bool

    @property
    def people(self) -> Console:
        """What people read: standard output, or standard error beside JSON."""
        return stderr() if self.is_json else stdout()

    def result(self, data: dict[str, Any]) -> None:
        """Write *data* as the one JSON object, if that was asked for."""
        if self.is_json:
            write_json(data)

    def table(self, columns: Sequence[Column], rows: Sequence[Any]) -> None:
        """Print *rows* as a table of those of *columns* that have room."""
        console = self.people
        if not console.is_terminal:  # a file has room for all
            listed = [*filter(_is_listed, columns)]
            console.width = max(console.width, _least_width(listed, rows))
        kept, left = fitting(columns, rows, console.width)
        console.print(rows_table(kept, rows))
        if left:
            console.print(f"(no room for {', '.join(left)})", style="dim")

    def labelled(self, label: str, text: str) -> None:
        """Print a label and a text, which breaks at words and stays indented in a terminal."""
        console = self.people
        if not console.is_terminal:
            self.say(f"{label:<{_LABEL_WIDTH}}{text}")
            return
        from rich.table import Table

        grid = Table.grid(padding=0)
        grid.add_column(width=_LABEL_WIDTH, style="dim")
        grid.add_column(overflow="fold")
        grid.add_row(label, text)
        console.print(grid)

    def say(self, text: str = "", *, style: str | None = None) -> None:
        """Print a line for people as it is: no markup, no line breaks put in."""
        self.people.print(text, style=style, soft_wrap=True)


def made(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return *data* of a result, with what made it as `made_by`."""
    from evoply.protocols.provenance import provenance

    return {**data, "made_by": provenance().to_dict()}


class JsonList:
    """A list in a JSON object that may be long: what is appended waits in a file, not in memory."""

    def __init__(self) -> None:
        from tempfile import SpooledTemporaryFile  # few commands have such a list

        self._file = SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8")  # noqa: SIM115
        self._between = ""

    def append(self, item: Any) -> None:
        """Add *item*, JSON-ready data."""
        self._file.write(self._between + json_line(item))
        self._between = ", "

    def write(self, stream: TextIO) -> None:
        """Write the whole list to *stream*, once."""
        with self._file as file:
            file.seek(0)
            stream.write("[")
            while text := file.read(_IN_MEMORY):
                stream.write(text)
            stream.write("]")


def write_json(data: Mapping[str, Any]) -> None:
    """Write *data* to standard output as one line of JSON; its values may be `JsonList`s."""
    values = [
        (json_line(key), value if isinstance(value, JsonList) else json_line(value))
        for key, value in data.items()
    ]
    before = "{"
    for key, value in values:
        sys.stdout.write(f"{before}{key}: ")
        if isinstance(value, JsonList):
            value.write(sys.stdout)
        else:
            sys.stdout.write(value)
        before = ", "
    sys.stdout.write("}\n" if data else "{}\n")


def stdout() -> Console:
    """Return a console on what standard output is now."""
    return _console(is_error=False)


def stderr() -> Console:
    """Return a console on what standard error is now."""
    return _console(is_error=True)


def help_console() -> Console:
    """Return the console that help is printed to, as wide as a terminal if there is none."""
    from evoply.cli.console import CommandConsole

    return CommandConsole()


def _console(*, is_error: bool) -> Console:
    from evoply.cli.console import CommandConsole

    stream = sys.stderr if is_error else sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return CommandConsole(stderr=is_error, highlight=False, markup=False, emoji=False, width=width)


def rows_table(columns: Sequence[Column], rows: Sequence[Any]) -> Table:
    """Return *rows* as a table of those of *columns* that are listed; long names are cut.

    Texts stand left and may break over lines; numbers stand right and never do.
    """
    from rich import box
    from rich.table import Table

    grid = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    for column in filter(_is_listed, columns):
        if column.is_text:
            grid.add_column(column.label, overflow="fold")
        else:
            grid.add_column(column.label, justify="right", no_wrap=True)
    for row in rows:
        grid.add_row(*(column.short(row) for column in columns if column.is_listed))
    return grid


def fitting(
    columns: Sequence[Column], rows: Sequence[Any], width: int
) -> tuple[list[Column], list[str]]:
    """Return those of *columns* that have room in *width*, and the labels of those left out.

    What names the row stays: the first one, or its number and the text after it. Those behind go
    first, but results stay longest.
    """
    listed = [*filter(_is_listed, columns)]
    kept = [*listed]
    first = 1 + (len(kept) > 1 and kept[1].is_text and not kept[0].is_text)
    while len(kept) > first and _least_width(kept, rows) > width:
        kept.pop(min(range(first, len(kept)), key=lambda at: (kept[at].look == "strong", -at)))
    return kept, [column.label for column in listed if column not in kept]


def _is_listed(column: Column) -> bool:
    return column.is_listed


def _least_width(columns: Sequence[Column], rows: Sequence[Any]) -> int:
    """Return the width in which no number is cut, and no word of a text but very long ones."""
    widths = []
    for column in columns:
        texts = [column.label, *map(column.short, rows)]
        if column.is_text:
            words = (min(len(word), _LONG_WORD) for text in texts for word in text.split())
            widths.append(max(words, default=0))
        else:
            widths.append(max(map(len, texts)))
    return sum(widths) + _BETWEEN * (len(columns) - 1)


def say_section(section: Section, output: Output) -> None:
    """Show a section: its table, and what is found."""
    if section.rows:
        output.table(section.columns, section.listed)
    for text in section.sentences:
        output.say(text)


def say_listing(section: Section, output: Output) -> None:
    """Show what a learner has learned, row by row, under its title."""
    output.say()
    output.say(section.title)
    say_section(section, output)


def version_text() -> str:
    """Return what `evoply --version` says: the program, its version and its CPU paths."""
    from evoply import _native

    cpu, paths = _native.cpu, _native.paths
    several = f"CPU paths {', '.join(paths)}; {cpu} in use"
    return f"evoply {_native.__version__} ({several if paths[1:] else f'CPU path {cpu}'})"
