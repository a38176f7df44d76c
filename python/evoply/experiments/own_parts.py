"""The user's own Python in the setups of an experiment: named in their configs, or refused."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evoply.configs.own_code import codes_in
from evoply.evolution import EvolutionConfig
from evoply.evolution.user_code import with_parts
from evoply.kinds import KINDS, Run
from evoply.protocols import ConfigError, RunError
from evoply.runs import Kind
from evoply.runs.kept_learners import with_learner
from evoply.runs.run import kind_of
from evoply.wording import shorten


@dataclass(frozen=True, slots=True)
class GivenParts:
    """The arguments of `compare` that are Python: each for all setups, or by a setup's name."""

    fitness: Any = None
    operators: Mapping[str, Any] | None = None
    learner: Any = None
    selection: Any = None
    survival: Any = None

    def named_in(self, name: str, kind: Kind, config: Any) -> tuple[Kind, Any]:
        """Return the setup called *name* with its parts named in it; `ConfigError` else."""
        fitness = _of_setup(self.fitness, name)
        choices = {what: _of_setup(getattr(self, what), name) for what in _CHOICES}
        wanted = getattr(getattr(config, "variation", None), "custom", {})
        operators = {
            operator: part
            for operator, part in (self.operators or {}).items()
            if operator in wanted
        }
        if fitness is None and not operators and not any(choices.values()):
            return kind, config
        if not isinstance(config, EvolutionConfig):
            raise ConfigError(
                [
                    (
                        "fitness",
                        f"{name} is a setup of {kind.name}, which takes none: give it by the names "
                        "of setups, as in fitness={NAME: ...}",
                    )
                ]
            )
        try:
            return kind, with_parts(config, fitness=fitness, operators=operators, **choices)
        except ConfigError:
            raise
        except (TypeError, ValueError) as error:
            raise ConfigError([("parts in Python", str(error))]) from None

    def kind(self, name: str, config: Any) -> Kind:
        """Return the kind of learner of a config in memory; `ConfigError` if there is none."""
        learner = _of_setup(self.learner, name)
        is_its = learner is not None and isinstance(config, getattr(learner, "config_type", ()))
        try:
            return kind_of(KINDS, config, learner if is_its else None)
        except RunError:
            message = (
                f"{shorten(repr(config))} is not a config: give an EvolutionConfig or a "
                "LearningConfig, a preset, the path of a config or of a run, or your learner, too"
            )
            raise ConfigError([("configs", message)]) from None
        except ConfigError:
            raise
        except ValueError as error:
            raise ConfigError([("learner", str(error))]) from None

    def check_used(self, setups: Mapping[str, Any]) -> None:
        """Raise `ConfigError` for a part that no setup takes."""
        for what in ("fitness", "learner", *_CHOICES):
            part = getattr(self, what)
            unknown = set(part) - set(setups) if isinstance(part, Mapping) else set()
            if unknown:
                raise ConfigError([(what, f"no setup is called {sorted(unknown)[0]!r}")])
        custom = [
            getattr(getattr(config, "variation", None), "custom", {}) for config in setups.values()
        ]
        for operator in self.operators or {}:
            if not any(operator in rates for rates in custom):
                message = f"no setup has a rate for {operator!r}: set variation.custom.{operator}"
                raise ConfigError([("operators", message)])
        if self.learner is not None and not isinstance(self.learner, Mapping):
            kinds = getattr(self.learner, "config_type", ())
            if not any(isinstance(config, kinds) for config in setups.values()):
                raise ConfigError([("learner", "no setup is a config of it: leave it out")])


_CHOICES = ("selection", "survival")

NO_PARTS = GivenParts()


def setup_of_run(path: str) -> tuple[Kind, Any]:
    """Return the kind and the config of a run, with its learner if that is the user's own."""
    with with_learner(Run.open(path)) as run:
        return run.kind, run.config


def check_named(kind: Kind, config: Any) -> None:
    """Raise `ConfigError` unless files have all Python of a setup: each run needs it elsewhere.

    Without a part it would be another run.
    """
    data = config.model_dump(mode="json") if kind.own is None else kind.own
    try:
        for part in codes_in(data):
            if part.code.is_argument:
                part.code.file()
    except ValueError as error:
        raise ConfigError([("parts in Python", str(error))]) from None


def _of_setup(part: Any, name: str) -> Any:
    return part.get(name) if isinstance(part, Mapping) else part
