"""Refuses a Python that is too old, in words that such a Python can read; then does what is asked.

The oldest Python is stated in pyproject.toml, too.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit(
        f"setup: Python - is {sys.version.split()[0]}, and evoply needs 3.11 or later - "
        "install one, and name it: make PYTHON=python3.11 ..."
    )

from setting_up.command import main

sys.exit(main(sys.argv[1:]))
