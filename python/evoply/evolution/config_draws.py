"""Rules about draws of a run: those of its game unless a config says otherwise."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator

from evoply.evolution.config_part import Part
from evoply.games import game_rules
from evoply.games.draws import DrawRules

__all__ = ["USUAL", "Draws"]

USUAL = "usual"
_NEVER = "never"
_MOST = 1_000_000


def _limit(least: int) -> AfterValidator:
    def checked(limit: int | str) -> int | str:
        if limit not in (USUAL, _NEVER) and (isinstance(limit, str) or not least <= limit <= _MOST):
            raise ValueError(f"must be a number from {least} to {_MOST:,}, '{USUAL}' or '{_NEVER}'")
        return limit

    return AfterValidator(checked)


class Draws(Part):
    """When a game is drawn that the board alone would let go on; for checkers.

    Each is a number, `never`, or `usual`: what is usual in the game.
    """

    quiet_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies without a capture or a move of a man."""
    repetitions: Annotated[int | str, _limit(2)] = USUAL
    """For which time the same board with the same side to move ends the game."""
    max_plies: Annotated[int | str, _limit(1)] = USUAL
    """Plies of the whole game."""

    def rules(self, game: str) -> DrawRules:
        """Return the rules for *game*."""
        usual = game_rules(game).draws
        return DrawRules(
            quiet_plies=_chosen(self.quiet_plies, usual.quiet_plies),
            repetitions=_chosen(self.repetitions, usual.repetitions),
            max_plies=_chosen(self.max_plies, usual.max_plies),
        )


def _chosen(limit: int | str, usual: int | None) -> int | None:
    if isinstance(limit, int):
        return limit
    return usual if limit == USUAL else None
