"""What Ctrl-C leaves of a match or a tournament: the result of what was played by then."""

from typing import Any, Self, TypeVar

Result = TypeVar("Result")


class StoppedWithResultError(KeyboardInterrupt):
    """Ctrl-C while a match was played, with the *result* of the pairs of games played by then."""

    def __init__(self, result: Any) -> None:
        super().__init__("stopped")
        self.result = result


class Stop:
    """Ends a `with` when Ctrl-C comes, so that what follows still gets its result."""

    came = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> bool:
        self.came = kind is not None and issubclass(kind, KeyboardInterrupt)
        return self.came

    def give(self, result: Result | None, *, is_whole: bool = False) -> Result:
        """Return *result*; after Ctrl-C raise it, or KeyboardInterrupt if there is none.

        One that *is_whole* had no need of what Ctrl-C ended, and is returned.
        """
        if result is None:
            raise KeyboardInterrupt
        if self.came and not is_whole:
            raise StoppedWithResultError(result)
        return result
