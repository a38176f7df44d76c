from evoply.environment.keeper import KeeperLimits as KeeperLimits
from evoply.environment.process import BrokenError as BrokenError
from evoply.environment.process import ForeignProcess as ForeignProcess
from evoply.environment.process import SandboxMode as SandboxMode
from evoply.environment.process import Surroundings as Surroundings
from evoply.environment.process import core_count as core_count
from evoply.environment.process import one_line as one_line
from evoply.environment.process import own_python as own_python
