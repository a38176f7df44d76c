"""What the paper leaves open, one setting at a time: how much each changes an evolved player.

Every setting is varied alone against a base, over several seeds; a seed begins with the same draws
in all of them. Settings of training evolve players of their own, and settings of the benchmark
score those of the base again.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from evoply.evolution import EvolutionConfig
from evoply.reports.charts import Chart, interval_chart
from evoply.studies.benbassat.evolved_players import (
    EvolvedPlayer,
    TrainingSize,
    benchmark,
    evolve_player,
    run_config,
)
from evoply.studies.benbassat.guide_matches import DRAWS, GUIDES, TITLES, GuideReading
from evoply.studies.benbassat.players_tables import (
    AS_PRESET,
    LONG_GAMES,
    PRINTED_GAMES,
    TABLES,
    BenchmarkReading,
    FitnessRuns,
    TrainingReading,
)
from evoply.studies.kept_runs import evolution
from evoply.studies.study import Request, Result, Row, Scale, row, series
from evoply.studies.verdicts import Figure, difference, mean_of

_SIZES: Mapping[Scale, TrainingSize] = {
    "smoke": TrainingSize(10, 2, 1, 2, 20, 5),
    "small": TrainingSize(60, 30, 2, 7, 300, 50),
    "paper": TrainingSize(120, 100, 2, 20, PRINTED_GAMES, 100),
}
_FITNESS = "25Co"


@dataclass(frozen=True, slots=True)
class Setting:
    """One setting in another way than the base has it."""

    name: str
    training: TrainingReading = AS_PRESET
    """Changes of training, in which {population} and {generations} are twice those of the scale."""
    guide: str = ""
    """Another guide in the benchmark."""
    draws: str = ""
    """The rules about long games in the benchmark."""
    deeper: int = 0
    """Plies that the player looks further ahead in the benchmark."""


def _trained(name: str, key: str, *settings: str, draws: str = "") -> Setting:
    return Setting(name, TrainingReading(f", {name}", f"-{key}", settings), draws=draws)


BASE = Setting("the base")
_ALIKE = (
    _trained("the first of equal moves", "first", 'player.ties="first"'),
    Setting("the player one ply deeper", deeper=1),
    _trained("twice the population", "population", "population_size={population}"),
    _trained("twice the generations", "generations", "generations={generations}"),
    _trained("crossover 0.6, not 0.8", "crossover", "variation.crossover=0.6"),
)
SETTINGS: Mapping[str, Sequence[Setting]] = {
    "6": (
        Setting("the guide counts discs alone", guide="material-share"),
        _trained("corners counted", "corners", "primitives=benbassat-extended"),
        *_ALIKE,
    ),
    "5": (
        Setting("the guide lean-kings", guide="material-lean-kings"),
        _trained("kings counted", "kings", "primitives=benbassat-checkers-extended-10"),
        _trained("captures to their end", "quiet", "player.quiescence=true"),
        _trained("long games", "long", *LONG_GAMES, draws="long"),
        *_ALIKE,
    ),
}
"""The settings of a game, by the number of its table. Reversi has no kings, no captures to follow
and no long games; it has corners."""


def other_settings(request: Request) -> Result:
    """Return the points of every setting in both games, and what each gains over the base."""
    size = _SIZES[request.scale]
    done, total = 0, size.runs * sum(len(settings) + 1 for settings in SETTINGS.values())
    points: dict[str, dict[str, list[float]]] = {name: {} for name in SETTINGS}
    result = _result(request, points)
    for name, settings in SETTINGS.items():
        bases = [_evolved(name, BASE, request, run) for run in range(size.runs)]
        for setting in (BASE, *settings):
            of_setting = points[name].setdefault(setting.name, [])
            for run in range(size.runs):
                is_base = setting.training is AS_PRESET
                player = bases[run] if is_base else _evolved(name, setting, request, run)
                of_setting.append(_points(name, player, setting, request, run))
                done += 1
                request.progress(done, total)
            result = _result(request, points)
            request.shown(result)
    return result


def setting_config(name: str, setting: Setting, request: Request, run: int) -> EvolutionConfig:
    """Return the config of a run of a setting."""
    size = _SIZES[request.scale]
    return run_config(TABLES[name], _kind(name, setting, size), request, run, size)


def _kind(name: str, setting: Setting, size: TrainingSize) -> FitnessRuns:
    """Return the runs of a setting: 25Co, for the depths that the paper prints of it."""
    printed = next(kind for kind in TABLES[name].kinds if kind.fitness == _FITNESS)
    twice = {"population": 2 * size.population, "generations": 2 * size.generations}
    settings = tuple(one.format(**twice) for one in setting.training.settings)
    return replace(printed, training=setting.training._replace(settings=settings))


def _evolved(name: str, setting: Setting, request: Request, run: int) -> EvolvedPlayer:
    kind = _kind(name, setting, _SIZES[request.scale])
    config = setting_config(name, setting, request, run)
    finished = evolution(config, f"sensitivity-{name}-{kind.key}-{run + 1}", request)
    return evolve_player(config, kind.depth, finished, request.threads)


def _points(
    name: str, player: EvolvedPlayer, setting: Setting, request: Request, run: int
) -> float:
    """Return the points per 1,000 games against the guide, the first that the paper prints."""
    size = _SIZES[request.scale]
    kind = _kind(name, setting, size)
    table = TABLES[name]
    reading = BenchmarkReading(
        GuideReading(setting.guide or GUIDES["corners"][table.game]), draws=DRAWS[setting.draws]
    )
    deeper = player.looking(kind.depth + setting.deeper)
    config = setting_config(name, setting, request, run)
    return benchmark(deeper, config, min(kind.printed), reading, size.games, request).value


def _result(request: Request, points: Mapping[str, Mapping[str, Sequence[float]]]) -> Result:
    size = _SIZES[request.scale]
    rows: list[Row] = []
    charts: list[Chart] = []
    for name, of_setting in points.items():
        title = TITLES[TABLES[name].game]
        means = {
            setting: mean_of(list(values), within=(0.0, PRINTED_GAMES))
            for setting, values in of_setting.items()
        }
        gains: dict[str, Figure] = {}
        for setting, values in of_setting.items():
            told = f"Runs: {', '.join(f'{value:.0f}' for value in values)}."
            rows.append(row(f"{title}, {setting}: points", means[setting], reason=told))
            if setting == BASE.name:
                continue
            gains[setting] = difference(means[setting], means[BASE.name])
            rows.append(row(f"{title}, {setting}: gain", gains[setting]))
        if gains:
            chart = interval_chart(
                f"What each setting gains in {title}", list(gains),
                [series("here", gains.values())], "points per 1,000 games more than the base",
                note="with 95 % intervals", reference=0.0,
            )  # fmt: skip
            charts.append(chart)
    return request.result(
        "benbassat",
        "sensitivity",
        "Settings that the paper leaves open",
        rows,
        unit=f"points per 1,000 games, of {size.games:,} from the start position",
        notes=(
            f"{size.runs} seeds for each setting. The base: 25Co, {size.population} individuals, "
            f"{size.generations} generations, training at depth {size.training_depth}, the usual "
            "draws, a random one of equal moves, crossover 0.8. Reversi is played at 4 plies "
            "against 5, 10x10 checkers at 2 against 3.",
            "A gain is the difference of two means, with Newcombe's interval from those of both. "
            "Each is of that pair alone: among so many, one in twenty leaves out 0 by chance.",
            "Settings with another guide, another depth or other rules about long games change "
            "what the points measure, not only how good the player is.",
        ),
        charts=tuple(charts),
    )
