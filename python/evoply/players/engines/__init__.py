"""Engines that play for us, and evoply's players as engines for others: GTP and NBoard."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.players.engines.engine_player import Engine, EngineLimits, engine_name, read_engines

__all__ = ["Engine", "EngineLimits", "engine_name", "read_engines"]

give_when_used(
    __name__,
    {
        "engine_player": "Engine EngineLimits engine_name read_engines",
    },
)
