"""Clients that are wrong, rude, slow or dead, beside games that have to finish; the password."""

import asyncio
import hashlib
import hmac
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from talker import News, Talker

from evoply import Stream
from evoply.players import parse_player
from evoply.protocols import Ending
from evoply.server import CallError, GameServer, Joining, Watching
from evoply.server.admission import MOST_STRANGERS
from evoply.server.table import MOST_ILLEGAL

CLIENTS = 45 if "EVOPLY_LONG" in os.environ else 20

Bad = Callable[[GameServer], Awaitable[None]]


async def nonsense(server: GameServer) -> None:
    """Words that are none, until the server has had enough."""
    client = await Talker.to(server)
    client.say(*(f"NONSENSE {number}" for number in range(100)))
    seen = await client.rest()
    assert any(line.startswith("ERROR line no line begins with 'NONSENSE'") for line in seen)
    assert seen[-1].startswith("ERROR flood")
    await client.leave()


async def oversized(server: GameServer) -> None:
    """A line that never ends."""
    client = await Talker.to(server)
    client.raw(b"x" * 1_000_000)
    assert "at most 500 bytes" in (await client.rest())[-1]
    await client.leave()


async def binary(server: GameServer) -> None:
    """Bytes of all kinds, ends of lines among them."""
    client = await Talker.to(server)
    client.raw(bytes(range(256)) * 60)
    assert (await client.rest())[-1].startswith("ERROR flood")
    await client.leave()


async def silent(server: GameServer) -> None:
    """Connects and says nothing; others have to get in."""
    for _ in range(5):
        await Talker.to(server)


async def crowd(server: GameServer) -> None:
    """More connections than there may be strangers: the oldest go, new ones are heard."""
    crowd = [await Talker.to(server) for _ in range(2 * MOST_STRANGERS)]
    crowd[-1].say("WATCH")
    await crowd[-1].until("INFO")
    for client in crowd[:MOST_STRANGERS]:
        assert len(await client.rest()) <= 2  # cut off, after a HELLO at most
    for client in crowd:
        await client.leave()


async def dead(server: GameServer) -> None:
    """Goes in the middle of a line, with a reset."""
    client = await Talker.to(server)
    client.raw(b"HEL")
    raw = client.writer.get_extra_info("socket")
    raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    client.writer.transport.abort()


async def deaf(server: GameServer) -> None:
    """Watches, asks for help again and again, and never reads a word."""
    client = await Talker.to(server)
    client.writer.transport.pause_reading()  # type: ignore[attr-defined]
    client.say("WATCH", *("HELP" for _ in range(25)))


async def slow(server: GameServer) -> None:
    """Says one byte at a time."""
    client = await Talker.to(server)
    for byte in b"WATCH\n":
        client.raw(bytes([byte]))
        await asyncio.sleep(0.002)
    try:
        await client.until("INFO")
    except AssertionError:  # The games may be over before its line is.
        assert all(game.ending is not None for game in server.tournament.games())


async def guessing(server: GameServer) -> None:
    """Tries tokens."""
    client = await Talker.to(server)
    client.say(*(f"BACK {'x' * 20}{number}" for number in range(100)))
    seen = await client.rest()
    assert any(line.startswith("ERROR token") for line in seen)
    assert seen[-1].startswith("ERROR flood")
    await client.leave()


async def too_late(server: GameServer) -> None:
    """Wants to play in a tournament that has begun."""
    client = await Talker.to(server)
    client.say("HELLO evoply 1 third")
    assert "begun" in await client.until("ERROR")
    client.say("MOVE 0 a1")
    assert "comes later" in await client.until("ERROR")
    await client.leave()


async def other_version(server: GameServer) -> None:
    """Speaks a protocol that there is not yet."""
    client = await Talker.to(server)
    client.say("HELLO evoply 2 third", "QUIT")
    assert any("speaks version 1" in line for line in await client.rest())
    await client.leave()


async def watcher_that_plays(server: GameServer) -> None:
    """Watches, and moves in others' games."""
    client = await Talker.to(server)
    client.say("WATCH", "MOVE 0 a1", "RESIGN 0", "PASS 1", "HELLO evoply 1 third")
    for _ in range(3):
        assert "you only watch" in await client.until("ERROR")
    assert "in already" in await client.until("ERROR")
    await client.leave()


BAD = [
    nonsense, oversized, binary, silent, crowd, dead, deaf, slow, guessing, too_late,
    other_version, watcher_that_plays,
]  # fmt: skip


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad.__name__)
async def test_a_good_game_goes_on_beside(bad: Bad, serve_two: Any) -> None:
    async with serve_two(game="othello") as (server, one, other):
        await one.until("COLOR")
        half = asyncio.Event()

        def at_turn(player: Talker) -> None:
            half.set()

        playing = asyncio.gather(one.play(1, at_turn), other.play(2))
        await half.wait()
        await bad(server)
        await playing
    assert [game.ending for game in server.tournament.games()] == [Ending.BOARD] * 2


async def test_damaged_lines_break_nothing(serve_two: Any) -> None:
    good = [
        "HELLO evoply 1 ada 2",
        "MOVE 0 d3",
        "RESIGN 1 no",
        "PASS 0",
        "WATCH",
        "BACK abcdefghijk",
    ]

    async def client(server: GameServer, stream: Stream) -> None:
        talker = await Talker.to(server)
        if stream.below(2):
            talker.say("WATCH")
        for _ in range(40):
            line = bytearray(good[stream.below(len(good))].encode())
            for _ in range(stream.below(3)):
                line[stream.below(len(line))] = stream.below(256)
            talker.raw(bytes(line) + b"\n")
        await talker.rest()
        await talker.leave()

    news = News()
    async with serve_two(game="othello", games=6, news=news) as (server, one, other):
        await one.until("COLOR")
        clients = [client(server, Stream(number, "bad")) for number in range(CLIENTS)]
        await asyncio.gather(one.play(1), other.play(2), *clients)
    assert [game.ending for game in server.tournament.games()] == [Ending.BOARD] * 6
    assert [one for one in news if "ended with" in one] == []


async def test_all_bad_clients_at_once(serve_two: Any) -> None:
    async with serve_two(game="othello", games=4) as (server, one, other):
        await one.until("COLOR")
        bad = asyncio.gather(*(one(server) for one in BAD if one is not crowd))
        await asyncio.gather(one.play(1), other.play(2), bad)
    assert [game.ending for game in server.tournament.games()] == [Ending.BOARD] * 4


CHEATS = {
    "an illegal move": ("MOVE {game} a1", "ERROR move"),
    "no move": ("MOVE {game} hello", "ERROR move"),
    "a pass that is none": ("PASS {game}", "ERROR pass"),
    "another's game": ("MOVE {other} d3", "ERROR game"),
    "a game that there is not": ("MOVE 999999 d3", "ERROR game"),
    "not its turn": ("MOVE {game} d3\nMOVE {game} d3", "ERROR turn"),
}


@pytest.mark.parametrize("cheat", CHEATS)
async def test_a_cheat_is_told_and_others_go_on(cheat: str, serve: Any) -> None:
    says, answer = CHEATS[cheat]

    async with serve(game="othello-6", players=4) as (server, _):
        players = [await (await Talker.to(server)).join(name) for name in "abcd"]
        good = [asyncio.create_task(one.play(seed)) for seed, one in enumerate(players[:3])]
        cheater = players[3]
        turn = await cheater.until("TURN")
        game = turn.split()[1]
        other = "1" if game == "0" else "0"
        text = says.format(game=game, other=other)
        if cheat == "not its turn":
            text = text.replace("d3", turn.split()[2])
        cheater.say(*text.splitlines())
        assert await cheater.until("ERROR") is not None
        assert cheater.seen[-1].startswith(answer)
        if cheat != "not its turn":
            cheater.say(f"MOVE {game} {turn.split()[2]}")
        await cheater.play(9)
        await asyncio.gather(*good)
    games = list(server.tournament.games())
    assert len(games) == 12
    assert all(game.ending is Ending.BOARD for game in games)


async def test_the_third_illegal_move_loses_the_game(serve_two: Any) -> None:
    async with serve_two(game="othello") as (server, one, cheater):
        good = asyncio.create_task(one.play())
        turn = await cheater.until("TURN")
        for left in range(MOST_ILLEGAL - 1, -1, -1):
            cheater.say(f"MOVE {turn.split()[1]} a1a")
            said = await cheater.until("ERROR move")
            assert "the game is lost" in said
            assert (f"{left} more and" in said) == (left > 0)
        await cheater.play(2)
        await good
    lost, played = server.tournament.games()
    assert (lost.ending, lost.forfeit) == (Ending.FORFEIT, "played 3 illegal moves")
    assert played.ending is Ending.BOARD


async def test_a_player_that_floods_is_cut_off_and_may_come_back(serve_two: Any) -> None:
    async with serve_two(game="othello") as (server, one, flood):
        good = asyncio.create_task(one.play())
        await flood.until("COLOR")
        flood.say(*("MOVE 77 a1" for _ in range(10_000)))
        assert any(line.startswith("ERROR flood") for line in await flood.rest())
        again = await Talker.to(server)
        again.say(f"BACK {flood.token}")
        await again.play(2)
        await good
    assert all(game.ending is Ending.BOARD for game in server.tournament.games())


async def test_a_player_that_never_reads_loses_its_games_and_no_memory(
    serve: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evoply.server.connection.MOST_WAITING", 2000)

    async with serve(players=3, games=20) as (server, _):
        deaf = await Talker.to(server)
        raw = deaf.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
        deaf.say("WATCH")
        await deaf.until("INFO")
        deaf.writer.transport.pause_reading()  # type: ignore[attr-defined]
        players = [await (await Talker.to(server)).join(name) for name in "abc"]
        for wire in server.admission.watchers:
            wire._writer.transport.get_extra_info("socket").setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDBUF, 1024
            )
        await asyncio.gather(*(one.play(seed) for seed, one in enumerate(players)))
        assert not server.admission.watchers
    assert all(game.ending is Ending.BOARD for game in server.tournament.games())


async def test_strangers_have_a_time_limit(serve: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evoply.server.admission.STRANGER_SECONDS", 0.2)

    async with serve(to_the_end=False) as (server, _):
        client = await Talker.to(server)
        assert (await client.rest())[-1].startswith("ERROR hello nobody was named")
        await client.leave()


async def test_one_address_has_so_many_connections_beside_players(serve: Any) -> None:
    async with serve(players=4, connections=3, to_the_end=False) as (server, _):
        players = [await (await Talker.to(server)).join(name) for name in "abc"]
        strangers = [await Talker.to(server) for _ in range(3)]
        for stranger in strangers:
            await stranger.until("HELLO")
        refused = await (await Talker.to(server)).rest()
        assert [line.split()[:2] for line in refused] == [["ERROR", "full"]]
        assert "3 connections" in refused[0]
        strangers[0].say("QUIT")
        await strangers[0].rest()
        await (await Talker.to(server)).join("d")
        assert len(players) == 3


async def test_names_are_taken_once_and_given_back(serve: Any) -> None:
    news = News()
    async with serve(to_the_end=False, players=3, news=news) as (server, _):
        first = await (await Talker.to(server)).join("Ada")
        second = await Talker.to(server)
        second.say("HELLO evoply 1 ada", "HELLO evoply 1 Bob 99", "HELLO evoply 1 B\u00f6b")
        assert "ERROR name" in await second.until("ERROR")
        assert "ERROR games" in await second.until("ERROR")
        await first.leave()
        await news.until("Ada is away")
        await second.join("Ada")
        await second.leave()


async def test_help_names_every_line(serve: Any) -> None:
    async with serve(to_the_end=False) as (server, _):
        client = await Talker.to(server)
        client.say("help", "quit")
        seen = await client.rest()
        assert "INFO MOVE GAME MOVE" in seen
        assert "INFO HELLO evoply VERSION NAME [GAMES]" in seen
        await client.leave()


async def test_the_password_is_asked_for_and_never_sent(serve: Any) -> None:
    password = "correct horse"

    async with serve(to_the_end=False, password=password) as (server, _):
        client = await Talker.to(server)
        challenge = (await client.until("HELLO")).split()[-1]
        client.say("WATCH", "HELLO evoply 1 ada")
        for _ in range(2):
            assert "ERROR password" in await client.until("ERROR")
        code = hmac.new(password.encode(), challenge.encode(), hashlib.sha256).hexdigest()
        client.say(f"PROOF {code}")
        await client.join("ada")
        other = await Talker.to(server)
        # The answer to one question is none to the next.
        assert (await other.until("HELLO")).split()[-1] != challenge
        clock = asyncio.get_running_loop().time
        asked = clock()
        other.say(f"PROOF {code}", "WATCH")
        assert (await other.rest())[-1].startswith("ERROR password this is not")
        assert clock() - asked > 0.9  # guessing is slow
        assert all(password not in line for line in client.seen + other.seen)
        for wrong in (None, "another one"):
            with pytest.raises(CallError, match="password"):
                await Watching(*server.address, password=wrong).run()
        await client.leave()
        await other.leave()


async def test_a_token_needs_no_password(serve: Any) -> None:
    from evoply.players import parse_player

    async with serve(password="correct horse") as (server, _):
        players = [
            Joining(parse_player("random", game="othello-4"), *server.address,
                    password="correct horse", seed=seed)
            for seed in (1, 2)
        ]  # fmt: skip
        first = asyncio.create_task(players[0].run())
        while players[0].token is None:
            await asyncio.sleep(0.01)
        with suppress(asyncio.CancelledError):
            await asyncio.gather(first, players[1].run())
    assert [one.farewell for one in players] == 2 * ["the tournament is over"]
    assert {one.name for one in players} == {"random", "random-2"}


async def test_a_player_whose_process_ended_comes_back_with_the_token_it_kept(
    serve: Any, tmp_path: Path
) -> None:
    """Nobody has to copy a token; a second player of that name takes nobody's place."""

    news, hers = News(), News()

    def player() -> Joining:
        random = parse_player("random", game="othello-4")
        given = {"name": "Ada", "tokens": tmp_path, "patience": 0, "on_news": hers.tell}
        return Joining(random, *server.address, **given)

    async with serve(news=news) as (server, task):
        first = asyncio.create_task(player().run())
        await hers.until("joined as Ada; to come back later: join again as the same user")
        (file,) = tmp_path.glob("?" * 32)
        assert file.stat().st_mode & 0o777 == 0o600
        other = await (await Talker.to(server)).join("other")
        await other.until("TURN")
        with pytest.raises(CallError) as refused:
            await player().run()
        assert refused.value.code == "begun"
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await news.until("Ada is away")
        back = player()
        await asyncio.gather(back.run(), other.play(), task)
        assert "Ada is back" in news
    assert back.farewell == "the tournament is over"
    assert not file.exists()


@pytest.mark.parametrize("text", ["", "short", "x" * 100, "not a token!", "\xff" * 20])
async def test_a_file_that_has_no_token_is_none(text: str, serve: Any, tmp_path: Path) -> None:
    async with serve() as (server, _):
        name = f"127.0.0.1:{server.address[1]} Ada"
        (tmp_path / hashlib.sha256(name.encode()).hexdigest()[:32]).write_text(text)
        random = parse_player("random", game="othello-4")
        players = [
            Joining(random, *server.address, name=name, tokens=tmp_path) for name in ("Ada", "Bo")
        ]
        await asyncio.gather(*(one.run() for one in players))
        assert {one.farewell for one in players} == {"the tournament is over"}


async def test_a_token_of_an_earlier_tournament_is_forgotten(serve: Any, tmp_path: Path) -> None:
    async with serve() as (server, _):
        name = f"127.0.0.1:{server.address[1]} random"
        (tmp_path / hashlib.sha256(name.encode()).hexdigest()[:32]).write_text("x" * 32)
        random = parse_player("random", game="othello-4")
        players = [Joining(random, *server.address, tokens=tmp_path) for _ in range(2)]
        await asyncio.gather(*(one.run() for one in players))
        assert {one.name for one in players} == {"random", "random-2"}
    assert [*tmp_path.glob("?" * 32)] == []


async def test_players_wait_for_a_server_that_was_stopped(serve_two: Any) -> None:
    async with serve_two(to_the_end=False) as (server, one, other):
        await one.until("COLOR")
        watcher = await Talker.to(server)
        watcher.say("WATCH")
        await watcher.until("INFO welcome")
        server_task = next(task for task in asyncio.all_tasks() if "GameServer.run" in repr(task))
        server_task.cancel()
        rest = await other.rest()
        assert rest[-1] == "INFO the server was stopped, but may be started again: wait for it"
        assert (await watcher.rest())[-1] == "BYE the server was stopped"
