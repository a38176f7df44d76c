"""`evoply web`: play, watch and understand in a browser."""

import os
import sys
from contextlib import suppress
from typing import Annotated, NoReturn

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.output import Output, write_json
from evoply.cli.shared_options import Connections, Json
from evoply.environment.addresses import MOST_OF_AN_ADDRESS

_PORT = 8000
_GAMES_FILE = "web-games.db"


def web(
    *,
    port: Annotated[int, Parameter(validator=Number(gte=0, lt=2**16))] = _PORT,
    no_browser: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    game: Annotated[str | None, Parameter(show_default=False)] = None,
    connections: Connections = MOST_OF_AN_ADDRESS,
    json: Json = False,
) -> None:
    """Play, watch and understand in a browser.

    The command serves a page on this machine and opens it in a browser if
    there is one. Every move is on disk before it is answered: after a crash
    the same command goes on with all games, which web-games.db in the folder
    of runs keeps. Ctrl-C ends it. Needs evoply[web]; see docs/web.md.

    Parameters
    ----------
    port
        The port; 0 is any that is free.
    no_browser
        Open no browser.
    game
        A file of rules; its game can be played, too.
    """
    if game is not None:
        from evoply.games import game_rules

        game_rules(game)  # says what is wrong
    from evoply.environment.files import runs_directory
    from evoply.web.application import serve
    from evoply.web.limits import ServerLimits

    folder = runs_directory()
    folder.mkdir(parents=True, exist_ok=True)
    output = Output(json)

    def ready(url: str, token: str) -> None:
        if json:
            write_json({"url": url, "token": token})
        else:
            output.say(url)
        sys.stdout.flush()
        if not no_browser:
            _open_browser(url)

    with suppress(KeyboardInterrupt):
        serve(port, folder / _GAMES_FILE, ready, ServerLimits(connections=connections))
    _leave()


def _leave() -> NoReturn:
    """End the process at once; its files are closed.

    Python would first take apart every module, beside players that still think: a person who has
    pressed Ctrl-C would wait seconds for nothing.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)


def _open_browser(url: str) -> None:
    """Open *url* where there is a screen; the address is printed anyway."""
    import webbrowser

    is_screen = sys.platform in ("win32", "darwin") or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if is_screen:
        webbrowser.open(url)
