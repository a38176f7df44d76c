"""What kinds of evoply's own learners share: configs that are models, and learners of trees."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from evoply.configs.run_config import RunConfig, written_config
from evoply.protocols import Cluster, Progress, RunError


@dataclass(frozen=True)
class ModelConfigs:
    """See `evoply.runs.kind.Configs`; *learner* has the model, `config_type`."""

    learner: Any

    @property
    def limits(self) -> frozenset[str]:
        limits: frozenset[str] = self.learner.config_type.changeable()
        return limits

    def load(self, source: Any, overrides: Sequence[str] = (), /, **settings: Any) -> Any:
        raise NotImplementedError

    def write(self, config: Any, /) -> str:
        return written_config(config)

    def settled(self, config: Any, /) -> Any:
        return config

    def fixed(self, config: RunConfig, /) -> Any:
        return config.decisive()

    def with_limits(self, config: Any, limits: Mapping[str, Any], last: Any, /) -> Any:
        """Return *config* with other limits; `generations` are steps, the first without games."""
        if not limits:
            return config
        ends, model = dict(limits), type(config)
        if "generations" in ends and config.counts == "games":
            steps = ends.pop("generations")
            ends["games"] = None if steps is None else _games_of(config, last, steps)
        settings = {**config.model_dump(), **ends}
        changed = model(**settings)
        is_set = any(ends.get(name) is not None for name in config.ends())
        if not is_set or last is None or not self.learner.is_finished(changed, last):
            return changed
        # The old limits, which ended the run, would end it again.
        return model(**{**settings, **{name: None for name in config.ends() if name not in ends}})

    def endless(self, config: Any, /) -> Any:
        # A config without limits is refused because it never ends.
        update = {**dict.fromkeys(config.ends()), config.counts: config.most}
        return config.model_copy(update=update)

    def games_of_a_step(self, config: RunConfig, /) -> Mapping[str, int]:
        return config.games_of_a_step()


@dataclass(frozen=True)
class LearnersOfTrees:
    """A part of `evoply.runs.kind.Learners`: of those whose config names all Python of a user."""

    given: Any
    counted: ClassVar[frozenset[str]] = frozenset({"games", "work"})
    no_arguments: ClassVar[str]
    """Why Python is not taken as an argument, and where it is named instead."""

    def made(
        self,
        *,
        threads: int = 0,
        progress: Callable[[Progress], object] | None = None,
        cluster: Cluster | None = None,
        **parts: Any,
    ) -> Any:
        """Return the learner with these arguments; `RunError` for any of *parts*."""
        if any(parts.values()):
            given = ", ".join(name for name, part in parts.items() if part)
            raise RunError(f"{given}: {self.no_arguments}")
        options: dict[str, Any] = {"threads": threads, "progress": progress, "cluster": cluster}
        return replace(self.given, **{name: value for name, value in options.items() if value})

    def identities(self, learner: Any, /) -> dict[str, dict[str, Any]]:
        return {}


def _games_of(config: Any, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps of the usual length."""
    if last is None:
        return max(1, (steps - 1) * int(config.games_per_step))
    more: int = (steps - 1 - last.number) * config.games_per_step
    return max(1, int(last.games) + more)
