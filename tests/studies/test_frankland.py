"""Frankland and Pillay's study: the ladder, the tables, and what is asked of them."""

from typing import Any

import pytest

from evoply.arena import match
from evoply.players import parse_player
from evoply.reports import result_html
from evoply.studies import STUDIES, Request, Result, frankland, page_of_study, reproduce
from evoply.studies.frankland import LEVELS, ladder_player, opponents_of
from evoply.studies.study import paper

TABLES = paper("frankland")["tables"]
AREAS, PHASES = TABLES["weights"]["areas"], paper("frankland")["phases"]
IDEAS = TABLES["ablation"]["ideas"]


def test_the_ladder_is_sound_and_each_step_is_higher() -> None:
    players = [ladder_player(depth) for depth in LEVELS]
    for depth, better, worse in ((1, 0, "material:depth=3"), (3, 1, "swh"), (3, 1, players[0])):
        result = match(players[better], worse, games=60, seed=depth)
        assert result.score > 0.7, (depth, str(result))


def test_table_1(quick: list[dict[str, Any]]) -> None:
    result = reproduce("frankland", "1", Request(games=4))
    names = [one.name for one in result.rows]
    assert names[0] == "WZebra, 1 to 2 plies: here ladder, 1 ply: wins"
    assert names[5] == "WZebra, 3 to 5 plies: here ladder, 5 plies: ties"
    assert [one.paper for one in result.rows[:8]] == [95, 5, 50, 5, 50, 5, 0, 0]
    assert all(one.n == 4 and one.interval is not None for one in result.rows[:8])
    # The eight other rows of the paper's table cannot be had.
    others = result.rows[8:]
    assert len(others) == 16
    assert [one.paper for one in others[:4]] == [81, 0, 69, 13]
    assert {(one.ours, one.verdict) for one in others} == {(None, "undecided")}
    assert all("cannot be had" in one.reason for one in others)
    assert "0.010 s per move on average, 95 % of the moves within 0.010 s" in result.notes[1]
    assert result.command == "evoply reproduce frankland --table 1 --scale smoke --seed 1 --games 4"
    again = reproduce("frankland", "1", Request(games=4, threads=3))
    assert again.rows == result.rows
    assert {settings["population"] for settings in quick} == {100}
    # Supreme Alpha: but for the first move of a match there is always an alpha from before.
    assert sum(settings["alpha"] is None for settings in quick[: len(quick) // 2]) == 4
    assert {settings["generations"] for settings in quick} == {20}


def test_any_opponent_takes_the_ladders_place(quick: list[dict[str, Any]]) -> None:
    result = reproduce("frankland", "1", Request(games=2, opponent="random"))
    assert [one.name for one in result.rows] == ["random: wins", "random: ties"]
    assert [one.verdict for one in result.rows] == ["no figure", "no figure"]
    in_the_place = reproduce("frankland", "1", Request(games=2, opponent="material:depth={level}"))
    assert in_the_place.rows[0].name == "WZebra, 1 to 2 plies: here material:depth=1: wins"
    assert in_the_place.rows[0].paper == 95
    names = [name for name, _ in opponents_of("material:depth={level}")]
    assert names == [f"material:depth={level}" for level in LEVELS]
    with pytest.raises(ValueError, match="no player is called 'nobody'"):
        reproduce("frankland", "1", Request(games=2, opponent="nobody"))
    with pytest.raises(ValueError, match="games: 3 is not even"):
        reproduce("frankland", "1", Request(games=3))
    with pytest.raises(ValueError, match="has opponents and games of its own"):
        reproduce("frankland", "weights", Request(games=2))
    with pytest.raises(ValueError, match="has opponents and games of its own"):
        reproduce("liao", "1", Request(opponent="random"))


def test_weights_by_phase(quick: list[dict[str, Any]]) -> None:
    result = reproduce("frankland", "weights")
    assert len(result.rows) == len(PHASES) * (len(AREAS) + 2)
    for one in result.rows:
        if "flags" in one.name:
            assert one.ours in (None, 0.0)  # the third flag is never set here
        elif "less the inner" not in one.name:
            assert one.ours is None or 5 < one.ours < 27  # uniform in 0..32
    printed = [one.paper for one in result.rows if one.paper is not None]
    assert sum(not isinstance(paper, str) for paper in printed) == sum(
        len(phase["weights"]) for phase in PHASES.values()
    )
    assert sum(paper == "become true early and stay true" for paper in printed) == len(PHASES)
    # Those that differ most from the printed ones come first.
    first = result.rows[:13]
    assert len({one.name for one in first}) == 13
    apart = [abs(one.ours - one.paper) for one in first]
    assert apart == sorted(apart, reverse=True)
    assert apart[0] > 5
    page = result_html(page_of_study(result, STUDIES["frankland"]))
    assert "Weights, end of the start" in page
    assert "the paper&#39;s example: A 5, B 1, E 3, C 7, H 8" in page
    for chart in result.charts:
        assert chart.values[0] == chart.values[63]  # corners are one area, doubled or not
        assert len(chart.values) == 64
    bounds = [bound for phase in PHASES.values() for bound in phase["discs"]]
    assert bounds == [4, 14, 14, 24, 24, 44, 44, 54, 54, 64]
    assert reproduce("frankland", "weights", Request(threads=2)).rows == result.rows


def test_a_reason_says_how_many_single_moves_go_as_far() -> None:
    weights = [0.0, 10.0, 20.0, 30.0]
    assert frankland._how_far(weights, 5) == "one position; 25 % of our moves go so far"
    assert frankland._how_far(weights, 20).startswith("one position; 50 %")
    assert frankland._how_far(weights, 31).startswith("one position; 0 %")


def test_readings_play_again_only_where_games_change(quick: list[dict[str, Any]]) -> None:
    few = STUDIES["frankland"].resized("smoke", games=2)
    result = reproduce(few, "readings")
    told = TABLES["readings"]
    asked = sum(len(areas) for areas in told["asked"].values())
    names = list(told["readings"])
    assert len(result.rows) == len(names) * (2 + asked)
    outer = f"{names[0]}: corner and inner edge less the inner board"
    assert {one.name: one.paper for one in result.rows}[outer] == "corners and edges low: below 0"
    assert {one["preserve_alpha"] for one in quick} == {"yes", "no"}
    rows = {one.name: one for one in result.rows}
    shifted, usual = (rows[f"{name}: middle, C"] for name in (names[2], names[0]))
    assert shifted.ours != usual.ours
    assert shifted.paper == usual.paper == PHASES["middle"]["weights"]["C"]
    assert rows[f"{names[0]}: distance"].n == sum(len(one["weights"]) for one in PHASES.values())
    seats = sum(settings["alpha"] is None for settings in quick)
    assert seats > len(names) - 2  # the first move of every match, and more where alpha is lost


def test_the_times_of_figure_6(quick: list[dict[str, Any]]) -> None:
    result = reproduce(STUDIES["frankland"].resized("smoke", games=2), "6")
    rows = {one.name: one for one in result.rows}
    assert rows["all phases: the longest"].ours == 0.01
    mean = rows["all phases: seconds of a move, mean"]
    assert (mean.ours, mean.paper, mean.counted) == (0.01, "under a minute: below 60", "moves")
    assert mean.n == len(quick)
    phases = [rows[f"{phase}: the longest"].n for phase in PHASES]
    assert sum(n for n in phases if n) == mean.n


def test_the_sweep_changes_one_setting_at_a_time(quick: list[dict[str, Any]]) -> None:
    result = reproduce("frankland", "sensitivity")
    assert len(result.rows) == 1 + 2 * 17
    gains = [one for one in result.rows if one.name.endswith("gain")]
    assert sum(one.paper == 0 for one in gains) == 7
    asked = {
        (one["population"], one["generations"], one["tournament"], one["games"], one["highest"])
        for one in quick
    }
    usual = (100, 20, 4, 10, 32)
    assert all(sum(a != b for a, b in zip(one, usual, strict=True)) <= 1 for one in asked)
    assert len(asked) == 8


def test_the_ablation_has_the_same_games_for_all(quick: list[dict[str, Any]]) -> None:
    shown: list[Result] = []
    result = reproduce("frankland", "ablation", Request(games=2, shown=shown.append))
    assert [len(one.rows) for one in shown] == [1 + 2 * count for count in range(len(IDEAS) + 1)]
    assert all(one.rows == result.rows[: len(one.rows)] for one in shown)
    assert [one.name for one in result.rows][:3] == [
        "as in the paper: score",
        "the last 12 squares exact: score",
        "the last 12 squares exact: gain",
    ]
    assert len(result.rows) == 1 + 2 * len(IDEAS)
    assert all(one.verdict == "no figure" for one in result.rows)
    assert {one["population"] * one["generations"] * one["games"] for one in quick} == {20_000}
    # Every game begins without alpha, so that its figures do not depend on the games before.
    assert sum(one["alpha"] is None for one in quick) == 2 * (1 + len(IDEAS))
    two = reproduce("frankland", "ablation", Request(games=2, opponent="material:depth={level}"))
    assert two.rows[1 + 2 * len(IDEAS)].name == "material:depth=3: as in the paper: score"


def test_the_strong_form_meets_its_levels(quick: list[dict[str, Any]]) -> None:
    shown: list[Result] = []
    result = reproduce("frankland", "strong", Request(games=2, shown=shown.append))
    assert [(len(one.rows), len(one.notes)) for one in shown] == [(2, 2), (4, 3), (6, 4), (8, 5)]
    assert shown[-1] == result
    assert [one.name for one in result.rows][::2] == [
        f"ladder, {level}: wins" for level in ("1 ply", "3 plies", "5 plies", "7 plies")
    ]
    assert "21,000 games for a move" in result.notes[0]
    assert {one["roots"] for one in quick} == {"tree"}
    assert all(one["mobility"] and one["replies"] for one in quick)


def test_the_study_is_listed_and_its_players_are_read() -> None:
    assert STUDIES["frankland"].usual == "1"
    assert parse_player("frankland2015").label == "frankland2015"
