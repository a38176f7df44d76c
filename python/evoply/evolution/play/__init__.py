"""The games of evolution: individuals as players, their opponents, and their schedules."""

from evoply.when_used import give_when_used

give_when_used(__name__)
