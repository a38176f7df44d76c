"""HTTP connections with limits on their number and on the time for a request's head.

Uvicorn closes what is idle between requests, but waits for a first or a half-sent head for ever.
"""

import asyncio
import json
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, cast

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from evoply.address_limit import AddressLimit
from evoply.web.limits import ServerLimits

_FAREWELL = 1.0
"""Seconds in which a refused client may read why."""


def http_connections(limits: ServerLimits) -> type[asyncio.Protocol]:
    """Return what makes the connections of one server, all under *limits*."""
    addresses = AddressLimit(limits.connections)

    def connection(**settings: Any) -> HttpConnection:
        return HttpConnection(limits, addresses, **settings)

    return cast(type[asyncio.Protocol], connection)  # uvicorn only calls it


class HttpConnection(H11Protocol):
    """One connection, until it is closed or becomes a web socket."""

    def __init__(self, limits: ServerLimits, addresses: AddressLimit, **settings: Any) -> None:
        super().__init__(**settings)
        self._limits, self._addresses = limits, addresses
        self._patience: asyncio.TimerHandle | None = None
        self._is_refused = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Let a client in, whose first head has to come in time, or refuse it."""
        super().connection_made(transport)
        if len(self.connections) > self._limits.connections_in_all:
            self._refuse(503, "the server has too many connections - come back later")
        elif not self._addresses.enter(self._address, self):
            self._refuse(429, self._addresses.refusal)
        else:
            self._be_patient(self._limits.head_seconds, self._give_up)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection."""
        self._no_longer_counted()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take bytes of a request; from its first byte on there is a time for its head."""
        if self._is_refused:
            return
        super().data_received(data)
        if self._is_refused:
            return
        if self.conn.their_state is not h11.IDLE or not self.conn.trailing_data[0]:
            self._stop_waiting()
        elif self._patience is None:
            self._be_patient(self._limits.head_seconds, self._give_up)

    def handle_websocket_upgrade(self, event: h11.Request) -> None:
        """Become a web socket, which may be silent: other limits hold for it."""
        self._no_longer_counted()
        super().handle_websocket_upgrade(event)

    def send_400_response(self, msg: str) -> None:
        """Answer what is no HTTP."""
        self._refuse(400, "this is not a request of HTTP - see /api/openapi.json")

    @property
    def _address(self) -> str:
        return self.client[0] if self.client else ""

    def _no_longer_counted(self) -> None:
        self._stop_waiting()
        self._addresses.leave(self._address, self)

    def _be_patient(self, seconds: float, then: Callable[[], object]) -> None:
        self._stop_waiting()
        self._patience = self.loop.call_later(seconds, then)

    def _stop_waiting(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None

    def _give_up(self) -> None:
        """Close a connection whose head is late; who has begun one is told why."""
        if self.conn.trailing_data[0]:
            seconds = self._limits.head_seconds
            self._refuse(408, f"the head took longer than {seconds:g} s - send it faster")
        else:
            self.transport.close()

    def _refuse(self, status: int, message: str) -> None:
        """Say *message* and close; what still comes is forgotten.

        The system would take back words that have not arrived if anything were left unread.
        """
        self._is_refused = True
        body = json.dumps({"error": message}).encode()
        head = (
            f"HTTP/1.1 {status} {HTTPStatus(status).phrase}\r\ncontent-type: application/json\r\n"
            f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
        )
        self.transport.write(head.encode() + body)
        if self.transport.can_write_eof():
            self.transport.write_eof()
        self._be_patient(_FAREWELL, self.transport.close)
