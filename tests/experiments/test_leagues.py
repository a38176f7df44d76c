"""Leagues: what takes part, making and playing, going on after interruptions."""

import json
import math
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.cli import main
from evoply.environment import ProcessorClock
from evoply.evolution.play.opponents import player_texts, resolved
from evoply.experiments import (
    ExperimentFolder,
    Status,
    experiment_of,
    folder_for,
    run_experiment,
    setups_of,
)
from evoply.experiments.leagues import LeagueResults, league_folder, load_league, results_of
from evoply.experiments.leagues.machine import (
    MachineLook,
    look_at_machine,
    looks_of,
    marks_of,
    play_league,
)
from evoply.experiments.leagues.methods import Roster, chosen_methods, reference_paces, roster_of
from evoply.experiments.leagues.paces import counted_key, pace_of_limits
from evoply.experiments.running import (
    games_of,
    pairings_of,
    play_games,
    player_under,
    rounds_of,
    schedule_of,
)
from evoply.experiments.units import processor_seconds, run_unit
from evoply.learning import features_of_population
from evoply.players import AlphaBeta, Online
from evoply.protocols import ConfigError, RunError
from forging import sealed_experiment

METHODS = ("firebrand", "access-tree", "patterns")
REFERENCES = ("swh", "material:depth=2")
GAMES = ("othello", "othello-10", "lose-checkers", "checkers")
SMALL: dict[str, Any] = {
    "game": "othello", "methods": METHODS, "budget": 0.05, "seeds": 2, "games": 2,
    "move_time": 0.001, "depth": 2, "paces": "reference",
}  # fmt: skip


def run_league(folder: ExperimentFolder, **options: Any) -> LeagueResults:
    """Make and play what is missing, and return the results."""
    play_league(folder, **options)
    return results_of(folder)


def _identity(results: LeagueResults) -> object:
    """Return what must be equal however a league was made and played."""
    return (
        [(made.entrant, made.seed, made.digest, made.step, made.games) for made in results.made],
        [pairing for pairing in results.pairings if pairing.condition == "depth"],
    )


@pytest.fixture(scope="module", autouse=True)
def few_references() -> Iterator[None]:
    """Leagues with two quick lines of reference: the usual ones take most of the time."""

    def few(game: str) -> Roster:
        return roster_of(game).model_copy(update={"references": REFERENCES})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evoply.experiments.leagues.methods.roster_of", few)
        patch.setattr("evoply.experiments.leagues.machine._GAMES", 20)  # a moment each
        yield


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> LeagueResults:
    """A small league that nobody interrupted, by two processes and threads."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVOPLY_RUNS", str(tmp_path_factory.mktemp("whole")))
        return run_league(league_folder("league", **SMALL), workers=2)


@pytest.fixture(autouse=True)
def runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))


def folder_of(results: LeagueResults) -> ExperimentFolder:
    return ExperimentFolder.open(results.path)


def test_every_method_makes_a_player_of_each_seed_and_all_meet(whole: LeagueResults) -> None:
    assert whole.wanted_players == len(whole.made)
    methods = [made for made in whole.made if made.entrant in METHODS]
    assert [(made.entrant, made.seed) for made in methods] == [
        (name, seed) for name in METHODS for seed in (1, 2)
    ]
    assert all(made.digest and made.seconds > 0 and made.games > 0 for made in methods)
    pairs = 3 + 3 * len(REFERENCES)
    assert whole.wanted_pairings == len(whole.pairings) == pairs * 2 * 2
    assert all(len(pairing.points) == 2 for pairing in whole.pairings)
    # Lines of reference do not meet each other.
    assert all({pairing.first, pairing.second} & {*METHODS} for pairing in whole.pairings)


def test_one_process_and_an_interrupted_league_give_the_same_players_and_games(
    whole: LeagueResults, tmp_path: Path
) -> None:
    folder = league_folder("league", **SMALL)
    stages = set()

    def stop_once(status: Status) -> None:
        if status.stage not in stages and status.done:
            stages.add(status.stage)
            raise KeyboardInterrupt

    for _ in range(3):
        with suppress(KeyboardInterrupt):
            run_league(folder, workers=1, progress=stop_once)
    assert stages == {"runs", "games"}
    again = run_league(ExperimentFolder.open(folder.path), workers=1)
    assert _identity(again) == _identity(whole)


def test_a_game_that_was_played_is_never_played_again(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = folder_of(whole)
    games = len(whole.pairings) * whole.games_a_pair

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a game was played again")

    monkeypatch.setattr("evoply.experiments.running.schedule_of", refuse)
    play_games(folder)
    assert pairings_of(folder) == whole.pairings
    # Of games that are missing, only these are played: one at a depth, and one at a time.
    monkeypatch.undo()
    rounds = {round_.condition: round_ for round_ in rounds_of(folder)}
    with games_of(folder) as kept, kept._database.transaction():
        connection = kept._database.connection
        for round_ in rounds.values():
            for table in ("games", "checksums"):
                connection.execute(f"DELETE FROM {table} WHERE number = ?", (round_.first + 3,))
    told: list[int] = []
    play_games(folder, progress=lambda done, total: told.append(done))
    assert told == [games - 1, games]
    again = pairings_of(folder)
    assert [pairing for pairing in again if pairing.condition == "depth"] == [
        pairing for pairing in whole.pairings if pairing.condition == "depth"
    ]
    with games_of(folder) as kept:
        assert kept.count(0, 10**9) == games


def test_games_at_a_time_a_move_that_a_stop_left_are_kept(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of a league that was stopped in the middle of these games goes on with them."""
    folder = league_folder("league", **SMALL)
    shutil.copytree(whole.path / "runs", folder.path / "runs")

    def stop(status: Status) -> None:
        if status.stage == "games" and status.done > status.units // 2:
            raise KeyboardInterrupt

    monkeypatch.setattr("evoply.experiments.running._AT_A_TIME", 6)
    with pytest.raises(KeyboardInterrupt):
        run_experiment(folder, workers=1, progress=stop)
    before = _rows(folder)
    assert len(whole.pairings) * whole.games_a_pair > len(before) > 0
    assert any(pairing.condition == "time" for pairing in pairings_of(folder))
    run_experiment(folder, workers=1)
    after = _rows(folder)
    assert len(after) == len(whole.pairings) * whole.games_a_pair
    assert {number: after[number] for number in before} == before


def _rows(folder: ExperimentFolder) -> dict[int, tuple[Any, ...]]:
    """Return all games in the file of a league, with their moves."""
    with games_of(folder) as kept:
        rows = kept._database.connection.execute("SELECT * FROM games").fetchall()
    return {row[0]: row for row in rows}


def test_games_at_equal_depth_are_those_of_a_match_with_the_same_keys(
    whole: LeagueResults,
) -> None:
    folder = folder_of(whole)
    round_ = next(r for r in rounds_of(folder) if (r.condition, r.seed) == ("depth", 1))
    field, schedule = schedule_of(folder, round_, threads=1)
    with field.runner() as runner:
        results = runner.play(schedule)
    played = [
        (pairing.points, pairing.hashes)
        for pairing in whole.pairings
        if (pairing.condition, pairing.seed) == ("depth", 1)
    ]
    black = results.black_points
    oracle = [
        (
            (float(black[game]), float(1 - black[game + 1])),
            (int(results.hashes[game]), int(results.hashes[game + 1])),
        )
        for game in range(0, len(schedule), 2)
    ]
    assert played == oracle


def test_players_get_the_search_of_a_condition_and_lines_of_reference_keep_theirs(
    whole: LeagueResults,
) -> None:
    folder = folder_of(whole)
    of = {entrant.name: entrant for entrant in results_of(folder).entrants}
    made = {player.entrant: player for player in whole.made if player.seed == 1}
    for name in METHODS:
        timed = player_under(folder, of[name], 1, "time")
        deep = player_under(folder, of[name], 1, "depth")
        assert isinstance(timed, AlphaBeta)
        assert isinstance(deep, AlphaBeta)
        assert (timed.time, timed.reproducible) == (0.001, False)
        assert (deep.time, deep.depth, deep.reproducible) == (None, 2, True)
        assert timed.evaluator == deep.evaluator == made[name].player.valuing().evaluator
    line = next(entrant for entrant in whole.entrants if not entrant.is_ranked)
    assert player_under(folder, line, 1, "time") == made[line.name].player


@pytest.mark.usefixtures("units_here")
def test_a_player_that_evolves_before_its_moves_has_time_and_no_depth(tmp_path: Path) -> None:
    folder = league_folder(
        "league", game="othello",
        methods=("frankland-strong", "firebrand", "patterns"),
        budget=0.02, seeds=1, games=2, move_time=0.001, depth=1, paces="reference",
    )  # fmt: skip
    assert isinstance(folder.players["frankland-strong"], Online)
    results = run_league(folder)
    conditions = {
        pairing.condition
        for pairing in results.pairings
        if "frankland-strong" in (pairing.first, pairing.second)
    }
    assert conditions == {"time"}


@pytest.mark.usefixtures("units_here")
def test_found_features_come_from_the_population_of_the_seed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Features are found in fewer games than usual, among fewer subtrees.
    monkeypatch.setattr("evoply.learning.found_features._MOST_SUBTREES", 30)
    few = partial(features_of_population, games=20)
    monkeypatch.setattr("evoply.learning.features_of_population", few)
    folder = league_folder(
        "league", game="othello",
        methods=("found-features", "firebrand", "patterns"),
        budget=0.02, seeds=2, games=2, move_time=0.001, depth=1, paces="reference",
    )  # fmt: skip
    results = run_league(folder)
    made = [player for player in results.made if player.entrant == "found-features"]
    assert [player.seed for player in made] == [1, 2]
    # The population's work counts, too.
    assert all(player.work > 0 and player.games > 0 for player in made)
    assert made[0].player != made[1].player
    texts = []
    for player in made:
        with ep.Run.open(player.run) as run:
            texts.append(run.config.features)
            assert 1 <= len(run.config.features) <= 25
    assert texts[0] != texts[1]


@pytest.mark.parametrize("game", GAMES)
def test_every_method_fits_its_game_and_its_limit_is_counted(game: str) -> None:
    for method in roster_of(game).methods:
        entrant = method.entrant(10.0)
        if method.player:
            assert ep.parse_player(method.player, game=game)
            assert (entrant.counted, entrant.budget) == ("", 0.0)
            continue
        setup = method.setup(method.name, game, 10.0)
        assert setup.config.game == game
        assert entrant.counted in setup.kind.learners.counted
        ends = {
            key: value
            for key in setup.kind.configs.ends
            if (value := getattr(setup.config, key)) is not None
        }
        # Nothing but the counted limit ends the run.
        assert ends == {
            key: math.ceil(10 * each) for key, each in method.limits.items() if "." not in key
        }
    for text in roster_of(game).references:
        ep.parse_player(text, game=game).check_fits(game)


@pytest.mark.parametrize("game", GAMES)
def test_nobody_trains_on_the_players_that_it_meets(game: str) -> None:
    lines = {json.dumps(resolved(text, game), sort_keys=True) for text in _references(game)}
    seen = 0
    for method in roster_of(game).methods:
        for making in (method, *([method.population] if method.population else [])):
            if not making.base:
                continue
            config = making.setup(method.name, game, 1.0).config
            for _, text in player_texts(getattr(config, "fitness", None)):
                seen += 1
                assert json.dumps(resolved(text, game), sort_keys=True) not in lines, method.name
    assert seen


def _references(game: str) -> tuple[str, ...]:
    return roster_of(game).references


def test_no_game_of_training_has_an_opening_of_the_league(whole: LeagueResults) -> None:
    folder = folder_of(whole)
    keys = {
        int(key)
        for round_ in rounds_of(folder)
        if round_.seed == 1
        for key in schedule_of(folder, round_, threads=1)[1].opening_keys
    }
    others = {
        int(key)
        for name in ("training", "fresh", "final", "match", "round robin", "measure")
        for key in ep.Stream(1, name).child("opening").keys(1000)
    }
    assert keys.isdisjoint(others)


@pytest.mark.usefixtures("units_here")
def test_a_method_of_ones_own_takes_part_with_the_same_budget(tmp_path: Path) -> None:
    own = tmp_path / "mine.toml"
    own.write_text(
        'learner = "learning"\ngame = "othello"\ngames = 70\ngames_per_step = 5\n'
        'features = ["corners", "mobility"]\n'
    )
    saved = tmp_path / "given.json"
    ep.save_player(saved, "mobility")
    folder = league_folder(
        "league", game="othello",
        methods=("firebrand", "patterns"), own=(str(own), str(saved)),
        budget=0.05, seeds=1, games=2, move_time=0.001, depth=1, paces="reference",
    )  # fmt: skip
    of = {entrant.name: entrant for entrant in results_of(folder).entrants}
    assert (of["mine"].is_ranked, of["mine"].counted) == (True, "games")
    assert not of[str(saved)].is_ranked
    results = run_league(folder)
    (mine,) = [player for player in results.made if player.entrant == "mine"]
    # The last step may go beyond the limit.
    assert 0 <= mine.games - of["mine"].budget < 5
    assert {pairing.second for pairing in results.pairings} >= {str(saved)}


@pytest.mark.usefixtures("units_here")
def test_configs_of_ones_own_have_a_league_of_a_game_without_listed_methods(
    tmp_path: Path,
) -> None:
    for name, features in (("a", "corners"), ("b", "mobility"), ("c", "edges")):
        (tmp_path / f"{name}.toml").write_text(
            'learner = "learning"\ngame = "othello-6"\ngames = 20\ngames_per_step = 5\n'
            f'features = ["{features}"]\n'
        )
    plan: dict[str, Any] = {
        "game": "othello-6", "own": tuple(str(tmp_path / f"{name}.toml") for name in "abc"),
        "budget": 0.005, "seeds": 1, "games": 2, "move_time": 0.001, "depth": 1,
    }  # fmt: skip
    results = run_league(league_folder("league", **plan))
    assert [made.entrant for made in results.made] == ["a", "b", "c"]
    assert len(results.pairings) == results.wanted_pairings == 3 * 2
    # What a second is worth is not measured again.
    assert league_folder("league", **plan).setups == ExperimentFolder.open(results.path).setups


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"methods": ("liao", "lioa", "firebrand")}, "methods: there is no method 'lioa'.*liao"),
        ({"methods": ("liao", "firebrand")}, "methods: 2 take part: a league has 3 or more"),
        ({"game": "othello-6"}, "game: no methods are listed for othello-6"),
        ({"game": "tiddlywinks"}, "game: unknown game"),
        ({"games": 3}, "games"),
        ({"seeds": 0}, "seeds"),
        ({"move_time": 0.0}, "move_time"),
        ({"own": ("nothere.toml",)}, "nothere.toml"),
        ({"own": ("bot.py",)}, "bot.py"),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_is_made(
    keys: dict[str, object], message: str, tmp_path: Path
) -> None:
    with pytest.raises(ValueError, match=message):
        league_folder("league", **{"game": "othello", "budget": 0.05, "paces": "reference", **keys})
    assert not (tmp_path / "league").exists()


def test_going_on_names_the_folder_as_beginning_did(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", "runs")
    begun = league_folder("league", **SMALL)
    assert league_folder("league", **SMALL).path == begun.path == Path("runs/league")


def test_another_plan_a_damaged_file_and_another_folder_are_refused(
    whole: LeagueResults, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(whole.path.parent))
    with pytest.raises(RunError, match=r"holds a league with other seeds: .*--name"):
        league_folder("league", **{**SMALL, "seeds": 3})
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "notes.txt").write_text("mine")
    with pytest.raises(RunError, match="is not a folder of a league: give another --name"):
        league_folder("taken", **SMALL)
    copy = tmp_path / "copy"
    shutil.copytree(whole.path, copy, ignore=shutil.ignore_patterns("runs", "games.db"))
    text = (copy / "experiment.toml").read_text()
    (copy / "experiment.toml").write_text(text.replace("depth = 2", "depth = 3"))
    with pytest.raises(RunError, match=r"experiment.toml is damaged: its checksum does not match"):
        load_league(copy)
    (copy / "experiment.toml").write_text(text)
    player = copy / "setups" / "player-1.json"
    player.write_text(f"{player.read_text()} ")
    with pytest.raises(RunError, match=r"experiment.toml is damaged: its checksum does not match"):
        load_league(copy)
    assert load_league(sealed_experiment(copy)).results.entrants == whole.entrants
    with pytest.raises(RunError, match="no league is called 'none'"):
        load_league("none")


def test_a_league_and_an_experiment_are_not_taken_for_each_other(
    whole: LeagueResults, tmp_path: Path
) -> None:
    with pytest.raises(RunError, match="is a league, not an experiment: "):
        folder_for(whole.path)
    with pytest.raises(RunError, match="is a league, not an experiment: "):
        ep.load_comparison(whole.path)
    with pytest.raises(ConfigError, match=r"measure: all-play-all .* `evoply league`, or"):
        setups_of(experiment_of({"base": "quick", "measure": {"kind": "all-play-all"}}))
    experiment = experiment_of({"base": "quick", "seeds": 1})
    ExperimentFolder.create(tmp_path / "x", experiment)
    for open_it in (load_league, partial(league_folder, **SMALL)):
        with pytest.raises(RunError, match="is an experiment, not a league: "):
            open_it("x")


def test_the_games_of_a_league_are_not_taken_for_those_of_a_tournament(
    whole: LeagueResults, tmp_path: Path
) -> None:
    games = whole.path / "games.db"
    before = games.read_bytes()
    with pytest.raises(RunError, match="this is no file of a tournament's games"):
        ep.round_robin(["greedy", "random"], games=2, file=games)
    assert games.read_bytes() == before
    own = tmp_path / "league"
    shutil.copytree(whole.path, own)
    (own / "games.db").unlink()
    ep.round_robin(["greedy", "random"], games=2, file=own / "games.db")
    with pytest.raises(RunError, match="this is no file of a league's games"):
        load_league(own)


def test_methods_are_named_in_the_order_of_the_table() -> None:
    names = [method.name for method in chosen_methods("othello", ("patterns", "liao"))]
    assert names == ["liao", "patterns"]


def test_in_python_and_on_the_command_line_it_is_the_same_league(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(whole.path.parent))
    options = {"methods": METHODS, "budget": 0.05, "seeds": 2, "games": 2, "paces": "reference"}
    found = ep.league(**options, move_time=0.001, depth=2, name="league")
    assert found.is_whole
    assert not found.reproducible
    assert _identity(found.results) == _identity(whole)
    assert found.to_dict() == load_league("league").to_dict()
    command = (
        "league --budget 0.05 --seeds 2 --games 2 --move-time 0.001 --depth 2 --name league --json"
    )
    assert main([*command.split(), "--methods", ",".join(METHODS)]) == 0
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "finished"
    known = json.loads(json.dumps(found.to_dict()))
    assert data | {"made_by": 0, "status": 0} == {**known, "made_by": 0, "status": 0}
    page = (whole.path / "league.html").read_text()
    assert all(name in page for name in METHODS)
    assert "access-tree" in str(found)
    assert "access-tree" in found._repr_html_()


MEASURED: dict[str, Any] = {**SMALL, "paces": "measured"}


def _pretend(monkeypatch: pytest.MonkeyPatch, speed: float) -> list[str]:
    """Let one core do *speed* times what that of reference does; return who is measured."""
    measured: list[str] = []

    def pace(setup_of: Any, pace: float, seconds: float) -> float:
        measured.append(setup_of(seconds, pace).name)
        return speed * pace

    monkeypatch.setattr("evoply.experiments.leagues.methods.pace_of_limits", pace)
    return measured


def test_paces_are_measured_once_kept_and_count_the_budget(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    measured = _pretend(monkeypatch, 3.0)
    told: list[str] = []
    folder = league_folder("league", **MEASURED, tell=lambda what, share: told.append(what))
    assert measured == told == [*METHODS]
    kept = folder.experiment.measure
    reference = reference_paces("othello")
    assert kept.paces == {name: 3 * reference[name] for name in METHODS}
    assert kept.paces_from == "measured"
    limits = {setup.name: setup.config for setup in folder.setups}
    assert limits["firebrand"].games == pytest.approx(3 * 3300 * 0.05, abs=1)
    assert limits["patterns"].rates.games == pytest.approx(3 * 5000 * 0.05, abs=1)
    assert {each.name: each.budget for each in kept.entrants}["firebrand"] == limits[
        "firebrand"
    ].games
    # A league that was begun measures nothing, whatever the machine does now.
    measured.clear()
    _pretend(monkeypatch, 9.0)
    again = league_folder("league", **{**SMALL, "paces": ""})
    assert (again.setups, measured) == (ExperimentFolder.open(folder.path).setups, [])
    with pytest.raises(RunError, match="holds a league with other paces"):
        league_folder("league", **SMALL)


def test_a_league_takes_the_paces_of_another_and_makes_the_same_players(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured = _pretend(monkeypatch, 2.0)
    folder = league_folder("again", **{**SMALL, "paces": whole.path})
    assert folder.experiment.measure.paces_from == "league"
    assert [setup.config for setup in folder.setups] == [
        setup.config for setup in folder_of(whole).setups
    ]
    assert measured == []
    with pytest.raises(ValueError, match=r"paces: league has none of liao - leave --paces out"):
        league_folder("other", **{**SMALL, "methods": ("liao", *METHODS), "paces": whole.path})
    with pytest.raises(ValueError, match=r"paces: league is a league of othello, not of checkers"):
        league_folder("other", game="checkers", paces=whole.path)
    with pytest.raises(RunError, match="no league is called 'mesured'"):
        league_folder("other", **{**SMALL, "paces": "mesured"})


def test_paces_as_made_are_what_the_runs_of_a_league_did(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At these paces and the same budget all would have cost the same."""
    setups = {setup.name: setup for setup in folder_of(whole).setups}
    costs = {name: 2.0 + number for number, name in enumerate(setups)}

    def took(run: Any) -> float:
        return next(cost for name, cost in costs.items() if f"-{name}-seed-" in run.name)

    monkeypatch.setattr("evoply.experiments.leagues.paces.processor_seconds", took)
    folder = league_folder("mended", **{**SMALL, "paces": f"{whole.path}:made"})
    assert folder.experiment.measure.paces_from == "league:made"
    budget = SMALL["budget"]
    for setup in folder.setups:
        before = setups[setup.name]
        key = counted_key(before)
        limit, was = getattr(setup.config, key), getattr(before.config, key)
        assert limit == pytest.approx(max(1, was / costs[setup.name] * budget), abs=1.01)
    again = league_folder("mended", **{**SMALL, "paces": f"{whole.path}:made"})
    assert again.experiment == folder.experiment
    with pytest.raises(ValueError, match=r"paces: league has none of liao"):
        league_folder(
            "other", **{**SMALL, "methods": ("liao", *METHODS), "paces": f"{whole.path}:made"}
        )


def test_a_pace_is_what_a_core_really_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a clock that knows how long every game and label takes."""
    seconds = 0.0

    class Clock:
        def __enter__(self) -> "Clock":
            self.began = seconds
            return self

        def __exit__(self, *_: object) -> None: ...

        @property
        def seconds(self) -> float:
            return seconds - self.began

    def steps(setup: Any) -> Iterator[Any]:
        nonlocal seconds
        config = setup.config
        for games, a_game in ((config.games, 0.001), (config.labels.games, 0.1)):
            seconds += games * a_game
            yield {"games": games}

    monkeypatch.setattr("evoply.experiments.leagues.paces.ProcessorClock", Clock)
    monkeypatch.setattr("evoply.experiments.leagues.paces.written_steps", steps)
    (labels,) = chosen_methods("othello", ("labels",))
    # 2,700 games and 24 labels of the table take 2.7 and 2.4 seconds here.
    pace = pace_of_limits(partial(labels.setup, "labels", "othello"), labels.pace, 4.0)
    # Numbers of labels are whole, and small in a short run.
    assert pace == pytest.approx(2700 / 5.1, rel=0.03)
    assert labels.amounts(10, 2700 / 5.1)["labels.games"] == math.ceil(240 / 5.1)


def test_a_pace_is_more_than_nothing_however_little_time_there_is() -> None:
    """The first step of tables has no games, and may take longer than all that is given."""
    (patterns,) = chosen_methods("othello", ("patterns",))
    assert pace_of_limits(partial(patterns.setup, "patterns", "othello"), 1.0, 1e-6) > 0


@pytest.mark.usefixtures("units_here")
def test_processor_seconds_are_summed_over_the_parts_of_a_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also those of features that were found before; what is read again does not count."""
    ticks = [0.0]
    monkeypatch.setattr("evoply.environment.cores.time.process_time", lambda: ticks[0])
    folder = league_folder("league", **SMALL)
    unit = folder.unit("firebrand", 1)

    shares: list[float] = []

    def stop(share: float) -> None:
        shares.append(share)
        ticks[0] += 2.0  # a step takes so long, and then comes Ctrl-C
        if len(shares) == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_unit(unit, folder.experiment, on_step=stop)
    with ep.Run.open(unit.path) as run:
        assert processor_seconds(run) == 4.0  # the third step's are not written yet
        made = run.count()
    assert made == 3
    with ProcessorClock() as clock:
        ticks[0] += 100.0  # before it goes on, which was paid for the first time
        run_unit(unit, folder.experiment, clock=clock)
    with ep.Run.open(unit.path) as run:
        assert processor_seconds(run) == 4.0
        run.set_meta(processor_seconds="-1")
        with pytest.raises(RunError, match="what it took cannot be read - make it again"):
            processor_seconds(run)


def test_what_a_process_does_at_once_shares_its_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    ticks = [5.0]
    monkeypatch.setattr("evoply.environment.cores.time.process_time", lambda: ticks[0])
    with ProcessorClock() as first:
        ticks[0] += 1.0
        with ProcessorClock() as second:
            ticks[0] += 4.0
        ticks[0] += 2.0
        assert (first.seconds, second.seconds) == (5.0, 2.0)
    ticks[0] += 9.0
    assert (first.seconds, second.seconds) == (5.0, 2.0)


def test_every_player_has_a_cost_and_the_machine_was_looked_at(whole: LeagueResults) -> None:
    methods = [made for made in whole.made if made.entrant in METHODS]
    assert all(made.processor_seconds > 0 for made in methods)
    costs = [made.processor_seconds for made in methods]
    assert whole.cost_ratio == pytest.approx(max(costs) / min(costs))
    looks = [look.when for look in looks_of(whole.path)]
    assert looks == ["before the players", "before the games", "after the games"]


def test_a_busy_machine_and_a_slower_one_are_marked(whole: LeagueResults, tmp_path: Path) -> None:
    def look(when: str, speed: float, free: float) -> MachineLook:
        return MachineLook(when=when, speed=speed, free=free, cores=2)

    fine = [look("before the players", 100, 0.99), look("after the games", 91, 0.91)]
    assert marks_of(fine) == []
    (busy,) = marks_of([*fine, look("before the games", 95, 0.6)])
    assert busy.startswith("The machine was busy before the games: the league got 60 % of 2 cores.")
    (slower,) = marks_of([*fine, look("after the games", 80, 0.95)])
    assert slower.startswith("The machine was 20 % slower after the games than before the players")
    copy = tmp_path / "copy"
    shutil.copytree(whole.path, copy)
    (copy / "machine.json").write_text((copy / "machine.json").read_text().replace("2", "3", 1))
    with pytest.raises(RunError, match=r"machine.json is damaged - .* or remove it"):
        load_league(copy)


def test_a_look_at_the_machine_sees_who_else_computes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("evoply.experiments.leagues.machine._GAMES", 200)
    look = look_at_machine("before the players", 1)
    assert look.speed > 0
    assert 0 < look.free < 1.3


def test_a_name_alone_shows_a_league_and_plays_nothing(
    whole: LeagueResults, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(whole.path.parent))

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something was made or played")

    for name in ("machine.play_league", "league_result.league_folder"):
        monkeypatch.setattr(f"evoply.experiments.leagues.{name}", refuse)
    page = whole.path / "league.html"
    page.unlink(missing_ok=True)
    assert main(["league", "league"]) == 0
    said = capsys.readouterr().out
    assert all(name in said for name in METHODS)
    assert page.exists()
    assert main(["league", "league", "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert (data["status"], data["paces_from"]) == ("finished", "reference")
    assert data["cost_ratio"] == whole.cost_ratio
    assert main(["league", "leage"]) != 0
    assert "no league is called 'leage'" in (said := capsys.readouterr().err)
    assert "did you mean 'league'?" in said
    assert main(["league", "league", "--seeds", "3"]) != 0
    assert "go on with it by --name league" in capsys.readouterr().err


@pytest.mark.long
def test_a_cluster_makes_the_same_players_and_games(whole: LeagueResults) -> None:
    for workers in (1, 2, 4):
        folder = league_folder(f"league-{workers}", **SMALL)
        assert _identity(run_league(folder, cluster=f"local:{workers}")) == _identity(whole)


@pytest.mark.long
def test_the_small_league_of_all_methods(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "evoply", "league", "--budget", "small", "--seeds", "2"]
    done = subprocess.run(
        [*command, "--json"], capture_output=True, text=True, timeout=3000, check=True,
        env={**os.environ, "EVOPLY_RUNS": str(tmp_path)},
    )  # fmt: skip
    data = json.loads(done.stdout)
    assert data["status"] == "finished"
    found = load_league(tmp_path / "league-othello")
    assert found.is_whole
    names = {method.name for method in roster_of("othello").methods}
    assert {row.entrant for row in found.standings["time"].methods} == names
    assert {row.entrant for row in found.standings["depth"].methods} == {
        method.name for method in roster_of("othello").methods if not method.player
    }


def test_a_league_keeps_its_openings_and_never_reads_their_file_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its games are what matters here: nobody is made to play them."""
    anybody = ep.parse_player("random")
    monkeypatch.setattr("evoply.experiments.running.player_under", lambda *_: anybody)
    listed = tmp_path / "list.txt"
    board = ep.othello.Game.from_transcript("f5d6c5").position.text()
    listed.write_text(f"f5d6c3d3\nf5f6e6f4\n{board}\n", encoding="utf-8")
    openings = ep.read_openings(listed, order="in-order")
    plan = {**SMALL, "seeds": 1, "games": 4, "openings": openings}
    league_folder("listed", **plan)
    listed.unlink()
    folder = ExperimentFolder.open(tmp_path / "listed")
    play_games(folder)
    assert "list.txt" not in (folder.path / "experiment.toml").read_text(encoding="utf-8")
    round_ = next(one for one in rounds_of(folder) if one.condition == "depth")
    _, schedule = schedule_of(folder, round_)
    begun = [schedule.start_row(game) for game in range(len(schedule))]
    first, second, third = openings.rows
    assert begun == [first, first, second, second] * len(round_.pairs)
    assert third not in begun
    assert schedule.line(0) == openings.lines[0]
    played = [pairing for pairing in pairings_of(folder) if pairing.condition == "depth"]
    assert len(played) == len(round_.pairs)
    assert all(len(pairing.points) == 4 for pairing in played)
    assert load_league("listed").to_dict()["opening_list"] == openings.facts
    assert main(["league", "listed"]) == 0
    assert "openings from a list of 3 (in their order; SHA-256 " in (
        folder.path / "league.html"
    ).read_text(encoding="utf-8")
    capsys.readouterr()
    with pytest.raises(RunError, match="other openings"):
        league_folder("listed", **{**plan, "openings": None})
    with pytest.raises(ValueError, match="openings: they are of othello"):
        league_folder("other", **{**plan, "game": "lose-checkers", "methods": ()})
