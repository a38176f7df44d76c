"""Tournaments that are stopped and go on: the result is that of one that nobody stopped."""

import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from arena_games import First

from evoply.arena import RoundRobin, round_robin, tournament
from evoply.arena.kept_games import _GAMES, _META
from evoply.cli import main
from evoply.environment import checksum_of
from evoply.games.formats import GamePlayed
from evoply.players import parse_player
from evoply.protocols import Player, RunError
from waiting import until

TERMS: dict[str, Any] = {"game": "othello-4", "seed": 3, "threads": 1}
KINDS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "round robin": (round_robin, {"games": 20}),
    "elimination": (tournament, {"games": 6, "times": 5}),
}


def play(kind: str, player: object, **options: Any) -> Any:
    function, own = KINDS[kind]
    return function([player, "greedy", "random"], **{**TERMS, **own, **options})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("stops", [[1], [20, 15], [2, 3, 5, 7, 11]])
def test_a_stopped_tournament_goes_on_to_the_same_result(
    kind: str, stops: list[int], tmp_path: Path
) -> None:
    file, whole, asked = tmp_path / "t.db", First(), 0
    expected = play(kind, whole)
    for at in stops:
        player = First(at)
        with pytest.raises(KeyboardInterrupt):
            play(kind, player, file=file)
        asked += player.asked
    games: list[GamePlayed] = []
    player = First()
    assert play(kind, player, file=file, on_game=games.append) == expected
    assert len(games) == expected.games
    # Only the game in which Ctrl-C came is played a second time: at most two moves on such boards.
    assert whole.asked <= asked + player.asked <= whole.asked + 4 * len(stops)
    again: list[GamePlayed] = []
    idle = First(1)
    assert play(kind, idle, file=file, on_game=again.append) == expected
    assert idle.asked == 0
    assert again == games
    saved: list[GamePlayed] = []
    assert play(kind, First(), on_game=saved.append) == expected
    assert saved == games


@pytest.mark.parametrize("kind", KINDS)
def test_forfeits_and_times_are_kept(kind: str, tmp_path: Path) -> None:
    first = play(kind, First(forfeits=7), file=tmp_path / "t.db", clock="50+1")
    assert first.forfeits
    assert first.clock == "50+1"
    assert play(kind, First(1), file=tmp_path / "t.db", clock="50+1") == first


def test_more_runs_of_an_elimination_go_on(tmp_path: Path) -> None:
    few = play("elimination", First(), file=tmp_path / "t.db", times=2)
    assert few.runs == 2
    player = First()
    assert play("elimination", player, file=tmp_path / "t.db") == play("elimination", First())


CHANGES: list[tuple[dict[str, Any], str]] = [
    ({"seed": 4}, "seed - its games were played with 3, not 4 - give the same to go on"),
    ({"games": 22}, "games - its games were played with 20, not 22"),
    ({"openings": 2}, "openings - "),
    ({"clock": "9"}, "clock - its games were played with none, not 9"),
    ({"game": "othello-6"}, "game - its games were played with othello-4, not othello-6"),
]


@pytest.mark.parametrize(("change", "says"), CHANGES)
def test_other_conditions_are_refused(change: dict[str, Any], says: str, tmp_path: Path) -> None:
    play("round robin", First(), file=tmp_path / "t.db")
    with pytest.raises(ValueError, match=r"t\.db: ") as refused:
        play("round robin", First(), file=tmp_path / "t.db", **change)
    assert says in str(refused.value)


def test_other_players_are_refused(tmp_path: Path) -> None:
    bot, file = tmp_path / "bot.py", tmp_path / "t.db"
    source = (
        "class Bot:\n    def choose(self, game, stream, clock):\n        return game.moves[0]\n"
    )
    bot.write_text(source)
    terms = {**TERMS, "games": 2, "file": file}
    first = round_robin([str(bot), "greedy"], **terms)
    bot.write_text(f"{source}# better\n")
    with pytest.raises(ValueError, match=r"bot\.py - was changed after its games were played"):
        round_robin([str(bot), "greedy"], **terms)
    bot.write_text(source)
    # What its process told about it, such as its sandbox, is known although it does not play again.
    assert round_robin([str(bot), "greedy"], **terms) == first
    with pytest.raises(
        ValueError, match=r"players - its games were played with .*bot\.py, greedy, no"
    ):
        round_robin([str(bot), "random"], **terms)
    with pytest.raises(ValueError, match=r"mode - .*round-robin, not elimination"):
        tournament([str(bot), "greedy"], **terms)


def test_only_the_games_of_new_and_changed_players_are_played(tmp_path: Path) -> None:
    def called(name: str, text: str) -> Player:
        return parse_player(text, game="othello-4").model_copy(update={"name": name})

    ann, bob, cem = called("ann", "greedy"), called("bob", "mobility"), called("cem", "random")
    said: list[str] = []

    def played(*players: object) -> RoundRobin:
        said.clear()
        given = {**TERMS, "games": 2, "file": tmp_path / "t.db"}
        return round_robin(players, **given, on_change=said.append)

    first = First()
    whole = played(first, ann, bob)
    # In another order nothing is played again, and nobody's result changes.
    turned = played(bob, idle := First(1), ann)
    assert (idle.asked, said) == (0, [])
    assert {(one.player, one.points) for one in turned.standings} == {
        (one.player, one.points) for one in whole.standings
    }
    # A changed player plays again, and so does nobody else.
    bob = called("bob", "greedy")
    four = played(ann, cem, bob, "greedy")
    assert four.games == 12
    points = {one.place: pytest.approx(one.points) for one in four.standings}
    assert _points_of_pairings(four) == points
    assert said == [
        "first takes no part any more: its games stay in the file",
        "bob was changed: 4 games of it are played again",
        "cem is new: it plays all of its games",
        "greedy is new: it plays all of its games",
    ]
    # Who comes back has its games, but those against the changed one.
    back = First()
    assert played(ann, back).games == 2
    assert back.asked == 0
    assert played(ann, back, bob).games == 6
    assert 0 < back.asked < first.asked
    with pytest.raises(ValueError, match=r"players - .*; --resume in place of --file lets others"):
        round_robin([ann, cem], **TERMS, games=2, file=tmp_path / "t.db")


def _points_of_pairings(result: RoundRobin) -> dict[int, float]:
    points = dict.fromkeys(range(len(result.players)), 0.0)
    for met in result.pairings:
        games = met.wins + met.draws + met.losses
        points[met.first] += games * met.score
        points[met.second] += games * (1 - met.score)
    return points


def test_standings_and_pairings_of_many_players_agree() -> None:
    players = ["greedy", "random", "mobility", "material:depth=2", "random-leaf"]
    result = round_robin(players, game="othello-4", games=6, seed=5)
    assert len(result.pairings) == 10
    points = {one.place: pytest.approx(one.points) for one in result.standings}
    assert _points_of_pairings(result) == points


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.db"
    file.write_text("games")
    with pytest.raises(RunError, match="this is no file of a tournament's games - name another"):
        play("round robin", First(), file=file)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        *(("games", "moves", value) for value in ("1", "[1e999]", '["x"]', "[[")),
        *(("games", "winner", value) for value in (7, 300, "x")),
        *(("games", column, -1) for column in ("plies", "black_discs", "ending")),
        ("games", "ending", 200),
        *(("meta", "value", value) for value in ("null", "[]", '{"1":2}', '{"x":{}}')),
    ],
)
def test_a_file_with_right_checksums_of_what_is_no_game_is_refused(
    table: str, column: str, value: object, tmp_path: Path
) -> None:
    file = tmp_path / "t.db"
    play("round robin", "random", file=file)
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        which = "name = 'learned'" if table == "meta" else "number = 0"
        connection.execute(f"UPDATE {table} SET {column} = ? WHERE {which}", (value,))
        for group in (_META, _GAMES):
            rows = connection.execute(group.select, (0, 0)).fetchall()
            connection.execute(
                "UPDATE checksums SET sha256 = ? WHERE name = ? AND number = 0",
                (checksum_of(group, 0, rows), group.name),
            )
    with pytest.raises(RunError, match="the file is damaged"):
        play("round robin", "random", file=file, on_game=lambda game: None)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs signals of Unix")
def test_a_killed_tournament_goes_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = [
        "tournament", "swh:depth=5", "greedy:depth=5", "random", "--games", "80", "--threads", "1",
        "--json",
    ]  # fmt: skip
    file = tmp_path / "t.db"
    process = subprocess.Popen(
        [sys.executable, "-m", "evoply", *words, "--file", str(file)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    log = Path(f"{file}-wal")  # nobody else reads the file meanwhile; what is before games is small
    until(lambda: log.exists() and log.stat().st_size > 32_768, "the first games")
    process.kill()
    process.wait()
    with closing(sqlite3.connect(file)) as database:
        (kept,) = database.execute("SELECT count(*) FROM games").fetchone()
    assert 0 < kept < 240
    found = []
    for more in (["--file", str(file)], []):
        assert main([*words, *more]) == 0
        found.append(capsys.readouterr().out.partition('"made_by"')[0])
    assert found[0] == found[1]
