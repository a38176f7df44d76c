"""`--game FILE`: a file of rules in place of a name, in every command that takes one."""

from collections.abc import Sequence

_FILES = (".py", ".json")
_FIRST = ("perft",)
"""The commands whose first argument is a game."""


def with_games(arguments: Sequence[str]) -> list[str]:
    """Return *arguments* with the names of the games whose files they name, which are added.

    Raises `RulesError`, a `ValueError`, for rules that make no game, and `OSError`.
    """
    changed, before = list(arguments), ""
    for place, argument in enumerate(changed):
        if argument.startswith("--game=") and argument.endswith(_FILES):
            changed[place] = f"--game={_added(argument.partition('=')[2])}"
        elif argument.endswith(_FILES) and (
            before == "--game" or (place == 1 and before in _FIRST)
        ):
            changed[place] = _added(argument)
        before = argument
    return changed


def _added(path: str) -> str:
    from evoply.games import add_game
    from evoply.rules import load_rules

    rules = load_rules(path)
    add_game(rules)
    return rules.name
