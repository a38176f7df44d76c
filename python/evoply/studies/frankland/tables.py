"""Frankland and Pillay's study: Table I, the weights by phase of the game, and what it claims.

Source: Frankland & Pillay, "Evolving Game Playing Strategies for Othello" (CEC 2015).
"""

from collections.abc import Sequence

from evoply.players import Online, parse_player
from evoply.protocols import Player
from evoply.studies.frankland.evolved_weights import weights
from evoply.studies.frankland.online_matches import LEVELS, PAPER, opponents_of, played
from evoply.studies.frankland.sweep import ablation, sensitivity
from evoply.studies.study import PaperExperiment, Request, Result, Row, Scale, Study, row
from evoply.studies.verdicts import Figure

_GAMES: dict[Scale, int] = {"smoke": 10, "small": 100, "paper": 400}

_WZEBRA: dict[str, tuple[float, float]] = {
    "1 to 2 plies": (95, 5), "3 to 5 plies": (50, 5), "more than 5 plies": (0, 0)
}  # fmt: skip
"""Wins and ties in percent against WZebra, by how far it looked ahead."""
_RUNG_OF: dict[int, str] = {
    1: "1 to 2 plies", 3: "3 to 5 plies", 5: "3 to 5 plies", 7: "more than 5 plies"
}  # fmt: skip
"""Where WZebra's figures stand that belong to a depth."""
_NOT_TO_BE_HAD: dict[str, tuple[float, float]] = {
    "people who begin": (81, 0), "people with some practice": (69, 13),
    "AI Factory, levels 1 to 7": (95, 5), "AI Factory, level 8": (50, 2),
    "AI Factory, levels 9 to 10": (0, 0),
    "Math is fun, easy": (95, 5), "Math is fun, medium": (70, 2), "Math is fun, hard": (0, 0),
}  # fmt: skip
"""The other rows of Table I: wins and ties in percent."""
STRONG_LEVELS = (1, 3, 5, 7)
"""The depths in plies of the opponents of the strongest form."""
_OPENINGS = "Random openings of eight plies, each with both colours"
_ELSEWHERE = "the opponent is not the paper's WZebra"
_MISSING = "this opponent of the paper cannot be had"


def table_1(request: Request) -> Result:
    """Return wins and ties of the online player, beside all rows of the paper's table.

    The ladder stands in WZebra's place, or an engine that is given with {level} in its text.
    """
    levels = list(opponents_of(request.opponent))
    title, note = "Games against players that look ahead", f"{_OPENINGS}; settings as in the paper."
    stands_in = request.opponent in ("", "ladder") or "{level}" in request.opponent
    return _against(request, "1", title, note, PAPER, levels, LEVELS if stands_in else ())


def strong(request: Request) -> Result:
    """Return wins and ties of the strongest form against opponents of growing depth.

    At the largest scale it plays 200,000 games for a move at the start, else as many as the paper.
    """
    games = 95 if request.scale == "paper" else 10
    player = parse_player(f"online-strong:games={games}")
    assert isinstance(player, Online)
    note = f"{_OPENINGS}; {100 * 21 * games:,} games for a move at the start."
    levels = list(opponents_of(request.opponent, STRONG_LEVELS))
    return _against(request, "strong", "The strongest form", note, player, levels, [])


def _against(
    request: Request,
    table: str,
    title: str,
    note: str,
    player: Online,
    levels: Sequence[tuple[str, Player]],
    plies: Sequence[int],
) -> Result:
    """Return the wins and ties of *player* against each of *levels*, and its time.

    Where they look WZebra's numbers of *plies* ahead, all rows of the paper's table are there.
    """
    games = request.games or _GAMES[request.scale]
    rows: list[Row] = []
    notes = [note]
    for step, (name, opponent) in enumerate(levels):
        online = played(player, opponent, games, request.part(step, len(levels)))
        rung = _RUNG_OF[plies[step]] if plies else None
        printed = None if rung is None else _WZEBRA[rung]
        title_of_row = name if rung is None else f"WZebra, {rung}: here {name}"
        figures = ("wins", online.win_share, 0), ("ties", online.tie_share, 1)
        for what, ours, index in figures:
            paper = None if printed is None else Figure(printed[index], None)
            rows.append(
                row(
                    f"{title_of_row}: {what}", ours, paper,
                    reference=50.0 if what == "wins" else None, otherwise=_ELSEWHERE,
                )
            )  # fmt: skip
        mean, slow = online.seconds
        notes.append(
            f"{name}: {mean:.3f} s per move on average, 95 % of the moves within {slow:.3f} s."
        )
        missing = _missing_rows() if plies else []
        result = request.result(
            "frankland", table, title, [*rows, *missing], unit="percent of the games", notes=notes
        )
        request.shown(result)
    return result


def _missing_rows() -> list[Row]:
    """Return the rows of Table I whose opponents cannot be had."""
    return [
        row(f"{name}: {what}", None, Figure(printed, None), reason=_MISSING)
        for name, figures in _NOT_TO_BE_HAD.items()
        for what, printed in zip(("wins", "ties"), figures, strict=True)
    ]


FRANKLAND = Study(
    name="frankland",
    title="Strategies evolved afresh before every move",
    authors="Frankland and Pillay",
    paper="Evolving Game Playing Strategies for Othello (CEC 2015)",
    usual="1",
    experiments=(
        PaperExperiment(
            "1", "Table I: wins and ties against players that look 1, 3, 5 and 7 plies ahead",
            table_1, {"smoke": 40, "small": 200, "paper": 800}, takes_opponent=True,
        ),
        PaperExperiment(
            "weights", "Figures 7 to 13: the weights of the areas by phase of the game",
            weights, {"smoke": 10, "small": 50, "paper": 200},
        ),
        PaperExperiment(
            "sensitivity", "What other settings change: population, generations and others",
            sensitivity, {"smoke": 60, "small": 300, "paper": 1200},
        ),
        PaperExperiment(
            "ablation", "Beyond the paper: what using all games of an evolution is worth",
            ablation, {"smoke": 60, "small": 600, "paper": 2400}, takes_opponent=True,
        ),
        PaperExperiment(
            "strong", "Beyond the paper: the strongest form against players that look ahead",
            strong, {"smoke": 60, "small": 500, "paper": 20000}, takes_opponent=True,
        ),
    ),
    contradictions=(
        "Table I cannot come from the numbers of games in the text: five games give no 95 % and "
        "no 2 %, fifteen no 95 %, and 34 no 81 %.",
        "Twenty people with at least three games each make sixty games; the text has 34 + 16.",
        "The population is said to play each other, and then each element the alpha player alone.",
        "The first alpha is randomly generated, or it is an element of the first population.",
        "Corners are doubled in an example of a quadrant to 56, 22 and 22: two of these squares "
        "are no corners of the board. The eight edge positions are those of a quadrant too.",
        "Trees of depth 6 have about 98 leaves on average, and offspring at most 64 nodes.",
        "The caption of a figure speaks of three quadrants; there are four.",
        "Two sections have the same title, the performance of the player; the second one is about "
        "the strategies that evolved.",
    ),
    choices=(
        "The nine areas are the orbits of the squares without the centre; their letters are "
        "numbered row by row, because the figure is lost.",
        "A tied match leaves alpha in its place.",
        "Games of evolution begin at the position at hand with the side to move, and strategy and "
        "alpha change sides from game to game.",
        "Of several values of an area a coin takes the first or the last once for each individual.",
        "Offspring are pruned at the deepest function first, of equally deep ones the rightmost.",
        "Alpha chooses the move, and is kept for the next moves and games of a match: the paper's "
        "flag Supreme Alpha is true (option carry=game: for the moves of one game).",
        "The flag Preserve Alpha governs both operators: a parent of every crossover is alpha, and "
        "the parent of half of all mutations.",
        "The opponent is a ladder of alpha-beta players with hand-made weights, or any engine "
        "given by --opponent.",
    ),
)  # fmt: skip
