"""The rules of a run's game, in its folder: a run of a game from data needs nothing else."""

import json
from pathlib import Path
from typing import Any

from evoply.protocols import RunError

__all__ = ["GAME", "add_game_of", "write_game"]

GAME = "game.json"


def write_game(folder: Path, config: Any) -> None:
    """Write the rules of the config's game into a new run's *folder*, if they are data."""
    from evoply.rules.loading import carried_rules

    rules = carried_rules(getattr(config, "game", ""))
    if rules is not None:
        (folder / GAME).write_text(f"{json.dumps(rules, indent=1)}\n", encoding="utf-8")


def add_game_of(folder: Path) -> None:
    """Add the game of a run's *folder*; raise `RunError` if its rules are damaged or others."""
    file = folder / GAME
    if not file.is_file():
        return
    from evoply.rules.loading import add_carried

    try:
        add_carried(json.loads(file.read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        raise RunError(f"run {folder}: {GAME}: {error} - put the original back") from None
