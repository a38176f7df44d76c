"""What readability costs: the terms of a formula counted, and a whole plan at its smallest size."""

from pathlib import Path

import pytest

import evoply as ep
from evoply.experiments import Readability, SizedPlayer, made_players, readability_folder
from evoply.experiments.readable_sizes import Way, number_of_terms, plan, seconds_needed
from evoply.experiments.running import run_experiment
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import parse_tree
from evoply.gp.algebra import names_of
from evoply.protocols import ConfigError, RunError


@pytest.mark.parametrize(
    ("tree", "terms"),
    [
        ("( white_corners )", 1),
        ("( - ( * 6 white_corners ) 3 )", 1),
        ("( + ( * white_corners black_edges ) white_edges )", 2),
        ("( * ( + white_corners white_edges ) ( - black_edges black_corners ) )", 4),
        ("( * ( + white_corners 2 ) ( - black_edges black_corners ) )", 4),
        ("( * ( + white_corners 2 ) ( - black_edges 1 ) )", 3),
        ("( + 1 2 )", 0),
    ],
)
def test_terms_are_counted_with_all_brackets_multiplied_out(tree: str, terms: int) -> None:
    individual = parse_tree(tree, PRIMITIVE_SETS["othello-access"])
    player = ep.parse_player(f"{tree}:primitives=othello-access")
    assert number_of_terms(player.evaluator.value, names_of(individual)) == terms


@pytest.mark.parametrize("game", ["othello", "connect-four", "breakthrough-6", "checkers"])
@pytest.mark.parametrize("scale", ["smoke", "small", "full"])
def test_every_way_has_setups_that_can_be_made(game: str, scale: str) -> None:
    size = plan().scale(scale)
    for name, way in plan().of(game).ways.items():
        setups = list(way.setups(name, game, size.terms, size.seconds))
        for setup in setups:
            setup.check()
            assert setup.config.time_limit <= size.seconds
        runs = 0 if way.teacher else 1 if way.has_map else len(size.terms)
        assert len(setups) == runs + (way.population is not None)


def test_numbers_of_terms_stand_in_the_changes() -> None:
    way = Way(
        title="",
        base="demo",
        changes={"limits": {"max_nodes": "{3 terms}"}, "hall_of_fame": {"size": "{terms}"}},
    )
    small, large = way.setups("trees", "othello", (5, 8), 9.0)
    assert [each.name for each in (small, large)] == ["trees 5", "trees 8"]
    assert (small.config.limits.max_nodes, large.config.limits.max_nodes) == (15, 24)
    assert large.config.hall_of_fame.size == 8
    assert (large.config.time_limit, large.config.generations) == (9.0, None)


@pytest.mark.timeout(120)
def test_a_plan_is_made_measured_and_gone_on_with(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    asked = {"scale": "smoke", "ways": ("map", "distilled"), "terms": (3, 8), "games": 20}
    folder = readability_folder("small", **asked)
    begun = made_players(folder)
    assert [each.way for each in begun.made] == ["distilled"] * 2
    assert begun.missing == "2 of 4 players"
    run_experiment(folder, workers=1)
    found = made_players(readability_folder("small", **asked))
    assert found.missing == ""
    assert [(each.way, each.most) for each in found.made] == [
        ("map", 3),
        ("map", 8),
        ("distilled", 3),
        ("distilled", 8),
    ]
    for each in found.made[:2]:
        assert 0 < each.terms <= each.most
    assert set(found.opponents) == {
        "swh",
        "mobility",
        "strong:depth=1",
        "by-hand",
        "demo-1",
        "demo-2",
    }
    assert found.made[2:] == begun.made
    page = found.save_html(tmp_path / "page.html").read_text()
    assert found.made[2].formula[:20] in page
    with pytest.raises(RunError, match="begun with other settings"):
        readability_folder("small", **{**asked, "games": 40})
    with pytest.raises(ValueError, match="there is no 'tree'; did you mean 'trees'"):
        readability_folder("other", ways=["tree"])


def test_the_estimate_counts_runs_formulas_and_measuring(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    asked = {"scale": "smoke", "terms": (3, 8), "games": 20, "seconds": 10.0}
    runs = readability_folder("runs", ways=["trees"], **asked)
    one, two = (seconds_needed(runs, slots) for slots in (1, 2))
    assert 24 <= one <= 25  # two runs of ten seconds, each with what is beside its limit
    assert one / 2 == pytest.approx(two, abs=0.1)
    assert 12 <= seconds_needed(runs, 8) < 13  # no run is divided
    more = {"games": 200_000, "teacher_games": 1000}
    formulas = readability_folder("both", ways=["trees", "distilled"], **{**asked, **more})
    assert seconds_needed(formulas, 1) > one + 4 * 6 * 20 + 2 * 20
    assert seconds_needed(readability_folder("map", ways=["map"], **asked), 1) < one / 1.5


def row(way: str, most: int, terms: int, score: float, seed: int = 1) -> SizedPlayer:
    scores = {"swh": score, "strong:depth=1": score / 2}
    return SizedPlayer(way, most, seed, terms, "a - b", scores, {})


def test_the_best_of_a_size_has_no_more_terms() -> None:
    rows = [
        row("found", 3, 30, 0.9),
        row("trees", 3, 3, 0.5),
        row("trees", 8, 7, 0.6),
        row("trees", 8, 9, 0.8, seed=2),
    ]
    found = Readability("x", "othello", {}, {"trees": "", "found": ""}, tuple(rows), 4)
    assert found.best == {"3": rows[1], "8": rows[2]}
    assert found.points("trees", "swh") == {3: [0.5], 8: [0.6, 0.8]}
    lines = found.chart("swh").lines
    assert lines is not None
    assert list(lines.x) == [3, 8, 30]
    assert list(lines.series[0].values) == pytest.approx([50, 70, None])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"games": 3}, "games: "),
        ({"seconds": -1.0}, "seconds: "),
        ({"seconds": float("nan")}, "seconds: "),
        ({"seeds": 0}, "seeds: "),
    ],
)
def test_wrong_sizes_are_refused_before_a_folder_is_made(
    changes: dict[str, float], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    with pytest.raises(ConfigError, match=said) as refused:
        readability_folder("wrong", scale="smoke", **changes)
    assert "pydantic" not in str(refused.value)
    assert not list(tmp_path.iterdir())
