"""Count what says how good the house is: lines, circles, floors, widths of contracts.

Run it for a table: `python tests/contracts/house.py`. Imports are read from the sources: those in
functions and those for annotations count as any other. A floor is a step of the longest chain of
imports; modules that import each other in a circle count as one. The face of a package
(`__init__.py`) stands on all of its modules and is left out within the package; faces of packages
in it count.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "python"

Graph = Mapping[str, frozenset[str]]
"""What each of some names imports, names that are none of them left out."""


@cache
def modules(package: str = "evoply") -> dict[str, Path]:
    """Return the files of a package and of all packages in it, by the name of their module.

    A file in a folder that cannot be the name of a package, such as `1-feature`, is data.
    """
    folder = SOURCES / package.replace(".", "/")
    files = sorted(folder.rglob("*.py"))
    return {_name_of(path): path for path in files if path.parent.name.isidentifier()}


def _name_of(path: Path) -> str:
    parts = path.relative_to(SOURCES).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports_of(path: Path) -> frozenset[str]:
    """Return the modules of evoply that a file imports."""
    known = modules()
    return frozenset(
        name
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in _named(node)
        if name in known
    )


def _named(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (name.name for name in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module:
        for name in node.names:
            inner = f"{node.module}.{name.name}"
            if inner != "evoply._native":
                yield inner if inner in modules() else node.module


def graph_within(package: str) -> Graph:
    """Return what the modules of a package import of each other, its face left out."""
    files = {name: path for name, path in modules(package).items() if name != package}
    return {name: imports_of(path) & files.keys() - {name} for name, path in files.items()}


def graph_of_packages() -> Graph:
    """Return what the parts of evoply, packages and single modules, import of each other."""
    found: dict[str, set[str]] = {}
    for name, path in modules().items():
        if (part := _part_of(name)) is not None:
            others = {_part_of(one) for one in imports_of(path)} - {None, part}
            found.setdefault(part, set()).update(filter(None, others))
    return {part: frozenset(others) for part, others in found.items()}


def _part_of(module: str) -> str | None:
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else None


def circles(graph: Graph) -> list[list[str]]:
    """Return the groups of names that reach each other, by Tarjan's algorithm."""
    numbers: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(name: str) -> None:
        numbers[name] = lowest[name] = len(numbers)
        waiting.append(name)
        for other in sorted(graph[name]):
            if other not in numbers:
                visit(other)
            if other in waiting:
                lowest[name] = min(lowest[name], lowest[other])
        if lowest[name] == numbers[name]:
            group = waiting[waiting.index(name) :]
            del waiting[-len(group) :]
            if len(group) > 1:
                found.append(sorted(group))

    for name in graph:
        if name not in numbers:
            visit(name)
    return found


def floors(graph: Graph) -> int:
    """Return how many names the longest chain of imports has, a circle counted as one."""
    group_of = {name: group[0] for group in circles(graph) for name in group}

    @cache
    def height(group: str) -> int:
        members = [name for name in graph if group_of.get(name, name) == group]
        below = {group_of.get(one, one) for name in members for one in graph[name]} - {group}
        return 1 + max(map(height, below), default=0)

    return max((height(group_of.get(name, name)) for name in graph), default=0)


class Size(NamedTuple):
    """How large a package is."""

    lines: int
    code: int
    """Lines that are no docstring, comment, import or blank."""
    files: int

    def __add__(self, other: Any) -> Size:
        """Return the size of two together."""
        return Size(*map(sum, zip(self, other, strict=True)))


def sizes() -> dict[str, Size]:
    """Return the size of every package of evoply; modules in none are together `evoply`."""
    found: dict[str, Size] = {}
    for name, path in modules().items():
        parts = name.split(".")
        is_in = path.parent != SOURCES / "evoply"
        package = parts[1] if is_in else "evoply"
        found[package] = found.get(package, Size(0, 0, 0)) + size_of(path)
    return found


def size_of(path: Path) -> Size:
    """Return the size of a file."""
    text = path.read_text(encoding="utf-8")
    rows, nodes = text.splitlines(), [*ast.walk(ast.parse(text))]
    other = {
        number
        for node in nodes
        if _is_text(node) or isinstance(node, ast.Import | ast.ImportFrom) or _is_face(node)
        for number in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    code = sum(
        bool(row.strip()) and not row.lstrip().startswith("#") and number not in other
        for number, row in enumerate(rows, 1)
    )
    return Size(len(rows), code, 1)


def _is_text(node: ast.AST) -> TypeGuard[ast.Expr]:
    """Return whether a statement is a docstring."""
    is_constant = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return is_constant and isinstance(node.value.value, str)  # type: ignore[attr-defined]


def _is_face(node: ast.AST) -> TypeGuard[ast.Assign]:
    """Return whether a statement says which names a module has: `__all__`."""
    return isinstance(node, ast.Assign) and any(
        getattr(target, "id", "") == "__all__" for target in node.targets
    )


def widest(package: str) -> tuple[int, str]:
    """Return the most parameters of a function of a package, self left out, and its name."""
    found = [
        (_parameters(node), f"{name}.{node.name}")
        for name, path in modules(package).items()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef)
    ]
    return max(found)


def _parameters(function: ast.FunctionDef) -> int:
    names = function.args
    every = [*names.posonlyargs, *names.args, *names.kwonlyargs]
    return sum(one.arg not in ("self", "cls") for one in every)


def inner_names_in_tests() -> int:
    """Return how many names tests import from modules that are no face of a package."""
    faces = {name for name, path in modules().items() if path.stem == "__init__"}
    return sum(
        len(node.names)
        for path in sorted((ROOT / "tests").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        and node.module in modules().keys() - faces
        and node.module.count(".") > 1
    )


def main() -> None:
    """Print the counts."""
    packages = [name for name in graph_of_packages() if f"evoply.{name}" in modules()]
    size = sum(sizes().values(), Size(0, 0, 0))
    rows: list[Sequence[object]] = [("lines of Python", size.lines), ("of them code", size.code)]
    rows.append(("files of Python", size.files))
    rows.append(("floors of the whole, between packages", floors(graph_of_packages())))
    rows += [("circle between packages", " ".join(group)) for group in circles(graph_of_packages())]
    for name in sorted(packages):
        graph = graph_within(f"evoply.{name}")
        if len(graph) > 1:
            rows.append((f"floors of {name}", floors(graph)))
        rows += [(f"circle in {name}", " ".join(group)) for group in circles(graph)]
    rows.append(("most parameters in the arena", "{} ({})".format(*widest("evoply.arena"))))
    rows.append(("names that tests import from inside", inner_names_in_tests()))
    for what, count in rows:
        print(f"{what:40} {count}")


if __name__ == "__main__":
    main()
