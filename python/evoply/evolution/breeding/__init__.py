"""Breeding makes the next population: new individuals, selection, offspring."""

from evoply.when_used import give_when_used

give_when_used(__name__)
