"""Lazy imports and values: names of packages, modules, and values of tables, on first use.

A package's `__init__.py` has one table of its names by module. So `from evoply.arena import match`
imports what a match needs, and nothing of tournaments; a command pays for what it does.

Reasons: docs/design/runs.md.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def give_when_used(package: str, homes: Mapping[str, str]) -> None:
    """Give *package* the names of *homes*, which maps modules to names with blanks between them.

    Modules are named within the package, those of other packages in full.

    >>> from evoply import arena
    >>> arena.wilson.__module__
    'evoply.arena.statistics'
    >>> "wilson" in dir(arena)
    True
    """
    module = sys.modules[package]
    within = f"{package}."
    module.__dict__["_home_of"] = {
        name: home if home.startswith("evoply.") else within + home
        for home, names in homes.items()
        for name in names.split()
    }
    module.__class__ = _Package


class _Package(ModuleType):
    """A package with a table of where its names are; what was used once is an attribute."""

    _home_of: dict[str, str]

    def __getattr__(self, name: str) -> Any:
        home = self._home_of.get(name)
        if home is None:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        self.__dict__[name] = value
        return value

    def __setattr__(self, name: str, value: Any) -> None:
        # Python makes every module an attribute of its package, and some have a function's name:
        # the name that the package gives wins, whatever was imported before.
        if not (isinstance(value, ModuleType) and name in self._home_of):
            super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return sorted({*self.__dict__, *self._home_of})


def module_when_used(name: str) -> Any:
    """Return a stand-in for the module *name*, which is imported when an attribute is first used.

    This is for a module that takes long to import and that most work does not need.

    >>> module_when_used("math").sqrt(4.0)
    2.0
    """
    return _Module(name)


class _Module:
    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> Any:
        value = getattr(import_module(self._name), name)
        self.__dict__[name] = value
        return value


class MadeWhenUsed(Mapping[str, _Value]):
    """A table by name whose values are made when they are first asked for, each once.

    *refusal* says why a name is missing.

    >>> table = MadeWhenUsed({"one": lambda: [1], "two": lambda: [2]})
    >>> table["one"] is table["one"], list(table)
    (True, ['one', 'two'])
    """

    def __init__(
        self, makers: Mapping[str, Callable[[], _Value]], refusal: Callable[[str], str] = str
    ) -> None:
        self._makers = makers
        self._refusal = refusal
        self._made: dict[str, _Value] = {}

    def __getitem__(self, name: str) -> _Value:
        if name not in self._made:
            if name not in self._makers:
                raise KeyError(self._refusal(name))
            self._made.setdefault(name, self._makers[name]())  # the first of two threads counts
        return self._made[name]

    def __contains__(self, name: object) -> bool:
        return name in self._makers

    def __iter__(self) -> Iterator[str]:
        return iter(self._makers)

    def __len__(self) -> int:
        return len(self._makers)
