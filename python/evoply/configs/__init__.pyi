from evoply.configs.own_code import OwnCode as OwnCode
from evoply.configs.own_code import carried as carried
from evoply.configs.own_code import carried_code as carried_code
from evoply.configs.own_code import code_in_runs_allowed as code_in_runs_allowed
from evoply.configs.own_command import OwnCommand as OwnCommand
from evoply.configs.run_config import RunConfig as RunConfig
