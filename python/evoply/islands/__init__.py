"""Islands: populations that evolve apart and exchange their best, `evolve_islands(config)`."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.islands.islands import IslandEvolution, IslandsStep, evolve_islands
    from evoply.islands.islands_config import IslandsConfig, load_islands_config
    from evoply.islands.migration import migrated, senders

__all__ = [
    "IslandEvolution",
    "IslandsConfig",
    "IslandsStep",
    "evolve_islands",
    "load_islands_config",
    "migrated",
    "senders",
]

give_when_used(
    __name__,
    {
        "islands": "IslandEvolution IslandsStep evolve_islands",
        "islands_config": "IslandsConfig load_islands_config",
        "migration": "migrated senders",
    },
)
