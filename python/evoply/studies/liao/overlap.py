"""An open question of Liao's paper: whether the stages of a player should overlap.

The paper proposes overlaps without trying them, so no row has a printed figure.
"""

from evoply.reports.charts import line_chart
from evoply.studies.liao.white_games import UNIT, games_as_white, staged_of
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure, difference, share_of_games

OVERLAPS = (0, 10, 20, 30, 40, 50)

_OVERLAP_GAMES: dict[Scale, int] = {"smoke": 40, "small": 300, "paper": 2000}

PAIRS = (
    ("( white ), ( white_corners )", "( white ),50,( white_corners ),50"),
    (
        "Table 2, 50.0",
        "( + white ( + white_corners black_near_corners ) white ),50,"
        "( / ( - white_near_corners black_corners ) ( - black_corners white_near_corners ) ),50",
    ),
    (
        "Table 2, 25.0",
        "( white ),50,( + ( + white_corners white ) ( * ( * white_edges black_edges ) "
        "( - white_corners black_near_corners ) ) ),50",
    ),
)


def overlap_sweep(request: Request) -> Result:
    """Return the wins of the paper's staged hypotheses by the overlap of their halves."""
    games = _OVERLAP_GAMES[request.scale]
    steps = len(PAIRS) * (len(OVERLAPS) + 1)
    rows: list[Row] = []
    lines: dict[str, list[Figure]] = {}
    done = 0
    for name, text in PAIRS:
        figures: list[Figure] = []
        for overlap, slide in [*((w, "linear") for w in OVERLAPS), (OVERLAPS[-1], "logistic")]:
            staged = staged_of(text, overlap=float(overlap), slide=slide)
            played = games_as_white(staged, games=games, seed=request.seed, threads=request.threads)
            figure = share_of_games(played.wins, played.games, of=50, distinct=played.distinct)
            done += 1
            request.progress(done, steps)
            rows.append(row(f"{name}: overlap {overlap} %, {slide}", figure))
            figures.append(figure)
        rows.append(
            row(
                f"{name}: gain of overlap {OVERLAPS[-1]} % over none",
                difference(figures[len(OVERLAPS) - 1], figures[0]),
            )
        )
        lines[name] = figures[: len(OVERLAPS)]
    chart = line_chart(
        "Wins by overlap",
        OVERLAPS,
        [series(name, figures) for name, figures in lines.items()],
        "wins of 50 games",
        x_title="overlap, % of the game",
        note="of the two halves, linear; with 95 % intervals",
    )
    return request.result(
        "liao",
        "overlap",
        "Smooth transitions between stages",
        rows,
        unit=UNIT,
        notes=(
            "Inside an overlap each move draws its tree; the probability of the second slides from "
            "0 to 1, on a line or a logistic curve.",
        ),
        charts=(chart,),
    )
