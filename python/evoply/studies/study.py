"""The form of a study: experiments that reproduce a paper's tables beside its own figures.

A study is a value. An experiment is a function from a request (scale, seed, rules) to a result of
rows and figures; `verdicts` computes the verdict of a row. This module does not know any paper.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal, get_args

from evoply.games import game_rules
from evoply.json_data import JsonData
from evoply.reports.charts import Chart
from evoply.reports.series import Series
from evoply.studies.verdicts import FEWEST_RUNS, Claim, Figure, Verdict, judge, margin_of
from evoply.wording import did_you_mean

Scale = Literal["smoke", "small", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)


def no_progress(done: int, total: int) -> None:
    """Do nothing with the numbers of finished and of all steps."""


def no_result(result: Result) -> None:
    """Do nothing with the result so far."""


@dataclass(frozen=True, slots=True)
class Request:
    """A request to an experiment; the result depends on nothing else."""

    scale: Scale = "smoke"
    seed: int = 1
    rules: str = ""
    """The reading of the paper, one of the experiment's `rules`; the first if empty."""
    opponent: str = ""
    """The opponent, if the experiment allows a choice; its own opponents if empty."""
    games: int = 0
    """Games against each such opponent; 0 for the number of the scale."""
    game: str = ""
    """The board, if an experiment has several; its first if empty."""
    threads: int = 0
    progress: Callable[[int, int], object] = no_progress
    """Called with steps done and steps in all; it and *threads* never change the result."""
    shown: Callable[[Result], object] = no_result
    """Called with the result so far by experiments that take long, for people who watch."""
    keep: str = ""
    """The beginning of the names of the runs that keep long evolutions, so that the same request
    continues after an interruption; if empty, they stay in memory. The result is the same."""

    def part(self, number: int, of: int) -> Request:
        """Return the same request, whose progress is that of part *number* of *of* equal parts."""

        def moved(done: int, total: int) -> None:
            self.progress(round(1000 * (number + done / total)), 1000 * of)

        return replace(self, progress=moved)

    def result(
        self,
        study: str,
        table: str,
        title: str,
        rows: Iterable[Row],
        *,
        unit: str,
        notes: Iterable[str] = (),
        charts: Iterable[Chart | BoardPicture] = (),
    ) -> Result:
        """Return the result of the experiment *table* of *study* for this request."""
        return Result(
            study=study,
            table=table,
            title=title,
            scale=self.scale,
            seed=self.seed,
            rules=self.rules,
            unit=unit,
            rows=tuple(rows),
            notes=tuple(notes),
            charts=tuple(charts),
            opponent=self.opponent,
            games=self.games,
            game=self.game,
        )


@dataclass(frozen=True, slots=True)
class Row(JsonData):
    """One row: the paper's figure, ours, and the verdict of the rule."""

    name: str
    paper: float | str | None
    """The printed figure; text for a range or a claim."""
    ours: float | None
    interval: tuple[float, float] | None
    n: int | None
    verdict: Verdict
    reason: str
    """The known reason for a difference, or how the figure was measured."""
    margin: float | None = None
    """How far our figure may be from the printed one and match; None without a printed one."""

    @property
    def interval_text(self) -> str | None:
        """The interval in words for people; None if there is none.

        A few equal results give one without width, which says nothing about the next result.
        """
        if self.interval is None:
            return None
        low, high = self.interval
        if low == high and self.n is not None and self.n < FEWEST_RUNS:
            return "too few to say"
        return f"{low:.4g} to {high:.4g}"


def row(
    name: str,
    ours: Figure | None,
    paper: Figure | Claim | tuple[float, float] | None = None,
    *,
    reference: float | None = None,
    reason: str = "",
    otherwise: str = "",
) -> Row:
    """Return the row of a figure, with the verdict of the rule.

    *otherwise* is the reason for a figure that does not match if *reason* is empty.
    """
    verdict = judge(ours, paper, reference)
    if not reason and verdict in ("same direction", "differs"):
        reason = otherwise
    printed: float | str | None = None
    if isinstance(paper, tuple):
        printed = f"{paper[0]:.2f} to {paper[1]:.2f}"
    elif isinstance(paper, Claim):
        printed = paper.text
    elif paper is not None:
        printed = paper.value
    return Row(
        name=name,
        paper=printed,
        ours=None if ours is None else ours.value,
        interval=None if ours is None else ours.interval,
        n=None if ours is None else ours.n,
        verdict=verdict,
        reason=reason,
        margin=margin_of(ours, paper),
    )


def series(name: str, figures: Iterable[Figure | None], *, symbol: str = "circle") -> Series:
    """Return *figures*, some of which may be missing, as values of a chart with their intervals."""
    known = list(figures)
    values = [None if figure is None else figure.value for figure in known]
    intervals = [None if figure is None else figure.interval for figure in known]
    return Series(name, values, intervals, symbol=symbol)


@dataclass(frozen=True, slots=True)
class BoardPicture:
    """A number on every square of a board, as a picture of a result."""

    title: str
    game: str
    values: tuple[float, ...]
    """The values, row by row from the first square."""
    note: str = ""
    head: tuple[str, ...] = ()
    rows: tuple[tuple[str, ...], ...] = ()

    def svg(self) -> str:
        """Return the picture as SVG for embedding in a page."""
        return game_rules(self.game).heat_map(self.values)

    def files(self) -> tuple[str, bytes]:
        """Return the picture on its own: as SVG, and as PDF."""
        from vl_convert import svg_to_pdf

        svg = self.svg()
        return svg, svg_to_pdf(svg)


@dataclass(frozen=True, slots=True)
class Result(JsonData):
    """The result of an experiment."""

    also = ("command",)

    study: str
    table: str
    title: str
    scale: Scale
    seed: int
    rules: str = field(metadata={"from": "reading"})
    unit: str
    """The unit of the figures, such as "wins of 50 games"."""
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    charts: tuple[Chart | BoardPicture, ...] = field(default=(), metadata={"json": ""})
    opponent: str = field(default="", metadata={"json": ""})
    games: int = field(default=0, metadata={"json": ""})
    game: str = field(default="", metadata={"json": ""})

    @property
    def command(self) -> str:
        """The command that reproduces this result."""
        words = ["evoply", "reproduce", self.study, "--table", self.table, "--scale", self.scale]
        words += ["--seed", str(self.seed)]
        for option in ("rules", "opponent", "games", "game"):
            if value := getattr(self, option):
                words += [f"--{option}", str(value)]
        return shlex.join(words)

    @property
    def reading(self) -> str | None:
        """The reading of the paper; None where there is one only."""
        return self.rules or None


@dataclass(frozen=True, slots=True)
class PaperExperiment(JsonData):
    """A table or figure of a paper, or an open question, as an experiment that can be run."""

    name: str = field(metadata={"json": "table"})
    title: str
    run: Callable[[Request], Result] = field(metadata={"json": ""})
    seconds: Mapping[Scale, float]
    """The seconds of each scale, with the first of the rules, on two cores of a 2025 server CPU."""
    rules: tuple[str, ...] = ()
    """The readings of the paper to choose from, the first by default."""
    takes_opponent: bool = field(default=False, metadata={"json": ""})
    """Whether a request may choose the opponent and the number of games."""
    keeps: bool = field(default=False, metadata={"json": ""})
    """Whether a request may keep its evolutions as runs."""
    boards: tuple[str, ...] = ()
    """The games to choose from, the first by default; empty if there is no choice."""


@dataclass(frozen=True, slots=True)
class Study(JsonData):
    """A paper and its experiments."""

    name: str = field(metadata={"json": "study"})
    title: str
    authors: str
    paper: str
    experiments: tuple[PaperExperiment, ...] = field(metadata={"json": "tables"})
    usual: str = field(default="", metadata={"json": ""})
    """The experiment to run if none is named; "" if a name is required."""
    contradictions: tuple[str, ...] = field(default=(), metadata={"json": ""})
    """The places where the paper contradicts itself or arithmetic, in our words."""
    choices: tuple[str, ...] = field(default=(), metadata={"json": ""})
    """Points that the paper leaves open, and their reading here."""

    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Names that stand for one or several of the experiments, as the paper counts them."""

    def parts(self, name: str) -> tuple[PaperExperiment, ...]:
        """Return the experiments that *name* stands for; `ValueError` as in `experiment`."""
        return tuple(self.experiment(part) for part in self.groups.get(name, (name,)))

    def experiment(self, name: str) -> PaperExperiment:
        """Return the experiment called *name*; `ValueError` lists all names."""
        for experiment in self.experiments:
            if experiment.name == name:
                return experiment
        names = [*(experiment.name for experiment in self.experiments), *self.groups]
        hint = did_you_mean(name, names) or "."
        raise ValueError(f"{self.name} has no table {name!r}{hint} There are {', '.join(names)}")


def checked_rules(experiment: PaperExperiment, rules: str) -> str:
    """Return the rules to use; `ValueError` if the experiment lacks *rules*."""
    if not rules:
        return experiment.rules[0] if experiment.rules else ""
    if rules not in experiment.rules:
        known = ", ".join(experiment.rules) or "none"
        raise ValueError(f"table {experiment.name}: no rules {rules!r}; there are {known}")
    return rules


def checked_game(experiment: PaperExperiment, game: str) -> str:
    """Return the game to use, "" for the usual one; `ValueError` if the experiment lacks *game*.

    The usual one has no name here, so that commands stay short.
    """
    if not game:
        return ""
    if game not in experiment.boards:
        known = " and ".join(experiment.boards)
        there = f"there are {known}" if known else "leave it out"
        raise ValueError(f"game: table {experiment.name} is not played on {game!r}; {there}")
    return "" if game == experiment.boards[0] else game
