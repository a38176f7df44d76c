"""The formats of the world's games: one module each, read and written game by game.

`read(source)` of a module yields the games of a text, of the bytes of a file or of an open file;
`write(games)` yields the text of a file. Neither keeps more than one game in memory. A game that
cannot be read raises `InvalidMoveError` or `IllegalMoveError` with its place, or is reported to
*on_refused* while the others are read. `FORMATS` is the one table of formats.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
