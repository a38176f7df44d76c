"""Imports have one direction within packages, too: those in functions and for annotations count."""

import pytest
from house import circles, floors, graph_of_packages, graph_within, imports_of, modules

# From the names of files: what they import is read when a test asks, not whenever tests are listed.
PACKAGES = sorted({name.split(".")[1] for name in modules() if "." in name})


@pytest.mark.parametrize("package", PACKAGES)
def test_no_modules_of_a_package_import_each_other(package: str) -> None:
    assert circles(graph_within(f"evoply.{package}")) == []


def test_no_packages_import_each_other() -> None:
    assert circles(graph_of_packages()) == []


def test_nothing_within_evoply_takes_names_from_its_face() -> None:
    """Neither this graph nor import-linter would see what stands behind them."""
    assert [name for name, path in modules().items() if "evoply" in imports_of(path)] == []


def test_a_circle_between_packages_would_be_found() -> None:
    graph = {name: set(others) for name, others in graph_of_packages().items()}
    graph["runs"].add("kinds")
    (circle,) = circles(graph)
    assert set(circle) >= {"runs", "kinds", "evolution", "learning"}


def test_evolution_stays_low() -> None:
    """Islands, the two highest floors, are a learner over the learner below."""
    assert floors(graph_within("evoply.evolution")) <= 10
