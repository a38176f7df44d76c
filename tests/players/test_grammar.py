"""The one-line text of players: every form, every mistake, and anything at all."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from evoply.expressions import PRIMITIVE_SETS, ExpressionError, board, count
from evoply.gp import TreeSyntaxError
from evoply.players import (
    AfterState,
    AlphaBeta,
    ExpressionEvaluator,
    PlayerTextError,
    RandomPlayer,
    TreeEvaluator,
    parse_player,
    save_player,
    with_options,
)
from evoply.protocols import ConfigError

CHAMPION = AfterState(evaluator=TreeEvaluator(tree="( white )"), ties="random")


def champion(run):
    assert run in ("", "first", "runs/my run")
    return CHAMPION


@pytest.mark.parametrize(
    ("text", "player"),
    [
        ("random", RandomPlayer(name="random")),
        ("  random ", RandomPlayer(name="random")),
        ("( white )", AfterState(evaluator=TreeEvaluator(tree="( white )"))),
        (
            "( white ):depth=3, ties = random ,epsilon=.5,view=turn",
            AlphaBeta(
                evaluator=TreeEvaluator(tree="( white )"),
                depth=3,
                ties="random",
                epsilon=0.5,
                view="turn",
            ),
        ),
        (
            "( aa ) :primitives=letters,division=zero",
            AfterState(
                evaluator=TreeEvaluator(tree="( aa )", primitives="letters", division="zero")
            ),
        ),
        (
            "( + white white white ):lenient=drop",
            AfterState(evaluator=TreeEvaluator(tree="( + white white white )", lenient="drop")),
        ),
        ("champion@first", CHAMPION.model_copy(update={"name": "champion@first"})),
        ("champion@runs/my run", CHAMPION.model_copy(update={"name": "champion@runs/my run"})),
        ("champion", CHAMPION.model_copy(update={"name": "champion"})),
        (
            "champion@first:depth=2,ties=first",
            AlphaBeta(
                name="champion@first:depth=2,ties=first", evaluator=CHAMPION.evaluator, depth=2
            ),
        ),
    ],
)
def test_what_texts_mean(text, player):
    assert parse_player(text, runs=champion) == player


def test_named_players_take_options():
    material = parse_player("material")
    assert (material.depth, material.view, material.label) == (1, "turn", "material")
    assert parse_player("material:depth=4").depth == 4
    assert parse_player("material:depth=4").label == "material:depth=4"
    assert isinstance(parse_player("material:depth=0"), AfterState)
    greedy = parse_player("greedy")
    assert isinstance(greedy, AfterState)
    assert (greedy.ties, greedy.view, greedy.epsilon) == ("first", "player", 0.0)
    assert isinstance(parse_player("greedy:depth=3"), AlphaBeta)
    assert parse_player("swh:epsilon=1e-1").epsilon == 0.1


def test_searches_take_limits_orderings_and_a_table():
    ordered = parse_player("material:depth=8,ordering=evaluator,table=18")
    assert (ordered.depth, ordered.ordering, ordered.table) == (8, "evaluator", 18)
    assert ordered.reproducible
    limited = parse_player("material:nodes=20000")
    assert (limited.depth, limited.nodes, limited.view) == (60, 20000, "turn")
    assert limited.reproducible
    assert parse_player("greedy:nodes=500,depth=4").depth == 4
    timed = parse_player("( white ):time=.05,ordering=killer")
    assert (timed.depth, timed.time, timed.reproducible) == (60, 0.05, False)
    assert timed.label == "( white ):time=0.05,ordering=killer (not reproducible)"
    assert parse_player("greedy:time=1").label == "greedy:time=1 (not reproducible)"
    deeper = parse_player("swh:depth=3,ordering=hash,table=10,deeper=yes")
    assert (deeper.ordering, deeper.table, deeper.deeper) == ("hash", 10, True)


def test_options_of_a_search_stay_or_go_with_it():
    searcher = parse_player("( white ):depth=3,ordering=killer,table=12")
    changed = with_options(searcher, {"depth": 5})
    assert (changed.depth, changed.ordering, changed.table) == (5, "killer", 12)
    assert with_options(searcher, {"nodes": 100}).depth == 60
    assert isinstance(with_options(searcher, {"depth": 0}), AfterState)
    for text in ("greedy:ordering=killer", "greedy:depth=0,table=3", "( white ):deeper=yes"):
        with pytest.raises(ValueError, match="for players that look ahead: give depth, nodes"):
            parse_player(text)
    for text in ("material:ordering=hash", "material:deeper=yes"):
        with pytest.raises(ValueError, match=r"^\w+=\w+ needs a table, as in table=18$"):
            parse_player(text)


@pytest.mark.parametrize(
    ("text", "message", "column"),
    [
        ("", "a player is missing: one of random, greedy", 1),
        ("   ", "a player is missing", 1),
        (" greddy", "no player is called 'greddy'; did you mean 'greedy'? `evoply match", 2),
        ("zzz", "no player is called 'zzz'. Players are such as strong, greedy or", 1),
        ("random@x", "no player is called 'random@x'", 1),
        ("x" * 10**6, "no player is called 'xxx", 1),
        ("random:depth=1", "random has no options", 8),
        ("greedy:", "an option is written key=value, as in :ties=random; the options of gre", 8),
        ("greedy:depth", "an option is written key=value", 8),
        ("greedy:deph=1", "no option 'deph'; did you mean 'depth'? The options of greedy are", 8),
        ("greedy:x=1", "no option 'x'. The options of greedy are depth, nodes, work, time", 8),
        ("greedy:primitives=liao", "no option 'primitives'", 8),
        ("greedy:ties=first,ties=last", "option ties is given twice", 19),
        ("greedy:ties=fist", "random, column, advanced, not 'fist'; did you mean 'first'?", 13),
        ("greedy: depth=-1", "depth must be a whole number from 0 to 60, not '-1'", 15),
        ("greedy:depth=61", "depth must be a whole number from 0 to 60, not '61'", 14),
        ("greedy:depth=٣", "depth must be a whole number", 14),
        ("greedy:ties=last,epsilon=2", "epsilon must be a probability from 0 to 1, not '2'", 26),
        ("greedy:epsilon=nan", "epsilon must be a probability", 16),
        ("greedy:epsilon=", "epsilon must be a probability", 16),
        ("greedy:epsilon=.", "epsilon must be a probability", 16),
        ("greedy:view=me", "view must be one of player, turn", 13),
        ("greedy:nodes=0", "nodes must be a whole number from 1 to 1,000,000,000,000, not", 14),
        ("greedy:nodes=1e6", "nodes must be a whole number", 14),
        ("greedy:time=0", "time must be a number of seconds from 0.001 to 86400, not '0'", 13),
        ("greedy:time=inf", "time must be a number of seconds", 13),
        ("greedy:table=23", "table must be a whole number from 0 to 22, not '23'", 14),
        (
            "greedy:ordering=hsah",
            "ordering must be one of usual, none, hash, evaluator, refutation, killer, tree, not",
            17,
        ),
        ("greedy:deeper=true", "deeper must be one of yes, no, not 'true'", 15),
        ("( white ):primitives=lio", "primitives must be one of liao, liao+mobility", 22),
        ("( white ):division=two", "division must be one of one, zero, numerator, ieee", 20),
        (
            "champion@first",
            "champion@first cannot be looked up here: in Python use evoply.match",
            1,
        ),
    ],
)
def test_mistakes_are_shown_with_their_column(text, message, column):
    with pytest.raises(PlayerTextError) as raised:
        parse_player(text)
    assert message in str(raised.value)
    assert raised.value.column == column
    assert len(str(raised.value)) < 400


def test_a_player_must_fit_the_game():
    with pytest.raises(PlayerTextError, match="'swh' cannot play othello-6: a weighted sum has 64"):
        parse_player("swh", game="othello-6")
    letters = "( gg ):primitives=letters"
    parse_player(letters)
    with pytest.raises(PlayerTextError, match=r"cannot play othello-6.*'class_g'"):
        parse_player(letters, game="othello-6")
    with pytest.raises(ValueError, match="unknown game 'chess'"):
        parse_player("random", game="chess")


def test_champions_without_a_fitting_game_or_with_long_names():
    long = parse_player("champion@" + "x" * 500, runs=lambda run: CHAMPION)
    assert len(long.label) == 200
    with pytest.raises(ValueError, match="random has no options"):
        parse_player("champion@x:depth=2", runs=lambda run: RandomPlayer())


@pytest.mark.parametrize("text", ["( whit )", "( + white", "(", "(" * 10**6, "( white ) x", "()"])
def test_wrong_trees_point_at_the_column(text):
    with pytest.raises(TreeSyntaxError, match="column"):
        parse_player(text)


def test_saved_files_and_spec_files(tmp_path):
    path = tmp_path / "mine.json"
    save_player(path, CHAMPION)
    loaded = parse_player(str(path))
    assert loaded.evaluator.parsed.nodes == CHAMPION.evaluator.parsed.nodes
    deeper = parse_player(f"{path}:depth=2")
    assert (deeper.depth, deeper.ties, deeper.label) == (2, "random", f"{path}:depth=2")
    spec = tmp_path / "player.toml"
    spec.write_text(
        'kind = "alpha_beta"\ndepth = 2\n[evaluator]\nkind = "tree"\ntree = "( black )"\n'
    )
    assert parse_player(str(spec)) == AlphaBeta(evaluator=TreeEvaluator(tree="( black )"), depth=2)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("kind = ", "not TOML"),
        ("a = " + "[" * 10**5, "nested|not TOML"),
        ("kind = 'x'", "player: kind is 'x'"),
        ("depth = 2", "player: kind is missing"),
        ("kind = 'random'\ndepth = 1", "depth: unknown key"),
        (
            "kind = 'alpha_beta'\ndepth = 0\n[evaluator]\nkind = 'tree'\ntree = '( x )'",
            r"(?s)evaluator: .*column.*depth: must be greater",
        ),
    ],
)
def test_every_error_of_a_spec_file_is_shown(tmp_path, content, message):
    spec = tmp_path / "player.toml"
    spec.write_text(content)
    with pytest.raises(ConfigError) as raised:
        parse_player(str(spec))
    assert raised.match(message)


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(ConfigError, match=r"nothing.toml: No such file"):
        parse_player(str(tmp_path / "nothing.toml"))
    with pytest.raises(ValueError, match=r"nothing.json: No such file"):
        parse_player(str(tmp_path / "nothing.json"))


def test_options_apply_to_any_player():
    player = AfterState(evaluator=ExpressionEvaluator(expression=count(board.own)), name="mine")
    assert with_options(player, {}) == player
    assert with_options(player, {"depth": 2}).label == "count(own):depth=2"
    assert with_options(with_options(player, {"depth": 2}), {"depth": 0}).label == "count(own)"
    with pytest.raises(ValueError, match="no options"):
        with_options(RandomPlayer(), {"depth": 2})


PIECES = st.sampled_from(
    [
        "random",
        "greedy",
        "swh",
        "material",
        "(",
        ")",
        "+",
        "white",
        "10",
        ":",
        ",",
        "=",
        "depth",
        "ties",
        "epsilon",
        "view",
        "primitives",
        "1",
        ".5",
        "first",
        "champion",
        "@",
        ".json",
        ".toml",
        "letters",
        "-",
        "/",
        "1e999",
        "\x00",
        "�",
        "é",
    ]
)


@given(st.text(max_size=30) | st.lists(PIECES, max_size=12).map(" ".join))
@example("\x00.json")
@example("frankland2015")
@example("a\ud800.toml")
@example("x" * 5000 + ".json")
def test_any_other_text_gives_only_value_errors(text):
    problem = None
    try:
        parse_player(text, runs=lambda run: CHAMPION).seat("othello").close()
    except ValueError as error:
        problem = error
    assert not isinstance(problem, ValidationError), "pydantic's words are not for users"


def test_a_tree_is_read_in_the_set_it_is_written_in():
    mine = PRIMITIVE_SETS["liao"].with_primitive("contact", count(board.own))
    player = parse_player("( + contact white ):depth=2", primitives=mine)
    assert player.evaluator.primitive_set == mine
    assert parse_player("( aa )", primitives="letters").evaluator.primitives == "letters"
    assert parse_player("( aa ):primitives=letters", primitives=mine).label.endswith("letters")
    assert parse_player("greedy", primitives=mine) == parse_player("greedy")
    with pytest.raises(ExpressionError, match="did you mean 'letters'"):
        parse_player("( aa )", primitives="leters")


@pytest.mark.parametrize("text", [["random"], None, 3, b"random"])
def test_what_is_no_text_is_refused_in_a_sentence(text):
    kind = type(text).__name__
    with pytest.raises(PlayerTextError, match=f"a text such as 'greedy', not by a {kind}"):
        parse_player(text)


def test_a_name_stays_where_no_option_is_given():
    named = parse_player("material:depth=3").model_copy(update={"name": "mine"})
    assert with_options(named, {}) == named
    assert with_options(named, {"depth": 3}).name is None
