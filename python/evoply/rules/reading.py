"""Rules read from their JSON."""

import json
from collections.abc import Mapping
from pathlib import Path

from evoply.rules.language import Rules
from evoply.rules.moves import RulesError
from evoply.rules.written import fields_of

__all__ = ["read_rules"]

MOST_BYTES = 1_000_000


def read_rules(source: str | Path | Mapping[str, object]) -> Rules:
    """Return the rules of a JSON form: a file, or its values.

    Raises `RulesError` that names the rule; `OSError` if the file cannot be read.
    """
    if not isinstance(source, str | Path):
        return Rules(**fields_of(source))
    path = Path(source)
    if path.stat().st_size > MOST_BYTES:
        raise RulesError(f"{path.name} - is larger than {MOST_BYTES:,} bytes - rules are short")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise RulesError(f"{path.name} - is no JSON: {error} - write rules with Rules") from None
    return Rules(**fields_of(data))
