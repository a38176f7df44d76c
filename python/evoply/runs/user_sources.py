"""The identity of a user's own Python in a run, so that resuming can ask for the same."""

import hashlib
import inspect
from functools import partial
from typing import Any


def qualified_name(part: Any) -> str:
    """Return the module and name of a function or a class, or of the class of a value."""
    while isinstance(part, partial):
        part = part.func
    named = part if hasattr(part, "__qualname__") else type(part)
    return f"{named.__module__}.{named.__qualname__}"


def source_identity(part: Any, settings: str = "") -> dict[str, str]:
    """Return the qualified name of a part and the checksum of its source and *settings*."""
    while isinstance(part, partial):
        settings = f"{settings}{part.args!r}{sorted(part.keywords.items())!r}"
        part = part.func
    named = part if hasattr(part, "__qualname__") else type(part)
    try:
        source = inspect.getsource(named)
    except (OSError, TypeError):  # typed at a prompt, or not written in Python
        code = getattr(part, "__code__", None)
        source = "" if code is None else f"{code.co_code.hex()} {code.co_names} {code.co_varnames}"
    return {
        "name": qualified_name(part),
        "source": hashlib.sha256(f"{source}{settings}".encode()).hexdigest(),
    }
