"""Checks every request, and every connection, before anything else sees it.

A page of another site must not reach the server through its reader's browser: the Host must be one
of ours, exactly, and so must the Origin, if there is one; a request that changes something carries
the token, which only our own page can read. Bodies are bounded in size and time, never compressed.

Reasons: docs/design/page.md.
"""

import asyncio
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

import h11
from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from evoply.environment.addresses import AddressLimit
from evoply.web.limits import RateLimiter, ServerLimits

TOKEN_HEADER = "x-evoply-token"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})


@dataclass(frozen=True, slots=True)
class Trusted:
    """The names of the server, and the token of requests that change something."""

    hosts: tuple[str, ...]
    """Values of the header Host, with the port."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)

    @property
    def origins(self) -> tuple[str, ...]:
        """Values of the header Origin."""
        return tuple(f"http://{host}" for host in self.hosts)

    @property
    def policy(self) -> str:
        """The content security policy: scripts and styles are files of ours, nothing is inline."""
        sockets = " ".join(f"ws://{host}" for host in self.hosts)
        return (
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
            "frame-src 'self'; "
            f"connect-src 'self' {sockets}; base-uri 'none'; form-action 'none'; "
            "frame-ancestors 'none'"
        )


class RefusedRequestError(Exception):
    """A request that goes no further."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        super().__init__(message)
        # What is left of the request is not read.
        self.answer = JSONResponse({"error": message}, status, {"connection": "close", **headers})


class Protection:
    """The application *app*, behind all checks."""

    def __init__(self, app: ASGIApp, trusted: Trusted, limits: ServerLimits) -> None:
        self.app, self.trusted, self.limits = app, trusted, limits
        self._requests = RateLimiter(limits.requests)
        self._headers = {
            "content-security-policy": trusted.policy,
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "x-frame-options": "DENY",
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        is_http = scope["type"] == "http"

        async def reply(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in self._headers.items():
                    # Only reports have a policy of their own, for a page without script in a frame.
                    headers.setdefault(name, value)
            await send(message)

        try:
            self._check(scope, Headers(scope=scope))
            if is_http:
                receive = await self._with_body(scope, receive)
        except RefusedRequestError as refused:
            await (refused.answer(scope, receive, reply) if is_http else _close(receive, send))
        else:
            await self.app(scope, receive, reply)

    def _check(self, scope: Scope, headers: Headers) -> None:
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or hosts[0] not in self.trusted.hosts:
            names = " or ".join(self.trusted.hosts)
            raise RefusedRequestError(
                400, f"Host: this server is called {names} - use this address"
            )
        if len(origins) > 1 or any(origin not in self.trusted.origins for origin in origins):
            raise RefusedRequestError(403, "Origin: pages of other sites are not answered")
        if scope["type"] == "websocket":
            if not origins and not self._has_token(headers):
                raise RefusedRequestError(403, "Origin: is missing - send it, or the token")
        elif scope["method"] not in _READING:
            self._check_change(headers)
        wait = self._requests.seconds_to_wait(scope.get("client"))
        if wait:
            raise RefusedRequestError(
                429,
                f"more than {self.limits.requests.each_second:g} requests a second - slow down",
                **{"retry-after": str(max(1, round(wait)))},
            )

    def _check_change(self, headers: Headers) -> None:
        if not self._has_token(headers):
            raise RefusedRequestError(
                401,
                "token: is missing or wrong - send 'Authorization: Bearer TOKEN' with the token "
                "of `evoply web --json`",
                **{"www-authenticate": "Bearer"},
            )
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise RefusedRequestError(415, "Content-Type: send application/json")

    def _has_token(self, headers: Headers) -> bool:
        authorization = headers.get("authorization", "")
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() != "bearer":
            token = headers.get(TOKEN_HEADER, "")
        return secrets.compare_digest(token.strip().encode(), self.trusted.token.encode())

    async def _with_body(self, scope: Scope, receive: Receive) -> Receive:
        """Read the body of the request within the limits; return what gives it again."""
        headers = Headers(scope=scope)
        most = self.limits.body_bytes
        if headers.get("content-encoding", "identity").lower() != "identity":
            raise RefusedRequestError(415, "Content-Encoding: send the body as it is")
        too_large = RefusedRequestError(413, f"the body is larger than {most:,} bytes - send less")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > 15 or int(length) > most:
            raise too_large
        body, is_whole = b"", False
        try:
            async with asyncio.timeout(self.limits.body_seconds):
                while not is_whole:
                    message = await receive()
                    if message["type"] != "http.request":
                        raise RefusedRequestError(400, "the request ended too early")
                    body += message.get("body", b"")
                    is_whole = not message.get("more_body", False)
                    if len(body) > most:
                        raise too_large
        except TimeoutError:
            raise RefusedRequestError(
                408, f"the body took longer than {self.limits.body_seconds:g} s - send it faster"
            ) from None
        is_sent = False

        async def again() -> Message:
            nonlocal is_sent
            if is_sent:
                return await receive()
            is_sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        return again


async def _close(receive: Receive, send: Send) -> None:
    await receive()
    await send({"type": "websocket.close", "code": 1008})


# HTTP connections with limits on their number and on the time for a request's head.
#
# Uvicorn closes what is idle between requests, but waits for a first or a half-sent head for ever.

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
