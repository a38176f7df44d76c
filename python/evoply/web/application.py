"""The application: the API and the page, behind all checks."""

import mimetypes
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from functools import cache
from html import escape
from http import HTTPStatus
from importlib.resources import files
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import HTMLResponse, JSONResponse, Response
from fastapi.staticfiles import StaticFiles
from starlette.exceptions import HTTPException as StarletteError
from starlette.types import ASGIApp

from evoply import _native
from evoply.games.drawing import COLORS
from evoply.look import LINE_COLORS, pieces_css
from evoply.processes import core_count
from evoply.protocols import ConfigError, RunError, RunNameError
from evoply.web.book_routes import book_router
from evoply.web.game_hall import GameHall
from evoply.web.game_routes import game_router
from evoply.web.limits import LimitError, ServerLimits
from evoply.web.messages import Health
from evoply.web.open_game import ConflictError
from evoply.web.protection import Protection, Trusted
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
}
"""The status of an answer by its error: the first kind that fits, 422 for any other."""


def application(games: Path, trusted: Trusted, limits: ServerLimits | None = None) -> ASGIApp:
    """Return the application, whose games lie in the file *games*.

    Raises `StoreError` if the file cannot be used.
    """
    limits = ServerLimits() if limits is None else limits
    store = GameStore(games)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        pool = ThinkingPool(core_count(), limits.waiting)
        app.state.hall = hall = GameHall(store, pool, limits)
        app.state.runs = RunEntrance(limits)
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
    async def page() -> HTMLResponse:
        text = (_STATIC / "index.html").read_text(encoding="utf-8")
        # Only our own page can read it: browsers keep it from pages of other sites.
        text = text.replace("{token}", escape(trusted.token))
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
