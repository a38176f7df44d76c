"""Ratings of players from a table of who scored what against whom.

Strengths on Elo's scale (`bradley_terry`) fit players each of whom is simply better or worse. Where
they beat one another in a circle, `nash_averages` and `alpha_rank` say who counts.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
