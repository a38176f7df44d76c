"""Explanations of players in words and numbers; pages about runs, tournaments and games.

This package reads players and run folders and changes neither.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.reports.adviser import Advice, Adviser
    from evoply.reports.analysis_page import page_of_games
    from evoply.reports.chart_files import save_charts
    from evoply.reports.charts import Chart, interval_chart, line_chart
    from evoply.reports.explanation import Explanation, explain
    from evoply.reports.game_analysis import Accuracy, AnalysedGame, AnalysedMove, analyse_games
    from evoply.reports.influence import square_effects
    from evoply.reports.pages import result_html, write_result
    from evoply.reports.phrases import Influence
    from evoply.reports.puzzle_book import Puzzle, puzzles
    from evoply.reports.reasons import Reason, Why, why
    from evoply.reports.run_page import report_html, run_charts, weight_charts, write_report
    from evoply.reports.scale import Scale
    from evoply.reports.series import Lines, Series
    from evoply.reports.status import status_in_words
    from evoply.reports.x_ray import FeatureSeen, XRay, xray

__all__ = [
    "Accuracy",
    "Advice",
    "Adviser",
    "AnalysedGame",
    "AnalysedMove",
    "Chart",
    "Explanation",
    "FeatureSeen",
    "Influence",
    "Lines",
    "Puzzle",
    "Reason",
    "Scale",
    "Series",
    "Why",
    "XRay",
    "analyse_games",
    "explain",
    "interval_chart",
    "line_chart",
    "page_of_games",
    "puzzles",
    "report_html",
    "result_html",
    "run_charts",
    "save_charts",
    "square_effects",
    "status_in_words",
    "weight_charts",
    "why",
    "write_report",
    "write_result",
    "xray",
]

give_when_used(
    __name__,
    {
        "adviser": "Advice Adviser",
        "analysis_page": "page_of_games",
        "chart_files": "save_charts",
        "charts": "Chart interval_chart line_chart",
        "series": "Lines Series",
        "explanation": "Explanation explain",
        "game_analysis": "Accuracy AnalysedGame AnalysedMove analyse_games",
        "influence": "square_effects",
        "pages": "result_html write_result",
        "phrases": "Influence",
        "puzzle_book": "Puzzle puzzles",
        "reasons": "Reason Why why",
        "run_page": "report_html run_charts weight_charts write_report",
        "scale": "Scale",
        "status": "status_in_words",
        "x_ray": "FeatureSeen XRay xray",
    },
)
