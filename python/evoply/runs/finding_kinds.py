"""The kind of learner of a run or a config: one of a table, or one that a user brings."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evoply.files import read_kept_text
from evoply.own_code import FORM, OwnCode, carried_code, is_own_code
from evoply.protocols import ConfigError, RunError, StorableLearner
from evoply.runs.folder import stored_learner
from evoply.runs.kind import Kind
from evoply.runs.own_learner import checked_learner, learner_code, loaded_learner

Kinds = Mapping[str, Kind]
"""Kinds of learners by the name that `config.toml` gives them; `evoply.kinds` has evoply's own."""


def outside_kind(code: OwnCode, learner: StorableLearner | None = None) -> Kind:
    """Return the kind of the user's *learner* that *code* names; None if it is missing.

    A run can be read without its learner: status, digests, statistics, champions.
    """
    return Kind(name=code.label, learner=learner, own=str(code))


def kind_of(kinds: Kinds, config: Any, learner: Any = None) -> Kind:
    """Return the kind of *learner*; if that is None, the one of *kinds* for *config*.

    Raises `RunError` if there is none, or if the learner's steps cannot be kept.
    """
    if isinstance(learner, str):
        return named_kind(kinds, learner)
    if learner is None:
        # The nearest: a config of one kind may be that of another with more keys.
        for model in type(config).__mro__:
            for kind in kinds.values():
                if kind.learners.given.config_type is model:
                    return kind
        if isinstance(config, str):
            raise RunError(
                f"config: {config!r:.60} is a text: give the config itself, such as"
                f" evoply.load_config({config!r:.60})"
            )
        raise RunError(
            f"{type(config).__name__} is not a config of a known learner: name its learner, as in "
            "evoply.Run.create(path, config, learner=...), which knows evoply's own"
        )
    for kind in kinds.values():
        if isinstance(learner, type(kind.learners.given)):
            return replace(kind, learner=learner)
    if not isinstance(learner, type):
        checked_learner(learner)
    return outside_kind(learner_code(learner), loaded_learner(learner))


def named_kind(kinds: Kinds, name: str) -> Kind:
    """Return the kind of *kinds* called *name*, or that of `python:FILE.py:NAME`, imported now.

    Raises `ConfigError` if there is none.
    """
    if is_own_code(name):
        try:
            code = learner_code(name)
            return outside_kind(code, loaded_learner(code))
        except ValueError as error:
            raise ConfigError([("learner", str(error))]) from None
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError([("learner", f"{name!r}: evoply's own are {known}; your own is {FORM}")])
    return kinds[name]


def stored_kind(kinds: Kinds, config_file: Path, learner: Any = None) -> Kind:
    """Return the kind of learner that made the run of *config_file*, from *kinds* if possible.

    *learner* is the user's own, or a text that names it, if it is at hand; `RunError` if another
    one made the run.
    """
    try:
        name = stored_learner(tomllib.loads(read_kept_text(config_file)))
    except (OSError, ValueError, RecursionError):
        name = "evolution"  # whose config reports the error
    try:
        code = carried_code(name) if is_own_code(name) else None
    except ValueError as error:
        raise RunError(
            f"run {config_file.parent}: its config.toml is damaged, put the original back."
            f"\nlearner: {error}"
        ) from None
    if learner is None:
        if code is not None:
            return outside_kind(code)
        return kinds.get(name) or Kind(name=name, learner=None, own="")
    try:
        kind = kind_of(kinds, None, learner)
    except ValueError as error:
        raise RunError(f"learner: {error}") from None
    # By its name alone: who goes on with the run looks at more.
    stored, given = (name if code is None else code.label), kind.name
    if _last(stored) != _last(given) or (code is None) != (kind.own is None):
        raise RunError(
            f"run {config_file.parent} was made by the learner {stored}, not by {given}: "
            "give that one, or none for reading only"
        )
    return kind


def _last(label: str) -> str:
    return label.rpartition(":")[2].rpartition(".")[2]
