"""Benbassat and Sipper's guides: table 3, readings of the 10x10 one, and kinds of competition.

Guides look ahead by alpha-beta; finished games have exact values, and one of equal moves is drawn.
In lose checkers every leaf has a random value. In Reversi and on the 10x10 board the paper's guides
alternate between two counts of pieces that it does not name, so there are several readings.

Two rows of table 3 are all that can tell the candidates for the 10x10 board apart. The rule that
chooses one was written down before they were played: the candidate with the smallest sum, over both
rows, of the distance to the printed figure in points per 1,000.
"""

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import product
from statistics import fmean

from evoply import _native
from evoply.arena import MatchResult, match
from evoply.evolution import (
    EvolutionConfig,
    config_from_keys,
    evolve,
    final_test,
    individual_player,
)
from evoply.games.position import DrawRules
from evoply.reports.charts import interval_chart
from evoply.studies.study import Reproduction, Request, Result, Row, paper, row, series
from evoply.studies.verdicts import Figure, mean_of, share_of_games

PAPER_GAMES = 10_000

_TABLE_3 = paper("benbassat")["tables"]["3"]
GUIDES: Mapping[str, Mapping[str, str]] = _TABLE_3["guides"]
"""The guide of each game by reading; those after the first are of the games that they change."""
READINGS = tuple(GUIDES)
TITLES = {
    "othello": "Reversi",
    "lose-checkers": "Lose checkers",
    "checkers-10": "Checkers 10x10",
}


@dataclass(frozen=True, slots=True)
class GuideRow:
    """Two guides by depth (0: a random player), and the first one's score if it is printed."""

    game: str
    depth: int
    other: int
    printed: float | None = None
    simulated: Mapping[str, str] = field(default_factory=dict)
    """Earlier results of another program, with standard errors, by reading."""

    @property
    def name(self) -> str:
        """The game and the pair, in the paper's notation."""
        return f"{TITLES[self.game]}: {self.pair}"

    @property
    def pair(self) -> str:
        """The pair, in the paper's notation."""
        return f"ab{self.depth} against {f'ab{self.other}' if self.other else 'random'}"


LADDER = tuple(GuideRow(**told) for told in _TABLE_3["matches"])

DRAWS: Mapping[str, DrawRules | None] = {
    "": None,
    "repeating": DrawRules(repetitions=None),
    "of any length": DrawRules(max_plies=None),
    "long": DrawRules(quiet_plies=200, repetitions=None, max_plies=1000),
}
"""When long games are drawn, of which the paper says nothing; None: the usual rules of the game.
Tables 3 to 6 have the first, in training and in the benchmark."""


@dataclass(frozen=True, slots=True)
class GuideReading:
    """A reading of a guide: its evaluation, and what else the paper does not say of it."""

    pair: str
    """The player without its depth; the paper's alternate between two evaluations."""
    quiescence: bool = False
    ties: str = "random"
    """Which of equal moves it makes: a random one, or the first."""

    def player(self, depth: int) -> str:
        """Return the text of the guide that looks *depth* plies ahead; 0 is a random player."""
        if not depth:
            return "random"
        name, _, options = self.pair.partition(":")
        chosen = [f"depth={depth}", *filter(None, [options]), f"ties={self.ties}"]
        chosen += ["quiescence=yes"] * self.quiescence
        # The order of moves makes the guide faster. Only the first of equal ones depends on it.
        chosen += ["ordering=killer"] * (depth > 2 and self.ties == "random")
        return f"{name}:{','.join(chosen)}"

    @property
    def name(self) -> str:
        """The reading in a few words."""
        quiet = ", captures to their end" if self.quiescence else ""
        return f"{self.pair}{quiet}, {self.ties} of equals"


def guide(game: str, depth: int, reading: str = READINGS[0]) -> str:
    """Return the text of the guide of *game* that looks *depth* plies ahead; 0 is a random player.

    Raises ValueError if the reading does not cover the game.
    """
    if not depth:
        return "random"
    if game not in GUIDES[reading]:
        raise ValueError(f"the reading {reading} says nothing of {game}")
    return GuideReading(GUIDES[reading][game]).player(depth)


def benchmark(
    player: object,
    guide: str,
    game: str,
    games: int,
    seed: int,
    request: Request,
    draws: DrawRules | None = None,
) -> MatchResult:
    """Play a match from the start position, colours swapped, without openings."""
    return match(
        player, guide, game=game, games=games, openings=None, draws=draws, seed=seed,
        threads=request.threads,
    )  # fmt: skip


def seed_of(request: Request, *names: int | str) -> int:
    """Return the seed of what has these names in the study."""
    return _native.Stream(request.seed, *names).below(2**32)


def games_of(step: GuideRow, request: Reproduction) -> int:
    """Return the games of a match of two guides."""
    deepest = max(step.depth, step.other)
    return request.sizes("games")[(deepest > 5) + (deepest > 7)]


def score_of(result: MatchResult, *, of: float = 1.0) -> Figure:
    """Return the score of a match on the scale 0 to *of*."""
    interval = result.interval and (of * result.interval[0], of * result.interval[1])
    return Figure(of * result.score, interval, result.games, counted="games")


def calibration(request: Reproduction) -> Result:
    """Return table 3: matches between guides, beside the paper's 10,000 games each."""
    reading = request.rules
    steps = [step for step in LADDER if step.game in GUIDES[reading]]
    rows: list[Row] = []
    printed: dict[str, Figure] = {}
    ours: dict[str, Figure] = {}

    def result() -> Result:
        chart = interval_chart(
            "Points per game",
            list(ours),
            [
                series("paper", printed.values(), symbol="diamond"),
                series(f"here, {reading}", ours.values()),
            ],
            "points per game of the first",
            note="with 95 % intervals",
            reference=0.5,
        )
        return request.result(rows, [chart])

    for step in request.each(steps, result):
        first, second = (guide(step.game, depth, reading) for depth in (step.depth, step.other))
        seed = seed_of(request, "benbassat", "guides", step.name)
        draws = DRAWS["repeating" if reading == "repeats" else ""]
        games = games_of(step, request)
        played = benchmark(first, second, step.game, games, seed, request, draws)
        ours[step.name] = score_of(played)
        printed[step.name] = _printed(step)
        simulated = step.simulated.get("corners" if reading == "repeats" else reading)
        reason = f"Another program under this reading: {simulated}." if simulated else ""
        rows.append(
            row(step.name, ours[step.name], printed[step.name], reference=0.5, reason=reason)
        )
    return result()


def _printed(step: GuideRow) -> Figure:
    assert step.printed is not None  # of table 3
    return share_of_games(step.printed * PAPER_GAMES, PAPER_GAMES)


@dataclass(frozen=True, slots=True)
class DepthGuess:
    """A guess at what makes guides of lose checkers poor at even depths."""

    pair: str = GUIDES[READINGS[0]]["lose-checkers"]
    even: str = ""
    """The guide from four plies on where the depth is even; the same if empty."""
    plies: Mapping[str, int] = field(default_factory=dict)
    """How far it really looks, by depth."""
    quiescence: bool = False
    draws: str = ""

    def player(self, depth: int) -> str:
        """Return the text of the guide that is said to look *depth* plies ahead."""
        is_even = depth > 2 and depth % 2 == 0
        pair = self.even if self.even and is_even else self.pair
        return GuideReading(pair, self.quiescence).player(self.plies.get(str(depth), depth))


_DEPTHS = paper("benbassat")["tables"]["depths"]
EVEN_STEPS = tuple(GuideRow(**told) for told in _DEPTHS["matches"])
GUESSES = {name: DepthGuess(**told) for name, told in _DEPTHS["guesses"].items()}


def even_depths(request: Reproduction) -> Result:
    """Return matches of lose checkers' guides at even and odd depths under every guess.

    The paper prints some of them, and says in words that 4 and 6 plies did poorly.
    """
    rows: list[Row] = []
    steps = [(name, step) for name in GUESSES for step in EVEN_STEPS]
    for name, step in request.each(steps, lambda: request.result(rows)):
        guess, games = GUESSES[name], games_of(step, request)
        first, second = guess.player(step.depth), guess.player(step.other)
        seed = seed_of(request, "benbassat", "depths", step.name)
        played = benchmark(first, second, step.game, games, seed, request, DRAWS[guess.draws])
        said, ours = f"{name}: {step.pair}", score_of(played)
        if step.printed is None:
            rows.append(request.row(said, ours, "poor"))
        else:
            rows.append(row(said, ours, _printed(step), reference=0.5))
    return request.result(rows)


CANDIDATES = tuple(
    GuideReading(*parts)
    for parts in product(
        paper("benbassat")["tables"]["readings"]["pairs"], (False, True), ("random", "first")
    )
)
"""All candidates for the guide of the 10x10 board that are compared."""
_MAY_REPEAT = DrawRules(repetitions=None)
"""Positions may repeat. This, too, was fixed with the rule."""


def guide_readings(request: Reproduction) -> Result:
    """Return both printed rows of table 3 for every candidate, and which one the rule chooses."""
    steps = [step for step in LADDER if step.game == "checkers-10"]
    rows: list[Row] = []
    distances: dict[str, float] = {}

    def result() -> Result:
        chosen = min(distances, key=distances.__getitem__)
        return request.result(rows, chosen=chosen, distance=distances[chosen])

    for candidate in request.each(CANDIDATES, result):
        distance = 0.0
        for step in steps:
            first, second = candidate.player(step.depth), candidate.player(step.other)
            seed = seed_of(request, "benbassat", "readings", step.name)
            games = request.size("games")
            played = benchmark(first, second, step.game, games, seed, request, _MAY_REPEAT)
            ours, printed = score_of(played, of=1000.0), Figure(1000 * _printed(step).value, None)
            distance += abs(ours.value - printed.value)
            rows.append(row(f"{candidate.name}: {step.pair}", ours, printed, reference=500.0))
        distances[candidate.name] = distance
        rows.append(row(f"{candidate.name}: distance", Figure(distance, None)))
    return result()


# Kinds of competition in a population, compared by outside opponents at an equal budget of games.
#
# No paper has this experiment. Every kind of fitness breeds alike, from the same first populations,
# until its run has played its games; the champion's score against players that no run has met
# counts.

_TABLE = paper("benbassat")["tables"]["coevolution"]
OUTSIDE: Sequence[str] = _TABLE["outside"]
"""Opponents of the outside measure; no run meets them."""
KINDS: Mapping[str, Sequence[str]] = _TABLE["kinds"]
"""Changes of the common settings, by the name of the kind."""


def kind_config(kind: str, seed: int, request: Reproduction) -> EvolutionConfig:
    """Return the config of a run of a kind."""
    settings = [f"seed={seed}", *KINDS[kind]]
    settings.append(f"hall_of_fame.final_pairs={request.size('final_pairs')}")
    if not any("champions=" in setting for setting in KINDS[kind]):
        settings.append("fitness.earlier_generations.recent=0")
    return config_from_keys(deepcopy(_TABLE["config"]), settings)


def evolved_score(kind: str, seed: int, request: Reproduction) -> tuple[float, int, int]:
    """Return the score in [0, 1] of a run's champion, the games and the generations of the run.

    The run ends with the generation that reaches the budget.
    """
    config = kind_config(kind, seed, request)
    games = 0
    for generation in evolve(config, threads=request.threads):
        games += generation.statistics.games
        if games >= request.size("budget"):
            break
    champion = final_test(config, generation, threads=request.threads).champion.tree
    scores = [
        match(
            individual_player(config, champion),
            opponent,
            game=config.game,
            games=request.size("games"),
            openings=4,
            seed=_native.Stream(seed, "outside").below(2**32),
            threads=request.threads,
        ).score
        for opponent in OUTSIDE
    ]
    return sum(scores) / len(scores), games, generation.number + 1


def coevolution(request: Reproduction) -> Result:
    """Return the scores of all kinds, the same seeds for each."""
    rows: list[Row] = []
    figures: dict[str, Figure] = {}

    def measure(kind: str, run: int) -> tuple[float, int, int]:
        return evolved_score(kind, seed_of(request, "coevolution", run), request)

    def result() -> Result:
        chart = interval_chart(
            "Outside measure",
            list(figures),
            [series("here", figures.values())],
            "points per game",
            note="with 95 % intervals",
        )
        (yardstick,) = _TABLE["config"]["fitness"]["opponents"]
        told = {"outside": " and ".join(OUTSIDE), "yardstick": yardstick["player"]}
        return request.result(rows, [chart], **told)

    for kind, found in request.over_seeds(list(KINDS), request.size("runs"), measure):
        scores, games, generations = zip(*found, strict=True)
        figures[kind] = mean_of(scores, within=(0.0, 1.0))
        reason = (
            f"{fmean(games):,.0f} games and {fmean(generations):.0f} generations a run, "
            f"best run {max(scores):.3f}"
        )
        rows.append(row(kind, figures[kind], reason=reason))
        request.shown(result())
    return result()
