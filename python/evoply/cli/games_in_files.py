"""`--game FILE`: a file of rules in place of a name, in every command that takes one."""

import shlex
from collections.abc import Sequence

_FILES = (".py", ".json")
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
        if argument.startswith("--game=") and argument.endswith(_FILES):
            changed[place] = f"--game={_add(argument.partition('=')[2])}"
        elif argument.endswith(_FILES) and (
            before == "--game" or (place == 1 and before in _FIRST)
        ):
            changed[place] = _add(argument)
        before = argument
    return changed


def typed_game(name: str) -> str:
    """Return how a game is named in a command that is to be typed: by its file, if it has one."""
    return shlex.quote(_added.get(name, name))


def _add(path: str) -> str:
    from evoply.games import add_game
    from evoply.rules import load_rules

    rules = load_rules(path)
    add_game(rules)
    _added[rules.name] = path
    return rules.name
