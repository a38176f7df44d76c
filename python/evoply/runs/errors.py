"""The one error of run folders."""

__all__ = ["RunError"]


class RunError(ValueError):
    """A run folder that is missing, damaged, too new, in use or full; says what to do about it."""
