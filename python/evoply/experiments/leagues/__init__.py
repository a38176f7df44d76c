"""The league: the best player of every method, made afresh at equal budget, all against all.

A league is an experiment whose measure is that all play all (`evoply.experiments`). `methods` makes
its setups, `standings` and `league_page` say what came of it.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
