"""A server in this process for tests of the API and of the page, and as a command.

In this process it begins at once: a command first imports for a second what is here already.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import uvicorn
from fastapi.testclient import TestClient

from evoply.web import ServerLimits, Trusted, application
from evoply.web.application import server_config
from waiting import until

HOST = "127.0.0.1:8000"


@contextmanager
def client(
    folder: Path,
    limits: ServerLimits | None = None,
    *,
    raises: bool = True,
    class_folder: Path | None = None,
) -> Iterator[TestClient]:
    """Give a client that knows the token, of a server whose games lie in *folder*.

    A failure of the server is raised here, too, or else only answered.
    """
    trusted = Trusted((HOST,), "secret")
    app = application(folder / "web-games.db", trusted, limits, class_folder)
    headers = {"authorization": "Bearer secret", "content-type": "application/json"}
    with TestClient(
        app, base_url=f"http://{HOST}", headers=headers, raise_server_exceptions=raises
    ) as one:
        yield one


PASSWORD = "a long word"
ELSEWHERE = "10.0.0.1:8000"
"""The address of the server on another device, whose own one is 10.0.0.2."""


@contextmanager
def shared(
    folder: Path, limits: ServerLimits | None = None, class_folder: Path | None = None
) -> Iterator[tuple[TestClient, Callable[..., TestClient]]]:
    """Give a client on the machine of a server with a password, and what makes one elsewhere.

    That one has signed in, unless it is told to be a stranger.
    """
    trusted = Trusted((HOST,), "secret", PASSWORD, (f"http://{ELSEWHERE}",))
    app = application(folder / "web-games.db", trusted, limits, class_folder)
    headers = {"authorization": "Bearer secret", "content-type": "application/json"}
    here = TestClient(app, base_url=f"http://{HOST}", headers=headers, client=("127.0.0.1", 5000))
    with here:

        def elsewhere(address: str = "10.0.0.2", *, is_stranger: bool = False) -> TestClient:
            one = TestClient(
                app, base_url=f"http://{ELSEWHERE}", headers=headers, client=(address, 5000),
                follow_redirects=False,
            )  # fmt: skip
            one.portal = here.portal  # one server has one loop
            if not is_stranger:
                assert sign_in(one).status_code == 303
            return one

        yield here, elsewhere


def sign_in(client: TestClient, password: str = PASSWORD) -> Any:
    """Send the form of the sign-in, as a browser does, and return the answer."""
    form = {"content-type": "application/x-www-form-urlencoded", "origin": str(client.base_url)}
    return client.post("/", content=urlencode({"password": password}), headers=form)


@contextmanager
def serving(
    folder: Path,
    limits: ServerLimits | None = None,
    *,
    port: int = 0,
    password: str | None = None,
    others: tuple[str, ...] = (),
    class_folder: Path | None = None,
) -> Iterator[tuple[str, int]]:
    """Give host and port of a server in a thread, whose token is "secret".

    *others* are the addresses that people on other devices open, who know the *password*.
    """
    with socket.create_server(("127.0.0.1", port)) as listener:
        host, port = listener.getsockname()
        trusted = Trusted((f"{host}:{port}",), "secret", password, others)
        server = uvicorn.Server(
            server_config(folder / "web-games.db", trusted, limits, class_folder)
        )
        thread = threading.Thread(target=server.run, args=([listener],))
        thread.start()
        try:
            until(lambda: server.started or not thread.is_alive(), "the server")
            assert server.started
            yield host, port
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def command(
    folder: Path, *options: str, port: str = "0"
) -> Iterator[tuple["subprocess.Popen[str]", dict[str, Any]]]:
    """Give a running `evoply web` and its JSON object; afterwards it has ended."""
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    environment.pop("COVERAGE_PROCESS_CONFIG", None)
    process = subprocess.Popen(
        [sys.executable, "-m", "evoply", "web", "--json", "--no-browser", "--port", port,
         "--runs", str(folder), *options],
        text=True,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.communicate()
