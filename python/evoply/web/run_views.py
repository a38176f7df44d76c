"""Runs as messages: what a page or a program needs to know to watch one, at work or not."""

import math
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field

from evoply.games import game_rules
from evoply.gp import changes, tree_svg
from evoply.kinds import Run
from evoply.reports.charts import Chart, charts_of
from evoply.reports.open_evaluator import is_drawn, tree_of
from evoply.reports.run_page import own_part, run_charts
from evoply.reports.series import Lines, Series, sampled
from evoply.reports.status import status_in_words
from evoply.runs import (
    RunSummary,
    champion_changes,
    champion_of,
    list_runs,
    named_run,
    played_matches,
    read_request,
    runs_directory,
)
from evoply.runs.folder import Request as RunCommand
from evoply.runs.folder import is_locked
from evoply.runs.user_sources import has_programs
from evoply.web.run_driving import RunDriver
from evoply.web.run_messages import (
    ChampionShown,
    ChartLineShown,
    ChartShown,
    MatchShown,
    RunList,
    RunListed,
    RunState,
    TableShown,
)
from evoply.wording import short_name, shorten

_MOST_POINTS = 400
_MOST_LISTED = 300
_MOST_KEPT = 16
_LONGEST_FORMULA = 20_000
_MOST_ROWS = 100


def shown_runs() -> list[RunSummary]:
    """Return the runs that a page can show, newest first, those of experiments among them.

    A name that is no text cannot be sent, and must not keep the others from being sent.
    """
    return [_with_text(run) for run in reversed(list_runs(with_units=True))]


def _with_text(run: RunSummary) -> RunSummary:
    name = run.name.encode("utf-8", "backslashreplace").decode("utf-8")
    if name == run.name:
        return run
    error = "the name of its folder is not UTF-8 - rename the folder"
    return RunSummary(path=run.path, name=name, created=run.created, error=error)


def _list_entry(run: RunSummary, is_starting: bool) -> RunListed:
    status = "unreadable" if run.error else "starting" if is_starting else run.status
    return RunListed.of(
        run,
        status=status,
        status_in_words=_in_words(status, run.ended_by),
        best_fresh=finite(run.best_fresh),
        trouble=run.error,
    )


def _in_words(status: str, ended_by: str) -> str:
    return {"unreadable": "cannot be read", "starting": "starting"}.get(
        status, status_in_words(status, ended_by)
    )


@dataclass(frozen=True, slots=True)
class _Moment:
    """The facts of a run that are not, or not only, in its files."""

    status: str
    going_on: bool
    """Also in the moment between its last word and the end of its process."""
    request: RunCommand | None
    trouble: str | None


@dataclass(slots=True)
class RunReader:
    """Reads runs, and keeps what it has read until they change.

    One thread reads at a time, so that many pages cost no more than one.
    """

    driver: RunDriver
    _kept: OrderedDict[str, RunState] = field(default_factory=OrderedDict)
    _reading: threading.Lock = field(default_factory=threading.Lock)

    def list(self) -> RunList:
        """Return the runs of the folder, newest first."""
        runs = [_list_entry(run, self.driver.is_starting(run.name)) for run in shown_runs()]
        return RunList(folder=str(runs_directory()), runs=runs[:_MOST_LISTED], most=_MOST_LISTED)

    def read(self, name: str) -> RunState:
        """Return the run called *name* as it is now; `RunError` if it cannot be read."""
        is_starting, trouble = self.driver.is_starting(name), self.driver.trouble(name)
        with self._reading, Run.open(named_run(name)) as run:
            going_on = is_starting or is_locked(run.path)
            now = _Moment(
                "starting" if is_starting else run.status,
                going_on,
                self._request(name, run, is_starting) if going_on else None,
                trouble,
            )
            version = _version(run, now)
            known = self._kept.get(name)
            if known is None or known.version != version:
                known = self._kept[name] = _state(run, name, version, now)
                if len(self._kept) > _MOST_KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(name)
            return known

    def _request(self, name: str, run: Run, is_starting: bool) -> RunCommand | None:
        # What lies in the folder of a run that is starting is of another day.
        left = None if is_starting else read_request(run.path)
        return self.driver.wanted(name) or left


def _version(run: Run, now: _Moment) -> str:
    """Return a text that differs whenever anything that is shown differs."""
    (counted,) = run.table(
        "SELECT (SELECT count(*) FROM matches) AS m, (SELECT count(*) FROM events) AS e"
    )
    parts = (run.created, run.count(), counted["m"], counted["e"], *astuple(now))
    return "/".join(map(str, parts))


def _state(run: Run, name: str, version: str, now: _Moment) -> RunState:
    rows = run.rows()
    state = RunState.of(
        run,
        name=name,
        version=version,
        status=now.status,
        status_in_words=_in_words(now.status, run.ended_by),
        is_going_on=now.going_on,
        request=now.request,
        can_go_on=not now.going_on
        and not has_programs(run)
        and now.status not in ("starting", "finished", "limit"),
        game_title=game_rules(run.game).title,
        learner=run.kind.name,
        generations=len(rows),
        facts=[],
        charts=[],
        tables=[],
        matches=[
            MatchShown.model_validate({**match, "opponent": short_name(str(match["second"]))})
            for match in played_matches(run).champion
        ],
        champions=sampled(champion_changes(run), _MOST_POINTS),
        trouble=now.trouble,
        config=(run.path / "config.toml").read_text(encoding="utf-8"),
    )
    if not rows:
        return state
    state.charts = _charts(run_charts(run))
    if run.kind.own is not None:  # its steps are known to its learner alone
        return state
    last = run.last()
    live = run.kind.display.live(run.config, last)
    state.facts = [*live.facts]
    state.goal = None if live.last_number is None else live.last_number + 1
    state.seconds_left = finite(live.seconds_left)
    _, sections = own_part(run, rows)
    # Beside the first, which is fitness: those of sections tell of the newest step.
    state.charts[1:1] = _charts(chart for section in sections for chart in charts_of(section))
    state.tables = [
        TableShown.of(
            section,
            columns=[*section.head],
            rows=[[shorten(cell, 300) for cell in row] for row in section.cells()[:_MOST_ROWS]],
            picture="".join(picture.svg for picture in section.pictures),
        )
        for section in sections
    ]
    return state


def chart_shown(title: str, note: str, lines: Lines) -> ChartShown:
    """Return a chart of *lines*; intervals around values are its bands."""
    points = sampled(range(len(lines.x)), _MOST_POINTS)

    def edge(series: Series, end: int) -> list[float | None] | None:
        at = [series.intervals[point] for point in points] if series.intervals else None
        return at and [None if interval is None else interval[end] for interval in at]

    return ChartShown.of(
        lines,
        title=title,
        note=note,
        x=[lines.x[point] for point in points],
        lines=[
            ChartLineShown.of(
                line,
                values=[finite(line.values[point]) for point in points],
                low=edge(line, 0),
                high=edge(line, 1),
                color=index if line.color is None else line.color,
            )
            for index, line in enumerate(lines.series)
        ],
    )


def _charts(charts: Iterable[Chart]) -> list[ChartShown]:
    return [
        chart_shown(chart.title, chart.note, chart.lines)
        for chart in charts
        if chart.lines is not None
    ]


def finite(value: float | None) -> float | None:
    """Return *value* rounded for drawing; JSON has only finite numbers."""
    return None if value is None or not math.isfinite(value) else round(float(value), 6)


def champion_shown(name: str, generation: int | None) -> ChampionShown:
    """Return the champion of a run after *generation*, or as it is now; `RunError` without one.

    Now it may be the winner of the final test, which was not the first before.
    """
    with Run.open(named_run(name)) as run:
        number = run.count() - 1 if generation is None else generation
        player = champion_of(run, number)
        text = f"champion@{name}@{number}"
        earlier: Sequence[int] = [change for change in champion_changes(run) if change <= number]
        if generation is None:
            text, first = f"champion@{name}", player
            player = run.champion_player
            if player != first:
                earlier = [*earlier, number + 1]
        before = earlier[-1] - 1 if len(earlier) > 1 else None
        tree = tree_of(player)
        champion = ChampionShown(
            generation=number,
            title=f"champion after {run.step_word} {number:,}"
            if generation is not None
            else "champion now",
            player=text,
            formula=shorten(str(player.label if tree is None else tree), _LONGEST_FORMULA),
            before=before,
        )
        if tree is None:
            return champion
        champion.nodes = len(tree)
        old = None if before is None else tree_of(champion_of(run, before))
        change = None if old is None else changes(old, tree)
        if change is not None:
            champion.new_nodes = change.count
            champion.gone = [shorten(subtree, 300) for subtree in change.gone[:20]]
        if is_drawn(tree):
            champion.tree = tree_svg(tree, () if change is None else change.new)
        return champion
