"""The machine on which a league is made and played: how fast it was, and how much of it was free.

Equal time is fair only on a machine that does nothing else. So a league plays the same few games on
all of its cores before its players are made, before its own games, and after them, and keeps what
came of it beside its runs. Nothing that decides a result depends on it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Literal

from pydantic import Field, TypeAdapter

from evoply.arena import match
from evoply.configs.part import Part
from evoply.environment import ProcessorClock, core_count
from evoply.environment.files import (
    read_kept_text,
    with_checksum,
    without_checksum,
    write_atomically,
)
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.running import Status, games_of, rounds_of, run_experiment
from evoply.protocols import MALFORMED, RunError

_FILE = "machine.json"
_LARGEST = 1_000_000
_PLAYER = "material:depth=3"
_GAMES = 4000
"""So many take half a second: of fewer the part that one core plays alone would count."""
_TRIES = 3
"""The best of them counts: something short is no work that goes on."""
_A_TENTH = 0.1
_MOST_LOOKS = 1000

When = Literal["before the players", "before the games", "after the games"]


class MachineLook(Part):
    """How fast the machine was, and how much of it was free."""

    when: When
    speed: float = Field(gt=0, allow_inf_nan=False)
    """Games a second, on all cores that the league used."""
    free: float = Field(ge=0, allow_inf_nan=False)
    """The share of these cores that the games got, about 1 if nothing else ran."""
    cores: int = Field(ge=1)


_LOOKS = TypeAdapter(list[MachineLook])


def look_at_machine(when: When, cores: int) -> MachineLook:
    """Return how fast and how free the machine is now; it takes about two seconds."""
    looks = []
    for _ in range(_TRIES):
        began = time.perf_counter()
        with ProcessorClock() as clock:
            match(_PLAYER, _PLAYER, game="othello", games=_GAMES, seed=1, threads=cores)
        seconds = max(time.perf_counter() - began, 1e-6)
        free = clock.seconds / seconds / cores
        looks.append(MachineLook(when=when, speed=_GAMES / seconds, free=free, cores=cores))
    return max(looks, key=lambda look: look.speed)


def play_league(
    folder: ExperimentFolder,
    *,
    workers: int = 0,
    progress: Callable[[Status], object] | None = None,
    cluster: object = None,
) -> None:
    """Do `run_experiment`, and look at the machine before, between and after, if much is left."""
    cores = workers or core_count()
    tell = progress or (lambda status: None)
    looks: list[MachineLook] = []

    def look(when: When) -> None:
        looks.append(look_at_machine(when, cores))
        _add(folder.path, looks[-1])

    def told(status: Status) -> None:
        if status.stage == "games" and len(looks) == 1:
            look("before the games")
        tell(status)

    if _is_left(folder):
        look("before the players")
    run_experiment(folder, workers=workers, progress=told, cluster=cluster)
    if looks:
        look("after the games")


def _is_left(folder: ExperimentFolder) -> bool:
    """Whether a player or a game is missing."""
    if folder.waiting():
        return True
    total = sum(map(len, rounds_of(folder)))
    with games_of(folder) as kept:
        return kept.count(0, total) < total


def _add(path: Path, look: MachineLook) -> None:
    looks = [*looks_of(path), look][-_MOST_LOOKS:]
    content = with_checksum({"looks": _LOOKS.dump_python(looks)})
    write_atomically(path / _FILE, json.dumps(content, indent=1).encode())


def looks_of(path: Path) -> list[MachineLook]:
    """Return the looks at the machine that the league at *path* has; `RunError` if damaged."""
    file = path / _FILE
    try:
        return _LOOKS.validate_python(
            without_checksum(json.loads(read_kept_text(file, _LARGEST)))["looks"]
        )
    except FileNotFoundError:
        return []
    except (OSError, *MALFORMED):
        raise RunError(
            f"{file} is damaged - put a copy back, or remove it: it only says how busy the machine "
            "was"
        ) from None


def marks_of(looks: list[MachineLook]) -> list[str]:
    """Return what *looks* say against a league, in sentences: the machine was busy, or slower."""
    marks = []
    busy = [look for look in looks if look.free < 1 - _A_TENTH]
    if busy:
        least = min(busy, key=lambda look: look.free)
        marks.append(
            f"The machine was busy {least.when}: the league got {100 * least.free:.0f} % of "
            f"{least.cores} core{'s' * (least.cores > 1)}. Games at equal time are then no fair "
            "measure - play it again, under another --name, when nothing else runs."
        )
    for cores in sorted({look.cores for look in looks}):
        of_cores = [look for look in looks if look.cores == cores]
        first, slowest = of_cores[0], min(of_cores, key=lambda look: look.speed)
        fall = 1 - slowest.speed / first.speed
        if fall > _A_TENTH:
            marks.append(
                f"The machine was {100 * fall:.0f} % slower {slowest.when} than {first.when}: it "
                "did something else, or was too warm. Play it again, under another --name, when "
                "nothing else runs."
            )
    return marks
