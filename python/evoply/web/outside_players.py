"""Reads players from texts of requests: only players that are data, and within limits."""

import re
from collections.abc import Callable
from functools import lru_cache

from evoply.games import game_rules
from evoply.players import PlayerKind, parse_player
from evoply.protocols import RunError
from evoply.web.limits import LimitError, ServerLimits
from evoply.wording import shorten

OpponentReader = Callable[[str, str], PlayerKind]
"""The player that a text names in a game."""

_RUN = "@"
"""Every text that names a run contains this."""
_CHAMPION = re.compile(r"\s*champion\s*@(?P<run>[^:@]*)(@\s*[0-9]+\s*(:|$))?", re.DOTALL)
_EVALUATOR = re.compile(r"=\s*champion\s*@(?P<run>[^:@,]*)")
"""A champion by whose values another player moves."""
_FILE = re.compile(r"\.(py|json|toml)\s*([:,]|$)|(^|=)\s*engine:|\bpython:", re.IGNORECASE)


def read_opponent(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    """Return the player that *text* names, for *game*.

    No text from outside may name a file or a program: champions are those of the folder of runs,
    by name. Raises `ValueError` for a text that is not a player or not one of *game*, and
    `LimitError` for a player that asks for too much.
    """
    game_rules(game)
    check_text(text)
    # A champion may change at any moment; other players never change.
    return _read(text, game, limits) if _RUN in text else _read_once(text, game, limits)


def _read(text: str, game: str, limits: ServerLimits) -> PlayerKind:
    runs = None
    if _champions(text):
        # Only here: what knows runs takes a second to load.
        from evoply.runs import resolve_champion

        runs = resolve_champion
    try:
        player = parse_player(text, game=game, runs=runs)
    except RunError as error:  # the run exists, but has no such champion
        raise ValueError(str(error)) from None
    if not player.is_portable:
        raise ValueError(f"{shorten(text)}: this player is not data - use `evoply match`")
    player.check_fits(game)
    _check_work(player, limits)
    return player


_read_once = lru_cache(maxsize=128)(_read)


def check_text(text: str) -> None:
    """Raise `ValueError` if *text* names a file, a program, or a run elsewhere, as players may."""
    if _FILE.search(text):
        raise ValueError(
            f"{shorten(text)}: files, bots, engines and Python cannot be named here - use "
            "`evoply match`, `evoply play` or `evoply evolve`"
        )
    for run in _champions(text):
        from evoply.runs import named_run

        try:
            named_run(run)
        except RunError as error:
            raise ValueError(str(error)) from None


def _champions(text: str) -> list[str]:
    """Return the runs that *text* names."""
    first = _CHAMPION.match(text)
    named = [*([first] if first else []), *_EVALUATOR.finditer(text)]
    return [champion["run"].strip() for champion in named]


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
