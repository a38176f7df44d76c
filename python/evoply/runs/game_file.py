"""Rules of a game from data, kept in the folder of a run or an experiment, which needs no other."""

import json
from pathlib import Path
from typing import Any

from evoply.files import read_kept
from evoply.protocols import MALFORMED, RunError
from evoply.refusals import reason

__all__ = ["GAME", "add_game_of", "game_content"]

GAME = "game.json"


def game_content(config: Any) -> str | None:
    """Return the text of the file with the rules of the config's game; None if they are no data."""
    from evoply.rules.loading import carried_rules

    rules = carried_rules(getattr(config, "game", ""))
    return None if rules is None else f"{json.dumps(rules, indent=1)}\n"


def add_game_of(folder: Path) -> None:
    """Add the game of a *folder* that has one; `RunError` if its rules are damaged or others."""
    file = folder / GAME
    if not file.exists():
        return
    from evoply.rules.loading import add_carried

    try:
        add_carried(json.loads(read_kept(file)))
    except OSError as error:
        raise RunError(f"{folder} cannot be read: {reason(error, file)}") from None
    except MALFORMED as error:
        raise RunError(f"{folder}: {GAME}: {error} - put the original back") from None
