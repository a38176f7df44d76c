"""Reads players from texts of requests: only players that are data, and within limits."""

from collections.abc import Callable
from functools import lru_cache

from evoply.games import game_rules
from evoply.own_code import carried
from evoply.players import PlayerKind, parse_player
from evoply.protocols import Player, RunError
from evoply.web.limits import LimitError, ServerLimits
from evoply.wording import shorten

OpponentReader = Callable[[str, str], PlayerKind]
"""The player that a text names in a game."""

_RUN = "@"
"""Every text that names a run contains this."""


def read_opponent(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    """Return the player that *text* names, for *game*.

    No text from outside may name a file or a program: champions are those of the folder of runs,
    by name. Raises `ValueError` for a text that is not a player or not one of *game*, and
    `LimitError` for a player that asks for too much.
    """
    game_rules(game)
    # A champion may change at any moment; other players never change.
    return _read(text, game, limits) if _RUN in text else _read_once(text, game, limits)


def _read(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    try:
        with carried(with_programs=False):
            player = parse_player(text, game=game, runs=_champion)
    except RunError as error:  # there is no such run, or it has no such champion
        raise ValueError(str(error)) from None
    if not player.is_portable:
        raise ValueError(f"{shorten(text)}: this player is not data - use `evoply match`")
    player.check_fits(game)
    _check_work(player, limits)
    return player


def _champion(run: str) -> Player:
    from evoply.runs import named_champion  # only here: what knows runs takes a second to load

    return named_champion(run)


_read_once = lru_cache(maxsize=128)(_read)


def _check_work(player: PlayerKind, limits: ServerLimits) -> None:
    """Raise `LimitError` for a player that asks for too much."""
    if player.plies_ahead > limits.depth and player.reproducible:  # no limit in time
        raise LimitError(
            f"depth: {player.plies_ahead} - players look at most {limits.depth} plies ahead here - "
            "give less",
            422,
        )
    if player.games_before_move > limits.games_before_move:
        raise LimitError(
            f"games before a move: {player.games_before_move:,} - players play at most "
            f"{limits.games_before_move:,} here - give less",
            422,
        )
