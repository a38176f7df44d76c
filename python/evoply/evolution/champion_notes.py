"""What the end of every evolution notes of its champion: what it can do without, and its strength.

Strength is against players that the run never met: points among one's own kind say little.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from evoply._native import Stream
from evoply.arena import Yardstick, measure, yardsticks
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.toolbox import ProgressCallback, reporter
from evoply.learning.pruning import FEWEST_GAMES, NoTermsError, prune
from evoply.players import PlayerKind, ValuingPlayer, parse_player
from evoply.runs.schema import player_data

MOST_GAMES = 100_000
_SHARE = 8
"""Pruning, and measuring, play at most one game for so many of the run."""
_GAMES = 200
"""With each opponent that measures: all take less than a second of one core."""


def champion_notes(
    config: EvolutionConfig,
    champion: PlayerKind,
    number: int,
    games: int,
    *,
    threads: int = 0,
    progress: ProgressCallback | None = None,
) -> dict[str, str]:
    """Return the notes that a run keeps of its *champion*: `pruned` and `strength`, if it has them.

    *number* is that of the last step, *games* the games of the run. A player in a user's Python is
    neither pruned nor measured.
    """
    if not isinstance(champion, ValuingPlayer):
        return {}
    return {
        **_pruned(config, champion, number, games, threads, progress),
        **_strength(config, champion, number, games, threads),
    }


def _strength(
    config: EvolutionConfig, champion: ValuingPlayer, number: int, games: int, threads: int
) -> dict[str, str]:
    """Return what the yardsticks of its game say, those that the run never met and that are quick.

    Nothing is measured where there are none, where the champion looks further than a ply, or where
    the run was so short that this would be much of its time.
    """
    named = {text.partition(":")[0] for text in _texts(config.model_dump(mode="json"))}
    unmet = [
        each
        for each in yardsticks(config.game)
        if each.player.partition(":")[0] not in named and _is_quick(each, config.game)
    ]
    if not unmet or champion.plies_ahead > 1 or games < _SHARE * _GAMES * len(unmet):
        return {}
    found = measure(
        [champion.model_copy(update={"name": "champion"})],
        game=config.game,
        opponents=unmet,
        games=_GAMES,
        seed=Stream(config.seed, "strength", number).key,
        threads=threads or config.machine.threads,
    )
    return {"strength": json.dumps({**found.to_dict(), "generation": number})}


def _is_quick(opponent: Yardstick, game: str) -> bool:
    player = parse_player(opponent.player, game=game)
    return player.valuing() is not None and player.plies_ahead <= 1


def _texts(value: Any) -> Iterator[str]:
    """Yield all texts in the data of a config, among them those of players."""
    if isinstance(value, str):
        yield value.strip()
    elif isinstance(value, Mapping | list):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _pruned(
    config: EvolutionConfig,
    champion: ValuingPlayer,
    number: int,
    games: int,
    threads: int,
    progress: ProgressCallback | None,
) -> dict[str, str]:
    """Return the pruned champion; nothing if nothing was left out, or its value has no terms."""
    settings = config.pruning
    most = min(games // _SHARE, MOST_GAMES) if settings.games is None else settings.games
    if most < FEWEST_GAMES:
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
