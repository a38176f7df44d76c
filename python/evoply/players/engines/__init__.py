"""Engines that play for us, and evoply's players as engines for others: GTP and NBoard."""

from evoply.players.engines.engine import Engine, EngineLimits, engine_name, read_engines

__all__ = ["Engine", "EngineLimits", "engine_name", "read_engines"]
