"""Errors for users' mistakes and broken files, all of them ValueErrors; and forfeits."""

from collections.abc import Sequence

MALFORMED = (
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    ArithmeticError,
    RecursionError,
)
"""What Python raises where data from a file or a process is not of the form that is expected.

Whoever reads such data turns all of them into an error of its own.
"""


class InvalidMoveError(ValueError):
    """A move, square or transcript cannot be read."""


class IllegalMoveError(ValueError):
    """A move can be read but is against the rules here; the message shows the position."""


class ForfeitError(Exception):
    """Raised by a seat that cannot go on: its side loses this game, and other games continue.

    *by_time* says that a clock decided, so that the same game may end otherwise next time. The
    caller made no mistake, so this is not a `ValueError`.
    """

    def __init__(self, reason: str, *, by_time: bool = False) -> None:
        super().__init__(reason)
        self.by_time = by_time


class ConfigError(ValueError):
    """All that is wrong with a configuration: *errors* are pairs of a field's path and a message.

    >>> print(ConfigError([("population_size", "must be positive"), ("sead", "unknown key")]))
    2 errors in the configuration:
      population_size: must be positive
      sead: unknown key
    """

    def __init__(self, errors: Sequence[tuple[str, str]]) -> None:
        self.errors = tuple(errors)
        super().__init__(self.errors)

    def __str__(self) -> str:
        count = len(self.errors)
        head = f"{count} error{'' if count == 1 else 's'} in the configuration:"
        return "\n".join([head, *(f"  {path}: {message}" for path, message in self.errors)])


class RunError(ValueError):
    """A run folder is missing, damaged, too new, in use or full; the message says what to do."""


class RunNameError(RunError):
    """A name or path has no run, or already has one; the folder itself is not damaged."""
