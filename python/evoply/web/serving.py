"""The server as a process: its socket, and how it begins and ends."""

import errno
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import uvicorn

from evoply.web.application import application
from evoply.web.http_connections import http_connections
from evoply.web.limits import ServerLimits
from evoply.web.protection import Trusted

HOST = "127.0.0.1"
_SWITCH = 0.0005
"""Seconds after which a thread that computes in Python lets others do so. Usually it is ten times
that, which the loop that answers requests would wait for after every message it sends."""


def serve(
    port: int, games: Path, on_ready: Callable[[str, str], None], limits: ServerLimits | None = None
) -> None:
    """Serve on *port* of this machine (0: any that is free) until Ctrl-C.

    *games* is the file of games. *on_ready* hears the address and the token as soon as requests
    are answered. Raises `ValueError` if the port is taken, and `StoreError` for the file.
    """
    with _open_socket(port) as listener:
        number = listener.getsockname()[1]
        trusted = Trusted((f"{HOST}:{number}", f"localhost:{number}"))
        sys.setswitchinterval(_SWITCH)
        server = _Server(server_config(games, trusted, limits))
        server.on_started = lambda: on_ready(f"http://{HOST}:{number}", trusted.token)
        server.run(sockets=[listener])


def server_config(
    games: Path, trusted: Trusted, limits: ServerLimits | None = None
) -> uvicorn.Config:
    """Return what uvicorn needs to serve the file *games*; raises `StoreError`."""
    limits = ServerLimits() if limits is None else limits
    return uvicorn.Config(
        application(games, trusted, limits),
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=16_384,
        http=http_connections(limits),
        ws="websockets-sansio",
        ws_max_size=4096,
        # A compressed message could be a bomb, and ours are short.
        ws_per_message_deflate=False,
    )


class _Server(uvicorn.Server):
    """A server that says when it is ready."""

    on_started: Callable[[], None]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self.on_started()


def _open_socket(port: int) -> socket.socket:
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((HOST, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(
                f"--port: {port} is used by another program - name another port, or 0 for any"
            ) from None
        if error.errno == errno.EACCES:
            raise ValueError(f"--port: {port} is not allowed - take one above 1023") from None
        raise
    return listener
