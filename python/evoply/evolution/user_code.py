"""Parts of a run that its user writes in Python: fitness, operators, selection, survival.

A config names them as `python:FILE.py:NAME`. Those that are given as arguments of `evolve` are
named in it at the door (`with_parts`), and behind the door there is only the config.

Reasons: docs/design/evolution.md.
"""

from __future__ import annotations

from collections.abc import Mapping

from evoply.configs.own_code import is_own_code, other_codes, qualified_name, text_of
from evoply.configs.part import keys_of
from evoply.evolution.breeding.own_operators import OwnOperator, OwnOperators
from evoply.evolution.config.evolution_config import EvolutionConfig
from evoply.evolution.fitness.own import OwnFitness, PythonFitness, named_fitness
from evoply.evolution.operators import Operator
from evoply.evolution.selections import Choose, OwnChoice


def with_parts(
    config: EvolutionConfig,
    *,
    fitness: OwnFitness | None = None,
    operators: Mapping[str, OwnOperator] | None = None,
    selection: Choose | None = None,
    survival: Choose | None = None,
) -> EvolutionConfig:
    """Return *config* with a user's objects named in it, in place of what is there.

    Raises `TypeError` for an object that cannot be the part it is given as, and `ValueError` for
    one that does not fit.
    """
    if operators is not None and not isinstance(operators, Mapping):
        raise TypeError(
            "operators: give a dict of operators by the names they have in variation.custom, "
            f"not {operators!r:.40}"
        )
    choices = {"selection": selection, "survival": survival}
    given = {what: own for what, own in choices.items() if own is not None}
    if fitness is None and not operators and not given:
        return config
    if survival is not None and config.described is not None:
        raise ValueError(
            f"survival: a function of your own takes the place of the {config.survival.kind} - "
            "leave it out, or leave survival out of the config"
        )
    data = config.model_dump()
    if fitness is not None:
        data["fitness"]["measure"] = named_fitness(fitness).model_dump()
    for name, operator in (operators or {}).items():
        data["variation"]["operators"][name] = _operator_text(operator)
    for what, own in given.items():
        if not callable(own):
            raise TypeError(
                f"{own!r:.60} is no {what}: give a function of candidates, count and stream"
            )
        # It takes the place of one that said which cases the fitness has.
        cases = getattr(config, what).looks_at
        data[what] = {"kind": "python", "cases": cases, **keys_of(own)}
    return type(config)(**data)


def check_given_once(config: EvolutionConfig, named: EvolutionConfig) -> None:
    """Raise `ValueError` if *named* has another part where *config* names one already."""
    for old, _ in other_codes(config.model_dump(), named.model_dump()):
        if old is not None:
            raise ValueError(f"{old.path} is given as an argument, too: leave one out")


def _operator_text(operator: OwnOperator) -> str:
    if not isinstance(operator, Operator):
        return text_of(operator)
    settings = repr((operator.rate, operator.takes, operator.individuals))
    return text_of(operator, operator.function, settings)


def check_parts(config: EvolutionConfig) -> None:
    """Raise ValueError unless the user's parts of *config* can be had, and fit.

    Their files are imported.
    """
    own = OwnOperators.of(config.variation)
    measure, choices = config.fitness.measure, {}
    fitness = measure.resolved()
    for what in ("selection", "survival"):
        choices[what] = getattr(config, what)
        if isinstance(choices[what], OwnChoice):
            choices[what].resolved(what)
    for axis in () if config.described is None else config.described.axes:
        if is_own_code(axis.descriptor):
            from evoply.evolution.map_elites.played_games import own_axis

            own_axis(axis.descriptor)
    own.check(config.variation, config.individual)
    if not isinstance(measure, PythonFitness):
        return
    for what, keys in choices.items():
        if keys.looks_at is not None and keys.looks_at not in fitness.cases:
            raise ValueError(
                f"{what} {keys.kind} looks at single {keys.looks_at}, "
                "which a fitness written in Python does not have"
            )
    for path, message in fitness.problems(config.task):
        raise ValueError(f"the fitness {qualified_name(fitness)} does not fit: {path}: {message}")
