from evoply.studies.liao.legacy import LegacyReading as LegacyReading
from evoply.studies.liao.legacy import legacy_tree as legacy_tree
from evoply.studies.liao.tables import LIAO as LIAO
