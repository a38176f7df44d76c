"""Games and players for learners of other libraries: PettingZoo, gymnasium and OpenSpiel.

Each is a module of its own, imported when you name it: `from evoply.field import pettingzoo`. They
need the extra `evoply[field]`. What they share is `evoply.games.observations`: numbered actions,
masks and planes.

Reasons: docs/field.md.
"""
