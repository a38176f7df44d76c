"""Variety of what runs end with, on one map for all setups; setups that a file names one by one."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import tomli_w

import evoply as ep
from evoply import Run, _native
from evoply._native import Stream
from evoply.arena import Schedule, play
from evoply.cli import main
from evoply.evolution.islands import IslandsConfig
from evoply.experiments import Experiment, find_experiment, load_experiment, setups_of
from evoply.experiments.units import _MEASURE_SEED
from evoply.games import game_rules
from evoply.protocols import ConfigError, RunError
from forging import sealed_experiment

pytestmark = pytest.mark.usefixtures("units_here")
SMALL: dict[str, Any] = {
    "game": "othello-4",
    "population_size": 10,
    "generations": 3,
    "limits": {"max_nodes": 15},
    "fitness": {"opponents": [{"player": "random", "pairs": 1}]},
}
AXES = [
    {"descriptor": "length", "bins": 4},
    {"descriptor": "own_corners", "at": "end", "bins": 5, "low": 0.0, "high": 4.0},
]
ASKED: dict[str, Any] = {
    "seeds": 2, "games": 10, "points": 1, "measure": "score:mobility,material",
    "variety": {"axes": AXES, "pairs": 2},
}  # fmt: skip


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    return tmp_path


def configs() -> dict[str, Any]:
    novel = {"kind": "novelty", "archive": 4, "added": 2}
    islands = IslandsConfig(
        **SMALL, survival={"kind": "map"}, islands={"count": 2, "every": 1, "migrants": 1}
    )
    return {
        "plain": ep.EvolutionConfig(**SMALL),
        "novel": ep.EvolutionConfig(**SMALL, survival=novel),
        "islands": islands,
    }


def test_the_figures_are_those_of_all_trees_played_move_by_move(home: Path) -> None:
    result = ep.compare(configs(), name="various", **ASKED)
    for one in result.results:
        number = list(result.setups).index(one.setup) + 1
        with Run.open(home / f"runs/various/runs/{number}-{one.setup}-seed-{one.seed}") as run:
            last = run.last()
            islands = getattr(last, "generations", [last])
            trees = {last.champion if one.setup == "islands" else run.champion.tree}
            for island in islands:
                trees |= {entry.tree for entry in island.hall_of_fame}
                trees |= {each.tree for each in (*island.individuals, *island.novel)}
            games = run.config.game_settings
        cells: dict[tuple[int, int], float] = {}
        for tree in trees:
            points, length, corners = slow_description(games.player(tree))
            cell = (
                min(int((length - 9) // 1), 3) if length > 9 else 0,
                min(int(corners // 0.8), 4),
            )
            cells[cell] = max(points, cells.get(cell, 0.0))
        found = one.curve[-1].variety
        assert found["trees"] == len(trees)
        assert 1 <= found["behaviours"] <= len(trees)
        assert found["coverage"] == pytest.approx(len(cells) / 20)
        assert found["qd_score"] == pytest.approx(sum(cells.values()))
        assert found["obj_max"] == max(cells.values())
        assert not one.curve[0].variety


def slow_description(player: Any) -> tuple[float, float, float]:
    """Return points, plies and corners at the end, the means of games as `variety` has them."""
    rules = game_rules("othello-4")
    points = plies = corners = 0.0
    stream = Stream(_MEASURE_SEED, "variety")
    # Two opponents with two openings each, both ways; keys go on from one opponent to the next.
    openings, keys = stream.child("opening").keys(4), stream.child("game").keys(8)
    for game in range(8):
        opponent = ep.parse_player(("mobility", "material")[game // 4], game="othello-4")
        is_black = game % 2 == 0
        schedule = Schedule(
            black=_index(0 if is_black else 1), white=_index(1 if is_black else 0),
            opening_keys=openings[game // 2 : game // 2 + 1], game_keys=keys[game : game + 1],
            opening_plies=rules.opening_plies, starts=(rules.start().row,),
        )  # fmt: skip
        results = play("othello-4", [player, opponent], schedule, record_moves=True)
        black = float(results.black_points[0])
        points += black if is_black else 1 - black
        plies += int(results.plies[0])
        assert results.moves is not None
        end = _native.rows_along(rules.kernel, rules.start().row, results.moves[0])[-1]
        own = end[0 if is_black else 1]
        corners += sum(own >> square & 1 for square in (0, 3, 12, 15))
    return points / 8, plies / 8, corners / 8


def _index(player: int) -> Any:
    return np.array([player], dtype=np.uint32)


def test_tables_page_and_commands_have_the_figures(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    result = ep.compare(configs(), name="various", **ASKED)
    rows = result.rows()
    assert list(rows[0]) == result.columns()
    assert rows[0]["variety:coverage"] == result.results[0].curve[-1].variety["coverage"]
    assert "variety" not in result.rows("curves")[0]
    told = result.to_dict()["variety"]
    assert set(told) == {"plain", "novel", "islands"}
    assert told["plain"]["trees"]["values"] == [
        one.curve[-1].variety["trees"] for one in result.results_of("plain")
    ]
    again = ep.load_comparison("various")
    assert again.to_dict()["variety"] == told
    assert main(["experiment", "runs/various"]) == 0
    assert "behaviours" in capsys.readouterr().out
    assert "Variety" in (home / "runs/various/comparison.html").read_text(encoding="utf-8")
    plain = ep.compare(configs(), name="plain", **{**ASKED, "variety": None})
    assert plain.to_dict()["variety"] == {}
    assert not any(name.startswith("variety") for name in plain.columns())


def test_at_most_so_many_trees_count(home: Path) -> None:
    few = {**ASKED["variety"], "most_trees": 3}
    result = ep.compare(configs(), name="few", **{**ASKED, "seeds": 1, "variety": few})
    for one in result.results:
        found = one.curve[-1].variety
        assert found["trees"] == 3
        assert found["coverage"] <= 3 / 20


@pytest.mark.parametrize(
    ("axes", "path", "says"),
    [
        ([{"descriptor": "size"}, AXES[1]], "variety.axes.0.low", "size has no usual range"),
        ([{"descriptor": "colour"}, AXES[1]], "variety.axes.0.descriptor", "has no feature"),
        ([AXES[1]], "variety.axes", "2"),
    ],
)
def test_mistakes_are_named(home: Path, axes: Any, path: str, says: str) -> None:
    with pytest.raises(ConfigError) as caught:
        ep.compare(configs(), **{**ASKED, "variety": {"axes": axes}})
    assert [message for where, message in caught.value.errors if where == path and says in message]


def test_who_has_no_population_has_no_variety(home: Path) -> None:
    learned = ep.LearningConfig(game="othello-4", features=["corners"], games=100)
    with pytest.raises(ConfigError, match="learned is learning, which has no population"):
        ep.compare({"learned": learned, **configs()}, **ASKED)


def test_an_axis_of_ones_own_measures_and_a_folder_names_none_without_checksum(home: Path) -> None:
    (home / "mine.py").write_text("def sizes(games):\n    return games.sizes\n")
    own = {"descriptor": "python:mine.py:sizes", "low": 0.0, "high": 16.0, "bins": 8}
    asked = {**ASKED, "seeds": 1, "variety": {"axes": [own, AXES[1]], "pairs": 1}}
    result = ep.compare(configs(), name="own", **asked)
    assert all(one.curve[-1].variety["coverage"] > 0 for one in result.results)
    missing = {"axes": [{**own, "descriptor": "python:mine.py:missing"}, AXES[1]]}
    with pytest.raises(ValueError, match="there is no 'missing'"):
        ep.compare(configs(), name="none", **{**asked, "variety": missing})
    file = home / "runs/own/experiment.toml"
    text = file.read_text()
    start = text.index("python:")
    pinned = text[start : text.index('"', start)]
    file.write_text(text.replace(pinned, "python:mine.py:sizes"))
    sealed_experiment(home / "runs/own")
    with pytest.raises(RunError, match="without its checksum"):
        find_experiment("own")


def written(home: Path, **keys: Any) -> Path:
    path = home / "named.toml"
    path.write_text(tomli_w.dumps(keys))
    return path


def test_a_file_names_setups_one_by_one(home: Path) -> None:
    tables = {
        "a map": {"base": "map-elites", "survival": {"pairs": 3}, "population_size": 20},
        "none": {"base": "map-elites", "survival": {"kind": "offspring"}, "fitness.sides": "black"},
        "apart": {"base": "islands", "islands": {"count": 2}, "selection": {"kind": "uniform"}},
    }
    path = written(home, setups=tables, game="othello-6", seeds=1)
    first, second, third = setups_of(load_experiment(path))
    assert [first.name, second.name, third.name] == list(tables)
    assert (first.config.survival.kind, first.config.survival.pairs) == ("map", 3)
    assert len(first.config.survival.axes) == 2
    assert (first.config.population_size, first.config.game) == (20, "othello-6")
    assert (second.config.survival.kind, second.config.fitness.sides) == ("offspring", "black")
    assert (third.kind.name, third.config.islands.count) == ("islands", 2)
    assert third.config.selection.kind == "uniform"


@pytest.mark.parametrize(
    ("keys", "says"),
    [
        ({"setups": {"x": {"generations": 3}}}, "setups.x.base: must be a preset"),
        ({"setups": {"x": {"base": "demo"}}, "base": "demo"}, "base: give a base"),
        ({"setups": {"x": {"base": "demo"}}, "vary": {"seed": [1]}}, "vary: is for a base"),
        ({"setups": {"x": {"base": "demo", "colour": 3}}}, "x: colour"),
        ({"setups": {"x": {"base": "nowhere.toml"}}}, "no such file"),
    ],
)
def test_wrong_setups_are_refused(keys: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        setups_of(Experiment(**keys))


def test_the_study_of_the_docs_is_one(home: Path) -> None:
    path = Path(__file__).parents[2] / "docs" / "quality-diversity.toml"
    setups = setups_of(load_experiment(path))
    assert [setup.config.survival.kind for setup in setups] == [
        "offspring", "map", "map", "novelty", "novelty", "map",
    ]  # fmt: skip
    assert len({str(setup.config.primitives) for setup in setups}) == 1
