"""Runs as messages: what a page needs to watch one, and to compare several."""

import math
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import astuple, dataclass, field, replace

from evoply.environment.files import read_kept
from evoply.games import game_rules
from evoply.games.drawing import FLEXIBLE
from evoply.gp import changes, tree_svg
from evoply.kinds import Run
from evoply.protocols import RunNameError
from evoply.reports.charts import Chart, Lines, Series, charts_of, sampled
from evoply.reports.open_evaluator import is_drawn, tree_of
from evoply.reports.run_page import board_map, own_part, run_charts, strength_sentence
from evoply.reports.two_runs import (
    ONE_SEED_EACH,
    compared_scores,
    config_values,
    differing_keys,
    facts_of,
)
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
from evoply.runs.folder import CONFIG, is_locked
from evoply.runs.folder import Request as RunCommand
from evoply.runs.kept_learners import has_programs
from evoply.web.run_driving import RunDriver
from evoply.web.run_messages import (
    ChampionShown,
    ChartLineShown,
    ChartShown,
    ComparedSide,
    DifferenceShown,
    KeyShown,
    MatchShown,
    RunComparison,
    RunList,
    RunListed,
    RunState,
    ScoreDifference,
    SideList,
    SideListed,
    TableShown,
)
from evoply.wording import short_name, shorten, status_in_words

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
        shown = shown_runs()[:_MOST_LISTED]
        runs = [_list_entry(run, self.driver.is_starting(run.name)) for run in shown]
        return RunList(folder=str(runs_directory()), runs=runs, most=_MOST_LISTED)

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
        text, measured = f"champion@{name}@{number}", None
        earlier: Sequence[int] = [change for change in champion_changes(run) if change <= number]
        if generation is None:
            text, first = f"champion@{name}", player
            player = run.champion_player
            if player != first:
                earlier = [*earlier, number + 1]
            measured = run.strength
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
            strength="" if measured is None else strength_sentence(measured),
        )
        if found := board_map(player, run.game):
            champion.board = found.svg.replace(FLEXIBLE, "")  # the page allows no style but its own
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


# Two runs side by side, or groups of runs that differ in their seeds only.
#
# A group is shown as the mean of its runs, with a band from the lowest to the highest of them.

_GROUP = "seeds:"
"""Before the name of a run: all runs that differ from it in their seed only."""
_SEED = "seed"
_MOST_SIDES = 300
_MOST_SEEDS = 100
_FRESH = "best_fresh"
_BAND = "mean of {} runs, each with its own seed; band: from the lowest to the highest of them"


def sides() -> SideList:
    """Return what can be compared: groups over seeds and single runs, newest first."""
    runs = [run for run in shown_runs() if run.error is None]
    groups = [
        SideListed(
            name=_GROUP + group[0].name, title=_title([run.name for run in group]), runs=len(group)
        )
        for group in _groups(runs)
    ]
    singles = [SideListed(name=run.name, title=run.name, runs=1) for run in runs]
    return SideList(groups=groups[:_MOST_SIDES], runs=singles[:_MOST_SIDES])


def compared(reader: RunReader, first: str, second: str) -> RunComparison:
    """Return two sides as they are now, and the keys in which their configs differ.

    Raises `RunNameError` for a side that does not exist, `RunError` for runs that cannot be read.
    """
    both = [_members(first), _members(second)]
    configs = [_config_of(names) for names in both]
    differing = differing_keys(*configs)
    sides = [_side(reader, name, names) for name, names in zip((first, second), both, strict=True)]
    scores = [
        {match.opponent: (match.score, match.interval) for match in one.matches} for one in sides
    ]
    return RunComparison(
        sides=sides,
        differ=[
            DifferenceShown(path=key, first=configs[0].get(key), second=configs[1].get(key))
            for key in differing
        ],
        same=[
            KeyShown(path=key, value=value)
            for key, value in configs[0].items()
            if key not in differing
        ],
        scores=[
            ScoreDifference(opponent=one.opponent, difference=one.difference, interval=one.interval)
            for one in compared_scores(*scores)
        ],
        note=ONE_SEED_EACH if any(len(names) == 1 for names in both) else "",
    )


def _groups(runs: Sequence[RunSummary]) -> list[list[RunSummary]]:
    """Return the groups of at least two of *runs* with a step, the oldest run of each first."""
    alike: dict[str, dict[int, RunSummary]] = {}
    for run in runs:
        if not run.generations:
            continue
        try:
            config, seed = _apart(read_kept(run.path / CONFIG).decode("utf-8"))
        except (OSError, ValueError, RecursionError):
            continue
        seeds = alike.setdefault(config, {})
        # The same run twice would count twice: the longer one tells more.
        if seed not in seeds or seeds[seed].generations < run.generations:
            seeds[seed] = run
    return [
        sorted(seeds.values(), key=lambda run: run.created)[:_MOST_SEEDS]
        for seeds in alike.values()
        if len(seeds) > 1
    ]


def _apart(text: str) -> tuple[str, int]:
    """Return the text of a config without its seed, and the seed; ValueError if it has none."""
    head, table, rest = text.partition("\n[")
    lines = head.splitlines()
    written = [line for line in lines if line.partition(" = ")[0] == _SEED]
    if len(written) != 1:
        raise ValueError("no seed")
    kept = "\n".join(line for line in lines if line != written[0])
    return f"{kept}{table}{rest}", int(written[0].partition(" = ")[2])


def _title(names: Sequence[str]) -> str:
    return f"{len(names)} seeds of {names[0]}"


def _members(name: str) -> list[str]:
    """Return the names of the runs of a side."""
    if not name.startswith(_GROUP):
        named_run(name)
        return [name]
    wanted = name.removeprefix(_GROUP)
    runs = [run for run in reversed(shown_runs()) if run.error is None]
    for group in _groups(runs):
        names = [run.name for run in group]
        if wanted in names:
            return names
    raise RunNameError(
        f"no run called {shorten(wanted)!r} has sisters with other seeds - see /api/sides"
    )


def _config_of(names: Sequence[str]) -> dict[str, str]:
    """Return the values of the config of runs by path, as text; all seeds of a group."""
    found = [config_values(named_run(name)) for name in names]
    seeds = ", ".join(config[_SEED] for config in found if _SEED in config)
    return {**found[0], **({_SEED: seeds} if seeds else {})}


def _side(reader: RunReader, name: str, names: Sequence[str]) -> ComparedSide:
    states = [reader.read(run) for run in names]
    first, is_group = states[0], len(states) > 1
    if is_group:
        counted = Counter(state.status_in_words for state in states)
        status = ", ".join(f"{count} {words}" for words, count in counted.items())
        facts = [("status", status), ("runs", ", ".join(names))]
    else:
        with Run.open(named_run(first.name)) as run:
            facts = [*facts_of(run).items(), *first.facts]
    return ComparedSide(
        name=name,
        title=_title(names) if is_group else first.name,
        runs=[*names],
        facts=[("game", first.game_title), *facts],
        fresh=_fresh(names),
        charts=_mean_charts(names) if is_group else first.charts,
        matches=_pooled(states) if is_group else first.matches,
    )


def _fresh(names: Sequence[str]) -> ChartShown | None:
    """Return the best of each generation on fresh games; None if the learner plays none."""
    curves = []
    for name in names:
        with Run.open(named_run(name)) as run:
            rows = [row for row in run.rows() if row.get(_FRESH) is not None]
            series = Series("best, fresh games", [row[_FRESH] for row in rows])
            y_title = f"points per game, {game_rules(run.game).title}"
            steps = [row["number"] for row in rows]
            curves.append(Lines(steps, [series], run.step_word, y_title, is_share=True))
    if not all(curve.x for curve in curves):
        return None
    note = "points per game on openings that nobody was selected on"
    if len(names) > 1:
        note = f"{note}; {_BAND.format(len(names))}"
    return chart_shown("Best on fresh games", note, _mean(curves))


def _mean_charts(names: Sequence[str]) -> list[ChartShown]:
    """Return the charts that all runs have, as means over those of their steps that all have."""
    of_runs: list[dict[str, Lines]] = []
    for name in names:
        with Run.open(named_run(name)) as run:
            charts = run_charts(run)
        of_runs.append({chart.title: chart.lines for chart in charts if chart.lines is not None})
    means = {
        title: _mean([charts[title] for charts in of_runs])
        for title in of_runs[0]
        if all(title in charts for charts in of_runs)
    }
    note = _BAND.format(len(names))
    return [
        chart_shown(title, note, mean) for title, mean in means.items() if mean.x and mean.series
    ]


def _mean(of_runs: Sequence[Lines]) -> Lines:
    """Return the means of the lines that all runs have, over the steps that all have.

    Bands are from the lowest to the highest of several runs.
    """
    places = [{step: place for place, step in enumerate(lines.x)} for lines in of_runs]
    x = [step for step in of_runs[0].x if all(step in known for known in places)]
    by_name = [{line.name: line.values for line in lines.series} for lines in of_runs]
    series = []
    for name in by_name[0]:
        if not all(name in values for values in by_name):
            continue
        alike = list(zip((values[name] for values in by_name), places, strict=True))
        at = [_known(finite(values[known[step]]) for values, known in alike) for step in x]
        means = [sum(known) / len(known) if known else None for known in at]
        bands = [(min(known), max(known)) if known else None for known in at]
        series.append(Series(name, means, bands if len(of_runs) > 1 else ()))
    return replace(of_runs[0], x=x, series=series)


def _known(values: Iterable[float | None]) -> list[float]:
    """Return *values* if all are known, else none."""
    found = [*values]
    known = [value for value in found if value is not None]
    return known if len(known) == len(found) else []


def _pooled(states: Sequence[RunState]) -> list[MatchShown]:
    """Return the test matches that all runs have played, with their games together."""
    pooled = []
    for opponent in dict.fromkeys(match.opponent for match in states[0].matches):
        found = [
            next((match for match in state.matches if match.opponent == opponent), None)
            for state in states
        ]
        matches = [match for match in found if match is not None]
        if len(matches) < len(states):
            continue
        pooled.append(
            MatchShown(
                opponent=opponent,
                wins=sum(match.wins for match in matches),
                draws=sum(match.draws for match in matches),
                losses=sum(match.losses for match in matches),
                score=sum(match.score for match in matches) / len(matches),
                interval=None,
            )
        )
    return pooled
