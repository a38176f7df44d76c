"""Experiments: many runs of several setups, compared by a measure from outside."""

from evoply.when_used import give_when_used

give_when_used(__name__)
