"""Evolution from positions: who begins where, in which shares, and that nothing else changes."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evoply import Run, replay
from evoply._native import Stream
from evoply.evolution import (
    EvolutionConfig,
    Start,
    config_from_toml,
    config_to_toml,
    evolve,
    final_test,
    is_reproducible,
)
from evoply.evolution.play import opponents_of, schedule_of
from evoply.games import checkers, othello
from evoply.protocols import ConfigError, RunError
from evoply.runs import advance

OPENING = "f5d6c3d3c4"


def late_position(empty: int = 14, size: int = 6) -> othello.Position:
    """Return a position of a random game with so many empty squares."""
    stream = Stream(4)
    position = othello.Position(size)
    while size * size - sum(position.discs(color) for color in type(position.turn)) > empty:
        moves = position.legal_moves
        position = position.play(moves[stream.below(len(moves))])
    return position


def config_of(**changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-6",
        "population_size": 10,
        "generations": 3,
        "fitness": {
            "opponents": [{"player": "random", "pairs": 3}, {"player": "greedy", "pairs": 2}],
            "opening_plies": 2,
        },
        "hall_of_fame": {"pairs": 2, "final_pairs": 2, "candidates": 2, "sample": 2},
    }
    return EvolutionConfig(**{**settings, **changes})


def test_evolution_from_a_late_position() -> None:
    position = late_position()
    config = config_of(starts=(position,))
    assert config.starts == (Start(position=position.text()),)
    assert config.game_settings.starts == (position.row,)
    generations = list(evolve(config, threads=1))
    assert generations[-1].statistics.games > 0
    # Every game has at most as many plies as squares are left, and passes.
    assert generations[0].census.work > 0
    resumed = evolve(config, resume_from=generations[0], threads=2)
    assert [one.digest for one in resumed] == [one.digest for one in generations[1:]]
    elsewhere = next(evolve(config_of()))
    assert elsewhere.individuals[0].tree == generations[0].individuals[0].tree
    assert elsewhere.digest != generations[0].digest
    assert final_test(config, generations[-1]).games > 0


def test_starts_count_in_digests() -> None:
    assert config_of().resolved_settings()["starts"] == []
    assert config_of(game="othello", starts=[OPENING]).resolved_settings()["starts"] == [
        {"position": OPENING, "weight": 1.0}
    ]
    config = config_of(
        game="othello", starts=[{"position": OPENING, "weight": 2.5}, othello.Position()]
    )
    assert config_from_toml(config_to_toml(config)) == config


def test_openings_begin_at_starts_by_their_weights() -> None:
    config = config_of(
        game="othello",
        starts=[{"position": OPENING, "weight": 3.0}, {"position": "f5d6"}],
        fitness={"opponents": [{"player": "random", "pairs": 40}, {"player": "greedy"}]},
    )
    for seed in range(20):
        start_of = config.game_settings.starts_of_openings(400, Stream(seed))
        assert start_of is not None
        assert abs(Counter(start_of.tolist())[0] - 300) <= 3
        for begin in range(0, 400, 40):  # spread, not in blocks
            assert abs(Counter(start_of[begin : begin + 40].tolist())[0] - 30) <= 2
        # A pair keeps its start, however many openings there are.
        fewer = config.game_settings.starts_of_openings(7, Stream(seed))
        assert (fewer == start_of[:7]).all()
    first = Counter(
        int(config.game_settings.starts_of_openings(1, Stream(seed))[0]) for seed in range(2000)
    )  # type: ignore[index]
    assert abs(first[0] / 2000 - 0.75) < 0.04
    schedule = schedule_of(
        config.game_settings, 3, opponents_of(config.game_settings, config.task, []), Stream(1)
    )
    assert schedule.start_of is not None
    by_opening: dict[int, set[int]] = {}
    for key, start in zip(schedule.opening_keys.tolist(), schedule.start_of.tolist(), strict=True):
        by_opening.setdefault(key, set()).add(start)
    assert all(len(starts) == 1 for starts in by_opening.values())
    assert np.array_equal(schedule.start_of[::2], schedule.start_of[1::2])


@pytest.mark.parametrize(
    "measure",
    [
        "3Co",
        {"kind": "tournament", "pairs": 3},
        {"kind": "epoch_discs", "end": 90.0},
        {"kind": "points"},
    ],
)
def test_every_kind_begins_where_it_should_and_is_replayed(measure: Any, tmp_path: Path) -> None:
    starts = (late_position(12), late_position(20))
    opponents = [{"player": "random", "pairs": 2}, {"player": "greedy", "pairs": 1}]
    config = config_of(
        starts=starts,
        generations=2,
        fitness={"measure": measure, "opening_plies": 1, "opponents": opponents},
    )
    unbroken = [one.digest for one in evolve(config)]
    with Run.create(tmp_path / "run", config) as run:
        for _ in advance(run):
            break
    with Run.open(tmp_path / "run") as run:
        for _ in advance(run):
            pass
        assert run.digests() == unbroken
        first = replay(run, 1, 0)
        numbers = (0, first.games // 2, first.games - 1, *range(2, 6))
        assert {replay(run, 1, number).game.start for number in numbers} == set(starts)


def test_wrong_starts_are_named() -> None:
    over = late_position(4, size=4)
    while over.outcome() is None:
        over = over.play(over.legal_moves[0])
    with pytest.raises(ConfigError) as caught:
        config_of(game="othello-4", starts=["nonsense", over, othello.Position()])
    paths = [path for path, _ in caught.value.errors]
    assert paths == ["starts.0.position", "starts.1.position", "starts.2.position"]
    assert "the game is over" in str(caught.value)
    with pytest.raises(ConfigError) as caught:
        config_of(game="othello-4", starts=[{"position": "d3", "weight": 0.0}, 7])
    paths = [path for path, _ in caught.value.errors]
    assert paths[0] == "starts.0.weight"
    assert paths[1].startswith("starts.1")
    with pytest.raises(ConfigError, match=r"starts\.0\.position"):
        config_of(starts=[checkers.CHECKERS["checkers"].start()])


def test_opponents_that_may_play_otherwise_are_asked_for() -> None:
    opponents = [{"player": "material:depth=3,time=0.5", "pairs": 1}]
    with pytest.raises(ConfigError, match="allow_irreproducible"):
        config_of(fitness={"opponents": opponents})
    marked = config_of(
        generations=1, fitness={"opponents": opponents, "allow_irreproducible": True}
    )
    assert not is_reproducible(marked)
    assert is_reproducible(config_of(fitness={"allow_irreproducible": True}))
    assert len(list(evolve(marked))) == 1


@pytest.mark.parametrize(
    "player", ["greedy:random_plies=3", "( white ),50,( black ),50:overlap=20"]
)
def test_random_starts_and_overlapping_stages_train(player: str) -> None:
    config = config_of(fitness={"opponents": [{"player": player, "pairs": 2}]})
    digests = [one.digest for one in evolve(config, threads=1)]
    assert [one.digest for one in evolve(config, threads=2)] == digests


BOT = """
class Bot:
    def choose(self, game, stream, clock):
        moves = game.position.legal_moves
        return moves[stream.below(len(moves))]
"""


def test_a_bot_trains_if_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "bot.py"
    path.write_text(BOT)
    settings: dict[str, Any] = {
        "game": "othello-4",
        "population_size": 4,
        "generations": 2,
        "hall_of_fame": {"size": 2, "candidates": 1, "sample": 1, "pairs": 1, "final_pairs": 1},
    }
    guides = {"kind": "guides", "guides": [{"player": str(path), "games": 2}], "co_play": 1}
    for fitness in (
        {"opponents": [{"player": str(path), "pairs": 1}]},
        {"opponents": [{"player": "random", "pairs": 1}], "measure": guides},
    ):
        with pytest.raises(ConfigError, match="allow_irreproducible"):
            EvolutionConfig(**settings, fitness=fitness)
        marked = EvolutionConfig(**settings, fitness={**fitness, "allow_irreproducible": True})
        assert not is_reproducible(marked)
        with Run.create(tmp_path / fitness.get("measure", {}).get("kind", "points"), marked) as run:
            # This bot keeps its promise, so the digests are equal all the same.
            assert len([one.digest for one in advance(run)]) == 2
            assert run.digests() == [one.digest for one in evolve(marked, threads=1)]
            with pytest.raises(RunError, match="do not play the same game twice"):
                replay(run, 0, 0)
