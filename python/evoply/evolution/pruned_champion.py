"""The champion of a run without what it can do without: what the end of every evolution adds."""

import json
from typing import Any

from evoply._native import Stream
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.toolbox import ProgressCallback, reporter
from evoply.learning.pruning import FEWEST_GAMES, NoTermsError, prune
from evoply.players import PlayerKind, ValuingPlayer
from evoply.runs.schema import player_data

MOST_GAMES = 100_000
_SHARE = 8
"""Pruning plays at most one game for so many of the run."""


def pruned_notes(
    config: EvolutionConfig,
    champion: PlayerKind,
    number: int,
    games: int,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> dict[str, str]:
    """Return the note that a run keeps of its pruned *champion*; none if nothing was left out.

    *number* is that of the last step, *games* the games of the run. A player in a user's Python,
    and one whose value has no terms, is not pruned.
    """
    settings = config.pruning
    most = min(games // _SHARE, MOST_GAMES) if settings.games is None else settings.games
    if not isinstance(champion, ValuingPlayer) or most < FEWEST_GAMES:
        return {}
    if settings.when == "never" or (settings.when == "one_ply" and champion.plies_ahead > 1):
        return {}
    tell = reporter(progress, number, "pruning")
    try:
        pruned = prune(
            champion,
            within=settings.within,
            game=config.game,
            games=most,
            seed=Stream(config.seed, "pruning", number).key,
            threads=threads or config.machine.threads,
            progress=None if tell is None else lambda done, _: tell(round(100 * done), 100),
        )
    except NoTermsError:
        return {}
    if not pruned.left_out:
        return {}
    note: dict[str, Any] = {
        **pruned.to_dict(),
        "generation": number,
        "player": player_data(pruned.player),
    }
    return {"pruned": json.dumps(note)}
