"""What the choices of a player show about one number: whether it prefers more of it, or less."""

from dataclasses import dataclass

CLEAR = 0.65
"""A preference is said if the choices show it in this share of the positions where they can."""
FEWEST = 40
"""Fewer positions than this show nothing."""


@dataclass(frozen=True, slots=True)
class Preference:
    """What the choices between boards show about one number."""

    above: int
    """Positions where the chosen board has more of it than the mean of all moves."""
    below: int
    """Positions where it has less."""
    kept_at_zero: int
    """Positions where it is 0 after the chosen move, of those where moves differ in that."""
    could_be_zero: int

    @property
    def differing(self) -> int:
        """The positions where it is not the same after all moves."""
        return self.above + self.below

    @property
    def share_above(self) -> float:
        """The share of the positions where it differs in which the choice has more; 0.5 of none."""
        return self.above / self.differing if self.differing else 0.5

    @property
    def is_more(self) -> bool | None:
        """Whether the player prefers more of it; None if its choices show no preference."""
        if self.differing < FEWEST or 1 - CLEAR < self.share_above < CLEAR:
            return None
        return self.share_above > 0.5

    @property
    def share_at_zero(self) -> float:
        """How often it chooses a board where the number is 0, if it has the choice; else 0."""
        return self.kept_at_zero / self.could_be_zero if self.could_be_zero else 0.0
