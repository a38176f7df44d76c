"""The weights of strategies in each phase of the game, beside the paper's figures.

The paper shows the weights of one game (Figures 7 to 13) and says which areas are high or low. Our
figures are means over all moves of some games.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from statistics import fmean

from evoply.studies.frankland.online_matches import GAME, PAPER, Said, ladder_player, played
from evoply.studies.study import BoardPicture, Request, Result, Row, Scale, row
from evoply.studies.verdicts import Claim, Figure, mean_of

_GAMES: dict[Scale, int] = {"smoke": 4, "small": 50, "paper": 200}

PHASES: Mapping[str, tuple[int, int]] = {
    "start": (4, 14),
    "end of the start": (14, 24),
    "middle": (24, 44),
    "end of the middle": (44, 54),
    "end": (54, 64),
}
"""The discs on the board in each phase: from the first number to below the second."""

AREAS: Mapping[str, str] = {
    "A": "corner (a1)",
    "B": "beside the corner (b1)",
    "C": "inner edge (c1)",
    "D": "middle of the edge (d1)",
    "E": "diagonal to the corner (b2)",
    "F": "(c2)",
    "G": "(d2)",
    "H": "middle diagonal (c3)",
    "I": "beside the centre (d3)",
}

PRINTED: Mapping[tuple[str, str], float] = {
    ("start", "I"): 7,
    ("start", "H"): 21,
    ("end of the start", "A"): 5,
    ("end of the start", "B"): 1,
    ("end of the start", "E"): 3,
    ("end of the start", "C"): 7,
    ("end of the start", "H"): 8,
    ("middle", "C"): 22,
    ("middle", "E"): 14,
    ("end of the middle", "A"): 29,
    ("end of the middle", "B"): 1,
    ("end of the middle", "C"): 29,
    ("end of the middle", "E"): 1,
}
"""Weights in the text and in Figures 9 and 10, each of one position of one game."""
FLAGS_ARE_SET = Claim("become true early and stay true", low=0.5)
"""What the paper says of the three flags."""


def weights(request: Request) -> Result:
    """Return the mean weight of every area in every phase, over all moves of some games."""
    online = played(PAPER, ladder_player(1), _GAMES[request.scale], request)
    rows: list[Row] = []
    boards: list[BoardPicture] = []
    for phase, (begin, end) in PHASES.items():
        moves = [move for move in online.said if begin <= move.discs < end]
        if moves:
            boards.append(_board(phase, moves))
        by_area = _by_area(moves)
        for area, title in AREAS.items():
            printed = PRINTED.get((phase, area))
            rows.append(
                row(
                    f"{phase}: {area}, {title}",
                    mean_of(by_area[area], within=(0, 32)) if by_area[area] else None,
                    None if printed is None else Figure(printed, None),
                    otherwise="the paper shows one position of one game",
                )
            )
        rows.append(row(f"{phase}: all three flags set", _flag_share(moves), FLAGS_ARE_SET))
    return request.result(
        "frankland", "weights", "Weights by phase of the game", rows,
        unit="weight of an area, 0 to 32", charts=boards,
        notes=(
            "Means over all moves of the online player in games against the ladder's first level; "
            "an area that alpha's tree does not name has weight 0.",
            "Intervals take moves as independent; those of one game are not quite.",
        ),
    )  # fmt: skip


def _board(phase: str, moves: Sequence[Said]) -> BoardPicture:
    """Return the mean worth of a move to each square, the flags' doubling included."""
    printed = [f"{area} {value:g}" for (name, area), value in PRINTED.items() if name == phase]
    return BoardPicture(
        f"Weights, {phase}",
        GAME,
        tuple(
            fmean(weights)
            for weights in zip(*(move.choice.notes["weights"] for move in moves), strict=False)
        ),
        note=f"mean of {len(moves):,} moves"
        + (f"; the paper's example: {', '.join(printed)}" if printed else ""),
    )


def _by_area(moves: Sequence[Said]) -> Mapping[str, list[float]]:
    values: defaultdict[str, list[float]] = defaultdict(list)
    for move in moves:
        for area, weight in move.choice.notes["areas"].items():
            values[area].append(float(weight))
    return values


def _flag_share(moves: Sequence[Said]) -> Figure | None:
    if not moves:
        return None
    flags = [move.choice.notes["flags"].values() for move in moves]
    return mean_of([float(all(values)) for values in flags], within=(0, 1))
