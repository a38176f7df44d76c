"""Options that several commands share, each described once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter, Token
from cyclopts.validators import Number

from evoply.arena.game_terms import MOST_THREADS, Terms
from evoply.cli.output import quiet
from evoply.cli.shell_hints import runs_folder
from evoply.environment import SandboxMode
from evoply.games import GAMES
from evoply.wording import shorten

GAME_NAMES = " or ".join(", ".join(GAMES).rsplit(", ", 1))
"""The names of the compiled games, for help."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,100}")


def _whole(_: Any, tokens: Sequence[Token]) -> int:
    """Return the whole number that is written; the parser's own would round 1.5 to 2."""
    text = tokens[0].value
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"{shorten(text)!r} is not a whole number")
    return int(text)


def _whole_or_none(_: Any, tokens: Sequence[Token]) -> int | str:
    return "none" if tokens[0].value == "none" else _whole(_, tokens)


def _seconds_or_none(_: Any, tokens: Sequence[Token]) -> float | str:
    text = tokens[0].value
    try:
        return text if text == "none" else float(text)
    except ValueError:
        raise ValueError(f"{shorten(text)!r} is not a number of seconds, or none") from None


Whole = Annotated[int, Parameter(converter=_whole)]
WholeOrNone = Annotated[
    int | Literal["none"],
    Parameter(converter=_whole_or_none, metavar="INT|none", show_choices=False),
]
SecondsOrNone = Annotated[
    float | Literal["none"],
    Parameter(converter=_seconds_or_none, metavar="FLOAT|none", show_choices=False),
]

WholeOrDefault = Annotated[int | None, Parameter(converter=_whole, show_default=False)]


Threads = Annotated[
    int,
    Parameter(converter=_whole, validator=Number(gte=0, lte=MOST_THREADS), show_default=False),
]


RandomPlies = Annotated[
    int | Literal["usual", "none"],
    Parameter(converter=_whole_or_none, metavar="INT|none", show_choices=False, show_default=False),
]


def _openings(_: Any, tokens: Sequence[Token]) -> int | str:
    """Return a number of plies, or else a text: "none", or a file that `read_terms` reads."""
    text = tokens[0].value
    return int(text) if _WHOLE.fullmatch(text) else text


WrittenOpenings = Annotated[
    int | str, Parameter(converter=_openings, metavar="INT|none|FILE", show_default=False)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTerms(Terms):
    """The conditions of games as options; the help of each is its docstring in `Terms`."""

    game: Annotated[
        str | None,
        Parameter(help=f"{GAME_NAMES}. Default: that of a champion or saved player, else othello."),
    ] = None
    seed: Annotated[int, Parameter(converter=_whole, validator=Number(gte=0, lt=2**63))] = 1
    openings: WrittenOpenings = "usual"  # type: ignore[assignment]
    # A board may begin with an empty square, a hyphen.
    start: Annotated[
        str | None, Parameter(name=("--position", "--moves"), allow_leading_hyphen=True)
    ] = None
    draws: str | None = None
    clock: Annotated[str | None, Parameter(metavar="SECONDS[+INCREMENT]", show_default=False)] = (
        None
    )
    threads: Threads = 0
    cluster: Annotated[None, Parameter(parse=False)] = None


USUAL_TERMS = WrittenTerms()


def only(*names: str) -> Parameter:
    """Return what makes these fields of `conditions`, or of `options`, options of a verb."""
    return Parameter(name="*", parse=re.compile(rf"^(conditions|options|{'|'.join(names)})$"))


@contextmanager
def named_options(*names: str) -> Iterator[None]:
    """Name the option in an error about terms: `clock: ...` becomes `--clock: ...`.

    Only one of *names* is meant, if there are any: other errors may begin with a player's name.
    """
    try:
        yield
    except ValueError as error:
        named = re.match(r"([a-z]+): ", str(error))
        if named is None or (names and named[1] not in names):
            raise
        raise ValueError(f"--{error}") from None


def _check_folder(_: Any, path: Path | None) -> None:
    if path is not None and path.exists() and not path.is_dir():
        raise ValueError(f"{path} is a file - name a folder")


RunsFolder = Annotated[
    Path | None,
    Parameter(
        validator=_check_folder,
        show_default=False,
        help="The folder of runs. Default: $EVOPLY_RUNS, else runs/.",
    ),
]


@contextmanager
def sharing(runs: Path | None, *, is_quiet: bool) -> Iterator[None]:
    """Let the command within look for runs in the folder *runs*, and show no progress if quiet."""
    quiet.set(is_quiet)
    if runs is None:
        yield
        return
    runs_folder.set(str(runs))
    before = os.environ.get("EVOPLY_RUNS")
    # Everything that finds runs by name looks there, also in other processes.
    os.environ["EVOPLY_RUNS"] = str(runs)
    try:
        yield
    finally:
        os.environ.pop("EVOPLY_RUNS")
        if before is not None:
            os.environ["EVOPLY_RUNS"] = before


def _check_writable(_: Any, path: Path | None) -> None:
    from evoply.environment.files import check_writable

    if path is not None:
        check_writable(path)


def prepared_folder(path: Path | None) -> None:
    """Make the folder *path*, if one was given; `OSError` if no file can be written there."""
    from evoply.environment.files import check_writable

    if path is not None:
        path.mkdir(parents=True, exist_ok=True)
        check_writable(path / "values.csv")


Charts = Annotated[
    Path | None,
    Parameter(help="Write each chart of the page as SVG and as PDF into this folder."),
]

# Whether a file can be written is checked before the work for it begins.
OutputFile = Annotated[Path | None, Parameter(validator=_check_writable)]

RunGame = Annotated[str | None, Parameter(help=GAME_NAMES)]
AnyRun = Annotated[str | None, Parameter(help="Name or path of the run. Default: the newest.")]
CodeInRuns = Annotated[
    bool,
    Parameter(
        name="--code-in-runs",
        negative="",
        show_default=False,
        help="Run Python, bots and engines that only a run names, too; look at them before.",
    ),
]
Json = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        show_default=False,
        help="Print the result as one JSON object; all else goes to standard error.",
    ),
]
Quiet = Annotated[bool, Parameter(negative="", show_default=False, help="Show no progress.")]
Connections = Annotated[
    int,
    Parameter(
        validator=Number(gte=1, lte=100_000),
        help="The most connections of one address; open pages and players do not count.",
    ),
]
Delay = Annotated[
    float,
    Parameter(
        validator=Number(gte=0, lte=3600),
        help="Seconds between two moves that are shown in a terminal.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class Programs:
    """Options for players that are programs: bots and engines."""

    move_limit: Annotated[float | None, Parameter(show_default=False)] = None
    """Seconds that a bot (FILE.py) or an engine has for a move; who takes longer loses the game.
    Default: 10, or with --clock no limit but the clock."""
    engines: Annotated[Path | None, Parameter(show_default=False)] = None
    """A TOML file that gives engines names, so that engine:NAME is a player: tables [[engine]] with
    name, protocol and command. See docs/engines.md."""
    sandbox: Annotated[SandboxMode | None, Parameter(show_default=False)] = None
    """Run bots and engines in bubblewrap, without network and with little to read: auto, the
    default, where it is there and allowed; required plays only with it. See docs/players.md."""
    code_in_runs: CodeInRuns = False


USUAL_PROGRAMS = Programs()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Options for work that a cluster may do."""

    cluster: Annotated[
        str | None, Parameter(metavar="local:N|tcp://HOST:PORT", show_default=False)
    ] = None
    """Give the work to a Dask cluster: N processes of this machine, or the workers of a scheduler.
    The result is the same. Needs evoply[cluster]; see docs/clusters.md."""
    check_share: Annotated[
        float | None, Parameter(show_default=False, validator=Number(gte=0, lte=1))
    ] = None
    """With --cluster: the share of the units that a second worker computes too, from 0 to 1; if the
    two differ, the wrong worker is named. Default: that of the config (machine.check_share), else
    0.01."""


NO_CLUSTER = ClusterOptions()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class RunOptions:
    """How a run is made, whatever it learns."""

    name: str | None = None
    """Name of the run folder within runs/ (or $EVOPLY_RUNS). Default: GAME-1, GAME-2, ..."""
    overrides: Annotated[list[str] | None, Parameter("--set", negative="")] = None
    """Any value of the config, as PATH=VALUE; may be given several times."""
    tests: Annotated[bool, Parameter(negative="--no-tests", show_default=False)] = True
    """Play test matches and write the report at the end."""
    threads: Threads = 0
    """How many threads; the result does not depend on it. 0, the default: all cores."""
    code_in_runs: CodeInRuns = False


USUAL_RUN = RunOptions()


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class BudgetOptions:
    """The budget of each run, as in `evoply.experiments.Budget`."""

    games: Annotated[Whole | None, Parameter(name="--budget-games")] = None
    """Games of training for each run, instead of the limits in the configs."""
    work: Annotated[Whole | None, Parameter(name="--budget-work")] = None
    """Work of each run, counted as by the key work_limit (see `evoply config work_limit`)."""
    seconds: Annotated[float | None, Parameter(name="--budget-seconds")] = None
    """Seconds of each run; the same command may then give other results."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class LeagueGames:
    """The games of a league, as in `evoply.experiments.design.AllPlayAll`."""

    games: Whole = 8
    """Games of every two players of a seed, under each condition."""
    move_time: float = 0.01
    """Seconds for a move in the games at equal time."""
    depth: Whole = 4
    """Plies that all look ahead in the other games; 0: there are none."""
    openings: Annotated[str | None, Parameter(metavar="FILE", show_default=False)] = None
    """A file of openings, as for `evoply match`. Default: random plies."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class ExperimentOptions:
    """Where the numbers of an experiment go, and how many runs are made at a time."""

    csv: Path | None = None
    """Write every number of the page into files in this folder."""
    charts: Charts = None
    workers: Threads = 0
    """Runs at a time; 0, the default: one a core. The result never depends on it."""


NO_BUDGET = BudgetOptions()
USUAL_GAMES = LeagueGames()
USUAL_OPTIONS = ExperimentOptions()
TimeLimit = Annotated[
    float | None,
    Parameter(
        validator=Number(gt=0),
        help="Stop after so many seconds, and show what has been found by then.",
    ),
]
PASSWORD_VARIABLE = "EVOPLY_PASSWORD"
Password = Annotated[
    str | None,
    Parameter(
        show_default=False,
        env_var=PASSWORD_VARIABLE,
        help="The password of the server; it is never sent. Other users of this machine may see it "
        "in the list of processes; to prevent this, set the environment variable EVOPLY_PASSWORD.",
    ),
]
LEAST_PASSWORD = 8


def check_password(password: str | None) -> None:
    """Raise `ValueError` if the *password* of a server is too short; none is fine here."""
    if password is not None and len(password.strip()) < LEAST_PASSWORD:
        raise ValueError(f"--password: give at least {LEAST_PASSWORD} characters")
