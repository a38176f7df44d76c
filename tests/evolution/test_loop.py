"""The loop: reproducible, independent of threads, resumable, limited, fair."""

from copy import deepcopy
from dataclasses import asdict, replace
from itertools import count, islice, pairwise
from statistics import fmean, median
from typing import Any

import pytest

from evoply.environment.files import checksum
from evoply.evolution import (
    Archive,
    ArchiveEntry,
    EarlierGenerations,
    Evolution,
    EvolutionConfig,
    Fitness,
    Generation,
    HallOfFame,
    Opponent,
    Progress,
    evolve,
    final_test,
    individual_player,
    stream_for,
)
from evoply.evolution.generation import digest_of
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.play import opponents_of, schedule_of, seats_of, trial
from evoply.expressions import PRIMITIVE_SETS
from evoply.gp import Tree
from evoply.players import parse_player
from evoply.protocols import ConfigError


def small(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 11,
        "population_size": 40,
        "generations": 5,
        "elitism": 2,
        "fitness": Fitness(
            opponents=(Opponent(player="random", pairs=2), Opponent(player="greedy", pairs=2)),
            earlier_generations=EarlierGenerations(champions=3, recent=1, pairs=2),
        ),
        "hall_of_fame": HallOfFame(size=4, candidates=3, sample=4, pairs=2, final_pairs=4),
    }
    return EvolutionConfig(**{**settings, **changes})


@pytest.fixture(scope="module")
def generations() -> list[Generation]:
    return list(evolve(small(), threads=1))


def test_threads_do_not_matter(generations: list[Generation]) -> None:
    expected = [generation.digest for generation in generations]
    for threads in (2, 4, 0):
        assert [g.digest for g in evolve(small(), threads=threads)] == expected


def test_the_seed_matters(generations: list[Generation]) -> None:
    digests = [generation.digest for generation in evolve(small(seed=12))]
    assert not set(digests) & {generation.digest for generation in generations}


def test_machine_and_length_are_not_in_the_digest(generations: list[Generation]) -> None:
    longer = small(generations=None, time_limit=1e6, machine={"threads": 2})
    digests = [generation.digest for generation in islice(evolve(longer), 5)]
    assert digests == [generation.digest for generation in generations]


def test_every_part_is_in_the_digest(generations: list[Generation]) -> None:
    config, last = small(), generations[-1]
    first, *others = last.individuals
    assert last.config == config
    assert digest_of(last) == last.digest
    changed: list[dict[str, Any]] = [
        {"config": small(elitism=1)},
        {"number": last.number + 1},
        *(
            {"individuals": (other, *others)}
            for other in (
                replace(first, fitness=first.fitness + 1e-15),
                replace(first, origin="other"),
                replace(first, parents=(39,)),
                replace(first, tree=last.individuals[-1].tree),
            )
        ),
        {"individuals": tuple(reversed(last.individuals))},
        {"fresh": last.fresh[1:]},
        {"hall_of_fame": last.hall_of_fame[1:]},
        {"archive": Archive(last.archive[1:])},
        {"archive": Archive(reversed(last.archive))},
    ]
    digests = {digest_of(replace(last, **change)) for change in changed}
    assert last.digest not in digests
    assert len(digests) == len(changed)


def test_an_archive_that_grew_is_one_that_was_made_at_once(generations: list[Generation]) -> None:
    trees = list(dict.fromkeys(each.tree for each in generations[0].individuals))[:12]
    entries = [ArchiveEntry(tree, number) for number, tree in enumerate(trees)]
    content = {"champion": "ö", "state": None}
    grown = [Archive()]
    for entry in entries:
        assert not grown[-1].has(entry.tree)
        grown.append(grown[-1].followed_by(entry))
    for size, archive in enumerate(grown):
        pairs = [[str(entry.tree), entry.generation] for entry in entries[:size]]
        assert archive == tuple(entries[:size])
        assert archive.checksum_with(content) == checksum({**content, "archive": pairs})
        assert Archive(entries[:size]).checksum_with(content) == archive.checksum_with(content)
        # Those that were followed already, too, and more than once.
        assert [archive.has(tree) for tree in trees] == [place < size for place in range(12)]
    assert deepcopy(grown[7]) == grown[7]
    branch = grown[5].followed_by(entries[9])
    assert branch.has(trees[9])
    assert not branch.has(trees[5])
    assert not grown[6].has(trees[9])
    assert branch.checksum_with(content) == Archive(branch).checksum_with(content)
    assert branch.checksum_with(content) != grown[6].checksum_with(content)


@pytest.mark.parametrize("number", [0, 2, 3])
def test_resuming_continues_as_if_nothing_had_happened(
    generations: list[Generation], number: int
) -> None:
    resumed = list(evolve(small(), resume_from=generations[number]))
    assert [g.digest for g in resumed] == [g.digest for g in generations[number + 1 :]]
    assert [g.archive for g in resumed] == [g.archive for g in generations[number + 1 :]]


def test_a_time_limited_run_equals_a_longer_one(
    generations: list[Generation], monkeypatch: pytest.MonkeyPatch
) -> None:
    limited = list(evolve(small(generations=5, time_limit=1e-6)))
    assert [g.digest for g in limited] == [generations[0].digest]
    # A clock that is read five times a generation, and goes on a second each time.
    monkeypatch.setattr("evoply.evolution.loop.perf_counter", map(float, count()).__next__)
    limited = list(islice(evolve(small(generations=None, time_limit=9.0)), 5))
    assert [g.timing.elapsed for g in limited] == [4.0, 8.0, 12.0]
    assert [g.timing.left for g in limited] == [5.0, 1.0, 0.0]
    assert [g.digest for g in limited] == [g.digest for g in generations[:3]]


def test_limits_end_a_run(generations: list[Generation]) -> None:
    assert [g.number for g in generations] == [0, 1, 2, 3, 4]
    assert Evolution().is_finished(small(), generations[-1])
    assert not Evolution().is_finished(small(), generations[-2])
    assert list(evolve(small(), resume_from=generations[-1])) == []
    assert generations[-1].timing.left == 0
    assert generations[0].timing.left is not None


def test_statistics_describe_the_population(generations: list[Generation]) -> None:
    for generation in generations:
        fitness = [one.fitness for one in generation.individuals]
        numbers = generation.statistics
        assert all(0 <= value <= 1 for value in fitness)
        assert numbers.best == max(fitness) == generation.best.fitness
        assert numbers.mean == pytest.approx(sum(fitness) / 40)
        assert numbers.distinct_trees == len({one.tree for one in generation.individuals})
        assert numbers.diversity == numbers.distinct_trees / 40
        assert 0 <= numbers.mean_fresh <= 1
        assert numbers.best_size == len(generation.best.tree)
        assert f"generation {generation.number}:" in str(generation)
        assert generation.games_per_second > 0


def test_fresh_games_say_how_the_middle_of_the_population_does() -> None:
    config = small(
        generations=1,
        hall_of_fame=HallOfFame(size=4, candidates=3, sample=40, pairs=2, final_pairs=4),
    )
    (first,) = evolve(config, threads=1)
    trees = [one.tree for one in first.individuals]
    opponents = opponents_of(config.game_settings, config.task, ()).with_pairs(2)
    played = trial(
        config.game_settings,
        seats_of(config.game_settings, trees),
        opponents,
        stream_for(config.seed, "fresh", 0),
    )
    assert first.census.median_fresh == median(played.fitness)
    assert first.statistics.mean_fresh == pytest.approx(fmean(played.fitness))
    assert first.census.median_fresh != first.statistics.mean_fresh


def test_elites_and_archive(generations: list[Generation]) -> None:
    for before, after in pairwise(generations):
        assert after.individuals[0].tree == before.best.tree
        assert after.archive[: len(before.archive)] == before.archive
        trees = [entry.tree for entry in after.archive]
        assert len(trees) == len(set(trees))
        assert after.champion in trees
    assert [g.fresh[0].opponent for g in generations] == ["random"] * 5
    assert len(generations[0].fresh) == 2
    assert len(generations[-1].fresh) == 2 + min(3, len(generations[-2].archive))


def test_the_hall_of_fame_is_ranked_by_fresh_games(generations: list[Generation]) -> None:
    for generation in generations:
        values = [entry.rank_value for entry in generation.hall_of_fame]
        assert values == sorted(values, reverse=True)
        assert len(values) <= 4
        assert all(0 <= entry.fitness <= 1 for entry in generation.hall_of_fame)
    # Members of before were tested again: their games add up.
    first = {entry.tree: entry.games for entry in generations[0].hall_of_fame}
    for entry in generations[1].hall_of_fame:
        if entry.tree in first:
            assert entry.games > first[entry.tree]


def test_the_final_test_ranks_the_hall_of_fame(generations: list[Generation]) -> None:
    test = final_test(small(), generations[-1])
    assert set(test.ranking) == set(generations[-1].hall_of_fame)
    assert list(test.fitness) == sorted(test.fitness, reverse=True)
    assert test.champion is test.ranking[0]
    told: list[Progress] = []
    assert test == final_test(small(), generations[-1], threads=2, progress=told.append)
    assert all(report.stage == "final" for report in told)


def oracle_fitness(config: EvolutionConfig, tree: Tree, generation: Generation) -> float:
    """Play one tree alone, game by game, through the plain arrays of a schedule."""
    from evoply import arena

    archive = [entry for entry in generation.archive if entry.generation < generation.number]
    number = generation.number
    opponents = opponents_of(
        config.game_settings,
        config.task,
        draw_earlier(
            config.fitness.earlier_generations,
            archive,
            stream_for(config.seed, "opponents", number),
        ),
    )
    schedule = schedule_of(
        config.game_settings, 1, opponents, stream_for(config.seed, "training", number)
    )
    players = [*seats_of(config.game_settings, [tree]), *opponents.players]
    results = arena.play(config.game, players, schedule, threads=1)
    points = 0.0
    for game in range(len(schedule.black)):
        difference = int(results.black_discs[game]) - int(results.white_discs[game])
        own = difference if schedule.black[game] == 0 else -difference
        points += 1.0 if own > 0 else 0.5 if own == 0 else 0.0
    return points / len(schedule.black)


def test_fitness_is_the_mean_of_the_points(generations: list[Generation]) -> None:
    for generation in (generations[0], generations[-1]):
        for one in generation.individuals[::7]:
            assert one.fitness == oracle_fitness(small(), one.tree, generation)


def test_everybody_meets_the_same_openings_twice() -> None:
    config = small()
    opponents = opponents_of(config.game_settings, config.task, [])
    schedule = schedule_of(
        config.game_settings, 3, opponents, stream_for(config.seed, "training", 7)
    )
    openings = schedule.opening_keys.reshape(3, 4, 2)
    assert (openings[0] == openings[1]).all()
    assert (openings[:, :, 0] == openings[:, :, 1]).all()
    assert len(set(openings[0, :, 0].tolist())) == 4
    assert (schedule.game_keys.reshape(3, 8)[0] == schedule.game_keys.reshape(3, 8)[2]).all()
    assert len(set(schedule.game_keys[:8].tolist())) == 8
    black, white = schedule.black.reshape(3, 4, 2), schedule.white.reshape(3, 4, 2)
    assert (black[:, :, 0] == white[:, :, 1]).all()
    assert (black[:, :, 1] == white[:, :, 0]).all()
    assert black[2, :, 0].tolist() == [2] * 4
    assert white[2, :, 0].tolist() == [3, 3, 4, 4]


def test_purposes_and_generations_share_no_opening() -> None:
    config = small()
    opponents = opponents_of(config.game_settings, config.task, [])
    keys = [
        key
        for purpose in ("training", "fresh", "final")
        for number in range(20)
        for key in schedule_of(
            config.game_settings, 1, opponents, stream_for(config.seed, purpose, number)
        )
        .opening_keys[::2]
        .tolist()
    ]
    assert len(keys) == len(set(keys))
    with pytest.raises(ValueError, match="unknown purpose"):
        stream_for(config.seed, "other", 1)


def test_equal_trees_get_equal_points(generations: list[Generation]) -> None:
    config = small()
    tree = generations[0].best.tree
    opponents = opponents_of(config.game_settings, config.task, [])
    twice = trial(
        config.game_settings,
        seats_of(config.game_settings, [tree, tree]),
        opponents,
        stream_for(config.seed, "fresh", 1),
    )
    assert twice.half_points[0].tolist() == twice.half_points[1].tolist()


def many_games() -> EvolutionConfig:
    """Return a config whose generation takes a second or so."""
    return small(fitness=Fitness(opponents=(Opponent(player="material:depth=2", pairs=1500),)))


def test_progress_is_told(generations: list[Generation]) -> None:
    told: list[Progress] = []
    next(evolve(many_games(), progress=told.append))
    assert told
    assert {report.stage for report in told} <= {"training", "fresh"}
    assert all(0 <= report.done <= report.games for report in told)


def test_ctrl_c_goes_through_and_yields_nothing() -> None:
    def interrupt(_: object) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        next(evolve(many_games(), progress=interrupt))


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_the_saved_player_plays_as_the_individual_did(
    generations: list[Generation], depth: int
) -> None:
    config = small(player={"depth": depth, "ties": "last"})
    tree = generations[-1].best.tree
    opponents = opponents_of(config.game_settings, config.task, [])
    stream = stream_for(config.seed, "fresh", 3)
    native = trial(config.game_settings, seats_of(config.game_settings, [tree]), opponents, stream)
    saved = trial(
        config.game_settings, [individual_player(config, tree).seat(config.game)], opponents, stream
    )
    assert native.half_points.tolist() == saved.half_points.tolist()


def test_archive_draws_the_newest_and_no_tree_twice(generations: list[Generation]) -> None:
    config = small()
    archive = generations[-1].archive
    drawn = draw_earlier(
        config.fitness.earlier_generations, archive, stream_for(config.seed, "opponents", 9)
    )
    assert len(drawn) == min(3, len(archive)) == len({tree for _, tree in drawn})
    assert drawn[-1] == (archive[-1].generation, archive[-1].tree)
    assert (
        draw_earlier(
            config.fitness.earlier_generations, (), stream_for(config.seed, "opponents", 9)
        )
        == []
    )


def test_a_set_given_as_data_evolves_like_the_named_one(generations: list[Generation]) -> None:
    config = small(primitives=PRIMITIVE_SETS["liao+mobility"].to_dict(), generations=2)
    for generation, named in zip(evolve(config), generations, strict=False):
        fitness = [one.fitness for one in generation.individuals]
        assert fitness == [one.fitness for one in named.individuals]


def test_an_opponent_in_json_form_is_the_opponent() -> None:
    text = parse_player("( - white black ):ties=last", game="othello-6").model_dump_json()
    both = [
        small(generations=1, fitness=Fitness(opponents=(Opponent(player=player, pairs=2),)))
        for player in (text, "( - white black ):ties=last")
    ]
    first, second = (next(evolve(config)) for config in both)
    assert first.individuals == second.individuals
    for broken in ("{", "{}", '{"kind": "random", "x": 1}', "[" * 10_000):
        with pytest.raises(ConfigError, match=r"fitness\.opponents\.0\.player"):
            small(fitness={"opponents": [{"player": broken}]})


def test_orderings_change_no_generation() -> None:
    settings = {
        "game": "othello-4",
        "population_size": 12,
        "generations": 3,
        "primitives": "squares",
        "fitness": {"measure": "4Co"},
    }
    digests = {
        tuple(
            one.digest
            for one in evolve(
                EvolutionConfig(
                    **settings, player={"depth": 3, "ties": "random", "ordering": ordering}
                )
            )
        )
        for ordering in ("none", "evaluator", "killer")
    }
    assert len(digests) == 1


def test_a_generation_is_a_step(generations: list[Generation]) -> None:
    last = generations[-1]
    assert last.statistics["best"] == last.statistics.best
    numbers = asdict(last.statistics)
    assert dict(last.statistics) == {name: n for name, n in numbers.items() if n is not None}
    assert set(numbers) - set(last.statistics) == {
        "cells", "coverage", "filled", "improved",
        "qd_score", "norm_qd_score", "obj_max", "archived",
    }  # fmt: skip
    assert "index" not in last.statistics
    assert [player.evaluator.tree for player in last.champions] == [
        str(entry.tree) for entry in last.hall_of_fame
    ]
    assert last.champions[0] == individual_player(last.config, last.hall_of_fame[0].tree)
    assert last.seconds == last.timing.total > 0


def test_evolution_is_a_learner(generations: list[Generation]) -> None:
    config = generations[0].config
    first = Evolution(threads=2).first(config)
    second = Evolution(threads=1).after(config, first)
    assert [first.digest, second.digest] == [one.digest for one in generations[:2]]
    assert not Evolution().is_finished(config, first)
    assert Evolution().is_finished(config, generations[-1])
