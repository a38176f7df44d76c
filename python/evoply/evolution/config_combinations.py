"""Settings of a config that are each possible but do not fit together.

Like the other checks these read the raw mapping and never raise; what has the wrong type is left
to the models.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evoply.evolution.config_fitness import readable_measure
from evoply.evolution.config_part import Problem, part_of
from evoply.evolution.fitness import FITNESS, FitnessKind
from evoply.evolution.operators import CROSSOVER, OPERATORS, REPRODUCTION
from evoply.games import GAMES

__all__ = ["combination_problems"]


def combination_problems(data: Mapping[str, Any]) -> list[Problem]:
    """Return what does not fit together in *data*, as (path, message) pairs."""
    measure = readable_measure(data)
    return [
        *_selection_problems(data, measure),
        *_deme_problems(data),
        *_steady_state_problems(data, measure),
        *_pairing_problems(data),
        *([] if measure is None else measure.problems(data)),
        *_termination_problems(data, measure),
        *_seed_problems(data),
        *_player_problems(data),
    ]


def _kind(part: Mapping[str, Any], usual: str) -> str:
    return str(part.get("kind", usual))


def _selection_problems(data: Mapping[str, Any], measure: FitnessKind | None) -> list[Problem]:
    selection = part_of(data, "selection")
    kind = _kind(selection, "tournament")
    problems: list[Problem] = []
    if kind in ("roulette", "greedy") and selection.get("scale", "raw") == "raw":
        reason = ""
        if measure is not None and measure.minimised:
            reason = f"fitness.measure {measure.kind} is minimised"
        elif _kind(part_of(data, "parsimony"), "none") in ("length", "covariant"):
            reason = "parsimony may make fitness negative"
        if reason:
            problems.append(("selection.scale", f'{reason}: {kind} needs scale = "adjusted"'))
    is_by_case = kind == "lexicase" or selection.get("objectives") == "opponents"
    if is_by_case and measure is not None:
        case = selection.get("cases", "opponents") if kind == "lexicase" else "opponents"
        problems += _case_problems(measure, case)
    if is_by_case and data.get("parsimony") is not None:
        problems.append(("parsimony", "changes the fitness, which this selection does not look at"))
    return problems


def _case_problems(measure: FitnessKind, case: Any) -> list[Problem]:
    """Return an error unless *measure* gives results on the cases that selection looks at."""
    if case in measure.cases:
        return []
    if not measure.cases:
        reason = "has no results against each opponent to select by"
        return [("selection.kind", f"fitness.measure {measure.kind} {reason}")]
    listed = " or ".join(f'"{one}"' for one in measure.cases)
    others = [kind().kind for kind in FITNESS if case in kind().cases]
    hint = f'; "{case}" are those of {", ".join(others)}' if others else ""
    return [("selection.cases", f"with fitness.measure {measure.kind} a case is {listed}{hint}")]


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
    for one in OPERATORS:
        name, rate = one.name, variation.get(one.name, one.rate)
        if name in (CROSSOVER, REPRODUCTION):
            continue
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


def _steady_state_problems(data: Mapping[str, Any], measure: FitnessKind | None) -> list[Problem]:
    if data.get("steady_state") is None:
        return []
    problems: list[Problem] = []
    kind = _kind(part_of(data, "selection"), "tournament")
    if kind not in ("tournament", "roulette", "greedy"):
        problems.append(
            ("steady_state", f"needs selection by tournament, roulette or greedy, not {kind}")
        )
    if measure is not None and measure.is_relative:
        problems.append(
            ("steady_state", f"fitness.measure {measure.kind} compares a whole population at once")
        )
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


def _termination_problems(data: Mapping[str, Any], measure: FitnessKind | None) -> list[Problem]:
    termination = part_of(data, "termination")
    wanted, good_runs = termination.get("fitness"), termination.get("good_runs", 0)
    if not isinstance(wanted, int | float) or not isinstance(good_runs, int) or not good_runs:
        return []
    if measure is not None and measure.minimised and wanted <= 0:
        beyond, better = "below", "above 0"
    elif measure is not None and measure.is_share and wanted >= 1:
        beyond, better = "above", "below 1"
    else:
        return []
    return [
        (
            "termination.good_runs",
            f"no run is ever {beyond} fitness {wanted:g}, so good runs would be awaited for ever: "
            f"set termination.fitness {better}, or good_runs = 0",
        )
    ]


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
