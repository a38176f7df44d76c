"""What an environment shows: a text, pixels, or a text that is printed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from evoply.field.board_images import board_pixels
from evoply.games.observations import DecisionPoint

MODES = ("human", "ansi", "rgb_array")


def check_mode(mode: str | None) -> str | None:
    """Return *mode*; `ValueError` if there is no such mode."""
    if mode is not None and mode not in MODES:
        raise ValueError(f"render_mode: {mode!r:.40} - is no mode - give one of {', '.join(MODES)}")
    return mode


def rendered(point: DecisionPoint, mode: str | None) -> str | NDArray[np.uint8] | None:
    """Return the board as *mode* shows it; "human" prints it and returns None."""
    if mode is None:
        raise ValueError("render_mode: is None - make the environment with one - such as ansi")
    if mode == "rgb_array":
        last: Any = point.record.moves[-1] if point.record.moves else None
        return board_pixels(point.position, last)
    if mode == "ansi":
        return str(point)
    print(point)
    return None
