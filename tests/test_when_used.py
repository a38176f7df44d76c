"""Packages whose names are imported when they are first used: the tables of their names."""

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import evoply
from evoply.players.engines.engine_player import PROTOCOLS
from evoply.players.engines.seat import DIALOGUES
from evoply.when_used import MadeWhenUsed

ROOT = Path(evoply.__file__).parent


def _packages() -> list[str]:
    files = sorted(ROOT.rglob("__init__.py"))
    lazy = [file.parent for file in files if "give_when_used(" in file.read_text(encoding="utf-8")]
    return [".".join(("evoply", *folder.relative_to(ROOT).parts)) for folder in lazy]


PACKAGES = _packages()


def _for_the_type_checker(package: str) -> dict[str, str]:
    """Return name and module of what is imported below TYPE_CHECKING."""
    source = (ROOT.joinpath(*package.split(".")[1:]) / "__init__.py").read_text(encoding="utf-8")
    conditions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.If)]
    below = [node for node in conditions if ast.unparse(node.test) == "TYPE_CHECKING"]
    imports = [node for held in below for node in held.body if isinstance(node, ast.ImportFrom)]
    names = [(name.name, one.module or "") for one in imports for name in one.names]
    return {name: module for name, module in names if module.startswith("evoply.")}


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_says_the_same_names_three_times(package: str) -> None:
    """To the type checker, to `from package import *` and to whoever asks for one."""
    module = import_module(package)
    assert module._home_of == _for_the_type_checker(package)
    here = {name for name in module.__all__ if name in vars(module)} - module._home_of.keys()
    assert sorted(module.__all__) == sorted([*module._home_of, *here])
    assert set(module.__all__) <= set(dir(module))
    for name, home in module._home_of.items():
        assert getattr(module, name) is getattr(import_module(home), name)


def test_there_are_such_packages() -> None:
    assert {"evoply.arena", "evoply.players", "evoply.evolution", "evoply.runs"} <= set(PACKAGES)


def test_a_function_goes_before_the_module_of_its_name() -> None:
    code = (
        "import evoply.runs.advance, evoply.gp.changes; from evoply import gp, runs;"
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
