"""Lazy imports and values: names of packages, modules, and values of tables, on first use.

A package says its public names once, in the stub beside its `__init__.py`, as `from MODULE import
NAME as NAME`. Type checkers read the stub, and so does the package when it is imported: so `from
evoply.arena import match` imports what a match needs, and nothing of tournaments. A command pays
for what it does.

Reasons: docs/design/runs.md.
"""

import sys
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

_Value = TypeVar("_Value")


def give_when_used(
    package: str, adapted: Callable[[str, Any], Any] = lambda name, value: value
) -> None:
    """Give *package* the names of its stub, each imported when it is first used.

    *adapted* gets the name and the value, and returns what the package gives.

    >>> from evoply import arena
    >>> arena.wilson.__module__
    'evoply.arena.statistics'
    >>> "wilson" in dir(arena)
    True
    """
    module = sys.modules[package]
    assert module.__file__ is not None
    with open(module.__file__ + "i", encoding="utf-8") as stub:
        lines = [line.split() for line in stub]
    home_of = {name: home for _from, home, _import, name, *_as_itself in lines}
    module.__dict__.update(_home_of=home_of, _adapted=adapted, __all__=sorted(home_of))
    module.__class__ = _Package


class _Package(ModuleType):
    """A package with a table of where its names are; what was used once is an attribute."""

    _home_of: dict[str, str]
    _adapted: Callable[[str, Any], Any]

    def __getattr__(self, name: str) -> Any:
        home = self._home_of.get(name)
        if home is None:
            raise self._unknown(name)
        found = import_module(home)
        # A package that gives no such name may have a module of it, as this one has of its own.
        is_given = found is not self and hasattr(found, name)
        value = getattr(found, name) if is_given else import_module(f"{home}.{name}")
        self.__dict__[name] = value = self._adapted(name, value)
        return value

    def _unknown(self, name: str) -> AttributeError:
        if self.__name__ != "evoply":  # imports ask packages for modules that are not there yet
            return AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        from evoply.wording import unknown_attribute

        return unknown_attribute("evoply", name, self._home_of)

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
