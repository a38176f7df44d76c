"""Explanations of players in words and numbers; pages about runs, tournaments and games.

This package reads players and run folders and changes neither.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
