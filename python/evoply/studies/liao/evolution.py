"""The evolutions of Liao's study: trees for halves of the game, and players of many stages.

The engine is gpjpp's with its defaults (preset `gpjpp`): five games as White against a random
player; the opponent's gain of discs within an epoch is minimised.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from evoply.evolution import Generation, config_from_toml, evolve
from evoply.gp import Forest, Genotype, Tree
from evoply.presets import preset_text
from evoply.reports.charts import line_chart
from evoply.studies.liao.white_games import PRINTED_GAMES, games_as_white
from evoply.studies.study import Reproduction, Result, Row, row, series
from evoply.studies.verdicts import difference, mean_of, share_of_games

HALVES = (("tree 1", 0, 50), ("tree 2", 50, 100))
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
    first, second = (_half(termination, start, end, request, run) for _, start, end in HALVES)
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
    best = max(fittest, key=lambda one: one.fitness)
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
        reason = f"Mean of {runs} runs of gpjpp's defaults; each tested in {games:,} other games."
        rows += [
            row(f"{termination}, {part}, evolved here", mean_of(found[part], within=(0, 50)),
                printed[part], reference=25.0, reason=reason)
            for part in found
        ]  # fmt: skip
        gains = [both - first for both, first in zip(found["staged"], found["tree 1"], strict=True)]
        rows.append(
            row(f"gain of {termination}, staged, evolved here over its tree 1",
                mean_of(gains, within=(-50, 50)),
                difference(printed["staged"], printed["tree 1"]), reference=0.0)
        )  # fmt: skip
        at_once = sum(half.generations == 1 for halves in pairs for half in halves)
        discs = sum(half.discs for halves in pairs for half in halves) / (2 * runs)
        notes.append(
            f"Termination fitness {termination}: {at_once} of {2 * runs} runs ended with the first "
            f"random population, whose best let the opponent gain {discs:.1f} discs on average in "
            "five games."
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
