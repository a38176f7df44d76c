"""Liao's study of staged players: Tables 1 and 2, and the questions it leaves.

Source: Liao, "Genetic Programming Applied to Board Game Othello" (a course project). Every
hypothesis plays White against a player that moves at random; the tables count its wins of 50.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from evoply.reports.charts import interval_chart, line_chart
from evoply.studies.liao.evolution import evolved_rows, stage_sweep
from evoply.studies.liao.white_games import PRINTED_GAMES, RULES, staged_of, wins_of_50
from evoply.studies.study import Reproduction, Result, Row, paper, row, series, study_of
from evoply.studies.verdicts import Figure, difference, share_of_games

OVERLAPS = (0, 10, 20, 30, 40, 50)
_OTHER_GAMES = 500
_UNDER = {"plain": "plain rules", "reconstruction": "reconstruction"}
_LUCK = (
    "The printed counts are of 50 games; figures this far from even need other rules or few "
    "different games."
)
_PAYS = "Whether staging pays, which does not rest on how strong the opponent is."


def hypotheses(table: str) -> dict[str, Mapping[str, Any]]:
    """Return the text, the printed wins and perhaps a reason of each hypothesis, by its name."""
    told = paper("liao")["tables"][table]["hypotheses"]
    return {one.get("name", one["text"]): one for one in told}


def table_1(request: Reproduction) -> Result:
    """Return Table 1: two single trees and two staged hypotheses made of them."""
    return _table(request)


def table_2(request: Reproduction) -> Result:
    """Return Table 2: trees evolved for the halves of the game, alone and staged."""
    result = _table(request)
    if result.rules != RULES[0]:
        return result
    wins = {name: told["wins"] for name, told in hypotheses("2").items()}
    rows, notes = evolved_rows(wins, request)
    return replace(result, rows=(*result.rows, *rows), notes=(*result.notes, *notes))


def _table(request: Reproduction) -> Result:
    rules, games = request.rules, request.size("games")
    told = hypotheses(request.table.name)
    ours: dict[str, Figure] = {}
    printed: dict[str, Figure] = {}
    rows: list[Row] = []
    for name in request.each(told):
        wins = told[name]["wins"]
        ours[name] = wins_of_50(told[name]["text"], request, games, rules)
        printed[name] = share_of_games(wins, PRINTED_GAMES, of=PRINTED_GAMES)
        reason = told[name].get("reason", "")
        rows.append(
            row(name, ours[name], printed[name], reference=25.0, reason=reason, otherwise=_LUCK)
        )
    for staged, single in request.table.told["gains"]:
        gain = difference(ours[staged], ours[single])
        paper_gain = difference(printed[staged], printed[single])
        name = f"gain of {staged} over {single}"
        rows.append(row(name, gain, paper_gain, reference=0.0, reason=_PAYS))
    other = next(rule for rule in RULES if rule != rules)
    fewer = min(games, _OTHER_GAMES)
    others = {name: wins_of_50(told[name]["text"], request, fewer, other) for name in told}
    rows += [
        row(f"{name}, {_UNDER[other]}", others[name], printed[name], reference=25.0)
        for name in ours
    ]
    chart = interval_chart(
        "Wins of 50 games",
        list(ours),
        [
            series("paper", printed.values(), symbol="diamond"),
            series(f"here, {rules}", ours.values()),
            series(f"here, {other}", others.values(), symbol="square"),
        ],
        "wins of 50 games",
        note="with 95 % intervals; the line is half of the games",
        reference=25.0,
    )
    texts = [f"{name} is {one['text']}." for name, one in told.items() if name != one["text"]]
    return request.result(rows, [chart], texts)


def overlap_sweep(request: Reproduction) -> Result:
    """Return the wins of the paper's staged hypotheses by the overlap of their halves."""
    pairs: Mapping[str, str] = request.table.told["pairs"]
    slides = [*((overlap, "linear") for overlap in OVERLAPS), (OVERLAPS[-1], "logistic")]
    rows: list[Row] = []
    found: dict[str, list[Figure]] = {name: [] for name in pairs}
    steps = [(name, *slide) for name in pairs for slide in slides]
    for name, overlap, slide in request.each(steps):
        staged = staged_of(pairs[name], overlap=float(overlap), slide=slide)
        figures = found[name]
        figures.append(wins_of_50(staged, request, request.size("games")))
        rows.append(row(f"{name}: overlap {overlap} %, {slide}", figures[-1]))
        if len(figures) == len(slides):
            gain = difference(figures[len(OVERLAPS) - 1], figures[0])
            rows.append(row(f"{name}: gain of overlap {OVERLAPS[-1]} % over none", gain))
    chart = line_chart(
        "Wins by overlap",
        OVERLAPS,
        [series(name, figures[: len(OVERLAPS)]) for name, figures in found.items()],
        "wins of 50 games",
        x_title="overlap, % of the game",
        note="of the two halves, linear; with 95 % intervals",
    )
    return request.result(rows, [chart])


LIAO = study_of(
    "liao", {"1": table_1, "2": table_2, "stages": stage_sweep, "overlap": overlap_sweep}
)
