"""What a player does, in words and numbers, and what a run did, as a page.

This package reads players and run folders and changes neither.
"""

from evoply.reports.explanation import Explanation, Influence, explain
from evoply.reports.report import status_in_words, write_report
from evoply.reports.squares import square_effects
from evoply.reports.tournament import write_tournament

__all__ = [
    "Explanation",
    "Influence",
    "explain",
    "square_effects",
    "status_in_words",
    "write_report",
    "write_tournament",
]
