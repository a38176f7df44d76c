"""Policies of other libraries as players: in matches, in leagues' schedules, as opponents."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evoply as ep
from evoply.evolution import EvolutionConfig
from evoply.experiments import ExperimentFolder
from evoply.experiments.leagues import league_folder, results_of
from evoply.experiments.leagues.machine import play_league
from evoply.experiments.leagues.methods import Roster, roster_of
from evoply.games import GAMES
from evoply.games.observations import DecisionPoint
from evoply.players import policy
from evoply.players.own_player import OwnPlayer
from evoply.protocols import ConfigError, IllegalMoveError

FILE = '''
"""Policies of a user, in one file."""

import numpy as np

from evoply.players import policy


@policy(reproducible=True)
def last(observation, mask):
    return np.flatnonzero(mask)[-1]


def first_action(observation, mask):
    return np.flatnonzero(mask)[0]


first = policy(first_action, reproducible=True, label="the first")


@policy
def moody(observation, mask):
    return np.random.default_rng().choice(np.flatnonzero(mask))
'''


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the file of policies."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EVOPLY_RUNS", str(tmp_path / "runs"))
    (tmp_path / "policies.py").write_text(FILE, encoding="utf-8")
    return tmp_path


@policy(reproducible=True)
def last_action(observation: np.ndarray, mask: np.ndarray) -> Any:
    return np.flatnonzero(mask)[-1]


@pytest.mark.parametrize("game", ["othello", "checkers", "breakthrough", "connect-four", "hex-9"])
def test_a_policy_plays_matches_of_every_kind_of_game(game: str) -> None:
    seen: list[tuple[int, ...]] = []

    def watching(observation: np.ndarray, mask: np.ndarray) -> Any:
        seen.append(observation.shape)
        return int(np.flatnonzero(mask)[-1])

    result = ep.match(policy(watching, reproducible=True), "random", game=game, games=8, seed=1)
    assert (result.first, result.games, result.reproducible) == ("watching", 8, True)
    assert set(seen) == {DecisionPoint.start(game).numbers.observation_shape}
    again = ep.match(policy(watching, reproducible=True), "random", game=game, games=8, seed=1)
    assert again == result


def test_its_moves_are_those_of_its_actions() -> None:
    rules = GAMES["checkers"]
    game = rules.game(rules.parse("B:W7,8,14,15,16,23,24,22:BK11,K3"))
    point = DecisionPoint.of(game)
    while len(point.record) == 0:
        point = point.after(max(point.actions))
    choice = last_action.choose(game, ep.Stream(1, "any"), ep.Clock())
    largest = point.record.moves[-1]
    assert len(choice.move.path) > 2
    assert choice.move.path[0] == largest.path[0]


def test_an_illegal_action_names_the_policy() -> None:
    def always_0(observation: Any, mask: Any) -> int:
        return 0

    with pytest.raises(IllegalMoveError, match=r"always_0.*action: 0 \(a1\) - is not legal"):
        ep.match(policy(always_0), "random", games=2, seed=1)
    with pytest.raises(TypeError, match="is no policy"):
        policy(3)  # type: ignore[call-overload]


def test_a_file_names_policies(home: Path) -> None:
    for name, repeats in (("last", True), ("first", True), ("moody", False)):
        player = ep.parse_player(f"python:policies.py:{name}")
        assert isinstance(player, OwnPlayer)
        assert player.reproducible is repeats
    result = ep.match("python:policies.py:last", "random", games=8, seed=1)
    same = ep.match(last_action, "random", games=8, seed=1)
    assert (result.wins, result.draws) == (same.wins, same.draws)
    standings = ep.round_robin(
        ["python:policies.py:last", "python:policies.py:first", "greedy"], games=4, seed=1
    )
    assert len(standings.players) == 3


def test_training_plays_against_it(home: Path) -> None:
    def config(name: str) -> EvolutionConfig:
        opponents = [{"player": f"python:policies.py:{name}", "pairs": 2}]
        return EvolutionConfig(
            game="othello-4",
            seed=1,
            population_size=8,
            generations=2,
            fitness={"opponents": opponents},
            hall_of_fame={"size": 2, "candidates": 2, "sample": 2, "pairs": 2, "final_pairs": 2},
        )

    digests = [[step.digest for step in ep.evolve(config("last"), threads=n)] for n in (1, 2)]
    assert digests[0] == digests[1]
    assert digests[0] != [step.digest for step in ep.evolve(config("first"))]
    with pytest.raises(ConfigError, match="a run that cannot be repeated"):
        config("moody")


@pytest.mark.usefixtures("units_here")
def test_a_league_plays_against_it(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def few(game: str) -> Roster:
        return roster_of(game).model_copy(update={"references": ("random",)})

    monkeypatch.setattr("evoply.experiments.leagues.methods.roster_of", few)
    monkeypatch.setattr("evoply.experiments.leagues.machine._GAMES", 20)
    for name, features in (("a", "corners"), ("b", "mobility"), ("c", "edges")):
        Path(f"{name}.toml").write_text(
            'learner = "learning"\ngame = "othello-6"\ngames = 20\ngames_per_step = 5\n'
            f'features = ["{features}"]\n'
        )
    line = "python:policies.py:last"
    plan: dict[str, Any] = {
        "game": "othello-6", "own": ("a.toml", "b.toml", "c.toml", line), "budget": 0.005,
        "seeds": 1, "games": 2, "move_time": 0.001, "depth": 1, "paces": "reference",
    }  # fmt: skip
    folder = league_folder("league", **plan)
    play_league(folder)
    results = results_of(ExperimentFolder.open(folder.path))
    assert not next(each for each in results.entrants if each.name == line).is_ranked
    met = {pairing.first for pairing in results.pairings if pairing.second == line}
    assert {"a", "b", "c"} <= met
    # The folder names the file by its checksum, and opening it runs nothing.
    player = ExperimentFolder.open(folder.path).players[line]
    assert isinstance(player, OwnPlayer)
    assert "#" in player.code
    with pytest.raises(ValueError, match="say in its file that it is reproducible"):
        league_folder("other", **plan | {"own": (*plan["own"][:3], "python:policies.py:moody")})
