"""`python -m evoply` is the command `evoply`."""

import sys
from collections import namedtuple

from evoply.cli import main

if __name__ == "__main__":
    code = main()
    if code:
        # Python makes some classes by evaluating a text. Ctrl-C within one ends `python -m` by a
        # signal, although it was caught and answered, unless another is evaluated afterwards.
        namedtuple("Afterwards", ())
    sys.exit(code)
