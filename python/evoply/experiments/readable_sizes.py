"""What readability costs: players of at most so many terms, made in several ways and measured.

It is an experiment whose setups are ways times numbers of terms, so its runs resume. What is
distilled, which no learner makes, and what was measured of a finished player are files beside the
runs. Every player meets the yardsticks of its game (`evoply.arena.yardsticks`).
"""

from __future__ import annotations

import itertools
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import fmean, median
from typing import Any, ClassVar

from pydantic import Field

from evoply.arena import measure, yardsticks
from evoply.configs.config_errors import checked, explained
from evoply.configs.keys import read_toml
from evoply.configs.part import Part
from evoply.environment.files import (
    read_limited,
    with_checksum,
    without_checksum,
    write_atomically,
)
from evoply.experiments.design import After, Experiment, Score, Setup
from evoply.experiments.experiment_folder import ExperimentFolder
from evoply.experiments.leagues.methods import Making
from evoply.expressions import Expression
from evoply.expressions.written_form import FormulaNames
from evoply.games import game_rules
from evoply.gp.algebra import simplify
from evoply.kinds import Run
from evoply.learning import distil
from evoply.learning.found_features import usual_sets
from evoply.players import ValuingPlayer, parse_player, with_options
from evoply.protocols import ConfigError, RunError
from evoply.protocols.sections import Column, JsonData, Page, Section, Shown, counted
from evoply.reports.charts import Chart, Series, line_chart
from evoply.runs import runs_directory
from evoply.wording import did_you_mean, shorten

_FILE = Path(__file__).with_name("readable_sizes.toml")
_LARGEST = 1_000_000
_MADE = "made"
"""The folder of what was measured, in that of the experiment."""
_POPULATION = "population"
_TERMS = re.compile(r"\{(?:(\d+) )?terms\}")
_FEATURES = "{features}"
_TIME = {"time_limit": 1.0}
_SECONDS_OF_TEACHING, _SECONDS_OF_A_TERM, _SLOW_TERMS = 0.02, 0.003, 25
"""What distilling takes for each game of the teacher: this, and more with every term up to 25."""
_GAMES_A_SECOND = 10_000
"""That measure players one ply deep, on one core."""


COUNTED = (
    "Terms are counted with all brackets multiplied out: a difference of both sides is two, though "
    "a way may have chosen it as one."
)


class PlanSize(Part):
    """How much is done."""

    terms: tuple[int, ...] = Field(strict=False)
    """The most terms of players, one size after the other: those that a way may use, a difference
    of both sides as one where it is chosen as one."""
    seeds: int = Field(ge=1, le=1000)
    seconds: float = Field(gt=0, le=1_000_000, allow_inf_nan=False)
    """Seconds of one core, for each run."""
    games: int = Field(ge=2, multiple_of=2)
    """Games with each opponent that measures."""
    teacher_games: int = Field(ge=1)
    """Games from which a formula is distilled."""


class Way(Making):
    """A way to make players of at most so many terms."""

    title: str
    has_map: bool = False
    """Whether one run makes all sizes: the best cell of each is taken."""
    population: Making | None = None
    """An evolution before it, in whose population the features are found."""
    teacher: str = ""
    """The text of the player that is distilled, instead of a base."""
    primitives: str = ""
    """The set of features for that."""
    beside: float = 2.0
    """Seconds of one core that a run takes beside its limit: it begins, prunes and is tested."""

    def setups(self, name: str, game: str, terms: Sequence[int], seconds: float) -> Iterator[Setup]:
        """Yield what makes its players, for each number of *terms*."""
        if self.teacher:
            return
        share = 0.5 if self.population is not None else 1.0
        if self.population is not None:
            changes = _filled(self.population.changes, 0, game)
            before = _timed(self.population.model_copy(update={"changes": changes}))
            yield before.setup(_POPULATION, game, share * seconds)
        for most in terms[-1:] if self.has_map else terms:
            changes = _filled(self.changes, most, game)
            made = _timed(Making(base=self.base, changes=changes)).setup(
                name if self.has_map else f"{name} {most}", game, share * seconds
            )
            if self.population is not None:
                made = replace(made, after=After(setup=_POPULATION, terms=most))
            yield made


def _timed(making: Making) -> Making:
    return making.model_copy(update={"limits": _TIME})


def _filled(value: Any, terms: int, game: str) -> Any:
    """Return *value* with what "{terms}", "{3 terms}" and "{features}" stand for."""
    if isinstance(value, Mapping):
        return {key: _filled(part, terms, game) for key, part in value.items()}
    if value == _FEATURES:
        return usual_sets(game)[0]
    found = _TERMS.fullmatch(value) if isinstance(value, str) else None
    return value if found is None else int(found[1] or 1) * terms


class Ways(Part):
    """The ways of a game, and how all their players play when they are measured."""

    player: dict[str, Any] = Field(default={})
    ways: dict[str, Way]


class Plan(Part):
    """The file `readable_sizes.toml`."""

    scales: dict[str, PlanSize]
    games: dict[str, Ways]

    def of(self, game: str) -> Ways:
        """Return the ways of *game*."""
        return self.games.get(game_rules(game).kernel, self.games["any"])

    def scale(self, name: str) -> PlanSize:
        """Return the scale called *name*; `ValueError` lists all."""
        if name not in self.scales:
            hint = did_you_mean(name, self.scales) or f": there are {', '.join(self.scales)}"
            raise ValueError(f"scale: there is no {shorten(name)!r}{hint}")
        return self.scales[name]


@cache
def plan() -> Plan:
    """Return what `readable_sizes.toml` says."""
    data = read_toml(read_limited(_FILE, _LARGEST), str(_FILE))
    return checked(lambda: Plan(**data), lambda error: ConfigError(explained(error, Plan)))


def number_of_terms(expression: Expression, names: FormulaNames) -> int:
    """Return how many terms a person must add up, with all brackets multiplied out.

    A constant is none, since it decides nothing; what has a name is one, a choice or a quotient as
    many as its parts.
    """
    terms, _ = _counted(expression, names)
    return terms


def _counted(node: Expression, names: FormulaNames) -> tuple[int, bool]:
    """Return the terms of a sum, and whether a constant is added to them."""
    if node.op == "number":
        return 0, True
    if node in names.known or names.call(node) is not None:
        return 1, False
    parts = [each for each in node.arguments if isinstance(each, Expression)]
    found = [_counted(part, names) for part in parts if part.type == "number"]
    if node.op in ("add", "subtract"):
        return sum(terms for terms, _ in found), any(constant for _, constant in found)
    if node.op == "multiply":
        (left, more), (right, other) = found
        return left * right + left * other + right * more, more and other
    return max(1, sum(terms for terms, _ in found)), False


@dataclass(frozen=True, slots=True)
class SizedPlayer(JsonData):
    """A player that was made and measured."""

    way: str
    most: int
    """The terms that it might have."""
    seed: int
    terms: int
    """Those that it has, all brackets multiplied out."""
    formula: str
    scores: Mapping[str, float]
    """Points a game against each opponent."""
    player: Mapping[str, Any]
    """The player as data, as a saved file has it."""

    @property
    def mean(self) -> float:
        """The mean of its scores."""
        return fmean(self.scores.values())


@dataclass(frozen=True, slots=True)
class Readability(JsonData, Shown):
    """The strength of players against their number of terms."""

    also: ClassVar = ("best",)
    name: str
    game: str
    scale: Mapping[str, Any]
    ways: Mapping[str, str]
    """Titles, by name."""
    made: tuple[SizedPlayer, ...]
    wanted: int
    """How many players there will be."""

    @property
    def sizes(self) -> tuple[int, ...]:
        """The numbers of terms that players might have."""
        return tuple(sorted({each.most for each in self.made}))

    @property
    def opponents(self) -> tuple[str, ...]:
        """Those that measure, in order."""
        return tuple(dict.fromkeys(name for each in self.made for name in each.scores))

    @property
    def best(self) -> dict[str, SizedPlayer]:
        """The best player that has at most so many terms, by the mean over the opponents."""
        found = {}
        for most in self.sizes:
            small = [made for made in self.made if made.terms <= most]
            if small:
                found[f"{most}"] = max(small, key=lambda made: made.mean)
        return found

    @property
    def missing(self) -> str:
        """How far it is; "" when it is whole."""
        made = len(self.made)
        return f"{made} of {self.wanted} players" if made < self.wanted else ""

    def points(self, way: str, opponent: str = "") -> dict[float, list[float]]:
        """Return the scores of a way's players by the terms that they have, a median over seeds.

        An empty *opponent* stands for the mean over all.
        """
        found: dict[float, list[float]] = {}
        for most in self.sizes:
            made = [each for each in self.made if (each.way, each.most) == (way, most)]
            if made:
                scores = [each.scores[opponent] if opponent else each.mean for each in made]
                found.setdefault(median(each.terms for each in made), []).extend(scores)
        return found

    def chart(self, opponent: str = "") -> Chart:
        """Return the strength of each way over the number of terms, medians over seeds."""
        of_way = {way: self.points(way, opponent) for way in self.ways}
        x = sorted({terms for points in of_way.values() for terms in points if terms})

        def line(way: str) -> Series:
            found = [of_way[way].get(terms) for terms in x]
            return Series(
                way,
                [100 * median(scores) if scores else None for scores in found],
                [(100 * min(scores), 100 * max(scores)) if scores else None for scores in found],
            )

        return line_chart(
            f"Against {opponent}" if opponent else "Strength against the number of terms",
            x,
            [*map(line, self.ways)],
            "points a game, in percent",
            x_title="terms",
            note="medians over seeds, from the least to the most"
            + ("" if opponent else "; means over all opponents"),
            is_log=True,
            joins_gaps=True,
        )

    def shown(self) -> Page:
        """Return the curves, the table, and the formulas."""
        best = Section(
            "The best of each size",
            _columns(self.opponents),
            list(self.best.values()),
            "The best of many by the same games that measure it: its own figures flatter. Measure "
            "it again with another seed.",
        )
        every = Section(
            "Every player", _columns(self.opponents), self.made, COUNTED, look="numbers"
        )
        facts = {"game": self.game, "players": f"{len(self.made)} of {self.wanted}"}
        return Page(
            "What readability costs",
            [
                Section("Strength", charts=[self.chart(), *map(self.chart, self.opponents)]),
                best,
                every,
            ],
            facts | {key: str(value) for key, value in self.scale.items()},
        )

    def save_html(self, path: str | os.PathLike[str]) -> Path:
        """Write the page about it, whole or not at all, and return the path; `OSError` if not."""
        from evoply.reports import write_result

        return write_result(self, path, state=self.missing)


def _columns(opponents: Sequence[str]) -> tuple[Column, ...]:
    percent = "{:.1%}".format
    return (
        Column("way", "way", str),
        Column("most", "at most", counted),
        Column("terms", "terms", counted),
        Column("seed", "seed", counted),
        *(
            Column("", name, percent, read=lambda made, name=name: made.scores.get(name))  # type: ignore[misc]
            for name in opponents
        ),
        Column("mean", "mean", percent, look="strong"),
        Column("formula", "formula", str, look="code", is_listed=False),
    )


def readability_folder(
    name: str | None,
    *,
    game: str = "othello",
    scale: str = "small",
    ways: Sequence[str] = (),
    **changes: Any,
) -> ExperimentFolder:
    """Return the folder called *name* (None: readability-GAME), made if it is not there.

    *changes* are fields of `PlanSize` instead of those of *scale*. Raises `ConfigError` or
    `ValueError` for what does not fit, and `RunError` if the folder holds something else.
    """
    whole = {**dict(plan().scale(scale)), **changes}
    size = checked(lambda: PlanSize(**whole), lambda error: ConfigError(explained(error, PlanSize)))
    found = plan().of(game)
    for way in ways:
        if way not in found.ways:
            hint = did_you_mean(way, found.ways) or f": there are {', '.join(found.ways)}"
            raise ValueError(f"ways: there is no {shorten(way)!r}{hint}")
    setups = [
        setup
        for key, way in found.ways.items()
        if not ways or key in ways
        for setup in way.setups(key, game, size.terms, size.seconds)
    ]
    if not setups:
        raise ValueError("ways: what is distilled needs no experiment: add another way")
    first, *_ = yardsticks(game)
    experiment = Experiment(
        configs=tuple(setup.name for setup in setups),
        game=game,
        seeds=size.seeds,
        points=0,
        games=2,
        measure=Score(opponents=(first.player,)),
    )
    folder = ExperimentFolder.create(
        runs_directory() / (name or f"readability-{game}"), experiment, setups
    )
    chosen = {"scale": size.model_dump(), "ways": [*(ways or found.ways)], "game": game}
    kept = folder.path / _MADE / "plan.json"
    if kept.exists() and _read(kept) != json.loads(json.dumps(chosen)):
        raise RunError(f"{folder.path} was begun with other settings: give another --name")
    _write(kept, chosen)
    return folder


def seconds_needed(folder: ExperimentFolder, slots: int) -> float:
    """Return about how many seconds all that *folder* lacks takes with *slots* runs at a time.

    Players are distilled and measured after the runs.
    """
    chosen = _read(folder.path / _MADE / "plan.json")
    game, size = chosen["game"], PlanSize(**chosen["scale"])
    ways = plan().of(game).ways
    runs = [
        (getattr(unit.setup.config, "time_limit", None) or 0.0)
        + (ways[name] if name in ways else Way(title=name)).beside
        for unit in folder.waiting()
        for name in [unit.setup.name.split()[0]]
    ]
    after = 0.0
    for way, most, seed in itertools.product(
        chosen["ways"], size.terms, folder.experiment.all_seeds
    ):
        if _made_file(folder, way, most, seed).exists():
            continue
        games = size.games * sum(each.share for each in yardsticks(game))
        after += games / (_GAMES_A_SECOND * slots)
        if ways[way].teacher:
            each_game = _SECONDS_OF_TEACHING + _SECONDS_OF_A_TERM * min(most, _SLOW_TERMS)
            after += size.teacher_games * each_game
    return max(sum(runs) / slots, *runs, 0.0) + after


def _made_file(folder: ExperimentFolder, way: str, most: int, seed: int) -> Path:
    return folder.path / _MADE / f"{way}-{most}-{seed}.json"


def made_players(
    folder: ExperimentFolder,
    *,
    threads: int = 0,
    progress: Callable[[int, int], object] | None = None,
) -> Readability:
    """Return the players of the finished runs of *folder*, distilled and measured where need be.

    What is finished is kept. *progress* gets the players that are done, and all.
    """
    chosen = _read(folder.path / _MADE / "plan.json")
    game, size = chosen["game"], PlanSize(**chosen["scale"])
    ways = {name: plan().of(game).ways[name] for name in chosen["ways"]}
    seeds = folder.experiment.all_seeds
    wanted = [(way, most, seed) for seed in seeds for way in ways for most in size.terms]
    done = {(result.setup, result.seed) for result in folder.measured()}
    made = []
    for number, (way, most, seed) in enumerate(wanted):
        path = _made_file(folder, way, most, seed)
        if path.exists():
            made.append(SizedPlayer(**_read(path)))
        else:
            player = _player(folder, way, ways[way], most, seed, size, done, threads)
            if player is None:
                continue
            found = _measured(player, way, most, seed, game, size.games, threads)
            _write(path, found.to_dict())
            made.append(found)
        if progress is not None:
            progress(number + 1, len(wanted))
    titles = {name: way.title for name, way in ways.items()}
    return Readability(folder.name, game, chosen["scale"], titles, tuple(made), len(wanted))


def _player(
    folder: ExperimentFolder,
    name: str,
    way: Way,
    most: int,
    seed: int,
    size: PlanSize,
    done: set[tuple[str, int]],
    threads: int,
) -> ValuingPlayer | None:
    """Return the player that *way* made, None if its run is not finished."""
    game = folder.setups[0].config.game
    if way.teacher:
        return distil(
            parse_player(way.teacher, game=game),
            terms=most,
            game=game,
            primitives=[_filled(way.primitives, most, game)],
            games=size.teacher_games,
            seed=seed,
            threads=threads,
        ).player
    setup = name if way.has_map else f"{name} {most}"
    if (setup, seed) not in done:
        return None
    with Run.open(folder.unit(setup, seed).path) as run:
        if not way.has_map:
            player = run.champion_player if run.pruned is None else run.pruned_player
            return _valuing(player)
        last = run.last()
        players = {player.name: player for player in last.champions}
        small = (
            player
            for place, _ in last.elites
            for player in [_valuing(players[f"cell {place.name}"])]
            if _terms(player, game)[0] <= most
        )
        return next(small, None)


def _valuing(player: Any) -> ValuingPlayer:
    valuing = player.valuing()
    assert isinstance(valuing, ValuingPlayer)  # all ways make players that value boards
    return valuing


def _terms(player: ValuingPlayer, game: str) -> tuple[int, str]:
    """Return the number of terms of a player, and its formula."""
    names = player.evaluator.names_in(game)
    form = simplify(player.evaluator.value, names)
    return number_of_terms(form.expression, names), form.formula


def _measured(
    player: ValuingPlayer, way: str, most: int, seed: int, game: str, games: int, threads: int
) -> SizedPlayer:
    terms, text = _terms(player, game)
    playing = with_options(player, plan().of(game).player, name=f"{way} {most}", game=game)
    strength = measure([playing], game=game, games=games, threads=threads)
    return SizedPlayer(
        way=way,
        most=most,
        seed=seed,
        terms=terms,
        formula=text,
        scores={row.opponent: row.score for row in strength.rows},
        player=playing.self_contained().model_dump(mode="json"),
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        return without_checksum(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, OSError) as error:
        raise RunError(f"{path}: {error} - remove it, and it is made again") from None


def _write(path: Path, content: Mapping[str, Any]) -> None:
    path.parent.mkdir(exist_ok=True)
    write_atomically(path, json.dumps(with_checksum(json.loads(json.dumps(content)))))
