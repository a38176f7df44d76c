"""Games and players for learners of other libraries: PettingZoo, gymnasium and OpenSpiel.

Each is a module, imported when it is first used, and needs the extra `evoply[field]`. What they
share is `evoply.games.observations`: numbered actions, masks and planes.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
