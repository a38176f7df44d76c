"""Foreign processes, each below a keeper with limits, deadlines and a clean end; and core counts.

This package knows no games and no players: bots and engines know what the lines mean.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.processes.cores import core_count, own_python
    from evoply.processes.keeper import KeeperLimits
    from evoply.processes.process import BrokenError, ForeignProcess, one_line
    from evoply.processes.sandbox import SandboxMode, Surroundings

__all__ = [
    "BrokenError",
    "ForeignProcess",
    "KeeperLimits",
    "SandboxMode",
    "Surroundings",
    "core_count",
    "one_line",
    "own_python",
]

give_when_used(
    __name__,
    {
        "cores": "core_count own_python",
        "keeper": "KeeperLimits",
        "process": "BrokenError ForeignProcess one_line",
        "sandbox": "SandboxMode Surroundings",
    },
)
