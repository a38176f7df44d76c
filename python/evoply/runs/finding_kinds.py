"""Which kind of learner a run or a config is of: evoply's own, or one that a user brings."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from evoply.protocols import RunError, StorableLearner
from evoply.runs.folder import stored_learner
from evoply.runs.kind import Kind
from evoply.runs.outside_kind import outside_kind


def _built_in() -> Mapping[str, Kind]:
    """Return the kinds of evoply's own, which its face hands down."""
    from evoply import KINDS

    return KINDS


def kind_of(learner: Any, config: Any = None) -> Kind:
    """Return the kind of *learner*, or of evoply's own that *config* is for if it is None.

    Raises `RunError` if it has no learner, or one whose steps cannot be kept.
    """
    if learner is None:
        for kind in _built_in().values():
            if isinstance(config, kind.learners.given.config_type):
                return kind
        raise RunError(
            f"{type(config).__name__} is no config of evoply's own: say which learner it is for, "
            "as in Run.create(path, config, learner=...)"
        )
    for kind in _built_in().values():
        if isinstance(learner, type(kind.learners.given)):
            return kind.made_by(learner)
    if not isinstance(learner, StorableLearner):
        raise RunError(
            f"{learner!r:.80} is no learner whose steps can be kept: it needs first, after, "
            "is_finished, dump, load and config_type (evoply.protocols.StorableLearner)"
        )
    return outside_kind(learner)


def stored_kind(config_file: Path, learner: Any = None) -> Kind:
    """Return the kind of learner that made the run of *config_file*.

    *learner* is the user's own, if it is at hand; `RunError` if another one made the run.
    """
    try:
        name = stored_learner(tomllib.loads(config_file.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        name = "evolution"  # whose config says what is wrong
    if learner is None:
        return _built_in().get(name) or outside_kind(name=name)
    kind = kind_of(learner)
    if kind.name != name:
        raise RunError(
            f"run {config_file.parent} was made by the learner {name}, not by {kind.name}: "
            "give that one, or none to look only"
        )
    return kind
