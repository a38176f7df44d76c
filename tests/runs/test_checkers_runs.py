"""Runs of checkers: evolved, stopped, resumed and replayed like those of Othello."""

from pathlib import Path
from typing import Any

import pytest
from run_settings import small_config

from evoply import Run, replay
from evoply.evolution import EpochFitness, EvolutionConfig, Fitness, HallOfFame, Opponent
from evoply.expressions import PRIMITIVE_SETS, board, count
from evoply.protocols import ConfigError
from evoply.runs import advance
from whole_runs import broken_run

KINGS = (
    PRIMITIVE_SETS["liao+mobility"]
    .with_primitive("white_kings", count(board.own_kings))
    .with_primitive("black_kings", count(board.opponent_kings))
)


def checkers_config(game: str, **changes: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": game,
        "primitives": KINGS.to_dict(),
        "population_size": 10,
        "generations": 3,
        "fitness": Fitness(
            opponents=(Opponent(player="random", pairs=2), Opponent(player="greedy", pairs=1)),
            opening_plies=4,
        ),
        "hall_of_fame": HallOfFame(size=2, candidates=2, sample=2, pairs=2, final_pairs=2),
    }
    return small_config(**{**settings, **changes})


@pytest.mark.parametrize("game", ["checkers", "lose-checkers", "checkers-10"])
def test_a_run_is_resumed_and_its_games_are_replayed(game: str, tmp_path: Path) -> None:
    config = checkers_config(game)
    with Run.create(tmp_path / "whole", config, command="test") as run:
        generations = list(advance(run))
        digests = run.digests()
    with broken_run(tmp_path / "parts", config, at=0) as run:
        assert run.digests() == digests
    with Run.open(tmp_path / "whole") as run:
        last = generations[-1]
        games = [replay(run, last.number, place) for place in range(6)]
        assert {one.game.start.game for one in games} == {game}
        for one in games:
            outcome, ending = one.game.outcome(), one.game.ending()
            assert outcome is not None
            assert ending is not None
            tree = str(last.individuals[one.individuals[0]].tree)
            own = "black" if one.black == tree else "white"
            winner = None if outcome.winner is None else outcome.winner.value
            assert one.points == (0.5 if winner is None else float(winner == own))
        points = sum(one.points for one in games) / len(games)
        assert points == last.individuals[games[0].individuals[0]].fitness


def test_kings_are_worth_seeing() -> None:
    assert "white_kings" in KINGS
    program = KINGS.native("checkers").lower([[KINGS["white_kings"].code]], [[]])[0]
    assert program.game == "checkers"


def test_epochs_of_discs_are_refused() -> None:
    with pytest.raises(ConfigError, match=r"fitness\.measure\.kind: epoch_discs"):
        checkers_config(
            "checkers",
            fitness=Fitness(
                opponents=(Opponent(player="random", pairs=2),), measure=EpochFitness(end=50.0)
            ),
        )
