"""Whose the stored matches of a run are: a run that goes on may get another champion."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evoply.files import checksum
from evoply.protocols import Player
from evoply.runs.database import player_data
from evoply.runs.run import Run

__all__ = ["PlayedMatches", "match_of", "played_matches"]

_DIGEST = "player_digest"


@dataclass(frozen=True, slots=True)
class PlayedMatches:
    """The stored matches of a run, oldest first."""

    champion: tuple[Mapping[str, Any], ...] = ()
    """Of the player that is the champion now."""
    earlier: tuple[Mapping[str, Any], ...] = ()
    """Of earlier champions; `generation` says how far the run was when each was played."""
    others: tuple[Mapping[str, Any], ...] = ()
    """That do not say whose they are."""


def match_of(
    player: Player, result: Mapping[str, Any], identity: Mapping[str, Any]
) -> dict[str, Any]:
    """Return *result* as a match of *player*; *identity* says more of it, such as its generation.

    The player is known by what it is, whatever its name.
    """
    return {**result, **identity, _DIGEST: _digest(player)}


def played_matches(run: Run) -> PlayedMatches:
    """Return the stored matches of *run* by whose they are."""
    matches = run.matches()
    if not matches or not run.count():
        return PlayedMatches(others=tuple(matches))
    digest = _digest(run.champion_player)
    # What matches say that have no digest: older runs knew the champion's text.
    text = run.kind.champion_text(run.champion_player)

    def is_champion(match: Mapping[str, Any]) -> bool:
        if _DIGEST in match:
            return bool(match[_DIGEST] == digest)
        return text in (match.get("tree"), match.get("player"))

    def is_known(match: Mapping[str, Any]) -> bool:
        return "generation" in match

    return PlayedMatches(
        champion=tuple(one for one in matches if is_known(one) and is_champion(one)),
        earlier=tuple(one for one in matches if is_known(one) and not is_champion(one)),
        others=tuple(one for one in matches if not is_known(one)),
    )


def _digest(player: Player) -> str:
    return checksum({key: value for key, value in player_data(player).items() if key != "name"})
