"""Options that several commands share, each described once."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter
from cyclopts.validators import Number

__all__ = ["Game", "Json", "Position", "Seed", "Threads"]

MOST_THREADS = 1024

Json = Annotated[
    bool,
    Parameter(
        name="--json",
        negative="",
        show_default=False,
        help="Print the result as one JSON object; all else goes to standard error.",
    ),
]
Game = Annotated[
    str | None,
    Parameter(
        help="othello (8x8), othello-4, othello-6 or othello-10. Default: that of a champion or "
        "saved player, else othello."
    ),
]
Threads = Annotated[
    int,
    Parameter(
        validator=Number(gte=0, lte=MOST_THREADS),
        show_default=False,
        help="Threads; the result never depends on it. 0, the default: all cores.",
    ),
]
Seed = Annotated[
    int,
    Parameter(
        validator=Number(gte=0, lt=2**63),
        help="Where all randomness comes from: the same seed gives the same result.",
    ),
]
Position = Annotated[
    str | None,
    # A board may begin with an empty square, a hyphen.
    Parameter(
        allow_leading_hyphen=True,
        help="Where to begin: a board such as '---- -OX- -XO- ---- X', or moves: f5d6c3.",
    ),
]
