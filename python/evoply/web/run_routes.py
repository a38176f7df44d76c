"""The API of runs: list, watch, begin, pause, go on, stop.

The modules about runs take most of a second to load, and whoever only plays never needs them:
the first request about runs imports them.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from evoply.web.limits import ServerLimits
from evoply.web.messages import WRONG
from evoply.web.protection import AT_MACHINE
from evoply.web.run_messages import (
    ChampionShown,
    FormShown,
    PresetList,
    RunComparison,
    RunList,
    RunRequest,
    RunStarted,
    RunState,
    SideList,
    StartRun,
    preset_shown,
)

if TYPE_CHECKING:
    from evoply.web.run_views import RunReader

# Functions without `async` run in a thread, because reading a run takes a while.


@dataclass(slots=True)
class RunEntrance:
    """Gives the reader of runs, which is made for the first request."""

    limits: ServerLimits
    _reader: RunReader | None = None
    _building: threading.Lock = field(default_factory=threading.Lock)

    def reader(self) -> RunReader:
        """Return the reader of runs, one for everybody, which knows those that were begun."""
        from evoply.web.run_driving import RunDriver
        from evoply.web.run_views import RunReader

        with self._building:
            if self._reader is None:
                self._reader = RunReader(RunDriver(self.limits))
            return self._reader


def _reader(request: Request) -> object:
    entrance: RunEntrance = request.app.state.runs
    return entrance.reader()


if TYPE_CHECKING:
    Reader = Annotated[RunReader, Depends(_reader)]
else:  # a request's arguments are looked at when the server begins
    Reader = Annotated[object, Depends(_reader)]
RunName = Annotated[str, Path(max_length=250)]
SideName = Annotated[str, Query(max_length=260)]
run_router = APIRouter(prefix="/api", tags=["runs"], responses=WRONG)


@run_router.get("/presets")
async def presets() -> PresetList:
    """Return the configs that a run can begin with."""
    from evoply.runs.presets import PRESETS

    return PresetList(presets=[preset_shown(name) for name in PRESETS])


@run_router.get("/presets/{preset}")
def form(
    preset: Annotated[str, Path(max_length=60)],
    reader: Reader,
    game: Annotated[str | None, Query(max_length=60)] = None,
) -> FormShown:
    """Return everything that can be set in a run of a preset, by default of the preset's game."""
    from evoply.web.run_forms import form_of

    return form_of(preset, reader.driver.limits, game)


@run_router.get("/runs")
def runs(reader: Reader) -> RunList:
    """Return the runs of the folder, newest first."""
    return reader.list()


@run_router.post("/runs", status_code=201, dependencies=AT_MACHINE)
def begin(body: StartRun, reader: Reader) -> RunStarted:
    """Begin a run in a process of its own, which goes on when this server ends."""
    return RunStarted(name=reader.driver.begin(body))


@run_router.get("/sides")
def sides() -> SideList:
    """Return what can be compared: runs, and groups of runs that differ in their seeds only."""
    from evoply.web.run_views import sides

    return sides()


@run_router.get("/comparison")
def comparison(first: SideName, second: SideName, reader: Reader) -> RunComparison:
    """Return two sides as they are now, and the keys in which their configs differ."""
    from evoply.web.run_views import compared

    return compared(reader, first, second)


# A name may have a slash, so what follows it is matched first.
@run_router.get("/runs/{name:path}/champion")
def champion(
    name: RunName, generation: Annotated[int | None, Query(ge=0, le=10**12)] = None
) -> ChampionShown:
    """Return the champion of a run, as it is now or was after a generation, and what is new."""
    from evoply.web.run_views import champion_shown

    return champion_shown(name, generation)


@run_router.post("/runs/{name:path}/requests", status_code=202, dependencies=AT_MACHINE)
def ask(name: RunName, body: RunRequest, reader: Reader) -> RunState:
    """Ask a run to pause, go on or stop; it looks between generations."""
    reader.driver.ask(name, body)
    return reader.read(name)


@run_router.get(
    "/runs/{name:path}",
    response_model=RunState,
    responses={304: {"description": "It has not changed."}},
)
def read(
    name: RunName, reader: Reader, request: Request, response: Response
) -> RunState | Response:
    """Return a run as it is now; with `If-None-Match` only if it has changed."""
    state = reader.read(name)
    # Asked again and again by pages that watch, which mostly know it already.
    headers = {"etag": f'"{abs(hash(state.version)):x}"', "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return state
