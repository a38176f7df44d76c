"""The API of runs: list, watch, begin, pause, go on, stop."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Depends, Path, Query, Request, Response

from evoply.web.limits import Limits
from evoply.web.messages import Error
from evoply.web.run_messages import (
    ChampionShown,
    FormShown,
    PresetList,
    RunList,
    RunRequest,
    RunStarted,
    RunState,
    StartRun,
)

if TYPE_CHECKING:
    from evoply.web.run_hall import RunHall

# Only functions without `async`: each runs in a thread, because reading a run takes a while.


@dataclass(slots=True)
class RunEntrance:
    """The way to the hall of runs, which is built for its first visitor.

    What knows runs takes most of a second to load, and whoever only plays never needs it.
    """

    limits: Limits
    _hall: RunHall | None = None
    _building: threading.Lock = field(default_factory=threading.Lock)

    def hall(self) -> RunHall:
        """Return the hall, one for everybody."""
        from evoply.web.run_hall import RunHall

        with self._building:
            if self._hall is None:
                self._hall = RunHall(self.limits)
            return self._hall


def _hall(request: Request) -> object:
    entrance: RunEntrance = request.app.state.runs
    return entrance.hall()


if TYPE_CHECKING:
    Hall = Annotated[RunHall, Depends(_hall)]
else:  # a request's arguments are looked at when the server begins
    Hall = Annotated[object, Depends(_hall)]
RunName = Annotated[str, Path(max_length=250)]
_WRONG = {code: {"model": Error} for code in (401, 404, 409, 422, 429)}

run_router = APIRouter(prefix="/api", tags=["runs"], responses=_WRONG)  # type: ignore[arg-type]


@run_router.get("/presets")
def presets(hall: Hall) -> PresetList:
    """Return the configs that a run can begin with."""
    return hall.presets()


@run_router.get("/presets/{preset}")
def form(preset: Annotated[str, Path(max_length=60)], hall: Hall) -> FormShown:
    """Return everything that can be set of a run of a preset."""
    return hall.form(preset)


@run_router.get("/runs")
def runs(hall: Hall) -> RunList:
    """Return the runs of the folder, newest first."""
    return hall.runs()


@run_router.post("/runs", status_code=201)
def begin(asked: StartRun, hall: Hall) -> RunStarted:
    """Begin a run in a process of its own, which goes on when this server ends."""
    return RunStarted(name=hall.begin(asked))


# A name may have a stroke, so what follows it is matched first.
@run_router.get("/runs/{name:path}/champion")
def champion(
    name: RunName, hall: Hall, generation: Annotated[int | None, Query(ge=0, le=10**12)] = None
) -> ChampionShown:
    """Return the champion of a run, as it is now or was after a generation, and what is new."""
    return hall.champion(name, generation)


@run_router.post("/runs/{name:path}/requests", status_code=202)
def ask(name: RunName, asked: RunRequest, hall: Hall) -> RunState:
    """Ask a run to pause, go on or stop; it looks between generations."""
    return hall.ask(name, asked)


@run_router.get(
    "/runs/{name:path}",
    response_model=RunState,
    responses={304: {"description": "It is as it was."}},
)
def read(name: RunName, hall: Hall, request: Request, response: Response) -> RunState | Response:
    """Return a run as it is now; with `If-None-Match` only if it has changed."""
    state = hall.read(name)
    # Asked again and again by pages that watch, which mostly know it already.
    headers = {"etag": f'"{abs(hash(state.version)):x}"', "cache-control": "no-cache"}
    if request.headers.get("if-none-match") == headers["etag"]:
        return Response(status_code=304, headers=headers)
    response.headers.update(headers)
    return state
