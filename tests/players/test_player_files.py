"""Saved players: round trips on their own, and everything that is refused."""

import json

import pytest

from evoply.environment import checksum
from evoply.expressions import PRIMITIVE_SETS, features
from evoply.players import (
    AfterState,
    AlphaBeta,
    Origin,
    PlayerFileError,
    RandomPlayer,
    TreeEvaluator,
    load_player,
    parse_player,
    save_player,
)

MINE = PRIMITIVE_SETS["liao"].with_primitive("frontier", features.frontier("own"))
PLAYER = AlphaBeta(
    evaluator=TreeEvaluator(tree="( - white frontier )", primitives=MINE.to_dict()), depth=2
)
ORIGIN = Origin(run="first", generation=12, seed=7, note="by hand")


STAGES = "( white ),50,( white_corners ),50:overlap=20"


def test_a_saved_player_needs_no_names(tmp_path):
    path = tmp_path / "player.json"
    save_player(path, AfterState(evaluator=TreeEvaluator(tree="( white )")))
    data = json.loads(path.read_text())
    assert data["format"] == 1
    primitives = data["player"]["evaluator"]["primitives"]["primitives"]
    assert len(primitives) == 15
    assert primitives[0]["expression"]["nodes"][-1] == ["add", 0, 1]
    assert load_player(path).evaluator.primitive_set.name == "liao+mobility"


def edited(path, **changes):
    data = json.loads(path.read_text())
    data.update(changes)
    data.pop("gone", None)
    content = {name: value for name, value in data.items() if name != "checksum"}
    path.write_text(json.dumps({"checksum": checksum(content), **content, **changes}))


@pytest.fixture
def path(tmp_path):
    saved = tmp_path / "player.json"
    save_player(saved, PLAYER, ORIGIN)
    return saved


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"format": 2}, "saved in format 2, and this version reads format 1: update evoply"),
        ({"format": "1"}, "its format is missing or wrong"),
        ({"kind": "x"}, "this is not a saved player"),
        ({"more": 1}, "fields are missing or unknown: more"),
        ({"checksum": "0"}, "the checksum is wrong"),
        ({"game": "chess"}, "unknown game 'chess'"),
        ({"game": 3}, "game: must be a text"),
        ({"origin": {"host": "x"}}, "origin.host: unknown key"),
        ({"player": {"kind": "random", "depth": 1}}, "player.depth: unknown key"),
        ({"player": {"kind": "after_state"}}, "player.evaluator: is missing"),
        (
            {"player": {"kind": "after_state", "evaluator": {"kind": "tree", "tree": "( x )"}}},
            "player.evaluator: ",
        ),
    ],
)
def test_what_is_wrong_is_refused(path, changes, message):
    edited(path, **changes)
    with pytest.raises(PlayerFileError) as raised:
        load_player(path)
    assert str(raised.value).startswith(str(path))
    assert message in str(raised.value)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not JSON"),
        (b"[]", "this is not a saved player"),
        (b"\xff", "not UTF-8"),
        (b"[" * 10**6, "nested too deeply"),
        (b" " * 80_000_001, "larger than 80,000,000 bytes"),
    ],
)
def test_files_of_another_kind_are_refused(path, content, message):
    path.write_bytes(content)
    with pytest.raises(PlayerFileError, match=message):
        load_player(path)


@pytest.mark.parametrize("player", [PLAYER, parse_player(STAGES)])
def test_every_damaged_byte_is_noticed(tmp_path, player):
    path = tmp_path / "player.json"
    save_player(path, player, ORIGIN)
    content = path.read_bytes()
    for place in range(0, len(content), 97):
        damaged = bytearray(content)
        damaged[place] ^= 1
        path.write_bytes(damaged)
        try:
            loaded = load_player(path)
        except PlayerFileError:
            continue
        # White space outside texts is not content.
        assert content[place : place + 1].isspace()
        assert loaded == player.self_contained()


def test_another_game_is_refused(path):
    assert load_player(path, game="othello").depth == 2
    with pytest.raises(PlayerFileError, match="plays othello, not othello-6"):
        load_player(path, game="othello-6")
    with pytest.raises(ValueError, match="64 weights"):
        save_player(path, parse_player("swh"), game="othello-6")
    assert load_player(path).depth == 2


def test_a_missing_folder_is_reported(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        save_player(tmp_path / "no" / "player.json", RandomPlayer())


@pytest.mark.parametrize("name", ["a\nb", "\x1b[31mred", "bell\x07", "\x9b2J"])
def test_a_name_cannot_command_a_terminal(name, tmp_path):
    with pytest.raises(ValueError, match="control characters"):
        RandomPlayer(name=name)
    content = {"format": 1, "kind": "evoply player", "game": "othello"}
    content |= {"origin": Origin().model_dump(), "player": {"kind": "random", "name": name}}
    path = tmp_path / "player.json"
    path.write_text(json.dumps({**content, "checksum": checksum(content)}))
    with pytest.raises(PlayerFileError, match=r"player\.name: must be one line"):
        load_player(path)


def test_labels_are_one_line():
    assert parse_player("(\nwhite\t)").label == "( white )"
    assert parse_player("random\n").label == "random"
    assert parse_player("greedy: depth=1,\n ties=last").label == "greedy: depth=1, ties=last"


def test_a_missing_or_wrong_kind_is_said_in_words(tmp_path):
    path = tmp_path / "player.toml"
    for text, message in (
        ("", "kind is missing: it is random or after_state or alpha_beta"),
        ("kind = 'clever'", "kind is 'clever' and must be one of 'random'"),
        ("kind = 'after_state'\nevaluator = {}", "kind is missing: it is tree or expression"),
        (f"kind = {'9' * 5000}", "not TOML"),
    ):
        path.write_text(text)
        with pytest.raises(ValueError, match=message):
            parse_player(str(path))
    path.write_text("\ufeffkind = 'random'", encoding="utf-8")
    assert parse_player(str(path)) == RandomPlayer()


def test_a_number_of_thousands_of_digits_is_refused(tmp_path):
    path = tmp_path / "player.json"
    path.write_text('{"format": ' + "9" * 5000 + "}")
    with pytest.raises(PlayerFileError, match="thousands of digits"):
        load_player(path)
