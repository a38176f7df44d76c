from evoply.processes.cores import core_count as core_count
from evoply.processes.cores import own_python as own_python
from evoply.processes.keeper import KeeperLimits as KeeperLimits
from evoply.processes.process import BrokenError as BrokenError
from evoply.processes.process import ForeignProcess as ForeignProcess
from evoply.processes.process import one_line as one_line
from evoply.processes.sandbox import SandboxMode as SandboxMode
from evoply.processes.sandbox import Surroundings as Surroundings
