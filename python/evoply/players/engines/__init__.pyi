from evoply.players.engines.engine_player import Engine as Engine
from evoply.players.engines.engine_player import EngineLimits as EngineLimits
from evoply.players.engines.engine_player import engine_name as engine_name
from evoply.players.engines.engine_player import read_engines as read_engines
