"""Players of checkers that value no board in the middle of a capture."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evoply import _native, checkers
from evoply.evolution import EvolutionConfig, evolve
from evoply.players import load_player, parse_player, save_player
from evoply.protocols import ConfigError

QUIET = "material:depth={},quiescence=yes"


def test_a_player_is_written_and_read(tmp_path):
    player = parse_player(QUIET.format(2), game="checkers")
    assert player.quiescence
    bare = player.model_copy(update={"name": None})
    assert bare.label.endswith(":depth=2,quiescence=yes,view=turn")
    save_player(tmp_path / "quiet.json", player, game="checkers")
    assert load_player(tmp_path / "quiet.json", game="checkers").quiescence
    # Files of players without it are what they were before there was such an option.
    plain = parse_player("material:depth=2", game="checkers")
    assert plain.model_dump()["quiescence"] is False


@pytest.mark.parametrize(
    ("text", "game", "says"),
    [
        (QUIET.format(2), "othello", "othello has no captures, nor do its rules say what is quiet"),
        (QUIET.format(0), "checkers", "quiescence is for players that look ahead"),
        ("material:depth=2,quiescence=1", "checkers", "quiescence must be one of yes, no"),
    ],
)
def test_what_is_refused(text, game, says):
    with pytest.raises(ValueError, match=says):
        parse_player(text, game=game)


def test_the_kernel_refuses_too():
    program = parse_player("material").evaluator.program("othello")
    with pytest.raises(ValueError, match="quiescence looks at captures, and the game has none"):
        _native.Player("othello", "alpha_beta", program, quiescence=True)
    with pytest.raises(ValueError, match="look ahead"):
        _native.Player("othello", "after_state", program, quiescence=True)


def material(position):
    """Return the pieces of the side to move less those of the other."""
    own, other = position.pieces(position.turn), position.pieces(position.turn.opposite)
    return own - other


def value(position, depth):
    """The oracle: plain minimax that values no board whose side to move must capture."""
    if not position.legal_moves:
        return -1e15 if position.game != "lose-checkers" else 1e15
    if depth <= 0 and not any("x" in str(move) for move in position.legal_moves):
        return material(position)
    return max(-value(position.play(move), depth - 1) for move in position.legal_moves)


@given(
    game=st.sampled_from(list(checkers.CHECKERS)),
    seed=st.integers(0, 2**32),
    depth=st.integers(1, 2),
)
def test_values_are_those_of_minimax(game, seed, depth):
    row = _native.Positions.random(game, 1, seed, 4, 60)[0]
    position = checkers.Position.from_row(game, row)
    if len(position.legal_moves) < 2:
        return
    for options in ("", ",ordering=killer,table=8", ",nodes=1000000000"):
        player = parse_player(QUIET.format(depth) + options, game=game)
        score = _native.analyse(player.native(game), *row, 1)[1]
        assert score == value(position, depth)


def test_a_run_of_quiet_players():
    settings = {
        "game": "checkers", "population_size": 4, "generations": 1, "primitives": "benbassat",
        "hall_of_fame": {"pairs": 1, "final_pairs": 1},
        "fitness": {"opponents": [{"player": "random", "pairs": 2}]},
    }  # fmt: skip
    runs = [
        EvolutionConfig(**settings, player={"depth": 1, "quiescence": quiescence})
        for quiescence in (True, False)
    ]
    first, second = (list(evolve(config))[-1] for config in runs)
    assert first.digest != second.digest
    assert runs[0].resolved_settings()["player"]["quiescence"] is True
    assert runs[1].resolved_settings()["player"]["quiescence"] is False


@pytest.mark.parametrize(
    ("game", "player", "says"),
    [
        ("othello", {"depth": 2}, r"player.quiescence: othello has no captures"),
        ("checkers", {}, "quiescence is for a depth of 1 and more"),
    ],
)
def test_a_run_refuses_what_does_not_fit(game, player, says):
    with pytest.raises(ConfigError, match=says):
        EvolutionConfig(game=game, generations=1, player={**player, "quiescence": True})
