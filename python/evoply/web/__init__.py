"""Play, watch and understand in a browser: a server on this machine, its API, and its page.

`application` puts it together: `protection` looks at every request before anything else does,
`game_routes` is the API, whose messages are `messages`; `playing` holds the games that go on,
`store` keeps them on disk, `thinking` lets players think, `ladder` names opponents. `static/` is
the page: `play.js` is the game on the table, `board.js` draws boards, `charts.js` charts,
`new-game.js` and `form.js` are the forms of games and runs, `review.js` looks for mistakes.

It needs the extra `evoply[web]`.
"""

__all__: list[str] = []
