"""What configs of all kinds of learners share: parts, their errors, keys from TOML."""

from evoply.when_used import give_when_used

give_when_used(__name__)
