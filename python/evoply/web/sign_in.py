"""The door for people on other devices: a password for all, and a session for each browser.

Nothing is encrypted on its way: who can listen there can read the password and the cookie.
"""

import hashlib
import ipaddress
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from html import escape
from importlib.resources import files
from pathlib import Path
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.types import Scope

from evoply.web.limits import RateLimiter, ServerLimits

COOKIE = "evoply-session"
_OPEN = frozenset({"/static/look.css", "/static/app.css", "/static/icon.svg"})
"""What the sign-in needs, and what everybody can read in the package."""
_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'"
)
_HEADERS = {
    "content-security-policy": _POLICY,
    "cache-control": "no-store",
    # Without a referrer a browser would send the form with the origin "null".
    "referrer-policy": "same-origin",
}


def address_of(scope: Scope) -> str:
    """Return the address of a client; of IPv6 the part that one network has for itself."""
    client = scope.get("client")
    if client is None:
        return ""
    if ":" not in client[0]:
        return str(client[0])
    return ipaddress.ip_address(client[0].partition("%")[0]).exploded[:19]


@dataclass(slots=True)
class Door:
    """Lets in whoever knows *password*."""

    password: str = field(repr=False)
    limits: ServerLimits
    _sessions: OrderedDict[bytes, None] = field(default_factory=OrderedDict, repr=False)
    _tries: RateLimiter = field(init=False)

    def __post_init__(self) -> None:
        """Start the count of passwords."""
        self._tries = RateLimiter(self.limits.words)

    def is_open_to(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request goes on: its browser is signed in, or anybody may read that."""
        # Of others with the same name only the newest counts, as in all that reads cookies.
        token = cookie_parser(headers.get("cookie", "")).get(COOKIE, "")
        session = _digest(token)
        if session in self._sessions:
            self._sessions.move_to_end(session)
            return True
        return scope["type"] == "http" and scope["method"] == "GET" and scope["path"] in _OPEN

    def is_word(self, scope: Scope, headers: Headers) -> bool:
        """Return whether a request is the form of the sign-in, which may be sent to any address."""
        kind = headers.get("content-type", "").partition(";")[0].strip().lower()
        return scope["method"] == "POST" and kind == "application/x-www-form-urlencoded"

    def answer_word(self, scope: Scope, body: bytes) -> Response:
        """Return the answer to a form; the right password begins a session."""
        wait = self._tries.seconds_to_wait(address_of(scope))
        if wait:
            seconds = max(1, round(wait))
            return _page(f"Too many passwords. Wait {seconds} s, then try again.", 429)
        given = parse_qs(body.decode("utf-8", "replace")).get("password", [""])[0]
        # Digests have one length: the time tells nothing about the password.
        if not secrets.compare_digest(_digest(given.strip()), _digest(self.password.strip())):
            return _page("This is not the password. Ask who started the server.", 401)
        token = secrets.token_urlsafe(32)
        self._sessions[_digest(token)] = None
        while len(self._sessions) > self.limits.sessions:
            self._sessions.popitem(last=False)
        # Browsers keep what stands behind the # of the address: a link to a game leads there.
        answer = RedirectResponse("/", 303, {"cache-control": "no-store"})
        answer.set_cookie(COOKIE, token, httponly=True, samesite="strict")
        return answer

    def closed(self, headers: Headers) -> Response:
        """Return the answer to a request without a session: the sign-in, or an error."""
        if "text/html" in headers.get("accept", ""):
            return _page("", 401)
        message = "this server has a password - open its address in a browser, and sign in"
        return JSONResponse({"error": message}, 401, {"connection": "close"})


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "replace")).digest()


def _page(message: str, status: int) -> Response:
    path = Path(str(files("evoply.web"))) / "static" / "sign-in.html"
    text = path.read_text(encoding="utf-8").replace("{message}", escape(message))
    return HTMLResponse(text, status, _HEADERS)
