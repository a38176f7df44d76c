"""Evolution: `for generation in evolve(config)` and what it is made of.

>>> from evoply.evolution import EvolutionConfig, evolve
>>> config = EvolutionConfig(game="othello-4", population_size=8, generations=2, seed=3)
>>> for generation in evolve(config):
...     print(generation.number, len(generation.individuals))
0 8
1 8
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
