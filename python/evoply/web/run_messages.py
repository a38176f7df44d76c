"""The messages of the API about runs; see `evoply.web.messages`."""

from typing import Annotated, Any, Literal

from pydantic import Field

from evoply.web.messages import ApiAnswer, Asked

Value = bool | int | float | str | None
Cell = Value | list[int | float | str]
Row = dict[Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,40}$")], Cell]
Setting = Value | Annotated[list[Value | Row], Field(max_length=1000)]
KeyPath = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*(\.[a-z0-9_]+){0,8}$", max_length=120)]


class RunListed(ApiAnswer):
    """A run in a list."""

    name: str
    """What requests call it; `EXPERIMENT/UNIT` for a run of an experiment."""
    created: str
    status: str
    """new, starting, running, paused, finished, limit or stopped; unreadable: see `trouble`."""
    status_in_words: str
    game: str
    learner: str
    generations: int
    best_fresh: float | None = None
    """Points per fresh game of the newest generation's best, in [0, 1]; of evolution only."""
    trouble: str | None = None


class RunList(ApiAnswer):
    """The runs of the folder, newest first."""

    folder: str
    runs: list[RunListed]
    most: int
    """The most runs that are listed; there may be more."""


class LineShown(ApiAnswer):
    """A line of a chart."""

    name: str
    values: list[float | None]
    color: int
    """Its place among the colours, `--line-0` and so on of `/static/look.css`."""
    is_dashed: bool


class ChartShown(ApiAnswer):
    """A chart of lines over numbers."""

    title: str
    note: str
    x_title: str
    y_title: str
    is_share: bool
    """Whether values are shares in [0, 1]."""
    from_zero: bool
    x: list[float]
    """At most 400, evenly spaced; the last is the newest."""
    lines: list[LineShown]


class TableShown(ApiAnswer):
    """A table about the run as it is now, such as its hall of fame."""

    title: str
    note: str
    columns: list[str]
    rows: list[list[str]]


class MatchShown(ApiAnswer):
    """A test match of the champion."""

    opponent: str
    wins: int
    draws: int
    losses: int
    score: float
    """Points per game, in [0, 1]."""
    interval: tuple[float, float] | None
    """95 %; None: too few distinct games."""


class RunState(ApiAnswer):
    """A run as it is now."""

    name: str
    version: str
    """It differs after every change."""
    status: str
    """As in a list."""
    status_in_words: str
    is_going_on: bool
    """Whether a process drives it, so that it hears requests."""
    request: Literal["pause", "resume", "stop"] | None = None
    """The request that it has not followed yet: it looks between generations."""
    can_go_on: bool
    """Whether `resume` starts a process for it."""
    game: str
    game_title: str
    learner: str
    created: str
    command: str
    step_word: str
    """What people call a step of it: "generation" or "step"."""
    generations: int
    """How many steps there are."""
    goal: int | None = None
    """How many there will be, if the limits count them."""
    seconds_left: float | None = None
    facts: list[tuple[str, str]]
    """Labels and values of the newest generation."""
    charts: list[ChartShown]
    tables: list[TableShown]
    matches: list[MatchShown]
    champions: list[int]
    """The generations that had another champion than the one before."""
    trouble: str | None = None
    """Why the process that was started here has ended, if it failed."""
    config: str
    """The text of its config.toml."""


class ChampionShown(ApiAnswer):
    """The champion of a run, now or after one of its generations."""

    generation: int
    """The generation after which this is the champion."""
    title: str
    player: str
    """What requests that begin games call it."""
    formula: str
    """The tree as text; the name of a player that is not a tree."""
    nodes: int | None = None
    """How many nodes the tree has."""
    tree: str | None = None
    """A picture (SVG), in which new nodes stand out."""
    before: int | None = None
    """The generation of the champion before it; None for the first."""
    new_nodes: int | None = None
    """How many nodes the one before did not have."""
    gone: list[str] = Field(default=[])
    """Subtrees that only the one before had."""


class RunRequest(Asked):
    """What a run is to do."""

    request: Literal["pause", "resume", "stop"]
    """Looked at between generations. `resume` also begins a run that stands still."""
    generations: int | None = Field(default=None, ge=1, le=1_000_000)
    """With `resume` of a run that stands still: another limit, those before included."""


class PresetShown(ApiAnswer):
    """A config to begin with."""

    name: str
    title: str
    learner: str
    game: str


class PresetList(ApiAnswer):
    """Configs to begin with."""

    presets: list[PresetShown]


class FormShown(ApiAnswer):
    """Everything that can be set in a run that begins with a preset."""

    preset: PresetShown
    config_schema: dict[str, Any]
    """The JSON Schema of its config, in which descriptions say what keys are for."""
    values: dict[str, Any]
    """The config that the preset is."""
    text: str
    """The preset itself, with its comments."""


class StartRun(Asked):
    """Which run to begin."""

    preset: str = Field(max_length=60)
    """A name of `/api/presets`."""
    name: str | None = Field(default=None, max_length=100)
    """What to call it; by default after its game."""
    settings: dict[KeyPath, Setting] = Field(default={}, max_length=500)
    """Values in place of the preset's, by path; null: no value. A list is given whole: single
    values, or rows as values by the names of keys."""
    tests: bool = True
    """Whether the champion plays test matches at the end."""


class RunStarted(ApiAnswer):
    """A run that was begun."""

    name: str
