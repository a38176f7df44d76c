"""Games for the tests of reports."""

from typing import Any

from evoply.games import game_rules


def record_after(game: str, choices: list[int]) -> Any:
    """Return the game in which each number of *choices* chose a legal move, until it was over."""
    record = game_rules(game).record()
    for choice in choices:
        moves = record.position.legal_moves
        if not moves or record.outcome() is not None:
            break
        record = record.play(moves[choice % len(moves)])
    return record
