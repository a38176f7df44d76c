"""Games of evoply in OpenSpiel, and players of evoply in OpenSpiel's games."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("pyspiel")
import pyspiel
from open_spiel.python.algorithms import exploitability, mcts, minimax
from open_spiel.python.algorithms.generate_playthrough import playthrough
from open_spiel.python.policy import UniformRandomPolicy
from open_spiel.python.rl_environment import Environment
from tiny_rules import TINY

import evoply as ep
from evoply._native import Stream
from evoply.field import openspiel
from evoply.field.openspiel import SHARED, Bot, SharedGame, shared_game
from evoply.games import DATA_GAMES, GAMES, game_added
from evoply.games.observations import DecisionPoint
from evoply.protocols import Color

RANDOM_GAMES = 1_000
FIVE = ("othello", "breakthrough", "connect-four", "hex-9", "checkers")
MOST_WITHOUT_CAPTURE = 40
"""OpenSpiel draws checkers after so many actions without a capture; evoply has rules of its own."""


def replay(shared: SharedGame, number: int) -> None:
    """Play a random game in both, and compare legal actions, sides and results."""
    stream, state = Stream(number, shared.game), shared.load().new_initial_state()
    point, quiet = shared.start(), 0
    while not state.is_terminal():
        assert not point.is_over
        assert state.current_player() == (point.turn is Color.WHITE)
        actions = shared.actions(state, point)  # refuses any difference
        assert len(actions) == len(state.legal_actions())
        chosen = sorted(actions)[stream.below(len(actions))]
        state.apply_action(actions[chosen])
        before = sum(map(point.position.pieces, Color))
        takes = bool(point.begun)
        point = point.after(chosen)
        takes |= bool(point.begun) or sum(map(point.position.pieces, Color)) < before
        quiet = 0 if takes else quiet + 1
    if point.is_over:
        assert state.returns() == [point.reward(color) for color in Color]
    else:
        assert (shared.game, quiet) == ("checkers", MOST_WITHOUT_CAPTURE)
        assert state.returns() == [0, 0]


@pytest.mark.parametrize("shared", SHARED, ids=lambda shared: shared.game)
def test_random_games_are_the_same_in_both(shared: SharedGame) -> None:
    for number in range(RANDOM_GAMES // 10):
        replay(shared, number)


@pytest.mark.long
@pytest.mark.parametrize("shared", SHARED, ids=lambda shared: shared.game)
def test_many_random_games_are_the_same_in_both(shared: SharedGame) -> None:
    for number in range(RANDOM_GAMES):
        replay(shared, number)


def test_five_games_are_shared() -> None:
    assert set(FIVE) <= {shared.game for shared in SHARED}


@pytest.mark.parametrize("game", [*GAMES, *DATA_GAMES])
def test_a_playthrough_of_every_game_runs(game: str) -> None:
    text = playthrough(f"evoply(game={game})", None)
    assert f"evoply(game={game})" in text
    actions = [int(line[8:]) for line in text.splitlines() if line.startswith("action: ")]
    if game in FIVE[:3]:
        assert playthrough(f"evoply(game={game})", actions) == text
    state = openspiel.game(game).new_initial_state()
    for action in actions:
        state.apply_action(action)
    assert state.is_terminal()
    assert state.returns() == [state.point.reward(color) for color in Color]


def test_their_own_tests_accept_it() -> None:
    for game in ("othello-4", "checkers", "connect-four"):
        pyspiel.random_sim_test(openspiel.game(game), num_sims=2, serialize=True, verbose=False)


def test_states_are_cloned_and_come_back_from_text() -> None:
    game = openspiel.game("checkers")
    state = game.new_initial_state()
    while not state.point.begun:
        state.apply_action(state.legal_actions()[0])
    copy = state.clone()
    assert state.current_player() == copy.current_player()
    copy.apply_action(copy.legal_actions()[0])
    assert len(copy.history()) == len(state.history()) + 1
    _, again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(game, state))
    assert str(again) == str(state)
    assert again.legal_actions() == state.legal_actions()


def test_observations_are_the_planes() -> None:
    state = openspiel.game("breakthrough").new_initial_state()
    state.apply_action(state.legal_actions()[3])
    for player, color in enumerate(Color):
        tensor = np.array(state.observation_tensor(player), np.float32)
        assert np.array_equal(tensor, state.point.planes(color).ravel())
    assert Environment(openspiel.game("breakthrough")).action_spec()["num_actions"] == 4097


def test_their_search_wins_against_random_moves() -> None:
    game = openspiel.game("tic-tac-toe")
    points = 0.0
    for number in range(6):
        search = mcts.MCTSBot(
            game,
            2,
            60,
            mcts.RandomRolloutEvaluator(1, np.random.RandomState(number)),
            random_state=np.random.RandomState(number),
        )
        bots: list[Any] = [search, Bot("random", seed=number)]
        order = bots if number % 2 == 0 else bots[::-1]
        state = game.new_initial_state()
        while not state.is_terminal():
            state.apply_action(order[state.current_player()].step(state))
        points += state.returns()[number % 2]
    assert points >= 4


def best_against_chance(point: DecisionPoint, color: Color) -> float:
    """Return the value of the best play of *color* against random moves, by trying all."""
    if point.is_over:
        return float(point.reward(color))
    values = [best_against_chance(point.after(action), color) for action in point.actions]
    return max(values) if point.turn is color else sum(values) / len(values)


def test_exploitability_of_a_tiny_game() -> None:
    with game_added(TINY):
        game = openspiel.game("tiny-breakthrough")
        start = DecisionPoint.start("tiny-breakthrough")
        wanted = sum(best_against_chance(start, color) for color in Color)
        found = exploitability.nash_conv(game, UniformRandomPolicy(game))
        assert found == pytest.approx(wanted)
        assert 0 < found < 2
        value, _ = minimax.alpha_beta_search(game)
        assert value in (-1, 1)  # nobody can draw


@pytest.mark.parametrize("game", FIVE)
def test_a_bot_plays_as_the_player_does(game: str) -> None:
    shared = next(each for each in SHARED if each.game == game)
    theirs = shared.load()
    state, bots = theirs.new_initial_state(), [Bot("greedy"), Bot("material:depth=2")]
    point = shared.start()
    seats = [ep.parse_player(text, game=game).seat(game) for text in ("greedy", "material:depth=2")]
    for _ in range(40):
        if state.is_terminal():
            break
        who = state.current_player()
        action = bots[who].step(state)
        ours = {each: our for our, each in shared.actions(state, point).items()}[action]
        record = point.record
        if not point.begun:
            move = record.position.legal_moves[0]
            if len(record.position.legal_moves) > 1:
                move = seats[who].choose(record, Stream(0, "any"), ep.Clock()).move
            plan = point.numbers.steps(move.code(point.position.shape))
        assert ours == plan[len(point.begun)]
        state.apply_action(action)
        point = point.after(ours)


def test_bots_play_whole_games_against_theirs() -> None:
    for game in FIVE:
        theirs = next(each for each in SHARED if each.game == game).load()
        bots = [Bot("greedy"), pyspiel.make_uniform_random_bot(1, 5)]
        state = theirs.new_initial_state()
        while not state.is_terminal():
            state.apply_action(bots[state.current_player()].step(state))
        assert len(state.returns()) == 2


def test_the_same_seed_plays_the_same_and_each_game_anew() -> None:
    def games(seed: int) -> list[list[int]]:
        bot, found = Bot("random", seed=seed), []
        for _ in range(3):
            state = openspiel.game("othello-4").new_initial_state()
            bot.restart()
            while not state.is_terminal():
                state.apply_action(bot.step(state))
            found.append(state.history())
        return found

    assert games(1) == games(1)
    assert games(1) != games(2)
    assert len(set(map(tuple, games(1)))) == 3


def test_a_bot_goes_on_with_a_capture_that_others_began() -> None:
    theirs, within = pyspiel.load_game("checkers"), 0
    for number in range(20):
        stream, state = Stream(number, "captures"), theirs.new_initial_state()
        bot, last = Bot("greedy"), -1
        while not state.is_terminal():
            within += state.current_player() == last
            last = state.current_player()
            legal = state.legal_actions()
            action = bot.step(state) if stream.below(2) else legal[stream.below(len(legal))]
            assert action in legal
            state.apply_action(action)
    assert within > 10


@pytest.mark.parametrize("text", ["hex", "chess", "connect_four(rows=5)", "go"])
def test_games_that_evoply_has_not_are_refused(text: str) -> None:
    state = pyspiel.load_game(text).new_initial_state()
    with pytest.raises(ValueError, match="evoply has no such game - give one of"):
        Bot("random").step(state)


def test_entries_are_found_by_their_game() -> None:
    for shared in SHARED:
        assert shared_game(shared.load()) == shared
    assert shared_game(openspiel.game("hex-9")).game == "hex-9"
    for text, name in (
        ("breakthrough(rows=8,columns=8)", "breakthrough"),
        ("checkers(egocentric=true)", "checkers"),
        ("hex(board_size=9,string_rep=explicit)", "hex-9"),
    ):
        assert shared_game(pyspiel.load_game(text)).game == name
    with pytest.raises(ValueError, match="unknown game"):
        openspiel.game("go")
    with pytest.raises(ValueError, match="seed: 'one' is not a whole number"):
        Bot("random", seed="one")  # type: ignore[arg-type]


def test_a_game_that_does_not_begin_as_usual_is_refused() -> None:
    state = pyspiel.load_game("othello").new_initial_state()
    wrong = SharedGame("othello-6", "othello")
    with pytest.raises(ValueError, match="are legal in OpenSpiel's"):
        wrong.actions(state, wrong.start())
