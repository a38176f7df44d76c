"""A user's own learner, found by the text that names it: `python:FILE.py:NAME`."""

from typing import Any

from evoply.own_code import OwnCode, carried_code, named, pinned_text
from evoply.protocols import RunError, StorableLearner


def loaded_learner(source: Any) -> StorableLearner:
    """Return a learner, a class without arguments called once, or what `OwnCode` names.

    Raises `ValueError` if it is none.
    """
    code = OwnCode.from_text(pinned_text(source)) if isinstance(source, str) else source
    found = code.loaded() if isinstance(code, OwnCode) else source
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


def named_learner(learner: Any) -> OwnCode:
    """Return how configs name a user's *learner*: by its class if that has no state, or as a value.

    Raises `ValueError` that says why it cannot be named.
    """
    if isinstance(learner, type) or _has_no_state(learner):
        return named(learner if isinstance(learner, type) else type(learner))
    return named(learner)


def is_named(learner: Any, text: str) -> bool:
    """Return whether *text* names *learner*, an object or a text."""
    try:
        code = OwnCode.from_text(learner) if isinstance(learner, str) else named_learner(learner)
        return code.pinned().identity == OwnCode.from_text(text).identity
    except ValueError:
        return False


def _has_no_state(learner: Any) -> bool:
    """Return whether its class, called without arguments, gives an equal learner."""
    try:
        again = type(learner)()
    except TypeError:
        return False
    state = getattr(learner, "__dict__", None)
    return bool(again == learner or (state is not None and state == again.__dict__))


def learner_text(run: Any) -> str:
    """Return the text that names the learner of *run*, which is none of evoply's.

    Raises `RunError` if the run was begun with an object that cannot be named.
    """
    part = run.python_parts().get("learner", {})
    text = run.kind.own or part.get("code")
    if text:
        try:
            return str(carried_code(str(text)))
        except ValueError as error:
            raise RunError(f"run {run.path}: learner: {error}") from None
    why = part.get("nameless", f"{run.kind.name} was recorded without its file")
    raise RunError(
        f"run {run.path} needs its learner, written in Python: {why}. Or go on in Python, with "
        "evoply.Run.open(PATH, learner=...)"
    )


def with_learner(run: Any) -> Any:
    """Return *run* with its learner, which is imported if it is the user's own.

    A run that has to be opened again for this is closed.
    """
    try:
        assert run.kind.learners.given is not None
        return run
    except RunError:
        learner = learner_text(run)
    path = run.path
    run.close()
    return type(run).open(path, learner=learner)
