"""What rules say as features, beside moves that are played and plain loops over squares."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evoply import _native
from evoply.evolution import EvolutionConfig
from evoply.expressions import ExpressionError, board, facts_set, find_primitive_set, squares
from evoply.games import game_added, game_rules
from evoply.players import parse_player
from evoply.protocols import Color
from evoply.rules import Rules, place, step

COMPASS = {
    "n": (-1, 0), "ne": (-1, 1), "e": (0, 1), "se": (1, 1),
    "s": (1, 0), "sw": (1, -1), "w": (0, -1), "nw": (-1, -1),
}  # fmt: skip
HEX = [COMPASS[way] for way in ("n", "ne", "e", "s", "sw", "w")]
LINES = {"connect-four": 4, "tic-tac-toe": 3, "gomoku-9": 5}
SQUARES = Rules(
    name="four-corners",
    rows=5,
    columns=5,
    moves=[place(board.empty)],
    # Two by two, or the square in the middle.
    wins=(board.own & board.own.shift("s")) & (board.own & board.own.shift("s")).shift("e")
    | board.own & squares(["c3"]),
    no_move="draws",
)


def random_position(game, seed):
    rules = game_rules(game)
    rows = _native.Positions.random(rules.kernel, 1, seed, 0, rules.shape.squares)
    return rules.position_from_row(rows[0])


def to_move(position, color):
    row = position.row
    return game_rules(position.game).position_from_row((*row[:3], color is Color.BLACK, *row[4:]))


def held_by(position, color):
    bits = position.row[0 if color is Color.BLACK else 1]
    columns = position.shape.columns
    return {
        divmod(square, columns) for square in range(position.shape.squares) if bits >> square & 1
    }


def value(position, name):
    return facts_set(position.game)[name].expression.evaluate(position)


def squares_that_win(position, color):
    turned = to_move(position, color)
    won = set()
    for move in turned.legal_moves:
        outcome = turned.play(str(move)).outcome()
        if not move.is_pass and outcome is not None and outcome.winner is color:
            won.add(move.path[-1])
    return won


def sides(position):
    return (("own", position.turn), ("opponent", position.turn.opposite))


@pytest.mark.parametrize("game", [*LINES, "breakthrough-6", "hex-9", "four-corners"])
@settings(deadline=None, max_examples=20)
@given(seed=st.integers(0, 2**32))
def test_moves_that_win_at_once_win_when_they_are_played(game, seed):
    with game_added(SQUARES):
        position = random_position(game, seed)
        if position.outcome() is not None:
            return
        for side, color in sides(position):
            assert value(position, f"{side}_wins_next") == len(squares_that_win(position, color))


@pytest.mark.parametrize("game", list(LINES))
@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**32))
def test_open_lines_are_those_that_a_loop_finds(game, seed):
    position, length = random_position(game, seed), LINES[game]
    rows, columns = position.shape.rows, position.shape.columns
    names = {1: "lacking_one", 2: "lacking_two", 3: "lacking_three"}
    for side, color in sides(position):
        own, other = held_by(position, color), held_by(position, color.opposite)
        lacking = dict.fromkeys(range(1, min(length, 4)), 0)
        for row, column, way in product(range(rows), range(columns), ("e", "s", "se", "sw")):
            down, right = COMPASS[way]
            line = {(row + i * down, column + i * right) for i in range(length)}
            fits = all(0 <= r < rows and 0 <= c < columns for r, c in line)
            if fits and not line & other and length - len(line & own) in lacking:
                lacking[length - len(line & own)] += 1
        for missing, found in lacking.items():
            assert value(position, f"{side}_{names[missing]}") == found


def stones_by_search(position, color):
    own, other = held_by(position, color), held_by(position, color.opposite)
    last = 8
    along = 0 if color is Color.BLACK else 1
    every = set(product(range(9), repeat=2)) - other
    cost = {square: int(square not in own) for square in every if square[along] == 0}
    waiting = list(cost)
    while waiting:
        row, column = waiting.pop()
        for down, right in HEX:
            there = (row + down, column + right)
            new = cost[row, column] + (there not in own)
            if there in every and new < cost.get(there, 99):
                cost[there] = new
                waiting.append(there)
    found = [stones for square, stones in cost.items() if square[along] == last]
    return min([*found, 10])


def groups_by_search(own):
    rest, found = set(own), 0
    while rest:
        found += 1
        waiting = [rest.pop()]
        while waiting:
            row, column = waiting.pop()
            beside = {(row + down, column + right) for down, right in HEX} & rest
            rest -= beside
            waiting += beside
    return min(found, 9)


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_stones_to_go_and_groups_are_those_of_a_search(seed):
    position = random_position("hex-9", seed)
    for side, color in sides(position):
        assert value(position, f"{side}_stones_to_go") == stones_by_search(position, color)
        assert value(position, f"{side}_groups") == groups_by_search(held_by(position, color))


@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32))
def test_a_race_knows_steps_and_what_is_attacked(seed):
    position = random_position("breakthrough-6", seed)
    for side, color in sides(position):
        own, other = held_by(position, color), held_by(position, color.opposite)
        ahead = 1 if color is Color.BLACK else -1
        steps = [5 - row if ahead == 1 else row for row, _ in own]
        attacked = {(r + ahead, c + right) for r, c in own for right in (-1, 1)} & other
        guarded = {(r - ahead, c + right) for r, c in other for right in (-1, 1)}
        assert value(position, f"{side}_steps_to_go") == sum(steps)
        assert value(position, f"{side}_first_steps_to_go") == min([*steps, 5])
        assert value(position, f"{side}_targets") == len(attacked)
        assert value(position, f"{side}_free_targets") == len(attacked - guarded)


def test_a_game_has_the_features_that_mean_something_in_it():
    def features(game):
        names = {primitive.name for primitive in facts_set(game).terminals}
        return {name.removeprefix("own_") for name in names if name.startswith("own_")}

    lines = {"wins_next", "winning_squares", "lacking_one", "lacking_two", "lacking_three"}
    assert features("connect-four") == lines | {"linked"}
    assert features("hex-9") == {"wins_next", "stones_to_go", "groups", "linked"}
    moving = {"targets", "free_targets", "moves", "exclusive_moves", "pieces", "linked"}
    assert features("clobber") == moving
    goal = {"wins_next", "steps_to_go", "first_steps_to_go"}
    assert features("breakthrough") == moving | goal
    with game_added(SQUARES):
        assert "lacking_three" in features("four-corners")


def test_knights_and_an_end_that_is_not_read():
    leap = Rules(
        name="leap",
        rows=6,
        columns=4,
        black="1",
        white="6",
        moves=[step(board.own, [(1, 2), (2, 1), (1, -2), (2, -1)], onto=~board.own)],
        wins=board.own.neighbours() & board.opponent & squares("corners"),
        max_plies=100,
    )
    with game_added(leap):
        names = {primitive.name for primitive in facts_set("leap").terminals}
        assert "own_free_targets" in names
        assert not names & {"own_wins_next", "own_steps_to_go", "own_lacking_one"}


def test_facts_are_those_of_the_game_of_a_config():
    config = EvolutionConfig(game="connect-four", primitives="facts", generations=1)
    assert config.primitives == "facts-connect-four"
    assert config.primitive_set == facts_set("connect-four")
    text = "( - own_wins_next opponent_wins_next ):primitives=facts-connect-four"
    player = parse_player(text, game="connect-four")
    assert "wins_next" in player.label
    with pytest.raises(ValueError, match="facts: the rules of othello are no data"):
        EvolutionConfig(primitives="facts", generations=1)
    with pytest.raises(ValueError, match="connect-for"):
        find_primitive_set("facts-connect-for")
    with pytest.raises(ExpressionError, match="no set of primitives 'fact'"):
        find_primitive_set("fact")
