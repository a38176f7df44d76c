"""Bellin & Gasperin, "Genetic Programming and Othello": its experiments, gpjpp's files, Edgar."""

from evoply.studies.bellin.gpjpp_ini import config_from_ini
from evoply.studies.bellin.tables import BELLIN

__all__ = ["BELLIN", "config_from_ini"]
