"""The order of positions in training, and the positions themselves."""

import pytest

from evoply.games import game_rules
from evoply.learning import Curriculum, stages, starts_of
from evoply.learning.curriculum import usual_blanks
from evoply.protocols import Color


def test_blanks_of_the_paper_and_as_large_a_part_of_other_boards() -> None:
    assert usual_blanks("othello-10") == (10, 20, 40, 60, 80)
    assert usual_blanks("othello") == (6, 12, 25, 38, 50)


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("none", []),
        ("end-first", [((10,), 6), ((20,), 6), ((40,), 6)] * 2),
        ("begin-first", [((40,), 6), ((20,), 6), ((10,), 6)] * 2),
        ("mixed", [((40,), 2), ((20,), 2), ((10,), 2)] * 6),
        ("random", [((10, 20, 40), 36)]),
    ],
)
def test_orders(order: str, expected: list[tuple[tuple[int, ...], int]]) -> None:
    curriculum = Curriculum(order=order, blanks=(20, 10, 40), games=6, rounds=2)
    found = [(stage.blanks, stage.games) for stage in stages(curriculum, "othello-10")]
    assert found == expected


@pytest.mark.parametrize("game", ["othello-6", "othello", "othello-10"])
def test_positions_have_so_many_empty_squares_and_are_not_over(game: str) -> None:
    rules = game_rules(game)
    blanks = usual_blanks(game)
    rows = starts_of(game, blanks, 4, 7)
    assert rows == starts_of(game, blanks, 4, 7)
    assert rows != starts_of(game, blanks, 4, 8)
    assert len(set(rows)) == 4 * len(blanks)
    for index, row in enumerate(rows):
        position = rules.position_from_row(row)
        discs = position.pieces(Color.BLACK) + position.pieces(Color.WHITE)
        assert rules.shape.squares - discs == blanks[index // 4]
        assert position.outcome() is None


def test_whole_games_begin_at_the_start() -> None:
    assert starts_of("othello", (), 10, 1) == (game_rules("othello").start().row,)


def test_what_cannot_be_reached_is_refused() -> None:
    with pytest.raises(ValueError, match="no position with 61 empty squares"):
        starts_of("othello", (61,), 1, 1)
    with pytest.raises(ValueError, match="random play reached only"):
        starts_of("othello", (60,), 2, 1)
