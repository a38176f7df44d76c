"""The file of a tournament: what it keeps, and what is wrong with files that are none."""

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from talker import Talker

from evoply.arena import Forfeit
from evoply.arena.playing import PlayedGame
from evoply.protocols import Color, TimeControl
from evoply.reports import result_html
from evoply.server import Journal, JournalError, ServedTournament, TournamentConditions
from evoply.server.journal import Seated, digest_of

CONDITIONS = TournamentConditions.of("othello", TimeControl(150, 0.5), players=3, games=4, seed=7)


def written(path: Path) -> Path:
    """Write a file with one game that is over, one that is lost and one that goes on."""
    journal = Journal.create(path, CONDITIONS)
    journal.record_address("localhost", 77)
    journal.seat([Seated(name, digest_of(name), 1) for name in "abc"])
    tournament = ServedTournament(CONDITIONS, ("a", "b", "c"))
    left = {Color.BLACK: 1.5, Color.WHITE: 2.5}
    record = tournament.opening(0)
    journal.add(0, record, 0, left)
    journal.end(0, Forfeit(0, Color.WHITE, "left"))
    record = tournament.opening(1)
    journal.add(1, record, 0, left)
    longer = record.play(record.position.legal_moves[0])
    journal.add(1, longer, len(record), left)
    journal.add_unplayed({5: PlayedGame(record, Forfeit(5, Color.BLACK, "away", by_time=True))})
    journal.close()
    return path


def test_a_file_gives_back_all_that_was_written(tmp_path: Path) -> None:
    journal = Journal.open(written(tmp_path / "t.db"))
    assert journal.conditions == CONDITIONS
    assert journal.address == ("localhost", 77)
    assert [one.name for one in journal.players()] == ["a", "b", "c"]
    tournament = ServedTournament(CONDITIONS, ("a", "b", "c"))
    begun = journal.begun(tournament)
    journal.close()
    assert begun.keys() == {1}
    assert begun[1].record.moves[:-1] == tournament.opening(1).moves
    assert begun[1].left == {Color.BLACK: 1.5, Color.WHITE: 2.5}
    assert tournament.played[0].forfeit == Forfeit(0, Color.WHITE, "left")
    assert tournament.played[5].forfeit == Forfeit(5, Color.BLACK, "away", by_time=True)
    games = {name: games for name, _, games in tournament.scores()}
    assert sum(games.values()) == 4
    assert sum(points for _, points, _ in tournament.scores()) == 2


def test_a_result_before_all_have_met_has_a_page() -> None:
    tournament = ServedTournament(CONDITIONS, ("a", "b", "c"))
    for number, loser in enumerate((Color.WHITE, Color.BLACK)):  # both games of an opening: a won
        forfeit = Forfeit(number, loser, "left")
        tournament.played[number] = PlayedGame(tournament.opening(number), forfeit)
    rated = tournament.rated()
    assert rated is not None
    # b forfeited all that it played, and c has not played.
    assert {one.player: one.rating for one in rated.standings} == {"a": 0, "b": None, "c": None}
    page = result_html(rated)
    assert "2 of 12" in page
    assert "2: left" in page


async def test_a_move_is_announced_when_it_is_on_disk(tmp_path: Path, serve_two: Any) -> None:
    journal, may_write = Journal.create(tmp_path / "t.db", CONDITIONS), threading.Event()

    async with serve_two(journal=journal, to_the_end=False) as (server, *players):
        await (await Talker.to(server)).join("third")
        turns = [asyncio.create_task(player.until("TURN")) for player in players]
        await asyncio.wait(turns, return_when=asyncio.FIRST_COMPLETED)
        who, asked = next(pair for pair in zip(players, turns, strict=True) if pair[1].done())
        _, number, move, *_ = asked.result().split()
        journal.in_background.submit(may_write.wait)
        try:
            who.say(f"MOVE {number} {move}")
            for _ in range(3):
                who.say("HELP")
                await who.until("INFO HELP")
                assert f"MOVE {number} {move}" not in who.seen
        finally:
            may_write.set()
        await who.until(f"MOVE {number} {move}")
        for turn in turns:
            turn.cancel()


def test_no_token_is_in_the_file(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path / "t.db", CONDITIONS)
    token = "a-token-that-nobody-may-read"
    journal.seat([Seated("a", digest_of(token), 1)])
    journal.close()
    assert all(token.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_one_server_at_a_time(tmp_path: Path) -> None:
    journal = Journal.open(written(tmp_path / "t.db"))
    with pytest.raises(JournalError, match="another server is using it"):
        Journal.open(tmp_path / "t.db")
    journal.close()
    Journal.open(tmp_path / "t.db").close()


def test_no_file_is_written_over(tmp_path: Path) -> None:
    path = tmp_path / "t.db"
    path.write_text("mine")
    with pytest.raises(JournalError, match="there is such a file already"):
        Journal.create(path, CONDITIONS)
    assert path.read_text() == "mine"


def change(statement: str) -> Any:
    def apply(path: Path) -> None:
        with sqlite3.connect(path) as connection:
            connection.execute(statement)
        connection.close()

    return pytest.param(apply, id=statement[:40])


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.unlink(), "there is no such file"),
        (lambda path: path.write_bytes(b""), "not the file of a tournament"),
        (lambda path: path.write_text("{}"), "not the file of a tournament"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged"),
    ],
)
def test_a_file_that_is_none_is_refused(damage: Any, says: str, tmp_path: Path) -> None:
    path = written(tmp_path / "t.db")
    damage(path)
    with pytest.raises(JournalError, match=says) as raised:
        Journal.open(path)
    assert str(raised.value).startswith(str(path))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "damage",
    [
        change("UPDATE moves SET move = 'a1' WHERE number % 1048576 = 3"),
        change("UPDATE moves SET move = 'x' WHERE number = 0"),
        change("DELETE FROM moves WHERE number = 1048578"),
        change("UPDATE moves SET black_left = black_left + 1 WHERE number = 1048578"),
        change("UPDATE players SET token_sha256 = upper(token_sha256) WHERE place = 1"),
        change("UPDATE players SET games = 2 WHERE place = 1"),
        change("DELETE FROM players WHERE place = 2"),
        change("DELETE FROM checksums WHERE name = 'players'"),
        change("UPDATE ends SET loser = NULL WHERE game = 0"),
        change("UPDATE ends SET loser = 'red' WHERE game = 0"),
        change("UPDATE meta SET value = '{}' WHERE name = 'conditions'"),
        change("UPDATE meta SET value = 'x' WHERE name = 'address'"),
        change("DROP TABLE ends"),
        change("DROP TABLE meta"),
    ],
)
def test_what_was_changed_is_noticed(damage: Any, tmp_path: Path) -> None:
    path = written(tmp_path / "t.db")
    damage(path)

    def read() -> None:
        journal = Journal.open(path)
        try:
            journal.players()
            journal.begun(ServedTournament(CONDITIONS, ("a", "b", "c")))
        finally:
            journal.close()

    with pytest.raises(JournalError, match="damaged"):
        read()


def test_a_file_of_another_program_is_not_changed(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE other (x)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(JournalError, match="not the file of a tournament"):
        Journal.open(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize("other", [1, 9])
def test_another_format_is_named(other: int, tmp_path: Path) -> None:
    path = written(tmp_path / "t.db")
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute(f"PRAGMA user_version = {other}")
    connection.close()
    with pytest.raises(JournalError, match=f"format {other}, and this evoply reads 2 - go on with"):
        Journal.open(path)


def test_a_damaged_schema_is_named_with_its_file(tmp_path: Path) -> None:
    path = written(tmp_path / "t.db")
    path.write_bytes(path.read_bytes().replace(b"tableendsends", b"table\xffndsends"))
    says = r"the file is damaged \(a text in it is not UTF-8\) - begin a new tournament"
    with pytest.raises(JournalError, match=says) as raised:
        Journal.open(path)
    assert str(raised.value).startswith(str(path))
    assert "codec" not in str(raised.value)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"game": "chess"}, "chess"),
        ({"players": 1}, "players: 1 cannot"),
        ({"players": 101}, "players: 101 cannot"),
        ({"games": 3}, "games: 3 is not an even number"),
        ({"games": 0}, "games: 0"),
        ({"players": 100, "games": 100}, "495,000 in all"),
        ({"openings": -1}, "openings"),
        ({"seed": -1}, "seed"),
        ({"control": TimeControl(0.01)}, "clock"),
    ],
)
def test_conditions_that_cannot_be(wrong: dict[str, Any], says: str) -> None:
    given = {"game": "othello", "control": TimeControl(10), **wrong}
    with pytest.raises(ValueError, match=says):
        TournamentConditions.of(given.pop("game"), given.pop("control"), **given)
