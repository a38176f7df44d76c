"""What `evoply --version` says."""

from evoply._native import __version__

__all__ = ["version_text"]


def version_text() -> str:
    """Return the program and its version."""
    return f"evoply {__version__}"
