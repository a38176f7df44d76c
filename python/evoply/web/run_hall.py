"""All runs of the folder, for one server, whichever part knows what is asked of them."""

from __future__ import annotations

from dataclasses import dataclass, field

from evoply.web.limits import Limits
from evoply.web.run_driving import RunDriver
from evoply.web.run_forms import form_of, presets_shown
from evoply.web.run_messages import (
    ChampionShown,
    FormShown,
    PresetList,
    RunList,
    RunRequest,
    RunState,
    StartRun,
)
from evoply.web.run_showing import RunReader, champion_shown, listed


@dataclass(slots=True)
class RunHall:
    """Reads runs, begins them and asks them; see the requests of `evoply.web.run_routes`."""

    limits: Limits
    driver: RunDriver = field(init=False)
    reader: RunReader = field(default_factory=RunReader)

    def __post_init__(self) -> None:
        """Begin with no process."""
        self.driver = RunDriver(self.limits)

    def presets(self) -> PresetList:
        """Return all presets."""
        return presets_shown()

    def form(self, preset: str) -> FormShown:
        """Return what can be set of a run of *preset*."""
        return form_of(preset, self.limits)

    def runs(self) -> RunList:
        """Return the runs of the folder."""
        return listed(self.driver.is_starting)

    def begin(self, asked: StartRun) -> str:
        """Begin a run and return its name."""
        return self.driver.begin(asked)

    def champion(self, name: str, generation: int | None) -> ChampionShown:
        """Return a champion of the run called *name*."""
        return champion_shown(name, generation)

    def ask(self, name: str, asked: RunRequest) -> RunState:
        """Leave a request, and return the run as it is then."""
        self.driver.ask(name, asked)
        return self.read(name)

    def read(self, name: str) -> RunState:
        """Return the run called *name* as it is now."""
        driver = self.driver
        return self.reader.read(
            name, is_starting=driver.is_starting(name), trouble=driver.trouble(name)
        )
