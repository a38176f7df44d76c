"""Writing a player to a file that `player_files` reads."""

import json
from pathlib import Path

from evoply.files import with_checksum, write_atomically
from evoply.games import spoken_name
from evoply.own_code import qualified_name
from evoply.players.grammar import Runs, read_player_of
from evoply.players.player import KINDS, model_of
from evoply.players.player_files import FORMAT, MAX_BYTES, Origin


def save_player(
    path: str | Path,
    player: object,
    origin: Origin | None = None,
    *,
    game: str = "othello",
    runs: Runs | None = None,
) -> None:
    """Write *player*, who plays *game*, to *path*, whole or not at all.

    A text is read as `parse_player` does, with *runs* for champions; a tree is saved as the player
    that `player_of` returns. Raises `ValueError` if it does not fit *game*, is a
    bot, or could not be read again because it is of your own kind, `TypeError` if it is an object
    in Python, and `OSError` if the file cannot be written.
    """
    model = model_of(read_player_of(player, game, runs))
    model.check_fits(game)
    contained = model.self_contained()
    if type(model) not in KINDS:
        raise ValueError(
            f"{model.label}: a player of your own kind, {qualified_name(model)}, cannot be saved: "
            "no reader of the file would know it - name it where a player is read, as "
            "python:FILE.py:NAME"
        )
    content = {
        "format": FORMAT,
        "kind": "evoply player",
        "game": spoken_name(game),
        "origin": (origin or Origin()).model_dump(mode="json"),
        "player": contained.model_dump(mode="json"),
    }
    text = json.dumps(with_checksum(content), indent=1) + "\n"
    if len(text.encode()) > MAX_BYTES:
        raise ValueError(f"the player is too large to save: more than {MAX_BYTES:,} bytes")
    write_atomically(path, text)
