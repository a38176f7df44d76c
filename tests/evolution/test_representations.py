"""Evolution of every kind of individual: shapes, their operators, their runs, their statistics."""

from functools import cache
from pathlib import Path
from typing import Any

import pytest

from evoply import Run, arena, gp
from evoply._native import Stream
from evoply.evolution import (
    Batch,
    Census,
    EpochFitness,
    EvolutionConfig,
    Generation,
    Individual,
    Training,
    config_from_toml,
    config_to_toml,
    evolve,
    individual_player,
    stream_for,
)
from evoply.evolution.breeding import breed, first_population
from evoply.evolution.fitness.discs import epoch_gains
from evoply.evolution.individuals import census_of
from evoply.evolution.play import NOBODY, opponents_of, population_of, schedule_of
from evoply.evolution.toolbox import toolbox_of
from evoply.players import load_player, save_player
from evoply.protocols import ConfigError
from evoply.reports import report_html
from evoply.runs import advance

SHAPES: dict[str, dict[str, Any]] = {
    "tree": {"individual": {"kind": "tree"}},
    "sum": {"individual": {"kind": "sum", "trees": 3}},
    "terms": {"individual": {"kind": "terms", "most": 5}, "primitives": "liao+mobility"},
    "phases": {"individual": {"kind": "phases", "percents": [60, 40]}},
    "stages": {"individual": {"kind": "stages", "percents": [20, 30, 50]}},
    "by ply": {"individual": {"kind": "stages", "percents": [50, 50], "clock": "ply"}},
    "adf": {"individual": {"kind": "adf", "arities": [2, 1]}},
    "typed": {"individual": {"kind": "sum"}, "primitives": "benbassat-6"},
    "weighed": {"individual": {"kind": "sum"}, "primitives": "bellin"},
}
VARIED = {
    "crossover": 0.4,
    "subtree_mutation": 0.1,
    "swap_mutation": 0.1,
    "shrink_mutation": 0.1,
    "hoist_mutation": 0.1,
    "local_mutation": 0.1,
    "creation": 0.1,
    "point_mutation": 0.0,
}


def config_of(**settings: Any) -> EvolutionConfig:
    data: dict[str, Any] = {
        "game": "othello-6",
        "seed": 4,
        "population_size": 20,
        "generations": 3,
        "initialisation": {"max_depth": 4},
        "limits": {"max_depth": 8, "max_nodes": 60},
        "fitness": {"opening_plies": 4, "opponents": ({"player": "random", "pairs": 1},)},
        "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 1, "final_pairs": 1},
    }
    return EvolutionConfig(**{**data, **settings})


def varied(name: str) -> EvolutionConfig:
    return config_of(**SHAPES[name], variation=VARIED)


@cache
def evolved(name: str) -> list[Generation]:
    """Return the generations of a shape, on all cores."""
    return list(evolve(varied(name)))


@pytest.mark.parametrize("name", SHAPES)
def test_every_shape_evolves_within_its_limits(name: str) -> None:
    config, generations = varied(name), evolved(name)
    for generation in generations:
        for one in generation.individuals:
            assert len(one.tree) <= 60
            assert one.tree.depth <= 8
            kind = one.tree.role if isinstance(one.tree, gp.Forest) else "tree"
            assert kind.removeprefix("ply_") == config.individual.kind
    assert len({one.origin for one in generations[-1].individuals}) >= 4
    assert [g.digest for g in evolve(config, threads=1)] == [g.digest for g in generations]


@pytest.mark.parametrize("name", SHAPES)
def test_a_run_of_every_shape_is_resumed_reported_and_saved(name: str, tmp_path: Path) -> None:
    config, unbroken = varied(name), evolved(name)
    assert config_from_toml(config_to_toml(config)) == config
    with Run.create(tmp_path / "run", config) as run:
        next(advance(run))
    with Run.open(tmp_path / "run") as run:
        assert [g.digest for g in advance(run)] == [g.digest for g in unbroken[1:]]
        last = run.last()
        assert last is not None
        assert last.individuals == unbroken[-1].individuals
        assert "<h2>Champion</h2>" in report_html(run)
        player = individual_player(config, run.champion.tree)
    save_player(tmp_path / "best.json", player, game="othello-6")
    loaded = load_player(tmp_path / "best.json", game="othello-6")
    assert str(loaded.evaluator.parsed) == str(player.evaluator.parsed)
    seeded = config_of(
        **SHAPES[name], initialisation={"seeds": [str(tmp_path / "best.json")], "max_depth": 4}
    )
    assert str(first_population(toolbox_of(seeded).breeder, Stream(1))[0].tree) == str(
        player.evaluator.parsed
    )


def test_a_plain_tree_is_the_default_and_the_shape_is_part_of_a_digest() -> None:
    assert config_of().individual.kind == "tree"
    assert config_of().resolved_settings()["individual"] == {"kind": "tree"}
    shape = {"individual": {"kind": "sum"}}
    assert config_of(**shape).resolved_settings()["individual"] == {"kind": "sum", "trees": 2}


def test_the_clock_of_plies_is_a_setting() -> None:
    by_ply = config_of(individual={"kind": "stages", "clock": "ply"})
    assert config_from_toml(config_to_toml(by_ply)) == by_ply
    assert by_ply.resolved_settings()["individual"]["clock"] == "ply"
    usual = config_of(individual={"kind": "stages"})
    assert usual.resolved_settings()["individual"]["clock"] == "pieces"
    assert str(next(evolve(by_ply)).champion).startswith("{ ply_stages (")


def test_stages_are_judged_by_what_the_opponent_gained_in_each() -> None:
    config = config_of(
        individual={"kind": "stages", "percents": [30, 70]},
        selection={"kind": "lexicase", "cases": "stages"},
        fitness={
            "opening_plies": 0,
            "sides": "white",
            "opponents": ({"player": "random", "games": 3},),
            "measure": {"kind": "stage_discs"},
        },
    )
    individuals = [one.tree for one in first_population(toolbox_of(config).breeder, Stream(5))]
    population, opponents = (
        population_of(config.game_settings, individuals),
        opponents_of(config.game_settings, config.task, []),
    )
    stream = stream_for(config.seed, "training", 0)

    def play(batch: Batch) -> arena.Results:
        return arena.play("othello-6", list(batch.players), batch.schedule, record_moves=True)

    training = Training(config.task, config.game_settings, opponents, NOBODY, stream, play)
    found = config.fitness.measure.measured(population, training)
    schedule = schedule_of(config.game_settings, len(population.players), opponents, stream)
    results = play(Batch((*population.players, *opponents.players), schedule))
    assert found.cases is not None
    for stage, (start, end) in enumerate(((0.0, 30.0), (30.0, 100.0))):
        epoch = EpochFitness(start=start, end=end)
        [(gained, _)] = epoch_gains(results, schedule, "othello-6", [epoch])
        by_tree = gained.reshape(-1, 3).sum(axis=1)[population.who]
        assert (found.cases[:, stage] == -by_tree).all()
    assert (found.fitness == found.cases.sum(axis=1)).all()
    assert len(list(evolve(config))) == 3


@pytest.mark.parametrize("ties", ["fitter", "fitter_or_equal"])
def test_a_population_crosses_over_in_pairs(ties: str) -> None:
    config = config_of(
        population_size=40,
        elitism=1,
        individual={"kind": "sum"},
        variation={
            "crossover": 1.0,
            "subtree_mutation": 0.0,
            "point_mutation": 0.0,
            "recombination": {"pairing": "population", "one_way": ties},
            "afterwards": {"local_mutation": 0.2},
        },
    )
    parents = tuple(
        Individual(one.tree, fitness=0.5, origin="")
        for one in first_population(toolbox_of(config).breeder, Stream(2))
    )
    offspring = breed(toolbox_of(config).breeder, parents, Stream(3))
    assert len(offspring) == 40
    origins = [one.origin.split(", ")[0] for one in offspring]
    # All are equally fit: the strict comparison never is one-way, the other always.
    expected = "crossover" if ties == "fitter" else "one_way_crossover"
    assert origins.count(expected) == 38
    assert origins.count("reproduction") == 1
    assert any("local_mutation" in one.origin for one in offspring)
    assert breed(toolbox_of(config).breeder, parents, Stream(3)) == offspring


def test_offspring_of_too_many_nodes_are_cut() -> None:
    limits = {"max_depth": 8, "max_nodes": 12, "oversized": "prune"}
    for shape in ({"kind": "tree"}, {"kind": "sum", "trees": 2}):
        config = config_of(individual=shape, limits=limits, initialisation={"max_depth": 3})
        last = list(evolve(config))[-1]
        assert max(len(one.tree) for one in last.individuals) <= 12
    refused = config_of(limits=limits | {"oversized": "refuse"}, initialisation={"max_depth": 3})
    assert (
        list(evolve(refused))[-1].digest
        != list(evolve(config_of(limits=limits, initialisation={"max_depth": 3})))[-1].digest
    )


def test_a_census_counts_introns_no_ops_and_weights() -> None:
    def census(primitives: str, *texts: str) -> Any:
        config = config_of(primitives=primitives)
        trees = [gp.parse_tree(text, config.primitive_set) for text in texts]
        return census_of(
            [Individual(tree, 0.0, "full") for tree in trees],
            gp.lower(trees, "othello-6"),
            game="othello-6",
            seed=config.seed,
            median_fresh=0.5,
            work=0,
            games=0,
            before=Census(),
        )

    typed = census("benbassat-6", "( NullJ Mobility ( Plus 1 2 ) )", "( IfTrue true 1 Mobility )")
    assert typed.dead_introns == 3 / 9
    # NullJ returns its operand, and the choice is settled: it comes to its root, a constant.
    assert typed.live_introns == 4 / 9
    assert typed.no_op_chains == ()
    assert typed.mean_weight is None
    weighed = census("bellin", "( B1 ( B0 ( B1 white ) ) )", "( + ( B0 ( + white black ) ) 10 )")
    assert weighed.no_op_chains == (1, 0, 1)
    assert weighed.chains_above_terminals == 1
    # Bits 101 make 1/5; 000 and 001 make 1 and 1; 1 makes 1.
    assert weighed.mean_weight == pytest.approx((1 / 5 + 1 + 1 + 1) / 4)


WRONG = [
    ('individual = { kind = "stages", percents = [50, 40] }', "individual.percents", "100"),
    ('individual = { kind = "sum", trees = 0 }', "individual.trees", "greater"),
    ('individual = { kind = "adf", arities = [9] }', "individual.arities", "1 to 4"),
    ('individual.kind = "terms"\nprimitives = "benbassat"', "individual", "cannot multiply"),
    ('individual.kind = "terms"\nlimits.oversized = "prune"', "limits.oversized", "never over"),
    (
        'individual = { kind = "terms", most = 1 }\n'
        'initialisation.seeds = ["{ terms ( * 6 white ) ( * 1 black ) }"]',
        "initialisation.seeds.0",
        "2 terms are more than individual.most 1",
    ),
    ('individual = { kind = "wood" }', "individual.kind", "tree, sum, terms, phases"),
    ('fitness.measure = { kind = "stage_discs" }', "fitness.measure", "individual.kind"),
    ('selection = { kind = "lexicase", cases = "stages" }', "selection.cases", "stage_discs"),
    ('variation.recombination.pairing = "population"', "variation.recombination.one_way", "fitter"),
    (
        'variation.recombination = { pairing = "population", one_way = "fitter" }',
        "variation.subtree_mutation",
        "afterwards",
    ),
    (
        'individual = { kind = "sum", trees = 50 }\nlimits.max_nodes = 60',
        "limits.max_nodes",
        "too few for 50 trees",
    ),
    (
        'individual.kind = "sum"\ninitialisation.seeds = ["( white )"]',
        "initialisation.seeds.0",
        "of kind tree",
    ),
    (
        'individual.kind = "stages"\ninitialisation.seeds = ["( white ),75,( white ),25"]',
        "initialisation.seeds.0",
        "percentages",
    ),
    ('player.ties = "advanced"', "player.ties", "pieces of othello stay where they are"),
    (
        'game = "checkers"\nindividual = { kind = "stages", clock = "ply" }',
        "individual.clock",
        "no usual length",
    ),
    (
        'individual = { kind = "stages", clock = "ply" }\nfitness.measure.kind = "stage_discs"',
        "individual.clock",
        "by the discs placed",
    ),
]


@pytest.mark.parametrize(("text", "path", "word"), WRONG)
def test_what_does_not_fit_together_is_refused(text: str, path: str, word: str) -> None:
    with pytest.raises(ConfigError) as caught:
        config_from_toml(f"generations = 1\n{text}")
    messages = dict(caught.value.errors)
    assert word in messages[path], messages
