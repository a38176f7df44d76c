"""Fitness: `contract` defines a kind, `measures` has the table of all."""

from evoply.when_used import give_when_used

give_when_used(__name__)
