"""Checks every request, and every connection, before anything else sees it.

A page of another site must not reach the server through its reader's browser: the Host must be one
of ours, exactly, and so must the Origin, if there is one; a request that changes something carries
the token, which only our own page can read. Bodies are bounded in size and time, never compressed.
Other devices are let in by a session only (`sign_in`), and some routes are for this machine alone.

Reasons: docs/design/page.md.
"""

import asyncio
import json
import secrets
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, cast

import h11
from fastapi import Depends, HTTPException
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from evoply.environment.addresses import AddressLimit, is_this_machine, shown_address
from evoply.web.limits import Rate, RateLimiter, ServerLimits
from evoply.web.sign_in import Door, address_of

TOKEN_HEADER = "x-evoply-token"
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_PASSED_ON = ("forwarded", "x-forwarded-for", "x-real-ip", "via")
_HAND_IN = "/api/class"
"""Where bots are handed in, which are larger than all else."""
_AT_MACHINE = "evoply.is_at_machine"
"""The key of a request's scope that says where it comes from."""


def is_at_machine(connection: HTTPConnection) -> bool:
    """Return whether a request comes from the machine of the server."""
    return bool(connection.scope.get(_AT_MACHINE, False))


def _check_at_machine(connection: HTTPConnection) -> None:
    if not is_at_machine(connection):
        raise HTTPException(403, "only who sits at the machine of the server may do this")


AT_MACHINE = (Depends(_check_at_machine),)
"""The dependencies of a route that is for who sits at the machine alone."""


def policy_of(host: str) -> str:
    """Return the content security policy: scripts and styles are files of ours, nothing inline."""
    return (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        f"frame-src 'self'; connect-src 'self' ws://{host}; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    )


@dataclass(frozen=True, slots=True)
class Trusted:
    """The names of the server, the token of requests that change something, and the password."""

    hosts: tuple[str, ...]
    """Values of the header Host, with the port."""
    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    password: str | None = field(default=None, repr=False)
    """What people on other devices must know; None if nobody else reaches the server."""
    others: tuple[str, ...] = ()
    """The addresses, as of pages, that people on other devices can open."""

    def names_of(self, scope: Scope) -> tuple[str, ...]:
        """Return the names by which a request may call the server.

        On a connection from elsewhere that is the very address that it was made to: no name of
        another site leads there.
        """
        server = scope.get("server")
        if self.password is None or server is None:
            return self.hosts
        return (*self.hosts, shown_address(server[0], server[1]))

    def name_in(self, scope: Scope, headers: Headers) -> str | None:
        """Return how a request calls the server, None if that is no name of it."""
        hosts = headers.getlist("host")
        # A browser leaves out the usual port.
        is_known = len(hosts) == 1 and {hosts[0], f"{hosts[0]}:80"} & set(self.names_of(scope))
        return hosts[0] if is_known else None

    def is_at_machine(self, scope: Scope) -> bool:
        """Return whether a request comes from the machine of the server.

        A proxy on this machine speaks for others: what it passes on is from elsewhere.
        """
        if self.password is None:
            return True
        client = scope.get("client")
        headers = Headers(scope=scope)
        is_passed_on = any(name in headers for name in _PASSED_ON)
        return client is not None and is_this_machine(client[0]) and not is_passed_on


class AnsweredError(Exception):
    """A request that goes no further: it has its answer."""

    def __init__(self, answer: Response) -> None:
        super().__init__()
        self.answer = answer


class RefusedRequestError(AnsweredError):
    """A request that is not allowed."""

    def __init__(self, status: int, message: str, **headers: str) -> None:
        # What is left of the request is not read.
        headers = {"connection": "close", **headers}
        super().__init__(JSONResponse({"error": message}, status, headers))


class Protection:
    """The application *app*, behind all checks."""

    def __init__(self, app: ASGIApp, trusted: Trusted, limits: ServerLimits) -> None:
        self.app, self.trusted, self.limits = app, trusted, limits
        self._requests = RateLimiter(limits.requests)
        self._asked = RateLimiter(limits.asked_from_elsewhere)
        self._door = None if trusted.password is None else Door(trusted.password, limits)
        self._headers = {
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
        headers = Headers(scope=scope)
        scope[_AT_MACHINE] = self.trusted.is_at_machine(scope)
        policy = policy_of(self.trusted.name_in(scope, headers) or self.trusted.hosts[0])

        async def reply(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                # Reports and the sign-in have policies of their own.
                sent.setdefault("content-security-policy", policy)
                for name, value in self._headers.items():
                    sent.setdefault(name, value)
            await send(message)

        try:
            self._check_source(scope, headers)
            if self._door is not None and not scope[_AT_MACHINE]:
                await self._check_session(self._door, scope, headers, receive)
            self._check_change(scope, headers)
            if is_http:
                receive = await self._with_body(scope, headers, receive)
        except AnsweredError as answered:
            await (answered.answer(scope, receive, reply) if is_http else _close(receive, send))
        else:
            await self.app(scope, receive, reply)

    def _check_source(self, scope: Scope, headers: Headers) -> None:
        """Refuse requests by other names and from pages of other sites, and too many."""
        name, origins = self.trusted.name_in(scope, headers), headers.getlist("origin")
        if name is None:
            names = " or ".join(self.trusted.names_of(scope))
            raise RefusedRequestError(
                400, f"Host: this server is called {names} - use this address"
            )
        if len(origins) > 1 or any(origin != f"http://{name}" for origin in origins):
            raise RefusedRequestError(403, "Origin: pages of other sites are not answered")
        self._check_rate(self._requests, self.limits.requests, scope.get("client"))

    async def _check_session(
        self, door: Door, scope: Scope, headers: Headers, receive: Receive
    ) -> None:
        """Answer who comes from elsewhere and has not signed in, or asks for too much."""
        is_http = scope["type"] == "http"
        if not door.is_open_to(scope, headers):
            if is_http and door.is_word(scope, headers):
                body = await self._body(headers, receive, self.limits.word_bytes)
                raise AnsweredError(door.answer_word(scope, body))
            raise AnsweredError(door.closed(headers))
        if is_http and scope["method"] not in _READING:
            self._check_rate(self._asked, self.limits.asked_from_elsewhere, address_of(scope))

    def _check_rate(self, limiter: RateLimiter, rate: Rate, who: Hashable) -> None:
        wait = limiter.seconds_to_wait(who)
        if wait:
            raise RefusedRequestError(
                429,
                f"more than {rate.each_second:g} requests a second - slow down",
                **{"retry-after": str(max(1, round(wait)))},
            )

    def _check_change(self, scope: Scope, headers: Headers) -> None:
        """Refuse what changes something, or is told of changes, unless it is our page's."""
        if scope["type"] == "websocket":
            if "origin" not in headers and not self._has_token(headers):
                raise RefusedRequestError(403, "Origin: is missing - send it, or the token")
            return
        if scope["method"] in _READING:
            return
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

    async def _with_body(self, scope: Scope, headers: Headers, receive: Receive) -> Receive:
        """Read the body of the request within the limits; return what gives it again."""
        most = self.limits.body_bytes
        if scope["path"] == _HAND_IN:
            most += self.limits.hand_in_bytes * 4 // 3  # in base64
        body = await self._body(headers, receive, most)
        is_sent = False

        async def again() -> Message:
            nonlocal is_sent
            if is_sent:
                return await receive()
            is_sent = True
            return {"type": "http.request", "body": body, "more_body": False}

        return again

    async def _body(self, headers: Headers, receive: Receive, most: int) -> bytes:
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
        return body


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
