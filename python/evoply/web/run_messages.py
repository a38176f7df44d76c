"""The messages of the API about runs; see `evoply.web.messages`."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from evoply.games import GAMES
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


class ChartLineShown(ApiAnswer):
    """A line of a chart."""

    name: str
    values: list[float | None]
    low: list[float | None] | None = None
    """The lower edge of a band around the values, if they are means of several runs."""
    high: list[float | None] | None = None
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
    lines: list[ChartLineShown]


class TableShown(ApiAnswer):
    """A table about the run as it is now, such as its hall of fame."""

    title: str
    note: str
    columns: list[str]
    rows: list[list[str]]
    picture: str
    """An SVG, or empty; `data-cell` of an element of it is N-M of the player `champion@RUN@N-M`."""


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
    """Whether a process drives it or is about to, so that it hears requests."""
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


class SideListed(ApiAnswer):
    """A run, or a group of runs, that can be compared with another."""

    name: str
    """What requests call it: the name of a run, or `seeds:` and that of a run of the group."""
    title: str
    runs: int
    """How many runs it is."""


class SideList(ApiAnswer):
    """What can be compared, newest first."""

    groups: list[SideListed]
    """Runs that differ in their seeds only."""
    runs: list[SideListed]


class KeyShown(ApiAnswer):
    """A value of a config."""

    path: str
    value: str


class DifferenceShown(ApiAnswer):
    """A key in which two configs differ."""

    path: str
    first: str | None
    """None: the config does not have it."""
    second: str | None


class ComparedSide(ApiAnswer):
    """A run of a comparison, or the mean of a group of runs."""

    name: str
    title: str
    runs: list[str]
    facts: list[tuple[str, str]]
    fresh: ChartShown | None
    """The best of each generation on fresh games; None if the learner plays none."""
    charts: list[ChartShown]
    matches: list[MatchShown]
    """Of a group: the games of all its champions together, without an interval."""


class ScoreDifference(ApiAnswer):
    """By how much both champions differ against an opponent that both have met."""

    opponent: str
    difference: float
    """How much more the second scored, in points per game."""
    interval: tuple[float, float] | None
    """95 %; None if a score has none."""


class RunComparison(ApiAnswer):
    """Two runs, or groups of them, side by side."""

    sides: list[ComparedSide]
    """The first and the second."""
    differ: list[DifferenceShown]
    """The keys of `config.toml` in which they differ; all seeds of a group are one value."""
    same: list[KeyShown]
    scores: list[ScoreDifference]
    note: str
    """What the differences do not prove; "" for two groups of seeds."""


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
    board: str | None = None
    """A picture (SVG) of what each square is worth to it; None if it weighs no squares."""
    strength: str = ""
    """How strong it is against players that the run never met; "" if that was not measured."""
    before: int | None = None
    """The generation of the champion before it; None for the first."""
    new_nodes: int | None = None
    """How many nodes the one before did not have."""
    gone: list[str] = Field(default=[])
    """Subtrees that only the one before had."""


class RunRequest(Asked):
    """What a run is to do."""

    request: Literal["pause", "resume", "stop"]
    """Looked at between generations; of a run that is starting, as soon as it has begun. `resume`
    also begins a run that stands still."""
    generations: int | None = Field(default=None, ge=1, le=1_000_000)
    """With `resume` of a run that stands still: another limit, those before included."""


class PresetShown(ApiAnswer):
    """A config to begin with."""

    name: str
    title: str
    learner: str
    game: str
    games: list[str]
    """The games that it can be begun for: its own, or all that it can be made to fit."""


class PresetList(ApiAnswer):
    """Configs to begin with."""

    presets: list[PresetShown]


class GameChoice(ApiAnswer):
    """A game that a run can have."""

    name: str
    title: str


class MemberShown(ApiAnswer):
    """A primitive of a set."""

    name: str
    meaning: str
    """Its expression."""
    is_operation: bool
    """Whether it has arguments, as + has; the others are what trees measure."""


class SetShown(ApiAnswer):
    """A set of primitives that fits the game."""

    name: str
    title: str
    members: list[MemberShown]
    definition: dict[str, Any]
    """Its JSON form: with fewer primitives, written as text, it is a value of `primitives`."""


class OptionShown(ApiAnswer):
    """A row that a list can have."""

    value: str
    title: str
    about: str = ""


class TicksShown(ApiAnswer):
    """A list of the config whose rows can be chosen from."""

    path: str
    """The list's place in the config."""
    column: str
    """The key of a row that an option is the value of."""
    title: str
    note: str
    options: list[OptionShown]
    new_row: dict[str, Any]
    """The other keys of a row that is added."""


class FormShown(ApiAnswer):
    """Everything that can be set in a run that begins with a preset."""

    preset: PresetShown
    games: list[GameChoice]
    config_schema: dict[str, Any]
    """The JSON Schema of its config, in which descriptions say what keys are for."""
    values: dict[str, Any]
    """The config that the preset is."""
    fitting: dict[str, Any]
    """Settings, by path, that make it a config of the game that was asked for."""
    counts: str
    """The key that limits how many steps there are."""
    sets: list[SetShown]
    """Sets of primitives to choose from; none for a learner without trees."""
    ticks: list[TicksShown]
    """Lists to choose rows of."""
    text: str
    """The preset itself, with its comments."""


class StartRun(Asked):
    """Which run to begin."""

    preset: str = Field(max_length=60)
    """A name of `/api/presets`."""
    name: str | None = Field(default=None, max_length=1000)
    """What to call it, at most 100 characters; by default after its game."""
    settings: dict[KeyPath, Setting] = Field(default={}, max_length=500)
    """Values in place of the preset's, by path; null: no value. A list is given whole: single
    values, or rows as values by the names of keys."""
    tests: bool = True
    """Whether the champion plays test matches at the end."""


class RunStarted(ApiAnswer):
    """A run that was begun."""

    name: str


_FOR_ALL_GAMES = "quick"
"""The preset that `evoply.web.run_forms.fitting` makes one of any game."""
_TITLES: Mapping[str, str] = {
    "firebrand-8": "FIREBRAND: weights of Othello 8x8, learned by play",
    "strong-checkers": "tables of patterns for checkers, men told from kings",
    "strong-checkers-10": "tables of patterns for 10x10 checkers, men told from kings",
}
"""Titles that need no other preset beside them; the others have their own."""


def preset_shown(name: str) -> PresetShown:
    """Return the preset called *name* without reading it."""
    from evoply.runs.presets import PRESETS

    preset = PRESETS[name]
    games = list(GAMES) if name == _FOR_ALL_GAMES else [preset.game]
    title = _TITLES.get(name, preset.title)
    return PresetShown.of(preset, name=name, title=title, games=games)
