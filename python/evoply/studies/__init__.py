"""Studies: tables of papers, reproduced beside the printed figures, with computed verdicts.

The file of a paper (`papers`) has its figures, claims and contradictions, and how much of it is
played at each scale; a module or package has what is its own; `verdicts` has the rule.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.studies.catalogue import STUDIES, find_study, reproduce
    from evoply.studies.study import (
        SCALES,
        PaperExperiment,
        Reproduction,
        Request,
        Result,
        Row,
        Study,
    )
    from evoply.studies.study_page import page_of_study
    from evoply.studies.verdicts import (
        Claim,
        Figure,
        difference,
        judge,
        mean_of,
        ratio_of,
        share_of_games,
    )

__all__ = [
    "SCALES",
    "STUDIES",
    "Claim",
    "Figure",
    "PaperExperiment",
    "Reproduction",
    "Request",
    "Result",
    "Row",
    "Study",
    "difference",
    "find_study",
    "judge",
    "mean_of",
    "page_of_study",
    "ratio_of",
    "reproduce",
    "share_of_games",
]

give_when_used(
    __name__,
    {
        "catalogue": "STUDIES find_study reproduce",
        "study_page": "page_of_study",
        "study": "SCALES PaperExperiment Reproduction Request Result Row Study",
        "verdicts": "Claim Figure difference judge mean_of ratio_of share_of_games",
    },
)
