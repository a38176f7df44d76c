"""Addresses HOST:PORT, who reaches them, those of this machine, and connections of each."""

import ipaddress
import re
import socket
import struct
import sys
from collections.abc import Hashable
from contextlib import suppress
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


def checked_host(host: str) -> str:
    """Return *host*, an address to listen on; `ValueError` if it is none.

    >>> checked_host("localhost"), checked_host("0.0.0.0")
    ('localhost', '0.0.0.0')
    """
    if host != "localhost":
        try:
            ipaddress.ip_address(host)
        except ValueError:
            raise ValueError(
                f"--host: {shorten(host)!r} is no address - give one of this machine, such as "
                "192.168.1.5, or 0.0.0.0 for all of them"
            ) from None
    return host


def is_every_address(host: str) -> bool:
    """Return whether *host* stands for all addresses of this machine.

    >>> is_every_address("0.0.0.0"), is_every_address("10.0.0.7")
    (True, False)
    """
    return ipaddress.ip_address(host).is_unspecified


def own_addresses(host: str) -> list[str]:
    """Return the addresses by which other machines reach a server that listens on *host*.

    Those of 0.0.0.0 and of :: are all of this machine, the one on the way to the network first.

    >>> own_addresses("192.0.2.7")
    ['192.0.2.7']
    """
    if not is_every_address(host):
        return [host]
    family, far = (socket.AF_INET6, "2001:db8::1") if ":" in host else (socket.AF_INET, "192.0.2.1")
    found: list[str] = []
    # Nothing is sent: the system only says from where it would be.
    with suppress(OSError), socket.socket(family, socket.SOCK_DGRAM) as asking:
        asking.connect((far, 9))
        found.append(asking.getsockname()[0])
    with suppress(OSError):
        known = socket.getaddrinfo(socket.gethostname(), None, family)
        found += [str(address[0]) for *_, address in known]
    if sys.platform == "linux" and family == socket.AF_INET:
        found += _of_interfaces()
    usable = (address for address in found if _is_reachable(address))
    return list(dict.fromkeys(usable))


def _is_reachable(address: str) -> bool:
    with suppress(ValueError):
        parsed = ipaddress.ip_address(address)
        return not (parsed.is_loopback or parsed.is_link_local or parsed.is_unspecified)
    return False


def _of_interfaces() -> list[str]:
    """Return the IPv4 address of each network interface: a hotspot has no way to elsewhere."""
    import fcntl

    ask_address = 0x8915  # SIOCGIFADDR
    found = []
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
        for _, name in socket.if_nameindex():
            with suppress(OSError):  # an interface without an address
                asked = struct.pack("256s", name.encode()[:15])
                answer = fcntl.ioctl(asking.fileno(), ask_address, asked)
                found.append(socket.inet_ntoa(answer[20:24]))
    return found


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
