"""The usual order of moves: it saves nodes where it changes no choice, and is none elsewhere."""

import pytest

from evoply import _native
from evoply.players import parse_player

USUAL_BELOW = {1: "none", 2: "none", 3: "refutation"}


@pytest.mark.parametrize("depth", [1, 2, 3, 4, 5])
def test_the_usual_order_saves_nodes_and_changes_nothing(depth: int) -> None:
    counted = {"usual": 0, "none": 0, "refutation": 0, "killer": 0}
    batch = _native.Positions.random("othello", 20, 7, 8, 50)
    for ties in ("last", "random"):
        for index in range(20):
            answers = {
                ordering: _native.analyse(
                    parse_player(f"swh:depth={depth},ordering={ordering},ties={ties}").native(
                        "othello"
                    ),
                    *batch[index],
                    index,
                )
                for ordering in counted
            }
            assert len({answer[:2] for answer in answers.values()}) == 1
            for ordering, answer in answers.items():
                counted[ordering] += answer[2]
    assert counted["usual"] == counted["killer" if depth >= 4 else USUAL_BELOW[depth]]
    if depth >= 3:
        assert counted["usual"] < (0.85 if depth >= 4 else 0.9) * counted["none"]


@pytest.mark.parametrize("limit", ["nodes=700", "work=9000", "depth=5,table=4,deeper=yes"])
def test_where_an_order_could_change_a_choice_the_usual_one_is_none(limit: str) -> None:
    batch = _native.Positions.random("othello", 20, 8, 8, 50)
    for index in range(20):
        usual, none = (
            _native.analyse(
                parse_player(f"swh:{limit}{more}").native("othello"), *batch[index], index
            )[:5]
            for more in ("", ",ordering=none")
        )
        assert usual == none
