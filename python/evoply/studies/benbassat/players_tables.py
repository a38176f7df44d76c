"""Benbassat and Sipper's tables 4 to 6 as values: what is printed, and what is left to read.

The paper leaves open how its players were trained (long games, the middle of a capture) and whom
they met in the benchmark. A fitness of co-play never meets the guide, so each champion is evolved
once for a reading of training, and then scored under every reading of the benchmark.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import NamedTuple

from evoply.games.draws import DrawRules
from evoply.studies.benbassat.guide_matches import DRAWS, GUIDES, GuideReading

RULES = ("basic", "extended", "readings")
"""The paper's primitives, alone or with counts of corners or kings; or what is left to read."""

PRINTED_GAMES = 1000


class TrainingReading(NamedTuple):
    """What the paper does not say of the evolution, and how it is read."""

    ending: str = ""
    """The end of the names of its rows."""
    key: str = ""
    """The end of the names of its runs."""
    settings: tuple[str, ...] = ()
    """Changes of the preset."""


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


LONG_GAMES = tuple(
    f"draws.{name}={'never' if limit is None else limit}"
    for name, limit in asdict(DRAWS["long"] or DrawRules()).items()
)
"""The settings of training in long games."""
_QUIET = ("player.quiescence=true",)
_AHEAD_2 = ("player.depth=2",)
_ORBITS = ("variation.afterwards.orbit_mutation=0.1",)
_RACING = ('fitness.measure={kind="guides",co_play=25,racing=2}',)

_LOSE_25CO = {5: (608.0, 575.0)}
_LARGE_25CO = {3: (732.0, 615.5, 554.0, 631.0)}
_REVERSI_25CO = {5: (875.0, 957.5), 7: (758.5, 803.0)}


def _trained(
    printed: Mapping[int, tuple[float, ...]], depth: int, usual: TrainingReading
) -> tuple[FitnessRuns, ...]:
    """Return runs of 25Co two plies ahead, with and without quiescence and long games."""
    both = ", captures to their end"
    readings = (
        usual,
        TrainingReading(f"{usual.ending}{both}", "-2-quiet", (*_AHEAD_2, *_QUIET)),
        TrainingReading(f"{usual.ending}, long games", "-2-long", (*_AHEAD_2, *LONG_GAMES)),
        TrainingReading(
            f"{usual.ending}{both}, long games", "-2-quiet-long", (*_AHEAD_2, *_QUIET, *LONG_GAMES)
        ),
    )
    return tuple(FitnessRuns("25Co", depth, printed, reading) for reading in readings)


TABLES: Mapping[str, PlayersTable] = {
    "4": PlayersTable(
        "lose-checkers",
        "benbassat-lose-checkers",
        (
            FitnessRuns("10ab2+20Co", 4, {5: (632.0, 645.0)}),
            FitnessRuns("25Co", 4, _LOSE_25CO),
            FitnessRuns("40Co", 4, {5: (575.5, 633.5)}),
        ),
        _trained(_LOSE_25CO, 4, TrainingReading(", trained two plies ahead", "-2", _AHEAD_2)),
        (
            *_usual("lose-checkers", tuple(DRAWS)),
            BenchmarkReading(
                GuideReading("random-leaf:noise=6"), ", whole numbers, long", DRAWS["long"]
            ),
        ),
        _readings(("random-leaf", "random-leaf:noise=6"), tuple(DRAWS), (False, True)),
    ),
    "5": PlayersTable(
        "checkers-10",
        "benbassat-10",
        (
            FitnessRuns("50Co", 3, {3: (889.0, 927.0)}),
            FitnessRuns("25Co", 2, _LARGE_25CO),
        ),
        _trained(_LARGE_25CO, 2, AS_PRESET),
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
    "6": PlayersTable(
        "othello",
        "benbassat-reversi",
        (
            FitnessRuns("25Co", 4, _REVERSI_25CO),
            FitnessRuns(
                "40Co",
                4,
                {
                    5: (942.5, 905.5, 956.0, 912.5, 953.5, 961.0),
                    7: (640.5, 711.5, 760.0, 826.0, 730.5, 815.5),
                },
            ),
        ),
        (
            FitnessRuns("25Co", 4, _REVERSI_25CO),
            FitnessRuns(
                "25Co", 4, _REVERSI_25CO, TrainingReading(", orbits", "-orbits", _ORBITS)
            ),
            FitnessRuns(
                "25Co", 4, _REVERSI_25CO,
                TrainingReading(", orbits, racing", "-orbits-racing", (*_ORBITS, *_RACING)),
            ),
        ),
        _usual("othello"),
        _readings(("material-alternating", "material-share"), ("",), (False,)),
    ),
}  # fmt: skip
"""The tables by their numbers. `orbits` copies what asks a square to its orbit; `racing` lets the
better ones play more games, which goes beyond the paper's fitness."""
