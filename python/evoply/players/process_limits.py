"""What the process of a bot or an engine may use, as data."""

from __future__ import annotations

from pydantic import Field

from evoply.players.evaluators import Model
from evoply.processes import Limits

__all__ = ["ProcessLimits"]


class ProcessLimits(Model):
    """Limits that are set in the process before its own code runs.

    *cpu*: seconds of processor time of each process; a new game gets a new process before half of
    them may be used. *memory*: mebibytes of each process. *processes*: how many there may be at a
    time, the first one included.
    """

    cpu: int = Field(default=3600, ge=1, le=10**7, strict=True)
    memory: int = Field(default=4096, ge=16, le=10**7, strict=True)
    processes: int = Field(default=64, ge=1, le=10_000, strict=True)

    def for_keeper(self) -> Limits:
        """Return what the keeper of the process is told."""
        return Limits(self.cpu, self.memory, self.processes)
