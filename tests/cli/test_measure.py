"""`evoply measure`: one table of players by the opponents of their game."""

import pytest
from command_line import call

from evoply.arena import measure


def test_the_table_is_that_of_the_library(capsys: pytest.CaptureFixture) -> None:
    arguments = ("measure", "by-hand", "swh", "--games", "20", "--seed", "3")
    data = call(capsys, *arguments, "--against", "greedy", "--json").data
    expected = measure(["by-hand", "swh"], against=["greedy"], games=20, seed=3).to_dict()
    assert data == {**expected, "made_by": data["made_by"]}
    said = call(capsys, *arguments).out
    assert said.index("strong:depth=1") < said.index("by-hand   ")
    assert "Seed 3, 20 games against each." in said


def test_a_game_from_rules_has_opponents_with_random_ties(capsys: pytest.CaptureFixture) -> None:
    data = call(capsys, "measure", "greedy", "--game", "hex-9", "--games", "4", "--json").data
    first, *others = (row["opponent"] for row in data["rows"])
    assert first == "material:depth=3,ties=random"
    assert others


@pytest.mark.parametrize("wrong", [(), ("by-hand", "--games", "3"), ("by-hand", "--game", "go")])
def test_wrong_use_is_told(wrong: tuple[str, ...], capsys: pytest.CaptureFixture) -> None:
    answer = call(capsys, "measure", *wrong)
    assert answer.code == 2
    assert answer.err.startswith("evoply: ")
    if "--games" in wrong:
        assert answer.err.startswith("evoply: --games: 3 is not an even number")
