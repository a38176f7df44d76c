"""What every game must do. A game added to `GAMES` is tested here without another line."""

from collections.abc import Callable

import pytest
from game_conformance import CHECKS

from evoply.games import DATA_GAMES, GAMES, GameRules, checkers, game_rules, othello

NAMES = (*GAMES, *DATA_GAMES)


@pytest.mark.parametrize("rules", [game_rules(name) for name in NAMES], ids=NAMES)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
def test_game(rules: GameRules, check: Callable[..., None]) -> None:
    check(rules=rules)


def test_the_table_names_every_compiled_game() -> None:
    """The names stand in the table, so that a list of them imports no rules."""
    assert list(GAMES.items()) == [*othello.OTHELLO.items(), *checkers.CHECKERS.items()]


def test_there_are_checks() -> None:
    assert len(CHECKS) > 12
