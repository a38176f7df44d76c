"""A limit on open connections of one address, for the servers of the page and of tournaments."""

from collections.abc import Hashable
from dataclasses import dataclass, field

MOST_OF_AN_ADDRESS = 256
"""The usual limit."""


@dataclass(slots=True)
class AddressLimit:
    """Counts the open connections of each address.

    A server takes a connection out of the count as soon as it knows it for a game's or a player's:
    other limits hold for those.
    """

    most: int = MOST_OF_AN_ADDRESS
    _open: dict[str, set[Hashable]] = field(default_factory=dict)

    def enter(self, address: str, connection: Hashable) -> bool:
        """Count a new *connection* of *address*; return False if there are too many already."""
        known = self._open.setdefault(address, set())
        if len(known) >= self.most:
            return False
        known.add(connection)
        return True

    def leave(self, address: str, connection: Hashable) -> None:
        """Count a connection no longer; a second call does nothing."""
        known = self._open.get(address, set())
        known.discard(connection)
        if not known:
            self._open.pop(address, None)

    @property
    def refusal(self) -> str:
        """What a connection too many is told."""
        return (
            f"{self.most} connections of your address are open already - close some, "
            "or come back later"
        )
