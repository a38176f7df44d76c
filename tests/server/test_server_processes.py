"""The commands as processes: a whole timed tournament, a killed server, Ctrl-C, cut connections."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from server_commands import Rememberer, ended, listening, said, started
from talker import serving, two_players

from evoply.games import game_rules
from evoply.games.formats import saved
from evoply.players import Origin, parse_player, save_player
from evoply.protocols import Ending
from evoply.server import GameServer, Joining, Journal, Watching
from waiting import PATIENCE

pytestmark = pytest.mark.timeout(400)  # processes of Python start slowly on a loaded machine

KILLS = 12 if "EVOPLY_LONG" in os.environ else 2


def test_two_processes_play_a_timed_game_on_ten_by_ten(tmp_path: Path) -> None:
    game = "othello-10"
    player = parse_player("firebrand:depth=2", game=game)
    saved_player = tmp_path / "mine.json"
    save_player(saved_player, player, Origin(note="for the tournament"), game=game)
    before = saved_player.read_bytes(), saved_player.stat().st_mtime_ns
    home = tmp_path / "home"
    home.mkdir()
    arguments = (
        "serve", "--port", "0", "--game", game, "--clock", "60+0.1", "--games", "2", "--json",
        "--save-games", "games.jsonl", "--html", "page.html", "--file", "all.db",
    )  # fmt: skip
    with started(*arguments, cwd=tmp_path) as server:
        address = f"localhost:{listening(server)}"
        watch = started("watch", address, "--json", cwd=home)
        mine = started("join", address, "--player", str(saved_player), "--json", cwd=home)
        other = started("join", address, "--player", "greedy", "--name", "Ada", "--json", cwd=home)
        with watch as watching, mine as first:
            said(server, "somebody is watching")
            with other as second:
                results = [ended(one)[0] for one in (first, second)]
            shown, _ = ended(watching)
        result, _ = ended(server)
    # All that everybody was told is what was saved, and it can be played again.
    with (tmp_path / "games.jsonl").open() as file:
        games = list(saved.read(file))
    assert len(games) == 2
    for number, one in enumerate(games):
        assert one.ending is Ending.BOARD
        record = game_rules(game).record()
        for move in one.record.move_texts():
            record = record.play(move)
        assert record.outcome() == one.record.outcome()
        texts = list(one.record.move_texts())
        assert {"number": number, **one.to_dict(), "opening_key": 0} == shown["games"][number]
        for told in results:
            (played,) = [entry for entry in told["games"] if entry["number"] == number]
            assert played["moves"] == texts
            assert 0 < played["seconds_left"] < 60 + 0.1 * 60
            assert told["farewell"] == "the tournament is over"
    assert {one["name"] for one in results} == {"mine", "Ada"}
    assert sum(one["points"] for one in results) == 2
    assert result["planned"] == result["played"] == result["games"] == 2
    assert result["clock"] == "60+0.1"
    for one in result["standings"]:
        (told,) = [told for told in results if told["name"] == one["player"]]
        used = [60 + 0.1 * len(game["moves"]) / 2 - game["seconds_left"] for game in told["games"]]
        assert 0 <= one["seconds"]["mean"] <= one["seconds"]["most"] < max(used) + 1
    assert result["reproducible"] is False
    assert "default-src 'none'" in (tmp_path / "page.html").read_text()
    # Learning is off: no file of a player was touched, and none was made.
    assert (saved_player.read_bytes(), saved_player.stat().st_mtime_ns) == before
    assert list(home.iterdir()) == []


RULES = """
import evoply as ep
from evoply.rules import Rules, step

dash = Rules(
    name="dash", rows=5, columns=4, black="1", white="5",
    moves=step(ep.board.own, ["forward", "forward_left", "forward_right"], onto=~ep.board.own),
    wins=ep.board.own & ep.squares("farthest_rank"),
)
"""


def test_a_game_of_ones_own_is_played_by_those_who_have_its_rules(tmp_path: Path) -> None:
    (tmp_path / "dash.py").write_text(RULES)
    (tmp_path / "other.py").write_text(RULES.replace("rows=5", "rows=6").replace('"5"', '"6"'))
    arguments = ("--clock", "60", "--games", "2", "--file", "all.db", "--port", "0", "--json")
    with started("serve", "--game", "dash.py", *arguments, cwd=tmp_path) as server:
        join = ("join", f"localhost:{listening(server)}", "--player", "greedy", "--json")
        for game, message in (
            ((), "the game dash has rules of its own, which are not known here"),
            (("--game", "other.py"), "the game dash has other rules there than here"),
        ):
            with started(*join, *game, cwd=tmp_path) as refused:
                assert message in refused.communicate(timeout=PATIENCE)[0]
                assert refused.returncode == 2
        server.send_signal(signal.SIGINT)
        server.communicate(timeout=PATIENCE)
    # The file of the tournament needs no other one.
    with started("serve", "--resume", "all.db", "--port", "0", "--json", cwd=tmp_path) as server:
        address = f"localhost:{listening(server)}"
        join = ("join", address, "--json", "--game", "dash.py")
        watch = started("watch", address, "--json", "--rules", "dash.py", cwd=tmp_path)
        with watch as watching, started(*join, "--player", "greedy", cwd=tmp_path) as one:
            said(server, "somebody is watching")
            with started(*join, "--player", "random", cwd=tmp_path) as other:
                assert {ended(player)[0]["played"] for player in (one, other)} == {2}
            shown = ended(watching)[0]["games"]
        assert ended(server)[0]["game"] == "dash"
        assert [game["game"] for game in shown] == ["dash", "dash"]


def test_a_killed_server_loses_no_move_that_it_acknowledged(tmp_path: Path) -> None:
    arguments = ("--port", "0", "--file", "all.db", "--clock", "60", "--games", "4")
    with ExitStack() as processes:
        serve = started("serve", *arguments, "--json", cwd=tmp_path)
        server = processes.enter_context(serve)
        port = listening(server)
        join = started(
            "join", f"localhost:{port}", "--player", "greedy", "--json", "--patience", "100",
            cwd=tmp_path,
        )  # fmt: skip
        with join as other:
            player = Rememberer(port, "one")
            for _ in range(KILLS):
                player.play(7)
                server.send_signal(signal.SIGKILL)
                server.communicate()
                # On its own port, which the file knows.
                serve = started("serve", "--resume", "all.db", "--json", cwd=tmp_path)
                server = processes.enter_context(serve)
                assert listening(server) == port
            player.play(10_000)
            assert player.is_over
            joined, news = ended(other)
            result, _ = ended(server)
    assert news.count("calling again") == KILLS
    assert joined["farewell"] == "the tournament is over"
    assert result["played"] == 4
    assert result["forfeits"] == []
    again = subprocess.run(
        [sys.executable, "-m", "evoply", "serve", "--resume", "all.db", "--port", "0", "--quiet",
         "--save-games", "games.jsonl", "--json"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert json.loads(again.stdout)["scores"] == result["scores"]
    with (tmp_path / "games.jsonl").open() as file:
        for number, one in enumerate(saved.read(file)):
            assert list(one.record.move_texts()) == player.moves[number]


def test_ctrl_c_ends_with_what_was_played(tmp_path: Path) -> None:
    arguments = ("serve", "--port", "0", "--games", "100", "--file", "all.db", "--json")
    with started(*arguments, cwd=tmp_path) as server:
        address = f"localhost:{listening(server)}"
        join = ("join", address, "--json", "--patience", "0")
        greedy = started(*join, "--player", "greedy", cwd=tmp_path)
        random = started(*join, "--player", "random", cwd=tmp_path)
        with greedy as one, random as other:
            said(server, "game 3 ")
            server.send_signal(signal.SIGINT)
            out, err = server.communicate(timeout=PATIENCE)
            for player in (one, other):
                # They wait for another server, here for no time, and say how they come back.
                left, news = player.communicate(timeout=PATIENCE)
                result = json.loads(left)
                assert (player.returncode, result["farewell"]) == (1, None)
                assert "the server was stopped, but may be started again: wait for it" in news
                assert f"--name {result['name']} --token {result['token']}" in news
    assert server.returncode == 130
    assert "Traceback" not in err
    result = json.loads(out)
    assert result["exit_code"] == 130
    assert "--resume all.db" in result["error"]
    assert 4 <= result["played"] < result["planned"] == 100
    assert result["games"] % 2 == 0
    assert result["games"] <= result["played"]


async def test_a_player_that_is_cut_off_again_and_again(serve: Any) -> None:
    """Our own client comes back each time and plays on, with the same games."""

    async def cut(server: GameServer, cuts: list[int]) -> None:
        plies: dict[int, int] = {}
        while True:
            await asyncio.sleep(0.01)
            for table in server.tables():
                if len(table.record) >= plies.setdefault(table.number, 8) + 8:
                    plies[table.number] = len(table.record)
                    for guest in server._guests:
                        if guest.wire is not None:
                            guest.wire.cut()
                            cuts.append(1)

    cuts: list[int] = []
    async with serve(game="othello", games=2) as (server, task):
        players = [
            Joining(parse_player(text, game="othello"), *server.address, seed=3)
            for text in ("greedy", "random")
        ]
        cutting = asyncio.create_task(cut(server, cuts))
        await asyncio.gather(task, *(one.run() for one in players))
        cutting.cancel()
    assert len(cuts) >= 3
    for number, game in enumerate(server.tournament.games()):
        assert game.ending is Ending.BOARD
        for player in players:
            assert player.games[number].record.moves == game.record.moves


async def test_players_cut_off_at_the_end_hear_how_it_ended(serve: Any) -> None:
    """Connections that are lost before anybody notices are waited for, too."""

    async with serve(game="othello-4", games=2) as (server, task):
        players = [
            Joining(parse_player(text, game="othello-4"), *server.address, patience=20)
            for text in ("greedy", "random")
        ]
        wait = server._wait_for_the_last

        async def cut_and_wait() -> None:
            for guest in server._guests:
                guest.wire.cut()
            await wait()

        server._wait_for_the_last = cut_and_wait  # type: ignore[method-assign]
        await asyncio.gather(task, *(player.run() for player in players))
    for player in players:
        assert player.farewell == "the tournament is over"
        assert sorted(player.scores) == sorted(other.name or "" for other in players)


async def test_a_server_started_anew_before_the_tournament_began(tmp_path: Path) -> None:
    """Nobody knows the tokens any more, so players join again by themselves."""

    path, game = tmp_path / "t.db", "othello-4"
    async with serving(path, to_the_end=False) as (server, task):
        host, port = server.address
        greedy = Joining(parse_player("greedy", game=game), host, port, patience=60)
        joined = asyncio.create_task(greedy.run())
        while greedy.token is None:
            await asyncio.sleep(0.01)
        first = greedy.token
        for wire in [one.wire for one in server._guests if one.wire]:
            wire.cut()  # as if the server were killed: nobody says good-bye
        task.cancel()
    async with serving(path, journal=Journal.open(path), port=port) as (server, task):
        random = Joining(parse_player("random", game=game), host, port)
        await asyncio.gather(task, joined, random.run())
    assert greedy.token != first
    assert greedy.name == "greedy"
    assert greedy.farewell == "the tournament is over"


async def test_bots_and_players_that_fail_resign(tmp_path: Path, serve: Any) -> None:
    bot = tmp_path / "bad.py"
    bot.write_text(
        "class Bad:\n"
        "    def choose(self, game, stream, clock):\n"
        "        if len(game) > 12:\n"
        "            raise RuntimeError('no idea')\n"
        "        assert 0 < clock.seconds_left <= 60\n"
        "        return game.position.legal_moves[0]\n"
    )

    async with serve(game="othello") as (server, task):
        players = [
            Joining(parse_player(text, game="othello"), *server.address)
            for text in (str(bot), "random")
        ]
        await asyncio.gather(task, *(one.run() for one in players))
    for game in server.tournament.games():
        assert game.ending is Ending.FORFEIT
        assert "no idea" in (game.forfeit or "")
        assert len(game.record) in (13, 14)


async def test_a_player_written_here_is_asked_with_its_clock(serve: Any) -> None:
    clocks = []

    class Mine:
        def choose(self, game: Any, stream: Any, clock: Any) -> Any:
            clocks.append((clock.seconds_left, clock.increment, clock.moves))
            time.sleep(0.1)
            return game.position.legal_moves[0]

    from evoply.players import player_of

    async with serve(clock="100+0.01") as (server, task):
        random = parse_player("random", game="othello-4")
        players = [
            Joining(player_of(Mine()), *server.address, name="mine", at_once=4),
            Joining(random, *server.address),
        ]
        await asyncio.gather(task, *(one.run() for one in players))
        assert players[0].at_once == 1  # one object for all games
    assert clocks[0][:2] == (100, 0.01)
    assert clocks[0][2] in (0, 1)
    left = [seconds for seconds, _, moves in clocks if moves >= 2]
    assert left
    assert all(0 < seconds < 99.95 for seconds in left)


async def test_games_are_watched_while_they_are_played(serve: Any) -> None:
    async with serve() as (server, task), two_players(server) as players:
        watching = Watching(*server.address)
        boards = []
        watching.on_change = lambda game: boards.append((game.number, len(game.played.record)))
        seen = asyncio.create_task(watching.run())
        while not server.admission.watchers:
            await asyncio.sleep(0.01)
        await asyncio.gather(task, seen, *(one.play() for one in players))
    games = list(server.tournament.games())
    shown = [watching.games[number].played for number in (0, 1)]
    assert shown == [replace(one, opening_key=0) for one in games]
    assert boards == sorted(boards)


def test_the_client_of_the_page_plays(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "server.md").read_text()
    (tmp_path / "client.py").write_text(page.split("```python\n")[1].split("```")[0])
    arguments = ("serve", "--port", "0", "--game", "checkers", "--games", "2", "--json")
    with started(*arguments, cwd=tmp_path) as server:
        port = listening(server)
        clients = [
            subprocess.Popen(
                [sys.executable, "client.py", "localhost", str(port), name],
                cwd=tmp_path,
                text=True,
                stdout=subprocess.PIPE,
            )
            for name in ("one", "other")
        ]
        out = [client.communicate(timeout=PATIENCE)[0] for client in clients]
        result, _ = ended(server)
    assert out[0] == out[1]
    assert out[0].count("END") == result["played"] == 2
    assert out[0].endswith("BYE the tournament is over\n")
