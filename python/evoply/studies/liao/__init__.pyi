from evoply.studies.liao.tables import LIAO as LIAO
from evoply.studies.liao.white_games import LegacyReading as LegacyReading
from evoply.studies.liao.white_games import legacy_tree as legacy_tree
