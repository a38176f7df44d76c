"""`--game FILE`: a file of rules in place of a name, in every command that takes one.

A value in a file with several rules is named `python:FILE.py:NAME`.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from evoply.rules import Rules


_FILES = (".py", ".json")


_PYTHON = "python:"  # as in own_code, which is heavier to import than most commands


_FIRST = ("perft",)
"""The commands whose first argument is a game."""


_added: dict[str, str] = {}
"""The file of each game that this command added."""


def with_games(arguments: Sequence[str]) -> list[str]:
    """Return *arguments* with the names of the games whose files they name, which are added.

    Raises `RulesError`, a `ValueError`, for rules that make no game, and `OSError`.
    """
    changed, before = list(arguments), ""
    for place, argument in enumerate(changed):
        value = argument.removeprefix("--game=")
        is_file = names_rules(value)
        if is_file and value != argument:
            changed[place] = f"--game={rules_added(value).name}"
        elif is_file and (before == "--game" or (place == 1 and before in _FIRST)):
            changed[place] = rules_added(argument).name
        before = argument
    return changed


def names_rules(text: str) -> bool:
    """Return whether *text* names a file of rules or a value of rules in Python, not a game."""
    return text.endswith(_FILES) or text.startswith(_PYTHON)


def typed_game(name: str) -> str:
    """Return how a game is named in a command that is to be typed: by its file, if it has one."""
    return shlex.quote(_added.get(name, name))


def rules_added(path: str) -> Rules:
    """Return the rules that a file holds, whose game is added; errors as `with_games`."""
    from evoply.games import add_game
    from evoply.rules import load_rules

    rules = load_rules(path)
    add_game(rules)
    _added[rules.name] = path
    return rules
