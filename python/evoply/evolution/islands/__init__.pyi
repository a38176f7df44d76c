from evoply.evolution.islands.islands import IslandEvolution as IslandEvolution
from evoply.evolution.islands.islands import IslandsStep as IslandsStep
from evoply.evolution.islands.islands import evolve_islands as evolve_islands
from evoply.evolution.islands.migration import Islands as Islands
from evoply.evolution.islands.migration import IslandsConfig as IslandsConfig
from evoply.evolution.islands.migration import load_islands_config as load_islands_config
from evoply.evolution.islands.migration import migrated as migrated
from evoply.evolution.islands.migration import senders as senders
