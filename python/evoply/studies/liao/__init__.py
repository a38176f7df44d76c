"""Liao, "Genetic Programming Applied to Board Game Othello": its tables and its program."""

from evoply.when_used import give_when_used

give_when_used(__name__)
