"""Rules about draws of a run reach its games, its tests and its replays."""

from pathlib import Path

import pytest

from evoply import Run, replay
from evoply.evolution import Batch, EvolutionConfig, evolve, stream_for
from evoply.evolution.play import opponents_of, schedule_of, seats_of
from evoply.games import DrawRules
from evoply.protocols import ConfigError, Ending


def config(**changes: object) -> EvolutionConfig:
    return EvolutionConfig(
        **{
            "game": "lose-checkers",
            "population_size": 6,
            "generations": 2,
            "hall_of_fame": {"pairs": 1, "final_pairs": 1},
            **changes,
        }
    )


def test_limits_replace_the_usual_ones() -> None:
    assert config().draws.rules("checkers") == DrawRules(80, 3, 300)
    assert config().draws.rules("othello") == DrawRules(None, None, None)
    chosen = config(draws={"repetitions": "never", "max_plies": 20}).draws
    assert chosen.rules("checkers-10") == DrawRules(80, None, 20)


def test_games_of_a_run_go_by_its_rules() -> None:
    short = config(draws={"max_plies": 12})
    first = next(iter(evolve(short)))
    # Nobody wins a game of checkers within twelve plies: every game of training is a draw.
    assert {one.fitness for one in first.individuals} == {0.5}
    assert first.statistics.best_fresh == 0.5
    usual = next(iter(evolve(config())))
    assert {one.fitness for one in usual.individuals} != {0.5}
    trees = [one.tree for one in first.individuals]
    opponents = opponents_of(short.game_settings, short.task, [])
    schedule = schedule_of(
        short.game_settings, len(trees), opponents, stream_for(short.seed, "training", 0)
    )
    players = (*seats_of(short.game_settings, trees), *opponents.players)
    results = short.game_settings.play(Batch(players, schedule))
    assert set(results.ending_counts) == {"cap"}


def test_a_digest_covers_the_rules() -> None:
    assert config().resolved_settings()["draws"]["max_plies"] != 20
    assert config(draws={"max_plies": 20}).resolved_settings()["draws"]["max_plies"] == 20


def test_a_game_is_replayed_by_the_rules_of_its_run(tmp_path: Path) -> None:
    short = config(draws={"max_plies": 12})
    with Run.create(tmp_path / "short", short) as run:
        for generation in evolve(short):
            run.save(generation)
        found = replay(run, 1, 0)
    assert found.points == 0.5
    assert len(found.game.moves) == 12
    assert found.game.ending() is Ending.CAP


@pytest.mark.parametrize(
    ("draws", "message"),
    [
        ({"repetitions": 1}, "draws.repetitions: must be a number from 2"),
        ({"quiet_plies": "none"}, "draws.quiet_plies: must be a number from 1"),
        ({"max_plies": 0}, "draws.max_plies: must be a number from 1"),
        ({"quiet": 3}, "draws.quiet: unknown key; did you mean 'quiet_plies'"),
    ],
)
def test_impossible_rules_are_refused(draws: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        config(draws=draws)


def test_othello_has_no_rules_about_draws() -> None:
    with pytest.raises(ConfigError, match=r"draws\.max_plies: othello has no draws but"):
        config(game="othello", draws={"max_plies": 30})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("repetition=3", "did you mean 'repetitions'"),
        ("repetitions", "repetitions must be a whole number or never"),
        ("max_plies=-1", "max_plies must be a whole number or never, not '-1'"),
        ("max_plies=9,max_plies=8", "max_plies is given twice"),
        ("repetitions=1", "repetitions must be at least 2"),
    ],
)
def test_rules_in_a_text_are_checked(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DrawRules.parse(text)
