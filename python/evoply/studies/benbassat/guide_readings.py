"""Which guide the paper's 10x10 players may have met: candidates, and a rule that chooses one.

The paper says that its guide alternates between two ways of counting pieces, and names neither. Two
rows of its table 3 are all that can tell candidates apart. The rule was written down before they
were played: the candidate with the smallest sum, over both rows, of the distance to the printed
figure in points per 1,000.
"""

from collections.abc import Iterator
from itertools import product

from evoply import _native
from evoply.arena import match
from evoply.games.draws import DrawRules
from evoply.studies.benbassat.guide_matches import LADDER, GuideReading, GuideRow, score_of
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
_DRAWS = DrawRules(repetitions=None)
"""Positions may repeat. This, too, was fixed with the rule."""
_GAMES: dict[Scale, int] = {"smoke": 20, "small": 400, "paper": 10_000}
_ROWS = tuple(step for step in LADDER if step.game == GAME)


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
            draws=_DRAWS,
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
