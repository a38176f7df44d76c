"""Benbassat and Sipper's guides, and table 3: matches between them.

Guides look ahead by alpha-beta; finished games have exact values, and one of equal moves is drawn.
In lose checkers every leaf has a random value. In Reversi and on the 10x10 board the paper's guides
alternate between two counts of pieces that it does not name, so there are several readings.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evoply import _native
from evoply.arena import MatchResult, match
from evoply.games.draws import DrawRules
from evoply.reports.charts import interval_chart
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure, share_of_games

PAPER_GAMES = 10_000

GUIDES: Mapping[str, Mapping[str, str]] = {
    "corners": {
        "othello": "material-alternating",
        "lose-checkers": "random-leaf",
        "checkers-10": "material-kings",
    },
    "share": {"othello": "material-share"},
    "integers": {"lose-checkers": "random-leaf:noise=6"},
    "leaf": {"checkers-10": "material-kings:alternate=leaf"},
    "own": {"checkers-10": "material-own"},
    "lean": {"checkers-10": "material-lean"},
    "lean-kings": {"checkers-10": "material-lean-kings"},
    "repeats": {"lose-checkers": "random-leaf", "checkers-10": "material-kings"},
}
"""The guide of each game by reading; those after the first are of the games that they change."""
READINGS = tuple(GUIDES)
GUIDES_OF_10X10 = tuple(
    name for name in READINGS if "checkers-10" in GUIDES[name] and name != "repeats"
)
"""The readings that say which guide 10x10 checkers has."""
TITLES = {
    "othello": "Reversi",
    "lose-checkers": "Lose checkers",
    "checkers-10": "Checkers 10x10",
}


@dataclass(frozen=True, slots=True)
class GuideRow:
    """A row of table 3: two guides by depth (0: a random player) and the first one's score."""

    game: str
    depth: int
    other: int
    printed: float
    simulated: Mapping[str, str]
    """Earlier results of another program, with standard errors, by reading."""

    @property
    def name(self) -> str:
        """The game and the pair, in the paper's notation."""
        other = f"ab{self.other}" if self.other else "random"
        return f"{TITLES[self.game]}: ab{self.depth} against {other}"


LADDER = (
    GuideRow("lose-checkers", 2, 0, 0.9665, {"corners": "0.9705 (17)", "integers": "0.9678 (18)"}),
    GuideRow("lose-checkers", 3, 2, 0.8502, {"corners": "0.8685 (33)", "integers": "0.8477 (36)"}),
    GuideRow("lose-checkers", 5, 3, 0.82535, {"corners": "0.8517 (46)", "integers": "0.8341 (47)"}),
    GuideRow(
        "lose-checkers", 7, 5, 0.8478, {"corners": "0.8575 (243)", "integers": "0.7925 (274)"}
    ),
    GuideRow(
        "lose-checkers", 8, 3, 0.5873, {"corners": "0.9333 (322)", "integers": "0.9500 (281)"}
    ),
    GuideRow(
        "lose-checkers", 5, 8, 0.5562, {"corners": "0.0667 (300)", "integers": "0.1500 (461)"}
    ),
    GuideRow("checkers-10", 2, 0, 0.99885, {"leaf": "0.9989 (2)"}),
    GuideRow("checkers-10", 3, 2, 0.5229, {"leaf": "0.8442 (37)"}),
    GuideRow("othello", 2, 0, 0.8471, {"corners": "0.8532 (19)", "share": "0.7326 (69)"}),
    GuideRow("othello", 3, 2, 0.6004, {"corners": "0.5918 (26)", "share": "0.6491 (74)"}),
    GuideRow("othello", 5, 3, 0.7509, {"corners": "0.7340 (40)", "share": "0.8200 (218)"}),
    GuideRow("othello", 7, 5, 0.7509, {"corners": "0.7623 (77)", "share": "0.8160 (99)"}),
)

DRAWS: Mapping[str, DrawRules | None] = {
    "": None,
    "repeating": DrawRules(repetitions=None),
    "of any length": DrawRules(max_plies=None),
    "long": DrawRules(quiet_plies=200, repetitions=None, max_plies=1000),
}
"""When long games are drawn, of which the paper says nothing; None: the usual rules of the game.
Tables 3 to 6 have the first, in training and in the benchmark."""


_GAMES: dict[Scale, tuple[int, int, int]] = {
    "smoke": (100, 20, 20),
    "small": (2000, 400, 60),
    "paper": (PAPER_GAMES, PAPER_GAMES, PAPER_GAMES),
}
"""Games of a match in which the deeper guide looks at most 5, at most 7 and more plies ahead."""


@dataclass(frozen=True, slots=True)
class GuideReading:
    """A reading of a guide: its evaluation, and what else the paper does not say of it."""

    pair: str
    """The player without its depth; the paper's alternate between two evaluations."""
    quiescence: bool = False
    ties: str = "random"
    """Which of equal moves it makes: a random one, or the first."""

    def player(self, depth: int) -> str:
        """Return the text of the guide that looks *depth* plies ahead; 0 is a random player."""
        if not depth:
            return "random"
        name, _, options = self.pair.partition(":")
        chosen = [f"depth={depth}", *filter(None, [options]), f"ties={self.ties}"]
        chosen += ["quiescence=yes"] * self.quiescence
        # The order of moves makes the guide faster. Only the first of equal ones depends on it.
        chosen += ["ordering=killer"] * (depth > 2 and self.ties == "random")
        return f"{name}:{','.join(chosen)}"

    @property
    def name(self) -> str:
        """The reading in a few words."""
        quiet = ", captures to their end" if self.quiescence else ""
        return f"{self.pair}{quiet}, {self.ties} of equals"


def guide(game: str, depth: int, reading: str = READINGS[0]) -> str:
    """Return the text of the guide of *game* that looks *depth* plies ahead; 0 is a random player.

    Raises ValueError if the reading does not cover the game.
    """
    if not depth:
        return "random"
    if game not in GUIDES[reading]:
        raise ValueError(f"the reading {reading} says nothing of {game}")
    return GuideReading(GUIDES[reading][game]).player(depth)


def games_of(step: GuideRow, scale: Scale) -> int:
    """Return the games of a match at a scale."""
    deepest = max(step.depth, step.other)
    return _GAMES[scale][(deepest > 5) + (deepest > 7)]


def calibrate(step: GuideRow, request: Request) -> MatchResult:
    """Play the match of a row: from the start position, colours swapped, no openings."""
    seed = _native.Stream(request.seed, "benbassat", "guides", step.name).below(2**32)
    return match(
        guide(step.game, step.depth, request.rules),
        guide(step.game, step.other, request.rules),
        game=step.game,
        games=games_of(step, request.scale),
        openings=None,
        draws=DRAWS["repeating" if request.rules == "repeats" else ""],
        seed=seed,
        threads=request.threads,
    )


def score_of(result: MatchResult, *, of: float = 1.0) -> Figure:
    """Return the score of a match on the scale 0 to *of*."""
    interval = result.interval and (of * result.interval[0], of * result.interval[1])
    return Figure(of * result.score, interval, result.games)


def calibration(request: Request) -> Result:
    """Return table 3: matches between guides, beside the paper's 10,000 games each."""
    steps = [step for step in LADDER if step.game in GUIDES[request.rules]]
    rows: list[Row] = []
    printed = {step.name: share_of_games(step.printed * PAPER_GAMES, PAPER_GAMES) for step in steps}
    ours: dict[str, Figure] = {}
    for number, step in enumerate(steps):
        ours[step.name] = score_of(calibrate(step, request))
        rules = "corners" if request.rules == "repeats" else request.rules
        simulated = step.simulated.get(rules)
        reason = f"Another program under this reading: {simulated}." if simulated else ""
        rows.append(
            row(
                step.name,
                ours[step.name],
                printed[step.name],
                reference=0.5,
                reason=reason,
            )
        )
        request.progress(number + 1, len(steps))
        request.shown(_result(request, rows, printed, ours))
    return _result(request, rows, printed, ours)


def _result(
    request: Request, rows: Sequence[Row], printed: Mapping[str, Figure], ours: Mapping[str, Figure]
) -> Result:
    """Return table 3 with the finished rows."""
    names = list(ours)
    chart = interval_chart(
        "Points per game",
        names,
        [
            series("paper", map(printed.get, names), symbol="diamond"),
            series(f"here, {request.rules}", ours.values()),
        ],
        "points per game of the first",
        note="with 95 % intervals",
        reference=0.5,
    )
    return request.result(
        "benbassat",
        "3",
        "Matches between guides",
        rows,
        unit="points per game of the first guide",
        notes=_NOTES[request.rules],
        charts=(chart,),
    )


_OTHER = (
    "Another program, which shares no line with this one, was played under the same reading. The "
    "page (--html) and the JSON have its figures beside ours, with standard errors of the last "
    "digits in brackets. Positions could repeat there in checkers; here the third time is a draw, "
    "but for the reading repeats."
)
_IN_VIEW = (
    "Found with table 5 in view, so that nothing here is proof; --table readings compares all "
    "candidates."
)
_NOTES = {
    "corners": (
        "Lose checkers: every leaf has a random value from [0, 1) for the side to move. 10x10: for "
        "each move a coin says whether a king counts as one man or as one and a half. Reversi: for "
        "each move a coin chooses the difference in discs or in corners. That is a guess, found "
        "with the printed figures in view: at equal depth nearly all pure counts of pieces rank "
        "moves alike, so that alternating between them makes nothing unpredictable.",
        _OTHER,
    ),
    "share": (
        "Reversi, read literally: for each move a coin chooses the difference in discs or the own "
        "share of the discs. Both rank moves alike, but for drawn games.",
        _OTHER,
    ),
    "integers": (
        "Lose checkers: every leaf has a random whole number from 0 to 6, so that values tie. The "
        "range was chosen by another program with the printed figures in view.",
        _OTHER,
    ),
    "leaf": (
        "10x10: the coin that says what a king counts is thrown for every leaf. The printed 0.5229 "
        "was reached by another program with the first of equal moves, most advanced pieces "
        "first, instead of a random one.",
        _OTHER,
    ),
    "own": (
        "10x10: for each move a coin chooses the difference in pieces, or the own pieces alone.",
        _IN_VIEW,
    ),
    "lean": (
        "10x10: for each move a coin chooses the difference in men, or own men counted three times "
        "less the opponent's.",
        _IN_VIEW,
    ),
    "repeats": (
        "The guides of the reading corners; positions may repeat, as they did in the other "
        "program.",
        _OTHER,
    ),
    "lean-kings": (
        "10x10: for each move a coin chooses the difference in pieces, or own ones counted three "
        "times less the opponent's; a king is worth one man and a half.",
        _IN_VIEW,
    ),
}
