"""The identity of a user's own Python in a run, so that resuming can ask for the same."""

import hashlib
import inspect
from collections.abc import Mapping
from typing import Any

from evoply.own_code import OwnCode, qualified_name, texts_in


def source_identity(part: Any, settings: str = "") -> dict[str, str]:
    """Return the qualified name of a part and the checksum of its source and *settings*."""
    definition = part if hasattr(part, "__qualname__") else type(part)
    try:
        source = inspect.getsource(definition)
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        code = getattr(part, "__code__", None)
        source = "" if code is None else f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    return {
        "name": qualified_name(part),
        "source": hashlib.sha256(f"{source}{settings}".encode()).hexdigest(),
    }


def has_own_code(run: Any) -> bool:
    """Return whether going on with *run* imports Python of the user's own."""
    if run.kind.own is not None or run.python_parts():
        return True
    return any(texts_in(run.config.model_dump(mode="json")))


def is_same_source(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two recorded parts are the same: by their source, or by the file they name."""
    if all(one[key] == other[key] for key in ("name", "source")):
        return True
    if "code" not in one or "code" not in other or one.get("settings") != other.get("settings"):
        return False
    return OwnCode.from_text(one["code"]).identity == OwnCode.from_text(other["code"]).identity
