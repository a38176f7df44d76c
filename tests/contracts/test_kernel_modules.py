"""The modules of the kernel use each other in one direction only."""

from __future__ import annotations

import re
from collections.abc import Iterator
from graphlib import TopologicalSorter
from itertools import chain
from pathlib import Path

import pytest
from house import circles

CRATES = Path(__file__).parents[2] / "crates"
SOURCES = CRATES / "core" / "src"
# The games, which the core does not know.
FAMILIES = ("othello", "checkers")
# Modules that still use each other: nothing may be added.
CIRCLES = {"data-game": [[(), ("side_by_side",)]]}
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


class Modules:
    """The modules of a crate; a module is one file.

    A name that a folder hands on from one of its files counts as that file's, for whoever uses it.
    """

    def __init__(self, sources: Path) -> None:
        self.texts: dict[Module, str] = {}
        for path in sorted(sources.rglob("*.rs")):
            name = path.relative_to(sources).with_suffix("").parts
            self.texts[() if name == ("lib",) else name[:-1] if name[-1] == "mod" else name] = code(
                path
            )
        self.exports: dict[Module, Module] = {}
        for module, text in self.texts.items():
            for path in chain.from_iterable(
                paths(tree) for public, tree in USE.findall(text) if public
            ):
                if target := self.absolute(module, path):
                    self.exports[*module, path[-1]] = target

    def graph(self) -> dict[Module, set[Module]]:
        """Return what each module uses."""
        uses = {}
        for module, text in self.texts.items():
            targets = (self.absolute(module, path) for path in self.named(module, text))
            uses[module] = {self.home(target) for target in targets if target is not None} - {
                module
            }
        return uses

    def named(self, module: Module, text: str) -> Iterator[list[str]]:
        """Yield the paths that a module names."""
        children = {name[-1] for name in self.texts if name[:-1] == module and name}
        for public, tree in USE.findall(text):
            yield from (path for path in paths(tree) if not public or path[0] not in children)
        body = USE.sub("", text)
        yield from (path.split("::") for path in IN_PLACE.findall(body))
        yield from ([name] for name in children if re.search(rf"(?<![\w:]){name}::\w", body))

    def absolute(self, module: Module, path: list[str]) -> Module | None:
        """Return what a path leads to; ``None`` outside the crate."""
        names = [name for name in path if name != "self"]
        at = module
        if names[:1] == ["crate"]:
            at, names = (), names[1:]
        while names[:1] == ["super"]:
            at, names = at[:-1], names[1:]
        outside = path[0] not in ("crate", "super", "self") and (*module, path[0]) not in self.texts
        return None if outside else (*at, *names)

    def home(self, item: Module) -> Module:
        """Return the module that an item is written in."""
        while item not in self.texts:
            item = self.home(self.exports[item]) if item in self.exports else item[:-1]
        return item


def test_no_module_uses_one_that_uses_it() -> None:
    uses = Modules(SOURCES).graph()
    assert len(uses) > 40
    assert sum(map(len, uses.values())) > 150
    order = list(TopologicalSorter(uses).static_order())
    assert order.index(("lanes",)) < order.index(("rules",)) < order.index(("arena",))


@pytest.mark.parametrize("crate", sorted(path.name for path in CRATES.iterdir()))
def test_no_modules_of_a_crate_use_each_other(crate: str) -> None:
    uses = Modules(CRATES / crate / "src").graph()
    assert sum(map(len, uses.values())) >= len(uses) - 1
    assert circles(uses) == CIRCLES.get(crate, [])


def test_games_know_the_core_and_nothing_of_each_other() -> None:
    crates = {name: CRATES / name / "src" for name in ("core", *FAMILIES)}
    texts = {name: list(Modules(sources).texts.values()) for name, sources in crates.items()}
    known = {
        name: {other for other in crates if any(f"evoply_{other}" in text for text in of_crate)}
        for name, of_crate in texts.items()
    }
    assert known == {"core": set(), **{family: {"core"} for family in FAMILIES}}


def test_a_circle_is_seen(tmp_path: Path) -> None:
    (tmp_path / "lib.rs").write_text("mod a;\nmod b;\n")
    (tmp_path / "a.rs").write_text("use crate::{\n    b::{self, Thing as Other},\n};\n")
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "mod.rs").write_text("mod c;\npub use c::Thing;\n")
    (tmp_path / "b" / "c.rs").write_text("// use crate::a::X;\n")
    assert Modules(tmp_path).graph()["a",] == {("b",), ("b", "c")}
    assert circles(Modules(tmp_path).graph()) == []
    (tmp_path / "b" / "c.rs").write_text("fn f() { crate::a::f() }\n")
    assert circles(Modules(tmp_path).graph()) == [[("a",), ("b", "c")]]
