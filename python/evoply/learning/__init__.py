"""Learning by play: linear evaluators whose weights follow the games (FIREBRAND), and patterns.

It also improves existing players: it tunes their numbers, distils their knowledge, and
leaves out what they can do without.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
