"""Parameter files of gpjpp: `Name = value` lines, converted to the keys of a config.

Missing parameters have gpjpp's defaults, with one exception: GoodRuns is 0, because with the
default TerminationFitness of 0 no run is ever good and gpjpp would never end. Keys without a
parameter in gpjpp (game, primitives, opponents, seed) come from the preset `gpjpp`. Source: the
class GPVariables of gpjpp 1.0.
"""

import math
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from evoply.evolution.config.evolution_config import EvolutionConfig, config_from_keys
from evoply.protocols import ConfigError
from evoply.runs.presets import preset_text
from evoply.wording import did_you_mean, shorten

_CREATION = ("Variable", "Grow", "RampedHalf", "RampedVariable", "RampedGrow")
_METHODS = ("grow", "full", "ramped_half_and_half", "ramped_grow", "ramped_full")
_SELECTION = ("Probabilistic", "Tournament", "Greedy")


def _whole(text: str) -> int:
    return int(text)


def _number(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError
    return value


def _percentage(text: str) -> float:
    value = _number(text.removesuffix("%"))
    if not 0 <= value <= 100:
        raise ValueError
    return value / 100


def _truth(text: str) -> bool:
    return {"0": False, "false": False, "1": True, "true": True}[text.lower()]


def _one_of(names: tuple[str, ...]) -> Callable[[str], int]:
    def read(text: str) -> int:
        if text.isdecimal():
            return range(len(names))[int(text)]
        return [name.lower() for name in names].index(text.lower())

    return read


@dataclass(frozen=True, slots=True)
class _Parameter:
    read: Callable[[str], Any]
    default: Any
    wanted: str


def _parameters() -> Mapping[str, _Parameter]:
    whole, number = "a whole number", "a number"
    percentage, truth = "a percentage from 0 to 100", "0, 1, true or false"
    return {
        "PopulationSize": _Parameter(_whole, 500, whole),
        "NumberOfGenerations": _Parameter(_whole, 51, whole),
        "CreationType": _Parameter(_one_of(_CREATION), 2, _numbered_choices(_CREATION)),
        "MaximumDepthForCreation": _Parameter(_whole, 6, whole),
        "MaximumDepthForCrossover": _Parameter(_whole, 17, whole),
        "MaximumComplexity": _Parameter(_whole, 200, whole),
        "SelectionType": _Parameter(_one_of(_SELECTION), 0, _numbered_choices(_SELECTION)),
        "TournamentSize": _Parameter(_whole, 7, whole),
        "CrossoverProbability": _Parameter(_percentage, 0.9, percentage),
        "CreationProbability": _Parameter(_percentage, 0.0, percentage),
        "SwapMutationProbability": _Parameter(_percentage, 0.0, percentage),
        "ShrinkMutationProbability": _Parameter(_percentage, 0.0, percentage),
        "TerminationFitness": _Parameter(_number, 0.0, number),
        "GoodRuns": _Parameter(_whole, 0, whole),
        "UseADFs": _Parameter(_truth, False, truth),
        "TestDiversity": _Parameter(_truth, True, truth),
        "ComplexityAffectsFitness": _Parameter(_truth, True, truth),
        "DemeticGrouping": _Parameter(_truth, False, truth),
        "DemeSize": _Parameter(_whole, 100, whole),
        "DemeticMigProbability": _Parameter(_percentage, 1.0, percentage),
        "AddBestToNewPopulation": _Parameter(_truth, False, truth),
        "SteadyState": _Parameter(_truth, False, truth),
        # These have no effect: run folders keep every generation, and reports show trees.
        "CheckpointGens": _Parameter(_whole, 0, whole),
        "PrintDetails": _Parameter(_truth, False, truth),
        "PrintPopulation": _Parameter(_truth, False, truth),
        "PrintExpression": _Parameter(_truth, True, truth),
        "PrintTree": _Parameter(_truth, True, truth),
        "TreeFontSize": _Parameter(_whole, 12, whole),
    }


def _numbered_choices(names: tuple[str, ...]) -> str:
    return ", ".join(f"{number} or {name}" for number, name in enumerate(names))


def config_from_ini(
    text: str,
    overrides: Iterable[str] = (),
    settings: Mapping[str, Any] | None = None,
    *,
    name: str = "config",
) -> EvolutionConfig:
    r"""Return the config of a gpjpp parameter file; errors call the file *name*.

    Names and words may have any case, probabilities are percentages, `;` and `#` begin a comment,
    and sections `[...]` are ignored. *overrides* and *settings* are those of `config_from_keys`.
    Raises `ConfigError` with every line that cannot be read, or with all fields that do not fit
    together.

    >>> config_from_ini("PopulationSize = 100\nSelectionType = Tournament").selection.size
    7
    """
    values, lines = _read(text, name)
    if values["GoodRuns"] > 0 and values["TerminationFitness"] <= 0:
        problem = (
            f"GoodRuns: no run is ever below TerminationFitness {values['TerminationFitness']:g}, "
            "so good runs would be awaited for ever: set TerminationFitness above 0"
        )
        raise ConfigError([(f"{name}, line {lines['GoodRuns']}", problem)])
    data = {**tomllib.loads(preset_text("gpjpp")), **_keys(values)}
    return config_from_keys(data, overrides, settings or {})


def _read(text: str, name: str) -> tuple[dict[str, Any], dict[str, int]]:
    """Return the value of every parameter, and the line numbers of those in the file."""
    parameters = _parameters()
    known = {parameter.lower(): parameter for parameter in parameters}
    values = {key: parameter.default for key, parameter in parameters.items()}
    lines: dict[str, int] = {}
    problems: list[tuple[str, str]] = []
    for number, line in enumerate(text.removeprefix("\ufeff").splitlines(), start=1):
        content = line.split(";")[0].split("#")[0].strip()
        if not content or (content.startswith("[") and content.endswith("]")):
            continue
        where = f"{name}, line {number}"
        key, separator, value = (part.strip() for part in content.partition("="))
        if not separator:
            problems.append((where, f"{shorten(content)!r} is not of the form Name = value"))
        elif key.lower() not in known:
            hint = did_you_mean(key, parameters)
            problems.append((where, f"unknown parameter {shorten(key)!r}{hint}"))
        elif known[key.lower()] in lines:
            first = lines[known[key.lower()]]
            problems.append((where, f"{key} is given twice, before in line {first}"))
        else:
            key = known[key.lower()]
            lines[key] = number
            try:
                values[key] = parameters[key].read(value)
            except (ValueError, LookupError):
                wanted = parameters[key].wanted
                problems.append((where, f"{key}: {shorten(value)!r} is not {wanted}"))
    if problems:
        raise ConfigError(problems)
    return values, lines


def _keys(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a config that gpjpp's parameters set."""
    crossover = values["CrossoverProbability"]
    data: dict[str, Any] = {
        "population_size": values["PopulationSize"],
        "generations": values["NumberOfGenerations"],
        "elitism": int(values["AddBestToNewPopulation"] and not values["SteadyState"]),
        "initialisation": {
            "method": _METHODS[values["CreationType"]],
            "min_depth": 2,
            "max_depth": values["MaximumDepthForCreation"],
            "duplicates": "refuse" if values["TestDiversity"] else "allow",
        },
        "selection": _selection(values),
        "variation": {
            "crossover": crossover,
            # gpjpp draws for creation if it has not crossed over.
            "creation": (1 - crossover) * values["CreationProbability"],
            "subtree_mutation": 0.0,
            "point_mutation": 0.0,
            "recombination": {"points": "gpjpp", "children": 2},
            "afterwards": {
                "swap_mutation": values["SwapMutationProbability"],
                "shrink_mutation": values["ShrinkMutationProbability"],
            },
        },
        "limits": {
            "max_depth": values["MaximumDepthForCrossover"],
            "max_nodes": values["MaximumComplexity"],
        },
    }
    if values["UseADFs"]:
        # Programs fix their definitions, without a parameter; Liao's has one of two arguments.
        data["individual"] = {"kind": "adf", "arities": [2]}
    if values["ComplexityAffectsFitness"]:
        data["parsimony"] = {"kind": "length", "coefficient": 0.001}
    if values["TerminationFitness"] > 0:
        data["termination"] = {
            "fitness": values["TerminationFitness"],
            "good_runs": values["GoodRuns"],
        }
    # Greedy over-selection switches demes off.
    if values["DemeticGrouping"] and _SELECTION[values["SelectionType"]] != "Greedy":
        data["demes"] = {
            "size": values["DemeSize"],
            "migration": values["DemeticMigProbability"],
        }
    if values["SteadyState"]:
        data["steady_state"] = {"batch": 2}
    return data


def _selection(values: Mapping[str, Any]) -> dict[str, Any]:
    match _SELECTION[values["SelectionType"]]:
        case "Tournament":
            size = values["TournamentSize"]
            return {"kind": "tournament", "size": size, "two_best": size > 1}
        case "Greedy":
            return {"kind": "greedy", "scale": "adjusted"}
        case _:
            return {"kind": "roulette", "scale": "adjusted"}
