"""Foreign processes: each below a keeper, within limits, asked by deadlines, and wholly ended.

It knows nothing of games and players: what the lines mean is the affair of bots and engines.
"""

from evoply.processes.keeper import Limits
from evoply.processes.process import BrokenError, ForeignProcess, one_line

__all__ = ["BrokenError", "ForeignProcess", "Limits", "one_line"]
