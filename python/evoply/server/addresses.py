"""Reads addresses HOST:PORT, and tells whether only this machine can reach them."""

import ipaddress
import re

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
