"""Rich's console, as commands need it."""

from collections.abc import Iterable
from typing import Any

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment
from rich.text import Text

from evoply.wording import printable


class CommandConsole(Console):
    """A console whose texts cannot command the terminal, whoever wrote them.

    Names of players, comments and folders come from outside. All that a command shows passes
    here, so here their control characters become what can be read. A closed pipe is left to
    whoever called it; rich would end with exit code 1.
    """

    def render_str(self, text: str, **options: Any) -> Text:
        """Return *text* with its control characters spelled out, before anything is measured."""
        return super().render_str(printable(text), **options)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Yield the pieces of *renderable*; only rich's own may control the terminal."""
        for segment in super().render(renderable, options):
            shown = segment.text if segment.control else printable(segment.text)
            # Nearly all are clean: they stay what they are.
            yield segment if shown == segment.text else segment._replace(text=shown)

    def on_broken_pipe(self) -> None:
        """Raise what `evoply.cli.app` answers."""
        raise BrokenPipeError
