"""A user's own learner, named by a text as all of a user's Python: `python:FILE.py:NAME`."""

from typing import Any

from evoply.own_code import OwnCode, pinned_text, text_of
from evoply.protocols import RunError, StorableLearner


def loaded_learner(learner: Any) -> StorableLearner:
    """Return a learner, or the one that `OwnCode` names; a class is called without arguments.

    Raises `ValueError` if it is none.
    """
    found = learner.loaded() if isinstance(learner, OwnCode) else learner
    if isinstance(found, type):
        try:
            found = found()
        except TypeError as error:
            raise ValueError(
                f"the learner {found.__qualname__} cannot be made without arguments ({error}): "
                "give them defaults, or name a global value"
            ) from None
    return checked_learner(found)


def checked_learner(found: Any) -> StorableLearner:
    """Return *found*; `RunError` unless it is a learner whose steps can be kept."""
    if isinstance(found, StorableLearner):
        return found
    raise RunError(
        f"{found!r:.80} is not a learner whose steps can be kept: it needs first, after, "
        "is_finished, dump, load and config_type (evoply.protocols.StorableLearner)"
    )


def present(learner: StorableLearner | None, name: str) -> StorableLearner:
    """Return *learner*; `RunError` if it, called *name*, is missing."""
    if learner is None:
        raise RunError(
            f"this run needs the learner {name}, written in Python: give it, as in "
            "evoply.Run.open(PATH, learner=...)"
        )
    return learner


def learner_code(learner: Any) -> OwnCode:
    """Return what names a user's *learner*, an object, a class or a text.

    An object without a state is named by its class. Raises `ValueError` for other texts.
    """
    if isinstance(learner, str):
        return OwnCode.from_text(pinned_text(learner))
    if not isinstance(learner, type) and _has_no_state(learner):
        learner = type(learner)
    return OwnCode.from_text(text_of(learner))


def _has_no_state(learner: Any) -> bool:
    """Return whether its class, called without arguments, gives an equal learner."""
    try:
        again = type(learner)()
    except TypeError:
        return False
    state = getattr(learner, "__dict__", None)
    return bool(again == learner or (state is not None and state == again.__dict__))


def with_learner(run: Any) -> Any:
    """Return *run* with its learner, which is imported if it is the user's own.

    A run that has to be opened again for this is closed.
    """
    try:
        assert run.kind.learners.given is not None
        return run
    except RunError:
        path, learner = run.path, run.kind.own or run.kind.name
    try:
        OwnCode.from_text(learner).check()
    except ValueError as error:
        raise RunError(
            f"run {path} needs its learner, written in Python: {error}. Or go on in Python, with "
            "evoply.Run.open(PATH, learner=...)"
        ) from None
    run.close()
    return type(run).open(path, learner=learner)
