"""Thirty mistakes in rules, each with the message that helps."""

from typing import Any

import pytest

from evoply.expressions import board, count, destinations, is_empty, number_of_moves, squares
from evoply.rules import Rules, RulesError, place, read_rules, slide, step

PLACE = place(board.empty)


def rules(**changed: Any) -> Rules:
    facts: dict[str, Any] = {"name": "mine", "rows": 5, "columns": 6, "moves": (PLACE,)}
    return Rules(**{**facts, **changed})


MISTAKES = {
    "name - 'My Game' is no name of a game - write": lambda: rules(name="My Game"),
    "title - 'x": lambda: rules(title="x" * 61),
    "rows - 11 - write a whole number from 1 to 10": lambda: rules(rows=11),
    "columns - 2.5 - write a whole number": lambda: rules(columns=2.5),
    "moves - there are 0 rules - write 1 to 16": lambda: rules(moves=()),
    "move 1 - 'place' is no rule of moves - write place": lambda: rules(moves=("place",)),
    "place, on - is 'e4' and no set of squares - write": lambda: place("e4"),
    "place, on - is number and no set of squares": lambda: place(count(board.own)),
    "place, opponent - is missing - say what both": lambda: place(board.empty, own=board.own),
    "step, directions - 'foward' is no direction; did you mean 'forward'": lambda: step(
        board.own, "foward", onto=board.empty
    ),
    "step, directions - there is none - name at least one": lambda: step(
        board.own, [], onto=board.empty
    ),
    r"step, directions - \(0, 0\) goes nowhere": lambda: step(board.own, (0, 0), onto=board.empty),
    r"step, directions - 7 is no direction": lambda: step(board.own, 7, onto=board.empty),
    r"slide, directions - \(1, 2\) is no direction": lambda: slide(
        board.own, (1, 2), through=board.empty
    ),
    "slide, through - is None and no set": lambda: slide(board.own, "n", through=None),
    "move 1, on - destinations asks the rules themselves - write": lambda: rules(
        moves=(place(destinations("own")),)
    ),
    "wins - number_of_moves asks the rules themselves - count": lambda: rules(
        wins=number_of_moves("own") < 1
    ),
    "wins - ply is no part of the board - rules read": lambda: rules(wins=board.ply > 9),
    "move 1, on - moved_to is known only after a move - read": lambda: rules(
        moves=(place(board.moved_to),)
    ),
    "wins - moved_from is known only after a move": lambda: rules(wins=board.moved_from),
    "loses - own_men tells men from kings": lambda: rules(loses=board.own_men),
    "draws - is a number - write a truth": lambda: rules(draws=count(board.own)),
    "wins - is True - write a truth": lambda: rules(wins=True),
    "black - square 'a7' is not on a 5x6 board - name squares": lambda: rules(black="a7"),
    "white - ranks 5-9 are not on 5x6 - name squares": lambda: rules(white="5-9"),
    "white - a1 is Black's, too - give each square": lambda: rules(black="1", white="a1"),
    "playable - a1 holds a piece at the start - add it": lambda: rules(black="a1", playable="2-5"),
    "black - is no constant set - name the squares": lambda: rules(black=board.own),
    "no_move - 'lose'; did you mean 'loses'. - write one of": lambda: rules(no_move="lose"),
    "symmetries - a board of 5x6 cannot exchange rows and columns": lambda: rules(symmetries="all"),
    "drawn - 'hexagons'": lambda: rules(drawn="hexagons"),
    "symbols - tuple - write two letters": lambda: rules(symbols=("XX", "●○")),
    "max_plies - 0 - write a whole number from 1": lambda: rules(max_plies=0),
    "wins - square 'h8' is not on a 5x6 board": lambda: rules(wins=board.own & squares(["h8"])),
    "wins - symmetry 4 exchanges rows and columns": lambda: rules(wins=board.own.symmetry(4)),
    "moves - 25 directions and sets are more than 24": lambda: _too_many(),
}


def _too_many() -> Any:
    far = [(down, right) for down in (-2, -1, 1, 2) for right in range(-3, 4)][:25]
    return rules(moves=(step(board.own, far, onto=~board.own),)).game()


WRITTEN = {
    "rules - are list - write a table": [1],
    "colour - is no part of rules - leave it out": {"colour": 1},
    "format - is 7 - this version reads format 1": {"format": 7},
    "move 1 - its kind - write one of place, step, slide": {"moves": [{"kind": "jump"}]},
    "move 1, on - 9 - write the number of an output": {"moves": [{"kind": "place", "on": 9}]},
    "move 1, offsets - list - write": {
        "moves": [{"kind": "step", "from": 0, "onto": 0, "offsets": [[0, 0, False]]}]
    },
    "expression - ": {"expression": {"format": 1, "nodes": [["fly"]], "outputs": [0]}},
}


@pytest.mark.parametrize("message", MISTAKES, ids=lambda text: text[:40])
def test_a_mistake_is_named(message: str) -> None:
    with pytest.raises(RulesError, match=message) as caught:
        MISTAKES[message]()
    assert str(caught.value).count(" - ") >= 2 or ":" in str(caught.value)


@pytest.mark.parametrize("message", WRITTEN, ids=lambda text: text[:40])
def test_a_mistake_in_json_is_named(message: str) -> None:
    change = WRITTEN[message]
    data = {**rules().to_dict(), **change} if isinstance(change, dict) else change
    with pytest.raises(RulesError, match=message):
        read_rules(data)  # type: ignore[arg-type]


def test_there_are_thirty_mistakes() -> None:
    assert len(MISTAKES) + len(WRITTEN) >= 30


def test_what_is_right_is_no_mistake() -> None:
    right = rules(wins=~is_empty(board.own & squares("farthest_rank")), black="1", white="5")
    assert read_rules(right.to_dict()) == right
    assert right.colors == "turned"
    assert rules().colors == "same"
    assert rules().digest != right.digest
    assert rules(title="Other").digest == rules().digest
