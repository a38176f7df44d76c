"""Foreign processes: each below a keeper, within limits, asked by deadlines, and wholly ended.

It knows nothing of games and players: what the lines mean is the affair of bots and engines. And
how many cores there are for work of our own.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.processes.cores import core_count
    from evoply.processes.keeper import KeeperLimits
    from evoply.processes.process import BrokenError, ForeignProcess, one_line

__all__ = ["BrokenError", "ForeignProcess", "KeeperLimits", "core_count", "one_line"]

give_when_used(
    __name__,
    {
        "cores": "core_count",
        "keeper": "KeeperLimits",
        "process": "BrokenError ForeignProcess one_line",
    },
)
