"""The user's Python that a run of evolution was given as arguments, found again by its record."""

from collections.abc import Mapping
from typing import Any

from evoply.evolution.choosing import Choose
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness import OwnFitness, PythonFitness, named_fitness
from evoply.evolution.user_code import OwnOperator
from evoply.own_code import OwnCode, carried_code, named
from evoply.protocols import RunError
from evoply.wording import shorten

_OPERATOR = "operator "
_CHOICES = ("selection", "survival")


def naming(
    config: EvolutionConfig,
    fitness: OwnFitness | None = None,
    operators: Mapping[str, OwnOperator] | None = None,
    **choices: Choose | None,
) -> EvolutionConfig:
    """Return *config* with parts that are objects named in it; `ValueError` if one has no name.

    *choices* are a selection and a survival.
    """
    codes = {name: str(named(operator)) for name, operator in (operators or {}).items()}
    own = {what: str(named(choice)) for what, choice in choices.items() if choice is not None}
    return _with(config, None if fitness is None else named_fitness(fitness), codes, own)


def naming_recorded(config: EvolutionConfig, parts: Mapping[str, Any]) -> EvolutionConfig:
    """Return *config* with the recorded *parts* of its run named in it (`Run.python_parts`).

    Raises `ValueError` if a part cannot be named, or its file is missing or was changed.
    """
    for what, part in parts.items():
        if "code" not in part:
            why = part.get("nameless") or f"{part['name']} was recorded without its file"
            raise ValueError(f"its {what} is Python that was given as an argument, and {why}")
        carried_code(part["code"]).check()
    own = parts.get("fitness")
    fitness = None if own is None else _fitness_of(own)
    operators = {
        what.removeprefix(_OPERATOR): str(part["code"])
        for what, part in parts.items()
        if what.startswith(_OPERATOR)
    }
    choices = {what: str(parts[what]["code"]) for what in _CHOICES if what in parts}
    return _with(config, fitness, operators, choices)


def given_again(run: Any) -> dict[str, Any]:
    """Return the recorded parts of *run* as arguments of `advance`, imported from their files.

    Raises `RunError` if that is impossible.
    """
    try:
        config = naming_recorded(run.config, run.python_parts())
        arguments: dict[str, Any] = {}
        for what, part in run.python_parts().items():
            if what == "fitness":
                arguments["fitness"] = _fitness_of(part).made()
            elif what in _CHOICES:
                arguments[what] = carried_code(part["code"]).loaded()
            elif not what.startswith(_OPERATOR):
                raise ValueError(f"its {shorten(what)} is no part of evolution")
            else:
                name = what.removeprefix(_OPERATOR)
                code = OwnCode.from_text(config.variation.operators[name])
                arguments.setdefault("operators", {})[name] = code.loaded()
    except ValueError as error:
        raise RunError(f"run {run.path} cannot go on here: {error}") from None
    return arguments


def _fitness_of(part: Mapping[str, Any]) -> PythonFitness:
    return PythonFitness(code=part["code"], settings=dict(part.get("settings", {})))


def _with(
    config: EvolutionConfig,
    fitness: PythonFitness | None,
    operators: Mapping[str, str],
    choices: Mapping[str, str],
) -> EvolutionConfig:
    """Return *config* with these parts, checked as a whole."""
    if fitness is None and not operators and not choices:
        return config
    data = config.model_dump()
    if fitness is not None:
        data["fitness"]["measure"] = fitness.model_dump()
    data["variation"]["operators"] |= operators
    for what, code in choices.items():
        # It takes the place of one that said which cases the fitness has.
        cases = getattr(config, what).looks_at
        data[what] = {"kind": "python", "code": code, "cases": cases}
    return type(config)(**data)
