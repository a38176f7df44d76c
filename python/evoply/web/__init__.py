"""Play, watch and understand in a browser: a server on this machine, its API, and its page.

`application` puts it together: `protection` looks at every request before anything else does,
`game_routes` and `run_routes` are the API, whose messages are `messages`; `playing` holds the games
that go on, `store` keeps them on disk, `thinking` lets players think, `ladder` names opponents.
`static/` is the page: `app.js` begins, `board.js` draws boards, `charts.js` charts, `tree.js` trees.

It needs the extra `evoply[web]`.
"""

__all__: list[str] = []
