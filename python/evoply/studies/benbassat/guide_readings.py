"""Which guide the paper's 10x10 players may have met: candidates, and a rule that chooses one.

The paper says that its guide alternates between two ways of counting pieces, and names neither. Two
rows of its table 3 are all that can tell candidates apart. The rule was written down before they
were played: the candidate with the smallest sum, over both rows, of the distance to the printed
figure in points per 1,000.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from evoply import _native
from evoply.arena import match
from evoply.studies.benbassat.guide_matches import DRAWS, LADDER, GuideRow, score_of
from evoply.studies.study import Request, Result, Row, Scale, row
from evoply.studies.verdicts import Figure

GAME = "checkers-10"
PAIRS = (
    "material-kings",
    "material-kings:alternate=leaf",
    "material-kings:alternate=game",
    "material-own",
    "material-lean",
    "material-lean-kings",
)
"""Two evaluations that alternate: a coin for each move unless the text says otherwise."""
_GAMES: dict[Scale, int] = {"smoke": 20, "small": 400, "paper": 10_000}
_ROWS = tuple(step for step in LADDER if step.game == GAME)


@dataclass(frozen=True, slots=True)
class GuideReading:
    """A reading of the guide."""

    pair: str
    quiescence: bool
    ties: str
    """Which of equal moves it makes: a random one, or the first."""

    def player(self, depth: int) -> str:
        """Return the text of the guide that looks *depth* plies ahead; 0 is a random player."""
        if not depth:
            return "random"
        name, _, options = self.pair.partition(":")
        chosen = [f"depth={depth}", f"ties={self.ties}", *filter(None, [options])]
        chosen += ["quiescence=yes"] * self.quiescence
        # The first of equal moves depends on the order in which they are looked at.
        chosen += ["ordering=killer"] * (depth > 2 and self.ties == "random")
        return f"{name}:{','.join(chosen)}"

    @property
    def name(self) -> str:
        """The candidate in a few words."""
        quiet = ", captures to their end" if self.quiescence else ""
        return f"{self.pair}{quiet}, {self.ties} of equals"


CANDIDATES = tuple(
    GuideReading(*parts) for parts in product(PAIRS, (False, True), ("random", "first"))
)
"""All that are compared."""


def guide_readings(request: Request) -> Result:
    """Return both printed rows of table 3 for every candidate, and which one the rule chooses."""
    rows: list[Row] = []
    distances: dict[GuideReading, float] = {}
    result = _result(request, rows, distances)
    for number, candidate in enumerate(CANDIDATES):
        figures = list(_figures(candidate, request))
        for step, ours in zip(_ROWS, figures, strict=True):
            printed = Figure(1000 * step.printed, None)
            rows.append(row(f"{candidate.name}: {_pair(step)}", ours, printed, reference=500.0))
        pairs = zip(_ROWS, figures, strict=True)
        distances[candidate] = sum(abs(ours.value - 1000 * step.printed) for step, ours in pairs)
        rows.append(row(f"{candidate.name}: distance", Figure(distances[candidate], None)))
        result = _result(request, rows, distances)
        request.progress(number + 1, len(CANDIDATES))
        request.shown(result)
    return result


def _pair(step: GuideRow) -> str:
    return step.name.partition(": ")[2]


def _figures(candidate: GuideReading, request: Request) -> Iterator[Figure]:
    """Yield the points per 1,000 of the deeper guide in each printed row."""
    for step in _ROWS:
        played = match(
            candidate.player(step.depth),
            candidate.player(step.other),
            game=GAME,
            games=_GAMES[request.scale],
            openings=None,
            draws=DRAWS[GAME],
            seed=_native.Stream(request.seed, "benbassat", "readings", step.name).below(2**32),
            threads=request.threads,
        )
        yield score_of(played, of=1000.0)


def _result(request: Request, rows: list[Row], distances: dict[GuideReading, float]) -> Result:
    notes = [
        "The rule: the smallest sum over both rows of the distance to the printed figure, in "
        "points per 1,000. Rule and candidates were fixed before the first of these games.",
        "The pairs own, lean and lean-kings were found with table 5 in view, so that nothing here "
        "proves which guide the paper had.",
    ]
    if distances:
        chosen = min(distances, key=distances.__getitem__)
        notes.insert(0, f"Chosen: {chosen.name} ({distances[chosen]:.1f} points).")
    return request.result(
        "benbassat",
        "readings",
        "Readings of the 10x10 guide",
        rows,
        unit="points per 1,000 games of the deeper guide",
        notes=notes,
    )
