"""What a public signature names is public: nobody has to import an inner module to name a type.

Public is what a package's `__init__.pyi` names. The sources are read, not imported: so an alias is
seen by its name, as in an editor. An alias of Python's own types, such as a `Literal`, may stay
without a public name, because whoever needs it writes what it stands for.
"""

import ast
import builtins
import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

SOURCES = Path(__file__).parents[2] / "python"
PACKAGES = sorted(
    ".".join(stub.parent.relative_to(SOURCES).parts) for stub in SOURCES.rglob("__init__.pyi")
)
KERNEL = "evoply._native"
"""Its values are handed on and never made by hand: `Stream` alone has a public name."""
Names = tuple[str, ...]


class Home(NamedTuple):
    """Where a name is defined; a module has the name ""."""

    module: str
    name: str


@cache
def stub_of(package: str) -> dict[str, str]:
    """Return the module of each name that a package gives."""
    path = SOURCES.joinpath(*package.split("."), "__init__.pyi")
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return {name: home for _, home, _, name, *_ in map(str.split, lines)}


@cache
def file_of(module: str) -> Path | None:
    path = SOURCES.joinpath(*module.split("."))
    files = path / "__init__.py", path.with_suffix(".pyi"), path.with_suffix(".py")
    return next((file for file in files if file.exists()), None)


@cache
def definitions(module: str) -> tuple[dict[str, ast.stmt], dict[str, Home]]:
    """Return what a module defines, and what it imports from where."""
    made: dict[str, ast.stmt] = {}
    imported: dict[str, Home] = {}
    file = file_of(module)
    todo = [*ast.parse(file.read_text(encoding="utf-8")).body] if file else []
    for one in todo:
        match one:
            case ast.FunctionDef() | ast.ClassDef():
                made.setdefault(one.name, one)
            case ast.Assign(targets=[ast.Name(name)]) | ast.AnnAssign(target=ast.Name(name)):
                made.setdefault(name, one)
            case ast.ImportFrom(module=str(home)):
                imported |= {a.asname or a.name: Home(home, a.name) for a in one.names}
            case ast.Import():
                imported |= {a.asname or a.name: Home(a.name, "") for a in one.names}
            case ast.If() | ast.With():
                todo += [*one.body, *getattr(one, "orelse", ())]
    return made, imported


@cache
def home_of(module: str, name: str) -> Home | None:
    """Return where what *module* calls *name* is defined; None if not in evoply."""
    if not module.startswith("evoply"):
        return None
    given = stub_of(module).get(name, module)
    if given != module:
        return home_of(given, name)
    made, imported = definitions(module)
    if name in imported:
        home = imported[name]
        return home_of(*home) if home.name else home
    if name in made:
        return Home(module, name)
    return Home(f"{module}.{name}", "") if file_of(f"{module}.{name}") else None


def names_in(annotation: ast.AST | None) -> Iterator[Names]:
    """Yield the names of an annotation, dotted ones in their parts."""
    match annotation:
        case None:
            return
        case ast.Constant(value=str(text)):
            yield from names_in(ast.parse(text, mode="eval").body)
        case ast.Name(name):
            yield (name,)
        case ast.Attribute(inner, name):
            yield from ((*names, name) for names in names_in(inner))
        case ast.Subscript(ast.Name("Literal")):
            return
        case ast.Subscript(ast.Name("Annotated"), ast.Tuple([first, *_])):
            yield from names_in(first)
        case _:
            for child in ast.iter_child_nodes(annotation):
                yield from names_in(child)


def annotations(made: ast.stmt) -> Iterator[ast.AST | None]:
    """Yield the annotations of a function, or of a class's public attributes and methods."""
    match made:
        case ast.FunctionDef(args=given):
            several = (
                *given.posonlyargs,
                *given.args,
                *given.kwonlyargs,
                given.vararg,
                given.kwarg,
            )
            yield from (one.annotation for one in several if one is not None)
            yield made.returns
        case ast.ClassDef():
            for one in made.body:
                if isinstance(one, ast.FunctionDef) and not is_private(one.name):
                    yield from annotations(one)
                elif isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name):
                    yield None if is_private(one.target.id) else one.annotation
        case ast.AnnAssign():
            yield made.annotation
        case ast.Assign():
            yield made.value if is_alias(made) else None


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.endswith("__")


def is_alias(made: ast.stmt | None) -> bool:
    """Return whether something gives a type another name, as `Player = Strong | Weak` does."""
    match made:
        case ast.Assign(targets=[ast.Name(name)], value=ast.Subscript() | ast.BinOp() | ast.Name()):
            return name[:1].isupper() and not name.isupper()
    return False


def is_only_annotated(made: ast.stmt) -> bool:
    match made:
        case ast.Assign(value=ast.Subscript(ast.Name("Annotated"))):
            return True
    return False


def definition(home: Home) -> ast.stmt | None:
    return definitions(home.module)[0].get(home.name)


def types_in(module: str, annotation: ast.AST | None) -> Iterator[Home]:
    """Yield evoply's own types in an annotation, looking through aliases of Python's types."""
    for first, *rest in names_in(annotation):
        home = None if hasattr(builtins, first) else home_of(module, first)
        while home is not None and rest and not home.name:
            home = home_of(home.module, rest.pop(0))
        made = None if home is None else definition(home)
        if home is None or made is None or is_private(home.name):
            continue
        if isinstance(made, ast.ClassDef):
            yield home
        elif is_alias(made):
            within = list(types_in(home.module, next(annotations(made))))
            yield from within if is_only_annotated(made) or not within else (home,)


def types_of(home: Home) -> Iterator[Home]:
    """Yield the types in the signature of what is defined at *home*, inherited ones, too."""
    made = definition(home)
    if made is None:
        return
    for annotation in annotations(made):
        yield from types_in(home.module, annotation)
    for base in getattr(made, "bases", ()):
        for names in names_in(base):
            parent = home_of(home.module, names[0])
            if parent is not None and definition(parent) is not None:
                yield from types_of(parent)


def public_homes(packages: list[str]) -> dict[Home, str]:
    """Return where each public name is defined, with one of its public names."""
    found: dict[Home, str] = {}
    for package in packages:
        for name in stub_of(package):
            home = home_of(package, name)
            if home is not None:
                found.setdefault(home, f"{package}.{name}")
    return found


def missing_types(packages: list[str]) -> dict[Home, str]:
    """Return types of public signatures that have no public name, with who names them."""
    public = public_homes(packages)
    modules = {home.module for home in public if not home.name}
    todo, missing = list(public), {}
    for home in todo:
        for one in types_of(home):
            is_public = one in public or one.module in modules or one.module == KERNEL
            if not is_public and one not in missing:
                missing[one] = public.get(home, home.name)
                todo.append(one)
    return missing


def test_types_of_public_signatures_are_public() -> None:
    missing = {".".join(home): by for home, by in missing_types(PACKAGES).items()}
    assert missing == {}, "name each in the `__init__.pyi` of its package"


def test_the_walk_sees_what_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Among others a result, an alias of evoply's classes, a field, and what a method returns."""
    stubs = {package: dict(stub_of(package)) for package in PACKAGES}
    for package, name in (
        ("evoply.arena", "TimeUsed"), ("evoply.players", "PlayerModel"),
        ("evoply.reports", "Cause"), ("evoply.players", "EngineSeat"),
    ):  # fmt: skip
        del stubs[package][name]
    home_of.cache_clear()
    monkeypatch.setitem(globals(), "stub_of", lambda package: stubs.get(package, {}))
    found = {home.name for home in missing_types(PACKAGES)}
    monkeypatch.undo()
    home_of.cache_clear()
    assert {"TimeUsed", "PlayerModel", "Cause", "EngineSeat"} <= found


@pytest.mark.parametrize("package", PACKAGES)
def test_every_public_name_can_be_imported(package: str) -> None:
    module = importlib.import_module(package)
    for name in stub_of(package):
        assert getattr(module, name) is not None
