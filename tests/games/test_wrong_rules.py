"""Thirty mistakes in rules, each with the message that helps."""

from time import process_time
from typing import Any

import pytest

from evoply.expressions import board, count, destinations, is_empty, number_of_moves, squares
from evoply.rules import Rules, RulesError, check_rules, place, read_rules, slide, step

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
    "black and white - a1 would hold a piece of both at the start - give": lambda: rules(
        black="1", white="a1"
    ),
    "black and white - a2 and 5 more would hold a piece of both": lambda: rules(
        black="1-2", white="2-3"
    ),
    "Rules, win - is no part of it; did you mean 'wins'. - write one of": lambda: rules(win=1),
    "Rules - missing a required argument: 'columns' - it takes": lambda: Rules("mine", 5),  # type: ignore[call-arg]
    "step, to - is no part of it; did you mean 'onto'. - write": lambda: step(
        board.own,
        "n",
        to=board.empty,  # type: ignore[call-arg]
    ),
    r"move 1 \(place\) - Black has no move at the start - change the sets": lambda: rules(
        moves=place(board.own)
    ).game(),
    "Black has no move at the start, or wins= holds there - change": lambda: rules(
        wins=is_empty(board.own)
    ).game(),
    "move 1, own and opponent - after a1 in -+ X a1 holds a piece of both sides - leave": lambda: (
        rules(
            moves=place(
                board.empty,
                own=board.own | board.moved_to,
                opponent=board.opponent | board.moved_to,
            )
        ).game()
    ),
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
    "move 1 - its kind - write one of place, step": {"moves": [{"kind": ["place"]}]},
    "move 2 - its kind - write one of place, step": {"moves": [{"kind": "place", "on": 0}, {}]},
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


def test_a_function_is_no_method_of_a_set() -> None:
    with pytest.raises(AttributeError, match="no attribute 'first': it is a function, first"):
        board.own.first()  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"a set of squares .* 'shfit'; did you mean 'shift'"):
        board.own.shfit("n")  # type: ignore[attr-defined]


def test_directions_in_json_are_as_many_as_a_board_has() -> None:
    steps = rules(moves=step(board.own, "any", onto=board.empty), black="1", white="5").to_dict()
    offsets = [[down, right, False] for down in (1, 2) for right in (-1, 0, 1)]
    (move,) = steps["moves"]
    assert len(read_rules({**steps, "moves": [{**move, "offsets": offsets}]}).moves[0].offsets) == 6
    began = process_time()
    many = {**steps, "moves": [{**move, "offsets": [[1, 1, False]] * 30_000}]}
    with pytest.raises(RulesError, match="move 1, offsets - one is there twice - write each"):
        read_rules(many)
    assert process_time() - began < 1


ENDLESS = {
    "steps": {},
    "passes": {"no_move": "passes"},
    "all directions": {"symmetries": "rectangle"},
    "pieces put where pieces are": {"moves": place(board.own)},
}


@pytest.mark.parametrize("name", ENDLESS)
def test_rules_that_never_end_are_found_soon(name: str) -> None:
    steps = step(board.own, "any", onto=board.empty)
    endless = rules(**{"moves": steps, "black": "1-2", "white": "4-5", **ENDLESS[name]})
    # So that whoever does not check meets a draw.
    assert endless.game().draws.max_plies == 1000
    began = process_time()
    found = {finding.check: finding.wrong for finding in check_rules(endless)}
    assert "goes on after 1000 plies - name max_plies" in found["random games end"]
    assert process_time() - began < 5


def test_a_check_costs_no_more_on_large_boards_and_in_long_games() -> None:
    long = Rules(
        name="long",
        rows=10,
        columns=10,
        black="1-3",
        white="8-10",
        moves=step(board.own, ["any", "orthogonal", (2, 1), (1, 2)], onto=~board.own),
        max_plies=10_000,
    )
    began = process_time()
    assert not any(finding.wrong for finding in check_rules(long))
    assert process_time() - began < 10


def test_games_that_fill_the_board_need_no_cap() -> None:
    assert rules(moves=place(board.empty & squares("corners"))).game().draws.max_plies is None
    assert rules(moves=place(board.empty - squares("corners"))).game().draws.max_plies is None
    assert rules(moves=place(~board.own)).game().draws.max_plies == 1000
