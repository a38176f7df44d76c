"""The contracts and the errors that all other packages are written against.

Each contract is one page: `games` (positions, records, diagrams, clocks), `players` (player, seat,
choice, a game that is played), `learners` (learner, step), `clusters` (units of work for other
machines), `sections` (what results show), `provenance` and `errors`. This package knows no game,
evaluator and file.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
