"""Players as data: models, labels, and what they choose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from evoply import _native, othello
from evoply.arena import match
from evoply.expressions import PRIMITIVE_SETS, ExpressionError, board, count, features
from evoply.games import GAMES
from evoply.gp import TreeSyntaxError, parse_tree
from evoply.players import (
    NAMED_PLAYERS,
    SWH_WEIGHTS,
    AfterState,
    AlphaBeta,
    ExpressionEvaluator,
    PlayerTextError,
    RandomPlayer,
    TreeEvaluator,
    parse_player,
    player_of,
)
from evoply.players.player import PLAYER_ADAPTER
from evoply.protocols import ConfigError

TREE = TreeEvaluator(tree="( + white white_corners )")
DISCS = ExpressionEvaluator(expression=count(board.own))


def chosen(player, position):
    """Return the move that *player* makes in *position*, as text."""
    native = player.native(position.game)
    code = _native.analyse(native, *position.row, 1)[0]
    return next(str(move) for move in position.legal_moves if move.code(position.shape) == code)


def greedy_move(position):
    """The oracle: play every move, count, take the first of the best."""
    side = position.turn

    def gain(move):
        after = position.play(move)
        return after.pieces(side) - after.pieces(side.opposite)

    return str(max(position.legal_moves, key=gain))


def game_of(player, position):
    moves = []
    while position.outcome() is None:
        moves.append(chosen(player, position))
        position = position.play(moves[-1])
    return moves, position


def test_golden_game_of_greedy_against_itself():
    moves, last = game_of(parse_player("greedy"), othello.Position())
    position = othello.Position()
    for move in moves:
        assert move == greedy_move(position)
        position = position.play(move)
    assert "".join(move for move in moves if move != "pass") == GOLDEN
    assert (last.black.bit_count(), last.white.bit_count()) == GOLDEN_DISCS


GOLDEN = (
    "d3c3b3b2b1e3f3a1c4g3h3e2f5a3e1d6c2d2a2c1d7g6d1c5e6f2g2e7e8f4"
    "f6h2f1g1h1b4c6c7b8f7g8d8g4h4b5c8b7b6g5h5a6f8g7h7h6a8a4a5h8a7"
)
GOLDEN_DISCS = (19, 45)


@pytest.mark.parametrize("game", list(GAMES))
@settings(deadline=None)
@given(key=st.integers(0, 2**64 - 1))
def test_greedy_takes_the_first_of_the_best_counts(game, key):
    size = GAMES[game].shape.side
    row = _native.Positions.random(game, 1, key, 0, size * size)[0]
    position = GAMES[game].position_from_row(row)
    if position.outcome() is None:
        assert chosen(parse_player("greedy", game=game), position) == greedy_move(position)


def test_swh_weights_are_those_of_the_literature():
    rows = [SWH_WEIGHTS[8 * row : 8 * row + 8] for row in range(8)]
    assert rows[0] == (1, -0.25, 0.1, 0.05, 0.05, 0.1, -0.25, 1)
    assert rows[1] == (-0.25, -0.25, 0.01, 0.01, 0.01, 0.01, -0.25, -0.25)
    assert rows[2] == (0.1, 0.01, 0.05, 0.02, 0.02, 0.05, 0.01, 0.1)
    assert rows[3] == (0.05, 0.01, 0.02, 0.01, 0.01, 0.02, 0.01, 0.05)
    assert rows == rows[::-1]


def test_swh_takes_a_corner():
    position = othello.Position.parse(
        "------------------X--------OX------XO--------O--------O--------- X"
    )
    assert chosen(parse_player("swh"), position) == "h8"


def test_material_sees_the_answer():
    position = othello.Position().play("f5").play("f6").play("e6").play("f4")
    oracle = max(
        position.legal_moves,
        key=lambda move: min(
            position.play(move).play(answer).discs(position.turn)
            - position.play(move).play(answer).discs(position.turn.opposite)
            for answer in position.play(move).legal_moves
        ),
    )
    assert chosen(parse_player("material:depth=2"), position) == str(oracle)


@pytest.mark.parametrize("name", [name for name, one in NAMED_PLAYERS.items() if not one.games])
@pytest.mark.parametrize("game", list(GAMES))
def test_named_players_play_every_game(name, game):
    player = parse_player(name, game=game)
    assert player.label == name
    assert player.native(game).game == game


@pytest.mark.parametrize(
    ("player", "label"),
    [
        (RandomPlayer(), "random"),
        (AfterState(evaluator=TREE), "( + white white_corners )"),
        (AfterState(evaluator=DISCS, ties="random"), "count(own):ties=random"),
        (AlphaBeta(evaluator=DISCS, depth=3, view="turn"), "count(own):depth=3,view=turn"),
        (AlphaBeta(evaluator=TREE, depth=2, name="mine"), "mine"),
        (AfterState(evaluator=DISCS, epsilon=0.25), "count(own):epsilon=0.25"),
        (
            AlphaBeta(evaluator=DISCS, nodes=50, ordering="hash", table=9, deeper=True),
            "count(own):nodes=50,ordering=hash,table=9,deeper=yes",
        ),
        (AlphaBeta(evaluator=TREE, time=0.5, name="mine"), "mine (not reproducible)"),
    ],
)
def test_labels_and_round_trips(player, label):
    assert player.label == label
    assert PLAYER_ADAPTER.validate_json(player.model_dump_json()) == player
    assert PLAYER_ADAPTER.validate_python(player.model_dump()) == player
    assert hash(PLAYER_ADAPTER.validate_python(player.model_dump())) == hash(player)
    player.native("othello")
    player.check_fits("othello-6")


SEARCH_OPTIONS = [
    {"ordering": "killer"},
    {"ordering": "refutation"},
    {"ordering": "refutation", "table": 12},
    {"ordering": "evaluator", "table": 12},
    {"ordering": "hash", "table": 12},
    {"table": 4},
    {"nodes": 10**9},
    {"nodes": 10**9, "ordering": "killer", "table": 12, "time": 1000.0},
]


@pytest.mark.parametrize("options", SEARCH_OPTIONS)
@pytest.mark.parametrize("ties", ["first", "last", "random"])
def test_orderings_and_tables_never_change_a_move(options, ties):
    plain = AlphaBeta(evaluator=TREE, depth=5, ties=ties)
    other = AlphaBeta(evaluator=TREE, depth=5, ties=ties, **options)
    assert PLAYER_ADAPTER.validate_json(other.model_dump_json()) == other
    batch = _native.Positions.random("othello", 10, 3, 8, 40)
    natives = [player.native("othello") for player in (plain, other)]
    for index in range(len(batch)):
        expected, answer = (_native.analyse(player, *batch[index], 1) for player in natives)
        assert answer[:2] == expected[:2]
        code, _, nodes, line, depth, seconds, *_ = answer
        assert (line[0], depth, len(line)) == (code, 5, 5)
        assert nodes > 0 < seconds


def test_players_are_written_with_every_option():
    written = AlphaBeta(evaluator=TREE, depth=2).model_dump()
    assert set(written) == set(AlphaBeta.model_fields)
    assert AlphaBeta(evaluator=TREE, nodes=50).model_dump()["depth"] == 60


def test_labels_of_long_trees_read_back_and_are_cut_where_they_are_shown():
    """A cut label in a saved game named no player any more."""
    tree = "( + white " * 20 + "white" + " )" * 20
    player = AfterState(evaluator=TreeEvaluator(tree=tree), ties="random")
    assert player.label == f"{tree}:ties=random"
    assert parse_player(player.label) == player
    assert len(repr(player)) < 100
    stages = parse_player(f"{tree},50,( white_corners ),50:overlap=20")
    assert parse_player(stages.label) == stages
    result = match(player, "random", games=2)
    assert result.first == player.label
    assert len(str(result)) < 200


def test_models_are_frozen_and_take_no_other_fields():
    with pytest.raises(ValidationError, match="frozen"):
        RandomPlayer().name = "x"
    with pytest.raises(ConfigError, match="depth: unknown key"):
        RandomPlayer(depth=1)
    for depth in (0, 61, 2.0, True):
        with pytest.raises(ConfigError, match="depth"):
            AlphaBeta(evaluator=DISCS, depth=depth)
    for field, value in (("nodes", 0), ("time", 0.0), ("table", 23), ("deeper", 1)):
        with pytest.raises(ConfigError, match=field):
            AlphaBeta(evaluator=DISCS, **{field: value})
    for epsilon in (-0.1, 1.1, float("nan")):
        with pytest.raises(ConfigError, match="epsilon"):
            AfterState(evaluator=DISCS, epsilon=epsilon)
    with pytest.raises(ValueError, match="set of squares is not a value"):
        ExpressionEvaluator(expression=board.own)
    with pytest.raises(ExpressionError, match="no set of primitives 'x'"):
        TreeEvaluator(tree="( white )", primitives="x")
    with pytest.raises(TreeSyntaxError, match="whit"):
        TreeEvaluator(tree="( whit )")


def test_an_evaluator_carries_its_primitives():
    mine = PRIMITIVE_SETS["liao"].with_primitive("frontier", features.frontier("opponent"))
    evaluator = TreeEvaluator(tree="( - white frontier )", primitives=mine.to_dict())
    assert evaluator.primitive_set == mine
    contained = TREE.self_contained()
    assert isinstance(contained.primitives, dict)
    assert contained.parsed.nodes == TREE.parsed.nodes


def test_division_changes_what_a_tree_means():
    start = othello.Position()
    values = {}
    for division in (None, "one", "zero", "numerator", "ieee"):
        evaluator = TreeEvaluator(tree="( / white ( - 10 10 ) )", division=division)
        batch = _native.Positions("othello", [start.row])
        values[division] = evaluator.program("othello").evaluate(batch)[0, 0]
    assert values == {None: 1, "one": 1, "zero": 0, "numerator": 2, "ieee": float("inf")}


def test_no_mistake_is_told_in_the_words_of_pydantic():
    mistakes = (
        lambda: TreeEvaluator(tree="( white )", primitives=3),
        lambda: TreeEvaluator(tree=[1], division="two"),
        lambda: AfterState(evaluator={"kind": "tree", "tree": "( whit )"}),
        lambda: AlphaBeta(evaluator=TREE, depth="x", ties="y"),
    )
    for mistake in mistakes:
        with pytest.raises(ConfigError) as raised:
            mistake()
        assert "pydantic" not in str(raised.value)
    with pytest.raises(ConfigError, match=r"evaluator.*unknown name .whit."):
        AfterState(evaluator={"kind": "tree", "tree": "( whit )"})


def test_an_evaluator_takes_a_set_of_primitives_and_a_tree():
    mine = PRIMITIVE_SETS["liao"].with_primitive("frontier", features.frontier("opponent"))
    tree = parse_tree("( - white frontier )", mine)
    given = TreeEvaluator(tree=tree)
    assert given == TreeEvaluator(tree=str(tree), primitives=mine)
    assert given == TreeEvaluator(tree=str(tree), primitives=mine.to_dict())
    assert given.parsed == tree
    shipped = TreeEvaluator(tree="( + aa bb )", primitives=PRIMITIVE_SETS["letters"])
    assert shipped.primitives == "letters"


def test_a_tree_and_what_holds_one_are_players():
    tree = parse_tree("( - white_corners black )", PRIMITIVE_SETS["liao"])

    class Holder:
        pass

    holder = Holder()
    holder.tree = tree
    player = player_of(tree)
    assert player == player_of(holder) == player_of(player)
    assert (player.kind, player.ties, player.view) == ("after_state", "first", "player")
    assert player.evaluator.parsed == tree
    with pytest.raises(TypeError, match="neither a player nor a tree"):
        player_of(3)


@pytest.mark.parametrize("game", list(GAMES))
def test_firebrand_plays_the_boards_it_learned_on(game):
    if game in ("othello", "othello-10"):
        assert parse_player("firebrand", game=game).depth == 4
    else:
        with pytest.raises(PlayerTextError, match="firebrand plays othello-10, othello"):
            parse_player("firebrand", game=game)
