"""Tournaments over the network: the server, players who join, and spectators.

The protocol is lines of text (`docs/server.md`). A server writes all games to a file
(`Journal`), from which another server can continue. Everything runs in one event loop: `run` of a
`GameServer`, of a `Joining` and of a `Watching` is awaited, by `asyncio.run` if by nothing else.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
