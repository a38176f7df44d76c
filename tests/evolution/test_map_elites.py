"""MAP-Elites: maps against plain ones, that only the seed matters, runs, cells as players."""

from __future__ import annotations

import json
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evoply as ep
from evoply import Run, _native
from evoply._native import Stream
from evoply.arena import play
from evoply.cli import main
from evoply.evolution import (
    MapAxis,
    MapElites,
    MapElitesConfig,
    MapElitesStep,
    evolve_map,
    load_map_config,
    stream_for,
)
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.map_elites import descriptors
from evoply.evolution.map_elites.descriptors import described
from evoply.evolution.map_elites.elites import Bins, Elite, with_newcomers
from evoply.evolution.play.panel import schedule_of, trial
from evoply.evolution.play.population import panel_of, population_of, seats_of
from evoply.games import game_rules
from evoply.gp import parse_individual
from evoply.kinds import KINDS
from evoply.runs import RunError, advance, resolve_champion

SMALL: dict[str, Any] = {
    "game": "othello-4",
    "generations": 4,
    "batch": 12,
    "limits": {"max_nodes": 20, "max_depth": 6},
    "initialisation": {"max_depth": 4},
    "map": {
        "pairs": 2,
        "axes": [
            {"descriptor": "mobility", "bins": 5, "low": 0.3, "high": 0.7},
            {"descriptor": "size", "bins": 4},
        ],
    },
    "fitness": {
        "opponents": [{"player": "random", "pairs": 2}, {"player": "greedy", "pairs": 2}],
        "earlier_generations": {"champions": 2, "pairs": 1},
        "opening_plies": 2,
    },
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 3},
}


def elite(cell: tuple[int, ...], fitness: float, nodes: int, born: int) -> Elite:
    return Elite(cell, f"tree {born}", nodes, fitness, (0.0, 0.0), "crossover", born)


asked = st.lists(
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(0, 3), st.integers(1, 3))
)


@given(asked=asked, first=st.integers(0, 10))
def test_a_cell_has_the_best_of_all_who_ever_asked_for_it(
    asked: list[tuple[tuple[int, int], int, int]], first: int
) -> None:
    everybody = [
        elite(cell, float(fitness), nodes, number)
        for number, (cell, fitness, nodes) in enumerate(asked)
    ]
    held = with_newcomers(with_newcomers((), everybody[:first]), everybody[first:])
    # The slow way: for each cell, look at all who are there.
    best = []
    for cell in product(range(3), range(3)):
        there = [one for one in everybody if one.cell == cell]
        fittest = [x for x in there if x.fitness == max(other.fitness for other in there)]
        smallest = [x for x in fittest if x.nodes == min(other.nodes for other in fittest)]
        best += smallest[:1]
    assert list(held) == best


@given(count=st.integers(2, 64), index=st.integers(0, 63), share=st.floats(0.01, 0.99))
def test_a_bin_holds_what_lies_in_it(count: int, index: int, share: float) -> None:
    bins = Bins("mobility", count, 0.25, 0.75)
    index %= count
    low, high = bins.bounds(index)
    assert bins.index(low + share * (high - low)) == index
    assert bins.index(-1e9) == bins.index(bins.low) == 0
    assert bins.index(1e9) == bins.index(bins.high) == count - 1


@pytest.mark.parametrize(("sides", "at_once"), [("both", 1000), ("both", 5), ("white", 1)])
@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_descriptions_are_those_of_games_that_are_played_move_by_move(
    game: str, sides: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(descriptors, "_GAMES_AT_ONCE", at_once)
    primitives = "any-game"
    fitness = {**SMALL["fitness"], "sides": sides}
    config = load_map_config(
        "map-elites", settings={**SMALL, "game": game, "primitives": primitives, "fitness": fitness,
                                "map": {"pairs": 2}}
    ).evolution  # fmt: skip
    texts = ["( own_moves )", "( - opponent_moves own_pieces )", "( + 1 own_pieces )"]
    trees = [parse_individual(text, ep.PRIMITIVE_SETS[primitives]) for text in texts]
    games, stream = config.game_settings, Stream(5, "map")
    names = ("mobility", "size", "length", "corners")
    axes = [Bins(name, 10, 0.0, 1.0) for name in names]
    found = described(population_of(games, trees), axes, games, config.task, 2, stream, games.play)

    panel = panel_of(games, config.task, ()).with_pairs(2)
    schedule = schedule_of(games, len(trees), panel, stream)
    seats = [*seats_of(games, trees), *panel.players]
    results = play(game, seats, schedule, record_moves=True)
    kernel, shape = game_rules(game).kernel, game_rules(game).shape
    corners = [0, shape.columns - 1, shape.squares - shape.columns, shape.squares - 1]
    each = len(schedule) // len(trees)
    for number, tree in enumerate(trees):
        shares, plies, held = [], [], []
        for played in range(number * each, (number + 1) * each):
            is_black = bool(schedule.black[played] == number)
            row = schedule.start_row(played)
            codes = (results.moves or [])[played]
            for ply, code in enumerate(codes):
                if ply >= config.opening_plies and row[3] == is_black:
                    own = _native.mobility(kernel, row, is_black)
                    other = _native.mobility(kernel, row, not is_black)
                    shares.append(own / (own + other) if own + other else 0.5)
                row = _native.row_after(kernel, row, code)
            plies.append(len(codes))
            pieces = row[0] if is_black else row[1]
            held.append(sum(pieces >> corner & 1 for corner in corners))
        slow = [fmean(shares), len(tree), fmean(plies), fmean(held)]
        assert found.values[number].tolist() == pytest.approx(slow, abs=1e-12)
    assert found.games == len(schedule)
    assert found.work > 0


def test_threads_and_interruptions_change_nothing() -> None:
    config = MapElitesConfig(**SMALL)
    whole = list(evolve_map(config, threads=1))
    assert [step.number for step in whole] == [0, 1, 2, 3]
    assert [step.digest for step in evolve_map(config, threads=2)] == [
        step.digest for step in whole
    ]
    learner = MapElites()
    stored = learner.load(config, json.loads(json.dumps(learner.dump(whole[1]))))
    assert stored == whole[1]
    assert [step.digest for step in evolve_map(config, resume_from=stored)] == [
        step.digest for step in whole[2:]
    ]
    assert [step.digest for step in evolve_map(config, seed=2)] != [step.digest for step in whole]


def test_a_map_keeps_its_cells_and_counts_what_it_costs() -> None:
    config = MapElitesConfig(**{**SMALL, "generations": 6})
    axes = config.axes
    whole = list(evolve_map(config))
    for before, step in pairwise(whole):
        cells = {elite.cell for elite in step.elites}
        assert {elite.cell for elite in before.elites} <= cells
        assert step.statistics["cells"] == len(cells) == len(step.elites)
        assert step.statistics["coverage"] == len(cells) / 20
        new = [elite for elite in step.elites if elite.born == step.number]
        assert step.statistics["filled"] + step.statistics["improved"] == len(new)
        assert (step.games, step.work) > (before.games, before.work)
        for elite in step.elites:
            bins = tuple(axis.index(x) for axis, x in zip(axes, elite.description, strict=True))
            assert elite.cell == bins
            assert elite.nodes == elite.description[1] == len(parsed(config, elite.tree))
    assert len(whole[-1].elites) > len(whole[0].elites)


def parsed(config: MapElitesConfig, tree: str) -> Any:
    return parse_individual(tree, ep.PRIMITIVE_SETS[config.primitives])


def test_elites_are_judged_in_the_games_of_their_challengers() -> None:
    """Each elite alone, whenever born, scores what the map says in this generation's games."""
    config = MapElitesConfig(**SMALL)
    before, step = list(evolve_map(config))[-2:]
    assert any(elite.born < step.number for elite in step.elites)
    evolution = config.evolution
    games = evolution.game_settings
    archive = before.proved_trees(evolution).archive
    earlier = draw_earlier(evolution, archive, stream_for(evolution, "opponents", step.number))
    assert earlier
    panel = panel_of(games, evolution.task, earlier)
    for elite in step.elites:
        seats = seats_of(games, [parsed(config, elite.tree)])
        stream = stream_for(evolution, "training", step.number)
        assert trial(games, seats, panel, stream).fitness == [elite.fitness]


@pytest.mark.parametrize(
    ("limits", "last"),
    [
        ({"generations": 3}, 2),
        ({"generations": None, "games": 1}, 0),
        ({"generations": None, "work_limit": 1}, 0),
        ({"generations": None, "time_limit": 1e-9}, 0),
        ({"generations": 2, "games": 10**9}, 1),
    ],
)
def test_a_run_ends_at_its_first_limit(limits: dict[str, Any], last: int) -> None:
    assert [*evolve_map(MapElitesConfig(**{**SMALL, **limits}))][-1].number == last


@pytest.mark.parametrize(
    "measure",
    [{"kind": "tournament"}, {"kind": "opponent_discs"}, {"kind": "guides", "co_play": 3}],
)
def test_any_fitness_fills_a_map(measure: dict[str, Any]) -> None:
    fitness = {**SMALL["fitness"], "measure": measure, "earlier_generations": {"champions": 0}}
    *_, last = evolve_map(MapElitesConfig(**{**SMALL, "generations": 2, "fitness": fitness}))
    assert len(last.elites) > 1
    assert last.statistics["best"] == max(elite.fitness for elite in last.elites)


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"generations": None}, "generations", "never ends"),
        ({"batch": 1}, "batch", "2"),
        ({"primitives": "letters"}, "primitives", ""),
        ({"map": {"axes": [{"descriptor": "size"}]}}, "map.axes", "2"),
        ({"map": {"axes": [{"descriptor": "size"}] * 2}}, "map.axes.1.descriptor", "already"),
        ({"map": {"axes": [{"descriptor": "size", "bins": 64}, {"descriptor": "mobility",
          "bins": 64}]}}, "map.axes", "give fewer"),
        ({"map": {"axes": [{"descriptor": "size", "low": 30}, {"descriptor": "mobility"}]}},
         "map.axes.0.low", "not below"),
        ({"map": {"axes": [{"descriptor": "colour"}, {"descriptor": "size"}]}},
         "map.axes.0.descriptor", "mobility"),
        ({"game": "checkers", "primitives": "any-game",
          "map": {"axes": [{"descriptor": "length"}, {"descriptor": "size"}]}},
         "map.axes.0.low", "no usual length"),
        ({"variation": {"recombination": {"pairing": "population"}}},
         "variation.recombination.pairing", "leave it out"),
        ({"fitness": {"opponents": [{"player": "swh"}]}}, "fitness.opponents.0.player", "champion"),
        ({"elitism": 3}, "elitism", ""),
    ],
)  # fmt: skip
def test_mistakes_are_named(changes: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ep.ConfigError) as caught:
        MapElitesConfig(**{**SMALL, **changes})
    assert [message for where, message in caught.value.errors if where == path and says in message]


def test_usual_ranges_fit_the_limits_and_the_game() -> None:
    axes = [MapAxis(descriptor=name) for name in ("size", "length", "corners")]  # type: ignore[arg-type]
    config = MapElitesConfig(**{**SMALL, "map": {"axes": axes}})
    assert [(axis.low, axis.high) for axis in config.axes] == [(1, 21), (9, 13), (0, 4)]


def test_a_fitness_may_be_a_text_with_guides_of_the_game() -> None:
    config = MapElitesConfig(**{**SMALL, "game": "checkers", "primitives": "any-game",
                                "map": {}, "fitness": "10ab2+20Co"})  # fmt: skip
    measure: Any = config.fitness.measure
    assert measure.guides[0].player.startswith("material-kings")
    assert config.evolution.fitness == config.fitness


def test_a_set_of_your_own_and_a_saved_opponent_are_kept_with_a_run(tmp_path: Path) -> None:
    ep.save_player(tmp_path / "saved.json", "( - white black )", game="othello-4")
    fitness = {**SMALL["fitness"], "opponents": [{"player": str(tmp_path / "saved.json")}]}
    primitives = ep.PRIMITIVE_SETS["liao"]
    config = MapElitesConfig(**{**SMALL, "fitness": fitness, "primitives": primitives})
    with Run.create(tmp_path / "run", config) as run:
        first = next(advance(run, threads=1))
    (tmp_path / "saved.json").unlink()
    with Run.open(tmp_path / "run") as run:
        assert str(tmp_path) not in (run.path / "config.toml").read_text()
        rest = [*advance(run, threads=1)]
        assert run.last() == rest[-1]
        assert run.digests()[0] == first.digest


@pytest.mark.parametrize(
    "damage", [{"elites": []}, {"proved": []}, {"elites": [{}]}, {"games": "many"}, {"past": None}]
)
def test_a_step_that_is_none_is_refused(damage: dict[str, Any]) -> None:
    learner, config = MapElites(), MapElitesConfig(**{**SMALL, "generations": 1})
    data = json.loads(json.dumps(learner.dump(learner.first(config))))
    assert learner.load(config, data).number == 0
    with pytest.raises(ValueError, match=r"not a step|no whole map"):
        learner.load(config, {**data, **damage})


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def finished(home: Path) -> list[MapElitesStep]:
    """A run called `map`, which was stopped and went on."""
    with Run.create(home / "map", MapElitesConfig(**SMALL)) as run:
        begun = next(advance(run, threads=1))
    with Run.open(home / "map") as run:
        return [begun, *advance(run, threads=1)]


def test_a_run_that_was_stopped_ends_as_an_unbroken_one(
    home: Path, finished: list[MapElitesStep]
) -> None:
    assert finished == [*evolve_map(MapElitesConfig(**SMALL))]
    with Run.open(home / "map") as run:
        assert run.status == "finished"
        assert run.kind.name == "map-elites"
        costs = run.kind.learners.costs
        spent = [costs(step, old) for old, step in pairwise([None, *finished])]
        assert sum(cost["games"] for cost in spent) == finished[-1].games
        assert sum(cost["work"] for cost in spent) == finished[-1].work
        note = run.note("final_test", ("ranking", "games"))
        assert note is not None
        assert {row["tree"] for row in note["ranking"]} == {
            entry.tree for entry in finished[-1].proved
        }
        assert str(run.champion_player.evaluator.parsed) == note["ranking"][0]["tree"]
        assert run.champion == run.champion_player
        rows = run.rows("elites")
        assert len(rows) == sum(len(step.elites) for step in finished)
        assert rows[-1]["tree"] == finished[-1].elites[-1].tree
        assert rows[-1]["axis_2"] == rows[-1]["nodes"]
        # Each earlier champion is stored once.
        added = [step.fields["added"]["past"][1] for step in run.steps()]
        assert sum(map(len, added)) == len(finished[-1].past)
        assert run.check() > 0
        trees = run.kind.uses["trees"](run.champion, run.last())
        assert {elite.tree for elite in finished[-1].elites} <= set(map(str, trees))


def test_the_player_of_a_cell_has_a_name(
    home: Path, finished: list[MapElitesStep], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(home))
    for number, step in enumerate(finished):
        for elite in step.elites:
            text = f"champion@map@{number}@{elite.cell[0]}-{elite.cell[1]}"
            player = resolve_champion(text)
            assert str(player.evaluator.parsed) == elite.tree  # type: ignore[attr-defined]
    last = finished[-1].elites[0]
    name = f"champion@map@{last.cell[0]}-{last.cell[1]}"
    player = ep.parse_player(f"{name}:depth=2", game="othello-4")
    assert (player.depth, str(player.evaluator.parsed)) == (2, last.tree)
    match = ep.match(name, "random", game="othello-4", games=4, openings=2)
    assert match.games == 4
    for text, says in (
        ("champion@map@4-9", "nobody in cell 4-9 after step 3"),
        ("champion@map@9@0-0", "no step 9"),
    ):
        with pytest.raises(RunError, match=says):
            resolve_champion(text)


def test_a_run_without_a_map_says_so(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(home))
    config = ep.load_config("quick", ["population_size=4", "generations=1", "time_limit=none"])
    with Run.create(home / "plain", config) as run:
        next(advance(run, threads=1))
    with pytest.raises(RunError, match="no map of players"):
        resolve_champion("champion@plain@0-0")


def test_a_live_display_knows_how_long_it_takes() -> None:
    display, learner = KINDS["map-elites"].display, MapElites(threads=1)
    config = MapElitesConfig(**SMALL)
    step = learner.first(config)
    live = display.live(config, step)
    assert live.seconds_left == pytest.approx(3 * step.seconds)
    assert live.last_number == 3
    assert live.points == {
        "cells": step.statistics["cells"],
        "best, fresh": step.statistics["best_fresh"],
        "best of the map": step.statistics["best"],
        "mean of the map": step.statistics["mean"],
    }
    timed = MapElitesConfig(**{**SMALL, "time_limit": 1e-9, "generations": None})
    assert display.live(timed, step).seconds_left == 0
    endless = MapElitesConfig(**{**SMALL, "games": 10**9, "generations": None})
    assert display.live(endless, step).seconds_left is None


def test_commands_make_show_and_explain_a_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    with Run.create(tmp_path / "map", MapElitesConfig(**SMALL)):
        pass
    main(["resume", "map", "--no-tests", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "finished"
    assert {"cell", "fitness", "mobility", "size", "tree"} == set(told["elites"][0])
    main(["runs", "map", "--json"])
    assert len(json.loads(capsys.readouterr().out)["generations"]) == 4
    main(["config", "map.axes", "--learner", "map-elites"])
    assert "descriptor" in capsys.readouterr().out
    small = ["--set", "game=othello-4", "--population-size", "6", "--generations", "1"]
    assert main(["evolve", "map-elites", "--name", "other", *small, "--no-tests", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 1
    with Run.open(tmp_path / "other") as run:
        assert (run.kind.name, run.config.batch) == ("map-elites", 6)
    with pytest.raises(ep.ConfigError, match="is a config of map-elites: `evoply evolve` runs it"):
        ep.load_config("map-elites")
    assert set(KINDS["map-elites"].configs.limits) == {
        "generations", "games", "work_limit", "time_limit", "machine",
    }  # fmt: skip
