"""A full disk ends a server; its players wait for the one that goes on."""

import asyncio
import sqlite3
import sys
from pathlib import Path

import pytest
from server_commands import ended, listening, said, started
from talker import News, serving

import evoply as ep
from evoply.protocols import TimeControl
from evoply.server import GameServer, Joining, Journal, JournalError, TournamentConditions
from full_disks import call_where_files_are_small, fill, small_disk
from waiting import PATIENCE

CONDITIONS = TournamentConditions.of("othello-4", TimeControl(60), games=20, openings=2)


def stop_growing(journal: Journal) -> None:
    """Let SQLite say that the disk is full as soon as the file has to grow."""
    connection: sqlite3.Connection = journal._database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")


async def test_players_wait_for_the_server_that_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "my tournament.db"

    async def first(players: list["asyncio.Task[None]"], joined: list[Joining]) -> int:
        journal, news = Journal.create(path, CONDITIONS), News()
        server = GameServer(journal, on_news=news.tell)
        serve = asyncio.create_task(server.run("127.0.0.1", 0))
        await news.until("listening on")
        for name in ("one", "other"):
            player = ep.parse_player("random", game="othello-4")
            joined.append(Joining(player, *server.address, name=name, patience=PATIENCE))
            players.append(asyncio.create_task(joined[-1].run()))
        await news.until("(3 of 20)")
        stop_growing(journal)
        says = rf"the disk is full .* - make room on it, then .*evoply serve --resume '{path}'"
        with pytest.raises(JournalError, match=says):
            async with asyncio.timeout(PATIENCE):
                await serve
        journal.close()
        return server.address[1]

    players: list[asyncio.Task[None]] = []
    joined: list[Joining] = []
    port = await first(players, joined)
    await asyncio.sleep(0.5)
    assert not any(player.done() for player in players)
    assert [player.farewell for player in joined] == [None, None]
    async with serving(path, journal=Journal.open(path), port=port) as (second, _):
        await asyncio.wait_for(asyncio.gather(*players), PATIENCE)
    assert second.tournament.is_over
    for player in joined:
        assert player.farewell == "the tournament is over"
        assert player.scores["one"][1] == player.scores["other"][1] == 20
        assert all(game.said is not None for game in player.games.values())


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limit")
def test_a_file_that_cannot_be_made_is_not_gone_on_with(tmp_path: Path) -> None:
    arguments = ("serve", "--file", "t.db", "--port", "0", "--json")
    done = call_where_files_are_small(*arguments, cwd=tmp_path)
    assert done.returncode == 1
    assert "no file may be that large" in done.stderr
    assert "--resume" not in done.stderr
    # The empty file that is left is in nobody's way.
    Journal.create(tmp_path / "t.db", CONDITIONS).close()


def test_commands_on_a_full_disk(tmp_path: Path) -> None:
    with small_disk(tmp_path / "disk", 16) as disk:  # SQLite's log of new moves takes some
        game = ("--game", "othello-4", "--openings", "2", "--games", "100", "--clock", "60")
        file = ("--file", "disk/t.db")
        with started("serve", *game, *file, "--port", "0", "--json", cwd=tmp_path) as server:
            port = listening(server)
            join = ("join", f"localhost:{port}", "--player", "random", "--json", "--patience", "99")
            with started(*join, cwd=tmp_path) as one, started(*join, cwd=tmp_path) as other:
                said(server, "(3 of 100)")
                filling = fill(disk)
                _, err = server.communicate(timeout=PATIENCE)
                assert server.returncode == 1
                assert "the disk is full" in err
                assert "serve --resume disk/t.db" in err
                assert one.poll() is None
                assert other.poll() is None
                filling.unlink()
                again = ("serve", "--resume", "disk/t.db", "--json")
                with started(*again, cwd=tmp_path) as second:
                    result, _ = ended(second)
                assert result["played"] == 100
                for player in (one, other):
                    assert ended(player)[0]["played"] == 100
