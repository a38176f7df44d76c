"""The kinds of learners that come with evoply, by the name that `config.toml` gives them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evoply.protocols import RunError, StorableLearner
from evoply.runs.evolution_kind import EvolutionKind
from evoply.runs.folder import stored_learner
from evoply.runs.kind import Kind
from evoply.runs.learning_kind import LearningKind
from evoply.runs.outside_kind import OutsideKind
from evoply.runs.pattern_kind import PatternKind
from evoply.runs.tuning_kind import TuningKind
from evoply.runs.tuples_kind import TuplesKind

__all__ = ["KINDS", "kind_of", "stored_kind"]

KINDS: Mapping[
    str,
    type[EvolutionKind]
    | type[LearningKind]
    | type[PatternKind]
    | type[TuningKind]
    | type[TuplesKind],
] = {
    "evolution": EvolutionKind,
    "learning": LearningKind,
    "patterns": PatternKind,
    "tuning": TuningKind,
    "tuples": TuplesKind,
}
"""A new learner of evoply's own is one module and one row here."""


def kind_of(learner: Any, config: Any = None) -> Kind:
    """Return the kind of *learner*, or of evoply's own that *config* is for if it is None.

    Raises `RunError` if it has no learner, or one whose steps cannot be kept.
    """
    if learner is None:
        for kind in KINDS.values():
            if isinstance(config, kind.learner_type.config_type):
                return kind()
        raise RunError(
            f"{type(config).__name__} is no config of evoply's own: say which learner it is for, "
            "as in Run.create(path, config, learner=...)"
        )
    for kind in KINDS.values():
        if isinstance(learner, kind.learner_type):
            return kind(learner)  # type: ignore[arg-type]  # the very type that was asked for
    if not isinstance(learner, StorableLearner):
        raise RunError(
            f"{learner!r:.80} is no learner whose steps can be kept: it needs first, after, "
            "is_finished, dump, load and config_type (evoply.protocols.StorableLearner)"
        )
    return OutsideKind(learner)


def stored_kind(config_file: Path, learner: Any = None) -> Kind:
    """Return the kind of learner that made the run of *config_file*.

    *learner* is the user's own, if it is at hand; `RunError` if another one made the run.
    """
    try:
        name = stored_learner(tomllib.loads(config_file.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        name = "evolution"  # whose config says what is wrong
    if learner is None:
        return KINDS[name]() if name in KINDS else OutsideKind(name=name)
    kind = kind_of(learner)
    if kind.name != name:
        raise RunError(
            f"run {config_file.parent} was made by the learner {name}, not by {kind.name}: "
            "give that one, or none to look only"
        )
    return kind
