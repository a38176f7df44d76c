"""`python -m evoply` is the command `evoply`."""

import sys

from evoply.cli import main

if __name__ == "__main__":
    sys.exit(main())
