"""Bots that a class hands in, and pages of its results: files in a folder of the teacher's.

A file that was handed in is never run here: a process of its own only parses it. It is run when the
teacher names the folder in a command, as `evoply tournament FOLDER` does.
"""

import hashlib
import json
import re
import secrets
import subprocess
import sys
import threading
from base64 import b64decode
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

from fastapi import APIRouter, Depends, HTTPException, Request
from fastapi import Path as InPath
from fastapi.responses import HTMLResponse
from pydantic import Field, TypeAdapter, ValidationError

from evoply.environment.files import read_limited, write_atomically
from evoply.web.limits import LimitError, ServerLimits
from evoply.web.messages import WRONG, ApiAnswer, Asked, wrong_as_json
from evoply.web.open_game import ConflictError
from evoply.wording import shorten

_OWNERS = "hand-ins.json"
_RESULTS = "results"
_NAME = "[A-Za-z0-9_-]{1,30}"
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"
_MOST_BYTES = 30_000_000
_SECONDS = 10
"""The longest time that a file may take to be parsed."""
_RESERVED = frozenset(
    name.casefold() for name in (*sys.stdlib_module_names, "evoply", "numpy", "index")
)
"""Modules, instead of which other bots of the folder would import this file; and the results."""
# Without scripts its origin gives the page nothing; without one its links would have no cookie.
_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; sandbox allow-same-origin"
)
# A tree may be deeper than the parser's stack, which would end this process.
_PARSE = """
import ast, sys
try:
    ast.parse(sys.stdin.buffer.read())
except SyntaxError as error:
    print(f"line {error.lineno or 1}: {error.msg}")
except ValueError as error:
    print(error)
"""


class HandIn(Asked):
    """A bot that somebody hands in."""

    name: str = Field(pattern=f"^{_NAME}$")
    """Its name: letters, digits, - and _, at most 30."""
    source: str = Field(max_length=480_000)
    """Its file, in base64."""
    code: str = Field(default="", max_length=40)
    """What was shown when this name was handed in first; empty the first time."""


class HandedIn(ApiAnswer):
    """A bot of the class."""

    name: str
    when: str
    """ISO time in UTC of the newest file."""
    has_result: bool = False
    """Whether there is `/class/results/NAME.html`."""
    code: str = ""
    """What the name can be handed in with again: told once, to whoever handed it in first."""


class ClassShown(ApiAnswer):
    """What a class has handed in."""

    bots: list[HandedIn]
    has_results: bool
    """Whether there is `/class/results/index.html`."""


class _Owner(ApiAnswer):
    """Whose a name is."""

    code: str
    """The SHA-256 of the code."""
    when: str


_KNOWN = TypeAdapter(dict[str, _Owner])


@dataclass(slots=True)
class HandIns:
    """The bots in *folder*, which was typed by whoever started the server."""

    folder: Path
    limits: ServerLimits
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def shown(self) -> ClassShown:
        """Return what has been handed in, and which results there are."""
        bots = [
            HandedIn(name=name, when=owner.when, has_result=self._result(name).is_file())
            for name, owner in sorted(self._known().items())
            if self._file(name).is_file()
        ]
        return ClassShown(bots=bots, has_results=self._result("index").is_file())

    def take(self, asked: HandIn) -> HandedIn:
        """Write a file that was handed in; raises `ValueError` and `ConflictError` if not."""
        try:
            source = b64decode(asked.source, validate=True)
        except ValueError:
            raise ValueError("source: is not base64 - send the bytes of the file so") from None
        most = self.limits.hand_in_bytes
        if len(source) > most:
            raise ValueError(f"source: has {len(source):,} bytes - at most {most:,} are allowed")
        if asked.name.casefold() in _RESERVED:
            raise ValueError(
                f"name: {asked.name} is a name that Python or evoply uses itself - choose another"
            )
        with self._lock:
            problem = problem_of(source)
            if problem is not None:
                raise ValueError(f"source: {problem}")
            return self._keep(asked, source)

    def result(self, name: str) -> bytes:
        """Return a page of results; `ValueError` if there is none of this name."""
        path = self._result(name)
        try:
            if path.is_symlink() or not path.is_file() or path.stat().st_size > _MOST_BYTES:
                raise ValueError(name)
            return path.read_bytes()
        except OSError:
            raise ValueError(name) from None

    def _keep(self, asked: HandIn, source: bytes) -> HandedIn:
        known, target = self._known(), self._file(asked.name)
        # Some disks take Ada.py and ada.py for the same file.
        there = {path.stem.casefold() for path in self.folder.glob("*.py")}
        owner, code = known.get(asked.name), ""
        if asked.name.casefold() in there:
            is_own = owner is not None and secrets.compare_digest(owner.code, _kept(asked.code))
            if not is_own or target.is_symlink():
                raise ConflictError(
                    f"name: {asked.name} is taken - choose another one, or give the code that was "
                    "shown when you handed it in first"
                )
        else:
            if len(there) >= self.limits.hand_ins:
                raise LimitError(f"there are {self.limits.hand_ins} bots already")
            code = "".join(secrets.choice(_LETTERS) for _ in range(8))
        now = datetime.now(UTC).isoformat(timespec="seconds")
        known[asked.name] = _Owner(
            code=_kept(code) if code or owner is None else owner.code, when=now
        )
        plain = {name: owner.model_dump() for name, owner in known.items()}
        # First whose it is: a name whose file is missing is free.
        write_atomically(self.folder / _OWNERS, json.dumps(plain, indent=1) + "\n")
        write_atomically(target, source)
        return HandedIn(name=asked.name, when=now, code=code)

    def _known(self) -> dict[str, _Owner]:
        path = self.folder / _OWNERS
        try:
            known = _KNOWN.validate_json(read_limited(path, 1_000_000))
        except FileNotFoundError:
            return {}
        except (ValidationError, OSError, ValueError):
            raise ConflictError(
                f"{_OWNERS} in the folder of the class cannot be read - the teacher can move it "
                "away; names that are there then belong to nobody"
            ) from None
        return {name: owner for name, owner in known.items() if re.fullmatch(_NAME, name)}

    def _file(self, name: str) -> Path:
        return self.folder / f"{name}.py"

    def _result(self, name: str) -> Path:
        return self.folder / _RESULTS / f"{name}.html"


def problem_of(source: bytes) -> str | None:
    r"""Return why a file is no Python, with its line; None if it is. Nothing of it is run.

    >>> problem_of(b"class Bot:\n    def choose(self:\n")
    "line 2: '(' was never closed"
    """
    command = [sys.executable, "-I", "-S", "-W", "ignore", "-X", "utf8", "-c", _PARSE]
    try:
        done = subprocess.run(command, input=source, capture_output=True, timeout=_SECONDS)
    except subprocess.TimeoutExpired:
        return "it takes too long to read - hand in a simpler file"
    if done.returncode:
        return "it is nested too deep - hand in a simpler file"
    return shorten(done.stdout.decode("utf-8", "replace").strip(), 300) or None


def _kept(code: str) -> str:
    return hashlib.sha256(code.strip().encode()).hexdigest()


def _hand_ins(request: Request) -> HandIns:
    found: HandIns | None = request.app.state.hand_ins
    if found is None:
        raise HTTPException(
            404, "this server has no class - `evoply web --class FOLDER` begins one"
        )
    return found


InClass = Annotated[HandIns, Depends(_hand_ins)]
class_router = APIRouter(tags=["class"], responses=WRONG)

# Functions without `async` run in a thread: they read and write files.


@class_router.get("/api/class")
def shown(hand_ins: InClass) -> ClassShown:
    """Return the bots that were handed in, and which results there are."""
    return hand_ins.shown()


@class_router.post("/api/class", status_code=201)
def hand_in(body: HandIn, hand_ins: InClass) -> HandedIn:
    """Hand in a bot; it is parsed and written, and never run here."""
    return hand_ins.take(body)


@class_router.get(
    "/class/results/{name}.html", response_class=HTMLResponse, responses=wrong_as_json(404, 422)
)
def result(name: Annotated[str, InPath(pattern=f"^{_NAME}$")], hand_ins: InClass) -> HTMLResponse:
    """Return a page of the results of the class, without scripts."""
    try:
        content = hand_ins.result(name)
    except ValueError:
        raise HTTPException(404, "there is no such page of results yet") from None
    return HTMLResponse(
        content, headers={"content-security-policy": _POLICY, "cache-control": "no-cache"}
    )
