"""No road by which a run comes runs a program: a test for each, whose program would leave a mark.

The roads are those of docs/security.md; `test_roads_of_files` has the others. Everything here is
forged as somebody would who knows evoply: its checksums are right.
"""

import json
import os
import sqlite3
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import tomli_w
from evil_program import BOT, ENGINE, MARK, page, pinned
from fastapi.testclient import TestClient
from own_settings import small_config

import evoply as ep
from evoply.cli import main
from evoply.configs import code_in_runs_allowed
from evoply.environment import checksum_of
from evoply.environment.checksums import BoundedConnection
from evoply.evolution.islands import IslandsConfig
from evoply.experiments import (
    compare,
)
from evoply.players import parse_player
from evoply.players.grammar import read_player
from evoply.protocols import RunError
from evoply.runs import advance, list_runs, schema
from forging import sealed, written

pytestmark = pytest.mark.usefixtures("evil")


def with_config(folder: Path, change: Callable[[str], str]) -> Path:
    config = folder / "config.toml"
    config.write_text(change(config.read_text()))
    sealed(folder)
    return folder


def with_champion(folder: Path, data: dict[str, Any]) -> Path:
    """Make *data* the champion of a run, in every place that says who it is."""
    with written(folder) as database:
        connection = database.connection
        for (number,) in connection.execute("SELECT id FROM players").fetchall():
            row = (number, f"{json.dumps(data)}{' ' * number}")  # no text is there twice
            connection.execute("UPDATE players SET text = ? WHERE id = ?", row[::-1])
            connection.execute(
                "UPDATE checksums SET sha256 = ? WHERE name = 'players' AND number = ?",
                (checksum_of(schema._PLAYERS, number, [row]), number),
            )
        note = {"generation": schema.count_steps(database) - 1, "player": data}
        schema.write_meta(database, {"champion": json.dumps(note)})
    return folder


def looked_at(name: str = "sent", *, is_whole_look: bool = False) -> None:
    """Look at everything by every command that only looks; none may leave a mark."""
    looks = [["runs"], ["runs", name], ["runs", name, "--check"], ["show", f"champion@{name}"]]
    for words in (*looks, *([["report", name]] if is_whole_look else [])):  # a page takes long
        main(words)
        assert not MARK.exists(), words
    if not is_whole_look:
        return
    with TestClient(page(), base_url="http://127.0.0.1:8000") as client:
        for path in ("/api/runs", f"/api/runs/{name}", "/api/sides?game=othello-4"):
            assert client.get(path).status_code in (200, 409), path
            assert not MARK.exists(), path


GAMES = ["python:evil.py:P", "python:./evil.py:P", "python:evil:P", "evil.json"]


@pytest.mark.parametrize("game", GAMES)
def test_the_game_of_a_run_is_a_name(run: Path, game: str) -> None:
    Path("evil.json").write_text('{"format": 1}')
    with_config(run, lambda text: text.replace('game = "othello-4"', f'game = "{game}"'))
    looked_at(is_whole_look=True)
    main(["match", "champion@sent", "random", "--games=2"])
    main(["resume", "sent", "--generations=9", "--no-tests"])
    with pytest.raises(RunError, match="game"):
        ep.Run.open(run)
    assert not MARK.exists()


def test_the_changes_of_islands_in_a_run_name_no_python_of_yours(run: Path) -> None:
    config = IslandsConfig(game="othello-4", generations=1, islands={"count": 2})
    with ep.Run.create("runs/islands", config) as made:
        path = made.path
    row = '{ fitness = { opponents = [{ player = "python:evil.py:P", pairs = 1 }] } }'
    with_config(path, lambda text: text.replace("changes = []", f"changes = [{row}]"))
    looked_at("islands")
    with pytest.raises(RunError, match=r"islands\.changes\.0\.fitness\.opponents"):
        ep.Run.open(path)


def test_a_config_that_lies_in_a_run_is_read_as_carried(run: Path) -> None:
    with_config(run, lambda text: text.replace('game = "othello-4"', 'game = "python:evil.py:P"'))
    assert main(["evolve", "runs/sent/config.toml", "--no-tests"]) == 2
    assert main(["config", "runs/sent/config.toml"]) in (0, 2)
    # A link does not make it the user's own, nor does one that leads out.
    Path("mine.toml").symlink_to("runs/sent/config.toml")
    assert main(["evolve", "mine.toml", "--no-tests"]) == 2
    Path("out.toml").write_text('game = "python:evil.py:P"\n')
    Path("runs/sent/out.toml").symlink_to(Path("out.toml").resolve())
    assert main(["evolve", "runs/sent/out.toml", "--no-tests"]) == 2
    assert not MARK.exists()


@pytest.mark.parametrize("kind", ["engine", "bot", "python", "python without checksum"])
def test_a_champion_that_is_a_program_is_shown_and_not_started(
    run: Path, kind: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data: dict[str, Any] = {
        "engine": ENGINE,
        "bot": BOT,
        "python": {"kind": "python", "code": pinned("Evil")},
        "python without checksum": {"kind": "python", "code": "python:evil.py:Evil"},
    }[kind]
    with_champion(run, data)
    looked_at(is_whole_look=True)
    capsys.readouterr()
    for words in (
        ["match", "champion@sent", "random", "--games=2"],
        ["match", "champion@sent", "random", "--games=2", "--move-limit=5", "--sandbox=off"],
        ["tournament", "champion@sent", "random", "greedy", "--games=2"],
        ["analyse", "champion@sent", "--position=f5", "--game=othello"],
        ["play", "--against=champion@sent"],
        ["why", "champion@sent"],
        ["distil", "champion@sent", "--games=2"],
        ["engine", "--player=champion@sent"],
    ):
        code = main(words)
        said = capsys.readouterr()
        assert not MARK.exists(), words
        assert "Traceback" not in said.err
        if words[0] == "match":
            assert code in (1, 2)
            assert "--code-in-runs" in said.err or "without its checksum" in said.err
    if kind == "python":  # only who says so
        assert main(["match", "champion@sent", "random", "--games=2", "--code-in-runs"]) == 0
        assert MARK.exists()


def test_an_engine_of_a_run_starts_on_that_word(run: Path) -> None:
    with_champion(run, ENGINE)
    words = [sys.executable, "-m", "evoply", "match", "champion@sent", "random", "--games=2"]
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
    assert refused.returncode == 2
    assert "--code-in-runs" in refused.stderr
    assert not MARK.exists()
    allowed = [*words, "--code-in-runs"]
    done = subprocess.run(allowed, capture_output=True, text=True, check=False)
    # It has started: what it writes in its sandbox is seen by nobody.
    assert "the engine sh -c 'touch mark' cannot play: its process died" in done.stderr


@pytest.mark.parametrize(
    "player",
    [
        "engine:gtp:sh -c 'touch mark'",
        "python:evil.py:Evil",
        "evil.py:Evil",
        "evil.json",
        json.dumps(ENGINE),
        json.dumps(BOT),
        json.dumps({"kind": "python", "code": "python:evil.py:Evil"}),
    ],
)
def test_an_opponent_in_a_run_is_data_or_does_not_start(run: Path, player: str) -> None:
    def change(text: str) -> str:
        keys = tomllib.loads(text)
        keys["fitness"]["allow_irreproducible"] = True
        keys["fitness"]["opponents"] = [{"player": player, "pairs": 1}]
        return tomli_w.dumps(keys)

    with_config(run, change)
    looked_at()
    assert main(["resume", "sent", "--generations=9", "--no-tests"]) in (1, 2)
    assert main(["replay", "sent", "--generation=1", "--game=0"]) in (1, 2)
    assert not MARK.exists()


def test_a_learner_of_a_run_needs_its_checksum_and_a_word(run: Path) -> None:
    with_config(run, lambda text: f'learner = "python:evil.py:P"\n{text}')
    looked_at()
    assert main(["resume", "sent", "--generations=9"]) in (1, 2)
    assert not MARK.exists()
    with_config(run, lambda text: text.replace("python:evil.py:P", pinned("P")))
    looked_at()
    assert main(["resume", "sent", "--generations=9"]) in (1, 2)
    assert not MARK.exists()


@pytest.mark.parametrize("is_pinned", [False, True])
@pytest.mark.parametrize("place", ["operators", "measure", "player", "selection", "settings"])
def test_parts_of_a_run_in_python_need_a_word(run: Path, place: str, is_pinned: bool) -> None:
    code = pinned("f") if is_pinned else "python:evil.py:f"

    def change(text: str) -> str:
        keys = tomllib.loads(text)
        part = {"kind": "python", "code": code}
        # A text that is no part of the config's grammar pins nothing, either.
        unread = {"kind": "python", "code": pinned("f"), "settings": {"a": "python:evil.py:f"}}
        match place:
            case "operators":
                keys["variation"].update(custom={"x": 0.1}, operators={"x": code})
            case "measure" | "settings":
                keys["fitness"]["measure"] = part if place == "measure" else unread
            case "player":
                keys["player"]["code"] = code
            case "selection":
                keys["selection"] = part
        return tomli_w.dumps(keys)

    with_config(run, change)
    looked_at()
    assert main(["resume", "sent", "--generations=9", "--no-tests"]) in (1, 2)
    # Games are replayed without what only breeding needs.
    assert main(["replay", "sent", "--generation=1", "--game=0"]) in (0, 1, 2)
    assert not MARK.exists()


def test_a_changed_config_or_game_is_told(run: Path, capsys: pytest.CaptureFixture[str]) -> None:
    before = (run / "config.toml").read_text()
    (run / "config.toml").write_text(before.replace("seed = 1", "seed = 2", 1))
    assert before != (run / "config.toml").read_text()
    for words in (["runs", "sent"], ["runs", "sent", "--check"], ["show", "champion@sent"],
                  ["report", "sent"], ["match", "champion@sent", "random"]):  # fmt: skip
        assert main(words) == 1
        assert "config.toml was changed after the run began" in capsys.readouterr().err
    assert main(["runs"]) == 0
    assert "config.toml was changed" in " ".join(capsys.readouterr().out.split())
    (run / "config.toml").write_text(before)
    assert main(["runs", "sent", "--check"]) == 0
    (run / "game.json").write_text("{}")  # none belongs to it
    assert main(["runs", "sent", "--check"]) == 1
    assert "game.json was changed after the run began" in capsys.readouterr().err


def test_the_facts_of_rules_in_a_run_are_covered(evil: Path) -> None:
    with ep.Run.create("runs/sent", small_config(game="breakthrough")) as made:
        next(advance(made))
    file = Path("runs/sent/game.json")
    data = json.loads(file.read_text())
    file.write_text(json.dumps({**data, "adviser": "greedy"}, indent=1))
    with pytest.raises(RunError, match=r"game\.json was changed after the run began"):
        ep.Run.open("runs/sent")


def test_a_run_is_shown_where_its_programs_are_missing(run: Path) -> None:
    with_champion(run, {**BOT, "path": "/nowhere/bot.py"})
    assert main(["runs", "sent"]) == 0
    with ep.Run.open(run) as opened:
        assert opened.champion_player.label == "bot.py:Evil"
    with_champion(run, {**ENGINE, "command": ["/nowhere/engine"]})
    with ep.Run.open(run) as opened:
        assert "engine:gtp:/nowhere/engine" in opened.champion_player.label


def test_nothing_is_written_through_a_link_of_a_run(run: Path) -> None:
    Path("precious").write_text("precious")
    for name in ("lock", "output.txt", "report.html", "request.json"):
        (run / name).unlink(missing_ok=True)
        (run / name).symlink_to(Path("precious").resolve())
    main(["resume", "sent", "--generations=9", "--no-tests"])
    main(["report", "sent"])
    from evoply.runs import go_on_in_process

    assert go_on_in_process(run).wait() != 0
    assert Path("precious").read_text() == "precious"


def test_what_a_user_names_runs_and_goes_on_where_a_word_is_given(evil: Path) -> None:
    config = small_config(fitness={"measure": "python:evil.py:f"})
    with ep.Run.create("runs/mine", config) as made:
        next(advance(made))
    assert MARK.exists()
    words = [sys.executable, "-m", "evoply", "resume", "mine", "--generations=2", "--no-tests"]
    refused = subprocess.run(words, capture_output=True, text=True, check=False)
    assert refused.returncode in (1, 2)
    assert "--code-in-runs" in refused.stderr
    done = subprocess.run([*words, "--code-in-runs"], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert parse_player("greedy").label == "greedy"
    with code_in_runs_allowed():
        ep.Run.open("runs/mine").close()


def test_a_comparison_of_runs_runs_no_code_of_theirs(run: Path) -> None:
    with_config(run, lambda text: text.replace("[player]", f'[player]\ncode = "{pinned("Evil")}"'))
    with pytest.raises(ValueError, match="--code-in-runs"):
        compare(["runs/sent", "runs/sent"], seeds=1, name="compared")
    assert not MARK.exists()


def test_a_run_may_be_called_like_a_file(run: Path) -> None:
    os.rename("runs/sent", "runs/zz.py")
    Path("champion@zz.py").write_text(Path("evil.py").read_text())
    for name in ("champion", "champion@zz.py"):
        assert main(["match", name, "random", "--games=2"]) == 0
    assert not MARK.exists()


@pytest.mark.parametrize("name", ["run.db", "config.toml", "game.json"])
def test_no_file_of_a_run_is_waited_for(run: Path, name: str) -> None:
    file = run / name
    file.unlink(missing_ok=True)
    os.mkfifo(file)
    (error,) = (summary.error for summary in list_runs())
    assert error
    with pytest.raises(RunError):
        ep.Run.open(run)


@pytest.mark.parametrize(
    "schema",
    [
        "CREATE VIEW meta AS WITH RECURSIVE endless(key) AS (SELECT 1 UNION ALL SELECT key + 1 "
        "FROM endless) SELECT key, key AS value FROM endless WHERE key < 0",
        "CREATE TABLE meta (key, value AS\t(hex(zeroblob(9))))",
        "CREATE VIRTUAL TABLE meta USING rtree(key, value, other)",
    ],
)
def test_a_database_that_computes_is_refused(run: Path, schema: str) -> None:
    connection = sqlite3.connect(run / "run.db")
    connection.execute("ALTER TABLE meta RENAME TO hidden")
    connection.execute(schema)
    connection.commit()
    connection.close()
    (error,) = (summary.error for summary in list_runs())
    assert error is not None
    assert "views, triggers" in error


def test_a_run_does_not_loosen_what_confines_a_bot(run: Path) -> None:
    bot = parse_player("evil.py:Evil")
    data = json.loads(bot.anywhere().model_dump_json())
    read_player(data).seat("othello").close()
    data["limits"] = {**data["limits"], "environment": ["SECRET"]}
    with pytest.raises(ValueError, match="--code-in-runs"):
        read_player(data).seat("othello")
    bot.with_sandbox("off").seat("othello").close()


def test_a_link_to_another_run_is_not_written_through(run: Path) -> None:
    with ep.Run.create("runs/other", small_config()) as other:
        steps = other.count()
    (run / "run.db").unlink()
    (run / "run.db").symlink_to(Path("runs/other/run.db").resolve())
    assert main(["resume", "sent", "--no-tests"]) == 1
    with ep.Run.open("runs/other") as other:
        assert other.count() == steps


def test_players_in_toml_are_not_read_from_a_run(run: Path) -> None:
    (run / "player.toml").write_text(
        'kind = "engine"\nprotocol = "gtp"\ncommand = ["sh", "-c", "touch mark"]\n'
    )
    assert main(["match", "runs/sent/player.toml", "random", "--games=2"]) == 2
    assert not MARK.exists()


def test_no_journal_beside_a_run_deletes_a_file(run: Path) -> None:
    Path("victim").write_text("precious")
    name = str(Path("victim").resolve()).encode()
    tail = name + len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big")
    magic = bytes.fromhex("d9d505f920a163d7")
    begin = magic + bytes(4) + bytes(8) + (512).to_bytes(4, "big") + (4096).to_bytes(4, "big")
    journal = begin.ljust(512, b"\0") + (1).to_bytes(4, "big") + tail + magic
    for beside in (b"", None):
        (run / "run.db-journal").write_bytes(journal)
        if beside is not None:
            (run / "run.db-wal").write_bytes(beside)
        (error,) = (summary.error for summary in list_runs())
        assert error is not None
        assert "names another file" in error
        assert main(["runs", "sent", "--check"]) == 1
        assert Path("victim").read_text() == "precious"
    (run / "run.db-journal").unlink()
    os.mkfifo(run / "run.db-journal")
    assert main(["runs", "sent", "--check"]) == 1
    (run / "run.db-journal").unlink()
    assert main(["runs", "sent", "--check"]) == 0


def test_a_read_of_a_run_ends(run: Path) -> None:
    with ep.Run.open(run) as opened:
        connection = opened._database.connection
        assert isinstance(connection, BoundedConnection)
        connection.renew()
        endless = "WITH RECURSIVE e(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM e) SELECT * FROM e"
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            for _ in connection.execute(endless):
                pass
        assert opened.count() == 3


def test_a_page_replaces_a_pipe_in_a_run(run: Path) -> None:
    os.mkfifo(run / "report.html")
    assert main(["report", "sent"]) == 0
    assert (run / "report.html").is_file()
