"""The configs of evoply's own learners, which are models, as `Configs` of a kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evoply.configs.run_config import RunConfig, written_config


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


def _games_of(config: Any, last: Any, steps: int) -> int:
    """Return the games after which a run has *steps* steps of the usual length."""
    if last is None:
        return max(1, (steps - 1) * int(config.games_per_step))
    more: int = (steps - 1 - last.number) * config.games_per_step
    return max(1, int(last.games) + more)
