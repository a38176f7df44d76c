"""What all tests share: hypothesis profiles and the switch for full counts."""

import os

from hypothesis import settings

LONG = "EVOPLY_LONG" in os.environ

# Deadlines would be timed tests; these machines are noisy.
settings.register_profile("ordinary", deadline=None, max_examples=50, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=1000)
settings.load_profile("long" if LONG else "ordinary")
