"""The application: the API and the page, behind all checks; and the server that runs it."""

import errno
import mimetypes
import os
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import ExitStack, asynccontextmanager
from functools import cache
from html import escape
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteError
from starlette.types import ASGIApp

from evoply import _native
from evoply.environment import core_count
from evoply.environment.addresses import (
    is_every_address,
    is_this_machine,
    own_addresses,
    shown_address,
)
from evoply.games.drawing import COLORS
from evoply.protocols import ConfigError, RunError, RunNameError
from evoply.protocols.sections import LINE_COLORS, pieces_css
from evoply.web.game_hall import GameHall
from evoply.web.game_routes import book_router, game_router
from evoply.web.hand_ins import HandIns, class_router
from evoply.web.limits import LimitError, ServerLimits
from evoply.web.messages import Health
from evoply.web.open_game import ConflictError, SeatError
from evoply.web.protection import Protection, Trusted, http_connections, is_at_machine
from evoply.web.report_routes import report_router
from evoply.web.run_routes import RunEntrance, run_router
from evoply.web.store import GameStore, StoreError
from evoply.web.thinking import ThinkingPool
from evoply.wording import must_be, shorten

_STATIC = Path(str(files("evoply.web"))) / "static"
_NOT_READ = "error parsing the body"
"""What FastAPI says of a body that the JSON reader of Python gives up."""
_STATUSES: dict[type[ValueError], int] = {
    RunNameError: 404,
    StoreError: 500,
    RunError: 409,
    ConflictError: 409,
    SeatError: 403,
}
"""The status of an answer by its error: the first kind that fits, 422 for any other."""


def application(
    games: Path,
    trusted: Trusted,
    limits: ServerLimits | None = None,
    class_folder: Path | None = None,
) -> ASGIApp:
    """Return the application, whose games lie in the file *games*.

    A class hands in bots into *class_folder*. Raises `StoreError` if the file cannot be used.
    """
    limits = ServerLimits() if limits is None else limits
    store = GameStore(games)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool = ThinkingPool(core_count(), limits.waiting)
        app.state.hall = hall = GameHall(store, pool, limits)
        app.state.runs = RunEntrance(limits)
        app.state.hand_ins = None if class_folder is None else HandIns(class_folder, limits)
        try:
            yield
        finally:
            hall.close()

    app = FastAPI(
        title="evoply",
        version=_native.__version__,
        description="Play, watch and understand. What changes something needs the header "
        "`Authorization: Bearer TOKEN`; `evoply web --json` tells the token.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.include_router(game_router)
    app.include_router(run_router)
    app.include_router(report_router)
    app.include_router(book_router)
    app.include_router(class_router)
    _add_pages(app, trusted)
    _add_errors(app)
    return Protection(app, trusted, limits)


def _add_pages(app: FastAPI, trusted: Trusted) -> None:
    # The system's table of types may not know modules, and a browser would refuse them.
    mimetypes.add_type("text/javascript", ".js")
    no_cache = {"cache-control": "no-cache"}

    @app.get("/api/health", tags=["server"])
    async def health() -> Health:
        """Return whether the server is there."""
        return Health(version=_native.__version__)

    @app.get("/", include_in_schema=False)
    async def page(request: Request) -> HTMLResponse:
        text = (_STATIC / "index.html").read_text(encoding="utf-8")
        known = {
            # Only our own page can read it: browsers keep it from pages of other sites.
            "token": trusted.token,
            "version": _native.__version__,
            "others": " ".join(trusted.others),
            "class": "" if request.app.state.hand_ins is None else "on",
            "place": "machine" if is_at_machine(request) else "elsewhere",
        }
        for name, value in known.items():
            text = text.replace(f"{{{name}}}", escape(value))
        return HTMLResponse(text, headers={"cache-control": "no-store"})

    @app.get("/static/look.css", include_in_schema=False)
    async def look() -> Response:
        return Response(_look(), media_type="text/css", headers=no_cache)

    # Installers may link to the files of a package. Paths that lead out of it are refused still.
    static = StaticFiles(directory=_STATIC, follow_symlink=True)
    app.mount("/static", static, name="static")


@cache
def _look() -> str:
    """Return the style of the HTML reports, and the colours of boards and lines by name."""
    # By its path: asked for by its package, it would import all of that first.
    report = files("evoply") / "reports" / "templates" / "page.css"
    named = {**COLORS, **{f"line-{index}": color for index, color in enumerate(LINE_COLORS)}}
    colors = "".join(f"  --{name}: {color};\n" for name, color in named.items())
    return f":root {{\n{colors}}}\n{pieces_css()}\n{report.read_text(encoding='utf-8')}"


def _add_errors(app: FastAPI) -> None:
    """Answer every error with one message in words."""

    @app.exception_handler(RequestValidationError)
    async def answer_invalid(request: Request, error: RequestValidationError) -> JSONResponse:
        problems = [(_field(detail), _words(detail)) for detail in error.errors()[:20]]
        return _answer(422, "; ".join(f"{field}: {what}" for field, what in problems), problems)

    @app.exception_handler(StarletteError)
    async def answer_refusal(request: Request, error: StarletteError) -> JSONResponse:
        if _NOT_READ in str(error.detail):
            return _answer(422, f"body: {_unreadable(error.__cause__)}")
        usual = HTTPStatus(error.status_code).phrase
        if error.detail == usual:
            path = shorten(request.url.path)
            return _answer(
                error.status_code,
                f"{request.method} {path}: {usual.lower()} - see /api/openapi.json",
            )
        return _answer(error.status_code, str(error.detail))

    @app.exception_handler(ValueError)
    async def answer_value_error(request: Request, error: ValueError) -> JSONResponse:
        if isinstance(error, LimitError):
            return _answer(error.status, str(error))
        status = next(
            (status for kind, status in _STATUSES.items() if isinstance(error, kind)), 422
        )
        return _answer(status, str(error), error.errors if isinstance(error, ConfigError) else ())

    @app.exception_handler(Exception)
    async def answer_failure(request: Request, error: Exception) -> JSONResponse:
        # Whoever runs the server sees the error as a whole where it was started.
        return _answer(
            500,
            f"the server failed ({type(error).__name__}) - what it printed says where; "
            "please report that",
        )


def _answer(status: int, message: str, errors: Iterable[tuple[str, str]] = ()) -> JSONResponse:
    """Return the answer of an error; *errors* are fields and what is wrong with them."""
    problems = [{"field": field, "error": what} for field, what in errors]
    return JSONResponse({"error": message, **({"errors": problems} if problems else {})}, status)


def _field(error: dict[str, Any]) -> str:
    """Return the path of an error of pydantic; that of what is not JSON is the whole body."""
    where = error["loc"][:1] if error["type"] == "json_invalid" else error["loc"][1:]
    return ".".join(str(part) for part in where) or "request"


def _unreadable(error: BaseException | None) -> str:
    """Return why a body cannot be read that may well be JSON."""
    match error:
        case RecursionError():
            return "has lists or objects too deep in one another - send a flatter one"
        case UnicodeDecodeError():
            return "is not UTF-8 - send JSON in UTF-8"
        case ValueError():
            return "has a number with too many digits - send a shorter one"
    return "cannot be read - send JSON"


def _words(error: dict[str, Any]) -> str:
    if error["type"] == "json_invalid":
        return "this is not JSON"
    return must_be(error)


# The server as a process: its socket, and how it begins and ends.

HOST = "127.0.0.1"
"""Where the server listens for this machine, whatever else it listens on."""
_SWITCH = 0.0005
"""Seconds after which a thread that computes in Python lets others do so. Usually it is ten times
that, which the loop that answers requests would wait for after every message it sends."""


def serve(
    port: int,
    games: Path,
    on_ready: Callable[[str, Trusted], None],
    limits: ServerLimits | None = None,
    *,
    host: str = HOST,
    password: str | None = None,
    class_folder: Path | None = None,
) -> None:
    """Serve on *port* (0: any that is free) until Ctrl-C.

    The server always listens for this machine. With another *host*, one of its addresses or
    0.0.0.0 for all, people on other devices who know the *password* come in, too.

    *games* is the file of games, *class_folder* where a class hands in its bots. *on_ready* hears
    the address for this machine and what the server is called as soon as requests are answered.
    Raises `ValueError` if the address or the port cannot be had, and `StoreError` for the file.
    """
    is_shared = not is_this_machine(host)
    if is_shared and password is None:
        raise ValueError("password: is missing - nobody else is let in without one")
    with ExitStack() as stack:
        covers_all = is_shared and ":" not in host and is_every_address(host)
        main = stack.enter_context(_open_socket(host if covers_all else HOST, port))
        number = main.getsockname()[1]
        listeners = [main]
        if is_shared and not covers_all:
            listeners.append(stack.enter_context(_open_socket(host, number)))
        trusted = Trusted(
            (f"{HOST}:{number}", f"localhost:{number}"),
            password=password if is_shared else None,
            others=tuple(
                f"http://{shown_address(address, number)}"
                for address in (own_addresses(host) if is_shared else ())
            ),
        )
        sys.setswitchinterval(_SWITCH)
        server = _Server(server_config(games, trusted, limits, class_folder))
        server.on_started = lambda: on_ready(f"http://{HOST}:{number}", trusted)
        server.run(sockets=listeners)


def server_config(
    games: Path,
    trusted: Trusted,
    limits: ServerLimits | None = None,
    class_folder: Path | None = None,
) -> uvicorn.Config:
    """Return what uvicorn needs to serve the file *games*; raises `StoreError`."""
    limits = ServerLimits() if limits is None else limits
    return uvicorn.Config(
        application(games, trusted, limits, class_folder),
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


def _open_socket(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind((host, port))
        listener.listen(256)
    except OSError as error:
        listener.close()
        if error.errno == errno.EADDRINUSE:
            raise ValueError(
                f"--port: {port} is used by another program - name another port, or 0 for any"
            ) from None
        if error.errno == errno.EACCES:
            raise ValueError(f"--port: {port} is not allowed - take one above 1023") from None
        if error.errno in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
            raise ValueError(
                f"--host: {host} is no address of this machine - take 0.0.0.0 for all of them"
            ) from None
        raise
    return listener
