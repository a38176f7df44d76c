"""The formats of the world's games: one module each, read and written game by game.

`read(source)` of a module yields the games of a text, of the bytes of a file or of an open file;
`write(games)` yields the text of a file. Neither keeps more than one game in memory. A game that
cannot be read raises `InvalidMoveError` or `IllegalMoveError` with its place, or is reported to
*on_refused* while the others are read. `FORMATS` is the one table of formats.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.formats.conversion import (
        FORMATS,
        Converted,
        Format,
        convert,
        format_named,
        format_of_content,
        format_of_name,
        names_beside,
    )
    from evoply.formats.pasted import as_game_of, read_pasted
    from evoply.formats.played import UNKNOWN, GamePlayed
    from evoply.formats.sources import Refused
    from evoply.formats.wthor import WthorNames

__all__ = [
    "FORMATS",
    "UNKNOWN",
    "Converted",
    "Format",
    "GamePlayed",
    "Refused",
    "WthorNames",
    "as_game_of",
    "convert",
    "format_named",
    "format_of_content",
    "format_of_name",
    "names_beside",
    "read_pasted",
]

give_when_used(
    __name__,
    {
        "conversion": (
            "FORMATS Converted Format convert format_named format_of_content format_of_name "
            "names_beside"
        ),
        "pasted": "as_game_of read_pasted",
        "played": "UNKNOWN GamePlayed",
        "sources": "Refused",
        "wthor": "WthorNames",
    },
)
