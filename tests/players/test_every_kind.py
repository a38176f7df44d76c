"""What holds for every kind of player: its label, its data and its files are the player again."""

import pytest

from evoply import _native
from evoply._native import Stream
from evoply.arena import match
from evoply.games import game_rules
from evoply.players import (
    NOT_REPRODUCIBLE,
    AfterState,
    AlphaBeta,
    Mcts,
    Online,
    Origin,
    RandomPlayer,
    RandomStart,
    Staged,
    Strong,
    analyse,
    load_saved_player,
    parse_player,
    save_player,
)
from evoply.players.player import DATA_KINDS, PLAYER_ADAPTER

HALVES = "( white ),50,( white_corners ),50"
FEW = "population=4,generations=1,games=2"
TEXTS = {
    "random": RandomPlayer,
    "greedy": AfterState,
    "swh": AfterState,
    "( / white 10 ):division=zero": AfterState,
    "( aa ):primitives=letters,division=zero": AfterState,
    "( + white 10 ):ties=last,epsilon=0.5": AfterState,
    "material:depth=3": AlphaBeta,
    "( + white white ):depth=2,ties=last,view=turn,epsilon=0.5": AlphaBeta,
    "( white ):depth=5,nodes=1000,ordering=hash,table=12,deeper=yes,ties=random": AlphaBeta,
    "( white ):nodes=1000": AlphaBeta,
    "( white ):time=0.05,ordering=killer (not reproducible)": AlphaBeta,
    f"{HALVES}:overlap=20": Staged,
    f"{HALVES}:overlap=20.5,slide=logistic,ties=random": Staged,
    f"{HALVES}:primitives=liao,division=zero,overlap=1": Staged,
    f"{HALVES}:overlap=20,clock=ply": Staged,
    "greedy:random_plies=6": RandomStart,
    "material:depth=2,random_plies=4": RandomStart,
    "( + white 10 ):ties=last,random_plies=9": RandomStart,
    f"{HALVES}:overlap=20,random_plies=3": RandomStart,
    "( white ):time=0.05,random_plies=3 (not reproducible)": RandomStart,
    "strong:level=3": Strong,
    "strong:depth=4,selective=2": Strong,
    f"online:{FEW}": Online,
    f"online:{FEW},preserve_alpha=no,carry=none": Online,
    f"online:{FEW},crossover=0.123456789": Online,
    f"online:{FEW},time=0.5 (not reproducible)": Online,
    "mcts:playouts=5,exploration=0.5,gather=8,endgame=9": Mcts,
    "mcts:playouts=20": Mcts,
    "mcts:playouts=20,time=5 (not reproducible)": Mcts,
    "mcts:playouts=20,evaluator=strong": Mcts,
    "mcts:playouts=9,scale=2.5,evaluator=swh": Mcts,
    "mcts:playouts=9,playout=greedy,epsilon=0.2,evaluator=greedy:king=2.5": Mcts,
    "mcts:playouts=20,evaluator=( + white ( * 10 white_corners ) )": Mcts,
    "mcts:playouts=20,evaluator=( + aa bb ):primitives=letters,division=one": Mcts,
    f"mcts:playouts=20,evaluator={HALVES}": Mcts,
    "mcts:playouts=20,evaluator=material:depth=3,ties=random": Mcts,
}


def test_every_kind_of_data_is_here():
    assert {*TEXTS.values()} == {*DATA_KINDS}


def answers(player):
    """Return what it chooses in some positions of random games."""
    batch = _native.Positions.random("othello", 6, 5, 8, 50)
    positions = [game_rules("othello").position_from_row(batch[index]) for index in range(6)]
    choices = [analyse(player, position, stream=Stream(3)) for position in positions]
    return [(choice.move, choice.score, choice.nodes) for choice in choices]


@pytest.mark.parametrize(("text", "kind"), TEXTS.items(), ids=TEXTS)
def test_label_data_and_file_are_the_player_again(text, kind, tmp_path):
    player = parse_player(text)
    assert type(player) is kind
    assert player.label == text
    assert player.label in player._repr_html_()
    assert player.reproducible == (not text.endswith(NOT_REPRODUCIBLE))
    assert player.with_options({}) is player
    assert parse_player(player.label) == player
    assert PLAYER_ADAPTER.validate_json(player.model_dump_json()) == player
    assert PLAYER_ADAPTER.validate_python(player.model_dump()) == player
    origin = Origin(run="first", generation=12, seed=7, note="by hand")
    save_player(tmp_path / "player.json", player, origin)
    saved = load_saved_player(tmp_path / "player.json")
    loaded = saved.player
    assert loaded == player.self_contained()
    assert (saved.game, saved.origin) == ("othello", origin)
    if "division" not in text:  # a set of primitives that a file holds has no name in a text
        assert loaded.label == player.label
    save_player(tmp_path / "again.json", loaded, origin)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "player.json").read_bytes()
    if player.reproducible:
        assert answers(loaded) == answers(player.anywhere()) == answers(player)
        results = [match(one, "greedy", games=4, seed=3) for one in (text, player, loaded)]
        assert len({(each.wins, each.draws, each.losses) for each in results}) == 1


@pytest.mark.parametrize(
    "text", ["material:depth=3,random_plies=2", f"{HALVES}:overlap=20", "strong:level=9"]
)
def test_a_wrapper_says_what_the_player_within_says(text):
    player = parse_player(text)
    inner = player.inner
    assert isinstance(inner, AfterState | AlphaBeta)
    assert (player.plies_ahead, player.reproducible) == (inner.plies_ahead, inner.reproducible)
    assert player.uses_time() == inner.uses_time()
    assert set(inner.habits) <= set(player.habits)


def test_the_solver_is_spoken_of_alike():
    for text in ("material:endgame=1", "mcts:endgame=1", "strong:endgame=1"):
        assert "When at most 1 square is empty it plays perfectly." in parse_player(text).habits
    assert "at most 9 squares are empty" in parse_player("mcts:endgame=9").habits[-1]
