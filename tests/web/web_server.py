"""A server in this process for tests of the API and of the page, and as a command.

In this process it begins at once: a command first imports for a second what is here already.
"""

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
from fastapi.testclient import TestClient

from evoply.web import ServerLimits, Trusted, application
from evoply.web.application import server_config
from waiting import until

HOST = "127.0.0.1:8000"


@contextmanager
def client(
    folder: Path, limits: ServerLimits | None = None, *, raises: bool = True
) -> Iterator[TestClient]:
    """Give a client that knows the token, of a server whose games lie in *folder*.

    A failure of the server is raised here, too, or else only answered.
    """
    trusted = Trusted((HOST,), "secret")
    app = application(folder / "web-games.db", trusted, limits)
    headers = {"authorization": "Bearer secret", "content-type": "application/json"}
    with TestClient(
        app, base_url=f"http://{HOST}", headers=headers, raise_server_exceptions=raises
    ) as one:
        yield one


@contextmanager
def serving(
    folder: Path, limits: ServerLimits | None = None, *, port: int = 0
) -> Iterator[tuple[str, int]]:
    """Give host and port of a server in a thread, whose token is "secret"."""
    with socket.create_server(("127.0.0.1", port)) as listener:
        host, port = listener.getsockname()
        trusted = Trusted((f"{host}:{port}",), "secret")
        server = uvicorn.Server(server_config(folder / "web-games.db", trusted, limits))
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
