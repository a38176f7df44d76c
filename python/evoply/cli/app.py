"""The table of commands, and how every error becomes one message and one exit code."""

from __future__ import annotations

import os
import sqlite3
import sys
from collections.abc import Callable, Sequence
from io import TextIOWrapper

from cyclopts import App
from cyclopts.exceptions import CycloptsError, UnusedCliTokensError

from evoply.cli.evolve import evolve
from evoply.cli.match import match
from evoply.cli.output import StoppedError, stderr
from evoply.cli.perft import perft
from evoply.cli.play import play
from evoply.cli.presets import presets
from evoply.cli.replay import replay
from evoply.cli.report import report
from evoply.cli.resume import resume
from evoply.cli.runs import runs
from evoply.cli.show import show
from evoply.cli.solve import solve
from evoply.cli.suggesting import with_suggested

__all__ = ["COMMANDS", "run"]

FAILED, WRONG_USE, STOPPED = 1, 2, 130

COMMANDS: dict[Callable[..., None], str] = {
    evolve: """
  evoply presets                       # ready-made configs
  evoply evolve demo
  evoply evolve quick --seed 7 --name first
  evoply evolve config.toml --population-size 500 --generations 40
  evoply evolve demo --set fitness.opening_plies=4 --set selection.size=3
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
  echo "f5 quit" | tr ' ' '\\n' | evoply play --against greedy --seed 1
""",
    match: """
  evoply match greedy random --games 1000 --seed 1
  evoply match champion@first swh:depth=2 --json
  evoply match '( + white white_corners )' greedy --openings none
  evoply match material:depth=3 mobility --game othello-6
""",
    show: """
  evoply show champion@first
  evoply show '( - ( * 10 white_corners ) black )'
  evoply show champion --svg tree.svg
  evoply show swh --heat-map weights.svg
""",
    perft: """
  evoply perft othello 9
  evoply perft othello-6 8 --threads 1 --json
  evoply perft othello 5 --position f5d6c3d3c4
""",
    solve: """
  evoply solve 'XXXX XOXO XOO- O--- X'
  evoply solve fforum-1-19.obf         # ours beside the file's scores
  evoply solve fforum-1-19.obf --mode outcome --json
  evoply solve 'XXXX XOXO XOO- O--- X' --every-move
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
}
"""Every command and its examples, in the order of the help."""


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command; return its exit code and write what went wrong to standard error."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # What a terminal cannot show becomes a question mark, never an error.
            stream.reconfigure(errors="replace")
    try:
        code = _run(sys.argv[1:] if arguments is None else list(arguments))
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Nobody reads on (`| head`). Python would complain when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        return _complain(_reason(error), FAILED)


def _run(arguments: list[str]) -> int:
    try:
        _app()(arguments, exit_on_error=False, print_error=False, result_action="return_value")
        return 0
    except KeyboardInterrupt as stop:
        return _complain(str(stop) or "stopped", STOPPED, mark="")
    except StoppedError as stop:
        return _complain(str(stop), STOPPED, mark="")
    except CycloptsError as error:
        return _complain(_usage(error), WRONG_USE)
    except ValueError as error:
        return _complain(str(error), _code(error))
    except RecursionError:
        return _complain("this is nested too deeply", WRONG_USE)
    except MemoryError:
        return _complain("there is not enough memory for this", FAILED)
    except sqlite3.Error as error:
        return _complain(f"the run's database: {error}", FAILED)


def _app() -> App:
    app = App(
        name="evoply",
        help="Evolve, measure and play players of board games.",
        help_format="plaintext",
        help_epilogue=(
            "Examples:\n\n"
            "  evoply evolve demo\n"
            "  evoply play\n"
            "  evoply match champion random --games 1000 --seed 1\n\n"
            "`evoply COMMAND --help` explains a command."
        ),
        version=_version,
        suppress_keyboard_interrupt=False,
    )
    app["--help"].help = "Show this help, or that of a command."
    app["--version"].help = "Show the version."
    for place, (command, examples) in enumerate(COMMANDS.items()):
        app.command(command, sort_key=place, help_epilogue=f"Examples:\n{examples.rstrip()}")
    return app


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
    return f"{message}\n`{command} --help` shows how it is used."


def _reason(error: OSError) -> str:
    what = error.strerror or str(error)
    return (
        f"{error.filename}: {what}" if error.filename else f"the output cannot be written: {what}"
    )


def _complain(message: str, code: int, *, mark: str = "evoply: ") -> int:
    sys.stdout.flush()
    stderr().print(
        f"{mark}{with_suggested(message)}", style=None if code == STOPPED else "red", soft_wrap=True
    )
    return code
