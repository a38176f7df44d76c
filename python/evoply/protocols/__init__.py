"""The contracts and the errors that all other packages are written against.

Each contract is one page: `games` (positions, records, diagrams), `players` (player, seat, choice),
`clocks` (time for a game), `in_progress` (a game that is played), `learners` (learner, step) and
`clusters` (units of work for other machines). This package knows no game, no evaluator and no file.
"""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.protocols.clocks import LONGEST_CLOCK, TimeControl
    from evoply.protocols.clusters import (
        CHECK_SHARE,
        Answer,
        Cluster,
        ClusterError,
        Same,
        UnitError,
        UnitFunction,
        WrongResultError,
        packed,
        unpacked,
    )
    from evoply.protocols.errors import (
        MALFORMED,
        ConfigError,
        ForfeitError,
        IllegalMoveError,
        InvalidMoveError,
        RunError,
        RunNameError,
    )
    from evoply.protocols.games import (
        BoardShape,
        Cell,
        Color,
        Diagram,
        DiagramSide,
        Ending,
        GameRecord,
        LegalMoves,
        Move,
        Outcome,
        Position,
        Row,
    )
    from evoply.protocols.in_progress import GameInProgress
    from evoply.protocols.learners import (
        Learner,
        Progress,
        Step,
        StoppedWithinStepError,
        StorableLearner,
        steps,
    )
    from evoply.protocols.players import CERTAIN, Choice, Clock, Player, Seat, choice_of

__all__ = [
    "CERTAIN",
    "CHECK_SHARE",
    "LONGEST_CLOCK",
    "MALFORMED",
    "Answer",
    "BoardShape",
    "Cell",
    "Choice",
    "Clock",
    "Cluster",
    "ClusterError",
    "Color",
    "ConfigError",
    "Diagram",
    "DiagramSide",
    "Ending",
    "ForfeitError",
    "GameInProgress",
    "GameRecord",
    "IllegalMoveError",
    "InvalidMoveError",
    "Learner",
    "LegalMoves",
    "Move",
    "Outcome",
    "Player",
    "Position",
    "Progress",
    "Row",
    "RunError",
    "RunNameError",
    "Same",
    "Seat",
    "Step",
    "StoppedWithinStepError",
    "StorableLearner",
    "TimeControl",
    "UnitError",
    "UnitFunction",
    "WrongResultError",
    "choice_of",
    "packed",
    "steps",
    "unpacked",
]

give_when_used(
    __name__,
    {
        "clocks": "LONGEST_CLOCK TimeControl",
        "clusters": (
            "CHECK_SHARE Answer Cluster ClusterError Same UnitError UnitFunction "
            "WrongResultError packed unpacked"
        ),
        "errors": (
            "MALFORMED ConfigError ForfeitError IllegalMoveError InvalidMoveError RunError "
            "RunNameError"
        ),
        "games": (
            "BoardShape Cell Color Diagram DiagramSide Ending GameRecord LegalMoves Move "
            "Outcome Position Row"
        ),
        "in_progress": "GameInProgress",
        "learners": "Learner Progress Step StoppedWithinStepError StorableLearner steps",
        "players": "CERTAIN Choice Clock Player Seat choice_of",
    },
)
