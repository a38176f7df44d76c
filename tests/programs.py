"""What tests need of a machine, what installs it, and how many were skipped for want of it."""

from collections import Counter
from collections.abc import Iterable

import pytest

PACKAGES = {
    "a browser": "chromium-headless-shell",
    "bubblewrap": "bubblewrap",
    "gtp-rhino": "grhino",
}
"""Programs, and the packages of Debian and Ubuntu that have them; `.ci/run` installs all."""
_OTHERWISE = {"other CPU paths": "EVOPLY_PATHS=all make setup", "packages of Python": "make setup"}


def needs(what: str, *, is_there: bool) -> pytest.MarkDecorator:
    """Return the mark of tests that are skipped unless *what* is there."""
    return pytest.mark.skipif(not is_there, reason=reason(what))


def needs_bubblewrap() -> pytest.MarkDecorator:
    """Return the mark of tests of the sandbox, which a machine may have and not allow."""
    from evoply.environment import sandbox

    problem = sandbox.sandbox_problem()
    is_forbidden = problem.startswith("bubblewrap")
    what = problem.replace("bubblewrap", "bubblewrap, which", 1) if is_forbidden else "bubblewrap"
    return needs(what, is_there=not problem)


def reason(what: str) -> str:
    """Return why a test is skipped, in the form that `skips_in_words` reads."""
    return f"needs {what}"


def skips_in_words(reasons: Iterable[str]) -> str:
    """Return how many tests were skipped for want of what, and the commands that install it."""
    counts = Counter(map(_missing, reasons))
    others = counts.pop("", 0)
    parts = [f"{count} {what}" for what, count in counts.items()]
    if parts:
        parts[0] = parts[0].replace(" ", " needs " if parts[0].startswith("1 ") else " need ", 1)
    parts += [f"{others} for reasons above"] * bool(others)
    packages = [PACKAGES[what] for what in counts if what in PACKAGES]
    commands = [" ".join(("apt-get install", *packages))] * bool(packages)
    commands += [_OTHERWISE[what] for what in counts if what in _OTHERWISE]
    return f"skipped: {', '.join(parts)}" + (f": {'; '.join(commands)}" if commands else "")


def _missing(why: str) -> str:
    """Return what a skipped test needs, "" if its reason is of another kind."""
    why = why.removeprefix("Skipped: ")
    if why.startswith("could not import"):  # what `pytest.importorskip` says
        return "packages of Python"
    begin = reason("")
    return why.removeprefix(begin) if why.startswith(begin) else ""
