"""Positions, moves, records and pictures of games; `GAMES` is the table of games."""

from evoply.when_used import give_when_used

give_when_used(__name__)
