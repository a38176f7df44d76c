"""The errors that a user's mistake or a broken file raises, all ValueErrors; and forfeits."""

from collections.abc import Sequence


class InvalidMoveError(ValueError):
    """A move, square or transcript that cannot be read at all."""


class IllegalMoveError(ValueError):
    """A move that can be read but that the rules forbid here; the message shows the position."""


class ForfeitError(Exception):
    """Raised by a seat that cannot go on: its side loses this game, and everything else goes on.

    *by_time* says that a clock decided, so that the same game may end otherwise next time. It is no
    mistake of the caller's, and so no `ValueError`.
    """

    def __init__(self, reason: str, *, by_time: bool = False) -> None:
        super().__init__(reason)
        self.by_time = by_time


class ConfigError(ValueError):
    """Everything that is wrong with a configuration, each with the path to its field.

    *errors* are pairs of path and message.

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
    """A run folder that is missing, damaged, too new, in use or full; says what to do about it."""


class RunNameError(RunError):
    """A name or path at which there is no run, or one already: no folder is at fault."""
