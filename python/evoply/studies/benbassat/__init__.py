"""Benbassat & Sipper (GECCO 2011): its tables and its guides."""

from evoply.studies.benbassat.tables import BENBASSAT

__all__ = ["BENBASSAT"]
