"""Runs of learning: kept, gone on with, edited by hand, shown."""

import json
from pathlib import Path
from typing import Any

import pytest

from evoply import Run, find_run, match
from evoply.cli import main
from evoply.evolution import EvolutionConfig
from evoply.kinds import KINDS
from evoply.learning import Learning, LearningConfig, learned_player, model_of
from evoply.learning.learner import place_of, replayed
from evoply.players import load_player, save_player
from evoply.protocols import Color, steps
from evoply.reports import report_html
from evoply.runs import RunError

CONFIG = LearningConfig(
    game="othello-6",
    seed=5,
    games=400,
    games_per_step=10,
    features=["corners", "mobility", "pieces"],
    curriculum={"order": "end-first", "blanks": [6, 12], "games": 45},
    time_weights={"degree": 1, "after": 100},
)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config.toml").write_text(KINDS["learning"].configs.write(CONFIG))
    return tmp_path


def test_a_run_is_shown_played_and_gone_on_with(home: Path, capsys: Any) -> None:
    assert main(["learn", "config.toml", "--name", "one", "--games", "100", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)
    assert (first["status"], first["champion"]["games"]) == ("finished", 100)
    assert [one["games"] for one in first["matches"]] == [1000, 1000]
    weights = {one["feature"]: one["weight"] for one in first["weights"]}
    assert main(["edit", "one", "pieces", "--weight", "0.4", "--json"]) == 0
    edited = json.loads(capsys.readouterr().out)
    assert edited["before"]["pieces"] == pytest.approx(weights["pieces"])
    assert edited["after"]["pieces"] == pytest.approx(weights["pieces"] + 0.4)
    assert edited["after"]["pieces (time)"] == edited["before"]["pieces (time)"]
    assert main(["resume", "one", "--games", "200", "--no-tests", "--json"]) == 0
    second = json.loads(capsys.readouterr().out)
    assert second["champion"]["games"] == 200
    with find_run("one") as run:
        assert run.status == "finished"
        assert [event["feature"] for event in run.events() if event["kind"] == "edited"] == [
            "pieces"
        ]
        rows = run.rows()
        page = report_html(run)
        assert all(text in page for text in ("Time weights", "Changed by hand", "corners"))
        assert run.champion_player == learned_player(model_of(run.config, run.last()))
        assert {"games", "corners", "corners (time)", "error"} <= set(rows[0])
    result = match("champion@one", "random", game="othello-6", games=100)
    assert result.score > 0.5
    assert main(["show", "champion@one"]) == 0
    assert "corners/4" in capsys.readouterr().out


def test_games_are_played_again_from_their_keys(home: Path, capsys: Any) -> None:
    assert main(["learn", "config.toml", "--name", "one", "--games", "100", "--no-tests"]) == 0
    assert main(["edit", "one", "pieces", "--weight", "0.4"]) == 0
    assert main(["resume", "one", "--games", "110", "--no-tests"]) == 0
    capsys.readouterr()
    with find_run("one") as run:
        games = [row["games"] for row in run.rows()]
        by_hand = [row.get("by_hand", 0) for row in run.rows()]
        assert by_hand.index(1) == len(games) - 2
        assert games[-3:] == [100, 100, 110]
        for step in (1, 6, len(games) - 1):
            before, count = int(games[step - 1]), int(games[step] - games[step - 1])
            points = 0.0
            for game in range(count):
                played = replayed(run, step, game)
                assert (played.game_of_run, played.games) == (before + game, count)
                # Sides take turns: Black learns from the first game of the run.
                assert played.learners == (list(Color)[(before + game) % 2],)
                blanks = place_of(run.config, before).blanks
                empty = 36 - sum(played.game.start.pieces(color) for color in Color)
                assert empty in blanks if blanks else played.game.start.ply == 0
                outcome = played.game.outcome()
                won = {Color.BLACK: 1.0, None: 0.5, Color.WHITE: 0.0}[outcome.winner]
                assert played.points == won
                points += won
            assert points / count == run.rows()[step]["black_points"]
    last = len(games) - 1
    command = ["replay", "one", "--generation", str(last), "--game", "3"]
    assert main([*command, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["step"], told["game_of_run"], told["learners"]) == (last, 103, ["White"])
    assert main(command) == 0
    shown = capsys.readouterr().out
    assert f"Game 3 of 10 of step {last}, game 103 of the run" in shown
    assert "White" in shown
    for step, game, words in (
        ("0", "0", "which has no games"),
        (str(last - 1), "0", "has no games, so not 0"),
        (str(last), "10", "has games 0 to 9, so not 10"),
        (str(last + 2), "0", f"has no step {last + 2}"),
    ):
        assert main(["replay", "one", "--generation", step, "--game", game]) == 1
        assert words in " ".join(capsys.readouterr().err.split())
    assert main(["runs", "one"]) == 0
    listed = capsys.readouterr().out
    assert listed.count("hand") >= 1
    assert "Weights, the largest first" in listed


def test_tables_are_replayed_too(home: Path, capsys: Any) -> None:
    changes = ["--games", "30", "--set", "games_per_step=20", "--name", "tables"]
    assert main(["learn", "tuples-3", *changes, "--no-tests"]) == 0
    capsys.readouterr()
    assert main(["replay", "tables", "--generation", "2", "--game", "9", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["game_of_run"], told["learners"]) == (29, ["Black", "White"])


def test_wrong_use_is_one_sentence(home: Path, capsys: Any) -> None:
    assert main(["learn", "config.toml", "--name", "one", "--games", "50", "--no-tests"]) == 0
    capsys.readouterr()
    for command, words in (
        (["learn", "demo"], "evolve` is for configs of evolution"),
        (["evolve", "firebrand"], "learn` runs it"),
        (["edit", "one", "kings", "--weight", "1"], "this run has the features corners, mobility"),
        (["edit", "one", "corners"], "say by how much"),
        (["resume", "one", "--games", "20"], "so there is nothing to do"),
        (["learn", "config.toml", "--set", "rate=1"], "rate: unknown key"),
        (["learn", "nothing.toml"], "there is no such file"),
    ):
        assert main(command) in (1, 2)
        answer = capsys.readouterr()
        assert "Traceback" not in answer.err
        assert words in " ".join(answer.err.replace("evoply.cli", "evoply").split()), answer.err


def test_a_learned_player_is_a_file_like_any_other(home: Path) -> None:
    config = CONFIG.model_copy(update={"games": 50})
    player = list(steps(Learning(), config))[-1].champions[0]
    path = home / "learned.json"
    save_player(path, player, game="othello-6")
    before = path.read_bytes()
    loaded = load_player(path)
    assert match(loaded, "greedy", game="othello-6", games=20).games == 20
    # Playing teaches nobody: the file is what it was.
    assert path.read_bytes() == before
    text = path.read_text()
    path.write_text(text.replace("0.0", "0.1", 1))
    with pytest.raises(ValueError, match=r"checksum|changed"):
        load_player(path)
    path.write_text(text)
    with pytest.raises(ValueError, match="othello-6"):
        match(str(path), "greedy", game="checkers", games=2)


def test_a_config_says_whose_it_is(home: Path) -> None:
    with pytest.raises(RunError, match="name its learner"):
        Run.create(home / "x", {"game": "othello"})
    run = Run.create(home / "y", CONFIG)
    with run:
        assert run.kind.name == "learning"
        assert run.config == CONFIG
    with Run.create(home / "z", EvolutionConfig(game="othello-4", generations=1)) as other:
        assert other.kind.name == "evolution"
