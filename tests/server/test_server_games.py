"""Games of a server: what both sides are told, clocks, coming back, and the file."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from talker import News, Talker, pass_time, serving, two_players

from evoply.games import game_rules
from evoply.protocols import Color, Ending
from evoply.server import GameServer, Journal


def record_of(game: str, lines: list[str], number: int) -> Any:
    """Return the game that *lines* tell, which every line must fit."""
    record = game_rules(game).record()
    for line in lines:
        words = line.split()
        if words[:2] == ["COLOR", str(number)] or words[:2] == ["GAME", str(number)]:
            record = game_rules(game).record()
        elif words[:2] == ["MOVE", str(number)]:
            record = record.play(words[2])
        elif words[:2] == ["PASS", str(number)]:
            assert record.position.legal_moves.must_pass
            record = record.play(record.position.legal_moves[0])
        elif words[:2] == ["TURN", str(number)]:
            legal = record.position.legal_moves
            assert set(words[2:]) == {record.position.short_text(move) for move in legal}
            assert len(legal) > 1
    return record


@pytest.mark.parametrize("game", ["othello-4", "othello-10", "checkers", "lose-checkers"])
async def test_everybody_is_told_the_games_that_are_saved(game: str, serve: Any) -> None:
    async with serve(game=game, players=3) as (server, task):
        watcher = await Talker.to(server)
        watcher.say("WATCH")
        players = [await (await Talker.to(server)).join(name) for name in "abc"]
        watching = asyncio.create_task(watcher.play())
        await asyncio.gather(task, *(one.play(seed) for seed, one in enumerate(players)))
        await watching
    games = list(server.tournament.games())
    assert len(games) == 6
    for number, one in enumerate(games):
        names = {one.black, one.white}
        assert one.ending is not Ending.FORFEIT
        assert record_of(game, watcher.seen, number).moves == one.record.moves
        for player, name in zip(players, "abc", strict=True):
            begun = [line for line in player.seen if line.startswith(f"COLOR {number} ")]
            assert bool(begun) == (name in names)
            if begun:
                color = "black" if one.black == name else "white"
                (opponent,) = names - {name}
                assert begun[0].split()[2:4] == [color, opponent]
                assert record_of(game, player.seen, number).moves == one.record.moves
    scores = [line for line in watcher.seen if line.startswith("SCORE")]
    assert sum(float(line.split()[2]) for line in scores) == len(games)
    assert all(line.endswith(" 4") for line in scores)
    result = server.tournament.rated()
    assert result.games == 6
    assert not result.reproducible


async def test_openings_are_played_twice_with_colors_exchanged(serve_two: Any) -> None:
    async with serve_two(game="othello", games=4, openings=6) as (server, one, other):
        await asyncio.gather(one.play(1), other.play(2))
    games = list(server.tournament.games())
    for first, second in zip(games[::2], games[1::2], strict=True):
        assert first.record.moves[:6] == second.record.moves[:6]
        assert (first.black, first.white) == (second.white, second.black)
    assert games[0].record.moves[:6] != games[2].record.moves[:6]


async def test_several_games_are_played_at_once(serve: Any) -> None:
    async with serve(players=4, to_the_end=False) as (server, _):
        players = [await (await Talker.to(server)).join(f"p{n}") for n in range(4)]
        begun = [await player.until("COLOR") for player in players]
        assert len({line.split()[1] for line in begun}) == 2
        for player in players:
            await player.leave()


async def test_a_player_may_play_several_games_at_a_time(serve: Any) -> None:
    async with serve(games=6) as (server, _):
        one = await (await Talker.to(server)).join("one", games=3)
        other = await (await Talker.to(server)).join("other", games=2)
        numbers = [(await other.until("COLOR")).split()[1] for _ in range(2)]
        assert numbers == ["0", "1"]
        await asyncio.gather(one.play(1), other.play(2))
    begun, most = set(), 0
    for line in one.seen:
        word, *rest = line.split()
        if word == "COLOR":
            begun.add(rest[0])
        elif word == "END":
            begun.discard(rest[0])
        most = max(most, len(begun))
    assert most == 2


@pytest.mark.usefixtures("still")
async def test_whoever_sleeps_loses_on_time_and_nobody_else(serve_two: Any) -> None:
    async with serve_two(game="othello", clock="2") as (server, one, sleeper):

        async def sleep() -> None:
            while line := await sleeper.line():
                if line.startswith("TURN"):
                    pass_time(2.5)

        await asyncio.gather(one.play(), sleep())
    for game in server.tournament.games():
        assert game.ending is Ending.FORFEIT
        assert game.forfeit == "ran out of time"
        assert game.label(game.winner or Color.BLACK) == "one"
    ends = [line for line in one.seen if line.startswith("END")]
    assert [line.split()[3:] for line in ends] == 2 * [["forfeit", "ran", "out", "of", "time"]]
    result = server.tournament.rated()
    assert result.clock == "2"
    used = {one.player: one.seconds for one in result.standings}
    assert used["other"].mean == used["other"].most == 2.5
    assert used["one"].most == 0
    assert [(lost.player, lost.games, lost.by_time) for lost in result.forfeits] == [
        ("other", 2, True)
    ]


@pytest.mark.usefixtures("still")
async def test_the_clocks_show_what_was_used_and_what_was_added(serve_two: Any) -> None:
    async with serve_two(clock="30+5", to_the_end=False) as (_, one, _other):
        line = await one.until("TURN")
        pass_time(4)
        one.say(f"MOVE {line.split()[1]} {line.split()[2]}")
        await one.until("MOVE")
        black, white = map(float, (await one.until("TIME")).split()[2:])
        assert black == 30 - 4 + 5
        assert white in (30, 35)


@pytest.mark.usefixtures("still")
async def test_coming_back_in_the_middle_of_a_game(serve_two: Any) -> None:
    news = News()
    async with serve_two(game="othello", news=news) as (server, one, other):
        turns = 0
        playing = asyncio.create_task(other.play())
        while turns < 5:
            line = await one.until("TURN")
            turns += 1
            if turns < 5:
                one.say(f"MOVE {line.split()[1]} {line.split()[2]}")
        before = record_of("othello", one.seen, 0)
        await one.leave()
        await news.until("one is away")
        pass_time(3)
        again = await Talker.to(server)
        again.say(f"BACK {one.token}")
        assert (await again.until("WELCOME")).split() == ["WELCOME", "one", one.token]
        assert await again.until("TURN") == line
        assert record_of("othello", again.seen, 0).moves == before.moves
        left = float(next(one for one in again.seen if one.startswith("TIME")).split()[2])
        assert left == 57  # its clock ran meanwhile
        again.say(f"MOVE 0 {line.split()[2]}")
        await asyncio.gather(again.play(), playing)
    assert all(game.ending is Ending.BOARD for game in server.tournament.games())


async def test_a_second_connection_takes_the_place_of_the_first(serve_two: Any) -> None:
    async with serve_two() as (server, one, other):
        await one.until("COLOR")
        again = await Talker.to(server)
        again.say(f"BACK {one.token}")
        await again.until("WELCOME")
        await one.rest()
        await asyncio.gather(again.play(), other.play())
    assert all(game.ending is Ending.BOARD for game in server.tournament.games())


@pytest.mark.usefixtures("still")
async def test_whoever_stays_away_loses_what_has_not_begun(serve_two: Any) -> None:
    news = News()
    async with serve_two(games=6, grace=0.5, clock="3", news=news) as (server, one, other):
        playing = asyncio.create_task(one.play())
        await other.until("TURN")
        await other.leave()
        await news.until("other is away")
        pass_time(10)
        await playing
    games = list(server.tournament.games())
    assert len(games) == 6
    assert {game.label(game.winner or Color.BLACK) for game in games} == {"one"}
    assert [game.forfeit for game in games[1:]] == 5 * ["did not come back"]
    assert any("5 games that had not begun" in one for one in news)


@pytest.mark.parametrize(("says", "reason"), [("QUIT", "left"), ("RESIGN 0 bored", "resigned")])
async def test_giving_up_loses_the_game(says: str, reason: str, serve_two: Any) -> None:
    async with serve_two() as (server, one, other):
        await other.until("COLOR")
        other.say(says)
        await asyncio.gather(one.play(), other.play())
    game = next(iter(server.tournament.games()))
    assert (game.forfeit or "").startswith(reason)
    assert game.label(game.winner or Color.BLACK) == "one"


async def played_for(server: GameServer, turns: int) -> tuple[list[str], list[str]]:
    """Let two players make so many moves of one of them; return its lines and both tokens."""
    async with two_players(server) as (one, other):
        playing = asyncio.create_task(other.play())
        for _ in range(turns):
            line = await one.until("TURN")
            pass_time(1)
            one.say(f"MOVE {line.split()[1]} {line.split()[2]}")
        await one.until("MOVE")
        await one.until("TIME")
        playing.cancel()
        await asyncio.gather(playing, return_exceptions=True)
        return one.seen, [one.token, other.token]


@pytest.mark.usefixtures("still")
async def test_another_server_goes_on_with_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    serve = serving(path, game="othello", clock="20", to_the_end=False)
    async with serve as (server, _):
        seen, tokens = await played_for(server, turns=6)
    heard = record_of("othello", seen, 0)
    async with serving(path, journal=Journal.open(path)) as (second, _):
        assert second.conditions == server.conditions
        pass_time(10)
        players = [await Talker.to(second) for _ in tokens]
        for player, token in zip(players, tokens, strict=True):
            player.say(f"BACK {token}")
        await asyncio.gather(*(one.play() for one in players))
    told = record_of("othello", players[0].seen, 0)
    assert told.moves[: len(heard)] == heard.moves
    clocks = [line.split() for line in seen if line.startswith("TIME 0")]
    again = next(line for line in players[0].seen if line.startswith("TIME 0")).split()
    # Nobody's clock ran while there was no server, or nobody there.
    assert again == clocks[-1]
    games = list(second.tournament.games())
    assert [game.ending for game in games] == [Ending.BOARD, Ending.BOARD]
    assert games[0].record.moves[: len(heard)] == heard.moves


@pytest.mark.usefixtures("still")
async def test_a_finished_file_gives_its_results_again(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    async with serving(path) as (server, _), two_players(server) as (one, other):
        await asyncio.gather(one.play(1), other.play(2))
    async with serving(path, journal=Journal.open(path)) as (second, task):
        while not task.done():  # it waits for the players, who might want to hear of it
            pass_time(1)
            await asyncio.sleep(0)
    assert list(second.tournament.games()) == list(server.tournament.games())
    assert second.tournament.rated() == server.tournament.rated()
