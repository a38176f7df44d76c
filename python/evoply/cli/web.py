"""`evoply web`: play, watch and understand in a browser."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

from cyclopts import Parameter
from cyclopts.validators import Number

from evoply.cli.output import Output, write_json
from evoply.cli.shared_options import PASSWORD_VARIABLE, Connections, Json, check_password
from evoply.environment.addresses import MOST_OF_AN_ADDRESS, checked_host, is_this_machine

if TYPE_CHECKING:
    from evoply.web import Trusted

_PORT = 8000
_GAMES_FILE = "web-games.db"


def web(
    *,
    host: Annotated[str, Parameter(metavar="ADDRESS")] = "127.0.0.1",
    password: Annotated[
        str | None, Parameter(show_default=False, env_var=PASSWORD_VARIABLE)
    ] = None,
    port: Annotated[int, Parameter(validator=Number(gte=0, lt=2**16))] = _PORT,
    no_browser: Annotated[bool, Parameter(negative="", show_default=False)] = False,
    game: Annotated[str | None, Parameter(show_default=False)] = None,
    class_folder: Annotated[
        Path | None, Parameter(name="--class", metavar="FOLDER", show_default=False)
    ] = None,
    connections: Connections = MOST_OF_AN_ADDRESS,
    json: Json = False,
) -> None:
    """Play, watch and understand in a browser.

    The command serves a page on this machine and opens it in a browser if
    there is one. With --host and --password people on other devices can open
    it, too. Every move is on disk before it is answered: after a crash the
    same command goes on with all games, which web-games.db in the folder of
    runs keeps. Ctrl-C ends it. Needs evoply[web]; see docs/web.md.

    Parameters
    ----------
    host
        Where to listen besides this machine: one of its addresses, or 0.0.0.0 for all of them.
        Other devices can open the page then, and must give the password.
    password
        What people on other devices type to get in, at least 8 characters. Other users of this
        machine may see it in the list of processes; to prevent this, set the environment variable
        EVOPLY_PASSWORD. Nothing is encrypted: see docs/security.md.
    port
        The port; 0 is any that is free.
    no_browser
        Open no browser.
    game
        A file of rules; its game can be played, too.
    class_folder
        A folder for bots that a class hands in on the page, as NAME.py; results/ in it is shown
        there, too. Nothing of it is run: see docs/web.md.
    """
    checked_host(host)
    check_password(password)
    if password is None and not is_this_machine(host):
        raise ValueError(
            f"--password: is missing - with --host {host} other devices can open the page: choose "
            "a word of at least 8 characters, here or in the variable EVOPLY_PASSWORD"
        )
    if class_folder is not None and not class_folder.is_dir():
        raise ValueError(f"--class: {class_folder} is no folder - make it first")
    if game is not None:
        from evoply.games import game_rules

        game_rules(game)  # says what is wrong
    from evoply.environment.files import runs_directory
    from evoply.web.application import serve
    from evoply.web.limits import ServerLimits

    folder = runs_directory()
    folder.mkdir(parents=True, exist_ok=True)
    output = Output(json)

    def ready(url: str, trusted: Trusted) -> None:
        if json:
            write_json({"url": url, "token": trusted.token, "others": list(trusted.others)})
        else:
            output.say(url)
            for line in _for_others(host, password, trusted.others):
                output.say(line)
            if class_folder is not None:
                output.say(f"Bots that are handed in go to {class_folder}")
        sys.stdout.flush()
        if not no_browser:
            _open_browser(url)

    with suppress(KeyboardInterrupt):
        serve(
            port,
            folder / _GAMES_FILE,
            ready,
            ServerLimits(connections=connections),
            host=host,
            password=password,
            class_folder=class_folder,
        )
    _leave()


def _for_others(host: str, password: str | None, others: Sequence[str]) -> list[str]:
    """Return what to say about people on other devices."""
    if is_this_machine(host):
        if password is None:
            return []
        return ["Only this machine can open it; with --host 0.0.0.0 other devices can, too."]
    if not others:
        return ["Other devices: this machine has no address in a network yet."]
    return [f"Other devices open {' or '.join(others)} and give the password."]


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
