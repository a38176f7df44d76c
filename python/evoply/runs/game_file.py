"""Rules of a game from data, kept in the folder of a run or an experiment, which needs no other."""

import json
from pathlib import Path
from typing import Any

from evoply.files import read_limited, write_atomically
from evoply.protocols import MALFORMED, RunError
from evoply.refusals import reason

__all__ = ["GAME", "add_game_of", "write_game"]

GAME = "game.json"
_LARGEST = 10_000_000
"""Bytes of rules with the most operations, written line by line."""


def write_game(folder: Path, config: Any) -> None:
    """Write the rules of the config's game into the *folder* of a run, if they are data."""
    from evoply.rules.loading import carried_rules

    rules = carried_rules(getattr(config, "game", ""))
    if rules is not None:
        write_atomically(folder / GAME, f"{json.dumps(rules, indent=1)}\n")


def add_game_of(folder: Path) -> None:
    """Add the game of a *folder* that has one; `RunError` if its rules are damaged or others."""
    file = folder / GAME
    if not file.is_file():
        return
    from evoply.rules.loading import add_carried

    try:
        add_carried(json.loads(read_limited(file, _LARGEST)))
    except OSError as error:
        raise RunError(f"{folder} cannot be read: {reason(error, file)}") from None
    except MALFORMED as error:
        raise RunError(f"{folder}: {GAME}: {error} - put the original back") from None
