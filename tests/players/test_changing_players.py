"""Stages and random starts as text and as saved files, like every other player."""

import json
from pathlib import Path

import pytest

from evoply.arena import match
from evoply.evolution import config_from_toml, evolve
from evoply.players import (
    AfterState,
    PlayerFileError,
    RandomStart,
    Staged,
    TreeEvaluator,
    load_player,
    parse_player,
    save_player,
    steady_player,
)
from evoply.reports import explain

HALVES = "( white ),50,( white_corners ),50"
TEXTS = [
    f"{HALVES}:overlap=20",
    f"{HALVES}:overlap=20.5,slide=logistic,ties=random",
    f"{HALVES}:primitives=liao,division=zero,overlap=1",
    "greedy:random_plies=6",
    "material:depth=2,random_plies=4",
    f"{HALVES}:overlap=20,random_plies=3",
    "( + white 10 ):ties=last,random_plies=9",
]


@pytest.mark.parametrize("text", TEXTS)
def test_texts_are_players_that_can_be_saved(text: str, tmp_path: Path) -> None:
    player = parse_player(text)
    assert isinstance(player, RandomStart if "random_plies" in text else Staged)
    save_player(tmp_path / "player.json", player)
    loaded = load_player(tmp_path / "player.json", game="othello")
    assert type(loaded) is type(player)
    games = [match(one, "greedy", games=4, seed=3) for one in (text, player, loaded)]
    assert games[0].wins == games[1].wins == games[2].wins
    assert games[0].draws == games[1].draws == games[2].draws
    assert player.reproducible


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[1], TEXTS[5], TEXTS[6]])
def test_a_label_is_a_text_for_the_same_player(text: str) -> None:
    player = parse_player(text)
    assert parse_player(player.label) == player


def test_a_text_of_overlapping_stages_is_that_player() -> None:
    found = parse_player(f"{HALVES}:primitives=liao,overlap=20,slide=logistic")
    evaluator = TreeEvaluator(tree=HALVES, primitives="liao")
    assert found == Staged(evaluator=evaluator, overlap=20.0, slide="logistic")
    assert isinstance(parse_player(HALVES), AfterState)
    steady = steady_player(found)
    assert steady == parse_player(f"{HALVES}:primitives=liao")


def test_options_change_saved_players(tmp_path: Path) -> None:
    path = tmp_path / "smooth.json"
    save_player(path, parse_player(f"{HALVES}:overlap=20"))
    changed = parse_player(f"{path}:overlap=40,random_plies=2")
    assert isinstance(changed, RandomStart)
    assert isinstance(changed.player, Staged)
    assert (changed.plies, changed.player.overlap) == (2, 40.0)
    assert parse_player(f"{path}:random_plies=0") == load_player(path).model_copy(
        update={"name": f"{path}:random_plies=0"}
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("( white ):overlap=20", "for stages"),
        ("greedy:overlap=20", "no option 'overlap'"),
        (f"{HALVES}:overlap=120", "a percentage from 0 to 100"),
        (f"{HALVES}:overlap=60", "longer than a stage"),
        (f"{HALVES}:overlap=20,depth=3", "depth does not go with"),
        (f"{HALVES}:overlap=20,slide=fast", "linear, logistic"),
        ("greedy:random_plies=1001", "0 to 1,000"),
        ("random:random_plies=3", "no options"),
        ("( white ),50,( white_corners ),40", "add up to 100"),
    ],
)
def test_what_does_not_fit_is_refused(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        parse_player(text)


def test_a_saved_file_is_checked_like_any_other(tmp_path: Path) -> None:
    path = tmp_path / "player.json"
    save_player(path, parse_player(TEXTS[0]))
    data = json.loads(path.read_text())
    data["player"]["overlap"] = 30.0
    path.write_text(json.dumps(data))
    with pytest.raises(PlayerFileError, match="checksum"):
        load_player(path)
    data["format"] = 2
    path.write_text(json.dumps(data))
    with pytest.raises(PlayerFileError, match="format 2"):
        load_player(path)


@pytest.mark.parametrize("text", [TEXTS[0], TEXTS[3]])
def test_runs_train_against_them(text: str) -> None:
    settings = f"""
        generations = 2
        population_size = 6
        fitness.opponents = [{{ player = "{text}", games = 4 }}]
    """
    first, last = evolve(config_from_toml(settings))
    assert (first.number, last.number) == (0, 1)
    assert last.digest == list(evolve(config_from_toml(settings)))[-1].digest


def test_explanations_say_what_changes() -> None:
    smooth = explain(f"{HALVES}:overlap=20,random_plies=3", positions=50)
    plain = explain(HALVES, positions=50)
    assert smooth.sentence.startswith(plain.sentence)
    assert "overlap by 20 percent" in smooth.sentence
    assert "Its first 3 moves of a game are random" in smooth.sentence
    assert smooth.features == plain.features
