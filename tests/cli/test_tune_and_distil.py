"""`evoply tune`, `distil`, `prune` and `learn --features`, as people type them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from command_line import call

from evoply import find_run, parse_player
from evoply.learning import Tuning, TuningConfig
from evoply.players import load_player
from evoply.protocols import RunError

EVOLVED = ("evolve", "small.toml", "--name", "first", "--no-tests")
FAST = ("--pairs", "2", "--against", "greedy", "--no-tests")


@pytest.fixture
def first(workplace: Path, capsys: Any) -> str:
    """The champion of a small run."""
    assert call(capsys, *EVOLVED).code == 0
    return "champion@first"


def test_a_champion_is_tuned_and_the_run_goes_on(first: str, capsys: Any) -> None:
    pytest.importorskip("cmaes")
    tuned = call(capsys, "tune", first, *FAST, "--generations", "2", "--name", "tuned", "--json")
    assert tuned.code == 0, tuned.err
    assert tuned.data["generations"] == 2
    assert tuned.data["champion"]["score"] >= 0
    more = call(capsys, "resume", "tuned", "--generations", "3", "--no-tests", "--json")
    assert more.code == 0, more.err
    assert more.data["generations"] == 3
    with find_run("tuned") as run:
        assert run.status == "finished"
        assert run.config.generations == 2  # the config stays what was asked for first
    again = call(capsys, "tune", first, *FAST, "--generations", "3", "--name", "again", "--json")
    assert again.data["digest"] == more.data["digest"]
    timed = ("tune", first, *FAST, "--time-limit", "0.01", "--name", "timed", "--json")
    assert 1 <= call(capsys, *timed).data["generations"] < 61  # the usual number
    with find_run("timed") as run:
        assert (run.config.generations, run.config.time_limit) == (None, 0.01)
    assert call(capsys, "match", "champion@tuned", "random", "--games", "20").code == 0
    assert call(capsys, "report", "tuned").code == 0


@pytest.mark.parametrize(
    "command",
    [
        ("tune", "mobility", "--against", "greedy", "--name", "made"),
        ("evolve", "small.toml", "--name", "made", "--set", "tuning.generations=2"),
    ],
)
def test_a_package_that_is_missing_is_named_before_anything_is_made(
    workplace: Path, capsys: Any, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr("evoply.learning.tuning.find_spec", lambda name: None)
    before = sorted(workplace.rglob("*"))
    done = call(capsys, *command)
    assert done.code == 1
    assert "the package cmaes - is not installed - `" in done.err
    assert "Run folder" not in done.err + done.out
    assert sorted(workplace.rglob("*")) == before


def test_a_run_goes_on_only_with_what_it_needs(
    first: str, capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("cmaes")
    assert call(capsys, "tune", first, *FAST, "--generations", "2", "--name", "tuned").code == 0
    with find_run("tuned") as run:
        before = run.events()
    monkeypatch.setattr("evoply.learning.tuning.find_spec", lambda name: None)
    done = call(capsys, "resume", "tuned", "--generations", "4", "--no-tests")
    assert done.code == 1
    assert "the package cmaes - is not installed - `" in done.err
    with find_run("tuned") as run:
        assert (run.status, run.events()) == ("finished", before)


def test_nothing_is_played_before_a_package_is_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evoply.learning.tuning.find_spec", lambda name: None)

    def fail(*_: object, **__: object) -> None:
        raise AssertionError("it played")

    monkeypatch.setattr("evoply.learning.tuning.play_against", fail)
    player = parse_player("mobility", game="othello")
    config = TuningConfig.for_player(player, "othello", opponents=None, generations=2)
    with pytest.raises(RunError, match="the package cmaes - is not installed - `"):
        Tuning().first(config)


def test_a_player_is_distilled_into_a_file(workplace: Path, capsys: Any) -> None:
    arguments = ("distil", "edgar-like", "--terms", "3", "--games", "20", "--output", "f.json")
    shown = call(capsys, *arguments)
    assert shown.code == 0, shown.err
    assert "positions held out" in shown.out
    told = call(capsys, *arguments, "--stages", "2", "--json")
    assert [len(term["weights"]) for term in told.data["terms"]] == [2, 2, 2]
    assert 0 < told.data["by_chance"] < told.data["agreement"] <= 1
    assert load_player(workplace / "f.json", game="othello").kind == "alpha_beta"


def test_features_of_a_population_are_learned(first: str, capsys: Any) -> None:
    small = ("--games", "20", "--set", "games_per_step=10", "--no-tests", "--json")
    learned = call(
        capsys, "learn", "firebrand", "--features", first, "--terms", "2", "--name", "few", *small
    )
    assert learned.code == 0, learned.err
    assert 1 <= len(learned.data["weights"]) <= 2
    with find_run("few") as run:
        assert run.game == "othello-4"
    of_set = call(
        capsys, "learn", "firebrand-8", "--features", "othello-access", "--name", "set", *small
    )
    assert len(of_set.data["weights"]) == 11


def test_a_formula_is_made_of_the_facts_of_its_game(capsys: Any) -> None:
    arguments = ("distil", "material:depth=2", "--game", "connect-four", "--games", "20")
    made = call(capsys, *arguments, "--terms", "2", "--primitives", "facts", "--json")
    assert made.code == 0, made.err
    assert "opponent_wins_next" in [term["name"] for term in made.data["terms"]]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("tune", "random"), "no numbers to tune"),
        (("tune", "greedy", "--generations", "none"), "set generations or time_limit"),
        (("tune", "swh"), "evoply learn"),
        (("tune", "greedy", "--pairs", "0"), "pairs"),
        (("tune", "greedy", "--against", "nobody"), "nobody"),
        (("distil", "random"), "has no values of boards"),
        (("distil", "greedy", "--terms", "0"), "--terms: 0 is not a number from 1 to 100"),
        (("distil", "greedy", "--primitives", "facts"), "facts: the rules of othello are no data"),
        (("distil", "greedy", "--primitives", "nothing"), "no set of primitives"),
        (("distil", "greedy", "--output", "no/such/folder.json"), "folder"),
        (("learn", "patterns-8", "--features", "liao"), "name a run of tuples"),
        (("learn", "firebrand-8", "--features", "champion@nobody"), "nobody"),
        (("learn", "firebrand-8", "--features", "liao-2"), "no set of primitives"),
    ],
)
def test_mistakes_are_told(
    workplace: Path, capsys: Any, arguments: tuple[str, ...], message: str
) -> None:
    answer = call(capsys, *arguments)
    assert answer.code == 2, answer.err
    assert message in answer.err
    assert "Traceback" not in answer.err
    failed = call(capsys, *arguments, "--json")
    assert message in json.loads(failed.out)["error"]


def test_tuples_count_generations_and_say_so(workplace: Path, capsys: Any) -> None:
    answer = call(capsys, "learn", "tuples", "--games", "1000")
    assert answer.code == 2
    assert "--games: tuples counts generations - use --set generations=N" in answer.err
    assert not Path("runs").exists()


PLAYER = "( + ( - ( * 20 white_corners ) ( * 2 black_mobility ) ) ( * 0.003 white_near_corners ) )"
PRUNE = ("prune", PLAYER, "--game", "othello-6", "--against", "greedy", "--games", "30000")


def test_a_player_is_pruned_into_a_file(workplace: Path, capsys: Any) -> None:
    shown = call(capsys, *PRUNE, "--output", "short.json")
    assert shown.code == 0, shown.err
    assert "points lost without" in shown.out
    assert "2 terms, without white_near_corners" in shown.out
    assert "10 * white_corners - black_mobility" in shown.out
    pruned = load_player(workplace / "short.json", game="othello-6")
    assert pruned.label == "10 * white_corners - black_mobility"
    told = call(capsys, *PRUNE, "--threads", "1", "--json").data
    assert [change["name"] for change in told["left_out"]][:1] == ["white_near_corners"]
    assert {term["name"] for term in told["terms"]} == {"white_corners", "black_mobility"}
    assert told["compared"][0]["opponent"] == told["whole"] == PLAYER
    assert told["player"]["simplified"] == told["formula"]


def test_a_pruning_that_is_stopped_keeps_what_it_has(
    capsys: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(done: float, count: str) -> None:
        if 0.4 <= float(done) < 1:
            raise KeyboardInterrupt

    monkeypatch.setattr(
        "evoply.cli.explaining.share_bar", lambda name: contextlib.nullcontext(stop)
    )
    stopped = call(capsys, *PRUNE, "--json")
    assert stopped.code == 130
    assert [change["name"] for change in stopped.data["left_out"]] == ["white_near_corners"]
    assert stopped.data["complete"] is False
    told = call(capsys, *PRUNE, "--output", "part.json")
    assert "without white_near_corners; stopped: not tested on fresh openings" in told.out
    assert told.err.endswith("what was left out is not tested on fresh openings\n")
    kept = json.loads(Path("part.json").read_text())["origin"]["note"]
    assert kept.endswith("what was left out is not tested on fresh openings")


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        (("random",), "random: this player has no values of boards to prune"),
        (("strong",), "strong: it values boards by tables, which have no terms to leave out"),
        (("mobility", "--within", "0"), "evoply: --within: 0.0 is no number of points"),
        (("mobility", "--games", "-7"), "games"),
        (("mobility", "--against", "nobody"), "nobody"),
        (("champion@none",), "no run is called 'none'"),
    ],
)
def test_what_cannot_be_pruned_is_said(
    workplace: Path, capsys: Any, arguments: tuple[str, ...], why: str
) -> None:
    done = call(capsys, "prune", *arguments)
    assert done.code in (1, 2)
    assert why in done.err
    assert not list(workplace.glob("*.json"))


def test_a_champion_is_shown_whole_and_pruned(workplace: Path, capsys: Any) -> None:
    seeds = f"initialisation.seeds={[PLAYER] * 4}"
    same = "variation={crossover=0,subtree_mutation=0,point_mutation=0,reproduction=1}"
    done = call(
        capsys, "evolve", "small.toml", "--name", "kept", "--set", seeds, "--set", same,
        "--set", "pruning.games=30000", "--set", "population_size=4", "--set", "game=othello-6",
        "--json", "--no-tests",
    )  # fmt: skip
    assert done.code == 0, done.err
    pruned = done.data["pruned"]
    assert pruned["player"] == "champion@kept@pruned"
    assert pruned["formula"] == "10 * white_corners - black_mobility"
    shown = call(capsys, "show", "champion@kept")
    assert f"Pruned      {pruned['formula']}" in shown.out
    assert "it plays as champion@kept@pruned" in shown.out
    assert call(capsys, "show", "champion@kept", "--json").data["pruned"] == pruned
    assert "Pruned" not in call(capsys, "show", "champion@kept@0").out
    again = call(capsys, "show", pruned["player"])
    assert "Pruned" not in again.out
    assert pruned["formula"] in again.out
    assert call(capsys, "match", pruned["player"], "random", "--games", "20").code == 0
