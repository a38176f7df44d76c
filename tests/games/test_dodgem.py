"""Dodgem as data against a slow model of its own: cars as (row, column), asked one by one."""

from __future__ import annotations

from typing import Any

import pytest

from evoply import _native
from evoply.games import game_rules
from evoply.games.data import DataGameRules
from evoply.games.squares import square_name
from evoply.rules.shipped.dodgem import dodgem

SIZE = 4
Car = tuple[int, int]


class SlowDodgem:
    """A position of Dodgem: Black drives to the right, White down, and neither goes back."""

    def __init__(self, black: set[Car], white: set[Car], *, black_moves: bool) -> None:
        self.black, self.white, self.black_moves = black, white, black_moves

    @classmethod
    def start(cls) -> SlowDodgem:
        lanes = range(1, SIZE)
        return cls({(lane, 0) for lane in lanes}, {(0, lane) for lane in lanes}, black_moves=True)

    @property
    def winner(self) -> str | None:
        """Who has no car left; or who has the turn and cannot move."""
        for name, cars in (("black", self.black), ("white", self.white)):
            if not cars:
                return name
        return None if self.steps() else "black" if self.black_moves else "white"

    def steps(self) -> dict[str, tuple[Car, Car | None]]:
        """Return car and square of each move by its text; None for a car that leaves."""
        own = self.black if self.black_moves else self.white
        ahead, aside = ((0, 1), (1, 0)) if self.black_moves else ((1, 0), (0, 1))
        found: dict[str, tuple[Car, Car | None]] = {}
        for row, column in own:
            name = self.name((row, column))
            for down, right in (ahead, aside, (-aside[0], -aside[1])):
                end = row + down, column + right
                if max(end) == SIZE and (down, right) == ahead:
                    found[name] = (row, column), None
                elif 0 <= min(end) <= max(end) < SIZE and end not in self.black | self.white:
                    found[f"{name}-{self.name(end)}"] = (row, column), end
        return found

    def name(self, car: Car) -> str:
        return square_name(car[0] * SIZE + car[1], dodgem.shape)

    def moves(self) -> dict[str, tuple[Car, Car | None]]:
        return {} if not self.black or not self.white else self.steps()

    def after(self, text: str) -> SlowDodgem:
        start, end = self.steps()[text]
        sides = [set(self.black), set(self.white)]
        own = sides[0 if self.black_moves else 1]
        own.remove(start)
        if end is not None:
            own.add(end)
        return SlowDodgem(*sides, black_moves=not self.black_moves)

    def perft(self, depth: int) -> int:
        if depth == 0:
            return 1
        return sum(self.after(text).perft(depth - 1) for text in self.moves())


def test_the_file_has_the_rules() -> None:
    rules = game_rules("dodgem")
    assert isinstance(rules, DataGameRules)
    assert dict(rules.written) == dodgem.to_dict()


def test_perft_is_that_of_the_slow_model() -> None:
    rules = game_rules("dodgem")
    row = rules.start().row
    for depth in range(8):
        assert _native.perft(rules.kernel, row, depth) == SlowDodgem.start().perft(depth)


@pytest.mark.parametrize("seed", range(60))
def test_random_games_are_those_of_the_slow_model(seed: int) -> None:
    stream, slow = _native.Stream(seed, "dodgem"), SlowDodgem.start()
    position: Any = game_rules("dodgem").start()
    for _ in range(dodgem.max_plies or 0):
        outcome = position.outcome()
        assert (outcome.winner.value if outcome else None) == slow.winner
        moves = {str(move): move for move in position.legal_moves}
        assert moves.keys() == slow.moves().keys()
        if not moves:
            break
        text = sorted(moves)[stream.below(len(moves))]
        position, slow = position.play(moves[text]), slow.after(text)
    else:
        assert position.outcome().winner is None


def test_a_blocked_side_wins() -> None:
    """Black's only car stands at a2 between three of White: it has no move, and wins."""
    blocked: Any = game_rules("dodgem").read("O---XO--O------- X").position
    assert SlowDodgem({(1, 0)}, {(0, 0), (1, 1), (2, 0)}, black_moves=True).winner == "black"
    assert not blocked.legal_moves
    assert blocked.outcome().winner.value == "black"
