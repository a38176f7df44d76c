"""Individuals that guide the playouts of a tree search, as Benbassat & Sipper's of 2014 do."""

from pathlib import Path
from typing import Any

import pytest

import evoply as ep
from evoply.evolution import EvolutionConfig, evolve, individual_player
from evoply.evolution.play import seats_of
from evoply.expressions import find_primitive_set
from evoply.gp import parse_tree
from evoply.players import AfterState, Mcts, TreeEvaluator
from evoply.protocols import ConfigError

TREE = "( - white_corners ( + black 3 ) )"


def small(**player: Any) -> EvolutionConfig:
    settings: dict[str, Any] = {
        "game": "othello-4",
        "seed": 2,
        "population_size": 10,
        "generations": 3,
        "player": {"playouts": 6, **player},
        "fitness": {"opponents": [{"player": "mcts:playouts=6,gather=1", "pairs": 2}]},
        "hall_of_fame": {"size": 3, "candidates": 2, "sample": 2, "pairs": 1, "final_pairs": 2},
    }
    return EvolutionConfig(**settings)


@pytest.mark.parametrize(
    ("own", "options"),
    [
        ({}, {"playout": "greedy", "epsilon": 0.1}),
        ({"playout_epsilon": 0.4, "view": "turn"}, {"playout": "greedy", "epsilon": 0.4}),
        ({"playout": "none"}, {"playout": "none"}),
    ],
)
def test_an_individual_is_the_evaluator_of_a_tree_search(own: Any, options: Any) -> None:
    config = small(**own)
    primitives = find_primitive_set("liao+mobility")
    tree = parse_tree(TREE, primitives)
    asked = AfterState(evaluator=TreeEvaluator.of_own(tree), view=own.get("view", "player"))
    written = Mcts(evaluator=asked, playouts=6, **options)
    assert individual_player(config, tree).identity() == written.identity()
    # Its seat in a run plays the games of the player as it is saved.
    seat = seats_of(config.game_settings, [tree])[0]
    for opponent in ("random", "mcts:playouts=5"):
        games: dict[str, Any] = {"game": "othello-4", "games": 20, "seed": 4, "openings": 2}
        one, two = (ep.match(player, opponent, **games) for player in (seat, written))
        assert (one.wins, one.draws, one.losses) == (two.wins, two.draws, two.losses)


def test_the_individual_decides_the_games() -> None:
    config, primitives = small(), find_primitive_set("liao+mobility")
    trees = [parse_tree(text, primitives) for text in ("( white )", "( - 0 white )")]
    results = [
        ep.match(individual_player(config, tree), "mcts:playouts=6", game="othello-6", games=200,
                 seed=1).score
        for tree in trees
    ]  # fmt: skip
    assert results[0] != results[1]


def test_a_run_goes_on_and_is_played_again(tmp_path: Path) -> None:
    config = small()
    run = list(evolve(config, threads=1))
    resumed = list(evolve(config, resume_from=run[0], threads=2))
    assert [one.digest for one in resumed] == [one.digest for one in run[1:]]
    with ep.Run.create(tmp_path / "guided", config) as folder:
        for generation in run:
            folder.save(generation)
        assert isinstance(folder.last().champions[0], Mcts)
        assert ep.replay(folder, 1, 0).game.position.outcome() is not None


def test_a_champion_may_have_more_playouts() -> None:
    tree = parse_tree(TREE, find_primitive_set("liao+mobility"))
    champion: Any = individual_player(small(), tree)

    def read(text: str) -> Any:
        return ep.parse_player(text, game="othello-4", runs=lambda name: champion)

    more = read("champion@guided:playouts=50,epsilon=0.2")
    assert (more.label, more.playouts, more.epsilon) == (
        "champion@guided:playouts=50,epsilon=0.2", 50, 0.2,
    )  # fmt: skip
    assert more.evaluator == champion.evaluator
    with pytest.raises(ep.PlayerTextError, match=r"no option 'depth'.*are playouts"):
        read("champion@guided:depth=3")


def test_without_playouts_no_digest_has_them() -> None:
    config = EvolutionConfig(generations=1)
    assert not {key for key in config.resolved_settings()["player"] if key.startswith("playout")}
    assert small().resolved_settings()["player"]["playouts"] == 6


@pytest.mark.parametrize(
    ("player", "says"),
    [
        ({"depth": 2}, "leave one of them out"),
        ({"work": 1000}, "leave one of them out"),
        ({"playouts": 0}, "playouts"),
        ({"playouts": None, "playout": "none"}, "set playouts"),
        ({"playout": "none", "playout_epsilon": 0.3}, "playout_epsilon is for greedy playouts"),
        ({"playout_epsilon": 1.5}, "playout_epsilon"),
        ({"playout": "random"}, "playout"),
    ],
)
def test_settings_that_do_not_fit_are_refused(player: dict[str, Any], says: str) -> None:
    with pytest.raises(ConfigError, match=says):
        small(**player)
