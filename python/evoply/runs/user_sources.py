"""What a run needs of its user's own programs to go on: Python, bots, engines."""

import shlex
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from evoply.expressions.written_form import parse_json
from evoply.own_code import codes_in
from evoply.players.player_files import read_player


def has_programs(run: Any) -> bool:
    """Return whether going on with *run* needs Python of the user's own, a bot or an engine."""
    if run.kind.own is not None:
        return True
    data = run.config.model_dump(mode="json")
    return any(codes_in(data)) or any(not player.is_portable for player in _players_in(data))


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
