"""Maps: those of the learner that they once were, against plain ones, as runs, with own parts."""

from __future__ import annotations

import json
from dataclasses import replace
from hashlib import sha256
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import evoply as ep
from evoply import Run, _native
from evoply._native import Stream
from evoply.arena import play
from evoply.cli import main
from evoply.evolution import (
    Axis,
    Bins,
    Candidates,
    EvolutionConfig,
    FitnessKind,
    Generation,
    Individual,
    MapPlace,
    Measured,
    Population,
    Training,
    evolve,
    final_test,
    load_config,
    stream_for,
)
from evoply.evolution.generation import digest_of
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.map_elites import played_games
from evoply.evolution.map_elites.descriptors import RunMap, described
from evoply.evolution.map_elites.space import At, Space
from evoply.evolution.play import opponents_of, population_of, schedule_of, seats_of, trial
from evoply.evolution.selections import best_of_cells
from evoply.games import game_rules
from evoply.gp import Limits, Tree, parse_individual, point_mutation
from evoply.kinds import KINDS
from evoply.runs import RunError, advance, resolve_champion

SMALL: dict[str, Any] = {
    "game": "othello-4",
    "generations": 4,
    "population_size": 12,
    "limits": {"max_nodes": 20, "max_depth": 6},
    "initialisation": {"max_depth": 4},
    "selection": {"kind": "uniform"},
    "survival": {
        "kind": "map",
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
GOLDEN: dict[str, Any] = json.loads(
    (Path(__file__).parents[2] / "testdata" / "maps.json").read_text(encoding="utf-8")
)
"""Maps of the learner that did the steps of evolution again, before survival could be a map."""


def small(**changes: Any) -> EvolutionConfig:
    return EvolutionConfig(**{**SMALL, **changes})


def place_of(individual: Individual) -> MapPlace:
    assert individual.place is not None
    return individual.place


def said(generation: Generation) -> str:
    """Return how many cells are filled, and a checksum of all that a map consists of."""
    numbers = generation.statistics
    names = (
        "cells", "coverage", "best", "mean", "filled", "improved", "best_size", "best_fresh",
        "mean_fresh",
    )  # fmt: skip
    content = {
        "elites": [
            [
                place.name,
                str(elite.tree),
                elite.fitness.hex(),
                [value.hex() for value in place.description],
                elite.origin,
                place.born,
            ]
            for elite in generation.individuals
            for place in [place_of(elite)]
        ],
        "hall": [
            [str(entry.tree), entry.generation, entry.points.hex(), entry.games.hex()]
            for entry in generation.hall_of_fame
        ],
        "archive": [[str(entry.tree), entry.generation] for entry in generation.archive],
        "state": generation.state,
        "statistics": {name: float(numbers[name]).hex() for name in names},
        "games": generation.census.total_games,
        "work": generation.census.total_work,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"{numbers.cells} cells, {sha256(text.encode()).hexdigest()[:16]}"


@pytest.mark.parametrize("name", GOLDEN)
def test_maps_are_those_of_the_learner_that_they_once_were(name: str) -> None:
    config = load_config("map-elites", settings=GOLDEN[name]["keys"])
    generations = list(evolve(config))
    assert [said(generation) for generation in generations] == GOLDEN[name]["steps"]
    champion = final_test(config, generations[-1]).champion
    assert str(champion.tree) == GOLDEN[name]["champion"]


asked = st.lists(
    st.tuples(st.tuples(st.integers(0, 2), st.integers(0, 2)), st.integers(0, 3), st.integers(1, 3))
)


@given(asked=asked)
def test_a_cell_has_the_best_of_all_who_ask_for_it(
    asked: list[tuple[tuple[int, int], int, int]],
) -> None:
    everybody = tuple(
        Individual(cast("Any", "n" * nodes), float(fitness), "", place=MapPlace(cell, (), number))
        for number, (cell, fitness, nodes) in enumerate(asked)
    )
    candidates = Candidates(everybody, [one.fitness for one in everybody])
    held = [everybody[index] for index in best_of_cells(candidates, 5, Stream(1))]
    # The slow way: for each cell, look at all who are there.
    best = []
    for cell in product(range(3), range(3)):
        there = [one for one in everybody if place_of(one).cell == cell]
        fittest = [x for x in there if x.fitness == max(other.fitness for other in there)]
        smallest = [x for x in fittest if len(x.tree) == min(len(y.tree) for y in fittest)]
        best += smallest[:1]
    assert held == best


@given(count=st.integers(2, 64), index=st.integers(0, 63), share=st.floats(0.01, 0.99))
def test_a_bin_holds_what_lies_in_it(count: int, index: int, share: float) -> None:
    bins = Bins("mobility", count, 0.25, 0.75)
    index %= count
    width = (bins.high - bins.low) / count
    assert bins.index(bins.low + (index + share) * width) == index
    assert bins.index(-1e9) == bins.index(bins.low) == 0
    assert bins.index(1e9) == bins.index(bins.high) == count - 1


@pytest.mark.parametrize(("sides", "at_once"), [("both", 1000), ("both", 5), ("white", 1)])
@pytest.mark.parametrize("game", ["othello-6", "checkers"])
def test_descriptions_are_those_of_games_that_are_played_move_by_move(
    game: str, sides: str, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played_games, "_GAMES_AT_ONCE", at_once)
    primitives = "any-game"
    fitness = {**SMALL["fitness"], "sides": sides}
    config = small(game=game, primitives=primitives, fitness=fitness)
    texts = ["( own_moves )", "( - opponent_moves own_pieces )", "( + 1 own_pieces )"]
    trees = [parse_individual(text, ep.PRIMITIVE_SETS[primitives]) for text in texts]
    games, stream = config.game_settings, Stream(5, "map")
    names = ("mobility", "size", "length", "corners")
    places: tuple[At, ...] = ("turns", "turns", "turns", "end")
    axes = tuple(Bins(name, 10, 0.0, 1.0, at) for name, at in zip(names, places, strict=True))
    opponents = opponents_of(games, config.task, ()).with_pairs(2)
    run_map = RunMap(Space(axes), games, opponents, stream)
    found = described(run_map, population_of(games, trees), games.play)
    schedule = schedule_of(games, len(trees), opponents, stream)
    seats = [*seats_of(games, trees), *opponents.players]
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


def test_a_map_keeps_its_cells_and_counts_what_it_costs() -> None:
    config = small(generations=6)
    whole = list(evolve(config))
    played = 0
    for before, step in pairwise([None, *whole]):
        cells = [place_of(elite).cell for elite in step.individuals]
        numbers = step.statistics
        assert cells == sorted(set(cells))
        assert numbers.cells == len(cells)
        assert numbers.coverage == len(cells) / 20
        new = [elite for elite in step.individuals if place_of(elite).born == step.number]
        assert numbers.filled is not None
        assert numbers.improved is not None
        assert numbers.filled + numbers.improved == len(new)
        played += numbers.games
        assert step.census.total_games == played
        for elite in step.individuals:
            place = place_of(elite)
            assert config.space is not None
            values = zip(config.space.axes, place.description, strict=True)
            assert place.cell == tuple(axis.index(value) for axis, value in values)
            assert len(elite.tree) == place.description[1]
            if before is not None and place.born < step.number:
                (at,) = elite.parents
                assert before.individuals[at].tree == elite.tree
                assert before.individuals[at].place == place
                assert before.individuals[at].origin == elite.origin
        if before is not None:
            assert {place_of(elite).cell for elite in before.individuals} <= set(cells)
    assert len(whole[-1].individuals) > len(whole[0].individuals)


def test_elites_are_judged_in_the_games_of_their_challengers() -> None:
    """Each elite alone, whenever born, scores what the map says in this generation's games."""
    config = small()
    before, step = list(evolve(config))[-2:]
    assert any(place_of(elite).born < step.number for elite in step.individuals)
    games = config.game_settings
    stream = stream_for(config.seed, "opponents", step.number)
    earlier = draw_earlier(config.fitness.earlier_generations, before.archive, stream)
    assert earlier
    opponents = opponents_of(games, config.task, earlier)
    for elite in step.individuals:
        stream = stream_for(config.seed, "training", step.number)
        assert trial(games, seats_of(games, [elite.tree]), opponents, stream).fitness == [
            elite.fitness
        ]


@pytest.mark.parametrize("survival", [SMALL["survival"], {"kind": "offspring"}])
def test_games_are_a_limit_of_every_evolution(survival: dict[str, Any]) -> None:
    usual = [step.census.total_games for step in evolve(small(survival=survival))]
    limited = small(survival=survival, generations=None, games=usual[1])
    assert [step.number for step in evolve(limited)] == [0, 1]


@pytest.mark.parametrize(
    ("changes", "path", "says"),
    [
        ({"survival": {"axes": [{"descriptor": "size"}]}}, "survival.axes", "2"),
        ({"survival": {"axes": [{"descriptor": "size"}] * 2}},
         "survival.axes.1.descriptor", "already"),
        ({"survival": {"axes": [{"descriptor": "size", "bins": 64},
                                {"descriptor": "mobility", "bins": 64}]}},
         "survival.axes", "give fewer"),
        ({"survival": {"axes": [{"descriptor": "size", "low": 30}, {"descriptor": "mobility"}]}},
         "survival.axes.0.low", "not below"),
        ({"survival": {"axes": [{"descriptor": "colour"}, {"descriptor": "size"}]}},
         "survival.axes.0.descriptor", "mobility"),
        ({"survival": {"axes": [{"descriptor": "length"}, {"descriptor": "size"}]},
          "game": "checkers", "primitives": "any-game"},
         "survival.axes.0.low", "length has no usual range in checkers"),
        ({"elitism": 3}, "elitism", "on a map the best of each cell live on - leave it out"),
        ({"demes": {"size": 4}}, "demes", "has no place with survival map"),
        ({"steady_state": {}}, "steady_state", "has no place with survival map"),
        ({"games": 0}, "games", "1"),
        ({"generations": None}, "generations", "set generations, games, work_limit or time_limit"),
    ],
)  # fmt: skip
def test_mistakes_are_named(changes: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ep.ConfigError) as caught:
        load_config(small(), settings=changes)
    assert [message for where, message in caught.value.errors if where == path and says in message]


def test_usual_ranges_fit_the_limits_and_the_game() -> None:
    axes = [Axis(descriptor=name) for name in ("size", "length", "corners")]

    def ranges(config: EvolutionConfig) -> list[tuple[float, float]]:
        assert config.space is not None
        return [(axis.low, axis.high) for axis in config.space.axes]

    config = load_config(small(), settings={"survival": {"axes": axes}})
    assert ranges(config) == [(1, 21), (9, 13), (0, 4)]
    fewer = load_config(config, settings={"limits": {"max_nodes": 10}})
    assert ranges(fewer)[0] == (1, 11)


def test_a_config_says_how_many_games_a_full_map_plays() -> None:
    each = 2 * 2 + 2 * 2 + 2 * 2  # against random, greedy and two earlier champions
    assert small().games_of_a_step() == {"fitness": (12 + 20) * each, "survival.pairs": 12 * 8}


class Brief(FitnessKind):
    """Fitness that remembers how many it was told of."""

    def measured(self, population: Population, training: Training) -> Measured:
        told = [*(training.state or ()), training.task.population_size]
        lengths = [len(population.trees[tree]) for tree in population.who]
        return Measured(fitness=1 / np.array(lengths), state=told)


def fresh_points(tree: Tree, limits: Limits, stream: Stream) -> Tree:
    return point_mutation(tree, limits, stream, rate=0.5)


def test_a_map_takes_a_fitness_and_operators_of_ones_own() -> None:
    config = small(variation={"crossover": 0.4, "custom": {"points": 0.4}})
    own: dict[str, Any] = {"fitness": Brief(), "operators": {"points": fresh_points}}
    whole = list(evolve(config, **own))
    for step in whole:
        assert [elite.fitness for elite in step.individuals] == [
            1 / len(elite.tree) for elite in step.individuals
        ]
    assert whole[-1].census.operators["points"] > 0
    # A fitness is told of all who play: the elites, and the offspring.
    parents = [0, *(len(step.individuals) for step in whole[:-1])]
    assert whole[-1].state == [12 + count for count in parents]
    again = evolve(config, resume_from=whole[1], **own)
    assert [step.digest for step in again] == [step.digest for step in whole[2:]]


def test_a_survival_of_ones_own_takes_the_place_of_no_map() -> None:
    with pytest.raises(ValueError, match="takes the place of the map - leave it out"):
        evolve(small(), survival=lambda candidates, count, stream: range(count))


def test_parsimony_decides_who_gets_a_cell() -> None:
    plain, penalised = (
        next(evolve(small(parsimony=parsimony)))
        for parsimony in (None, {"kind": "length", "coefficient": 1.0})
    )
    for elite in penalised.individuals:
        assert elite.fitness <= 1 - len(elite.tree)
    assert {place_of(one).cell for one in plain.individuals} == {
        place_of(one).cell for one in penalised.individuals
    }
    assert penalised.statistics.mean_size <= plain.statistics.mean_size


def test_the_numbers_of_a_champion_of_a_map_are_tuned() -> None:
    pytest.importorskip("cmaes")
    tuning = {"generations": 1, "pairs": 1, "population_size": 4}
    config = small(generations=2, tuning=tuning, initialisation={"seeds": ["( * 2 white )"]})
    *_, last = evolve(config)
    assert len(final_test(config, last).ranking) >= len(last.hall_of_fame)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs")


@pytest.fixture(scope="module")
def finished(home: Path) -> list[Generation]:
    """A run called `map`, which was stopped and went on."""
    with Run.create(home / "map", small()) as run:
        begun = next(advance(run, threads=1))
    with Run.open(home / "map") as run:
        return [begun, *advance(run, threads=1)]


def test_a_run_that_was_stopped_ends_as_an_unbroken_one(
    home: Path, finished: list[Generation]
) -> None:
    assert [step.digest for step in finished] == [step.digest for step in evolve(small())]
    with Run.open(home / "map") as run:
        assert run.status == "finished"
        assert run.last() == finished[-1]
        rows = run.rows("elites")
        assert len(rows) == sum(len(step.individuals) for step in finished)
        last = finished[-1].individuals[-1]
        place = place_of(last)
        assert rows[-1] == {
            "generation": 3,
            "solution": str(last.tree),
            "objective": last.fitness,
            "measures_0": place.description[0],
            "measures_1": place.description[1],
            "index": 4 * place.cell[0] + place.cell[1],
            "cell": place.name,
            "nodes": len(last.tree),
            "origin": last.origin,
            "born": place.born,
        }
        assert any(row["born"] < row["generation"] for row in rows)
        assert run.check() > 0
        trees = run.kind.uses["trees"](run.champion, run.last())
        assert {str(one.tree) for one in finished[-1].individuals} <= set(map(str, trees))


def test_a_place_is_in_the_digest() -> None:
    step = next(evolve(small()))
    first = step.individuals[0]
    place = place_of(first)
    for changed in (
        replace(place, born=place.born + 1),
        replace(place, cell=(0, 3)),
        replace(place, description=(0.5, place.description[1])),
        None,
    ):
        moved = (replace(first, place=changed), *step.individuals[1:])
        assert digest_of(replace(step, individuals=moved)) != step.digest


def test_the_player_of_a_cell_has_a_name(
    home: Path, finished: list[Generation], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(home))
    for number, step in enumerate(finished):
        for elite in step.individuals:
            player = resolve_champion(f"champion@map@{number}@{place_of(elite).name}")
            assert str(player.evaluator.parsed) == str(elite.tree)  # type: ignore[attr-defined]
    last = finished[-1].individuals[0]
    name = f"champion@map@{place_of(last).name}"
    player = ep.parse_player(f"{name}:depth=2", game="othello-4")
    assert (player.depth, str(player.evaluator.parsed)) == (2, str(last.tree))
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
    config = load_config("quick", ["population_size=4", "generations=1", "time_limit=none"])
    with Run.create(home / "plain", config) as run:
        next(advance(run, threads=1))
        assert "elites" not in run.table_names()
    with pytest.raises(RunError, match="no map of players"):
        resolve_champion("champion@plain@0-0")


def test_a_live_display_shows_the_map() -> None:
    step = next(evolve(small(), threads=1))
    live = KINDS["evolution"].display.live(small(), step)
    assert live.points["cells"] == step.statistics.cells
    assert live.facts[0] == ("filled cells", str(step.statistics.cells))
    assert [name for name, _ in live.facts[1:3]] == ["newly filled", "improved"]
    assert f"generation 0: cells {step.statistics.cells}, best " in live.line


def test_commands_make_show_and_explain_a_map(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    with Run.create(tmp_path / "map", small()):
        pass
    main(["resume", "map", "--no-tests", "--json"])
    told = json.loads(capsys.readouterr().out)
    assert told["status"] == "finished"
    assert {"cell", "fitness", "mobility", "size", "tree"} == set(told["elites"][0])
    main(["runs", "map", "--json"])
    rows = json.loads(capsys.readouterr().out)["generations"]
    assert len(rows) == 4
    assert {"cells", "coverage", "filled", "improved", "qd_score"} <= set(rows[0])
    main(["runs", "map"])
    head = next(line for line in capsys.readouterr().out.splitlines() if "cells  " in line)
    assert len(head) <= 140  # a terminal of usual width has room for a line of the table
    main(["config", "survival.axes"])
    assert "descriptor" in capsys.readouterr().out
    tiny = ["--set", "game=othello-4", "--population-size", "6", "--generations", "1"]
    assert main(["evolve", "map-elites", "--name", "other", *tiny, "--no-tests", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["generations"] == 1
    with Run.open(tmp_path / "other") as run:
        assert (run.kind.name, run.config.population_size) == ("evolution", 6)
