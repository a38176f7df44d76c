"""Bellin & Gasperin, "Genetic Programming and Othello": its experiments, gpjpp's files, Edgar."""

from typing import TYPE_CHECKING

from evoply.when_used import give_when_used

if TYPE_CHECKING:
    from evoply.studies.bellin.gpjpp_ini import config_from_ini
    from evoply.studies.bellin.tables import BELLIN

__all__ = ["BELLIN", "config_from_ini"]

give_when_used(
    __name__,
    {
        "gpjpp_ini": "config_from_ini",
        "tables": "BELLIN",
    },
)
