"""The identity of a user's own Python in a run, so that resuming can ask for the same."""

import hashlib
import inspect
import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from evoply.expressions.written_form import parse_json
from evoply.own_code import OwnCode, qualified_name, texts_in
from evoply.players.player_files import read_player


def source_identity(part: Any, settings: str = "") -> dict[str, str]:
    """Return the qualified name of a part and the checksum of its source and *settings*."""
    while isinstance(part, partial):
        settings = f"{settings}{part.args!r}{sorted(part.keywords.items())!r}"
        part = part.func
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


def has_programs(run: Any) -> bool:
    """Return whether going on with *run* needs Python of the user's own, a bot or an engine."""
    if run.kind.own is not None or run.python_parts():
        return True
    data = run.config.model_dump(mode="json")
    return any(texts_in(data)) or any(not player.is_portable for player in _players_in(data))


def resuming(run: Any) -> str:
    """Return the command that goes on with *run*, after `evoply`."""
    return f"resume {shlex.quote(run.name)}{' --code-in-runs' * has_programs(run)}"


def _players_in(data: Any) -> Iterator[Any]:
    """Yield the players in JSON form that nested *data* has: programs are kept so."""
    if isinstance(data, str):
        if data.lstrip().startswith("{"):
            with suppress(ValueError):
                yield read_player(parse_json(data))
    elif isinstance(data, Mapping | list):
        for value in data.values() if isinstance(data, Mapping) else data:
            yield from _players_in(value)


def is_same_source(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Return whether two recorded parts are the same: by their source, or by the file they name."""
    if all(one[key] == other[key] for key in ("name", "source")):
        return True
    if "code" not in one or "code" not in other or one.get("settings") != other.get("settings"):
        return False
    return OwnCode.from_text(one["code"]).identity == OwnCode.from_text(other["code"]).identity
