"""The kind of learner of a run or a config: one of a table, or one that a user brings."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from evoply.files import read_kept_text
from evoply.own_code import (
    FORM,
    OwnCode,
    carried_code,
    is_own_code,
    pinned_text,
    qualified_name,
)
from evoply.protocols import ConfigError, RunError, StorableLearner
from evoply.runs.folder import stored_learner
from evoply.runs.kind import Kind
from evoply.runs.own_learner import checked_learner, is_named, loaded_learner

Kinds = Mapping[str, Kind]
"""Kinds of learners by the name that `config.toml` gives them; `evoply.kinds` has evoply's own."""


def outside_kind(learner: StorableLearner | None = None, name: str = "") -> Kind:
    """Return the kind of a user's *learner*, or of a missing one called *name*.

    With both, configs name the learner as *name* says, `python:FILE.py:NAME`. A run can be read
    without its learner: status, digests, statistics, champions.
    """
    name = name or qualified_name(learner)
    is_named = is_own_code(name)
    shown = OwnCode.from_text(name).label if is_named else name
    return Kind(name=shown, learner=learner, own=name if is_named else "")


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
    return outside_kind(checked_learner(learner))


def named_kind(kinds: Kinds, name: str) -> Kind:
    """Return the kind of *kinds* called *name*, or that of `python:FILE.py:NAME`, imported now.

    Raises `ConfigError` if there is none.
    """
    if is_own_code(name):
        try:
            code = OwnCode.from_text(pinned_text(name))
            return outside_kind(loaded_learner(code), str(code))
        except ValueError as error:
            raise ConfigError([("learner", str(error))]) from None
    if name not in kinds:
        known = ", ".join(kinds)
        raise ConfigError([("learner", f"{name!r}: evoply's own are {known}; your own is {FORM}")])
    return kinds[name]


def _loaded(learner: Any) -> StorableLearner:
    try:
        return loaded_learner(learner)
    except ValueError as error:
        raise RunError(f"learner: {error}") from None


def stored_kind(kinds: Kinds, config_file: Path, learner: Any = None) -> Kind:
    """Return the kind of learner that made the run of *config_file*, from *kinds* if possible.

    *learner* is the user's own, or a text that names it, if it is at hand; `RunError` if another
    one made the run.
    """
    try:
        name = stored_learner(tomllib.loads(read_kept_text(config_file)))
    except (OSError, ValueError, RecursionError):
        name = "evolution"  # whose config reports the error
    if is_own_code(name):
        try:
            carried_code(name)
        except ValueError as error:
            raise RunError(f"run {config_file.parent}: config.toml: learner: {error}") from None
    if learner is None:
        try:
            return kinds.get(name) or outside_kind(name=name)
        except ValueError as error:
            raise RunError(
                f"run {config_file.parent}: its config.toml is damaged, put the original back."
                f"\nlearner: {error}"
            ) from None
    if is_named(learner, name) if is_own_code(name) else isinstance(learner, str):
        return outside_kind(_loaded(learner), name)
    kind = kind_of(kinds, None, learner)
    if kind.name != name:
        raise RunError(
            f"run {config_file.parent} was made by the learner {name}, not by {kind.name}: "
            "give that one, or none for reading only"
        )
    return kind
