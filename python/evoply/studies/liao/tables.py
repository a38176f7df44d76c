"""Liao's study of staged players: Tables 1 and 2, and the questions it leaves.

Source: Liao, "Genetic Programming Applied to Board Game Othello" (a course project). Every
hypothesis plays White against a player that moves at random; the tables count its wins of 50.

Trees for halves of the game, and players of many stages, are evolved by gpjpp's engine with its
defaults (preset `gpjpp`): five games as White against a random player; the opponent's gain of discs
within an epoch is minimised.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from evoply.evolution import Generation, config_from_toml, evolve
from evoply.gp import Forest, Genotype, Tree
from evoply.reports.charts import interval_chart, line_chart
from evoply.runs.presets import preset_text
from evoply.studies.liao.white_games import (
    PRINTED_GAMES,
    RULES,
    games_as_white,
    staged_of,
    wins_of_50,
)
from evoply.studies.study import Reproduction, Result, Row, paper, row, series, study_of
from evoply.studies.verdicts import Figure, difference, mean_of, share_of_games

HALVES = ((0, 50), (50, 100))
"""Where the parts of the game of both trees begin and end, in percent."""
STAGES = (1, 2, 3, 4, 6, 12, 60)

_SWEEP_NODES = 600
_YARDSTICK = "hall_of_fame={size=1,candidates=1,sample=1,pairs=1,final_pairs=1}"
"""Settings without tests by the engine: the study tests its own individuals."""


@dataclass(frozen=True, slots=True)
class Half:
    """The result of one run for a part of the game."""

    tree: Tree
    discs: float
    """The opponent's gain of discs there in the five training games."""
    generations: int


def halves_of(termination: float, request: Reproduction, run: int) -> tuple[Half, Half]:
    """Return the trees of both halves from two runs that end below *termination* discs."""
    first, second = (_half(termination, start, end, request, run) for start, end in HALVES)
    return first, second


def _half(termination: float, start: int, end: int, request: Reproduction, run: int) -> Half:
    settings = [
        f"seed={_seed(request, run, int(termination), start)}",
        f"generations={request.size('generations')}",
        f"termination.fitness={termination}",
        f'fitness.measure={{kind="epoch_discs",start={start}.0,end={end}.0}}',
        _YARDSTICK,
    ]
    steps = evolve(config_from_toml(preset_text("gpjpp"), settings), threads=request.threads)
    tree, fitness, generations = _best(steps)
    assert isinstance(tree, Tree)
    return Half(tree, -fitness, generations)


def _seed(request: Reproduction, *numbers: int) -> int:
    """Return a different seed for every run of the study."""
    seed = request.seed
    for number in numbers:
        seed = (1009 * seed + number) % 2**63
    return seed


def _best(generations: Iterable[Generation]) -> tuple[Genotype, float, int]:
    """Return the first tree with the best training fitness, that, and the number of generations."""
    fittest = [generation.best for generation in generations]
    best = max(fittest, key=lambda individual: individual.fitness)
    return best.tree, best.fitness, len(fittest)


def evolved_rows(wins: Mapping[str, float], request: Reproduction) -> tuple[list[Row], list[str]]:
    """Return rows of newly evolved halves and their staged pairs, and notes on the runs.

    *wins* are those printed, by termination fitness and part, such as "50.0, tree 1".
    """
    rows: list[Row] = []
    notes: list[str] = []
    runs, games = request.size("runs"), request.size("test_games")
    for termination in (50.0, 25.0):
        pairs = [halves_of(termination, request, run) for run in range(runs)]
        found: dict[str, list[float]] = {"tree 1": [], "tree 2": [], "staged": []}
        for first, second in pairs:
            staged = Forest("stages", (first.tree, second.tree), (50, 50))
            found["tree 1"].append(_test_wins(first.tree, request))
            found["tree 2"].append(_test_wins(second.tree, request))
            found["staged"].append(_test_wins(staged, request))
        printed = {
            part: share_of_games(wins[f"{termination}, {part}"], PRINTED_GAMES, of=PRINTED_GAMES)
            for part in found
        }
        rows += [
            row(f"{termination}, {part}, evolved here", mean_of(found[part], within=(0, 50)),
                printed[part], reference=25.0, otherwise=_SETTINGS)
            for part in found
        ]  # fmt: skip
        gains = [both - first for both, first in zip(found["staged"], found["tree 1"], strict=True)]
        rows.append(
            row(f"gain of {termination}, staged, evolved here over its tree 1",
                mean_of(gains, within=(-50, 50)),
                difference(printed["staged"], printed["tree 1"]), reference=0.0,
                otherwise=_SETTINGS)
        )  # fmt: skip
        at_once = sum(half.generations == 1 for halves in pairs for half in halves)
        discs = sum(half.discs for halves in pairs for half in halves) / (2 * runs)
        notes.append(
            f"Termination fitness {termination}: {at_once} of {2 * runs} runs ended with the first "
            f"random population, whose best let the opponent gain {discs:.1f} discs on average in "
            f"five games. Every tree was then tested in {games:,} other games."
        )
    return rows, notes


def _test_wins(tree: Genotype, request: Reproduction) -> float:
    """Return the wins of an evolved player in 50 games that are not those of its training."""
    played = games_as_white(
        tree, games=request.size("test_games"), seed=request.seed + 1, threads=request.threads
    )
    return PRINTED_GAMES * played.wins / played.games


def percents_of(count: int) -> tuple[int, ...]:
    """Return *count* whole percentages, 100 together, as equal as can be.

    >>> percents_of(3)
    (34, 33, 33)
    """
    each, over = divmod(100, count)
    return tuple(each + (index < over) for index in range(count))


def stage_sweep(request: Reproduction) -> Result:
    """Return the wins with 1 to 60 jointly evolved stages at one budget of games and nodes."""

    def measure(count: int, run: int) -> tuple[float, int]:
        tree = _evolve_stages(count, request, run)
        return _test_wins(tree, request), len(set(tree.trees)) if isinstance(tree, Forest) else 1

    found = dict(request.over_seeds(STAGES, request.size("runs"), measure))
    figures = {n: mean_of([wins for wins, _ in of], within=(0, 50)) for n, of in found.items()}
    rows = []
    for count, figure in figures.items():
        trees = sum(different for _, different in found[count]) / request.size("runs")
        reason = f"{trees:.3g} different tree{'s' * (trees > 1)} on average"
        rows.append(row(f"{count} stage{'s' * (count > 1)}", figure, reason=reason))
    rows += [
        row(f"gain of {count} stages over 1", difference(figures[count], figures[1]))
        for count in STAGES[1:]
    ]
    chart = line_chart(
        "Wins by number of stages",
        STAGES,
        [series("wins of 50", figures.values())],
        "wins of 50 games",
        x_title="stages",
        note="with 95 % intervals over runs",
        is_log=True,
    )
    return request.result(rows, [chart], nodes=_SWEEP_NODES)


def _evolve_stages(count: int, request: Reproduction, run: int) -> Genotype:
    percents = ",".join(map(str, percents_of(count)))
    settings = [
        f"seed={_seed(request, run, count)}",
        f"population_size={request.size('population')}",
        f"generations={request.size('generations')}",
        f'individual={{kind="stages",percents=[{percents}]}}',
        'fitness.measure={kind="stage_discs"}',
        "initialisation.max_depth=4",
        'initialisation.duplicates="avoid"',
        f"limits.max_nodes={_SWEEP_NODES}",
    ]
    config = config_from_toml(preset_text("gpjpp"), settings)
    *_, last = evolve(config, threads=request.threads)
    return last.hall_of_fame[0].tree


OVERLAPS = (0, 10, 20, 30, 40, 50)
_OTHER_GAMES = 500
_UNDER = {"plain": "plain rules", "reconstruction": "reconstruction"}
_WHY = {
    "plain": "unknown: not by plain rules; a reconstruction comes near",
    "reconstruction": "unknown: the reconstruction is a guess that fits roughly",
}
_GAIN = "follows from the wins, whose level differs"
_SETTINGS = "settings unknown: gpjpp's defaults, under plain rules"


def hypotheses(table: str) -> dict[str, Mapping[str, Any]]:
    """Return the text, the printed wins and perhaps a reason of each hypothesis, by its name."""
    found = paper("liao")["tables"][table]["hypotheses"]
    return {told.get("name", told["text"]): told for told in found}


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
    evolved = request.result(rows)
    return replace(result, rows=(*result.rows, *evolved.rows), notes=(*result.notes, *notes))


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
            row(
                name, ours[name], printed[name],
                reference=25.0, reason=reason, otherwise=_WHY[rules],
            )
        )  # fmt: skip
    for staged, single in request.table.told["gains"]:
        gain = difference(ours[staged], ours[single])
        paper_gain = difference(printed[staged], printed[single])
        name = f"gain of {staged} over {single}"
        why = _GAIN if rules == "plain" else _WHY[rules]
        rows.append(row(name, gain, paper_gain, reference=0.0, otherwise=why))
    other = next(rule for rule in RULES if rule != rules)
    fewer = min(games, _OTHER_GAMES)
    others = {name: wins_of_50(told[name]["text"], request, fewer, other) for name in told}
    rows += [
        row(
            f"{name}, {_UNDER[other]}", others[name], printed[name],
            reference=25.0, otherwise=_WHY[other],
        )
        for name in ours
    ]  # fmt: skip
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
