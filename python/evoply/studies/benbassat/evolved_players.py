"""Benbassat and Sipper's tables 4 to 6: players evolved for three games, against guides.

The preset of a game has the settings. Training meets the guides only if its fitness names them, as
in `10ab2+20Co`; the benchmark is played after the run, at a depth that the run has not met.

The paper leaves open how its players were trained (long games, the middle of a capture) and whom
they met in the benchmark. A fitness of co-play never meets the guide, so each champion is evolved
once for a reading of training, and then scored under every reading of the benchmark.

Every setting that is left open is also varied alone against a base, over several seeds; a seed
begins with the same draws in all of them. Settings of training evolve players of their own, and
settings of the benchmark score those of the base again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from statistics import median
from typing import Any, NamedTuple

from evoply import _native, gp
from evoply.evolution import EvolutionConfig, config_from_toml, final_test, individual_player
from evoply.expressions import PRIMITIVE_SETS
from evoply.games.position import DrawRules
from evoply.gp import Genotype
from evoply.players import AlphaBeta, TreeEvaluator, model_of
from evoply.reports.charts import Chart, Series, interval_chart, line_chart
from evoply.runs.presets import preset_text
from evoply.studies.benbassat.guide_matches import (
    DRAWS,
    GUIDES,
    TITLES,
    GuideReading,
    benchmark,
    guide,
    score_of,
    seed_of,
)
from evoply.studies.kept_runs import KeptEvolution, evolution
from evoply.studies.study import Reproduction, Result, Row, paper, row, series
from evoply.studies.verdicts import Figure, difference, mean_of

PRINTED_GAMES = 1000


class TrainingReading(NamedTuple):
    """What the paper does not say of the evolution, and how it is read."""

    ending: str = ""
    """The end of the names of its rows."""
    key: str = ""
    """The end of the names of its runs."""
    settings: tuple[str, ...] = ()
    """Changes of the preset."""

    @property
    def is_quiet(self) -> bool:
        """Whether players follow captures to their end."""
        return not set(_QUIET).isdisjoint(self.settings)


AS_PRESET = TrainingReading()


@dataclass(frozen=True, slots=True)
class FitnessRuns:
    """Runs with one fitness: the depth of their players, the printed scores by benchmark depth."""

    fitness: str
    depth: int
    printed: Mapping[int, tuple[float, ...]]
    training: TrainingReading = AS_PRESET

    @property
    def name(self) -> str:
        """The fitness and the reading of its training."""
        return f"{self.fitness}{self.training.ending}"

    @property
    def key(self) -> str:
        """The name for the folders of its runs."""
        return f"{self.fitness}{self.training.key}"


class BenchmarkReading(NamedTuple):
    """What the paper does not say of its benchmark, and how it is read."""

    guide: GuideReading
    ending: str = ""
    """The end of the names of its rows."""
    draws: DrawRules | None = None
    """Rules about draws of long games; None: the usual ones of the game."""
    short: str = ""
    """The reading in few words, for a chart of all."""


@dataclass(frozen=True, slots=True)
class PlayersTable:
    """One of the paper's tables of evolved players."""

    game: str
    preset: str
    kinds: tuple[FitnessRuns, ...]
    read_as: tuple[FitnessRuns, ...]
    """The runs under the rules `readings`."""
    readings: tuple[BenchmarkReading, ...]
    all_readings: tuple[BenchmarkReading, ...]
    """Those under the rules `readings`."""

    def runs_of(self, rules: str) -> tuple[FitnessRuns, ...]:
        """Return the runs under some rules."""
        return self.read_as if rules == "readings" else self.kinds

    def readings_of(self, rules: str) -> tuple[BenchmarkReading, ...]:
        """Return the readings of the benchmark under some rules."""
        return self.all_readings if rules == "readings" else self.readings


def _readings(
    pairs: tuple[str, ...], draws: tuple[str, ...], quiescence: tuple[bool, ...]
) -> tuple[BenchmarkReading, ...]:
    """Return every pair with every kind of draws, with *quiescence* or without.

    And each with the first of equal moves, under the usual rules alone.
    """
    found = [
        (GuideReading(pair, quiet), long)
        for pair in pairs
        for quiet in quiescence
        for long in draws
    ]
    found += [(GuideReading(pair, ties="first"), "") for pair in pairs]
    return tuple(_reading(guide, long) for guide, long in found)


def _reading(guide: GuideReading, long: str) -> BenchmarkReading:
    pair = guide.pair.rpartition(":")[2].removeprefix("material-")
    first = "first" if guide.ties == "first" else ""
    words = [pair, "captures" if guide.quiescence else "", first, long]
    ending = f", {guide.name}{long and f', {long}'}"
    return BenchmarkReading(guide, ending, DRAWS[long], ", ".join(filter(None, words)))


def _usual(game: str, draws: tuple[str, ...] = ("",)) -> tuple[BenchmarkReading, ...]:
    """Return the reading of the guide that is usual here, with these draws of long games."""
    reading = GuideReading(GUIDES["corners"][game])
    return tuple(BenchmarkReading(reading, one and f", {one}", DRAWS[one]) for one in draws)


_FITNESS = "25Co"
LONG_GAMES = tuple(
    f"draws.{name}={'never' if limit is None else limit}"
    for name, limit in asdict(DRAWS["long"] or DrawRules()).items()
)
"""The settings of training in long games."""
_QUIET = ("player.quiescence=true",)
_AHEAD_2 = ("player.depth=2",)
_ORBITS = ("variation.afterwards.orbit_mutation=0.1",)
_RACING = ('fitness.measure={kind="guides",co_play=25,racing=2}',)


def _table(
    name: str,
    trained: tuple[TrainingReading, ...],
    readings: tuple[BenchmarkReading, ...],
    all_readings: tuple[BenchmarkReading, ...],
) -> PlayersTable:
    """Return a table of the paper's file; of its runs 25Co is read in the ways of *trained*."""
    told = paper("benbassat")["tables"][name]
    kinds = tuple(
        FitnessRuns(
            runs["fitness"],
            runs["depth"],
            {int(depth): tuple(scores) for depth, scores in runs["printed"].items()},
        )
        for runs in told["players"]
    )
    read = next(kind for kind in kinds if kind.fitness == _FITNESS)
    read_as = tuple(replace(read, training=reading) for reading in trained)
    return PlayersTable(told["game"], told["preset"], kinds, read_as, readings, all_readings)


def _trained(usual: TrainingReading) -> tuple[TrainingReading, ...]:
    """Return training two plies ahead, with and without quiescence and long games."""
    both = ", captures to their end"
    return (
        usual,
        TrainingReading(f"{usual.ending}{both}", "-2-quiet", (*_AHEAD_2, *_QUIET)),
        TrainingReading(f"{usual.ending}, long games", "-2-long", (*_AHEAD_2, *LONG_GAMES)),
        TrainingReading(
            f"{usual.ending}{both}, long games", "-2-quiet-long", (*_AHEAD_2, *_QUIET, *LONG_GAMES)
        ),
    )


TABLES: Mapping[str, PlayersTable] = {
    "4": _table(
        "4",
        _trained(TrainingReading(", trained two plies ahead", "-2", _AHEAD_2)),
        (
            *_usual("lose-checkers", tuple(DRAWS)),
            BenchmarkReading(
                GuideReading("random-leaf:noise=6"), ", whole numbers, long", DRAWS["long"]
            ),
        ),
        _readings(("random-leaf", "random-leaf:noise=6"), tuple(DRAWS), (False, True)),
    ),
    "5": _table(
        "5",
        _trained(AS_PRESET),
        (
            *_usual("checkers-10", tuple(DRAWS)),
            # The rule of --table readings chooses it by table 3 alone.
            BenchmarkReading(GuideReading("material-lean-kings"), ", the guide lean-kings"),
        ),
        _readings(
            ("material-kings", "material-own", "material-lean", "material-lean-kings"),
            ("", "long"),
            (False, True),
        ),
    ),
    "6": _table(
        "6",
        (
            AS_PRESET,
            TrainingReading(", orbits", "-orbits", _ORBITS),
            TrainingReading(", orbits, racing", "-orbits-racing", (*_ORBITS, *_RACING)),
        ),
        _usual("othello"),
        _readings(("material-alternating", "material-share"), ("",), (False,)),
    ),
}
"""The tables by their numbers. `orbits` copies what asks a square to its orbit; `racing` lets the
better ones play more games, which goes beyond the paper's fitness."""


@dataclass(frozen=True, slots=True)
class EvolvedPlayer:
    """The champion of a run, as a player of the benchmark's depth."""

    config: EvolutionConfig
    tree: Genotype
    depth: int
    """Plies that it looks ahead in the benchmark."""
    curve: tuple[float, ...]
    """Points per fresh game against the yardstick of the preset, of the best of each generation."""
    games: int
    """Games that the run played."""

    def points(
        self, depth: int, reading: BenchmarkReading, request: Reproduction, deeper: int = 0
    ) -> Figure:
        """Return the points per 1,000 games against the guide of a depth, from the start position.

        The player looks *deeper* plies further ahead than usual.
        """
        usual = model_of(individual_player(self.config, self.tree))
        player = usual.model_copy(update={"depth": self.depth + deeper})
        seed = _native.Stream(self.config.seed, "benchmark", depth).below(2**32)
        guide, games = reading.guide.player(depth), request.size("games")
        played = benchmark(player, guide, self.config.game, games, seed, request, reading.draws)
        return score_of(played, of=float(PRINTED_GAMES))


def run_config(
    table: PlayersTable, kind: FitnessRuns, request: Reproduction, run: int
) -> EvolutionConfig:
    """Return the config of one run: the preset of the game, cut down to the scale."""
    settings = [
        f"seed={seed_of(request, 'benbassat', table.game, kind.fitness, run)}",
        f"population_size={request.size('population')}",
        f"generations={request.size('generations')}",
        f"player.depth={request.size('training_depth') or kind.depth}",
        f'fitness.measure="{kind.fitness}"',
        f"hall_of_fame.final_pairs={request.size('final_pairs')}",
        *kind.training.settings,
    ]
    preset = f"{table.preset}-extended" if request.rules == "extended" else table.preset
    return config_from_toml(preset_text(preset), settings)


def evolve_player(
    config: EvolutionConfig, depth: int, finished: KeptEvolution, threads: int
) -> EvolvedPlayer:
    """Return the champion of the final test of an evolution, looking *depth* plies ahead."""
    tree = final_test(config, finished.last, threads=threads).champion.tree
    return EvolvedPlayer(config, tree, depth, finished.curve, finished.games)


def players_table(name: str, request: Reproduction) -> Result:
    """Return one of the tables 4 to 6: points of evolved players in matches of 1,000 games."""
    table, runs = TABLES[name], request.size("runs")
    kinds, readings = table.runs_of(request.rules), table.readings_of(request.rules)
    evolved: dict[str, list[EvolvedPlayer]] = {kind.name: [] for kind in kinds}
    measured: dict[str, list[Figure]] = {}
    advance = request.counter(len(kinds) * runs * (request.size("generations") + 1))
    for kind in kinds:
        for run in range(runs):
            config = run_config(table, kind, request, run)
            finished = evolution(config, f"{name}-{kind.key}-{run + 1}", request, advance)
            champion = evolve_player(config, kind.depth, finished, request.threads)
            evolved[kind.name].append(champion)
            for depth in kind.printed:
                for reading in readings:
                    figure = champion.points(depth, reading, request)
                    measured.setdefault(_against(kind, depth, reading), []).append(figure)
            advance()
            result = _result(table, request, evolved, measured)
            request.shown(result)
    return result


def _against(kind: FitnessRuns, depth: int, reading: BenchmarkReading) -> str:
    return f"{kind.name} at ab{kind.depth} against ab{depth}{reading.ending}"


def _result(
    table: PlayersTable,
    request: Reproduction,
    evolved: Mapping[str, list[EvolvedPlayer]],
    measured: Mapping[str, list[Figure]],
) -> Result:
    """Return the table of the finished runs."""
    rows: list[Row] = []
    for kind in table.runs_of(request.rules):
        for depth, printed in kind.printed.items():
            for reading in table.readings_of(request.rules):
                against = _against(kind, depth, reading)
                if against not in measured:
                    continue
                if request.rules == "readings":  # too many for a row of each run
                    is_fair = kind.training.is_quiet == reading.guide.quiescence
                    rows.append(_mean(against, measured[against], printed if is_fair else ()))
                else:
                    rows += _rows(against, measured[against], printed)
    depth = request.size("training_depth")
    trained = f"depth {depth}" if depth else "the depth of the benchmark"
    trained += ", unless a row says otherwise" * (request.rules == "readings")
    smallest = {
        fitness: min(runs, key=lambda run: len(run.tree))
        for fitness, runs in evolved.items()
        if runs
    }
    return request.result(
        rows,
        _charts(table, request, evolved, measured),
        [f"The smallest of {fitness}: {run.tree}" for fitness, run in smallest.items()],
        trained=trained,
        all_games=sum(run.games for runs in evolved.values() for run in runs),
    )


def _rows(against: str, figures: list[Figure], printed: tuple[float, ...]) -> list[Row]:
    values = [figure.value for figure in figures]
    rows = [
        _mean(against, figures, printed),
        row(f"{against}, median", Figure(median(values), None, len(figures), counted="runs")),
    ]
    best = max(figures, key=lambda figure: figure.value)
    rows.append(row(f"{against}, best", best, reason="The best of the runs, so flattered."))
    rows += [row(f"{against}, run {number + 1}", figure) for number, figure in enumerate(figures)]
    return rows


def _mean(against: str, figures: list[Figure], printed: tuple[float, ...]) -> Row:
    """Return the row of the mean over runs.

    Without a *printed* figure the sides are not alike, and no verdict is fair.
    """
    values = [figure.value for figure in figures]
    return row(
        f"{against}, mean of runs",
        mean_of(values, within=(0.0, PRINTED_GAMES)),
        (min(printed), max(printed)) if printed else None,
        reference=PRINTED_GAMES / 2,
        reason="" if printed else "only one side follows captures to their end",
    )


def _charts(
    table: PlayersTable,
    request: Reproduction,
    evolved: Mapping[str, list[EvolvedPlayer]],
    measured: Mapping[str, list[Figure]],
) -> tuple[Chart, ...]:
    if request.rules == "readings":
        names, shown = _means_by_reading(table, measured)
    else:
        names, runs = list(measured), max(map(len, measured.values()))
        shown = [
            series(
                f"run {run + 1}",
                [figures[run] if run < len(figures) else None for figures in measured.values()],
            )
            for run in range(runs)
        ]
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


BASE = Setting("the base")


def _settings(table: str) -> Sequence[Setting]:
    """Return the settings of the paper's file for the players of a table."""

    def setting(
        name: str, *, run: str = "", changes: Sequence[str] = (), **benchmark: Any
    ) -> Setting:
        training = TrainingReading(f", {name}", f"-{run}", tuple(changes)) if run else AS_PRESET
        return Setting(name, training, **benchmark)

    told = paper("benbassat")["tables"]["sensitivity"]
    return [setting(name, **one) for name, one in {**told[table], **told["both"]}.items()]


SETTINGS: Mapping[str, Sequence[Setting]] = {table: _settings(table) for table in ("6", "5")}


def other_settings(request: Reproduction) -> Result:
    """Return the points of every setting in both games, and what each gains over the base."""
    runs = range(request.size("runs"))
    total = len(runs) * sum(len(settings) + 1 for settings in SETTINGS.values())
    advance = request.counter(total)
    points: dict[str, dict[str, list[float]]] = {name: {} for name in SETTINGS}
    for name, settings in SETTINGS.items():
        bases = [_evolved(name, BASE, request, run) for run in runs]
        for setting in (BASE, *settings):
            of_setting = points[name].setdefault(setting.name, [])
            for run in runs:
                is_base = setting.training is AS_PRESET
                player = bases[run] if is_base else _evolved(name, setting, request, run)
                of_setting.append(_points(name, player, setting, request))
                advance()
            result = _settings_result(request, points)
            request.shown(result)
    return result


def _kind(name: str, setting: Setting, request: Reproduction) -> FitnessRuns:
    """Return the runs of a setting: 25Co, for the depths that the paper prints of it."""
    printed = next(kind for kind in TABLES[name].kinds if kind.fitness == _FITNESS)
    twice = {what: 2 * request.size(what) for what in ("population", "generations")}
    settings = tuple(change.format(**twice) for change in setting.training.settings)
    return replace(printed, training=setting.training._replace(settings=settings))


def setting_config(name: str, setting: Setting, request: Reproduction, run: int) -> EvolutionConfig:
    """Return the config of a run of a setting."""
    return run_config(TABLES[name], _kind(name, setting, request), request, run)


def _evolved(name: str, setting: Setting, request: Reproduction, run: int) -> EvolvedPlayer:
    kind = _kind(name, setting, request)
    config = run_config(TABLES[name], kind, request, run)
    finished = evolution(config, f"sensitivity-{name}-{kind.key}-{run + 1}", request)
    return evolve_player(config, kind.depth, finished, request.threads)


def _points(name: str, player: EvolvedPlayer, setting: Setting, request: Reproduction) -> float:
    """Return the points per 1,000 games against the guide, the first that the paper prints."""
    guide = GuideReading(setting.guide or GUIDES["corners"][TABLES[name].game])
    reading = BenchmarkReading(guide, draws=DRAWS[setting.draws])
    first = min(_kind(name, setting, request).printed)
    return player.points(first, reading, request, setting.deeper).value


def _settings_result(
    request: Reproduction, points: Mapping[str, Mapping[str, Sequence[float]]]
) -> Result:
    rows: list[Row] = []
    charts: list[Chart] = []
    for name, of_setting in points.items():
        title = TITLES[TABLES[name].game]
        gains: dict[str, Figure] = {}
        for setting, values in of_setting.items():
            mean = mean_of(values, within=(0.0, PRINTED_GAMES))
            told = f"Runs: {', '.join(f'{value:.0f}' for value in values)}."
            rows.append(row(f"{title}, {setting}: points", mean, reason=told))
            if setting == BASE.name:
                base = mean
                continue
            gains[setting] = difference(mean, base)
            rows.append(row(f"{title}, {setting}: gain", gains[setting]))
        if gains:
            chart = interval_chart(
                f"What each setting gains in {title}", list(gains),
                [series("here", gains.values())], "points per 1,000 games more than the base",
                note="with 95 % intervals", reference=0.0,
            )  # fmt: skip
            charts.append(chart)
    return request.result(rows, charts)


# What the paper's primitives can say: trees by hand, beside the scores of its evolved ones.
#
# A tree that reaches the paper's range shows that evolution could have found it; a game in which no
# tree does was played against another guide, or with other primitives. The trees of corners show
# why evolution has a hard time: one corner is worth little, all four together a lot.


def trees_by_hand(request: Reproduction) -> Result:
    """Return the points of trees by hand against the guides of tables 4 to 6."""
    jobs = [
        (TABLES[table], name, primitives, text, depths, printed)
        for table in ("6", "5", "4")
        for primitives, trees in request.table.told[table].items()
        for name, text in trees.items()
        for depths, printed in _ranges(TABLES[table])
    ]
    rows: list[Row] = []
    figures: dict[str, Figure] = {}

    def result() -> Result:
        chart = interval_chart(
            "Trees by hand", list(figures), [series("here", figures.values())],
            "points per 1,000 games", note="with 95 % intervals", reference=PRINTED_GAMES / 2,
        )  # fmt: skip
        return request.result(rows, [chart], reading=request.rules)

    for table, name, primitives, text, (depth, other), printed in request.each(jobs, result):
        player = AlphaBeta(
            evaluator=TreeEvaluator(tree=gp.parse_tree(text, PRIMITIVE_SETS[primitives])),
            depth=depth, view="turn", ties="random", ordering="killer",
        )  # fmt: skip
        reading = request.rules if table.game == "checkers-10" else "corners"
        met = guide(table.game, other, reading)
        seed = seed_of(request, "by hand", name, depth, other)
        played = benchmark(player, met, table.game, request.size("games"), seed, request)
        what = f"{TITLES[table.game]}, {name}: ab{depth} against ab{other}"
        figures[what] = score_of(played, of=float(PRINTED_GAMES))
        rows.append(row(what, figures[what], printed, reference=PRINTED_GAMES / 2))
    return result()


def _ranges(table: PlayersTable) -> Iterator[tuple[tuple[int, int], tuple[float, float]]]:
    """Yield depths of evolved players and guides in a table, and the range of what it prints."""
    for depth, other in sorted(
        {(kind.depth, other) for kind in table.kinds for other in kind.printed}
    ):
        alike = [kind.printed for kind in table.kinds if kind.depth == depth]
        scores = [score for printed in alike for score in printed.get(other, ())]
        yield (depth, other), (min(scores), max(scores))
