"""The table of commands, and how every error becomes one message and one exit code."""

from __future__ import annotations

import errno
import inspect
import os
import re
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Any

from cyclopts import App
from cyclopts.exceptions import CycloptsError, UnusedCliTokensError

from evoply.cli.analyse import analyse
from evoply.cli.compare import compare, experiment
from evoply.cli.config import config
from evoply.cli.convert import convert
from evoply.cli.distil import distil
from evoply.cli.engine import engine
from evoply.cli.evolve import evolve
from evoply.cli.join import join
from evoply.cli.learn import edit, learn, pack
from evoply.cli.match import match
from evoply.cli.output import EndedError, StoppedError, help_console, stderr, write_json
from evoply.cli.perft import perft
from evoply.cli.play import play
from evoply.cli.presets import presets
from evoply.cli.replay import replay
from evoply.cli.report import report
from evoply.cli.reproduce import reproduce
from evoply.cli.resume import resume
from evoply.cli.runs import runs
from evoply.cli.serve import serve
from evoply.cli.show import show
from evoply.cli.solve import solve
from evoply.cli.suggesting import with_suggested
from evoply.cli.tournament import tournament
from evoply.cli.tune import tune
from evoply.cli.watch import watch
from evoply.cli.web import web
from evoply.cli.why import why

__all__ = ["COMMANDS", "run"]

FAILED, WRONG_USE, STOPPED = 1, 2, 130
CLOSED_PIPE = 141
"""What a shell reports of a program that wrote into a pipe nobody reads any more."""
_MOST_LINES = 1000

Details = dict[str, Any]

COMMANDS: dict[Callable[..., None], str] = {
    evolve: """
  evoply presets                       # ready-made configs
  evoply evolve demo
  evoply evolve quick --seed 7 --name first
  evoply evolve config.toml --population-size 500 --generations 40
  evoply evolve demo --set fitness.opening_plies=4 --set selection.size=3
  evoply evolve benbassat-lose-checkers --population-size 20 --generations 5
""",
    learn: """
  evoply learn firebrand
  evoply learn firebrand-8 --games 2000 --name first
  evoply learn firebrand-8 --features champion@first --terms 25
  evoply learn config.toml --set rates.weights=0.05 --set rule=td-leaf
""",
    edit: """
  evoply edit first pieces --weight 0.4 --time-weight 0.4
  evoply resume first --games 10000
""",
    tune: """
  evoply tune champion@first
  evoply tune champion@first --against champion@patterns --generations 100 --name tuned
  evoply resume tuned --generations 200
""",
    distil: """
  evoply distil champion@patterns --terms 10 --output formula.json
  evoply distil champion@patterns --terms 6 --stages 3
  evoply match formula.json swh
""",
    pack: """
  evoply learn strong --name tables
  evoply pack tables strong.json
""",
    compare: """
  evoply compare quick othello-6 --seeds 5 --budget-games 50000
  evoply compare a.toml b.toml --measure score:swh,material:depth=3 --name sizes
""",
    experiment: """
  evoply experiment sizes.toml
  evoply experiment sizes.toml --seeds 20 --csv numbers
""",
    resume: """
  evoply resume                        # the newest run
  evoply resume first
  evoply resume first --generations 200
  evoply resume first --time-limit 600
""",
    play: """
  evoply play                          # against the newest champion, or greedy
  evoply play --against swh:depth=4 --color white
  evoply play --against champion@first --game othello-6
  evoply play --position f5d6c3d3c4
  evoply play --game lose-checkers --against random-leaf:depth=3
  evoply play --game checkers --position W:W18,K24:B1,12 --color white
  echo "f5 quit" | tr ' ' '\\n' | evoply play --against greedy --seed 1
""",
    web: """
  evoply web                           # opens http://127.0.0.1:8000
  evoply web --port 0 --no-browser
  evoply web --runs ~/experiments/runs --json
""",
    match: """
  evoply match greedy random --games 1000 --seed 1
  evoply match champion@first swh:depth=2 --json
  evoply match '( + white white_corners )' greedy --openings none
  evoply match material:depth=3 mobility --game othello-6
  evoply match material-kings:depth=3 random --game checkers-10
  evoply match champion@first greedy --sprt 0 20
  evoply match mybot.py greedy --games 100 --move-limit 2
  evoply match swh:depth=4 'engine:gtp:/usr/games/gtp-rhino -b 0 -m 3'
  evoply match swh engine:rhino --engines engines.toml
  evoply match swh mobility --watch
  evoply match swh mobility --games 20 --save-games games.jsonl
""",
    watch: """
  evoply watch games.jsonl             # from evoply match --save-games
  evoply watch games.jsonl --game 7 --delay 1
  evoply watch localhost:7450          # a tournament of evoply serve, as it is played
""",
    analyse: """
  evoply analyse swh:depth=4
  evoply analyse champion@first --position f5d6c3d3c4 --json
  evoply analyse material:depth=6 --game checkers --position W:W18,K24:B1,12
""",
    why: """
  evoply why greedy --position f5d6c4
  evoply why champion@first --position f5d6c3d3c4 --json
  evoply why material-kings:depth=6 --game checkers --position '11-15 23-19'
""",
    tournament: """
  evoply tournament greedy swh mobility material:depth=2 --games 200
  evoply tournament greedy swh random --html standings.html
  evoply tournament --field students.toml --mode elimination --runs 50
  evoply tournament swh greedy mobility random --mode elimination
  evoply tournament greedy mobility material-kings --game checkers
  evoply tournament students/ swh greedy --games 20    # all bots in a folder
""",
    serve: """
  evoply serve                         # two players, on this machine
  evoply serve --game othello-10 --clock 150 --players 4 --games 20
  evoply serve --host 0.0.0.0 --clock 60+1   # asks for a password, which it shows
  evoply serve --resume tournament-1.db      # after a crash: all go on
""",
    join: """
  evoply join localhost:7450 --player swh:depth=4
  evoply join 10.0.0.7:7450 --player champion@first --name Ada --password ...
  evoply join localhost:7450 --player mybot.py
""",
    engine: """
  evoply engine --protocol gtp --player swh:depth=6
  evoply engine --protocol nboard --player champion@first
  evoply match greedy 'engine:gtp:evoply engine --protocol gtp --player swh'
""",
    reproduce: """
  evoply reproduce                     # the studies there are
  evoply reproduce liao --table 1
  evoply reproduce liao --table 2 --scale small --html table2.html
  evoply reproduce liao --table 1 --rules reconstruction --json
""",
    show: """
  evoply show champion@first
  evoply show '( - ( * 10 white_corners ) black )'
  evoply show champion --svg tree.svg
  evoply show swh --heat-map weights.svg
  evoply show material-kings:depth=2 --game checkers
""",
    perft: """
  evoply perft othello 9
  evoply perft othello-6 8 --threads 1 --json
  evoply perft othello 5 --position f5d6c3d3c4
  evoply perft checkers-10 5
  evoply perft lose-checkers 4 --position W:W18,K24:B1,12
""",
    solve: """
  evoply solve 'XXXX XOXO XOO- O--- X'
  evoply solve fforum-1-19.obf         # ours beside the file's scores
  evoply solve fforum-1-19.obf --mode outcome --json
  evoply solve 'XXXX XOXO XOO- O--- X' --every-move
""",
    convert: """
  evoply convert games.ggf games.txt
  evoply convert WTH_2004.wtb games.ggf   # with the names in .jou and .trn
  evoply convert games.jsonl positions.obf
  evoply convert tournament.pdn games.jsonl --json
  echo "1. F5 d6 2. C3" | evoply convert - - --to ggf
""",
    runs: """
  evoply runs
  evoply runs first
  evoply runs first --json             # every generation with its digest
  evoply runs first --csv tables       # for a spreadsheet
""",
    report: """
  evoply report                        # of the newest run
  evoply report first --output first.html
""",
    replay: """
  evoply replay first --generation 12 --game 7
  evoply replay first --generation 0 --game 0 --json
""",
    presets: """
  evoply presets
  evoply presets demo
  evoply presets demo > config.toml
""",
    config: """
  evoply config                        # the keys of the top level
  evoply config selection              # the keys of a table
  evoply config pairs                  # every key of this name
  evoply config --list                 # all keys
""",
}
"""Every command and its examples, in the order of the help."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code and write what went wrong to standard error.

    With `--json` what went wrong is also the one JSON object: "error", "exit_code", "errors" of a
    config with their paths, and what there is of a result.
    """
    _open_streams()
    arguments = sys.argv[1:] if arguments is None else list(arguments)
    try:
        code, message, details = _run(arguments)
        if code:
            _complain(message, code, details if "--json" in arguments else None)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads on (`| head`). Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return CLOSED_PIPE
    except OSError as error:
        # What standard output still holds could not be written either.
        code, reason = _of_system(error, arguments)
        with suppress(OSError):
            _complain(reason, code, None)
    return code


def _open_streams() -> None:
    """Make the standard streams usable: all there, and none that fails on a character."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            # Closed by the caller (`<&-`). This takes the free number, so no file of ours does.
            handle = os.open(os.devnull, os.O_RDWR)
            setattr(sys, name, os.fdopen(handle, mode, encoding="utf-8"))
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What a terminal cannot show becomes a question mark, never an error.
            stream.reconfigure(errors="replace")


def _run(arguments: list[str]) -> tuple[int, str, Details]:
    """Run one command; return exit code, message and details of what went wrong."""
    try:
        _app()(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        return 0, "", {}
    except KeyboardInterrupt:
        return STOPPED, "stopped", {}
    except EndedError as end:
        return STOPPED if isinstance(end, StoppedError) else WRONG_USE, str(end), end.result
    except CycloptsError as error:
        return WRONG_USE, _usage(error), {}
    except ValueError as error:
        return _code(error), str(error), _listed(error)
    except RecursionError:
        return (
            WRONG_USE,
            "the input is nested too deeply: use fewer brackets inside one another",
            {},
        )
    except MemoryError:
        return FAILED, "there is not enough memory for this", {}
    except sqlite3.Error as error:
        return FAILED, f"the run's database: {error}", {}
    except OSError as error:
        if isinstance(error, BrokenPipeError):
            raise
        return *_of_system(error, arguments), {}


def _app() -> App:
    app = App(
        name="evoply",
        help="Evolve, measure and play players of Othello and checkers.",
        help_format="plaintext",
        help_epilogue=(
            "Examples:\n\n"
            "  evoply evolve demo\n"
            "  evoply play\n"
            "  evoply match champion random --games 1000 --seed 1\n"
            "  evoply play --game checkers\n\n"
            "`evoply COMMAND --help` explains a command."
        ),
        version=_version,
        suppress_keyboard_interrupt=False,
        console=help_console(),
    )
    app["--help"].help = "Show this help, or that of a command."
    app["--version"].help = "Show the version."
    for place, (command, examples) in enumerate(COMMANDS.items()):
        command.__doc__ = _unwrapped(inspect.cleandoc(command.__doc__ or ""))
        app.command(
            command,
            sort_key=place,
            usage=f"Usage: evoply {_usage_of(command)}",
            help_epilogue=f"Examples:\n{examples.rstrip()}",
        )
    return app


def _unwrapped(text: str) -> str:
    """Return a docstring with one line per parameter: help wraps lines where they end there."""
    joined = re.sub(r"(?m)^( {4}\S.*)\n {4}(?=\S)", r"\1 ", text)
    return text if joined == text else _unwrapped(joined)


def _usage_of(command: Callable[..., None]) -> str:
    """Return how a command is written, its arguments by name; the parser's own says [ARGS]."""
    words = [command.__name__]
    for name, parameter in inspect.signature(command).parameters.items():
        is_optional = parameter.default is not inspect.Parameter.empty
        match parameter.kind:
            case inspect.Parameter.POSITIONAL_ONLY:
                words.append(f"[{name.upper()}]" if is_optional else name.upper())
            case inspect.Parameter.VAR_POSITIONAL:
                words.append(f"[{name.upper()}...]")
            case inspect.Parameter.KEYWORD_ONLY if not is_optional:
                words.append(f"--{name.replace('_', '-')} {name.upper()}")
    return " ".join([*words, "[OPTIONS]"])


def _version() -> str:
    from importlib.metadata import version

    return f"evoply {version('evoply')}"


def _code(error: ValueError) -> int:
    """Return whose fault it is: a run folder can fail, everything else was written wrongly."""
    from evoply.protocols import RunError, RunNameError

    is_failure = isinstance(error, RunError) and not isinstance(error, RunNameError)
    return FAILED if is_failure else WRONG_USE


def _usage(error: CycloptsError) -> str:
    command = " ".join(["evoply", *(error.command_chain or ())])
    message = str(error).removeprefix(f'Command "{" ".join(error.command_chain or ())}" ')
    if isinstance(error, UnusedCliTokensError):
        unused = " ".join(error.unused_tokens or ())
        message = f"Too many arguments: {unused}. Is a player with spaces in quotes?"
    message = re.sub(r'unable to convert (".*") into float', r"\1 is not a number", message)
    return f"{message}\n`{command} --help` shows how it is used."


def _of_system(error: OSError, arguments: Sequence[str]) -> tuple[int, str]:
    """Return the exit code and the sentence for what the system refused."""
    path = None if error.filename is None else os.fsdecode(error.filename)
    what, to_do = _REFUSED.get(error.errno or 0, (error.strerror or str(error), ""))
    code = WRONG_USE if error.errno in _REFUSED else FAILED
    if path is None:
        why = f"standard output cannot be written: {what}: send it somewhere else"
        return code, why
    if error.errno == errno.ENOENT and not (folder := Path(path).absolute().parent).is_dir():
        what, to_do = f"there is no folder {folder}", "make it, or name another path"
    return code, f"{_option_of(path, arguments)}{path}: {what}{': ' * bool(to_do)}{to_do}"


_REFUSED = {
    errno.ENOENT: ("there is no such file or folder", "name one that is there"),
    errno.EACCES: ("this is not allowed", "name another path, or change who may use it"),
    errno.EPERM: ("this is not allowed", "name another path, or change who may use it"),
    errno.EROFS: ("nothing can be written there", "name another path"),
    errno.EISDIR: ("is a folder", "name a file"),
    errno.ENOTDIR: ("a part of the path is no folder", "name another path"),
    errno.ENAMETOOLONG: ("the name is too long", "name another path"),
    errno.ENOSPC: ("no space is left there", "make room, or name another path"),
}
"""What the system refuses because of what it was asked for, in words, and what to do about it."""


def _option_of(path: str, arguments: Sequence[str]) -> str:
    """Return the option that *path* was given to, with a blank after it; "" if to none."""
    for before, argument in zip(["", *arguments], arguments, strict=False):
        if argument == path and before.startswith("--"):
            return f"{before} "
        if argument.startswith("--") and argument.endswith(f"={path}"):
            return f"{argument.partition('=')[0]} "
    return ""


def _listed(error: ValueError) -> Details:
    from evoply.protocols import ConfigError

    if not isinstance(error, ConfigError):
        return {}
    return {"errors": [{"path": path, "message": message} for path, message in error.errors]}


def _complain(message: str, code: int, details: Details | None) -> None:
    """Say *message*; *details* are those of the JSON object, None without `--json`."""
    if details is not None:
        write_json({**details, "error": message, "exit_code": code})
    sys.stdout.flush()
    lines = message.splitlines()
    if len(lines) > _MOST_LINES:
        message = "\n".join([*lines[:_MOST_LINES], f"and {len(lines) - _MOST_LINES:,} more lines"])
    is_stop = code == STOPPED
    stderr().print(
        f"{'' if is_stop else 'evoply: '}{with_suggested(message)}",
        style=None if is_stop else "red",
        soft_wrap=True,
    )
