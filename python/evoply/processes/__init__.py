"""Foreign processes: each below a keeper, within limits, asked by deadlines, and wholly ended.

It knows nothing of games and players: what the lines mean is the affair of bots and engines. And
how many cores there are for work of our own.
"""

from evoply.processes.keeper import Limits
from evoply.processes.process import BrokenError, ForeignProcess, core_count, one_line

__all__ = ["BrokenError", "ForeignProcess", "Limits", "core_count", "one_line"]
