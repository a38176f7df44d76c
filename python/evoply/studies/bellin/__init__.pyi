from evoply.studies.bellin.gpjpp_ini import config_from_ini as config_from_ini
from evoply.studies.bellin.tables import BELLIN as BELLIN
