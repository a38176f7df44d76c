"""Schedules of thousands of games, matches, tournaments, and the statistics of their results.

The arena knows players and games, but not evolution or files.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
