"""Pages that evoply has written below the folder of runs: tournaments, experiments, studies, runs.

They load nothing and need no script. They are shown as they are, with a policy of their own that
lets in their style and nothing else, in a sandbox: whatever lies there cannot reach the server.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, HTTPException
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse

from evoply.environment.files import runs_directory
from evoply.web.messages import ApiAnswer, wrong_as_json

_MOST_LISTED = 200
_MOST_LOOKED_AT = 20_000
_DEEPEST = 4
_MOST_BYTES = 30_000_000
_HEAD = 4096
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'self'; sandbox"
)
_TITLE = re.compile(r"<title>([^<]{1,300})</title>")
_AGAIN = b'<meta http-equiv="refresh" content="5">'
"""The tag by which a file reloads itself; a sandbox forbids it, and browsers complain."""
_STATE = re.compile(r'<meta name="evoply-state" content="([^"]{1,300})">')


class ReportListed(ApiAnswer):
    """A page in the folder of runs."""

    path: str
    """Where it is, below `/reports/`."""
    title: str
    written: str
    state: str
    """How far the work was when it was written, if it was not over; else empty."""
    goes_on: bool
    """Whether the work was to go on."""


class ReportList(ApiAnswer):
    """The pages in the folder of runs, newest first."""

    reports: list[ReportListed]


report_router = APIRouter(tags=["reports"])


@report_router.get("/api/reports")
def reports() -> ReportList:
    """Return the pages that were written below the folder of runs."""
    root = runs_directory()
    newest = sorted(_pages(root), key=lambda page: -page[0])[:_MOST_LISTED]
    pages = []
    for moment, path in newest:
        title, state, goes_on = _head(path)
        if title:
            written = datetime.fromtimestamp(moment, UTC).isoformat()
            name = path.relative_to(root).as_posix()
            pages.append(
                ReportListed(path=name, title=title, written=written, state=state, goes_on=goes_on)
            )
    return ReportList(reports=pages)


@report_router.get(
    "/reports/{name:path}",
    response_class=HTMLResponse,
    responses=wrong_as_json(404, 422),
)
def report(name: Annotated[str, InPath(max_length=500)]) -> HTMLResponse:
    """Return a page, in a sandbox."""
    root = runs_directory().resolve()
    missing = HTTPException(
        404, "there is no such page below the folder of runs - see /api/reports"
    )
    parts = name.split("/")
    if len(parts) > _DEEPEST or not all(parts) or any(part.startswith(".") for part in parts):
        raise missing
    try:
        path = root.joinpath(*parts).resolve()
        is_ours = path.is_relative_to(root) and path.suffix == ".html" and path.is_file()
        if not is_ours or path.stat().st_size > _MOST_BYTES or not _head(path)[0]:
            raise missing
        content = path.read_bytes().replace(_AGAIN, b"", 1)
    except (OSError, ValueError):
        raise missing from None
    headers = {
        "content-security-policy": _POLICY,
        "x-frame-options": "SAMEORIGIN",
        "cache-control": "no-cache",
    }
    return HTMLResponse(content, headers=headers)


def _pages(folder: Path) -> Iterator[tuple[float, Path]]:
    """Yield the pages below *folder* and when they were written; links are not followed."""
    looked_at = 0
    waiting = [(folder, 1)]
    while waiting:
        folder, level = waiting.pop()
        try:
            entries = list(folder.iterdir())
        except OSError:
            continue
        for entry in entries:
            looked_at += 1
            if looked_at > _MOST_LOOKED_AT:
                return
            if entry.name.startswith(".") or entry.is_symlink():
                continue
            if entry.suffix == ".html" and entry.is_file():
                yield entry.stat().st_mtime, entry
            elif level < _DEEPEST and entry.is_dir():
                waiting.append((entry, level + 1))


def _head(path: Path) -> tuple[str, str, bool]:
    """Return the title of one of evoply's pages, "" for other files; its state; if it goes on."""
    try:
        with path.open("rb") as file:
            start = file.read(_HEAD)
    except OSError:
        return "", "", False
    head = start.decode("utf-8", errors="replace")
    title, state = (
        match and unescape(match[1]) for match in (_TITLE.search(head), _STATE.search(head))
    )
    return title or "", state or "", _AGAIN in start
