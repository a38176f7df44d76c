"""Folders of bots, such as the hand-ins of a class: what takes part, and what cannot be loaded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from evoply.wording import not_utf8

if TYPE_CHECKING:
    from evoply.protocols import Player


@dataclass(frozen=True, slots=True)
class Entrants:
    """The texts of players, with the bots of folders in the place of these."""

    texts: list[str]
    from_folders: set[str] = field(default_factory=set)
    left_out: dict[str, str] = field(default_factory=dict)
    """The files of folders that cannot be loaded, with the reason."""


def entrants(texts: Sequence[str]) -> Entrants:
    """Return *texts* with every folder replaced by the bots in it, in the order of their names.

    A bot is a file whose name ends in .py and that has a class with a method `choose`; other files
    are passed over. Files that are no Python, or have several such classes, are left out, so that
    the others can play. Raises ValueError for a folder without bots.
    """
    found = Entrants([])
    for text in texts:
        if not os.path.isdir(text):
            found.texts.append(text)
            continue
        before = len(found.texts), len(found.left_out)
        for path in sorted(path for path in Path(text).glob("*.py") if path.is_file()):
            _look_at(str(path), found)
        if before == (len(found.texts), len(found.left_out)):
            raise ValueError(
                f"{text}: there is no bot in this folder, no .py file with a class that has a "
                "method choose"
            )
    return found


def _look_at(path: str, found: Entrants) -> None:
    """Add the file to the bots, or to those left out, if it is either."""
    from evoply.players import bot_classes

    try:
        classes = bot_classes(path)
    except ValueError as error:
        found.left_out[path] = str(error).removeprefix(f"{path}: ")
        return
    if len(classes) > 1:
        named = ", ".join(classes[:10])
        found.left_out[path] = (
            f"several classes have a method choose, {named}: let the names of all but one begin"
            " with an underscore"
        )
    elif classes and not_utf8(path):
        found.left_out[path] = "its name is not UTF-8: rename it"
    elif classes:
        found.texts.append(path)
        found.from_folders.add(path)


def leave_out_what_does_not_load(
    found: Entrants, players: Sequence[tuple[str, Player]], game: str
) -> None:
    """Start each bot of a folder once, and add those that cannot be imported to `left_out`.

    Otherwise their opponents would win every game against them, which says nothing of anybody.
    """
    from evoply.protocols import ForfeitError

    for text, player in players:
        if text in found.from_folders:
            seat = player.seat(game)
            try:
                seat.get_ready()
            except ForfeitError as error:
                found.left_out[text] = str(error)
            finally:
                seat.close()


def left_out_lines(found: Entrants) -> list[str]:
    """Return a line for each file that is left out."""
    return [f"{path} is left out: {reason}" for path, reason in sorted(found.left_out.items())]
