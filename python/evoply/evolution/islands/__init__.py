"""Islands: populations that evolve apart and exchange their best, `evolve_islands(config)`."""

from evoply.when_used import give_when_used

give_when_used(__name__)
