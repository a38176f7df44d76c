"""Board expressions: square sets, features and primitive sets, written in Python."""

from evoply.when_used import give_when_used

give_when_used(__name__)
