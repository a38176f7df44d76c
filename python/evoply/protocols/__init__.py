"""The contracts and the errors that all other packages are written against.

Each contract is one page: `games` (positions, records, diagrams), `players` (player, seat, choice),
`clocks` (time for a game), `in_progress` (a game that is played), `learners` (learner, step) and
`clusters` (units of work for other machines). This package knows no game, no evaluator and no file.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
