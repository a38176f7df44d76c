"""What a player does, in words and numbers, and what a run did, as a page.

This package reads players and run folders and changes neither.
"""

from evoply.reports.explanation import Explanation, Influence, explain
from evoply.reports.influence import square_effects
from evoply.reports.run_page import report_html, status_in_words, write_report
from evoply.reports.tournament_page import write_tournament

__all__ = [
    "Explanation",
    "Influence",
    "explain",
    "report_html",
    "square_effects",
    "status_in_words",
    "write_report",
    "write_tournament",
]
