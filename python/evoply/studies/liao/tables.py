"""Liao's study of staged players: Tables 1 and 2, and the questions it leaves.

Source: Liao, "Genetic Programming Applied to Board Game Othello" (a course project). Every
hypothesis plays White against a player that moves at random; the tables count its wins of 50.
"""

from collections.abc import Sequence
from dataclasses import replace

from evoply.reports.charts import interval_chart
from evoply.studies.liao.evolution import evolved_rows, stage_sweep
from evoply.studies.liao.overlap import overlap_sweep
from evoply.studies.liao.white_games import RULES, UNIT, games_as_white
from evoply.studies.study import PaperExperiment, Request, Result, Row, Scale, Study, row, series
from evoply.studies.verdicts import Figure, difference, share_of_games

PRINTED_GAMES = 50
GAMES: dict[Scale, int] = {"smoke": 200, "small": 2000, "paper": 20_000}
"""Games per hypothesis: 4, 40 and 400 times the paper's 50, for narrower intervals."""

_OTHER_GAMES = 500
_UNDER = {"plain": "plain rules", "reconstruction": "reconstruction"}

WHITE, CORNERS = "( white )", "( white_corners )"
HALVES = f"{WHITE},50,{CORNERS},50"
QUARTERS = f"{WHITE},75,{CORNERS},25"
TABLE_1 = ((WHITE, 44), (CORNERS, 1), (HALVES, 43), (QUARTERS, 49))
"""Hypotheses and printed wins of 50. The cell of the corners is blank; the text says 1."""

_TREES = (
    "( + white ( + white_corners black_near_corners ) white )",
    "( / ( - white_near_corners black_corners ) ( - black_corners white_near_corners ) )",
    WHITE,
    "( + ( + white_corners white ) ( * ( * white_edges black_edges ) "
    "( - white_corners black_near_corners ) ) )",
)
TABLE_2 = (
    ("50.0, tree 1", _TREES[0], 46),
    ("50.0, tree 2", _TREES[1], 49),
    ("50.0, staged", f"{_TREES[0]},50,{_TREES[1]},50", 45),
    ("25.0, tree 1", _TREES[2], 44),
    ("25.0, tree 2", _TREES[3], 46),
    ("25.0, staged", f"{_TREES[2]},50,{_TREES[3]},50", 50),
)
"""Termination fitness and part, hypothesis, printed wins of 50."""
_PRINTED_WINS = tuple(
    (termination, tuple(wins for name, _, wins in TABLE_2 if name.startswith(f"{termination},")))
    for termination in (50.0, 25.0)
)

_LUCK = (
    "The printed counts are of 50 games; figures this far from even need other rules or few "
    "different games."
)
_CORNERS_REASON = (
    "The cell is blank and the text says 1 win. Under the plain rules a player that only counts "
    "corners is no worse than ( white ), because most of its moves are ties."
)


def table_1(request: Request) -> Result:
    """Return Table 1: two single trees and two staged hypotheses made of them."""
    hypotheses = [(text, text, wins) for text, wins in TABLE_1]
    reasons = {CORNERS: _CORNERS_REASON}
    gains = ((HALVES, WHITE), (QUARTERS, WHITE), (QUARTERS, HALVES))
    return _table(request, "1", "Two-stage hypotheses", hypotheses, gains, reasons)


def table_2(request: Request) -> Result:
    """Return Table 2: trees evolved for the halves of the game, alone and staged."""
    reasons = {
        "50.0, tree 1": "Its + has three operands; the third is ignored, as the original did.",
        "50.0, tree 2": (
            "Algebraically the tree is -1 except where the divisor is 0, so its play rests on what "
            "x / 0 is and on how ties are broken."
        ),
    }
    gains = (("50.0, staged", "50.0, tree 1"), ("25.0, staged", "25.0, tree 1"))
    title = "Variations with termination fitness"
    result = _table(request, "2", title, TABLE_2, gains, reasons)
    if result.rules != RULES[0]:
        return result
    rows, notes = evolved_rows(_PRINTED_WINS, request)
    return replace(result, rows=(*result.rows, *rows), notes=(*result.notes, *notes))


def _table(
    request: Request,
    table: str,
    title: str,
    hypotheses: Sequence[tuple[str, str, int]],
    gains: Sequence[tuple[str, str]],
    reasons: dict[str, str],
) -> Result:
    rules = request.rules or RULES[0]
    ours: dict[str, Figure] = {}
    paper: dict[str, Figure] = {}
    rows: list[Row] = []
    for number, (name, text, wins) in enumerate(hypotheses):
        ours[name] = _wins(text, request, rules, GAMES[request.scale])
        paper[name] = share_of_games(wins, PRINTED_GAMES, of=PRINTED_GAMES)
        rows.append(
            row(
                name,
                ours[name],
                paper[name],
                reference=25.0,
                reason=reasons.get(name, ""),
                otherwise=_LUCK,
            )
        )
        request.progress(number + 1, len(hypotheses))
    for staged, single in gains:
        rows.append(
            row(
                f"gain of {staged} over {single}",
                difference(ours[staged], ours[single]),
                difference(paper[staged], paper[single]),
                reference=0.0,
                reason="Whether staging pays, which does not rest on how strong the opponent is.",
            )
        )
    other = next(rule for rule in RULES if rule != rules)
    fewer = min(GAMES[request.scale], _OTHER_GAMES)
    others = {name: _wins(text, request, other, fewer) for name, text, _ in hypotheses}
    rows += [
        row(f"{name}, {_UNDER[other]}", others[name], paper[name], reference=25.0) for name in ours
    ]
    chart = interval_chart(
        "Wins of 50 games",
        list(ours),
        [
            series("paper", paper.values(), symbol="diamond"),
            series(f"here, {rules}", ours.values()),
            series(f"here, {other}", others.values(), symbol="square"),
        ],
        "wins of 50 games",
        note="with 95 % intervals; the line is half of the games",
        reference=25.0,
    )
    return replace(request, rules=rules).result(
        "liao",
        table,
        title,
        rows,
        unit=UNIT,
        notes=(*_notes(rules), *_name_notes(hypotheses)),
        charts=(chart,),
    )


def _wins(text: str, request: Request, rules: str, games: int) -> Figure:
    """Return the wins of a hypothesis in 50 games under *rules*."""
    played = games_as_white(
        text, games=games, seed=request.seed, rules=rules, threads=request.threads
    )
    return share_of_games(played.wins, played.games, of=PRINTED_GAMES, distinct=played.distinct)


def _name_notes(hypotheses: Sequence[tuple[str, str, int]]) -> tuple[str, ...]:
    """Return a note for each hypothesis whose name is not its text."""
    return tuple(f"{name} is {text}." for name, text, _ in hypotheses if name != text)


def _notes(rules: str) -> tuple[str, ...]:
    if rules == RULES[0]:
        return (
            "Plain rules: Black, who moves uniformly at random, begins; White looks one ply ahead, "
            "takes the first of equal moves, and x / 0 is 1. No openings: the random player makes "
            "the games differ.",
        )
    return (
        "A reconstruction of the unpublished program, found by trying thousands of readings with "
        "the printed tables in view: a move needs a value above 0 or the turn is lost, trees are "
        "read by the faulty parser that the paper describes, x / 0 is 1, and the random player "
        "never takes its first move and sometimes loses its turn. It fits eight of the nine "
        "hypotheses roughly and the single corners not at all. Nothing confirms it: read it as one "
        "way in which the tables may have come about, not as how they did.",
    )


LIAO = Study(
    name="liao",
    title="Staged hypotheses: another tree for each part of the game",
    authors="Li Liao",
    paper="Genetic Programming Applied to Board Game Othello (course project, Columbia University)",
    experiments=(
        PaperExperiment(
            "1",
            "Table 1: ( white ), ( white_corners ) and two staged hypotheses",
            table_1,
            {"smoke": 0.3, "small": 1.3, "paper": 1.6},
            RULES,
        ),
        PaperExperiment(
            "2",
            "Table 2: evolved trees for both halves of the game, alone and staged",
            table_2,
            {"smoke": 2, "small": 6, "paper": 17},
            RULES,
        ),
        PaperExperiment(
            "stages",
            "How many stages pay: 1, 2, 3, 4, 6, 12 and 60 (proposed, not done in the paper)",
            stage_sweep,
            {"smoke": 5, "small": 36, "paper": 96},
        ),
        PaperExperiment(
            "overlap",
            "Smooth transitions: overlapping stages (proposed, not done in the paper)",
            overlap_sweep,
            {"smoke": 6, "small": 41, "paper": 280},
        ),
    ),
    contradictions=(
        "In Table 2 the first tree for termination fitness 50.0 has three operands under one +, "
        "which takes two.",
        "The second tree there is -1 wherever its divisor is not 0, yet it is printed with 49 wins "
        "of 50.",
        "The values of Table 1 cannot be reached by the rules of Othello against a player that "
        "moves uniformly at random, and a player that only counts corners does not lose nearly "
        "every game.",
        "The corrected code that the bug report quotes passes six of the eight counts on, without "
        "the edges, and lacks a closing brace.",
    ),
    choices=(
        "The clock of a stage is the share of discs placed, (discs - 4) / 60, at the position "
        "where White chooses; passes do not move it.",
        "Squares near a corner are its twelve neighbours, edges the 28 border squares, corners "
        "included.",
        "A draw is not a win. Equally good moves: the first in the order a1, b1, ..., h8.",
        "The programs' settings are unknown: Table 2 plays the printed trees, and evolves others "
        "with gpjpp's defaults, five games an individual.",
    ),
)
