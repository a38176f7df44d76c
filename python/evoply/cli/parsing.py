"""Reads arguments by their command's signature, and words what is wrong with them."""

import inspect
import re
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from typing import Any

from cyclopts import App
from cyclopts.exceptions import CycloptsError, UnusedCliTokensError

from evoply.cli.commands import COMMANDS, command_named
from evoply.cli.games_in_files import with_games
from evoply.cli.output import EndedError, help_console, version_text


def run_command(arguments: Sequence[str]) -> None:
    """Run the command that *arguments* name; `EndedError` if they are wrongly written.

    Commands only declare `--code-in-runs`, which holds for all that they read.
    """
    arguments = with_games(arguments)
    allowing = "--code-in-runs" in arguments
    if allowing:
        from evoply.configs.own_code import code_in_runs_allowed  # few commands need it
    try:
        with code_in_runs_allowed() if allowing else nullcontext():
            _app(arguments)(
                arguments, exit_on_error=False, print_error=False, result_action="return_value"
            )
    except CycloptsError as error:
        raise EndedError(_usage(error), {}) from None


def _app(arguments: Sequence[str]) -> App:
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
        version=version_text,
        suppress_keyboard_interrupt=False,
        console=help_console(),
    )
    app["--help"].help = "Show this help, or that of a command."
    app["--version"].help = "Show the version."
    is_first = bool(arguments) and arguments[0] in COMMANDS
    meant = arguments[:1] if is_first else arguments
    for index, (name, text) in enumerate(COMMANDS.items()):
        summary, _, examples = text.partition("\n")
        if name in meant:
            _add(app, command_named(name), examples, index)
        elif not is_first:  # help, and the answer to an unknown name, need no more of the others
            app.command(App(name=name, help=summary, sort_key=index))
    return app


def _add(app: App, command: Callable[..., None], examples: str, index: int) -> None:
    app.command(
        command,
        sort_key=index,
        usage=f"Usage: evoply {_usage_of(command)}",
        help_formatter=_show_panel,
        help_epilogue=f"Examples:\n\n{examples.rstrip()}",
    )


def _show_panel(console: Any, options: Any, panel: Any) -> None:
    """Draw a panel of help, each description in one line: it has line ends where its code does."""
    from cyclopts.help.formatters import DefaultFormatter
    from rich.text import Text

    for entry in panel.entries:
        if entry.description is not None:
            words = str(entry.description.primary_renderable).split()
            entry.description.primary_renderable = Text(" ".join(words))
    DefaultFormatter()(console, options, panel)


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


def _usage(error: CycloptsError) -> str:
    command = " ".join(["evoply", *(error.command_chain or ())])
    message = str(error).removeprefix(f'Command "{" ".join(error.command_chain or ())}" ')
    if isinstance(error, UnusedCliTokensError):
        unused = " ".join(error.unused_tokens or ())
        message = f"Too many arguments: {unused}. Is a player with spaces in quotes?"
    message = re.sub(r'unable to convert (".*") into float', r"\1 is not a number", message)
    return f"{message}\n`{command} --help` shows how it is used."
