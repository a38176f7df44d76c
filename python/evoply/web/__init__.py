"""Play, watch and understand in a browser: a server on this machine, its API, and its page.

`application` puts it together: `protection` checks every request before anything else sees it,
`sign_in` lets in people on other devices, `game_routes` is the API of games, whose messages and
levels are `messages`; `game_hall` has all of them, `open_game` is one that goes on, `store` keeps
them on disk, `hand_ins` are the bots of a class, `thinking` lets players think, `questions` are
about positions. `static/` is the page: `play.js` is the game on the table, `coach.js` its hints and
values, `review.js` and `curve.js` a look back, `line.js` a better line, `room.js` a game of two
people on two devices, `entering.js` reads a move out of squares, `my-games.js` the list of games,
`board.js` draws boards, `charts.js` charts, `new-game.js` and `form.js` are the forms of games and
runs, `schema.js` reads JSON Schema.

It needs the extra `evoply[web]`.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
