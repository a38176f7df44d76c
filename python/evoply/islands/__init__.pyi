from evoply.islands.islands import IslandEvolution as IslandEvolution
from evoply.islands.islands import IslandsStep as IslandsStep
from evoply.islands.islands import evolve_islands as evolve_islands
from evoply.islands.islands_config import IslandsConfig as IslandsConfig
from evoply.islands.islands_config import load_islands_config as load_islands_config
from evoply.islands.migration import migrated as migrated
from evoply.islands.migration import senders as senders
