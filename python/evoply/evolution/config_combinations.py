"""Settings of a config that are each possible but do not fit together.

Like the other checks these read the raw mapping and never raise; what has the wrong type is left
to the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel

from evoply.evolution.config_fitness import measure_from_text
from evoply.games import GAMES

__all__ = ["combination_problems", "part_of"]

Problem = tuple[str, str]

_MINIMISED = ("opponent_discs", "epoch_discs", "stage_discs")
_AMONG_THEMSELVES = ("guides", "tournament")


def part_of(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return the part of a raw config at *key* as a mapping, empty if it is none."""
    part = data.get(key, {})
    if isinstance(part, BaseModel):
        return {name: getattr(part, name) for name in type(part).model_fields}
    return part if isinstance(part, Mapping) else {}


def combination_problems(data: Mapping[str, Any]) -> list[Problem]:
    """Return what does not fit together in *data*, as (path, message) pairs."""
    fitness = part_of(data, "fitness")
    measure = _measure(fitness)
    return [
        *_selection_problems(data, measure),
        *_deme_problems(data),
        *_steady_state_problems(data, measure),
        *_pairing_problems(data),
        *_stage_problems(
            data, selection=part_of(data, "selection"), counted=_kind(measure, "points")
        ),
        *_measure_problems(fitness, measure, data.get("population_size", 500)),
        *_epoch_problems(data, measure),
        *_termination_problems(data, measure),
        *_seed_problems(data),
        *_player_problems(data),
    ]


def _measure(fitness: Mapping[str, Any]) -> Mapping[str, Any]:
    measure = fitness.get("measure", {})
    if isinstance(measure, str):
        try:
            return measure_from_text(measure)
        except ValueError:
            return {}  # the model says what is wrong with it
    return part_of(fitness, "measure")


def _kind(part: Mapping[str, Any], usual: str) -> str:
    return str(part.get("kind", usual))


def _epoch_problems(data: Mapping[str, Any], measure: Mapping[str, Any]) -> list[Problem]:
    game = data.get("game", "othello")
    if _kind(measure, "points") != "epoch_discs" or game not in GAMES or GAMES[game].fills_board:
        return []
    return [("fitness.measure.kind", f"epoch_discs counts discs as Othello is filled, not {game}")]


def _selection_problems(data: Mapping[str, Any], measure: Mapping[str, Any]) -> list[Problem]:
    selection = part_of(data, "selection")
    kind = _kind(selection, "tournament")
    counted = _kind(measure, "points")
    problems: list[Problem] = []
    if kind in ("roulette", "greedy") and selection.get("scale", "raw") == "raw":
        reason = ""
        if counted in _MINIMISED:
            reason = f"fitness.measure {counted} is minimised"
        elif _kind(part_of(data, "parsimony"), "none") in ("length", "covariant"):
            reason = "parsimony may make fitness negative"
        if reason:
            problems.append(("selection.scale", f'{reason}: {kind} needs scale = "adjusted"'))
    is_by_case = kind == "lexicase" or selection.get("objectives") == "opponents"
    if is_by_case and counted == "tournament" and measure.get("format") == "elimination":
        problems.append(
            ("selection.kind", "a knock-out has no results against each opponent to select by")
        )
    if kind == "lexicase" and selection.get("cases") == "games" and counted in _AMONG_THEMSELVES:
        problems.append(
            ("selection.cases", f'with fitness.measure {counted} a case is one of "opponents"')
        )
    if is_by_case and data.get("parsimony") is not None:
        problems.append(("parsimony", "changes the fitness, which this selection does not look at"))
    return problems


def _pairing_problems(data: Mapping[str, Any]) -> list[Problem]:
    variation = part_of(data, "variation")
    recombination = part_of(variation, "recombination")
    if recombination.get("pairing", "couples") != "population":
        return []
    path = "variation.recombination.pairing"
    problems: list[Problem] = []
    if recombination.get("one_way", "never") == "never":
        problems.append(
            (
                "variation.recombination.one_way",
                'pairing = "population" needs "fitter" or "fitter_or_equal"',
            )
        )
    usual = {"subtree_mutation": 0.1, "point_mutation": 0.05}
    for name in _OTHER_OPERATORS:
        rate = variation.get(name, usual.get(name, 0.0))
        if isinstance(rate, int | float) and rate > 0:
            problems.append(
                (
                    f"variation.{name}",
                    f'is {rate:g}: with pairing = "population" mutations are in afterwards',
                )
            )
    if variation.get("custom"):
        problems.append(("variation.custom", 'has no place with pairing = "population"'))
    problems += [
        (path, f"cannot be combined with {part}")
        for part in ("demes", "steady_state")
        if data.get(part) is not None
    ]
    return problems


_OTHER_OPERATORS = (
    "subtree_mutation", "point_mutation", "constant_mutation", "swap_mutation", "shrink_mutation",
    "hoist_mutation", "creation", "local_mutation",
)  # fmt: skip


def _stage_problems(
    data: Mapping[str, Any], *, selection: Mapping[str, Any], counted: str
) -> list[Problem]:
    kind = _kind(part_of(data, "individual"), "tree")
    problems: list[Problem] = []
    if counted == "stage_discs" and kind != "stages":
        problems.append(
            ("fitness.measure", f'stage_discs needs individual.kind = "stages", not "{kind}"')
        )
    by_stage = _kind(selection, "tournament") == "lexicase" and selection.get("cases") == "stages"
    if by_stage and counted != "stage_discs":
        problems.append(
            ("selection.cases", f"stages are cases with fitness.measure stage_discs, not {counted}")
        )
    return problems


def _deme_problems(data: Mapping[str, Any]) -> list[Problem]:
    demes = part_of(data, "demes")
    if not demes:
        return []
    problems: list[Problem] = []
    population, size = data.get("population_size", 500), demes.get("size", 100)
    if type(population) is int and type(size) is int and size >= 2 and population % size:
        problems.append(
            ("demes.size", f"population_size {population} is not a whole number of demes of {size}")
        )
    if _kind(part_of(data, "selection"), "tournament") == "greedy":
        problems.append(("demes", "greedy over-selection does not work within demes"))
    if data.get("steady_state") is not None:
        problems.append(("demes", "cannot be combined with steady_state"))
    return problems


def _steady_state_problems(data: Mapping[str, Any], measure: Mapping[str, Any]) -> list[Problem]:
    if data.get("steady_state") is None:
        return []
    problems: list[Problem] = []
    kind = _kind(part_of(data, "selection"), "tournament")
    if kind not in ("tournament", "roulette", "greedy"):
        problems.append(
            ("steady_state", f"needs selection by tournament, roulette or greedy, not {kind}")
        )
    counted = _kind(measure, "points")
    is_relative = counted in _AMONG_THEMSELVES or measure.get("sharing") is True
    if is_relative:
        problems.append(
            ("steady_state", f"fitness.measure {counted} compares a whole population at once")
        )
    return problems


def _measure_problems(
    fitness: Mapping[str, Any], measure: Mapping[str, Any], population: Any
) -> list[Problem]:
    problems: list[Problem] = []
    kind = _kind(measure, "points")
    champions = part_of(fitness, "earlier_generations").get("champions", 0)
    if kind == "tournament" and champions:
        problems.append(
            (
                "fitness.earlier_generations.champions",
                "a tournament within the population meets no earlier champions",
            )
        )
    if kind == "tournament" and measure.get("format") == "elimination" and measure.get("sharing"):
        problems.append(("fitness.measure.sharing", "is for a round robin only"))
    if kind == "guides" and not measure.get("guides") and measure.get("co_play", 25) == 0:
        problems.append(("fitness.measure", "no guides and no co_play: nobody plays a game"))
    if kind in _AMONG_THEMSELVES and fitness.get("sides", "both") != "both":
        problems.append(("fitness.sides", f"with fitness.measure {kind} both colours are played"))
    return problems


def _player_problems(data: Mapping[str, Any]) -> list[Problem]:
    game, player = data.get("game", "othello"), part_of(data, "player")
    kind = _kind(part_of(data, "individual"), "tree")
    problems: list[Problem] = []
    if player.get("quiescence") is True and game in GAMES and not GAMES[game].has_captures:
        problems.append(
            ("player.quiescence", f"{game} has no captures: quiescence is for checkers")
        )
    if kind == "ordered" and player.get("ordering") != "tree":
        problems.append(
            ("player.ordering", 'must be "tree": the second tree of individuals orders moves')
        )
    elif kind == "ordered" and player.get("nodes") is None and player.get("work") is None:
        problems.append(
            ("individual.kind", "an order of moves changes no game without player.work or nodes")
        )
    elif kind != "ordered" and player.get("ordering") == "tree":
        problems.append(("player.ordering", f'tree is for individual.kind = "ordered", not {kind}'))
    return problems


def _termination_problems(data: Mapping[str, Any], measure: Mapping[str, Any]) -> list[Problem]:
    termination = part_of(data, "termination")
    wanted, good_runs = termination.get("fitness"), termination.get("good_runs", 0)
    if not isinstance(wanted, int | float) or not isinstance(good_runs, int) or not good_runs:
        return []
    kind = _kind(measure, "points")
    if kind in _MINIMISED and wanted <= 0:
        return [
            (
                "termination.good_runs",
                f"no run is ever below fitness {wanted:g}, so good runs would be awaited for ever: "
                "set termination.fitness above 0, or good_runs = 0",
            )
        ]
    is_share = kind == "points" or (kind, measure.get("format")) == ("tournament", "round_robin")
    if is_share and not measure.get("sharing") and wanted >= 1:
        return [
            (
                "termination.good_runs",
                f"no run is ever above fitness {wanted:g}, so good runs would be awaited for ever: "
                "set termination.fitness below 1, or good_runs = 0",
            )
        ]
    return []


def _seed_problems(data: Mapping[str, Any]) -> list[Problem]:
    seeds = part_of(data, "initialisation").get("seeds", ())
    population = data.get("population_size", 500)
    if isinstance(seeds, list | tuple) and type(population) is int and len(seeds) > population:
        return [
            (
                "initialisation.seeds",
                f"{len(seeds)} players are more than population_size {population}",
            )
        ]
    return []
