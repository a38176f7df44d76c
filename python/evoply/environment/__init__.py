"""Foreign processes, each below a keeper with limits, deadlines and a clean end; and core counts.

This package knows no games and no players: bots and engines know what the lines mean.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
