"""Rich's console, as commands need it."""

from rich.console import Console


class CommandConsole(Console):
    """A console that leaves a closed pipe to whoever called it; rich would end with exit code 1."""

    def on_broken_pipe(self) -> None:
        """Raise what `evoply.cli.app` answers."""
        raise BrokenPipeError
