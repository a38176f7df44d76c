"""The form of a study: experiments that reproduce a paper's tables beside its own figures.

A study is a value. An experiment is a function from a request (scale, seed, rules) to a result of
rows and figures; `verdicts` computes the verdict of a row. This module does not know any paper.
"""

from __future__ import annotations

import shlex
import tomllib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from itertools import count, product
from threading import Event
from typing import Any, Literal, Self, TypeVar, get_args

from evoply.environment import core_count
from evoply.environment.prerequisites import from_an_extra
from evoply.games import game_rules
from evoply.protocols.sections import JsonData
from evoply.reports.charts import Chart, Series
from evoply.studies.verdicts import FEWEST_RUNS, Claim, Figure, Verdict, judge, margin_of
from evoply.wording import did_you_mean

Scale = Literal["smoke", "small", "paper"]
SCALES: tuple[Scale, ...] = get_args(Scale)

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")


def no_progress(done: int, total: int) -> None:
    """Tell nobody."""


def no_result(result: Result) -> None:
    """Tell nobody."""


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
    """The reason for a difference in at most ten words, or how the figure was measured.

    Where nobody knows it, it begins with "unknown".
    """
    margin: float | None = None
    """How far our figure may be from the printed one and match; None without a printed one."""
    counted: str = ""
    """What *n* counts: games, runs, moves, ..., in the plural."""
    unit: str = ""
    """The unit of the figures, such as "wins of 50 games"."""

    @property
    def n_text(self) -> str | None:
        """The number of what was counted, in words for people; None if there is none."""
        if self.n is None:
            return None
        counted = self.counted.removesuffix("s") if self.n == 1 else self.counted
        return f"{self.n:,} {counted}".rstrip()

    @property
    def is_off(self) -> bool:
        """Whether it is told apart from the printed figure, which asks for a reason."""
        return self.verdict in ("same direction", "differs")

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
    unit: str = "",
) -> Row:
    """Return the row of a figure, with the verdict of the rule.

    *otherwise* is the reason for a figure that does not match if *reason* is empty. *unit* is that
    of the row, if it is not the table's.
    """
    printed: float | str | None = None
    if isinstance(paper, tuple):
        printed = f"{paper[0]:.2f} to {paper[1]:.2f}"
    elif isinstance(paper, Claim):
        printed = paper.text
    elif paper is not None:
        printed = paper.value
    found = Row(
        name=name,
        paper=printed,
        ours=None if ours is None else ours.value,
        interval=None if ours is None else ours.interval,
        n=None if ours is None else ours.n,
        verdict=judge(ours, paper, reference),
        reason=reason,
        margin=margin_of(ours, paper),
        counted="" if ours is None or ours.n is None else ours.counted,
        unit=unit,
    )
    return replace(found, reason=otherwise) if found.is_off and not reason else found


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
        with from_an_extra():
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
    run: Callable[[Reproduction], Result] = field(metadata={"json": ""})
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
    sizes: dict[str, Sequence[Any]] = field(default_factory=dict, metadata={"json": ""})
    """Amounts of work by name, each at the scales smoke, small and paper."""
    told: Mapping[str, Any] = field(default_factory=dict, metadata={"json": ""})
    """What else the paper's file has: heading, unit and notes of results, and printed figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reproduction(Request):
    """A request to one experiment, with what the paper's file says of that."""

    study: str
    table: PaperExperiment

    def size(self, name: str) -> int:
        """Return an amount of work at the scale."""
        return int(self._at_scale(name))

    def sizes(self, name: str) -> tuple[int, ...]:
        """Return several amounts of work at the scale, where one name has several."""
        return tuple(self._at_scale(name))

    def _at_scale(self, name: str) -> Any:
        return self.table.sizes[name][SCALES.index(self.scale)]

    @property
    def printed(self) -> Mapping[str, Any]:
        """The figures and claims of the paper, by the names of their rows or as the table has."""
        found: Mapping[str, Any] = self.table.told.get("printed", {})
        return found

    def row(self, name: str, ours: Figure | None, key: str = "", **others: Any) -> Row:
        """Return the row of *ours* beside what is printed under *key*, its own name by default.

        *others* are those of `row`; what stands beside the printed figure has the same names.
        """
        said = self.printed.get(key or name, {})
        options = dict(said) if isinstance(said, Mapping) else {"paper": said}
        if claim := options.pop("claim", ""):
            bounds = {end: options.pop(end) for end in ("low", "high") if end in options}
            options["paper"] = Claim(claim, **bounds)
        elif isinstance(paper := options.get("paper"), list):
            options["paper"] = tuple(paper)
        elif paper is not None:
            options["paper"] = Figure(paper, None)
        return row(name, ours, **{**options, **others})

    def rows(self, figures: Mapping[str, Figure | None], before: str = "") -> list[Row]:
        """Return the row of each figure; *before* begins their names, but not the printed ones."""
        return [self.row(before + name, ours, name) for name, ours in figures.items()]

    def part(self, number: int, of: int) -> Self:
        """Return the same request, whose progress is that of part *number* of *of* equal parts."""

        def moved(done: int, total: int) -> None:
            self.progress(round(1000 * (number + done / total)), 1000 * of)

        return replace(self, progress=moved)

    def quiet(self) -> Self:
        """Return the same request, whose progress nobody is told."""
        return replace(self, progress=no_progress)

    def counter(self, total: int) -> Callable[[], None]:
        """Return what tells the progress, one step of *total* further, when it is called."""
        done = count(1)

        def advance() -> None:
            self.progress(next(done), total)

        return advance

    def each(self, steps: Iterable[T], result: Callable[[], Result] | None = None) -> Iterator[T]:
        """Yield *steps*; after the work on each tell the progress, and show the *result* so far."""
        found = list(steps)
        advance = self.counter(len(found))
        for step in found:
            yield step
            advance()
            if result is not None:
                self.shown(result())

    def over_seeds(
        self, setups: Sequence[K], runs: int, measure: Callable[[K, int], T]
    ) -> Iterator[tuple[K, list[T]]]:
        """Yield each setup, and what *measure* gives for it in each run, one after the other."""
        advance = self.counter(len(setups) * runs)
        for setup in setups:
            found = []
            for run in range(runs):
                found.append(measure(setup, run))
                advance()
            yield setup, found

    def over_seeds_at_once(
        self, setups: Iterable[K], runs: int, measure: Callable[[K, int, Event], T]
    ) -> dict[K, list[T]]:
        """Return what *measure* gives for each setup and run, several at a time.

        The event that each gets is set if this call is interrupted.
        """
        found: dict[K, list[T]] = {}
        asked, stop = list(product(setups, range(runs))), Event()
        with ThreadPoolExecutor(self.threads or core_count()) as pool:
            waiting = [pool.submit(measure, setup, run, stop) for setup, run in asked]
            try:
                for (setup, _), future in self.each(zip(asked, waiting, strict=True)):
                    found.setdefault(setup, []).append(future.result())
            except BaseException:
                stop.set()
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return found

    def result(
        self,
        rows: Iterable[Row],
        charts: Iterable[Chart | BoardPicture] = (),
        notes: Iterable[str] = (),
        **told: object,
    ) -> Result:
        """Return the result, with the notes of the paper's file, then *notes*.

        *told*, and the amounts of work at the scale, stand in the texts of the file for {names}.
        A row that is off and has no reason gets the table's `otherwise`.
        """
        said = self.table.told
        words = {name: self._at_scale(name) for name in self.table.sizes} | told
        by_rules = said.get("notes_by_rules", {}).get(self.rules, ())
        unit, otherwise = said.get("unit", "").format(**words), said.get("otherwise", "")
        return Result(
            study=self.study,
            table=self.table.name,
            title=said.get("heading", self.table.title).format(**words),
            scale=self.scale,
            seed=self.seed,
            rules=self.rules,
            unit=unit,
            rows=tuple(
                replace(
                    row,
                    unit=row.unit or unit,
                    reason=row.reason or otherwise * row.is_off,
                )
                for row in rows
            ),
            notes=(
                *(note.format(**words) for note in (*by_rules, *said.get("notes", ()))),
                *notes,
            ),
            charts=tuple(charts),
            opponent=self.opponent,
            games=self.games,
            game=self.game,
        )


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

    def asked(self, table: str, request: Request) -> Reproduction:
        """Return *request* to an experiment; `ValueError` if that lacks what is asked of it."""
        experiment = self.experiment(table)
        asked = {name: getattr(request, name) for name in Request.__slots__}
        asked["rules"] = checked_rules(experiment, request.rules)
        asked["game"] = checked_game(experiment, request.game)
        return Reproduction(study=self.name, table=experiment, **asked)

    def resized(self, scale: Scale, *tables: str, **sizes: object) -> Study:
        """Return the same study with other amounts of work at a scale, of all tables or of some."""

        def changed(experiment: PaperExperiment) -> PaperExperiment:
            if tables and experiment.name not in tables:
                return experiment
            known = dict(experiment.sizes)
            for name in known.keys() & sizes.keys():
                by_scale = dict(zip(SCALES, known[name], strict=True)) | {scale: sizes[name]}
                known[name] = tuple(by_scale.values())
            return replace(experiment, sizes=known)

        return replace(self, experiments=tuple(map(changed, self.experiments)))

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


@cache
def paper(name: str) -> Mapping[str, Any]:
    """Return the file of a paper: its texts, printed figures and claims, and amounts of work.

    Its form is told at the head of `papers/liao.toml`.
    """
    text = (files("evoply.studies") / "papers" / f"{name}.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def study_of(name: str, runs: Mapping[str, Callable[[Reproduction], Result]]) -> Study:
    """Return the study of a paper's file, whose tables are made by *runs*, in their order."""
    said = paper(name)

    def experiment(table: str, run: Callable[[Reproduction], Result]) -> PaperExperiment:
        told = {**said.get("every", {}), **said["tables"][table]}
        return PaperExperiment(
            table,
            told["title"],
            run,
            dict(zip(SCALES, told["seconds"], strict=True)),
            rules=tuple(told.get("rules", ())),
            takes_opponent=told.get("takes_opponent", False),
            keeps=told.get("keeps", False),
            boards=tuple(told.get("boards", ())),
            sizes={**said.get("every", {}).get("sizes", {}), **told.get("sizes", {})},
            told=told,
        )

    return Study(
        name=name,
        title=said["title"],
        authors=said["authors"],
        paper=said["paper"],
        experiments=tuple(experiment(table, run) for table, run in runs.items()),
        usual=said.get("usual", ""),
        contradictions=tuple(said["contradictions"]),
        choices=tuple(said["choices"]),
        groups={group: tuple(tables) for group, tables in said.get("groups", {}).items()},
    )
