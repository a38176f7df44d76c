"""Pydantic asks what it is given for its signature, which types have in some Pythons alone."""

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "python" / "evoply"


def given_to_pydantic(text: str) -> Iterator[ast.expr]:
    """Yield what validators and serializers of a module call."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            name = node.func.id
            if node.args and name.endswith(("Validator", "Serializer")) and name[0].isupper():
                yield node.args[0]


def is_function(given: ast.expr) -> bool:
    """Return whether that is a function, as far as its name says it."""
    if isinstance(given, ast.Lambda):
        return True
    is_name = isinstance(given, ast.Name) and given.id.islower()
    return is_name and not isinstance(getattr(builtins, given.id, None), type)


@pytest.mark.parametrize("text", ["dict[str, float]", "dict", "MappingProxyType"])
def test_a_type_is_no_function(text: str) -> None:
    (given,) = given_to_pydantic(f"PlainSerializer({text})")
    assert not is_function(given)


def test_validators_and_serializers_are_functions() -> None:
    wrong, count = [], 0
    for file in sorted(PACKAGE.rglob("*.py")):
        for given in given_to_pydantic(file.read_text(encoding="utf-8")):
            count += 1
            if not is_function(given):
                wrong.append(f"{file.relative_to(PACKAGE)}: {ast.unparse(given)}")
    assert wrong == []
    assert count > 10
