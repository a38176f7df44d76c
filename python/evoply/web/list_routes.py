"""The API of the list of games: find, delete, download all."""

import asyncio
import io
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response, StreamingResponse

from evoply.formats import FORMATS
from evoply.games import DATA_GAMES, GAMES, game_rules
from evoply.web.game_hall import GameHall, GameId, Hall
from evoply.web.game_views import listed, played_as_stored
from evoply.web.ladder import LEVELS
from evoply.web.messages import GameList
from evoply.web.store import GameStore, SearchWord, Stored

_MOST_LISTED = 30
_MOST_WORDS = 8
_AT_ONCE = 50
"""Games in memory while all are downloaded."""

list_router = APIRouter()


@list_router.get("/games")
async def find(
    hall: Hall,
    search: Annotated[str, Query(max_length=200)] = "",
    game: Annotated[str | None, Query(max_length=80)] = None,
    offset: Annotated[int, Query(ge=0, le=10**9)] = 0,
    played: bool = False,
) -> GameList:
    """Return games, those begun last first.

    Each word of `search` is in a player, the game or the day they began; `played` leaves out games
    without a move.
    """
    words = [_words(text) for text in search.split()[:_MOST_WORDS]]
    found = await hall.store.newest(
        _MOST_LISTED + 1, since=offset, words=words, game=game, played=played
    )
    # The end of each is found by playing it again.
    rows = await asyncio.to_thread(lambda: [listed(stored) for stored in found[:_MOST_LISTED]])
    return GameList(games=rows, more=len(found) > _MOST_LISTED)


def _words(text: str) -> SearchWord:
    """Return what a word may mean: it is looked for in what people read, and in the file."""
    wanted = text.casefold()
    return SearchWord(
        text,
        games=tuple(
            name for name in (*GAMES, *DATA_GAMES) if wanted in game_rules(name).title.casefold()
        ),
        players=tuple(row["player"] for row in LEVELS if wanted in row["title"].casefold()),
    )


@list_router.delete("/games/{game}", status_code=204)
async def delete(game: GameId, hall: Hall) -> Response:
    """Delete a game for good; pages that show it hear of it."""
    await hall.delete(game)
    return Response(status_code=204)


@list_router.get(
    "/games/download",
    response_class=StreamingResponse,
    responses={200: {"content": {"application/jsonl": {}}}},
)
async def download(hall: Hall) -> StreamingResponse:
    """Return all games that have a move as a file that `evoply convert` reads."""
    return StreamingResponse(
        _lines(hall),
        media_type="application/jsonl",
        headers={"content-disposition": 'attachment; filename="evoply-games.jsonl"'},
    )


async def _lines(hall: GameHall) -> AsyncIterator[bytes]:
    store: GameStore = hall.store
    number = 0
    while games := await store.after(number, _AT_ONCE):
        number = games[-1][0]
        yield await asyncio.to_thread(_written, [game for _, game in games])


def _written(games: list[Stored]) -> bytes:
    file = io.BytesIO()
    writer = FORMATS["games"].writer(file)
    for game in games:
        # A game of rules that are not known here cannot be written.
        if game.moves and "@" not in game.game:
            writer.add(played_as_stored(game))
    writer.close()
    return file.getvalue()
