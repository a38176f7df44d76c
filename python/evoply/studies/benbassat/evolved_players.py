"""Benbassat and Sipper's tables 4 to 6: players evolved for three games, against guides.

The preset of a game has the settings. Training meets the guides only if its fitness names them, as
in `10ab2+20Co`; the benchmark is played after the run, at a depth that the run has not met.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from statistics import median

from evoply import _native
from evoply.arena import match
from evoply.evolution import (
    EvolutionConfig,
    config_from_toml,
    final_test,
    individual_player,
)
from evoply.gp import Genotype
from evoply.players import Player, model_of
from evoply.presets import preset_text
from evoply.reports.charts import Chart, interval_chart, line_chart
from evoply.reports.series import Series
from evoply.studies.benbassat.guide_matches import TITLES, score_of
from evoply.studies.benbassat.players_tables import (
    PRINTED_GAMES,
    TABLES,
    BenchmarkReading,
    FitnessRuns,
    PlayersTable,
)
from evoply.studies.kept_runs import KeptEvolution, evolution
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure, mean_of


@dataclass(frozen=True, slots=True)
class TrainingSize:
    """The amount of work at a scale."""

    population: int
    generations: int
    training_depth: int | None
    """Plies that individuals look ahead in training; None: the depth of the benchmark."""
    runs: int
    games: int
    """Games of a benchmark."""
    final_pairs: int
    """Opening pairs of the final test, which names the champion."""


_SIZES: dict[Scale, TrainingSize] = {
    "smoke": TrainingSize(10, 2, 1, 1, 20, 5),
    "small": TrainingSize(60, 30, 2, 2, 300, 50),
    "paper": TrainingSize(120, 100, None, 3, PRINTED_GAMES, 100),
}


@dataclass(frozen=True, slots=True)
class EvolvedPlayer:
    """The champion of a run, as a player of the benchmark's depth."""

    tree: Genotype
    player: Player
    curve: tuple[float, ...]
    """Points per fresh game against the yardstick of the preset, of the best of each generation."""
    games: int
    """Games that the run played."""

    def looking(self, depth: int) -> "EvolvedPlayer":
        """Return the same player, looking *depth* plies ahead."""
        return replace(self, player=model_of(self.player).model_copy(update={"depth": depth}))


def run_config(
    table: PlayersTable,
    kind: FitnessRuns,
    request: Request,
    run: int,
    size: TrainingSize | None = None,
) -> EvolutionConfig:
    """Return the config of one run: the preset of the game, cut down to the scale or a *size*."""
    size = size or _SIZES[request.scale]
    seed = _native.Stream(request.seed, "benbassat", table.game, kind.fitness, run).below(2**32)
    settings = [
        f"seed={seed}",
        f"population_size={size.population}",
        f"generations={size.generations}",
        f"player.depth={size.training_depth or kind.depth}",
        f'fitness.measure="{kind.fitness}"',
        f"hall_of_fame.final_pairs={size.final_pairs}",
        *kind.training.settings,
    ]
    preset = f"{table.preset}-extended" if request.rules == "extended" else table.preset
    return config_from_toml(preset_text(preset), settings)


def evolve_player(
    config: EvolutionConfig, depth: int, finished: KeptEvolution, threads: int
) -> EvolvedPlayer:
    """Return the champion of the final test of an evolution, looking *depth* plies ahead."""
    tree = final_test(config, finished.last, threads=threads).champion.tree
    player = model_of(individual_player(config, tree)).model_copy(update={"depth": depth})
    return EvolvedPlayer(tree, player, finished.curve, finished.games)


def players_table(name: str, request: Request) -> Result:
    """Return one of the tables 4 to 6: points of evolved players in matches of 1,000 games."""
    table, size = TABLES[name], _SIZES[request.scale]
    kinds, readings = table.runs_of(request.rules), table.readings_of(request.rules)
    evolved: dict[str, list[EvolvedPlayer]] = {}
    measured: dict[str, list[Figure]] = {}
    result: Result | None = None
    steps = _Steps(request, len(kinds) * size.runs * (size.generations + 1))
    for kind in kinds:
        evolved[kind.name] = []
        for run in range(size.runs):
            config = run_config(table, kind, request, run)
            finished = evolution(config, f"{name}-{kind.key}-{run + 1}", request, steps.advance)
            champion = evolve_player(config, kind.depth, finished, request.threads)
            evolved[kind.name].append(champion)
            for depth in kind.printed:
                for reading in readings:
                    figure = benchmark(champion, config, depth, reading, size.games, request)
                    measured.setdefault(_against(kind, depth, reading), []).append(figure)
            steps.advance()
            result = _result(name, request, evolved, measured)
            request.shown(result)
    assert result is not None  # every table has a kind, and every scale a run
    return result


def _against(kind: FitnessRuns, depth: int, reading: BenchmarkReading) -> str:
    return f"{kind.name} at ab{kind.depth} against ab{depth}{reading.ending}"


def _result(
    name: str,
    request: Request,
    evolved: Mapping[str, list[EvolvedPlayer]],
    measured: Mapping[str, list[Figure]],
) -> Result:
    """Return the table of the finished runs."""
    table, size = TABLES[name], _SIZES[request.scale]
    rows: list[Row] = []
    for kind in table.runs_of(request.rules):
        for depth, printed in kind.printed.items():
            for reading in table.readings_of(request.rules):
                against = _against(kind, depth, reading)
                if against not in measured:
                    continue
                if request.rules == "readings":  # too many for a row of each run
                    rows.append(_mean(against, measured[against], printed))
                else:
                    rows += _rows(against, measured[against], printed)
    return request.result(
        "benbassat",
        name,
        f"Evolved players of {TITLES[table.game]}",
        rows,
        unit=f"points per 1,000 games, of {size.games:,} from the start position",
        notes=_notes(table, request, evolved),
        charts=_charts(table, request, evolved, measured),
    )


class _Steps:
    """Counts finished steps and reports them to the request."""

    def __init__(self, request: Request, total: int) -> None:
        self._request, self._total, self._done = request, total, 0

    def advance(self) -> None:
        self._done += 1
        self._request.progress(self._done, self._total)


def benchmark(
    champion: EvolvedPlayer,
    config: EvolutionConfig,
    depth: int,
    reading: BenchmarkReading,
    games: int,
    request: Request,
) -> Figure:
    """Return the points per 1,000 games against the guide of a depth, from the start position."""
    result = match(
        champion.player,
        reading.guide.player(depth),
        game=config.game,
        games=games,
        openings=None,
        draws=reading.draws,
        seed=_native.Stream(config.seed, "benchmark", depth).below(2**32),
        threads=request.threads,
    )
    return score_of(result, of=float(PRINTED_GAMES))


def _rows(against: str, figures: list[Figure], printed: tuple[float, ...]) -> list[Row]:
    values = [figure.value for figure in figures]
    rows = [
        _mean(against, figures, printed),
        row(f"{against}, median", Figure(median(values), None, len(figures))),
    ]
    best = max(figures, key=lambda figure: figure.value)
    rows.append(row(f"{against}, best", best, reason="The best of the runs, so flattered."))
    rows += [row(f"{against}, run {number + 1}", figure) for number, figure in enumerate(figures)]
    return rows


def _mean(against: str, figures: list[Figure], printed: tuple[float, ...]) -> Row:
    """Return the row of the mean over runs, which tells each of them."""
    values = [figure.value for figure in figures]
    return row(
        f"{against}, mean of runs",
        mean_of(values, within=(0.0, PRINTED_GAMES)),
        (min(printed), max(printed)),
        reference=PRINTED_GAMES / 2,
        reason=f"Runs: {', '.join(f'{value:.1f}' for value in values)}.",
    )


def _notes(
    table: PlayersTable, request: Request, evolved: Mapping[str, list[EvolvedPlayer]]
) -> tuple[str, ...]:
    size = _SIZES[request.scale]
    games = sum(run.games for runs in evolved.values() for run in runs)
    depth = size.training_depth
    trained = "the depth of the benchmark" if depth is None else f"depth {depth}"
    trained += ", unless a row says otherwise" * (request.rules == "readings")
    best = {fitness: min(runs, key=lambda run: len(run.tree)) for fitness, runs in evolved.items()}
    return (
        f"{size.runs} runs for each fitness, {size.population} individuals, {size.generations} "
        f"generations, {games:,} games in all; training at {trained}. The paper prints single "
        "runs: a mean over runs matches if its interval meets their range. Its settings of "
        "evolution are in an earlier paper and are unknown here.",
        "The champion of a run is the best of its hall of fame against the guide that looks 3 "
        "plies ahead, on games of their own; the benchmark guides are met afterwards only.",
        *(f"The smallest of {fitness}: {run.tree}" for fitness, run in best.items()),
    )


def _charts(
    table: PlayersTable,
    request: Request,
    evolved: Mapping[str, list[EvolvedPlayer]],
    measured: Mapping[str, list[Figure]],
) -> tuple[Chart, ...]:
    if request.rules == "readings":
        names, shown = _means_by_reading(table, measured)
    else:
        names = [
            f"{against}, run {run + 1}"
            for against, figures in measured.items()
            for run in range(len(figures))
        ]
        shown = [series("here", [one for of_kind in measured.values() for one in of_kind])]
    bars = interval_chart(
        "Points per 1,000 games",
        names,
        shown,
        "points per 1,000 games",
        note="with 95 % intervals",
        reference=PRINTED_GAMES / 2,
    )
    curves = [
        Series(f"{fitness}, run {number + 1}", run.curve)
        for fitness, runs in evolved.items()
        for number, run in enumerate(runs)
    ]
    generations = range(max(len(curve.values) for curve in curves))
    curves_chart = line_chart(
        "Learning curves",
        list(generations),
        curves,
        "points per fresh game",
        note="the best of each generation in training, on fresh games against the guide that looks "
        "3 plies ahead",
    )
    return bars, curves_chart


def _means_by_reading(
    table: PlayersTable, measured: Mapping[str, list[Figure]]
) -> tuple[list[str], list[Series]]:
    """Return the readings of the benchmark, and the means over runs of each reading of training."""
    kinds = table.runs_of("readings")
    places = [(depth, one) for depth in kinds[0].printed for one in table.readings_of("readings")]
    means = {
        against: mean_of([figure.value for figure in figures], within=(0.0, PRINTED_GAMES))
        for against, figures in measured.items()
    }
    shown = [
        series(kind.name, [means.get(_against(kind, depth, one)) for depth, one in places])
        for kind in kinds
    ]
    return [f"ab{depth}: {one.short}" for depth, one in places], shown


table_4 = partial(players_table, "4")
table_5 = partial(players_table, "5")
table_6 = partial(players_table, "6")
