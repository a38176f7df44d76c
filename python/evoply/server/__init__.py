"""Tournaments over the network: the server, players who join, and spectators.

The protocol is lines of text (`docs/server.md`). A server writes all games to a file
(`Journal`), from which another server can continue. Everything runs in one event loop: `run` of a
`GameServer`, of a `Joining` and of a `Watching` is awaited, by `asyncio.run` if by nothing else.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.server.addresses import DEFAULT_PORT, is_this_machine, parse_address, shown_address
    from evoply.server.connection import CallError, game_at
    from evoply.server.game_server import GameServer
    from evoply.server.joining import GameHere, Joining
    from evoply.server.journal import Journal, JournalError
    from evoply.server.lines import (
        LONGEST_NOTICE,
        LONGEST_REQUEST,
        NOTICES,
        REQUESTS,
        Line,
        LineError,
        read_notice,
        read_request,
    )
    from evoply.server.tournament_conditions import ServedTournament, TournamentConditions
    from evoply.server.watching import WatchedGame, Watching

__all__ = [
    "DEFAULT_PORT",
    "LONGEST_NOTICE",
    "LONGEST_REQUEST",
    "NOTICES",
    "REQUESTS",
    "CallError",
    "GameHere",
    "GameServer",
    "Joining",
    "Journal",
    "JournalError",
    "Line",
    "LineError",
    "ServedTournament",
    "TournamentConditions",
    "WatchedGame",
    "Watching",
    "game_at",
    "is_this_machine",
    "parse_address",
    "read_notice",
    "read_request",
    "shown_address",
]

give_when_used(
    __name__,
    {
        "addresses": "DEFAULT_PORT is_this_machine parse_address shown_address",
        "connection": "CallError game_at",
        "tournament_conditions": "ServedTournament TournamentConditions",
        "game_server": "GameServer",
        "joining": "GameHere Joining",
        "journal": "Journal JournalError",
        "lines": (
            "LONGEST_NOTICE LONGEST_REQUEST NOTICES REQUESTS Line LineError read_notice "
            "read_request"
        ),
        "watching": "WatchedGame Watching",
    },
)
