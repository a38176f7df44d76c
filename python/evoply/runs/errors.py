"""The errors of run folders."""

__all__ = ["RunError", "RunNameError"]


class RunError(ValueError):
    """A run folder that is missing, damaged, too new, in use or full; says what to do about it."""


class RunNameError(RunError):
    """A name or path at which there is no run, or one already: no folder is at fault."""
