"""Begins a run and takes it to its end, for people who watch: its live display, and its summary."""

import shlex
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from importlib.util import find_spec
from itertools import pairwise, zip_longest
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, Self

from rich.console import Console, Group
from rich.live import Live
from rich.panel import Panel
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

from evoply.arena import match
from evoply.cli.explaining import say_explanation, say_pruned, strength_of
from evoply.cli.long_work import on_cluster, progress_bar
from evoply.cli.match import match_table
from evoply.cli.output import Output, StoppedError, quiet, say_listing
from evoply.cli.runs import REPORT_FILE
from evoply.cli.shared_options import ClusterOptions
from evoply.cli.shell_hints import suggested
from evoply.kinds import KINDS, Run
from evoply.players import Player, parse_player, with_options
from evoply.protocols import CHECK_SHARE, Cluster, Progress, RunNameError
from evoply.protocols.provenance import command_of
from evoply.reports.explanation import explain_champion
from evoply.runs import (
    ChampionFacts,
    Kind,
    LiveFacts,
    advance,
    checked_name,
    match_of,
    new_run_path,
    played_matches,
    runs_directory,
)
from evoply.runs.kept_learners import resuming
from evoply.runs.kind import curves
from evoply.runs.run import kind_of

# What a run shows while it goes on: a live panel in a terminal, plain lines elsewhere.
#
# Views only look: nothing they do changes a run.

_WIDTH = 80
"""Columns of the panel where the terminal has them."""
_FRAME = 4
_LABEL = 21
_CURVE_LENGTH = 48
_FIRST_LINES = 10
_SECONDS_BETWEEN_LINES = 1.0
_COLORS = ("green", "cyan", "yellow")


class View(Protocol):
    """Shows generations as they come and the progress within one."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: object) -> None: ...

    def progress(self, progress: Progress, /) -> None:
        """Note how far the current generation has come."""

    def show(self, step: Any, /) -> None:
        """Show a finished generation."""


def view_on(
    console: Console,
    kind: Kind,
    config: Any,
    name: str,
    earlier: Sequence[Mapping[str, Any]] = (),
) -> View:
    """Return the view that suits *console*, for the run called *name* of a learner of *kind*.

    *earlier* are the rows of the generations that are stored already.
    """
    if quiet.get():
        return PlainView(Console(quiet=True), kind, config)
    if not console.is_terminal:
        return PlainView(console, kind, config)
    return LiveView(console, kind, config, name, earlier)


class PlainView:
    """A line for each of the first generations, then at most one a second, then the last."""

    def __init__(self, console: Console, kind: Kind, config: Any) -> None:
        self._console = console
        self._kind = kind
        self._config = config
        self._printed = 0
        self._time = float("-inf")
        self._held: Any = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._held is not None:
            self._print(self._held)

    def progress(self, progress: Progress, /) -> None:
        """Show nothing: lines are for finished generations."""

    def show(self, step: Any, /) -> None:
        """Print a line, or hold the generation back until the next one or the end."""
        is_early = self._printed < _FIRST_LINES
        if is_early or monotonic() - self._time >= _SECONDS_BETWEEN_LINES:
            self._print(step)
        else:
            self._held = step

    def _print(self, step: Any) -> None:
        self._held = None
        self._printed += 1
        self._time = monotonic()
        self._console.print(self._kind.display.live(self._config, step).line, soft_wrap=True)


class LiveView:
    """A panel that is drawn again and again in its place."""

    def __init__(
        self,
        console: Console,
        kind: Kind,
        config: Any,
        name: str,
        earlier: Sequence[Mapping[str, Any]] = (),
    ) -> None:
        self._console = console
        self._kind = kind
        self._config = config
        self._name = name
        self._number: int | None = None
        self._facts: LiveFacts | None = None
        self._progress: Progress | None = None
        self._curves: dict[str, list[float]] = {}
        for row in earlier:
            self._add(curves(kind.display.columns(config, row), row))
        self._shown_at = monotonic()
        self._is_over = False
        is_unicode = console.encoding.lower().startswith("utf")
        self._levels = "▁▂▃▄▅▆▇█" if is_unicode else ".:-=+*#@"
        self._live = Live(
            get_renderable=self._panel,
            console=console,
            refresh_per_second=8,
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def __enter__(self) -> Self:
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over = True
        self._live.stop()

    def progress(self, progress: Progress, /) -> None:
        """Note the progress; the panel draws itself again."""
        self._progress = progress

    def show(self, step: Any, /) -> None:
        """Show the numbers of *step* from now on."""
        self._number = step.number
        self._facts = self._kind.display.live(self._config, step)
        self._progress = None
        self._add(self._facts.points)
        self._shown_at = monotonic()

    def _add(self, points: Mapping[str, float]) -> None:
        for label, value in points.items():
            self._curves.setdefault(label, []).append(value)

    def _panel(self) -> Panel:
        width = min(_WIDTH, self._console.width)
        inner = width - _FRAME
        parts = [] if self._facts is None else self._parts(self._facts, inner)
        if not self._is_over:
            parts.append(self._bar(inner))
        title = Text.assemble((self._name, "bold"), f" · {self._config.game}")
        return Panel(Group(*parts), title=title, title_align="left", padding=(0, 1), width=width)

    def _parts(self, shown: LiveFacts, width: int) -> list[Table | Text]:
        champion = Text.assemble(
            (f"{'champion':<{_LABEL + 2}}", "dim"), shown.champion.replace("\n", " ")
        )
        champion.no_wrap, champion.overflow = True, "ellipsis"
        return [self._numbers(shown, width), *self._curve_lines(shown, width), champion]

    def _numbers(self, shown: LiveFacts, width: int) -> Table:
        """Return what is known of the generation, in two columns where there is room."""
        of = "" if shown.last_number is None else f" of {shown.last_number:,}"
        middle = (len(shown.facts) + 1) // 2
        left = (("generation", f"{self._number:,}{of}"), *shown.facts[:middle])
        right = (("time left", self._time_left()), *shown.facts[middle:])
        grid = Table.grid(padding=(0, 2))
        is_wide = width >= _WIDTH - _FRAME
        for label, value in ((_LABEL, 16), (16, None)) if is_wide else ((_LABEL, 16),):
            grid.add_column(style="dim", width=label, no_wrap=True, overflow="ellipsis")
            grid.add_column(style="bold", width=value, no_wrap=True, overflow="ellipsis")
        if is_wide:
            for fact, other in zip_longest(left, right, fillvalue=("", "")):
                grid.add_row(*fact, *other)
        else:
            for fact in (*left, *right):
                grid.add_row(*fact)
        return grid

    def _curve_lines(self, shown: LiveFacts, width: int) -> list[Table | Text]:
        length = max(1, min(_CURVE_LENGTH, width - _LABEL - 2))
        grid = Table.grid(padding=(0, 2))
        grid.add_column(style="dim", width=_LABEL, no_wrap=True, overflow="ellipsis")
        grid.add_column(no_wrap=True)
        for (label, values), color in zip(self._curves.items(), _COLORS, strict=False):
            newest = shown.newest.get(label, "")
            room = max(1, length - 8) if newest else length
            text = Text.assemble((curve(values, self._levels, room), color))
            if newest:
                text.append(f" {newest}", style="bold")
            grid.add_row(label, text)
        if not shown.note:
            return [grid]
        note = Table.grid(padding=(0, 2))  # a sentence that explains is never cut
        note.add_column(width=_LABEL if width >= _WIDTH - _FRAME else 0)
        note.add_column(style="dim")
        note.add_row("", shown.note)
        return [grid, note]

    def _bar(self, width: int) -> Table:
        progress = self._progress
        stage = self._kind.display.stage(progress, 0 if self._number is None else self._number + 1)
        text = min(38, max(1, width - 6 - 4 - 10))
        row = Table.grid(padding=(0, 2))
        row.add_column(width=text, no_wrap=True, overflow="ellipsis")
        row.add_column(width=max(1, min(28, width - text - 6 - 4)))
        row.add_column(justify="right", width=6, no_wrap=True)
        done = progress.done / max(progress.games, 1) if progress else 0.0
        row.add_row(stage, ProgressBar(100, 100 * done), f"{100 * done:.0f} %")
        return row

    def _time_left(self) -> str:
        if self._facts is None or self._facts.seconds_left is None:
            return "no limit"
        return duration(max(0.0, self._facts.seconds_left - (monotonic() - self._shown_at)))


def curve(values: list[float], levels: str, length: int = _CURVE_LENGTH) -> str:
    """Return *values* as a line of small bars, lowest to highest, at most *length* of them.

    Neighbours are averaged.

    >>> curve([0.1, 0.2, 0.3], "abc")
    'abc'
    """
    if not values:
        return ""
    count = min(len(values), length)
    edges = [len(values) * index // count for index in range(count + 1)]
    means = [sum(values[start:end]) / (end - start) for start, end in pairwise(edges)]
    low, high = min(means), max(means)
    steps = len(levels) - 1
    return "".join(
        levels[round(steps * (value - low) / (high - low)) if high > low else steps // 2]
        for value in means
    )


def duration(seconds: float) -> str:
    """Return a time in minutes and seconds, with hours if there are any.

    >>> duration(83.2), duration(3723)
    ('1:23', '1:02:03')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


# The summary of a run that has ended: champion, matches, report, and how to play it.

TEST_GAMES = 1000
_TIMED = (
    "Its time limit ended this run: on another machine, or next time, the same seed may end it "
    "after more or fewer {0}s. Ended by another limit, it is the same everywhere."
)
TEST_OPPONENTS = ("random", "greedy", "swh")
"""Whom a champion meets at the end; swh only where it fits the board."""


def close_run(run: Run, output: Output, *, threads: int, with_tests: bool) -> dict[str, Any]:
    """Show the champion, test it, write the report; return all of it as JSON-ready data."""
    facts = run.kind.display.champion_facts(run.champion, run.last())
    player = with_options(run.champion_player, {}, name=f"champion@{run.name}")
    digests = run.digests()
    output.say()
    if run.ended_by == "time_limit":
        output.say(_TIMED.format(run.step_word))
    strength, measured = strength_of(run)
    output.say(f"Champion of {run.name}: {facts.title}{strength}", style="bold")
    explained = explain_champion(run, keep=True, threads=threads)
    say_explanation(output, explained)
    pruned = say_pruned(output, run)
    listings = run.kind.display.listings(run.config, run.last())
    for listing in listings:
        say_listing(listing, output)
    matches: list[Mapping[str, Any]] = []
    if with_tests:
        matches = [*played_matches(run).champion] or _matches(run, player, facts, threads)
        output.say()
        output.say(
            f"Matches of {TEST_GAMES:,} games: {TEST_GAMES // 2} openings of "
            f"{matches[0]['openings']} random plies, each played twice with colours swapped"
        )
        output.people.print(match_table(matches, output.people.width))
    report = _write_report(run, output) if with_tests else None
    play = suggested(f"play --against {shlex.quote(f'champion@{run.name}')}")
    output.labelled("Run folder", str(run.path))
    output.labelled("Play it", play)
    if find_spec("fastapi") is not None:  # which comes with evoply[web]
        output.labelled("Browser", suggested("web"))
    return {
        "run": str(run.path),
        "name": run.name,
        "status": run.status,
        "ended_by": run.ended_by or None,
        "generations": len(digests),
        "digest": digests[-1],
        "champion": {**facts.data, **explained.to_dict()},
        **measured,
        **pruned,
        **{listing.name: listing.data() for listing in listings},
        "matches": matches,
        "report": report,
        "play": play,
    }


def _matches(
    run: Run, player: Player, facts: ChampionFacts, threads: int
) -> list[Mapping[str, Any]]:
    game = run.config.game
    opponents = [name for name in TEST_OPPONENTS if _fits(name, game)]
    results: list[Mapping[str, Any]] = []
    with progress_bar("test matches", TEST_GAMES * len(opponents)) as progress:
        for number, opponent in enumerate(opponents):

            def report_done(done: int, before: int = number * TEST_GAMES) -> None:
                progress(before + done)

            result = match(
                player,
                opponent,
                game=game,
                games=TEST_GAMES,
                draws=run.games.draws,
                # Matches have keys of their own purpose: never the openings of training.
                seed=run.config.seed,
                threads=threads,
                progress=report_done,
            )
            results.append(match_of(run.champion_player, result.to_dict(), facts.identity))
    for data in results:
        run.save_match(data)
    return results


def _fits(opponent: str, game: str) -> bool:
    try:
        parse_player(opponent, game=game)
    except ValueError:
        return False
    return True


def _write_report(run: Run, output: Output) -> str:
    from evoply.reports import write_report

    path = write_report(run, run.path / REPORT_FILE)
    output.labelled("Report", str(path))
    return str(path)


def drive(
    run: Run,
    output: Output,
    *,
    config: Any = None,
    threads: int,
    with_tests: bool,
    command: str | None = None,
    allow_other_version: bool = False,
    cluster: Cluster | None = None,
) -> dict[str, Any]:
    """Make the generations that are still to come and the summary; return the latter as data.

    Raises `StoppedError` with what is safe and how to go on when the user presses Ctrl-C.
    """
    try:
        earlier = run.rows()
        settings = config or run.config
        with view_on(output.people, run.kind, settings, run.name, earlier) as view:
            generations = advance(
                run,
                config=config,
                threads=threads,
                progress=view.progress,
                command=typed_command() if command is None else command,
                allow_other_version=allow_other_version,
                cluster=cluster,
            )
            with closing(generations):
                for generation in generations:
                    view.show(generation)
        if run.status == "stopped":  # by a request left in the folder
            raise KeyboardInterrupt
        result = close_run(run, output, threads=threads, with_tests=with_tests)
    except KeyboardInterrupt:
        raise StoppedError(_how_to_go_on(run), _status_data(run)) from None
    return result


@contextmanager
def for_runs(
    chosen: ClusterOptions, config: Any, output: Output, kind: Kind | None = None
) -> Iterator[Cluster | None]:
    """Yield the cluster of --cluster; before it is opened, refuse a config that cannot be sent.

    *kind* is that of the config, by default one of evoply's own.
    """
    share = CHECK_SHARE
    if chosen.cluster is not None:
        (kind or kind_of(KINDS, config)).learners.check_sendable(config)
        share = config.machine.check_share
    with on_cluster(chosen, output, share) as dispatcher:
        yield dispatcher


def _status_data(run: Run) -> dict[str, Any]:
    digests = run.digests()
    return {
        "run": str(run.path),
        "status": "stopped",
        "generations": len(digests),
        "digest": digests[-1] if digests else None,
    }


def _how_to_go_on(run: Run) -> str:
    count = run.count()
    kept = f"Stopped; the run has {run.steps_in_words()}, all in {run.path}."
    if not count:
        kept = f"Stopped before the first {run.step_word} was whole; {run.path} holds the config."
    return f"{kept}\nGo on with: {suggested(resuming(run))}"


def typed_command() -> str:
    """Return the command as it was typed."""
    return command_of(sys.argv[1:])


def with_overrides(set_: Iterable[str] | None, **chosen: object) -> list[str]:
    """Return the overrides of a config: those of --set, then the values of *chosen* but None."""
    return [*(set_ or ()), *(f"{key}={to}" for key, to in chosen.items() if to is not None)]


def new_run(name: str | None, config: Any, output: Output, kind: Kind | None = None) -> Run:
    """Return a new run of *config*, called *name* or after its game, and say where it is.

    *kind* is that of the config, by default one of evoply's own. Raises ValueError before anything
    is made if the user's Python that the config names cannot be imported, or does not fit.
    """
    kind = kind or kind_of(KINDS, config)
    kind.learners.check(kind.learners.made(), config)
    if name is not None:
        run = _created(runs_directory() / checked_name(name), config, kind)
    else:
        run = _run_after_its_game(config, kind)
    again = suggested(resuming(run))
    output.say(f"Run folder: {run.path}  (Ctrl-C stops; {again} goes on)")
    return run


def _created(path: Path, config: Any, kind: Kind) -> Run:
    return Run.create(path, config, learner=kind.own or None, command=typed_command())


def _run_after_its_game(config: Any, kind: Kind) -> Run:
    while True:
        path = new_run_path(config.game)
        try:
            return _created(path, config, kind)
        except RunNameError:  # another process took the name meanwhile: look for the next
            continue
