"""Addresses HOST:PORT, whether only this machine reaches them, and connections of each."""

import ipaddress
import re
from collections.abc import Hashable
from dataclasses import dataclass, field

from evoply.wording import shorten

DEFAULT_PORT = 7450
_ADDRESS = re.compile(r"\[([^\[\]\s]+)\]:([0-9]{1,5})|([^:\s]+):([0-9]{1,5})", re.ASCII)


def parse_address(text: str) -> tuple[str, int]:
    """Return host and port of a text such as localhost:7450 or [::1]:7450; `ValueError` if none.

    >>> parse_address("localhost:7450"), parse_address("[::1]:80")
    (('localhost', 7450), ('::1', 80))
    """
    match = _ADDRESS.fullmatch(text.strip())
    port = int(match[2] or match[4]) if match else 0
    if match is None or not 0 < port < 2**16:
        raise ValueError(
            f"{shorten(text)!r} is not an address - write HOST:PORT, as localhost:{DEFAULT_PORT}"
        )
    return match[1] or match[3], port


def shown_address(host: str, port: int) -> str:
    """Return the text that `parse_address` reads."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def is_this_machine(host: str) -> bool:
    """Return whether only programs of this machine reach a server that listens on *host*.

    >>> is_this_machine("127.0.0.1"), is_this_machine("0.0.0.0")
    (True, False)
    """
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


# A limit on open connections of one address, for the servers of the page and of tournaments.

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
