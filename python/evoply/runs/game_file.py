"""The rules of a run's game, in its folder: a run of a game from data needs nothing else."""

import json
from pathlib import Path
from typing import Any

from evoply.games import GAMES, add_game
from evoply.games.data import DataGameRules
from evoply.protocols import RunError

__all__ = ["GAME", "add_game_of", "write_game"]

GAME = "game.json"


def write_game(folder: Path, config: Any) -> None:
    """Write the rules of the config's game into a new run's *folder*, if they are data."""
    game = GAMES.get(getattr(config, "game", ""))
    if isinstance(game, DataGameRules):
        text = json.dumps({**game.written, "rules_digest": game.rules_digest}, indent=1)
        (folder / GAME).write_text(f"{text}\n", encoding="utf-8")


def add_game_of(folder: Path) -> None:
    """Add the game of a run's *folder*; raise `RunError` if its rules are damaged or others."""
    file = folder / GAME
    if not file.is_file():
        return
    from evoply.rules import read_rules

    try:
        data = json.loads(file.read_text(encoding="utf-8"))
        digest = data.pop("rules_digest", "") if isinstance(data, dict) else ""
        rules = read_rules(data)
        if rules.digest != digest:
            raise ValueError(f"rules_digest - is not that of these rules, {rules.digest[:16]}")
        add_game(rules)
    except (ValueError, RecursionError) as error:
        raise RunError(f"run {folder}: {GAME}: {error} - put the original back") from None
