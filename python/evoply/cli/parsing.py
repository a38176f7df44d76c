"""Reads arguments by their command's signature, and words what is wrong with them."""

import inspect
import re
from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from functools import wraps
from pathlib import Path
from typing import Any

from cyclopts import App, Group
from cyclopts.exceptions import CycloptsError, UnknownOptionError, UnusedCliTokensError

from evoply.cli.commands import COMMANDS, GROUPS, command_named, takes
from evoply.cli.games_in_files import with_games
from evoply.cli.output import EndedError, help_console, quiet, version_text
from evoply.cli.shell_hints import runs_folder

_NARROW = 60
"""Below so many columns help is a list: a table would break words."""


def run_command(arguments: Sequence[str]) -> None:
    """Run the command that *arguments* name; `EndedError` if they are wrongly written.

    Commands only declare `--code-in-runs`, which holds for all that they read.
    """
    quiet.set(False)
    runs_folder.set("")
    arguments = with_games(arguments)
    allowing = "--code-in-runs" in arguments
    if allowing:
        from evoply.configs.own_code import code_in_runs_allowed  # few commands need it
    is_first = bool(arguments) and arguments[0] in COMMANDS
    # Help, and the answer to an unknown name, need no more of the others than their names.
    app = _app(arguments[:1] if is_first else arguments, with_others=not is_first)
    try:
        with code_in_runs_allowed() if allowing else nullcontext():
            app(arguments, exit_on_error=False, print_error=False, result_action="return_value")
    except CycloptsError as error:
        raise EndedError(_usage(error, arguments), {}) from None


def _app(meant: Collection[str], *, with_others: bool = True) -> App:
    """Return what reads commands: those *meant* whole, of all others their line of help."""
    app = App(
        name="evoply",
        help="Evolve, measure and play players of Othello and checkers.",
        help_format="plaintext",
        help_formatter=_show_panel,
        usage="Usage: evoply COMMAND",
        help_epilogue=(
            "Examples:\n\n"
            "  evoply evolve demo\n"
            "  evoply play\n"
            "  evoply match champion random --games 1000 --seed 1\n"
            "  evoply play --game checkers\n\n"
            "`evoply COMMAND --help` explains a command."
        ),
        version=version_text,
        suppress_keyboard_interrupt=False,
        console=help_console(),
    )
    options = Group("Options", sort_key=len(GROUPS))
    app["--help"].help, app["--help"].group = "Show this help, or that of a command.", options
    app["--version"].help, app["--version"].group = "Show the version.", options
    for place, (title, names) in enumerate(GROUPS.items()):
        group = Group(title, sort_key=place)
        for index, name in enumerate(names.split()):
            if name in meant:
                _add(app, name, group, index)
            elif with_others:
                summary = COMMANDS[name].partition("\n")[0]
                app.command(App(name=name, help=summary, sort_key=index, group=group))
    return app


def whole_app() -> App:
    """Return what knows every command with its options, which imports all their modules."""
    return _app(COMMANDS)


def _add(app: App, name: str, group: Group, index: int) -> None:
    command = command_named(name)
    app.command(
        _with_shared_options(command),
        name=name,
        sort_key=index,
        group=group,
        usage=f"Usage: evoply {_usage_of(command)}",
        help_epilogue=f"Examples:\n\n{COMMANDS[name].partition(chr(10))[2].rstrip()}",
    )


def _with_shared_options(command: Callable[..., None]) -> Callable[..., None]:
    """Return *command* with the options that mean the same everywhere: --runs and --quiet."""
    names = [name for name in ("runs", "quiet") if takes(command.__name__, f"--{name}")]
    if not names:
        return command
    from evoply.cli import shared_options

    kinds = {"runs": shared_options.RunsFolder, "quiet": shared_options.Quiet}

    @wraps(command)
    def called(*arguments: Any, runs: Path | None = None, quiet: bool = False, **rest: Any) -> None:
        with shared_options.sharing(runs, is_quiet=quiet):
            command(*arguments, **rest)

    signature = inspect.signature(command)
    *others, last = signature.parameters.values()  # the last one is --json
    shared = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=_UNSET[name])
        for name in names
    ]
    vars(called)["__signature__"] = signature.replace(parameters=[*others, *shared, last])
    called.__annotations__ = command.__annotations__ | {name: kinds[name] for name in names}
    return called


_UNSET = {"runs": None, "quiet": False}


def _show_panel(console: Any, options: Any, panel: Any) -> None:
    """Draw a panel of help, each description in one line: it has line ends where its code does."""
    from cyclopts.help.formatters import DefaultFormatter
    from rich.text import Text

    for entry in panel.entries:
        if entry.description is not None:
            words = str(entry.description.primary_renderable).split()
            entry.description.primary_renderable = Text(" ".join(words))
    if console.width >= _NARROW:
        DefaultFormatter()(console, options, panel)
        return
    from cyclopts.help.specs import DefaultStyled, DescriptionRenderer
    from rich.padding import Padding

    for place, entry in enumerate(panel.entries):
        if not place:
            console.print(Text(panel.title, "bold"))
        console.print(Text(" ".join(entry.display_labels_with_metavar), "cyan"))
        console.print(DefaultStyled(Padding(DescriptionRenderer()(entry), (0, 0, 0, 4))))
    if panel.entries:
        console.print()


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


def _usage(error: CycloptsError, arguments: Sequence[str]) -> str:
    chain = error.command_chain or ()
    command = " ".join(["evoply", *chain])
    message = str(error).removeprefix(f'Command "{" ".join(chain)}" ')
    if isinstance(error, UnusedCliTokensError):
        message = _too_many(chain, arguments, error.unused_tokens or ())
    elif isinstance(error, UnknownOptionError) and chain:
        instead = _instead(chain[0], error.token.keyword or error.token.value)
        message = instead or message
    message = re.sub(r'unable to convert (".*") into float', r"\1 is not a number", message)
    return f"{message}\n`{command} --help` shows how it is used."


def _too_many(chain: Sequence[str], arguments: Sequence[str], unused: Sequence[str]) -> str:
    message = f"Too many arguments: {' '.join(unused)}."
    if chain[:1] == ("analyse",) and len(unused) == 1:
        first = arguments[1]
        file, player = (unused[0], first) if Path(unused[0]).suffix else (first, unused[0])
        return f"{message} Games are named by --games: `evoply analyse {player} --games {file}`."
    return f"{message} Is a player with spaces in quotes?"


_INSTEAD = {
    "play --player": "whom you play is --against: `evoply play --against PLAYER`",
    "--set": "it changes a key of a config - it is for `evoply evolve` and `evoply learn`; of an "
    "experiment, write the key in its file",
    "--runs": "this command reads no runs - leave it out",
    "--quiet": "this command shows no progress - leave it out",
}
"""What to do instead of an option that one command, or a command without it, was given."""


def _instead(command: str, option: str) -> str:
    said = _INSTEAD.get(f"{command} {option}") or _INSTEAD.get(option)
    return f"{option}: {said}." if said else ""
