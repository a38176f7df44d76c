"""Kinds of fitness: each against a slow account of what it means, and exact schedules."""

from collections import Counter
from itertools import islice, pairwise
from typing import Any

import numpy as np
import pytest

from evoply import _native, arena
from evoply._native import Stream
from evoply.evolution import (
    EarlierGenerations,
    EpochFitness,
    EvolutionConfig,
    Fitness,
    Generation,
    Guide,
    GuideFitness,
    HallOfFame,
    Opponent,
    TournamentFitness,
    config_from_toml,
    config_to_toml,
    evolve,
    fitness_text,
    stream_for,
)
from evoply.evolution.fitness import measure_from_text
from evoply.evolution.fitness.contract import shared
from evoply.evolution.fitness.discs import epoch_gains
from evoply.evolution.hall_of_fame import draw_earlier
from evoply.evolution.play import (
    opponents_of,
    population_of,
    read_opponent,
    schedule_of,
    seats_of,
)
from evoply.games import SHAPES, game_rules, othello
from evoply.gp import Tree
from evoply.protocols import Color


def small(measure: Any, *, population_size: int = 12, **changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "seed": 11,
        "population_size": population_size,
        "generations": 4,
        "fitness": {
            "measure": measure,
            "opponents": [{"player": "random", "games": 3}, {"player": "greedy", "pairs": 1}],
        },
        "hall_of_fame": HallOfFame(size=3, candidates=2, sample=3, pairs=1, final_pairs=2),
    }
    return EvolutionConfig(**{**settings, **changes})


KINDS = {
    "points": {"kind": "points"},
    "shared points": {"kind": "points", "sharing": True},
    "discs": {"kind": "opponent_discs"},
    "net epoch": {"kind": "epoch_discs", "start": 20.0, "end": 70.0},
    "gross epoch": {"kind": "epoch_discs", "start": 0.0, "end": 100.0, "gain": "gross"},
    "guides": {
        "kind": "guides",
        "guides": [{"player": "material:depth=2", "rounds": 2, "games": 3}, {"player": "random"}],
        "co_play": 3,
    },
    "co-play": "4Co",
    "round robin": {"kind": "tournament"},
    "shared round robin": {"kind": "tournament", "sharing": True},
    "knock-out": {"kind": "tournament", "format": "elimination"},
}


@pytest.fixture(scope="module", params=list(KINDS))
def run(request: pytest.FixtureRequest) -> tuple[EvolutionConfig, list[Generation]]:
    config = small(KINDS[request.param])
    return config, list(evolve(config, threads=1))


def test_threads_and_interruptions_change_nothing(
    run: tuple[EvolutionConfig, list[Generation]],
) -> None:
    config, generations = run
    digests = [generation.digest for generation in generations]
    assert [one.digest for one in evolve(config, threads=2)] == digests
    resumed = list(evolve(config, resume_from=generations[1]))
    assert [one.digest for one in resumed] == digests[2:]
    assert resumed[-1].census == generations[-1].census
    assert len(set(digests)) == len(digests)


def test_every_kind_survives_toml(run: tuple[EvolutionConfig, list[Generation]]) -> None:
    config, _ = run
    assert config_from_toml(config_to_toml(config)) == config


def training_games(
    config: EvolutionConfig, generation: Generation, tree: Tree
) -> list[tuple[int, othello.Game, Color]]:
    """Return the opponent, the record and the tree's colour in each of its training games."""
    number = generation.number
    archive = [entry for entry in generation.archive if entry.generation < number]
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
    results = arena.play(config.game, players, schedule, threads=1, record_moves=True)
    games = []
    for black, white, moves in zip(
        schedule.black, schedule.white, results.moves or [], strict=True
    ):
        record = othello.OTHELLO[config.game].game(othello.OTHELLO[config.game].start(), moves)
        color = Color.BLACK if black == 0 else Color.WHITE
        games.append((int(max(black, white)) - 1, record, color))
    return games


@pytest.mark.parametrize("sides", ["both", "black", "white"])
def test_disc_fitness_is_minus_the_opponents_discs(sides: str) -> None:
    opponents = [{"player": "random", "games": 5}, {"player": "greedy", "games": 1}]
    config = small(
        "25Co",
        fitness={
            "measure": {"kind": "opponent_discs"},
            "opponents": opponents,
            "sides": sides,
            "opening_plies": 2,
        },
        generations=2,
    )
    for generation in evolve(config):
        for one in generation.individuals[::4]:
            games = training_games(config, generation, one.tree)
            colors = [color for _, _, color in games]
            assert Counter(opponent for opponent, _, _ in games) == {0: 5, 1: 1}
            if sides == "both":
                assert colors[:5] == [Color.BLACK, Color.WHITE] * 2 + [Color.BLACK]
            else:
                assert {str(color).lower() for color in colors} == {sides}
            discs = sum(game.position.discs(color.opposite) for _, game, color in games)
            assert one.fitness == -discs
    assert fitness_text(config, -120.0) == "120 discs"


def test_a_seeded_disc_fitness_is_what_it_was() -> None:
    config = small({"kind": "opponent_discs"}, generations=1)
    best = next(evolve(config)).best
    # Golden: five games of the best of twelve random trees, three of them against random.
    assert best.fitness == -56.0


def gain_of(game: othello.Game, color: Color, measure: EpochFitness) -> int:
    """Count the discs that *color* gained within an epoch, position by position."""
    positions = game.positions
    if measure.gain == "gross":
        return sum(
            after.discs(color) - before.discs(color)
            for before, after in pairwise(positions)
            if before.turn is color and measure.start <= 100 * before.clock < measure.end
        )
    first = next((p for p in positions if 100 * p.clock >= measure.start), positions[-1])
    last = next((p for p in positions if 100 * p.clock >= measure.end), positions[-1])
    return max(0, last.discs(color) - first.discs(color))


@pytest.mark.parametrize("gain", ["net", "gross"])
@pytest.mark.parametrize(("start", "end"), [(0.0, 100.0), (0.0, 33.0), (40.0, 60.0), (90.0, 100.0)])
def test_epoch_fitness_counts_only_the_epoch(gain: Any, start: float, end: float) -> None:
    measure = EpochFitness(start=start, end=end, gain=gain)
    config = small(measure, generations=1)
    generation = next(evolve(config))
    for one in generation.individuals[::3]:
        games = training_games(config, generation, one.tree)
        gains = [gain_of(game, color.opposite, measure) for _, game, color in games]
        assert one.fitness == -sum(gains)


def test_the_epoch_of_a_game_counted_by_hand() -> None:
    # f5 turns e5: 4-1. d6 turns d5: 3-3. c3 turns d4: 5-2. A clock of 5 % is three discs.
    codes = [othello.Move.parse(text).code(SHAPES[8]) for text in ("f5", "d6", "c3")]
    nothing = np.zeros(1, dtype=np.int32)
    results = arena.Results(
        black_discs=nothing,
        white_discs=nothing,
        winners=nothing.astype(np.int8),
        endings=nothing.astype(np.uint8),
        plies=nothing,
        hashes=nothing.astype(np.uint64),
        moves=[codes],
    )
    start = othello.OTHELLO["othello"].start().row
    both = arena.Schedule.pairs([0], [1], stream=Stream(1), opening_plies=0, start=start)
    schedule = both.batch(slice(0, 1))
    epochs = [
        EpochFitness(start=0.0, end=5.0),
        EpochFitness(start=0.0, end=5.0, gain="gross"),
        EpochFitness(start=2.0, end=4.0, gain="gross"),
    ]
    net, gross, later = epoch_gains(results, schedule, "othello", epochs)
    assert [side.tolist() for side in net] == [[3.0], [0.0]]
    assert [side.tolist() for side in gross] == [[4.0], [2.0]]
    # The clock stands at 3.3 % when c3 is chosen, at 1.7 % when d6 is.
    assert [side.tolist() for side in later] == [[2.0], [0.0]]


@pytest.mark.parametrize("fit_enough", ["mean", "all"])
def test_guides_are_met_in_rounds_by_those_fit_enough(fit_enough: Any) -> None:
    measure = GuideFitness(
        guides=(
            Guide(player="random", rounds=3, games=3),
            Guide(player="greedy", rounds=2, games=2),
        ),
        co_play=0,
        fit_enough=fit_enough,
    )
    config = small(measure, population_size=10, generations=1)
    individuals = next(evolve(config)).individuals
    points = [0.0] * 10
    stream = stream_for(config.seed, "training", 0)
    start = game_rules(config.game).start()
    for number, guide in enumerate(measure.guides):
        opponent = read_opponent(guide.player, config.game).seat(config.game)
        for one_round in range(guide.rounds):
            fit = [
                index
                for index in range(10)
                if fit_enough == "all" or points[index] * 10 >= sum(points)
            ]
            draws = stream.child("guide", number, one_round)
            openings = draws.child("opening").keys((guide.games + 1) // 2)
            keys = draws.child("game").keys(guide.games)
            for index in fit:
                [player] = seats_of(config.game_settings, [individuals[index].tree])
                for game in range(guide.games):
                    is_black = game % 2 == 0
                    record = arena.play_game(
                        (player, opponent) if is_black else (opponent, player),
                        start=start,
                        opening_key=int(openings[game // 2]),
                        opening_plies=8,
                        game_key=int(keys[game]),
                    )
                    own = Color.BLACK if is_black else Color.WHITE
                    outcome = record.position.outcome()
                    assert outcome is not None
                    points[index] += 0.5 if outcome.winner is None else outcome.winner is own
    assert [one.fitness for one in individuals] == points


def test_earlier_champions_guide_too() -> None:
    config = small(
        "2Co",
        fitness=Fitness(
            measure=GuideFitness(co_play=2),
            opponents=(Opponent(player="random", pairs=1),),
            earlier_generations=EarlierGenerations(champions=2, pairs=3),
        ),
    )
    generations = list(evolve(config))
    fresh_games = [len(one.fresh) * 2 for one in generations]
    assert fresh_games[0] == 2
    assert fresh_games[-1] > 2
    assert max(one.fitness for one in generations[-1].individuals) <= 4 + 12


def match_points(config: EvolutionConfig, first: Tree, second: Tree, pairs: int) -> float:
    stream = stream_for(config.seed, "training", 0)
    openings = stream.child("opening").keys(pairs)
    keys = stream.child("game").keys(2 * pairs)
    one, other = seats_of(config.game_settings, [first, second])
    points = 0.0
    for game in range(2 * pairs):
        is_black = game % 2 == 0
        record = arena.play_game(
            (one, other) if is_black else (other, one),
            start=game_rules(config.game).start(),
            opening_key=int(openings[game // 2]),
            opening_plies=config.opening_plies,
            game_key=int(keys[game]),
        )
        black = record.position.discs(Color.BLACK) - record.position.discs(Color.WHITE)
        own = black if is_black else -black
        points += 1.0 if own > 0 else 0.5 if own == 0 else 0.0
    return points / (2 * pairs)


@pytest.mark.parametrize("sharing", [False, True])
def test_a_round_robin_is_everybody_against_everybody(sharing: bool) -> None:
    tree = "( - white black )"
    config = small(
        TournamentFitness(pairs=2, sharing=sharing),
        population_size=6,
        generations=1,
        initialisation={"seeds": [tree, tree]},  # equal trees are different individuals
    )
    individuals = next(evolve(config)).individuals
    score = np.zeros((6, 6))
    for i, one in enumerate(individuals):
        for j, other in enumerate(individuals):
            if one.tree == other.tree:
                score[i, j] = 0.5 * (i != j)
            else:
                score[i, j] = match_points(config, one.tree, other.tree, 2)
    if sharing:
        totals = score.sum(axis=0)
        expected = [sum(row[j] / totals[j] for j in range(6) if totals[j]) / 6 for row in score]
    else:
        expected = (score.sum(axis=1) / 5).tolist()
    assert [one.fitness for one in individuals] == pytest.approx(expected)


@pytest.mark.parametrize("count", [2, 7, 16])
def test_a_knock_out_leaves_one(count: int) -> None:
    config = small(TournamentFitness(format="elimination"), population_size=count, generations=1)
    wins = [one.fitness for one in next(evolve(config)).individuals]
    assert sum(wins) == count - 1
    assert max(wins) <= (count - 1).bit_length()
    assert wins.count(0) >= count // 2
    if count == 16:
        assert Counter(wins) == {0: 8, 1: 4, 2: 2, 3: 1, 4: 1}


def test_shared_points_go_to_those_who_made_them() -> None:
    points = np.array([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.5, 0.0, 0.0]])
    assert shared(points).tolist() == pytest.approx([0.4 / 3, 1.4 / 3, 0.2 / 3])


def test_fitness_as_text() -> None:
    config = config_from_toml('generations = 1\nfitness = "10ab2+20Co"')
    assert config.fitness.measure == GuideFitness(
        guides=(Guide(player="material-alternating:depth=2,ties=random", rounds=1, games=10),),
        co_play=20,
    )
    assert measure_from_text("40Co") == {"kind": "guides", "guides": (), "co_play": 40}
    assert measure_from_text("5rand + 2ab4")["co_play"] == 0
    assert measure_from_text("3ab5", "lose-checkers")["guides"] == (
        {"player": "random-leaf:depth=5", "games": 3},
    )
    set_later = config_from_toml("generations = 1", ["fitness.measure=25Co"])
    assert set_later.fitness.measure == GuideFitness(co_play=25)
    for wrong in ("", "Co", "25co", "25Co+3Co", "10ab", "+", "10abc2"):
        with pytest.raises(ValueError, match="as a fitness"):
            measure_from_text(wrong)
    with pytest.raises(ValueError, match=r"fitness\.measure: .*25Co"):
        config_from_toml('generations = 1\nfitness = "twenty"')


def test_work_is_plies_times_operations_and_limits_a_run() -> None:
    config = small({"kind": "points"}, generations=None, work_limit=10**9)
    first, second = islice(evolve(config), 2)
    assert second.census.total_work == first.census.work + second.census.work
    exact = {**config.model_dump(), "work_limit": first.census.work + 1}
    assert [one.digest for one in evolve(EvolutionConfig(**exact))] == [
        first.digest,
        second.digest,
    ]
    single = small(
        {"kind": "points"}, population_size=2, generations=1,
        initialisation={"seeds": ["( - white black )"] * 2},
        fitness={"opponents": [{"player": "random", "games": 1}]},
        hall_of_fame={"size": 1, "candidates": 1, "sample": 1, "pairs": 1},
    )  # fmt: skip
    generation = next(evolve(single))
    [(_, game, _)] = training_games(single, generation, generation.best.tree)
    [program] = _native_programs(single, generation.best.tree)
    opponents = opponents_of(single.game_settings, single.task, []).with_pairs(1)
    schedule = schedule_of(single.game_settings, 1, opponents, stream_for(single.seed, "fresh", 0))
    players = [*seats_of(single.game_settings, [generation.best.tree]), *opponents.players]
    fresh = int(arena.play(single.game, players, schedule).plies.sum())
    assert generation.census.work == (len(game) + fresh) * program.operations


def _native_programs(config: EvolutionConfig, tree: Tree) -> list[_native.Program]:
    return list(population_of(config.game_settings, [tree]).programs)
