"""Bellin and Gasperin's study: five experiments with weighed trees, and tournaments.

Source: Bellin & Gasperin, "Genetic Programming and Othello". A type of individuals is a set of
primitives: its features, whether places weigh them, its no-ops. Everything else is gpjpp's defaults
(preset `gpjpp`): fitness is the sum of the opponent's discs over three games as White, one against
Edgar, here `edgar-like`, and two against a random player.

E1 to E5 tell the fitness of the best trees, also on fresh games, and what no-ops became; sets of
few and many features tell which suit weights; tournaments of evolved trees in seven brackets tell
stars, and whether fitness foretells success.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from math import isnan

import numpy as np
from numpy.typing import NDArray

from evoply import _native
from evoply.arena import Results, Schedule, Star, Tournament, play, rank_correlation, tournament
from evoply.evolution import Census, EvolutionConfig, Generation, config_from_toml, evolve
from evoply.expressions import PRIMITIVE_SETS, PrimitiveSet, bellin
from evoply.expressions.operations import Weighing
from evoply.games.othello import Position
from evoply.gp import Tree, leaf_weights, lower
from evoply.players import AfterState, KernelSeat, TreeEvaluator, parse_player, player_of
from evoply.reports import explain
from evoply.reports.charts import interval_chart
from evoply.runs.presets import preset_text
from evoply.studies.study import Reproduction, Result, Row, paper, row, series, study_of
from evoply.studies.verdicts import Figure, difference, mean_of, share_of_games
from evoply.wording import signed

GAME = "othello"
OPPONENTS = ("edgar-like", "random", "random")
FRESH_TIMES = 300
"""The number of fresh repetitions of the three games."""


@dataclass(frozen=True, slots=True)
class Type:
    """A type of individual: its title, primitives, printed fitness range, players of its bracket.

    *printed* is None for the two brackets that the paper does not describe.
    """

    title: str
    primitives: PrimitiveSet
    printed: tuple[float, float] | None
    players: int = 5

    @property
    def is_weighed(self) -> bool:
        """Whether places weigh its leaves."""
        return self.primitives.weights is not None


FEATURES: Mapping[str, Sequence[str]] = paper("bellin")["tables"]["hypothesis"]["features"]
"""The regions of each set of features of section 4.4; none for the original features."""
WEIGHTS: Mapping[str, Weighing | None] = {"weights": "positional", "no weights": None}
"""How the places of leaves weigh them, in each set of features."""
PRIMITIVES: Mapping[str, PrimitiveSet] = {
    "E1": PRIMITIVE_SETS["liao"],
    "E2": PRIMITIVE_SETS["bellin"],
    "E3": bellin("letters", mode=None),
    "E4": PRIMITIVE_SETS["bellin-letters"],
    "E5": PRIMITIVE_SETS["bellin-noops"],
    "V1": bellin(constants=False),
    "V2": bellin("letters", mode="noop_only"),
    **{
        f"{name}, {weights}": bellin("letters" if regions else "liao", mode=mode, regions=regions)
        for name, regions in FEATURES.items()
        for weights, mode in WEIGHTS.items()
    },
}


def _types() -> Iterator[tuple[str, Type]]:
    for name, told in paper("bellin")["types"].items():
        printed = tuple(told["printed"]) if "printed" in told else None
        yield name, Type(told["title"], PRIMITIVES[name], printed, told.get("players", 5))


TYPES = dict(_types())
"""The types by name, of which the paper describes E1 to E5."""
EXPERIMENTS = tuple(name for name, kind in TYPES.items() if kind.printed is not None)


@dataclass(frozen=True, slots=True)
class Evolved:
    """The best individual of a run: its fitness when it was found, and on fresh games."""

    tree: Tree
    fitness: float
    """Sum of the opponent's discs over three games, the least of the run."""
    fresh: float
    """The same on fresh games: the mean of `FRESH_TIMES` times the three games."""
    beats_edgar: bool
    """Whether it wins its game against the Edgar-like player."""
    first: Census
    """Of the random first generation."""
    last: Census
    """Of the last generation."""


def config_of(name: str, request: Reproduction, run: int) -> EvolutionConfig:
    """Return the config of one run of a type, or of a set of features of section 4.4."""
    opponents = ",".join(
        f'{{player="{player}",games={OPPONENTS.count(player)}}}'
        for player in dict.fromkeys(OPPONENTS)
    )
    seed = _native.Stream(request.seed, "bellin", name, run).key % 2**63
    settings = [
        f"seed={seed}",
        f"population_size={request.size('population')}",
        f"generations={request.size('generations')}",
        f"fitness.opponents=[{opponents}]",
        # The study tests its own individuals, so the engine need not.
        "hall_of_fame={size=1,candidates=1,sample=1,pairs=1,final_pairs=1}",
    ]
    config = config_from_toml(preset_text("gpjpp"), settings)
    return EvolutionConfig(**{**config.model_dump(), "primitives": PRIMITIVES[name].to_dict()})


def evolve_type(name: str, request: Reproduction, run: int) -> Evolved:
    """Return the individual with the best training fitness of one run of a type."""
    config = config_of(name, request, run)
    first: Generation | None = None
    best: tuple[float, Tree] | None = None
    for generation in evolve(config, threads=request.threads):
        first = first or generation
        fittest = generation.best
        if isinstance(fittest.tree, Tree) and (best is None or -fittest.fitness < best[0]):
            best = -fittest.fitness, fittest.tree
    assert best is not None
    assert first is not None
    stream = _native.Stream(config.seed, "fresh")
    results = three_games([best[1]], stream, request.threads, FRESH_TIMES)
    discs = opponents_discs(results, 1)
    return Evolved(
        tree=best[1],
        fitness=best[0],
        fresh=float(discs[0]) / FRESH_TIMES,
        # The first game, against Edgar, is always the same: both players are deterministic.
        beats_edgar=bool(results.white_discs[0] > results.black_discs[0]),
        first=first.census,
        last=generation.census,
    )


def three_games(
    trees: Sequence[Tree], stream: _native.Stream, threads: int, times: int = 1
) -> Results:
    """Return the three games of each tree as White, *times* times, tree after tree.

    All trees have the same keys.
    """
    opponents = [parse_player(text) for text in OPPONENTS]
    natives = [_native.Player(GAME, "after_state", program) for program in lower(trees, GAME)]
    players = [KernelSeat(native) for native in natives]
    each = len(OPPONENTS) * times
    white = np.arange(len(trees)).repeat(each) + len(opponents)
    schedule = Schedule(
        black=np.tile(np.arange(each) % len(OPPONENTS), len(trees)).astype(np.uint32),
        white=white.astype(np.uint32),
        opening_keys=np.tile(stream.child("opening").keys(each), len(trees)),
        game_keys=np.tile(stream.child("game").keys(each), len(trees)),
        opening_plies=0,
        starts=(Position().row,),
    )
    return play(GAME, [*opponents, *players], schedule, threads=threads)


def opponents_discs(results: Results, trees: int) -> NDArray[np.int64]:
    """Return the sum of the opponents' discs of each of *trees* in `three_games`."""
    sums: NDArray[np.int64] = results.black_discs.reshape(trees, -1).sum(axis=1)
    return sums


_MODES = ("all", "same", "other")
_TITLES = {"all": "against all", "other": "against other brackets"}
_SELECTED = "Edgar is lost, and sizes of population and run unknown"
_CHAINS = "As a share of all chains. The paper saw them, even directly above terminals."
_IMPORTANT = (
    "Rank correlation; the paper expects important features to the left and high, where weights "
    "are large. Influence: the share of moves that change when a feature is held at its mean."
)
_FRESH = f"The same trees, {FRESH_TIMES} times the three games."


def fitness_ranges(request: Reproduction) -> Result:
    """Return all five experiments beside one another."""
    return _fitness(EXPERIMENTS, request)


def experiment(name: str, request: Reproduction) -> Result:
    """Return one experiment with its evidence on the paper's hypotheses."""
    return _fitness((name,), request)


def _fitness(names: Sequence[str], request: Reproduction) -> Result:
    evolved = dict(
        request.over_seeds(
            names, request.size("runs"), lambda name, run: evolve_type(name, request, run)
        )
    )
    selected = {name: mean_of([tree.fitness for tree in evolved[name]]) for name in names}
    fresh = {name: mean_of([tree.fresh for tree in evolved[name]]) for name in names}
    rows: list[Row] = []
    for name in names:
        printed = TYPES[name].printed
        rows += [
            row(f"{name}, {TYPES[name].title}", selected[name], printed, otherwise=_SELECTED),
            row(f"{name} on fresh games", fresh[name], reason=_FRESH),
        ]
    rows += [_edgar_row(name, evolved[name]) for name in names]
    rows += [entry for name in names for entry in _chain_rows(name, evolved[name])]
    rows += [entry for name in names if TYPES[name].is_weighed
             for entry in _importance_rows(name, evolved[name])]  # fmt: skip
    chart = interval_chart(
        "Selected and fresh",
        names,
        [
            series("paper, middle of the range", map(_printed_range, names), symbol="diamond"),
            series("here, when selected", selected.values()),
            series("here, fresh games", fresh.values(), symbol="square"),
        ],
        "opponents' discs in three games",
        note="with 95 % intervals",
    )
    return request.result(rows, [chart], [_best_note(name, evolved[name]) for name in names])


def _printed_range(name: str) -> Figure | None:
    printed = TYPES[name].printed
    return None if printed is None else Figure(sum(printed) / 2, printed)


def _best_note(name: str, evolved: Sequence[Evolved]) -> str:
    best = min(evolved, key=lambda player: (player.fitness, len(player.tree)))
    text = str(best.tree)
    short = text if len(text) <= 160 else text[:159] + "…"
    return f"{name}, the fittest ({best.fitness:g}): {short}"


def _edgar_row(name: str, evolved: Sequence[Evolved]) -> Row:
    beaten = sum(tree.beats_edgar for tree in evolved)
    return row(
        f"{name}: best trees that beat {OPPONENTS[0]}",
        share_of_games(beaten, len(evolved), counted="trees"),
        reason="The paper: players of every type beat Edgar. One game, as White.",
        unit="share of the best trees",
    )


def _chain_rows(name: str, evolved: Sequence[Evolved]) -> list[Row]:
    """Return rows with the share of no-ops in chains, in the first and the last generation."""
    if not any(node.bits for node in TYPES[name].primitives):
        return []
    rows = []
    for when, censuses in (
        ("first", [tree.first for tree in evolved]),
        ("last", [tree.last for tree in evolved]),
    ):
        shares = [share for census in censuses if (share := _chain_share(census)) is not None]
        figure = mean_of(shares, within=(0, 1)) if shares else None
        rows.append(
            row(
                f"{name}: chains of 2 or more no-ops, {when} generation",
                figure,
                reason=_CHAINS if when == "last" else "",
                otherwise="" if shares else "No no-ops were left.",
                unit="share of all chains",
            )
        )
    return rows


def _chain_share(census: Census) -> float | None:
    chains = census.no_op_chains
    return sum(chains[1:]) / sum(chains) if sum(chains) else None


def _importance_rows(name: str, evolved: Sequence[Evolved]) -> Iterator[Row]:
    """Yield rows on whether features that decide moves have large weights and stand high."""
    influences: list[float] = []
    found: dict[str, list[float]] = {"their weight": [], "their height": []}
    for player in evolved:
        known = leaf_weights(player.tree)
        for feature, influence in _influences(player).items():
            places = [index for index, node in enumerate(player.tree.nodes) if node.name == feature]
            influences.append(influence)
            found["their weight"].append(max(known[index] or 0.0 for index in places))
            found["their height"].append(-min(player.tree.level(index) for index in places))
    for what, values in found.items():
        rho = rank_correlation(influences, values) if len(influences) > 1 else None
        if rho is not None and not isnan(rho.rho):
            yield row(
                f"{name}: influence of features and {what}, rho",
                Figure(rho.rho, rho.interval, rho.players, counted="features"),
                reason=_IMPORTANT,
                unit="rank correlation",
            )


def _influences(player: Evolved) -> dict[str, float]:
    names = {node.name for node in player.tree.nodes if not node.arity}
    explained = explain(player_of(player.tree), positions=300)
    return {part.text: part.share for part in explained.features if part.text in names}


def hypothesis(request: Reproduction) -> Result:
    """Return what section 4.4 asks: whether few features of equal size suit weights best.

    The discs of the best trees on fresh games tell, and what weights change in them.
    """
    names = [f"{name}, {weights}" for name in FEATURES for weights in WEIGHTS]
    found = dict(
        request.over_seeds(
            names, request.size("runs"), lambda name, run: evolve_type(name, request, run)
        )
    )
    fresh = {name: np.array([tree.fresh for tree in trees]) for name, trees in found.items()}
    weighed = {name: fresh[f"{name}, weights"] for name in FEATURES}
    gains = {name: fresh[f"{name}, no weights"] - weighed[name] for name in FEATURES}
    figures = {}
    for few, others in request.table.told["compared"].items():
        for other in others:
            figures[f"weights: {few} less {other}"] = weighed[few] - weighed[other]
            figures[f"what weights gain: {few} less {other}"] = gains[few] - gains[other]
    figures |= {f"{name}: what weights gain": gains[name] for name in FEATURES}
    figures |= {f"{name}: fresh games": fresh[name] for name in names}
    figures |= {
        f"{name}: when selected": np.array([tree.fitness for tree in found[name]]) for name in names
    }
    rows = request.rows({name: mean_of(values.tolist()) for name, values in figures.items()})
    chart = interval_chart(
        "Fresh games",
        list(FEATURES),
        [
            series(weights, [mean_of(fresh[f"{name}, {weights}"].tolist()) for name in FEATURES])
            for weights in WEIGHTS
        ],
        "opponents' discs in three games",
        note="with 95 % intervals",
    )
    return request.result(rows, [chart])


def tournaments(request: Reproduction) -> Result:
    """Return tournaments of the evolved trees in all three modes: stars, and what fitness tells."""
    evolved = _evolve_players(request)
    results = {mode: _play(evolved, mode, request, index) for index, mode in enumerate(_MODES)}
    rows = [_star_row(star, results["same"]) for star in results["all"].stars]
    rows += [
        row(f"{star.player}: {_TITLES['other']}", _rank(star, results["other"]), unit=_RANK)
        for star in results["other"].stars
    ]
    rows += _rises(evolved, results, request)
    rows += _correlation_rows(evolved, results["all"], request)
    rows.append(_champions_row(results))
    names = [star.player for star in results["all"].stars]
    ranks = {
        mode: {
            star.player: Figure(star.mean_rank, star.rank_interval) for star in results[mode].stars
        }
        for mode in _TITLES
    }
    chart = interval_chart(
        "Mean rank",
        names,
        [
            series(_TITLES[mode], [ranks[mode][name] for name in names], symbol=symbol)
            for mode, symbol in (("all", "circle"), ("other", "square"))
        ],
        "mean rank (1 is the best)",
        note="with 95 % intervals",
    )
    titles = {name: TYPES[name].title for name in ("V1", "V2")}
    return request.result(rows, [chart], trees=len(evolved), brackets=len(TYPES), **titles)


def _evolve_players(request: Reproduction) -> dict[str, Evolved]:
    """Return the players by name, "E1 1" the first of bracket E1."""
    wanted = {name: min(kind.players, request.size("runs")) for name, kind in TYPES.items()}
    total = sum(wanted.values()) + len(_MODES) + len(_TITLES)
    trees: dict[str, Evolved] = {}
    for name, count in wanted.items():
        for run in range(count):
            trees[f"{name} {run + 1}"] = evolve_type(name, request, run)
            request.progress(len(trees), total)
    return trees


def _play(
    evolved: Mapping[str, Evolved], mode: str, request: Reproduction, index: int, again: int = 0
) -> Tournament:
    """Return the tournaments of a mode, which is step *index*; *again* gives other ones."""
    result = tournament(
        [AfterState(evaluator=TreeEvaluator(tree=player.tree)) for player in evolved.values()],
        names=list(evolved),
        brackets=[_bracket(name) for name in evolved],
        # Fitness counts the opponents' discs: its negative is greater for a better player.
        fitness=[-player.fitness for player in evolved.values()],
        mode=mode,  # type: ignore[arg-type]  # one of the three
        times=request.size("tournaments"),
        seed=request.seed + again,
        threads=request.threads,
    )
    request.progress(len(evolved) + index + 1, len(evolved) + len(_MODES) + len(_TITLES))
    return result


def _bracket(player: str) -> str:
    return player.partition(" ")[0]


_RANK = "mean rank over tournaments"


def _rank(star: Star, result: Tournament) -> Figure:
    return Figure(star.mean_rank, star.rank_interval, result.runs, counted="tournaments")


def _star_row(star: Star, same: Tournament) -> Row:
    titles = next(other.titles for other in same.stars if other.player == star.player)
    return row(
        star.player,
        _rank(star, same),
        reason=f"{star.titles} titles, {star.finals} finals, rating {signed(star.rating or 0)}; "
        f"{titles} titles in its bracket.",
        unit=_RANK,
    )


def _rises(
    evolved: Mapping[str, Evolved], results: Mapping[str, Tournament], request: Reproduction
) -> Iterator[Row]:
    """Yield how far the two of middle rank that rise most against other brackets rise again.

    The tournaments of *results* choose them, and others tell: the greatest of many differences
    would be above 0 by chance alone.
    """

    def rises(modes: Mapping[str, Tournament]) -> dict[str, Figure]:
        ranks = {mode: {star.player: _rank(star, modes[mode]) for star in modes[mode].stars}
                 for mode in _TITLES}  # fmt: skip
        return {name: difference(ranks["all"][name], ranks["other"][name]) for name in evolved}

    third = len(evolved) // 3
    mediocre = [star.player for star in results["all"].stars[third : len(evolved) - third]]
    first = rises(results)
    chosen = sorted(mediocre, key=lambda name: first[name].value, reverse=True)[:2]
    again = {
        mode: _play(evolved, mode, request, len(_MODES) + index, again=1)
        for index, mode in enumerate(_TITLES)
    }
    for what, name in zip(("first", "second"), chosen, strict=True):
        figure = rises(again)[name]
        key = f"rise against other brackets, {what} of the middle"
        yield request.row(f"{key}: {name}", figure, key)


def _correlation_rows(
    evolved: Mapping[str, Evolved], result: Tournament, request: Reproduction
) -> Iterator[Row]:
    strengths = [-star.mean_rank for star in result.stars]
    players = [star.player for star in result.stars]
    fresh = rank_correlation([-evolved[name].fresh for name in players], strengths)
    found = {"in training": result.fitness_correlation, "on fresh games": fresh}
    for title, rho in found.items():
        if rho is not None and not isnan(rho.rho):
            figure = Figure(rho.rho, rho.interval, rho.players, (-1.0, 1.0), "players")
            name = f"rank correlation of fitness {title} with success"
            yield request.row(name, figure, unit="rank correlation")


def _champions_row(results: Mapping[str, Tournament]) -> Row:
    """Return the row with the number of bracket champions that are among the best of all."""
    champions = _champions(results["same"].stars)
    best = {star.player for star in results["all"].stars[: len(champions)]}
    return row(
        "share of brackets whose best player is a star against all",
        Figure(len(best & champions) / len(champions), None, len(champions), counted="brackets"),
        unit="share of brackets",
        reason="The paper: champions of brackets are often not the stars. Best: most titles in its "
        f"bracket; stars: the best {len(champions)} against all.",
    )


def _champions(stars: Sequence[Star]) -> set[str]:
    by_bracket: dict[str, Star] = {}
    for star in stars:
        known = by_bracket.get(star.bracket)
        if known is None or (star.titles, -star.mean_rank) > (known.titles, -known.mean_rank):
            by_bracket[star.bracket] = star
    return {star.player for star in by_bracket.values()}


BELLIN = study_of(
    "bellin",
    {
        **{name: partial(experiment, name) for name in EXPERIMENTS},
        "fitness": fitness_ranges,
        "hypothesis": hypothesis,
        "tournament": tournaments,
    },
)
