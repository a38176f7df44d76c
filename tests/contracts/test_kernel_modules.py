"""The modules of the kernel use each other in one direction only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "crates" / "core" / "src"
USE = re.compile(r"^\s*(pub(?:\([^)]*\))? )?use ([^;]+);", re.MULTILINE)
IN_PLACE = re.compile(r"(?<![\w:])((?:crate|super|self)(?:::\w+)+)")

Module = tuple[str, ...]


def code(path: Path) -> str:
    """Return the source without comments and tests."""
    text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
    text = re.sub(r"#\[cfg\(test\)\]\s*mod \w+;", "", text)
    return text.split("#[cfg(test)]")[0]


def paths(tree: str) -> Iterator[list[str]]:
    """Yield the paths of a use tree such as ``a::{b, c::{self, D}}``."""
    tree = " ".join(tree.split())
    if "{" not in tree:
        yield tree.split(" as ")[0].split("::")
        return
    head, _, rest = tree.partition("{")
    depth, part = 0, ""
    for letter in rest.rstrip()[:-1] + ",":
        depth += (letter == "{") - (letter == "}")
        if letter == "," and depth == 0:
            if part.strip():
                yield from paths(head + part.strip())
            part = ""
        else:
            part += letter


def graph(sources: Path) -> dict[Module, set[Module]]:
    """Return what each module uses; a module is one file.

    A name that a folder hands on from one of its files counts as that file's, for whoever uses it.
    """
    texts: dict[Module, str] = {}
    for path in sorted(sources.rglob("*.rs")):
        name = path.relative_to(sources).with_suffix("").parts
        texts[() if name == ("lib",) else name[:-1] if name[-1] == "mod" else name] = code(path)

    def absolute(module: Module, path: list[str]) -> Module | None:
        at = module
        if path[0] == "crate":
            at = ()
        elif path[0] == "super":
            at = module[:-1]
        elif path[0] != "self":
            if (*module, path[0]) not in texts:
                return None  # another crate, or an item of this file
            return (*module, *path)
        return absolute_tail(at, path[1:])

    def absolute_tail(at: Module, rest: list[str]) -> Module:
        while rest and rest[0] == "super":
            at, rest = at[:-1], rest[1:]
        return (*at, *(name for name in rest if name != "self"))

    exports: dict[Module, Module] = {}
    for module, text in texts.items():
        for public, tree in USE.findall(text):
            for path in paths(tree) if public else ():
                if target := absolute(module, path):
                    exports[*module, path[-1]] = target

    def home(item: Module) -> Module:
        while item not in texts:
            item = home(exports[item]) if item in exports else item[:-1]
        return item

    uses: dict[Module, set[Module]] = {}
    for module, text in texts.items():
        named: list[list[str]] = []
        children = {name[-1] for name in texts if name[:-1] == module and name}
        for public, tree in USE.findall(text):
            named += [path for path in paths(tree) if not public or path[0] not in children]
        body = USE.sub("", text)
        named += [path.split("::") for path in IN_PLACE.findall(body)]
        named += [[child, ""] for child in children if re.search(rf"(?<![\w:]){child}::\w", body)]
        targets = (absolute(module, path) for path in named)
        uses[module] = {home(target) for target in targets if target is not None} - {module}
    return uses


def test_no_module_uses_one_that_uses_it() -> None:
    uses = graph(SOURCES)
    assert len(uses) > 40
    assert sum(map(len, uses.values())) > 150
    order = list(TopologicalSorter(uses).static_order())
    assert order.index(("lanes",)) < order.index(("rules",)) < order.index(("arena",))


def test_a_circle_is_seen(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("mod a;\nmod b;\n")
    (tmp_path / "a.rs").write_text("use crate::{\n    b::{self, Thing as Other},\n};\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mod.rs").write_text("mod c;\npub use c::Thing;\n")
    (tmp_path / "b" / "c.rs").write_text("// use crate::a::X;\n")
    assert graph(tmp_path)["a",] == {("b",), ("b", "c")}
    assert list(TopologicalSorter(graph(tmp_path)).static_order())
    (tmp_path / "b" / "c.rs").write_text("fn f() { crate::a::f() }\n")
    with pytest.raises(CycleError):
        list(TopologicalSorter(graph(tmp_path)).static_order())
