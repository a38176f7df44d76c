"""Players whose play cannot be foreseen: values drawn for leaves, and evaluators that alternate."""

import pytest

from evoply import _native
from evoply.arena import match
from evoply.players import load_player, parse_player, save_player
from evoply.players.player import PLAYER_ADAPTER


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("random-leaf:depth=3", {"depth": 3, "noise": "uniform"}),
        ("random-leaf:depth=2,noise=6", {"noise": 6}),
        ("material-alternating", {"depth": 1, "alternate": "move", "noise": None}),
        ("material-share:alternate=leaf,depth=2", {"alternate": "leaf"}),
        ("material:noise=2,depth=2", {"noise": 2}),
    ],
)
def test_what_leaves_are_worth(text, fields, tmp_path):
    player = parse_player(text)
    assert {name: getattr(player, name) for name in fields} == fields
    again = PLAYER_ADAPTER.validate_json(player.model_dump_json())
    assert again == player
    save_player(tmp_path / "guide.json", player)
    assert load_player(tmp_path / "guide.json").label == text
    # The name says it all, and without it the label does.
    bare = player.model_copy(update={"name": None}).label
    assert all(
        f"{name}={value}" in bare for name, value in fields.items() if name == "noise" and value
    )
    assert match(text, "random", games=20, seed=1) == match(
        text, "random", games=20, seed=1, threads=1
    )


def test_a_guide_that_alternates_cannot_be_foreseen():
    """The same position, another key: one evaluator or the other chooses, as each would alone."""
    both = parse_player("material-alternating:depth=2").native("othello")
    discs = parse_player("material:depth=2")
    corners = discs.model_copy(update={"evaluator": parse_player("material-alternating").second})
    batch = _native.Positions.random("othello", 40, 5, 10, 40)
    chosen = set()
    for index in range(len(batch)):
        codes = {
            _native.analyse(one.native("othello"), *batch[index], 1)[0] for one in (discs, corners)
        }
        found = {_native.analyse(both, *batch[index], key)[0] for key in range(30)}
        assert found == codes
        chosen.add(len(found))
    assert chosen == {1, 2}


def test_a_coin_a_game_falls_once():
    """Some keys give games of one evaluator, the others games of the other."""
    player = parse_player("material-alternating:depth=2,alternate=game").native("othello")
    batch = _native.Positions.random("othello", 30, 5, 10, 40)
    rows = [batch[index] for index in range(len(batch)) if batch[index][3]]
    games = {tuple(_native.analyse(player, *row, key)[0] for row in rows) for key in range(40)}
    assert len(games) == 2


def test_search_options_leave_a_guide_as_it_is():
    plain = "random-leaf:depth=4"
    for options in ("ordering=killer", "ordering=evaluator"):
        other = match(f"{plain},{options}", "greedy", games=20, seed=3)
        assert match(plain, "greedy", games=20, seed=3).score == other.score
