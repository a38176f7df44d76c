"""Where a game and a player come from, and what is said if a library is missing."""

from __future__ import annotations

from pathlib import Path

from evoply.environment.prerequisites import missing_package
from evoply.games import add_game, game_rules
from evoply.players.grammar import read_player_of
from evoply.protocols import Player
from evoply.rules import load_rules
from evoply.runs import resolve_champion

_FILES = (".json", ".py")
_PYTHON = "python:"


def game_named(game: str | Path) -> str:
    """Return the name of a game; that of a file of rules, as `--game FILE` takes it, is added.

    Raises `ValueError` for an unknown game and for rules that make none, `OSError` if the file
    cannot be read.
    """
    if not isinstance(game, str | Path):
        raise TypeError(f"game: {game!r:.40} - is no name - give one, or a file of rules")
    game = str(game)
    if game.endswith(_FILES) or game.startswith(_PYTHON):
        rules = load_rules(game)
        add_game(rules)
        return rules.name
    return game_rules(game).name


def player_for(source: object, game: str) -> Player:
    """Return the player that a text names, or that an object is, checked to fit *game*."""
    player = read_player_of(source, game, resolve_champion)
    player.check_fits(game)
    return player


def missing(package: str) -> ModuleNotFoundError:
    """Return the error for a library that is not installed."""
    return ModuleNotFoundError(missing_package(package), name=package)
