"""What a run notes of its champion: without what it can do without, and its strength."""

from __future__ import annotations

import json
import shutil
import sqlite3
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply import Run
from evoply.arena import measure, yardsticks
from evoply.cli.explaining import strength_of
from evoply.evolution import EvolutionConfig, evolve
from evoply.evolution.champion_notes import champion_notes
from evoply.evolution.islands import IslandsConfig
from evoply.protocols import RunError
from evoply.reports import report_html
from evoply.runs import advance, resolve_champion
from whole_runs import whole_run

# The third term decides next to nothing.
TREE = "( + ( - ( * 20 white_corners ) ( * 2 black_mobility ) ) ( * 0.003 white_near_corners ) )"
SETTINGS: dict[str, Any] = {
    "game": "othello-6",
    "seed": 3,
    "population_size": 4,
    "generations": 1,
    "elitism": 0,
    "initialisation": {"seeds": [TREE] * 4},
    "variation": {"crossover": 0, "subtree_mutation": 0, "point_mutation": 0, "reproduction": 1},
    "fitness": {"opponents": [{"player": "greedy", "pairs": 2}]},
    "hall_of_fame": {"size": 2, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 2},
    "pruning": {"games": 30_000},
}
ISLANDS = {"count": 2, "every": 1, "migrants": 1, "test_pairs": 2}
SHORT = "10 * white_corners - black_mobility"


def config(**settings: Any) -> EvolutionConfig:
    return EvolutionConfig(**{**SETTINGS, **settings})


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose champion was pruned."""
    folder = tmp_path_factory.mktemp("pruned") / "run"
    with whole_run(folder, config(), threads=1):
        return folder


@pytest.fixture
def copy(path: Path, tmp_path: Path) -> Path:
    """Another run like it, which a test may change."""
    return Path(shutil.copytree(path, tmp_path / "copy"))


def test_a_run_keeps_the_champion_whole_and_pruned(path: Path) -> None:
    with Run.open(path) as run:
        assert run.champion_player.evaluator.tree == TREE
        assert run.pruned is not None
        assert run.pruned["formula"] == SHORT
        assert run.pruned["left_out"][0]["name"] == "white_near_corners"
        assert len(run.pruned["terms"]) == 2
        assert run.pruned_player.evaluator.label == SHORT
        assert run.pruned_player == resolve_champion(f"champion@{path}@pruned")
        assert run.pruned_player == resolve_champion(f"{path}@0@pruned")
        page = unescape(report_html(run))
        assert SHORT in page
        assert "white_near_corners" in page


def test_it_plays_is_explained_saved_and_tuned(path: Path, tmp_path: Path) -> None:
    pruned = f"champion@{path}@pruned"
    result = ep.match(pruned, f"champion@{path}", game="othello-6", games=1000, threads=1)
    assert result.score > 0.47
    assert ep.explain(pruned, game="othello-6").simplified == SHORT
    assert ep.parse_player(f"{pruned}:depth=2", game="othello-6").plies_ahead == 2
    ep.save_player(tmp_path / "short.json", pruned, game="othello-6")
    assert ep.parse_player(str(tmp_path / "short.json"), game="othello-6").valuing() is not None
    assert ep.TuningConfig.for_player(resolve_champion(f"{path}@pruned"), "othello-6").parameters


def test_it_does_not_depend_on_threads(path: Path, tmp_path: Path) -> None:
    with whole_run(tmp_path / "other", config(), threads=2) as run, Run.open(path) as first:
        assert run.pruned == first.pruned


def test_pruning_decides_no_generation_and_no_digest() -> None:
    digests = {
        last.digest
        for when in ("one_ply", "never")
        for *_, last in [evolve(config(pruning={"when": when}))]
    }
    assert len(digests) == 1
    assert "pruning" not in config().resolved_settings()


def test_a_run_that_goes_on_has_another(copy: Path) -> None:
    with Run.open(copy) as run:
        # What was found is for the champion of the last step only.
        last = config(generations=2, pruning={"when": "never"})
        list(advance(run, config=last, threads=1))
        assert run.pruned is None
        with pytest.raises(RunError, match="has no pruned champion: `evoply prune champion@copy`"):
            _ = run.pruned_player
        with pytest.raises(RunError, match="only after its last step"):
            resolve_champion(f"{copy}@0@pruned")
        list(advance(run, config=config(generations=3), threads=1))
        assert run.pruned is not None


@pytest.mark.parametrize("note", ["{", "{}", "[1]", "[" * 100_000, '{"generation":0,"player":{}}'])
def test_a_damaged_note_is_an_error_and_the_champion_stays(copy: Path, note: str) -> None:
    with sqlite3.connect(copy / "run.db") as database:
        changed = database.execute("UPDATE meta SET value = ? WHERE key = 'pruned'", [note])
        assert changed.rowcount == 1
    database.close()
    with pytest.raises(RunError):
        resolve_champion(f"{copy}@pruned")


@pytest.mark.parametrize(
    "settings",
    [
        {"pruning": {"when": "never", "games": 30_000}},
        {"pruning": {"games": 0}},
        {"pruning": {}},  # an eighth of so few games
        {"pruning": {"games": 30_000}, "player": {"depth": 2}},
    ],
)
def test_where_nothing_is_pruned(settings: dict[str, Any], tmp_path: Path) -> None:
    with whole_run(tmp_path / "run", config(**settings), threads=1) as run:
        assert run.pruned is None
        assert run.meta("pruned") == ""


def test_players_that_look_further_are_pruned_if_asked(tmp_path: Path) -> None:
    settings = {"pruning": {"when": "always", "games": 4000}, "player": {"depth": 2}}
    with whole_run(tmp_path / "run", config(**settings), threads=1) as run:
        assert run.pruned is None or run.pruned_player.plies_ahead == 2
        assert run.status == "finished"


def test_islands_are_pruned_too(tmp_path: Path) -> None:
    settings = {**SETTINGS, "generations": 2, "islands": ISLANDS}
    with whole_run(tmp_path / "run", IslandsConfig(**settings), threads=1) as run:
        assert run.pruned is not None
        assert run.pruned["formula"] == SHORT
        assert json.loads(run.meta("champion"))["generation"] == run.pruned["generation"]


def test_runs_of_an_experiment_are_pruned_only_where_it_is_said() -> None:
    for when, inside in (("one_ply", "never"), ("never", "never"), ("always", "always")):
        whole = config(pruning={"when": when, "games": 700})
        unit = whole.in_experiment(8)
        assert (unit.seed, unit.pruning.when, unit.pruning.games) == (8, inside, 700)
        assert unit.resolved_settings() == whole.resolved_settings() | {"seed": 8}


def test_a_run_says_how_strong_its_champion_is_against_whom_it_never_met(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("evoply.evolution.champion_notes._GAMES", 2)
    longer = {
        "fitness": {"opponents": [{"player": "greedy", "pairs": 10}]},
        "pruning": {"when": "never"},
    }
    with whole_run(tmp_path / "run", config(**longer), threads=1) as run:
        assert run.strength is not None
        (row,) = run.strength["rows"]
        assert (row["opponent"], row["games"]) == ("mobility:ties=random", 2)
        line, data = strength_of(run)
        said = "against mobility:ties=random, whom it never met (2 games, as by `evoply measure`)"
        assert line.startswith("; it scores ")
        assert line.endswith(said)
        assert data["strength"] == run.strength
        assert "whom it never met (2 games" in unescape(report_html(run))
        # A champion after more generations is another one.
        monkeypatch.setattr("evoply.evolution.champion_notes._GAMES", 10**6)
        list(advance(run, config=config(generations=2, **longer), threads=1))
        assert run.strength is None
        assert strength_of(run) == ("", {})


@pytest.mark.parametrize(
    ("settings", "measured"),
    [
        ({}, ["swh", "mobility", "strong:depth=1", "by-hand", "demo-1", "demo-2"]),
        (
            {
                "fitness": {"opponents": [{"player": "mobility:epsilon=0.1"}]},
                "refit": {"teacher": "strong:depth=2", "players": ["demo-1"]},
                "primitives": "othello-access",
                "individual": {"kind": "terms", "most": 3},
            },
            ["swh", "by-hand", "demo-2"],
        ),
        ({"player": {"depth": 2}}, None),
    ],
)
def test_only_quick_opponents_that_no_config_names_measure(
    settings: dict[str, Any], measured: list[str] | None
) -> None:
    base = {"game": "othello", "pruning": {"when": "never"}, "initialisation": {}}
    chosen = config(**{**base, **settings})
    champion = chosen.game_settings.player(ep.parse_tree("( - white_corners black_mobility )"))
    notes = champion_notes(chosen, champion, 3, 10_000, threads=1)
    if measured is None:
        assert notes == {}
        return
    noted = json.loads(notes["strength"])
    assert [row["opponent"] for row in noted["rows"]] == measured
    assert noted["generation"] == 3
    assert notes == champion_notes(chosen, champion, 3, 10_000, threads=2)
    # Games that would be much of a run's time are not played.
    assert champion_notes(chosen, champion, 3, 4000, threads=1) == {}


def test_chosen_opponents_measure_as_all_do() -> None:
    first, second, *_ = yardsticks("othello")
    every = measure(["greedy"], games=10, threads=1)
    assert measure(["greedy"], opponents=[second], games=10, threads=1).rows == every.rows[1:2]
    assert every.rows[0].opponent == first.player
