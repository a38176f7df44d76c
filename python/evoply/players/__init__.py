"""Players as data, their one-line text, and saved players."""

from evoply.when_used import give_when_used

give_when_used(__name__)
