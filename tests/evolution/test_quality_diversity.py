"""Cells, figures and frames as pyribs has them; novelty against a slow oracle; its archive."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import evoply as ep
from evoply import Run
from evoply._native import Stream
from evoply.cli import main
from evoply.evolution import (
    ArchiveFigures,
    Bins,
    Candidates,
    EvolutionConfig,
    Individual,
    MapPlace,
    NoveltySurvival,
    Space,
    evolve,
    load_config,
)
from evoply.evolution.generation import digest_of
from evoply.evolution.individuals import best_of_each_cell
from evoply.evolution.map_elites.space import even_centroids
from evoply.evolution.selections import archive_after, novel
from evoply.gp import kept_apart, locally_beaten, novelty_of
from evoply.runs import advance, resolve_champion

SMALL: dict[str, Any] = {
    "game": "othello-4",
    "generations": 4,
    "population_size": 12,
    "limits": {"max_nodes": 20, "max_depth": 6},
    "initialisation": {"max_depth": 4},
    "selection": {"kind": "uniform"},
    "fitness": {
        "opponents": [{"player": "random", "pairs": 2}, {"player": "greedy", "pairs": 2}],
        "opening_plies": 2,
    },
    "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 3},
}
FEATURES = [
    {"descriptor": "own_frontier", "low": 0.0, "high": 6.0},
    {"descriptor": "white_mobility", "low": 0.0, "high": 4.0},
    {"descriptor": "own_corners", "low": 0.0, "high": 4.0, "at": "end"},
    {"descriptor": "length"},
    {"descriptor": "size"},
]
VORONOI = {"kind": "map", "voronoi_cells": 16, "axes": FEATURES}
NOVELTY = {"kind": "novelty", "archive": 7, "added": 3, "neighbours": 4}
LOCAL = {**NOVELTY, "local_competition": True}


def small(survival: dict[str, Any], **changes: Any) -> EvolutionConfig:
    return EvolutionConfig(**{**SMALL, "survival": survival, **changes})


coordinate = st.floats(-2, 3, allow_nan=False).map(lambda value: round(value, 3))
values = st.integers(2, 4).flatmap(
    lambda axes: st.lists(st.lists(coordinate, min_size=axes, max_size=axes), min_size=1)
)


def space_of(axes: int, cells: int | None = None) -> Space:
    """A space whose axes have ranges of their own."""
    return Space(
        tuple(Bins(f"axis {n}", n + 2, -n - 0.5, 1.5 + n) for n in range(axes)), voronoi_cells=cells
    )


@given(values=values, cells=st.integers(2, 40))
def test_a_voronoi_cell_is_what_is_nearest_to_its_centroid(
    values: list[list[float]], cells: int
) -> None:
    space = space_of(len(values[0]), cells)
    for row, (cell,) in zip(values, space.cells_of(np.array(values)), strict=True):
        scaled = [
            (value - axis.low) / (axis.high - axis.low)
            for value, axis in zip(row, space.axes, strict=True)
        ]
        away = [math.dist(scaled, centroid) for centroid in space.centroids.tolist()]
        assert away[cell] == pytest.approx(min(away), abs=1e-12)
        assert space.index((cell,)) == cell < len(space)


@given(cells=st.integers(2, 40), axes=st.integers(1, 4))
def test_centroids_lie_in_the_middle_of_their_cells_and_come_again(cells: int, axes: int) -> None:
    centroids = even_centroids(cells, axes)
    even_centroids.cache_clear()
    assert np.array_equal(even_centroids(cells, axes), centroids)
    assert centroids.shape == (cells, axes)
    assert ((centroids > 0) & (centroids < 1)).all()
    points = np.random.default_rng(1).random((200 * cells, axes))
    away = ((points[:, None] - centroids[None]) ** 2).sum(axis=2)
    nearest, counts = away.argmin(axis=1), np.bincount(away.argmin(axis=1), minlength=cells)
    assert counts.min() > 200 * 0.15  # none is crowded out
    for cell in range(cells):
        middle = points[nearest == cell].mean(axis=0)
        assert np.abs(middle - centroids[cell]).max() < 0.6 / cells ** (1 / axes)


def places(space: Space, values: list[list[float]], fitness: list[float]) -> tuple[Individual, ...]:
    cells = space.cells_of(np.array(values))
    return tuple(
        Individual(cast("Any", "n" * (1 + at % 3)), fit, "", place=MapPlace(cell, tuple(row), 0))
        for at, (cell, row, fit) in enumerate(zip(cells, values, fitness, strict=True))
    )


@given(values=values, data=st.data(), cells=st.sampled_from([None, 7]), offset=st.floats(-9, 9))
def test_figures_are_those_of_pyribs(
    values: list[list[float]], data: st.DataObject, cells: int | None, offset: float
) -> None:
    archives = pytest.importorskip("ribs.archives")
    axes = len(values[0])
    space = space_of(axes, cells)
    fitness = data.draw(
        st.lists(st.floats(-5, 5), min_size=len(values), max_size=len(values)), label="fitness"
    )
    best = best_of_each_cell(places(space, values, fitness))
    ours = ArchiveFigures.of([elite.fitness for _, elite in best], len(space), offset)
    if cells is None:
        archive = archives.GridArchive(
            solution_dim=1, dims=[axis.count for axis in space.axes], epsilon=0.0,
            ranges=[(axis.low, axis.high) for axis in space.axes], qd_score_offset=offset,
        )  # fmt: skip
        theirs = np.array(values)
    else:
        archive = archives.CVTArchive(
            solution_dim=1, centroids=space.centroids, ranges=[(0, 1)] * axes,
            qd_score_offset=offset,
        )  # fmt: skip
        theirs = space.scaled(np.array(values))
    archive.add(np.zeros((len(values), 1)), fitness, theirs)
    for name in ("num_elites", "coverage", "qd_score", "norm_qd_score", "obj_max", "obj_mean"):
        assert getattr(ours, name) == pytest.approx(getattr(archive.stats, name), abs=1e-9), name
    filled = {space.index(place.cell): elite.fitness for place, elite in best}
    table = archive.data(["index", "objective"], return_type="dict")
    assert filled == dict(zip(table["index"].tolist(), table["objective"].tolist(), strict=True))


points = st.integers(1, 3).flatmap(
    lambda axes: st.tuples(
        *(
            st.lists(
                st.tuples(*[st.integers(0, 5).map(float)] * axes, st.integers(0, 3).map(float)),
                min_size=least,
                max_size=12,
            )
            for least in (1, 0)
        )
    )
)


@given(found=points, neighbours=st.integers(1, 9))
def test_novelty_is_that_of_a_slow_search(found: Any, neighbours: int) -> None:
    here, there = found
    axes = len(here[0]) - 1
    crowd, archive = (np.array(rows, dtype=float).reshape(-1, axes + 1) for rows in found)
    novelty = novelty_of(crowd[:, :-1], archive[:, :-1], neighbours)
    beaten = locally_beaten(
        crowd[:, :-1], crowd[:, -1], archive[:, :-1], archive[:, -1], neighbours
    )
    for at, one in enumerate(here):
        others = [row for place, row in enumerate([*here, *there]) if place != at]
        nearest = sorted(others, key=lambda other: math.dist(one[:-1], other[:-1]))[:neighbours]
        away = [math.dist(one[:-1], other[:-1]) for other in nearest]
        assert novelty[at] == pytest.approx(sum(away) / len(away) if away else 0.0)
        assert beaten[at] == sum(other[-1] < one[-1] for other in nearest)


@given(found=points, neighbours=st.integers(1, 9))
def test_novelty_of_one_against_an_archive_is_that_of_pyribs(found: Any, neighbours: int) -> None:
    archives = pytest.importorskip("ribs.archives")
    here, there = found
    # Of equally near neighbours each may choose others: here nobody is equally near.
    there = list({math.dist(here[0][:-1], row[:-1]): row for row in there}.values())
    if not there:
        return
    one, archive = np.array(here[:1]), np.array(there)
    theirs = archives.ProximityArchive(
        solution_dim=1, measure_dim=one.shape[1] - 1, k_neighbors=neighbours, novelty_threshold=0.0
    )
    theirs.add(np.zeros((len(archive), 1)), archive[:, -1], archive[:, :-1])
    if len(theirs) < len(archive):  # who adds nothing new is left out there
        return
    said = theirs.compute_novelty(one[:, :-1], one[:, -1])
    ours = (
        novelty_of(one[:, :-1], archive[:, :-1], neighbours),
        locally_beaten(one[:, :-1], one[:, -1], archive[:, :-1], archive[:, -1], neighbours),
    )
    assert ours[0] == pytest.approx(said[0])
    assert ours[1] == pytest.approx(said[1])


@given(
    rows=st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=14),
    most=st.integers(0, 14),
)
@example(rows=[(0, 0), (0, 0)], most=0)
def test_of_the_nearest_two_the_older_leaves_a_full_archive(
    rows: list[tuple[int, int]], most: int
) -> None:
    left = list(range(len(rows)))
    while len(left) > most:
        pairs = [(math.dist(rows[a], rows[b]), a) for a in left for b in left if a < b]
        left.remove(min(pairs)[1] if pairs else left[0])
    assert kept_apart(np.array(rows, dtype=float).reshape(-1, 2), most) == left


@given(values=values, data=st.data())
def test_the_most_novel_live_on_and_enter_the_archive(
    values: list[list[float]], data: st.DataObject
) -> None:
    space = space_of(len(values[0]))
    fitness = [float(at % 4) for at in range(len(values))]
    everybody = places(space, values, fitness)
    split = data.draw(st.integers(0, len(values)), label="archived")
    archive, crowd = everybody[:split], everybody[split:]
    if not crowd:
        return
    parents = data.draw(st.integers(0, len(crowd)), label="parents")
    candidates = Candidates(
        crowd, [one.fitness for one in crowd], parents, space=space, archive=archive
    )
    keys = NoveltySurvival(archive=5, added=2, neighbours=3)
    scaled = space.scaled(np.array(values))
    novelty = novelty_of(scaled[split:], scaled[:split], 3)
    count = data.draw(st.integers(0, len(crowd)), label="count")
    chosen = novel(candidates, count, Stream(1), **keys.arguments)
    least = min(novelty[list(chosen)], default=math.inf)
    assert len(set(chosen)) == count
    assert all(novelty[at] <= least for at in set(range(len(crowd))) - set(chosen))
    fronts = novel(candidates, count, Stream(1), **{**keys.arguments, "local_competition": True})
    assert len(set(fronts)) == count
    later = archive_after(candidates, keys)
    assert len(later) <= 5
    entered = [one for one in later if one not in archive]
    assert len(entered) <= 2
    offspring = sorted(novelty[parents:], reverse=True)[:2]
    for one in entered:
        at = next(at for at, each in enumerate(crowd) if each.place == one.place)
        assert novelty[at] in offspring or at < parents


@pytest.mark.parametrize("survival", [VORONOI, NOVELTY, LOCAL])
def test_generations_depend_on_no_threads_and_go_on_where_they_stopped(
    survival: dict[str, Any],
) -> None:
    config = small(survival)
    whole = list(evolve(config, threads=1))
    assert [one.digest for one in evolve(config, threads=3)] == [one.digest for one in whole]
    again = evolve(config, resume_from=whole[1], threads=2)
    assert [one.digest for one in again] == [one.digest for one in whole[2:]]
    other = list(evolve(config.model_copy(update={"seed": 2})))
    assert other[-1].individuals != whole[-1].individuals


def test_an_archive_is_part_of_the_run_and_bounded(tmp_path: Path) -> None:
    config = small(NOVELTY, generations=6)
    whole = list(evolve(config))
    assert [len(one.novel) for one in whole] == [3, 6, 7, 7, 7, 7]
    assert [one.statistics.archived for one in whole] == [len(one.novel) for one in whole]
    for before, after in pairwise(whole):
        new = [one for one in after.novel if one not in before.novel]
        assert len(new) <= 3
        assert all(one.place is not None and one.place.born == after.number for one in new)
    last = whole[-1]
    assert len(last.individuals) == 12
    assert digest_of(replace(last, novel=last.novel[1:])) != last.digest
    with Run.create(tmp_path / "novel", config) as run:
        for _ in advance(run, other_limit=lambda step: "stop" if step.number == 2 else ""):
            pass
    with Run.open(tmp_path / "novel") as run:
        assert run.last().novel == whole[2].novel
        for _ in advance(run):
            pass
        assert run.digests() == [one.digest for one in whole]
        rows = run.rows("novel")
        assert len(rows) == sum(len(one.novel) for one in whole)
        assert rows[-1]["solution"] == str(last.novel[-1].tree)
        assert rows[-1]["index"] == 6
        assert ep.replay(run, 4, 0).games > 0
        assert run.check() > 0


def test_local_competition_finds_the_stronger_of_equally_novel_ones() -> None:
    space = space_of(2)
    everybody = places(space, [[0.0, 0.0], [0.0, 0.25], [1.0, 1.0], [1.0, 0.5]], [1, 0, 0, 1])
    candidates = Candidates(everybody, [one.fitness for one in everybody], 0, space=space)
    keys = NoveltySurvival(neighbours=1, local_competition=True)
    assert sorted(novel(candidates, 1, Stream(1), **keys.arguments)) == [3]
    assert sorted(novel(candidates, 3, Stream(1), **keys.arguments)) == [0, 2, 3]


def test_the_table_of_elites_is_a_frame_of_pyribs(tmp_path: Path) -> None:
    archives = pytest.importorskip("ribs.archives")
    with Run.create(tmp_path / "map", small(VORONOI)) as run:
        *_, last = advance(run)
        frame = run.to_dataframe("elites")
    frame = archives.ArchiveDataFrame(frame[frame.generation == last.number])
    assert frame.get_field("measures").shape == (len(last.individuals), 5)
    assert frame.get_field("objective").tolist() == [one.fitness for one in last.individuals]
    assert frame.get_field("solution").tolist() == [str(one.tree) for one in last.individuals]
    space = last.config.space
    assert space is not None
    assert frame.get_field("index").tolist() == [
        cell for (cell,) in space.cells_of(frame.get_field("measures"))
    ]
    assert next(iter(frame.iterelites()))["solution"] == str(last.individuals[0].tree)


def test_commands_show_figures_and_cells(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path))
    survival = {**VORONOI, "qd_score_offset": -1.0}
    with Run.create(tmp_path / "cells", small(survival)) as run:
        *_, last = advance(run)
    numbers = last.statistics
    assert numbers.qd_score == pytest.approx(sum(one.fitness + 1 for one in last.individuals))
    assert numbers.norm_qd_score == pytest.approx(numbers.qd_score / 16)
    assert main(["runs", "cells", "--json"]) == 0
    row = ep_json(capsys)["generations"][-1]
    assert (row["qd_score"], row["coverage"], row["obj_max"]) == (
        numbers.qd_score, numbers.coverage, numbers.best,
    )  # fmt: skip
    best = last.elites[0][0].name
    assert best.startswith("v")
    player = resolve_champion(f"champion@cells@{best}")
    assert str(player.evaluator.parsed) == str(last.elites[0][1].tree)  # type: ignore[attr-defined]
    assert main(["report", "cells"]) == 0
    page = (tmp_path / "cells" / "report.html").read_text(encoding="utf-8")
    assert f'data-cell="{best}"' in page
    assert "each less -1" in page


def ep_json(capsys: pytest.CaptureFixture[str]) -> Any:
    import json

    return json.loads(capsys.readouterr().out)


def test_digests_know_no_offset() -> None:
    first, other = (
        next(evolve(small({**NOVELTY, "qd_score_offset": offset}))) for offset in (0.0, -5.0)
    )
    assert first.digest == other.digest
    assert first.statistics.qd_score != other.statistics.qd_score


@pytest.mark.parametrize("game", ["othello-6", "checkers", "connect-four", "breakthrough"])
def test_every_game_has_features_to_name(game: str) -> None:
    axes = [
        {"descriptor": "own_moves", "low": 0.0, "high": 20.0},
        {"descriptor": "own_linked", "low": 0.0, "high": 20.0, "at": "end"},
    ]
    config = small({"kind": "map", "axes": axes}, game=game, primitives="any-game", generations=1)
    (only,) = evolve(config)
    assert all(value >= 0 for one in only.individuals for value in one.place.description)  # type: ignore[union-attr]


def test_what_the_rules_of_a_game_say_is_a_feature() -> None:
    axes = [
        {"descriptor": "own_lacking_one", "low": 0.0, "high": 3.0},
        {"descriptor": "opponent_lacking_one", "low": 0.0, "high": 3.0, "at": "end"},
    ]
    survival = {"kind": "map", "axes": axes}
    (only,) = evolve(small(survival, game="connect-four", primitives="facts", generations=1))
    # Against greedy and random some games end with three in line, which lack one.
    assert any(one.place.description[0] > 0 for one in only.individuals)  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("survival", "path", "says"),
    [
        ({"axes": [{"descriptor": "own_fronteer", "low": 0, "high": 1}, FEATURES[0]]},
         "survival.axes.0.descriptor", "own_frontier"),
        ({"axes": [{"descriptor": "own_frontier"}, FEATURES[1]]},
         "survival.axes.0.low", "own_frontier has no usual range in othello-4 - give low and high"),
        ({"axes": [{"descriptor": "size", "at": "end"}, FEATURES[0]]},
         "survival.axes.0.at", "size is not counted on boards - leave it out"),
        ({"axes": [FEATURES[0]] * 9}, "survival.axes", "8"),
        ({"voronoi_cells": 2000}, "survival.voronoi_cells", "1024"),
        ({"kind": "novelty", "archive": 9000}, "survival.archive", "2000"),
        ({"kind": "novelty", "neighbours": 0}, "survival.neighbours", "1"),
        ({"kind": "map", "neighbours": 3}, "survival.neighbours", ""),
    ],
)  # fmt: skip
def test_mistakes_are_named(survival: dict[str, Any], path: str, says: str) -> None:
    with pytest.raises(ep.ConfigError) as caught:
        load_config(small({"kind": "map", **survival}))
    assert [message for where, message in caught.value.errors if where == path and says in message]


def test_a_kind_alone_names_a_survival_with_its_usual_keys() -> None:
    named = small(cast("Any", "novelty"), selection="uniform")
    assert named == small({"kind": "novelty"}, selection={"kind": "uniform"})
    assert load_config("demo", ["survival=map", "elitism=1"]).map is not None
    with pytest.raises(ep.ConfigError, match="novelty"):
        small(cast("Any", "novel"))


def test_novelty_goes_with_few_only_and_with_no_groups() -> None:
    with pytest.raises(ep.ConfigError, match="novelty compares all with all - give fewer"):
        small(NOVELTY, population_size=6000)
    with pytest.raises(ep.ConfigError, match="has no place with survival novelty"):
        small(NOVELTY, steady_state={})
    with pytest.raises(ValueError, match="takes the place of the novelty - leave it out"):
        evolve(small(NOVELTY), survival=lambda candidates, count, stream: range(count))
