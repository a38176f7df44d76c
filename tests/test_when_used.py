"""Packages whose names are imported when they are first used: the tables of their names."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import evoply
from evoply.players.engines.dialogue import DIALOGUES
from evoply.players.engines.engine_player import PROTOCOLS
from evoply.when_used import MadeWhenUsed

ROOT = Path(evoply.__file__).parent


def _packages() -> list[str]:
    files = sorted(ROOT.rglob("__init__.py"))
    lazy = [file.parent for file in files if "give_when_used(" in file.read_text(encoding="utf-8")]
    return [".".join(("evoply", *folder.relative_to(ROOT).parts)) for folder in lazy]


PACKAGES = _packages()


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_gives_the_names_of_its_stub(package: str) -> None:
    """The type checker reads the same file; `from package import *` gives the same names."""
    module = import_module(package)
    assert module.__all__ == sorted(module._home_of)
    assert set(module.__all__) <= set(dir(module))
    for name in module.__all__:
        value = getattr(module, name)
        assert value is not None
        if package != "evoply":  # some of its functions have other defaults
            assert value is getattr(import_module(module._home_of[name]), name)


@pytest.mark.parametrize("package", PACKAGES)
def test_a_stub_imports_names_as_themselves(package: str) -> None:
    """So a type checker takes them as the package's own."""
    stub = (ROOT.joinpath(*package.split(".")[1:]) / "__init__.pyi").read_text(encoding="utf-8")
    for node in ast.parse(stub).body:
        assert isinstance(node, ast.ImportFrom)
        assert all(alias.name == alias.asname for alias in node.names)


def test_there_are_such_packages() -> None:
    assert {"evoply.arena", "evoply.players", "evoply.evolution", "evoply.runs"} <= set(PACKAGES)


def test_a_function_goes_before_the_module_of_its_name() -> None:
    code = (
        "import evoply.runs.advance, evoply.gp.variation; from evoply import gp, runs;"
        "print(callable(runs.advance), callable(gp.changes), runs.advance is runs.advance)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"] * 3


def test_a_name_that_is_none_is_said() -> None:
    with pytest.raises(AttributeError, match=r"module 'evoply\.arena' has no attribute 'matsch'"):
        _ = import_module("evoply.arena").matsch


def test_values_are_made_once_and_only_when_asked_for() -> None:
    made: list[str] = []

    def make(name: str) -> str:
        made.append(name)
        return name.upper()

    table = MadeWhenUsed({name: lambda name=name: make(name) for name in "ab"}, "no {}".format)
    assert (list(table), len(table), "a" in table, "c" in table, made) == (
        ["a", "b"], 2, True, False, [],
    )  # fmt: skip
    assert (table["b"], table["b"], table.get("c"), made) == ("B", "B", None, ["b"])
    with pytest.raises(KeyError, match="no c"):
        _ = table["c"]


def test_every_protocol_of_engines_has_a_dialogue() -> None:
    assert tuple(DIALOGUES) == PROTOCOLS
