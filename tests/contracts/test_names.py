"""Names explain themselves: no word for two things, and none that was given up comes back."""

import ast
import re
from pathlib import Path

from house import ROOT, modules
from words import bindings, shared_classes, shared_modules

SAME_THING = {"Game", "LegalMoves", "Move", "Position", "Run"}
"""Classes that do what the class of their name below them promises: a protocol, or a base."""

RETIRED_MODULES = {
    "by_name": "run_names",
    "closing": "run_loop",
    "driving": "run_loop",
    "elsewhere": "on_cluster",
    "fields": "tournament",
    "in_process": "folder",
    "kept": "kept_runs",
    "opened": "open_evaluator",
    "pace": "throttle",
    "python_parts": "user_code",
    "reception": "admission",
    "run_hall": "",
    "seeding": "grammar",
    "showing": "game_views",
    "suggesting": "shell_hints",
    "whole": "run_config",
}
"""Module names that had to be opened to be understood, and what took their place."""
RETIRED_CLASSES = {"Measured": {"evolution/fitness/contract.py"}, "Played": set(), "Table": set()}
"""Class names that stood for several things, and where one of them still stands."""
RETIRED_IN_THE_KERNEL = {"carried", "crew", "duels", "foretelling", "patterned", "taken_up"}

MOST_PARAMETERS = 14


def test_retired_modules_do_not_come_back() -> None:
    names = {name.rpartition(".")[2]: name for name in modules()}
    assert {old: new for old, new in RETIRED_MODULES.items() if old in names} == {}
    assert {new for new in RETIRED_MODULES.values() if new} <= names.keys()


def test_retired_modules_of_the_kernel_do_not_come_back() -> None:
    found = {path.stem for path in (ROOT / "crates").rglob("*.rs")}
    assert "workers" in found
    assert found & RETIRED_IN_THE_KERNEL == set()


def test_retired_classes_do_not_come_back() -> None:
    homes: dict[str, set[str]] = {name: set() for name in RETIRED_CLASSES}
    for path in modules().values():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and node.name in homes:
                homes[node.name].add(path.relative_to(ROOT / "python/evoply").as_posix())
    assert homes == RETIRED_CLASSES


def test_no_function_has_more_than_14_parameters() -> None:
    """What belongs together is one value: `Terms` of games, a budget, options of a verb."""
    many = {}
    for name, path in modules().items():
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                own = node.args
                plain = len(own.posonlyargs) + len(own.args) + len(own.kwonlyargs)
                many[f"{name}.{node.name}"] = plain + bool(own.vararg) + bool(own.kwarg)
    assert {name: count for name, count in many.items() if count > MOST_PARAMETERS} == {}


def test_no_class_shares_its_name_with_another_thing() -> None:
    assert shared_classes().keys() == SAME_THING


def test_few_modules_share_their_names() -> None:
    """Commands are named by their verb, and each study has a module of tables."""
    assert shared_modules().keys() <= {"elimination", "replay", "tables", "tournament"}


def test_variables_are_called_by_what_they_are() -> None:
    assert len(bindings("one")) <= 20


def test_the_glossary_is_a_page() -> None:
    page = Path(ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (?!word|---)[a-z].*\|$", page.split("## Words")[1], re.MULTILINE)
    assert 25 <= len(rows) <= 40
