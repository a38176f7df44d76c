"""Studies: tables of papers, reproduced beside the printed figures, with computed verdicts.

The file of a paper (`papers`) has its figures, claims and contradictions, and how much of it is
played at each scale; a module or package has what is its own; `verdicts` has the rule.
"""

from evoply.when_used import give_when_used

give_when_used(__name__)
