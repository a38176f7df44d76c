"""No flipped bit of a file that lasts changes unnoticed what is read from it."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply import Stream
from evoply.arena import Forfeit
from evoply.cli.convert import Notes, games_in
from evoply.environment import read_limited
from evoply.experiments import compare, load_comparison
from evoply.games import game_rules
from evoply.games.formats import GamePlayed, saved
from evoply.players import PackedTables, read_packed
from evoply.players.packed import LARGEST_PACKED, Cut, PackedPattern, rounded
from evoply.protocols import Color, RunError, TimeControl
from evoply.server import Journal, JournalError, ServedTournament, TournamentConditions
from evoply.server.journal import Seated, digest_of
from evoply.web import GameStore, Stored, StoreError

FLIPS = 300 if "EVOPLY_LONG" in os.environ else 30
SEED = int(os.environ.get("EVOPLY_FLIPS", "20261124"))
KEPT = ["greedy", "random", "mobility"]
CONDITIONS = TournamentConditions.of("othello", TimeControl(150, 0.5), players=3, games=10, seed=7)


def drawn_game(seed: int, most: int = 100) -> GamePlayed:
    """Return a game of drawn moves, of at most *most* plies."""
    draws, record = Stream(seed, "game"), game_rules("othello").record()
    while record.outcome() is None and len(record) < most:
        moves = record.position.legal_moves
        record = record.play(moves[draws.below(len(moves))])
    return GamePlayed.of(record, black=f"one {seed}", white="another")


def write_page(folder: Path) -> None:
    async def write() -> None:
        store = GameStore(folder / "web-games.db")
        for seed in range(12):
            record = drawn_game(seed, 9 * seed).record
            moves = [(move, seed + 0.5, None) for move in record.move_texts()]
            start = record.start.text()
            black, white, id = "person", f"greedy:depth={seed + 1}", f"{seed:032x}"
            await store.begin(
                Stored(id, f"2026-{seed}", "othello", start, black, white, "60", 1, seed)
            )
            await store.go_on(id, 0, moves)
            await store.go_on(id, len(moves) // 2, moves[len(moves) // 2 :])
            if seed % 3 == 0:
                await store.seat(id, white, black)
                await store.forfeit(id, Color.WHITE, "crash")
        store.close()

    asyncio.run(write())


def read_page(folder: Path) -> Any:
    async def read() -> Any:
        store = GameStore(folder / "web-games.db")
        try:
            return await store.newest(100), [await store.read(f"{seed:032x}") for seed in range(12)]
        finally:
            store.close()

    return asyncio.run(read())


def write_journal(folder: Path) -> None:
    journal = Journal.create(folder / "t.db", CONDITIONS)
    journal.record_address("localhost", 77)
    journal.seat([Seated(name, digest_of(name), 1) for name in "abc"])
    for number in range(12):
        record = drawn_game(number, 6 * number + 1).record
        left = {Color.BLACK: 100 / (number + 1), Color.WHITE: 77.0 + number}
        journal.add(number, record, 0, left)
        if number % 2:
            journal.end(number, Forfeit(number, Color.BLACK, "left"))
    journal.close()


def read_journal(folder: Path) -> Any:
    journal = Journal.open(folder / "t.db")
    try:
        tournament = ServedTournament(CONDITIONS, ("a", "b", "c"))
        begun = journal.begun(tournament)
        return journal.conditions, journal.address, journal.players(), begun, tournament.played
    finally:
        journal.close()


def write_kept_games(folder: Path) -> None:
    ep.round_robin(KEPT, games=6, seed=0, game="othello-4", file=folder / "kept.db")


def read_kept_games(folder: Path) -> Any:
    games: list[GamePlayed] = []
    result = ep.round_robin(
        KEPT, games=6, seed=0, game="othello-4", file=folder / "kept.db", on_game=games.append
    )
    return result, games


def write_games(folder: Path) -> None:
    lines = "".join(saved.write(drawn_game(seed, 11 * seed + 1) for seed in range(6)))
    (folder / "games.jsonl").write_text(lines, encoding="utf-8")


def read_games(folder: Path) -> Any:
    notes = Notes()
    games = list(games_in(str(folder / "games.jsonl"), notes))
    if notes.refused:
        raise ValueError(
            f"{folder / 'games.jsonl'}: {notes.refused[0].place}: {notes.refused[0].reason}"
        )
    return games


def write_tables(folder: Path) -> None:
    draws = Stream(5, "tables")
    tables = PackedTables(
        made={"seed": 5, "command": "evoply learn"},
        patterns=(PackedPattern(squares="a1 b1 c1 d1", symmetries=(0,)),),
        stages=(),
        cuts=(Cut(depth=4, shallow=2, lines=((1.0, 0.5, 0.25),)),),
        entries=rounded([draws.below(20_000) / 1000 - 10 for _ in range(3**4)]),
    )
    (folder / "tables.json").write_text(json.dumps(tables.to_data(), indent=1) + "\n")


def read_tables(folder: Path) -> Any:
    return read_packed(read_limited(folder / "tables.json", LARGEST_PACKED))


def write_comparison(folder: Path) -> None:
    configs = {
        name: ep.LearningConfig(game="othello-4", features=(name,), games=20)
        for name in ("corners", "mobility")
    }
    compare(configs, name="c", seeds=2, games=4, points=2, measure="score:greedy", workers=1)


def read_comparison(folder: Path) -> Any:
    found = load_comparison(folder / "c")
    return {**found.to_dict(), "curves": found.rows("curves"), "pairs": found.rows("pairs")}


@dataclass(frozen=True, slots=True)
class Kind:
    """Files that last: what writes them into a folder, and what reads them all."""

    write: Callable[[Path], object]
    read: Callable[[Path], Any]
    error: type[Exception]
    """The error that says what is wrong with a file."""
    names_file: bool = True


KINDS = {
    "games of a tournament": Kind(write_kept_games, read_kept_games, RunError),
    "games of the page": Kind(write_page, read_page, StoreError),
    "journal of a tournament": Kind(write_journal, read_journal, JournalError),
    "saved games": Kind(write_games, read_games, ValueError),
    "packed tables": Kind(write_tables, read_tables, ValueError, names_file=False),
    "comparison": Kind(write_comparison, read_comparison, RunError),
}


def lasting(folder: Path) -> list[Path]:
    """Return the files of a folder, without those that only serve an open database or a lock."""
    passing = ("-wal", "-shm", "lock")
    return sorted(
        path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(passing)
    )


@pytest.mark.parametrize("name", KINDS)
def test_a_flipped_bit_is_refused_or_changes_nothing(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind, whole, folder = KINDS[name], tmp_path / "whole", tmp_path / "flipped"
    whole.mkdir()
    monkeypatch.setenv("EVOPLY_RUNS", str(whole))
    kind.write(whole)
    # The same path, which what is read may name.
    monkeypatch.setenv("EVOPLY_RUNS", str(folder))
    shutil.copytree(whole, folder)
    written = kind.read(folder)
    draws, refused = Stream(SEED, f"flips of {name}"), 0
    for _ in range(FLIPS):
        shutil.rmtree(folder)
        shutil.copytree(whole, folder)
        files = lasting(folder)
        path = files[draws.below(len(files))]
        content = bytearray(path.read_bytes())
        place, bit = draws.below(len(content)), draws.below(8)
        content[place] ^= 1 << bit
        path.write_bytes(content)
        where = (path.relative_to(folder), place, bit)
        try:
            assert kind.read(folder) == written, where
        except kind.error as error:
            refused += 1
            message = str(error)
            assert str(folder) in message or not kind.names_file, (where, message)
            assert "codec" not in message, (where, message)
    assert refused > FLIPS / 10


def test_games_without_a_flip_are_still_read(tmp_path: Path) -> None:
    write_games(tmp_path)
    path = tmp_path / "games.jsonl"
    games = read_games(tmp_path)
    lines = path.read_text().splitlines(keepends=True)
    lines[2] = lines[2].replace('"one 2"', '"one 3"')
    path.write_text("".join(lines))
    with pytest.raises(ValueError, match=r"games\.jsonl: line 3: the checksum is wrong"):
        read_games(tmp_path)
    notes = Notes()
    assert list(games_in(str(path), notes)) == games[:2] + games[3:]
    assert [game.place for game in notes.refused] == ["line 3"]


def test_lines_without_a_checksum_are_read_as_they_are(tmp_path: Path) -> None:
    write_games(tmp_path)
    path = tmp_path / "games.jsonl"
    games, lines = read_games(tmp_path), path.read_text().splitlines()
    plain = [{key: json.loads(line)[key] for key in json.loads(line)} for line in lines]
    for data in plain:
        del data["checksum"]
    path.write_text("".join(json.dumps(data) + "\n" for data in plain))
    assert read_games(tmp_path) == games
