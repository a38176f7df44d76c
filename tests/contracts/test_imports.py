"""Imports have one direction within packages, too: those in functions and for annotations count."""

import pytest
from house import circles, floors, graph_of_packages, graph_within, modules

PACKAGES = sorted(name for name in graph_of_packages() if f"evoply.{name}" in modules())


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_of_a_package_import_each_other(package: str) -> None:
    assert circles(graph_within(f"evoply.{package}")) == []


def test_evolution_stays_low() -> None:
    assert floors(graph_within("evoply.evolution")) <= 8
