"""Engines that play for us, and evoply's players as engines for others: GTP and NBoard."""

from evoply.when_used import give_when_used

give_when_used(__name__)
