"""The evolutions of Liao's study: trees for halves of the game, and players of many stages.

The engine is gpjpp's with its defaults (preset `gpjpp`): five games as White against a random
player; the opponent's gain of discs within an epoch is minimised.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evoply.evolution import Generation, config_from_toml, evolve
from evoply.gp import Forest, Genotype, Tree
from evoply.presets import preset_text
from evoply.reports.charts import line_chart
from evoply.studies.liao.white_games import UNIT, games_as_white
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import difference, mean_of, share_of_games

HALVES = (("tree 1", 0, 50), ("tree 2", 50, 100))
STAGES = (1, 2, 3, 4, 6, 12, 60)

_RUNS: dict[Scale, int] = {"smoke": 3, "small": 10, "paper": 40}
_GENERATIONS: dict[Scale, int] = {"smoke": 10, "small": 51, "paper": 51}
_GAMES: dict[Scale, int] = {"smoke": 200, "small": 500, "paper": 2000}
_SWEEP_RUNS: dict[Scale, int] = {"smoke": 3, "small": 5, "paper": 8}
_SWEEP_POPULATION: dict[Scale, int] = {"smoke": 30, "small": 100, "paper": 200}
_SWEEP_GENERATIONS: dict[Scale, int] = {"smoke": 4, "small": 15, "paper": 20}
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


def halves_of(termination: float, request: Request, run: int) -> tuple[Half, Half]:
    """Return the trees of both halves from two runs that end below *termination* discs."""
    first, second = (_half(termination, start, end, request, run) for _, start, end in HALVES)
    return first, second


def _half(termination: float, start: int, end: int, request: Request, run: int) -> Half:
    settings = [
        f"seed={_seed(request, run, int(termination), start)}",
        f"generations={_GENERATIONS[request.scale]}",
        f"termination.fitness={termination}",
        f'fitness.measure={{kind="epoch_discs",start={start}.0,end={end}.0}}',
        _YARDSTICK,
    ]
    steps = evolve(config_from_toml(preset_text("gpjpp"), settings), threads=request.threads)
    best, generations = _best(steps)
    assert isinstance(best.tree, Tree)
    return Half(best.tree, -best.fitness, generations)


def _seed(request: Request, *numbers: int) -> int:
    """Return a different seed for every run of the study."""
    seed = request.seed
    for number in numbers:
        seed = (1009 * seed + number) % 2**63
    return seed


def _best(generations: Iterator[Generation]) -> tuple[_Best, int]:
    """Return the individual with the best training fitness, and the number of generations."""
    best: _Best | None = None
    count = 0
    for generation in generations:
        count += 1
        fittest = generation.best
        if best is None or fittest.fitness > best.fitness:
            best = _Best(fittest.tree, fittest.fitness)
    assert best is not None  # there is always a first generation
    return best, count


@dataclass(frozen=True, slots=True)
class _Best:
    tree: Genotype
    fitness: float


def evolved_rows(
    printed: Sequence[tuple[float, Sequence[float]]], request: Request
) -> tuple[list[Row], list[str]]:
    """Return rows of newly evolved halves and their staged pairs, and notes on the runs.

    *printed* has the termination fitness, and the printed wins of tree 1, tree 2 and both staged.
    """
    rows: list[Row] = []
    notes: list[str] = []
    runs = _RUNS[request.scale]
    for termination, wins in printed:
        pairs = [halves_of(termination, request, run) for run in range(runs)]
        counts: list[list[float]] = [[], [], []]
        for first, second in pairs:
            staged = Forest("stages", (first.tree, second.tree), (50, 50))
            players: tuple[Genotype, ...] = (first.tree, second.tree, staged)
            for index, individual in enumerate(players):
                played = games_as_white(
                    individual,
                    games=_GAMES[request.scale],
                    seed=request.seed + 1,
                    threads=request.threads,
                )
                counts[index].append(50 * played.wins / played.games)
        figures = [mean_of(count, within=(0, 50)) for count in counts]
        for index, name in enumerate(("tree 1", "tree 2", "staged")):
            rows.append(
                row(
                    f"{termination}, {name}, evolved here",
                    figures[index],
                    share_of_games(wins[index], 50, of=50),
                    reference=25.0,
                    reason=f"Mean of {runs} runs of gpjpp's defaults; each tested in "
                    f"{_GAMES[request.scale]:,} other games.",
                )
            )
        gain = mean_of(
            [both - first for both, first in zip(counts[2], counts[0], strict=True)],
            within=(-50, 50),
        )
        rows.append(
            row(
                f"gain of {termination}, staged, evolved here over its tree 1",
                gain,
                difference(*(share_of_games(wins[index], 50, of=50) for index in (2, 0))),
                reference=0.0,
            )
        )
        at_once = sum(half.generations == 1 for halves in pairs for half in halves)
        notes.append(
            f"Termination fitness {termination}: {at_once} of {2 * runs} runs ended with the first "
            f"random population, whose best let the opponent gain "
            f"{sum(half.discs for halves in pairs for half in halves) / (2 * runs):.1f} discs on "
            "average in five games."
        )
    return rows, notes


def percents_of(count: int) -> tuple[int, ...]:
    """Return *count* whole percentages, 100 together, as equal as can be.

    >>> percents_of(3)
    (34, 33, 33)
    """
    each, over = divmod(100, count)
    return tuple(each + (index < over) for index in range(count))


def stage_sweep(request: Request) -> Result:
    """Return the wins with 1 to 60 jointly evolved stages at one budget of games and nodes."""
    runs = _SWEEP_RUNS[request.scale]
    scores: list[list[float]] = []
    different: list[float] = []
    for number, count in enumerate(STAGES):
        wins: list[float] = []
        distinct = 0
        for run in range(runs):
            tree = _evolve_stages(count, request, run)
            played = games_as_white(
                tree, games=_GAMES[request.scale], seed=request.seed + 1, threads=request.threads
            )
            wins.append(50 * played.wins / played.games)
            distinct += len(set(tree.trees)) if isinstance(tree, Forest) else 1
            request.progress(number * runs + run + 1, len(STAGES) * runs)
        scores.append(wins)
        different.append(distinct / runs)
    figures = [mean_of(wins, within=(0, 50)) for wins in scores]
    rows = [
        row(
            f"{count} stage{'s' * (count > 1)}",
            figure,
            reason=f"{trees:.3g} different tree{'s' * (trees > 1)} on average",
        )
        for count, figure, trees in zip(STAGES, figures, different, strict=True)
    ]
    rows += [
        row(f"gain of {count} stages over 1", difference(figure, figures[0]))
        for count, figure in zip(STAGES[1:], figures[1:], strict=True)
    ]
    chart = line_chart(
        "Wins by number of stages",
        STAGES,
        [series("wins of 50", figures)],
        "wins of 50 games",
        x_title="stages",
        note="with 95 % intervals over runs",
        is_log=True,
    )
    return request.result(
        "liao",
        "stages",
        "How many stages pay",
        rows,
        unit=UNIT,
        notes=(
            f"Every number of stages has the same budget: {runs} runs of "
            f"{_SWEEP_POPULATION[request.scale]} individuals, "
            f"{_SWEEP_GENERATIONS[request.scale]} generations, five games an individual, "
            f"{_SWEEP_NODES} nodes for all stages together. Stages are trained jointly: each is "
            "judged by what the opponent gained in it. The best of a run's hall of fame is "
            "tested on other games.",
        ),
        charts=(chart,),
    )


def _evolve_stages(count: int, request: Request, run: int) -> Genotype:
    percents = ",".join(map(str, percents_of(count)))
    settings = [
        f"seed={_seed(request, run, count)}",
        f"population_size={_SWEEP_POPULATION[request.scale]}",
        f"generations={_SWEEP_GENERATIONS[request.scale]}",
        f'individual={{kind="stages",percents=[{percents}]}}',
        'fitness.measure={kind="stage_discs"}',
        "initialisation.max_depth=4",
        'initialisation.duplicates="avoid"',
        f"limits.max_nodes={_SWEEP_NODES}",
    ]
    config = config_from_toml(preset_text("gpjpp"), settings)
    *_, last = evolve(config, threads=request.threads)
    return last.hall_of_fame[0].tree
