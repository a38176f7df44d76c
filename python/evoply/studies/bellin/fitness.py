"""Experiments E1 to E5: fitness of the best trees, also on fresh games, and no-op statistics."""

from collections.abc import Sequence
from math import isnan

from evoply.arena import rank_correlation
from evoply.evolution import Census
from evoply.gp import leaf_weights
from evoply.players import player_of
from evoply.reports import explain
from evoply.reports.charts import interval_chart
from evoply.studies.bellin.types import (
    EXPERIMENTS,
    FRESH_TIMES,
    OPPONENTS,
    RUNS,
    TYPES,
    Evolved,
    evolve_type,
)
from evoply.studies.study import Request, Result, Row, row, series
from evoply.studies.verdicts import Figure, mean_of, share_of_games

_SELECTED = "The least of all evaluations of a run; sizes of population and run are unknown."
_CHAINS = "As a share of all chains. The paper saw them, even directly above terminals."
_IMPORTANT = (
    "Rank correlation; the paper expects important features to the left and high, where weights "
    "are large. Influence: the share of moves that change when a feature is held at its mean."
)
_FRESH = f"The same trees, {FRESH_TIMES} times the three games."


def fitness_ranges(request: Request) -> Result:
    """Return all five experiments beside one another."""
    return _result(request, "fitness", "Fitness of the best trees, E1 to E5", EXPERIMENTS)


def experiment(name: str, request: Request) -> Result:
    """Return one experiment with its evidence on the paper's hypotheses."""
    return _result(request, name, f"{name}: {TYPES[name].title}", (name,))


def _result(request: Request, table: str, title: str, names: Sequence[str]) -> Result:
    runs = RUNS[request.scale]
    evolved: dict[str, list[Evolved]] = {name: [] for name in names}
    for number, name in enumerate(names):
        for run in range(runs):
            evolved[name].append(evolve_type(name, request, run))
            request.progress(number * runs + run + 1, len(names) * runs)
    rows = [entry for name in names for entry in _fitness_rows(name, evolved[name])]
    rows += [_edgar_row(name, evolved[name]) for name in names]
    rows += [entry for name in names for entry in _chain_rows(name, evolved[name])]
    weighed = {name: evolved[name] for name in names if TYPES[name].is_weighed}
    rows += _importance_rows(weighed)
    selected = [mean_of([tree.fitness for tree in evolved[name]]) for name in names]
    fresh = [mean_of([tree.fresh for tree in evolved[name]]) for name in names]
    chart = interval_chart(
        "Selected and fresh",
        names,
        [
            series("paper, middle of the range", map(_printed_range, names), symbol="diamond"),
            series("here, when selected", selected),
            series("here, fresh games", fresh, symbol="square"),
        ],
        "opponents' discs in three games",
        note="with 95 % intervals",
    )
    return request.result(
        "bellin",
        table,
        title,
        rows,
        unit="means over runs of the opponents' discs, summed over three games (less is better), "
        "unless the row says otherwise",
        notes=(
            "The paper gives a range over its best trees; ours is the mean over runs. A fitness is "
            "the least of thousands of noisy ones, so a tree does far worse on fresh games.",
            f"The opponent in place of Edgar was learned anew ({OPPONENTS[0]}); the original is "
            "lost.",
            *(_best_note(name, evolved[name]) for name in names),
        ),
        charts=(chart,),
    )


def _printed_range(name: str) -> Figure | None:
    printed = TYPES[name].printed
    return None if printed is None else Figure(sum(printed) / 2, printed)


def _best_note(name: str, evolved: Sequence[Evolved]) -> str:
    best = min(evolved, key=lambda player: (player.fitness, len(player.tree)))
    text = str(best.tree)
    short = text if len(text) <= 160 else text[:159] + "…"
    return f"{name}, the fittest ({best.fitness:g}): {short}"


def _fitness_rows(name: str, evolved: Sequence[Evolved]) -> list[Row]:
    selected = mean_of([tree.fitness for tree in evolved])
    fresh = mean_of([tree.fresh for tree in evolved])
    return [
        row(f"{name}, {TYPES[name].title}", selected, TYPES[name].printed, reason=_SELECTED),
        row(f"{name} on fresh games", fresh, reason=_FRESH),
    ]


def _edgar_row(name: str, evolved: Sequence[Evolved]) -> Row:
    beaten = sum(tree.beats_edgar for tree in evolved)
    return row(
        f"{name}: best trees that beat {OPPONENTS[0]}",
        share_of_games(beaten, len(evolved)),
        reason="The paper: players of every type beat Edgar. One game, as White.",
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
            )
        )
    return rows


def _chain_share(census: Census) -> float | None:
    chains = census.no_op_chains
    return sum(chains[1:]) / sum(chains) if sum(chains) else None


def _importance_rows(weighed: dict[str, list[Evolved]]) -> list[Row]:
    """Return rows on whether features that decide moves have large weights and stand high."""
    rows = []
    for name, evolved in weighed.items():
        influences: list[float] = []
        weights: list[float] = []
        heights: list[float] = []
        for player in evolved:
            for feature, influence in _influences(player).items():
                places = [
                    index for index, node in enumerate(player.tree.nodes) if node.name == feature
                ]
                known = leaf_weights(player.tree)
                influences.append(influence)
                weights.append(max(known[index] or 0.0 for index in places))
                heights.append(-min(player.tree.level(index) for index in places))
        for what, values in (("their weight", weights), ("their height", heights)):
            found_rho = rank_correlation(influences, values) if len(influences) > 1 else None
            if found_rho is not None and not isnan(found_rho.rho):
                rows.append(
                    row(
                        f"{name}: influence of features and {what}, rho",
                        Figure(found_rho.rho, found_rho.interval, found_rho.players),
                        reason=_IMPORTANT,
                    )
                )
    return rows


def _influences(player: Evolved) -> dict[str, float]:
    names = {node.name for node in player.tree.nodes if not node.arity}
    explained = explain(player_of(player.tree), positions=300)
    return {part.text: part.share for part in explained.features if part.text in names}
