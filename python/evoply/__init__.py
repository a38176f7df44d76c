"""Evolve, learn, measure and play players of board games.

`import evoply as ep` gives the names below; the packages hold the rest. Importing evoply loads
nothing heavy: the names are fetched from their packages when they are first used.

>>> import evoply as ep
>>> ep.othello.Position().play("f5").turn
<Color.WHITE: 'white'>
"""

from collections.abc import Callable
from functools import wraps
from importlib import import_module
from typing import Any

from evoply.when_used import give_when_used

_READ_PLAYERS = (
    "analyse", "distil", "explain", "export", "match", "measure", "parse_player", "prune",
    "round_robin", "save_player", "sprt_match", "tournament", "tune", "why", "with_options", "xray",
)  # fmt: skip
_GIVEN = {
    **dict.fromkeys(_READ_PLAYERS, ("runs", "evoply.runs", "resolve_champion")),
    "load_config": ("ini", "evoply.studies.bellin", "config_from_ini"),
}
"""Default arguments of functions in lower packages: they find `champion@RUN` and read `.ini`."""


def _with_default(name: str, value: Any) -> Any:
    """Return a public *value*, a function with the default argument that `_GIVEN` has for it.

    The packages that read players and configs lie below those that know runs and papers.
    """
    if name not in _GIVEN:
        return value
    argument, module, default = _GIVEN[name]
    function: Callable[..., Any] = value

    @wraps(function)
    def call(*arguments: Any, **options: Any) -> Any:
        if options.get(argument) is None:
            options[argument] = lambda *a, **o: getattr(import_module(module), default)(*a, **o)
        return function(*arguments, **options)

    return call


give_when_used(__name__, _with_default)
