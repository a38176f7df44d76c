"""Options that several commands share, each described once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter, Token
from cyclopts.validators import Number

from evoply.games import GAMES
from evoply.processes import SandboxMode
from evoply.wording import shorten

if TYPE_CHECKING:
    from evoply.games.draws import DrawRules
    from evoply.protocols import TimeControl

GAME_NAMES = " or ".join(", ".join(GAMES).rsplit(", ", 1))
"""The names of the compiled games, for help."""

MOST_THREADS = 1024

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

Openings = Annotated[
    int | Literal["none"] | None,
    Parameter(
        converter=_whole_or_none,
        metavar="INT|none",
        show_choices=False,
        show_default=False,
        help="Random legal plies before the players begin, by default 8 in Othello and 4 in "
        "checkers; none plays from the start.",
    ),
]


def chosen_openings(openings: int | Literal["none"] | None) -> int | Literal["usual"] | None:
    """Return what `evoply.arena` calls the openings; `ValueError` if they are too long."""
    if openings is None:
        return "usual"
    if openings == "none":
        return None
    if not 0 <= openings <= 1000:
        raise ValueError(f"--openings: {openings} is not a number from 0 to 1000, or none")
    return openings


Draws = Annotated[
    str | None,
    Parameter(
        help="In checkers: when a game is drawn, such as repetitions=never,quiet_plies=40. "
        "Usually quiet_plies=80,repetitions=3,max_plies=300.",
    ),
]


def chosen_draws(draws: str | None, game: str) -> DrawRules | None:
    """Return the rules about draws of a match, None for the usual ones of the game."""
    from evoply.games import game_rules
    from evoply.games.draws import DrawRules

    if draws is None:
        return None
    rules = game_rules(game)
    if not rules.has_draw_rules:
        raise ValueError(f"--draws: {game} has no draws but those of the board")
    try:
        return DrawRules.parse(draws, rules.draws)
    except ValueError as error:
        raise ValueError(f"--draws: {error}") from None


Clock = Annotated[
    str | None,
    Parameter(
        metavar="SECONDS[+INCREMENT]",
        show_default=False,
        help="Seconds that each side has for all its moves of a game, and seconds that each move "
        "adds: 150 or 60+1. Who takes longer loses the game. Results are then not reproducible.",
    ),
]


def chosen_clock(clock: str | None) -> TimeControl | None:
    """Return the time of a game, None without a clock; `ValueError` for a wrong text."""
    from evoply.protocols import TimeControl

    try:
        return None if clock is None else TimeControl.from_text(clock)
    except ValueError as error:
        raise ValueError(f"--{error}") from None


WholeOrDefault = Annotated[int | None, Parameter(converter=_whole, show_default=False)]


def _check_writable(_: Any, path: Path | None) -> None:
    from evoply.files import check_writable

    if path is not None:
        check_writable(path)


def prepared_folder(path: Path | None) -> None:
    """Make the folder *path*, if one was given; `OSError` if no file can be written there."""
    from evoply.files import check_writable

    if path is not None:
        path.mkdir(parents=True, exist_ok=True)
        check_writable(path / "values.csv")


Charts = Annotated[
    Path | None,
    Parameter(help="Write each chart of the page as SVG and as PDF into this folder."),
]

# Whether a file can be written is checked before the work for it begins.
OutputFile = Annotated[Path | None, Parameter(validator=_check_writable)]

Overrides = Annotated[
    list[str] | None,
    Parameter(
        "--set",
        negative="",
        help="Any value of the config, as PATH=VALUE; may be given several times.",
    ),
]
RunGame = Annotated[str | None, Parameter(help=GAME_NAMES)]
RunName = Annotated[
    str | None,
    Parameter(
        help="Name of the run folder within runs/ (or $EVOPLY_RUNS). Default: GAME-1, GAME-2, ..."
    ),
]
AnyRun = Annotated[str | None, Parameter(help="Name or path of the run. Default: the newest.")]
Tests = Annotated[
    bool,
    Parameter(
        negative="--no-tests",
        show_default=False,
        help="Play test matches and write the report at the end.",
    ),
]
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
Game = Annotated[
    str | None,
    Parameter(help=f"{GAME_NAMES}. Default: that of a champion or saved player, else othello."),
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

    move_limit: Annotated[
        float | None,
        Parameter(
            show_default=False,
            help="Seconds that a bot (FILE.py) or an engine has for a move; who takes longer loses "
            "the game. Default: 10, or with --clock no limit but the clock.",
        ),
    ] = None
    engines: Annotated[
        Path | None,
        Parameter(
            show_default=False,
            help="A TOML file that gives engines names, so that engine:NAME is a player: tables "
            "[[engine]] with name, protocol and command. See docs/engines.md.",
        ),
    ] = None
    sandbox: Annotated[
        SandboxMode | None,
        Parameter(
            show_default=False,
            help="Run bots and engines in bubblewrap, without network and with little to read: "
            "auto, the default, where it is there and allowed; required plays only with it. "
            "See docs/players.md.",
        ),
    ] = None
    code_in_runs: CodeInRuns = False


USUAL_PROGRAMS = Programs()
Threads = Annotated[
    int,
    Parameter(
        converter=_whole,
        validator=Number(gte=0, lte=MOST_THREADS),
        show_default=False,
        help="How many threads; the result does not depend on it. 0, the default: all cores.",
    ),
]


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class ClusterOptions:
    """Options for work that a cluster may do."""

    cluster: Annotated[
        str | None,
        Parameter(
            metavar="local:N|tcp://HOST:PORT",
            show_default=False,
            help="Give the work to a Dask cluster: N processes of this machine, or the workers of "
            "a scheduler. The result is the same. Needs evoply[cluster]; see docs/clusters.md.",
        ),
    ] = None
    check_share: Annotated[
        float | None,
        Parameter(
            show_default=False,
            validator=Number(gte=0, lte=1),
            help="With --cluster: the share of the units that a second worker computes too, from 0 "
            "to 1; if the two differ, the wrong worker is named. Default: that of the config "
            "(machine.check_share), else 0.01.",
        ),
    ] = None


NO_CLUSTER = ClusterOptions()
TimeLimit = Annotated[
    float | None,
    Parameter(
        validator=Number(gt=0),
        help="Stop after so many seconds, and show what has been found by then.",
    ),
]
Seed = Annotated[
    int,
    Parameter(
        converter=_whole,
        validator=Number(gte=0, lt=2**63),
        help="A whole number that decides everything random: the same seed gives the same result.",
    ),
]
Password = Annotated[
    str | None,
    Parameter(
        show_default=False,
        env_var="EVOPLY_PASSWORD",
        help="The password of the server; it is never sent. Other users of this machine may see it "
        "in the list of processes; to prevent this, set the environment variable EVOPLY_PASSWORD.",
    ),
]
Position = Annotated[
    str | None,
    # A board may begin with an empty square, a hyphen.
    Parameter(
        name=("--position", "--moves"),
        allow_leading_hyphen=True,
        help="Where to begin: a board such as '---- -OX- -XO- ---- X', in checkers a FEN such as "
        "W:W18,K24:B1,12, or moves: f5d6c3, '1. F5 d6 2. C3', '11-15 23-19', a GGF or PDN game.",
    ),
]
