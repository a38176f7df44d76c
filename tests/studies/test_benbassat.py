"""Benbassat and Sipper's study: printed figures, guides, evolved players, ways to compete."""

import json
import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evoply import Run
from evoply.arena import match
from evoply.arena.statistics import FEWEST_PAIRS
from evoply.evolution import evolve
from evoply.games import GAMES
from evoply.players import parse_player
from evoply.protocols import RunError
from evoply.runs import advance, list_runs
from evoply.runs.presets import PRESETS
from evoply.studies import Reproduction, Request, Result, Row, find_study, reproduce
from evoply.studies.benbassat.evolved_players import (
    BASE,
    SETTINGS,
    TABLES,
    evolve_player,
    run_config,
    setting_config,
)
from evoply.studies.benbassat.guide_matches import (
    CANDIDATES,
    EVEN_STEPS,
    GUESSES,
    GUIDES,
    KINDS,
    LADDER,
    OUTSIDE,
    READINGS,
    TITLES,
    evolved_score,
    games_of,
    guide,
    kind_config,
)
from evoply.studies.kept_runs import evolution

PRINTED_GUIDES = {
    ("lose-checkers", 2, 0): 0.9665, ("lose-checkers", 3, 2): 0.8502,
    ("lose-checkers", 5, 3): 0.82535, ("lose-checkers", 7, 5): 0.8478,
    ("lose-checkers", 8, 3): 0.5873, ("lose-checkers", 5, 8): 0.5562,
    ("checkers-10", 2, 0): 0.99885, ("checkers-10", 3, 2): 0.5229,
    ("othello", 2, 0): 0.8471, ("othello", 3, 2): 0.6004,
    ("othello", 5, 3): 0.7509, ("othello", 7, 5): 0.7509,
}  # fmt: skip
PRINTED_PLAYERS = {
    "4": {
        ("10ab2+20Co", 5): [632.0, 645.0],
        ("25Co", 5): [608.0, 575.0],
        ("40Co", 5): [575.5, 633.5],
    },
    "5": {("50Co", 3): [889.0, 927.0], ("25Co", 3): [732.0, 615.5, 554.0, 631.0]},
    "6": {
        ("25Co", 5): [875.0, 957.5],
        ("25Co", 7): [758.5, 803.0],
        ("40Co", 5): [942.5, 905.5, 956.0, 912.5, 953.5, 961.0],
        ("40Co", 7): [640.5, 711.5, 760.0, 826.0, 730.5, 815.5],
    },
}


STUDY = find_study("benbassat")
FEW = SMALL = STUDY
"""The study with fewer games than the smallest scale has, in matches of deep players the fewest.

And one that evolves less, too, where all that is looked at is that the runs are the same.
"""
if "EVOPLY_LONG" not in os.environ:
    FEW = (
        STUDY.resized("smoke", "4", "5", "6", games=2)
        .resized("smoke", "3", games=(20, 4, 4))  # twenty have an interval
        .resized("smoke", "depths", games=(20, 2, 2))
        .resized("smoke", "readings", games=2)
        .resized("smoke", "hand", games=4)
    )
    SMALL = FEW.resized("smoke", population=6, generations=1, final_pairs=1)


def asked(table: str, **options: Any) -> Reproduction:
    """Return a request to a table with what the paper's file says of it."""
    return STUDY.asked(table, Request(**options))


def test_the_printed_figures():
    assert {(one.game, one.depth, one.other): one.printed for one in LADDER} == PRINTED_GUIDES
    for name, table in TABLES.items():
        printed = {
            (kind.fitness, depth): list(scores)
            for kind in table.kinds
            for depth, scores in kind.printed.items()
        }
        assert printed == PRINTED_PLAYERS[name]


def test_guides_are_players_of_their_games():
    for reading in READINGS:
        for game in set(GUIDES[reading]) & set(GAMES):
            for depth in (0, 2, 5):
                assert parse_player(guide(game, depth, reading), game=game).reproducible
    assert guide("lose-checkers", 3, "integers").startswith("random-leaf:depth=3,noise=6")
    with pytest.raises(ValueError, match="says nothing of othello"):
        guide("othello", 3, "integers")


@pytest.mark.parametrize(
    ("reading", "depth", "other", "expected"),
    [("corners", 2, 0, 0.8532), ("corners", 3, 2, 0.5918), ("share", 2, 0, 0.7326)],
)
def test_the_ladder_of_another_program(reading, depth, other, expected):
    """Scores that a program found that shares no line with this one; 0.5 / sqrt(n) is generous."""
    games = 1000
    first, second = (guide("othello", one, reading) for one in (depth, other))
    result = match(first, second, games=games, openings=None, seed=8)
    assert abs(result.score - expected) < 4 * 0.5 / games**0.5
    assert result.distinct_games == games


def test_table_3():
    shown: list[Result] = []
    request = Request(seed=4, shown=shown.append)
    result = reproduce(FEW, "3", request)
    assert [len(one.rows) for one in shown] == list(range(1, len(LADDER) + 1))
    assert (shown[3].rows, shown[-1]) == (result.rows[:4], result)
    for step, one in zip(LADDER, result.rows, strict=True):
        assert one.paper == step.printed
        assert one.n == games_of(step, FEW.asked("3", request))
        if one.n >= 2 * FEWEST_PAIRS:
            assert one.interval[0] <= one.ours <= one.interval[1]
            assert one.verdict != "undecided"
    assert sum(one.n >= 2 * FEWEST_PAIRS for one in result.rows) >= 8
    share = reproduce(FEW, "3", Request(rules="share"))
    assert share == reproduce(FEW, "3", Request(rules="share", threads=1))
    assert [one.name for one in share.rows] == [
        step.name for step in LADDER if step.game == "othello"
    ]
    json.dumps(result.to_dict(), allow_nan=False)


def test_guesses_about_even_depths_change_what_they_say() -> None:
    assert GUESSES["as in table 3"].player(4) == guide("lose-checkers", 4)
    for name, guess in GUESSES.items():
        for depth in (3, 4, 5, 6, 7, 8):
            assert parse_player(guess.player(depth), game="lose-checkers").reproducible
        assert guess.player(2) == replace(guess, even="").player(2)
        if name.startswith("even"):  # odd depths are as in table 3
            assert guess.player(5) == guide("lose-checkers", 5)
            assert guess.player(4) != guide("lose-checkers", 4)
    assert GUESSES["even depths count pairs of plies"].player(8) == guide("lose-checkers", 4)
    result = reproduce(FEW, "depths", Request())
    assert len(result.rows) == len(GUESSES) * len(EVEN_STEPS)
    rows = {one.name: one for one in result.rows}
    ends = rows["even depths see ends of games alone: ab4 against ab3"]
    usual = rows["as in table 3: ab4 against ab3"]
    assert (ends.paper, usual.paper) == ("did poorly", "did poorly")
    assert ends.ours < usual.ours
    assert result == reproduce(FEW, "depths", Request(threads=1))


def test_the_rule_chooses_the_reading_that_is_closest():
    shown: list[Result] = []
    result = reproduce(FEW, "readings", Request(shown=shown.append))
    assert len(CANDIDATES) == len(set(CANDIDATES)) == 24
    assert len(shown) == len(CANDIDATES)
    for candidate in CANDIDATES:
        assert parse_player(candidate.player(3), game="checkers-10").reproducible
    rows = {one.name: one for one in result.rows}
    distances = {}
    for candidate in CANDIDATES:
        ours = [
            rows[f"{candidate.name}: {pair}"].ours
            for pair in ("ab2 against random", "ab3 against ab2")
        ]
        distances[candidate.name] = abs(ours[0] - 998.85) + abs(ours[1] - 522.9)
        distance = rows[f"{candidate.name}: distance"].ours
        assert distance == pytest.approx(distances[candidate.name])
    closest = min(distances, key=distances.get)
    assert result.notes[0] == f"Chosen: {closest} ({distances[closest]:.1f} points)."
    assert result == reproduce(FEW, "readings", Request(threads=1))


def test_trees_by_hand_are_read_by_the_primitives_of_their_game():
    result = reproduce(FEW, "hand", Request(rules="lean-kings"))
    assert len(result.rows) == 5 * 2 + 4 * 2 + 2
    assert result.rows[8].name == "Reversi, and all corners: ab4 against ab5"
    assert result.rows[8].paper == "875.00 to 961.00"
    assert result.rows[8].ours > 700
    assert "reading lean-kings" in result.notes[1]
    assert {one.n for one in result.rows} == {FEW.asked("hand", Request()).size("games")}


def test_runs_have_the_settings_of_their_preset_and_scale():
    table = TABLES["6"]
    for rules, primitives in (("basic", "benbassat"), ("extended", "benbassat-extended")):
        for kind in table.kinds:
            paper = run_config(table, kind, asked("6", scale="paper", rules=rules), 0)
            assert (paper.population_size, paper.generations) == (120, 100)
            assert (paper.player.depth, paper.player.view, paper.player.ties) == (
                4,
                "turn",
                "random",
            )
            assert paper.primitives == primitives
            assert paper.fitness.measure.co_play == int(kind.fitness.removesuffix("Co"))
            assert (paper.selection.size, paper.elitism) == (2, 0)
            assert paper.variation.recombination.one_way == "fitter"
            other = run_config(table, kind, asked("6", scale="paper", rules=rules), 1)
            assert other.seed != paper.seed
    assert set(PRESETS) >= {"benbassat-reversi", "benbassat-reversi-extended"}


def test_the_champion_is_the_best_of_fresh_games():
    config = run_config(TABLES["6"], TABLES["6"].kinds[0], asked("6"), 0)
    told: list[None] = []
    made = evolution(config, "it", Request(), lambda: told.append(None))
    one = evolve_player(config, 4, made, threads=2)
    again = evolve_player(config, 4, evolution(config, "it", Request(threads=1)), threads=1)
    assert (one.tree, one.curve, one.games) == (again.tree, again.curve, again.games)
    assert one.depth == 4
    steps = list(evolve(config))
    assert one.curve == tuple(generation.statistics.best_fresh for generation in steps)
    assert one.games == sum(generation.statistics.games for generation in steps)
    assert len(told) == len(steps)
    assert one.tree in {entry.tree for entry in steps[-1].hall_of_fame}


def test_a_table_that_keeps_its_runs_goes_on_where_it_was_interrupted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class StoppedError(Exception):
        pass

    def interrupt(done: int, total: int) -> None:
        if done == 6:  # in the middle of the second run
            raise StoppedError

    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    shown: list[Result] = []
    usual = reproduce(FEW, "6", Request(seed=5))
    request = Request(seed=5, keep="it", shown=shown.append)
    with pytest.raises(StoppedError):
        reproduce(FEW, "6", replace(request, progress=interrupt))
    runs = ["it-6-25Co-1", "it-6-40Co-1"]
    assert [one.name for one in list_runs()] == runs
    assert [row.name for row in shown[-1].rows if "mean" in row.name] == [
        "25Co at ab4 against ab5, mean of runs",
        "25Co at ab4 against ab7, mean of runs",
    ]
    first = tmp_path / runs[0] / "run.db"
    before = first.stat().st_mtime_ns
    assert reproduce(FEW, "6", request) == usual == shown[-1]
    assert first.stat().st_mtime_ns == before
    with Run.open(tmp_path / runs[0]) as run:  # somebody goes on with one of them
        config = run.kind.configs.with_limits(run.config, {"generations": 4}, run.last())
        assert len(list(advance(run, config=config))) == 2
    with Run.open(tmp_path / runs[1]) as run:  # and has ended the other early
        run.set_meta(status="limit")
    assert reproduce(FEW, "6", request) == usual
    with pytest.raises(RunError, match="keep: run it-6-25Co-1 was made with other settings"):
        reproduce(FEW, "6", replace(request, seed=6))
    with pytest.raises(ValueError, match=r"keep: 'a/b' cannot"):
        reproduce(FEW, "6", Request(keep="a/b"))
    with pytest.raises(ValueError, match="keep: table 3 of benbassat"):
        reproduce("benbassat", "3", Request(keep="it"))


@pytest.mark.parametrize("name", list(TABLES))
def test_tables_of_players(name):
    study = STUDY if name == "5" else FEW  # its players look ahead least: its rows have intervals
    table = TABLES[name]
    result = reproduce(study, name, Request(seed=4))
    rows = {one.name: one for one in result.rows}
    for kind in table.kinds:
        for depth, printed in kind.printed.items():
            against = f"{kind.fitness} at ab{kind.depth} against ab{depth}"
            assert (f"{against}, the guide lean-kings, run 1" in rows) == (name == "5")
            mean = rows[f"{against}, mean of runs"]
            assert mean.paper == f"{min(printed):.2f} to {max(printed):.2f}"
            run = rows[f"{against}, run 1"]
            if run.n >= 2 * FEWEST_PAIRS:
                assert run.interval[0] <= run.ours <= run.interval[1]
            assert 0 <= run.ours <= 1000
            assert mean.ours == run.ours == rows[f"{against}, best"].ours
    assert [one.title for one in result.charts][1] == "Learning curves"
    json.dumps(result.to_dict(), allow_nan=False)


def test_all_readings_of_a_table_share_the_champions_of_each_training() -> None:
    table = TABLES["5"]
    result = reproduce(SMALL, "5", Request(rules="readings"))
    rows = {one.name: one for one in result.rows}
    assert len(rows) == len(table.read_as) * len(table.all_readings) == 4 * 20
    first, quiet, long, both = (
        run_config(table, kind, asked("5", scale="paper", rules="readings"), 0)
        for kind in table.read_as
    )
    assert first == run_config(table, table.kinds[1], asked("5", scale="paper"), 0)
    assert (quiet.player.quiescence, both.player.quiescence) == (True, True)
    assert long.draws == both.draws != quiet.draws == first.draws
    assert {one.player.depth for one in (first, quiet, long, both)} == {2}
    assert {one.seed for one in (first, quiet, long, both)} == {first.seed}
    usual = reproduce(SMALL, "5", Request())
    names = ("25Co at ab2 against ab3, material-kings, random of equals", "25Co at ab2 against ab3")
    here, there = (f"{name}, mean of runs" for name in names)
    assert rows[here].ours == next(one.ours for one in usual.rows if one.name == there)
    # Where one side alone follows captures to their end, nothing is compared with the paper.
    for kind in table.read_as:
        for reading in table.all_readings:
            name = f"{kind.name} at ab2 against ab3{reading.ending}, mean of runs"
            is_fair = ("captures" in kind.name) == ("captures" in reading.ending)
            assert (rows[name].paper is not None) == is_fair
            assert ("only one side" in rows[name].reason) != is_fair


def test_readings_of_reversi_help_evolution_to_corners() -> None:
    table = TABLES["6"]
    plain, orbits, racing = (
        run_config(table, kind, asked("6", scale="paper", rules="readings"), 2)
        for kind in table.read_as
    )
    rates = [one.variation.afterwards.orbit_mutation for one in (plain, orbits, racing)]
    assert rates == [0.0, 0.1, 0.1]
    assert [one.fitness.measure.racing for one in (plain, orbits, racing)] == [0, 0, 2]
    assert [one.fitness.measure.co_play for one in (plain, orbits, racing)] == [25, 25, 25]


@pytest.mark.long
def test_each_setting_that_the_paper_leaves_open_is_varied_alone() -> None:
    shown: list[Result] = []
    request = Request(shown=shown.append)
    result = reproduce("benbassat", "sensitivity", request)
    count = sum(len(settings) for settings in SETTINGS.values())
    assert len(result.rows) == 2 * count + 2
    assert len(shown) == count + 2
    assert shown[-1] == result
    rows = {one.name: one for one in result.rows}
    for name, settings in SETTINGS.items():
        base = setting_config(name, BASE, asked("sensitivity"), 1).model_dump()
        for setting in settings:
            changed = setting_config(name, setting, asked("sensitivity"), 1).model_dump()
            keys = [key for key in base if base[key] != changed[key]]
            assert len(keys) == (setting.training is not BASE.training)
        title = TITLES[TABLES[name].game]
        before = _runs(rows[f"{title}, {BASE.name}: points"])
        for setting in settings:
            after = _runs(rows[f"{title}, {setting.name}: points"])
            gain = rows[f"{title}, {setting.name}: gain"].ours
            assert gain == pytest.approx((sum(after) - sum(before)) / 2)
    assert [chart.title for chart in result.charts] == [
        f"What each setting gains in {TITLES[TABLES[name].game]}" for name in SETTINGS
    ]


def _runs(row: Row) -> list[float]:
    return [float(value) for value in row.reason.removeprefix("Runs: ").rstrip(".").split(", ")]


def test_all_ways_to_compete_begin_alike_and_spend_alike():
    firsts = set()
    for kind in KINDS:
        config = kind_config(kind, 5, asked("coevolution"))
        first = next(evolve(config))
        firsts.add(tuple(str(one.tree) for one in first.individuals))
        opponents = {one.player for one in config.fitness.opponents}
        assert not opponents & set(OUTSIDE)
    assert len(firsts) == 1
    score, games, generations = evolved_score("co-play", 5, asked("coevolution"))
    assert 0 <= score <= 1
    # A run ends with the generation that reaches the budget.
    assert generations > 1
    assert games / generations * (generations - 1) < 1000 <= games


def test_the_comparison():
    few = STUDY.resized("smoke", budget=300)
    shown: list[Result] = []
    result = reproduce(few, "coevolution", Request(seed=3, shown=shown.append))
    assert [len(one.rows) for one in shown] == list(range(1, len(KINDS) + 1))
    assert shown[-1] == result
    assert [one.name for one in result.rows] == list(KINDS)
    assert {one.verdict for one in result.rows} == {"no figure"}
    assert all(one.n == 2 for one in result.rows)


def test_what_the_study_says_of_itself():
    study = find_study("benbassat")
    assert [one.name for one in study.experiments] == [
        *("3", "depths", "readings", "hand", "4", "5", "6", "sensitivity", "coevolution")
    ]
    assert any("same four digits" in text for text in study.contradictions)
