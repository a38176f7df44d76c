"""What all tests share: hypothesis profiles, the switch for full counts, and who runs with whom."""

import os
import signal

import pytest
from hypothesis import settings

# Asserts in there say as much as those of tests.
pytest.register_assert_rewrite("game_conformance")

LONG = "EVOPLY_LONG" in os.environ

# A shell starts what runs behind it deaf to Ctrl-C, and tests of Ctrl-C would wait in vain.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Deadlines would be timed tests; these machines are noisy.
settings.register_profile("ordinary", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("long" if LONG else "ordinary")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Keep tests that share what a module has made on one worker, or each would make it."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None and _uses_its_modules(item):
            item.add_marker(pytest.mark.xdist_group(item.nodeid.partition("::")[0]))


def _uses_its_modules(item: pytest.Item) -> bool:
    definitions = getattr(item, "_fixtureinfo", None)
    fixtures = definitions.name2fixturedefs.values() if definitions else ()
    return any(versions[-1].scope == "module" for versions in fixtures)
