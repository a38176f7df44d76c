"""Ctrl-C during a match or a tournament, with the result of the games played by then.

Reasons: docs/design/runs.md.
"""

from typing import Any, Self, TypeVar

Result = TypeVar("Result")


class StoppedWithResultError(KeyboardInterrupt):
    """Ctrl-C came during a match; *result* is that of the pairs of games played by then."""

    def __init__(self, result: Any) -> None:
        super().__init__("stopped")
        self.result = result


class Stop:
    """Ends a `with` block on Ctrl-C, so that the code after it can still make a result."""

    came = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self.came = kind is not None and issubclass(kind, KeyboardInterrupt)
        return self.came

    def give(self, result: Result | None, *, is_whole: bool = False) -> Result:
        """Return *result*; after Ctrl-C raise it, or KeyboardInterrupt if there is none.

        A result that *is_whole* is returned even after Ctrl-C.
        """
        if result is None:
            raise KeyboardInterrupt
        if self.came and not is_whole:
            raise StoppedWithResultError(result)
        return result
