"""Games as data: rules in forty lines of Python, at the kernel's speed.

>>> from evoply.expressions import board, squares
>>> from evoply.rules import Rules, step
>>> breakthrough = Rules(
...     name="my-breakthrough", rows=8, columns=8, black="1-2", white="7-8", piece="pawn",
...     moves=[
...         step(board.own, "forward", onto=board.empty),
...         step(board.own, ["forward_left", "forward_right"], onto=~board.own),
...     ],
...     wins=board.own & squares("farthest_rank"),
... )
>>> start = breakthrough.game().start()
>>> len(start.legal_moves), str(start.legal_moves[0])
(22, 'a2-a3')

Reasons: docs/design/kernel.md.
"""

from evoply.rules.conformance import Finding, check_rules
from evoply.rules.language import Rules
from evoply.rules.loading import add_carried, carried_rules, load_rules, read_rules
from evoply.rules.moves import (
    Offset,
    Placing,
    RuleOfMoves,
    RulesError,
    Sliding,
    Stepping,
    place,
    slide,
    step,
)

__all__ = [
    "Finding",
    "Offset",
    "Placing",
    "RuleOfMoves",
    "Rules",
    "RulesError",
    "Sliding",
    "Stepping",
    "add_carried",
    "carried_rules",
    "check_rules",
    "load_rules",
    "place",
    "read_rules",
    "slide",
    "step",
]
